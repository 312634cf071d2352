package assimilate

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// ownWord gives what of the versions stands against a plain statement of another:
// what the subject said of itself holds up to when it last said so. It is empty
// where the candidate is the subject's own word too, where nobody is known to
// speak, or where the policy knows no such rule.
func (d *decider) ownWord(versions []dsl.FactVersion) ([]dsl.Interval, error) {
	if !d.own || d.speaker.IsZero() || len(versions) == 0 {
		return nil, nil
	}
	who, err := d.named(dsl.Entity, d.speaker)
	if err != nil {
		return nil, fmt.Errorf("speaker: %w", err)
	}
	if slices.Contains(d.srcs, who.ID) {
		return nil, nil
	}
	var out []dsl.Interval
	for i := range versions {
		f := &versions[i]
		last := dsl.Beginning
		for _, turn := range f.Evidence {
			if turn == d.turn {
				continue
			}
			ts, err := d.saidAt(turn)
			if err != nil {
				return nil, err
			}
			if slices.Contains(d.srcs, d.speakers[turn]) {
				last = max(last, ts)
			}
		}
		if firm := (dsl.Interval{Start: f.Valid.Start, End: min(f.Valid.End, last)}); firm.Start < firm.End {
			out = append(out, firm)
		}
	}
	return out, nil
}

// saidOf names, for a reason, the versions that stand as the subject's own word.
func (d *decider) saidOf(versions []dsl.FactVersion, own []dsl.Interval) string {
	var standing []dsl.FactVersion
	for _, f := range versions {
		if anyOverlap(f.Valid, own) {
			standing = append(standing, f)
		}
	}
	return fmt.Sprintf("%s has said %s itself", d.c.Src, d.describe(standing, dsl.Always))
}

// opposed gives the versions that cannot hold beside the candidate's value: those
// of an opposite relation with the same value, in whatever words. It notes them as
// read.
func (d *decider) opposed() ([]dsl.FactVersion, error) {
	opposites := d.registry.Opposites(d.rel)
	if len(opposites) == 0 {
		return nil, nil
	}
	name, err := d.c.Dst.Open()
	if err != nil {
		return nil, fmt.Errorf("dst: %w", err)
	}
	w := wordingOf(name)
	var out []dsl.FactVersion
	for _, rel := range opposites {
		dsts := d.dsts
		if kind := d.registry.DstKind(rel); kind != d.dst.Kind {
			n, err := d.named(kind, d.dst.Name)
			if err != nil {
				return nil, err
			}
			if dsts, err = d.group(n.ID); err != nil {
				return nil, err
			}
		}
		list, err := d.believed(d.srcs, rel, dsts)
		if err != nil {
			return nil, err
		}
		other, _, err := d.inWords(rel, &w, list)
		if err != nil {
			return nil, err
		}
		d.saidAs(other)
		list = append(list, other...)
		for _, f := range list {
			relation, err := relationOf(&f)
			if err != nil {
				return nil, err
			}
			if relation == d.relation {
				out = append(out, f)
			}
		}
	}
	d.read(out)
	return out, nil
}
