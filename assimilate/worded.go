package assimilate

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// mostWorded bounds the versions of a relation whose wording is compared, so that
// the work of a turn does not grow with the memory.
const mostWorded = 512

// siblings are the relations that say the same as the candidate's of another sort
// of value, its own first: those that have an opposite in common.
func (d *decider) siblings() []string {
	out := []string{d.rel}
	for _, o := range d.registry.Opposites(d.rel) {
		for _, rel := range d.registry.Opposites(o) {
			if !slices.Contains(out, rel) {
				out = append(out, rel)
			}
		}
	}
	return out
}

// worded gives the versions, besides those known, that an ending or a denial
// speaks of in other words: what is left when the words for the sort of thing are
// taken away is the same ("books about modernism", "reading about modernism"); or,
// where no version has the candidate's own value, the one thing that it can denote
// ("the bike", a red mountain bike). It notes them as read.
func (d *decider) worded(known []dsl.FactVersion) ([]dsl.FactVersion, error) {
	if d.functional || d.dst.Kind == dsl.TimeInstant || d.relation != "" {
		return nil, nil
	}
	name, err := d.c.Dst.Open()
	if err != nil {
		return nil, fmt.Errorf("dst: %w", err)
	}
	rels := d.siblings()
	if len(rels) == 1 && len(known) > 0 {
		return nil, nil
	}
	w := wordingOf(name)
	var out, meant []dsl.FactVersion
	for _, rel := range rels {
		same, denoted, err := d.inWords(rel, &w, known)
		if err != nil {
			return nil, err
		}
		out, meant = append(out, same...), append(meant, denoted...)
	}
	if len(rels) == 1 && len(out) == 0 && len(meant) > 0 {
		// A definite thing: meant only where there is one.
		if slices.ContainsFunc(meant, func(f dsl.FactVersion) bool { return f.Dst != meant[0].Dst }) {
			return nil, nil
		}
		out = meant
	}
	d.read(out)
	d.saidAs(out)
	return out, nil
}

// inWords gives the versions of a relation that w names in other words, and those
// that it can denote.
func (d *decider) inWords(rel string, w *wording, known []dsl.FactVersion) (same, denoted []dsl.FactVersion, err error) {
	list, err := d.believed(d.srcs, rel, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range list[max(0, len(list)-mostWorded):] {
		if slices.ContainsFunc(known, func(k dsl.FactVersion) bool { return k.Ref() == f.Ref() }) {
			continue
		}
		name, err := f.DstName.Open()
		if err != nil {
			return nil, nil, err
		}
		switch o := wordingOf(name); {
		case slices.Contains(d.dsts, f.Dst), w.same(&o):
			same = append(same, f)
		case w.denotes(&o):
			denoted = append(denoted, f)
		}
	}
	return same, denoted, nil
}

// wordedAs tells whether a version that an ending or a denial ended is one that it
// can have meant in other words: of the relation or of one that says the same of
// another sort of value. Which of several was meant was decided when it ended.
func (d *decider) wordedAs(f *dsl.FactVersion) (bool, error) {
	if d.functional || d.dst.Kind == dsl.TimeInstant || d.relation != "" || !slices.Contains(d.srcs, f.Src) {
		return false, nil
	}
	rels := d.siblings()
	if !slices.Contains(rels, f.Rel) {
		return false, nil
	}
	if slices.Contains(d.dsts, f.Dst) {
		return true, nil
	}
	name, err := d.c.Dst.Open()
	if err != nil {
		return false, fmt.Errorf("dst: %w", err)
	}
	other, err := f.DstName.Open()
	if err != nil {
		return false, err
	}
	w, o := wordingOf(name), wordingOf(other)
	return w.same(&o) || len(rels) == 1 && w.denotes(&o), nil
}

// saidAs notes, for the reason, by which other words a version was meant.
func (d *decider) saidAs(list []dsl.FactVersion) {
	var names []string
	for i := range list {
		if n := fmt.Sprintf("%q", list[i].DstName); list[i].Dst != d.dst.ID && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	if len(names) > 0 {
		d.near += fmt.Sprintf(" (%q means %s)", d.c.Dst, join(names))
	}
}
