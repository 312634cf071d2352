package assimilate

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/internal/near"
)

// matchNear takes the candidate's value for a believed one of the same subject
// and relation whose name is near, where none has its own name or an alias of it.
func (d *decider) matchNear() error {
	n, how, err := d.nearest(d.dst, d.dsts)
	if err != nil || how == "" {
		return err
	}
	d.dst, d.near = n, how
	d.dsts, err = d.group(n.ID)
	return err
}

// nearest gives the value, believed of the candidate's subject and relation, that
// a node is taken for, and how they match; nothing if a value of the node's own
// group is believed, or none is near. Of several the most alike is taken, of
// equals the one that was opened first. Times are never near.
func (d *decider) nearest(n dsl.Node, group []string) (best dsl.Node, how string, err error) {
	if n.Kind == dsl.TimeInstant {
		return n, "", nil
	}
	list, err := d.believed(d.srcs, d.rel, nil)
	if err != nil {
		return n, "", err
	}
	name, err := n.Name.Open()
	if err != nil {
		return n, "", err
	}
	name = analyze.NormalizeName(name)
	var match near.Match
	for i := range list {
		f := &list[i]
		if slices.Contains(group, f.Dst) {
			return n, "", nil
		}
		if f.DstKind != n.Kind {
			continue
		}
		known, err := f.DstName.Open()
		if err != nil {
			return n, "", err
		}
		if m, ok := near.Names(name, analyze.NormalizeName(known)); ok && m.Score > match.Score {
			match, best = m, dsl.Node{ID: f.Dst, Kind: f.DstKind, Name: f.DstName}
		}
	}
	if match.By == "" {
		return n, "", nil
	}
	return best, fmt.Sprintf(" (%q is taken for %q: %s %.3f)", n.Name, best.Name, match.By, match.Score), nil
}
