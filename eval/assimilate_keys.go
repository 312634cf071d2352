package eval

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
)

// keyScan is what a scan of all versions of a space found.
type keyScan struct {
	// versions counts all versions, open those that the head believes, facts their
	// ids.
	versions, open, facts int
	// keys counts the functional (src, rel), pairs the pairs of versions compared,
	// violations those that hold at one (t, v) (I7).
	keys, pairs, violations int
	// duplicates counts the open versions that say what another open version of an
	// overlapping time says.
	duplicates int
}

func (k *keyScan) add(x *keyScan) {
	k.versions += x.versions
	k.open += x.open
	k.facts += x.facts
	k.keys += x.keys
	k.pairs += x.pairs
	k.violations += x.violations
	k.duplicates += x.duplicates
}

// heldVersion is a version with the time that the memory held it in its working
// set.
type heldVersion struct {
	store.Version
	held dsl.Interval
}

// scanKeys compares all versions of every functional key, whatever any index
// says.
func (s *spaceRun) scanKeys(context.Context) (err error) {
	v, err := s.db.View(s.dialogue.Space, asof.At{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	registry, err := asof.Registry(s.variant.config)
	if err != nil {
		return err
	}
	all, err := s.versions(v)
	if err != nil {
		return err
	}
	s.keys.scan(all, registry)
	return s.scanAliases(v, registry)
}

// versions gives every version of the space. The record interval of one that was
// archived ends, for this, where it was.
func (s *spaceRun) versions(v *asof.View) ([]heldVersion, error) {
	archived := map[string][]*dsl.Tx{}
	for _, tx := range s.txs {
		for i := range tx.Operations {
			if o := &tx.Operations[i]; o.Kind == dsl.ArchiveEdge {
				archived[o.ID] = append(archived[o.ID], tx)
			}
		}
	}
	var all []heldVersion
	for x, err := range v.History(store.FactQuery{}) {
		if err != nil {
			return nil, err
		}
		h := heldVersion{x, x.Record}
		for _, tx := range archived[x.ID] {
			if x.Opened <= tx.Seq && (x.Closed == 0 || x.Closed > tx.Seq) {
				h.held.End = min(h.held.End, tx.Time)
			}
		}
		all = append(all, h)
	}
	return all, nil
}

func (k *keyScan) scan(all []heldVersion, registry *extract.Registry) {
	functional := map[[2]string][]heldVersion{}
	same := map[string][]heldVersion{}
	facts := map[string]bool{}
	for _, x := range all {
		k.versions++
		facts[x.ID] = true
		open := x.Status == dsl.StatusOpen && x.Closed == 0
		if open {
			k.open++
			key := strings.Join([]string{x.Src, x.Rel, x.Dst, x.Relation.String()}, "\x00")
			for _, y := range same[key] {
				if x.Valid.Overlaps(y.Valid) {
					k.duplicates++
					break
				}
			}
			same[key] = append(same[key], x)
		}
		if registry.Functional(x.Rel) {
			key := [2]string{x.Src, x.Rel}
			for _, y := range functional[key] {
				k.pairs++
				if x.Valid.Overlaps(y.Valid) && x.held.Overlaps(y.held) {
					k.violations++
				}
			}
			functional[key] = append(functional[key], x)
		}
	}
	k.keys += len(functional)
	k.facts += len(facts)
}

// scanAliases looks, at the head, for two values of a functional relation that
// names of one entity hold together.
func (s *spaceRun) scanAliases(v *asof.View, registry *extract.Registry) error {
	groups := map[string][]dsl.FactVersion{}
	for f, err := range v.Facts(store.FactQuery{}) {
		if err != nil {
			return err
		}
		if !registry.Functional(f.Rel) {
			continue
		}
		ids, err := v.Aliases(f.Src)
		if err != nil {
			return err
		}
		key := slices.Min(ids) + "\x00" + f.Rel
		for _, g := range groups[key] {
			if g.Src != f.Src && g.Valid.Overlaps(f.Valid) {
				s.keys.violations++
			}
		}
		groups[key] = append(groups[key], f)
	}
	return nil
}
