package model

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// view is the fold of a prefix. Nothing changes it once it is made.
type view struct {
	space   string
	txs     []*dsl.Tx
	entries []dsl.Hash
	s       *state
}

var _ store.View = (*view)(nil)

func newView(space string, txs []*dsl.Tx, entries []dsl.Hash) *view {
	return &view{space: space, txs: txs, entries: entries, s: foldAll(space, txs, entries)}
}

// prefix gives the state at an earlier position.
func (v *view) prefix(seq dsl.Seq) *state { return foldAll(v.space, v.txs[:seq], v.entries[:seq]) }

func (v *view) Basis() store.Basis { return v.s.basis }

func (v *view) Close() error { return nil }

func (v *view) PositionAt(seq dsl.Seq) (store.Position, error) {
	for _, p := range v.s.positions {
		if p.Seq == seq {
			d, err := v.prefix(seq).digest()
			p.Digest = d
			return p, err
		}
	}
	return store.Position{}, fmt.Errorf("model: position %s: %w", seq, dsl.ErrNotFound)
}

func (v *view) SettingsAt(h dsl.Hash) (*dsl.Settings, error) { return v.s.settingsAt(h) }

func (v *view) Node(id string) (dsl.Node, error) {
	n, ok := v.s.node(id)
	if !ok {
		return n, fmt.Errorf("model: node %s: %w", id, dsl.ErrNotFound)
	}
	return n, nil
}

func (v *view) NodesNamed(name string) ([]dsl.Node, error) {
	var found []dsl.Node
	for _, n := range v.s.nodes {
		plain, err := n.Name.Open()
		if err == nil && analyze.NormalizeName(plain) == analyze.NormalizeName(name) {
			found = append(found, n)
		}
	}
	slices.SortFunc(found, func(a, b dsl.Node) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	})
	return found, nil
}

func (v *view) Aliases(id string) ([]string, error) {
	group := []string{id}
	for i := 0; i < len(group); i++ { // group grows as it is walked
		for _, l := range v.s.links {
			if l.kind != dsl.AliasOf || !l.open {
				continue
			}
			for _, end := range [][2]string{{l.from, l.to}, {l.to, l.from}} {
				if end[0] == group[i] && !slices.Contains(group, end[1]) {
					group = append(group, end[1])
				}
			}
		}
	}
	slices.Sort(group)
	return group, nil
}

// show gives the version as the state shows it, with nothing shared.
func (x *version) show() store.Version {
	v := x.Version
	v.Evidence = slices.Clone(x.Evidence)
	switch {
	case !x.isOpen():
		v.Status = dsl.StatusClosed
	case x.archived:
		v.Status = dsl.StatusArchived
	default:
		v.Status = dsl.StatusOpen
	}
	return v
}

// matching gives the versions that match, in the order of View.Facts.
func (s *state) matching(q store.FactQuery) []store.Version {
	type key struct{ src, rel string }
	var keys []key // in order of first appearance
	for _, x := range s.versions {
		if k := (key{x.Src, x.Rel}); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	var found []store.Version
	for _, k := range keys {
		for _, x := range s.versions { // in order of opening
			if (key{x.Src, x.Rel}) == k && x.matches(q) {
				found = append(found, x.show())
			}
		}
	}
	return found
}

func (x *version) matches(q store.FactQuery) bool {
	return (len(q.Src) == 0 || slices.Contains(q.Src, x.Src)) &&
		(len(q.Dst) == 0 || slices.Contains(q.Dst, x.Dst)) &&
		(q.Rel == "" || q.Rel == x.Rel) &&
		(q.Valid == nil || x.Valid.Contains(*q.Valid)) &&
		(q.All || x.isOpen() && !x.archived)
}

func (v *view) Facts(q store.FactQuery) iter.Seq2[dsl.FactVersion, error] {
	return func(yield func(dsl.FactVersion, error) bool) {
		for _, x := range v.s.matching(q) {
			if !yield(x.FactVersion, nil) {
				return
			}
		}
	}
}

func (v *view) History(q store.FactQuery) iter.Seq2[store.Version, error] {
	q.All = true
	return each(v.s.matching(q))
}

func (v *view) Fact(id string) ([]store.Version, error) {
	var found []store.Version
	for _, x := range v.s.versions {
		if x.ID == id {
			found = append(found, x.show())
		}
	}
	if found == nil {
		return nil, fmt.Errorf("model: fact %s: %w", id, dsl.ErrNotFound)
	}
	slices.SortFunc(found, func(a, b store.Version) int { return cmp.Compare(a.Version, b.Version) })
	return found, nil
}

func (v *view) FactsByEvidence(turn string) ([]dsl.FactVersion, error) {
	var found []dsl.FactVersion
	for _, x := range v.s.versions {
		if slices.Contains(x.Evidence, turn) {
			found = append(found, x.show().FactVersion)
		}
	}
	return found, nil
}

func (v *view) Turn(id string) (store.Turn, error) {
	t, ok := v.s.turn(id)
	if !ok {
		return t, fmt.Errorf("model: turn %q: %w", id, dsl.ErrNotFound)
	}
	return t, nil
}

func (v *view) Turns(from int) iter.Seq2[store.Turn, error] {
	return each(v.s.turns[min(max(from, 0), len(v.s.turns)):])
}

func (v *view) About(turn string) (list []dsl.Seq, err error) {
	for _, tx := range v.txs {
		if tx.Seq > v.s.dropped && turnOf(tx) == turn && (tx.Kind == dsl.TxTurn || tx.Kind == dsl.TxCandidates) {
			list = append(list, tx.Seq)
		}
	}
	if list == nil {
		err = fmt.Errorf("model: turn %q: %w", turn, dsl.ErrNotFound)
	}
	return list, err
}

func (v *view) Witness(turn, fact string) (confidence float64, open bool, err error) {
	for _, l := range v.s.witnesses {
		if l.From == turn && l.To == fact {
			confidence, open = l.Confidence, !l.Retract
		}
	}
	if !open {
		confidence = 0
	}
	return confidence, open, nil
}

func (v *view) Known(key dsl.Hash) (dsl.Seq, error) {
	for _, k := range v.s.known {
		if k.key == key {
			return k.seq, nil
		}
	}
	return 0, nil
}

// each yields a list that cannot fail.
func each[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, x := range list {
			if !yield(x, nil) {
				return
			}
		}
	}
}
