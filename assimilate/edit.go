package assimilate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// edit is the taking back of what a replaced turn did, before the turn that
// replaces it is assimilated.
type edit struct {
	*state
	turn string // that replaces
	// gone are the turns that do not stand any more: the one that is replaced, and
	// those that it replaced itself, oldest first.
	gone []store.Turn
	why  string
	ds   []decider
	// facts are those that the turns touched, in order of first touch.
	facts []*touchedFact
}

// touchedFact is a fact and what the turns that are gone did to it.
type touchedFact struct {
	id       string
	versions []store.Version
	// made are the versions that the turns opened and did not close themselves;
	// ended are those of others that they closed.
	made, ended []store.Version
}

// edit takes back what the turn that stands in the place of in.Replaces did. A
// candidate that says what it said is decided here: what it did stands, by this
// turn now.
func (s *state) edit(in *Input, ds []decider, wmMin float64) error {
	e := &edit{state: s, turn: in.TurnID, ds: ds}
	if err := e.chain(in.Replaces); err != nil {
		return err
	}
	old := e.gone[len(e.gone)-1]
	e.why = fmt.Sprintf("turn %q replaces turn %q", in.TurnID, old.ID)
	if err := e.touched(); err != nil {
		return err
	}
	if err := e.adopt(&old, wmMin); err != nil {
		return err
	}
	for _, f := range e.facts {
		if err := e.withdraw(f); err != nil {
			return fmt.Errorf("fact %s: %w", f.id, err)
		}
	}
	for _, f := range e.facts {
		if err := e.giveBack(f); err != nil {
			return fmt.Errorf("fact %s: %w", f.id, err)
		}
	}
	return nil
}

// chain finds the turns that go: the one that stands in the place of the turn
// named, and those that stood there before.
func (e *edit) chain(id string) error {
	t, err := e.view.Turn(id)
	if errors.Is(err, dsl.ErrNotFound) {
		return missing("turn %q, which is to be replaced, is not recorded in the space", id)
	}
	for err == nil && t.Replaces != "" { // back to the first text
		before, berr := e.view.Turn(t.Replaces)
		if errors.Is(berr, dsl.ErrNotFound) {
			break
		}
		t, err = before, berr
	}
	for err == nil {
		e.gone = append(e.gone, t)
		if t.ReplacedBy == "" {
			return nil
		}
		t, err = e.view.Turn(t.ReplacedBy)
	}
	return err
}

func (e *edit) isGone(turn string) bool {
	return slices.ContainsFunc(e.gone, func(t store.Turn) bool { return t.ID == turn })
}

// touched finds the facts that the turns changed or are evidence of.
func (e *edit) touched() error {
	type change struct{ opened, closed bool }
	did := map[dsl.VersionRef]change{}
	note := func(id string) {
		if !slices.ContainsFunc(e.facts, func(f *touchedFact) bool { return f.id == id }) {
			e.facts = append(e.facts, &touchedFact{id: id})
		}
	}
	for i := range e.gone {
		positions, err := e.view.About(e.gone[i].ID)
		if err != nil {
			return err
		}
		for _, seq := range positions {
			for c, err := range e.view.Changes(seq - 1) {
				if err != nil {
					return err
				}
				if c.Seq != seq {
					break
				}
				if c.Kind == store.Archived || c.Rule == dsl.RuleEdit {
					continue // of layer 2; of an edit, which stays undone
				}
				if c.Before != nil {
					did[c.Before.Ref()] = change{did[c.Before.Ref()].opened, true}
					note(c.Before.ID)
				}
				if c.After != nil {
					did[c.After.Ref()] = change{true, did[c.After.Ref()].closed}
					note(c.After.ID)
				}
			}
		}
	}
	for i := range e.gone {
		list, err := e.view.FactsByEvidence(e.gone[i].ID)
		if err != nil {
			return err
		}
		for _, f := range list {
			note(f.ID)
		}
	}
	for _, f := range e.facts {
		var err error
		if f.versions, err = e.view.Fact(f.id); err != nil {
			return fmt.Errorf("fact %s: %w", f.id, err)
		}
		for _, v := range f.versions {
			switch c := did[v.Ref()]; {
			case c.opened && !c.closed:
				f.made = append(f.made, v)
			case c.closed && !c.opened:
				f.ended = append(f.ended, v)
			}
		}
	}
	return nil
}

// alike tells whether two versions of a fact say the same value.
func alike(a, b *dsl.FactVersion) bool { return a.Dst == b.Dst && a.Relation == b.Relation }

// of gives the valid intervals of those versions that say the value of f.
func of(list []store.Version, f *dsl.FactVersion) []dsl.Interval {
	var out []dsl.Interval
	for i := range list {
		if alike(&list[i].FactVersion, f) {
			out = append(out, list[i].Valid)
		}
	}
	return out
}

// gained gives when the fact has the value of v because of the turns.
func (f *touchedFact) gained(v *dsl.FactVersion) []dsl.Interval {
	return without(of(f.made, v), of(f.ended, v))
}

// lost gives when the fact has not the value of v, which they ended, because of
// the turns; what an edit has given back already is left out.
func (f *touchedFact) lost(v *store.Version) []dsl.Interval {
	out := subtract(v.Valid, of(f.made, &v.FactVersion))
	for i := range f.versions {
		w := &f.versions[i]
		if w.Rule == dsl.RuleEdit && w.Opened > v.Closed && alike(&w.FactVersion, &v.FactVersion) {
			out = without(out, []dsl.Interval{w.Valid})
		}
	}
	return out
}

// witnesses gives the turns among a version's evidence that say its value, the
// gone ones left out, and the confidence that they give it. A fact that was
// written directly needs none: byHand.
func (e *edit) witnesses(f *touchedFact, v *store.Version) (turns []string, confidence float64, byHand bool, err error) {
	root := v
	for i := range f.versions {
		w := &f.versions[i]
		if w.Version > v.Version || !alike(&w.FactVersion, &v.FactVersion) {
			continue
		}
		if w.Rule == "" || root == v { // the first, or one written directly since
			root = w
		}
	}
	byHand = root.Rule == ""
	stated := byHand
	for _, t := range v.Evidence {
		if e.isGone(t) {
			continue
		}
		c, linked, err := e.view.Witness(t, f.id)
		if err != nil {
			return nil, 0, false, err
		}
		switch {
		case linked && c == 0, !linked && f.onlyEnds(t, v):
			continue // it says why the version ends, not that it holds
		case linked:
			confidence = dsl.FoldConfidence(confidence, c)
		default:
			stated = true
		}
		turns = append(turns, t)
	}
	if stated {
		confidence = dsl.FoldConfidence(confidence, root.Stated)
	}
	return turns, confidence, byHand, nil
}

// onlyEnds tells whether a turn came to a version's evidence by cutting the
// version before it.
func (f *touchedFact) onlyEnds(turn string, v *store.Version) bool {
	for i := range f.versions {
		w := &f.versions[i]
		if w.Version > v.Version || !slices.Contains(w.Evidence, turn) {
			continue
		}
		return w.Turn == turn && slices.ContainsFunc(f.versions[:i], func(x store.Version) bool {
			return x.CloseTurn == turn && alike(&x.FactVersion, &w.FactVersion) && !slices.Contains(x.Evidence, turn)
		})
	}
	return false
}

// withdraw takes the evidence of the turns away from a fact, and with it the
// versions that nobody else says.
func (e *edit) withdraw(f *touchedFact) error {
	var unlink []string
	left := -1.0
	for i := range f.versions {
		v := &f.versions[i]
		if v.Status == dsl.StatusClosed {
			continue
		}
		now := e.withLinks(v.FactVersion)
		about := slices.DeleteFunc(slices.Clone(now.Evidence), func(t string) bool { return !e.isGone(t) })
		if len(about) == 0 {
			continue
		}
		turns, confidence, byHand, err := e.witnesses(f, v)
		if err != nil {
			return err
		}
		adopted := false
		for _, l := range e.linked[f.id] {
			if l.turn == e.turn && l.confidence > 0 && !l.retract {
				adopted, confidence = true, dsl.FoldConfidence(confidence, l.confidence)
			}
		}
		said := slices.ContainsFunc(about, func(t string) bool { return !f.onlyEnds(t, v) })
		if said && len(turns) == 0 && !byHand && !adopted {
			cuts := f.gained(&v.FactVersion)
			if len(cuts) == 0 {
				cuts = []dsl.Interval{v.Valid}
			}
			if err := e.remove(now, cuts); err != nil {
				return err
			}
			if len(subtract(v.Valid, cuts)) == 0 {
				continue
			}
		}
		for _, t := range about {
			if !slices.Contains(unlink, t) {
				unlink = append(unlink, t)
			}
		}
		if said && confidence > 0 {
			left = max(left, confidence)
		}
	}
	for _, t := range unlink {
		l := evidence{turn: t, retract: true}
		if left > 0 {
			l.confidence = left
		}
		e.support(f.id, l, dsl.Op{Reason: dsl.Plain(e.why + ", which was evidence of this")})
	}
	return nil
}

// remove takes away what only the turns that are gone said.
func (e *edit) remove(v dsl.FactVersion, cuts []dsl.Interval) error {
	why := fmt.Sprintf("%s, the only one that said %s %s %s in %s", e.why, v.SrcName, v.Rel, v.DstName, list(cuts))
	rest := subtract(v.Valid, cuts)
	if len(rest) == 0 {
		e.retract(v, "", []string{e.turn}, "", why)
		return nil
	}
	next := v
	next.Valid = rest[0]
	if err := e.succeed(v, next, "", why); err != nil {
		return err
	}
	for _, iv := range rest[1:] {
		next.Valid = iv
		if err := e.open(next, "", why); err != nil {
			return err
		}
	}
	return nil
}

// giveBack lets a fact hold again where only the turns that are gone ended it,
// and nobody has said anything else since.
func (e *edit) giveBack(f *touchedFact) error {
	for i := range f.ended {
		v := &f.ended[i]
		for _, lost := range f.lost(v) {
			ok, err := e.continues(f, v, lost)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			held, err := e.held(&v.FactVersion)
			if err != nil {
				return err
			}
			for _, iv := range subtract(lost, held) {
				if err := e.restore(f, &v.FactVersion, iv); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// continues tells whether what is left of a version that was cut still ends where
// it was cut; nothing need be left of one that was taken whole.
func (e *edit) continues(f *touchedFact, v *store.Version, lost dsl.Interval) (bool, error) {
	if lost == v.Valid {
		return true, nil
	}
	now, err := e.versions(f.id)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(now, func(w dsl.FactVersion) bool {
		return w.Status != dsl.StatusClosed && alike(&w, &v.FactVersion) && (w.Valid.End == lost.Start || w.Valid.Start == lost.End)
	}), nil
}

// held gives when something is believed that a version cannot hold beside: other
// values of a functional relation, the same value or its opposite of others; and
// the fact itself.
func (e *edit) held(v *dsl.FactVersion) ([]dsl.Interval, error) {
	srcs, err := e.group(v.Src)
	if err != nil {
		return nil, err
	}
	values, err := e.group(v.Dst)
	if err != nil {
		return nil, err
	}
	only := values
	if e.registry.Functional(v.Rel) {
		only = nil
	}
	list, err := e.believed(srcs, v.Rel, only)
	if err != nil {
		return nil, err
	}
	for _, rel := range e.registry.Opposites(v.Rel) {
		dsts := values
		if kind := e.registry.DstKind(rel); kind != v.DstKind {
			n, err := e.named(kind, v.DstName)
			if err != nil {
				return nil, err
			}
			dsts = []string{n.ID}
		}
		more, err := e.believed(srcs, rel, dsts)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	own, err := e.versions(v.ID)
	if err != nil {
		return nil, err
	}
	for _, f := range own {
		if f.Status != dsl.StatusClosed {
			list = append(list, f)
		}
	}
	return intervals(list), nil
}

// restore lets a fact have a value in an interval again: by a version that
// reaches further where one borders on it, else by another version.
func (e *edit) restore(f *touchedFact, v *dsl.FactVersion, iv dsl.Interval) error {
	why := fmt.Sprintf("%s, which had ended %s %s %s in %s", e.why, v.SrcName, v.Rel, v.DstName, iv)
	now, err := e.versions(f.id)
	if err != nil {
		return err
	}
	for _, w := range now {
		if w.Status == dsl.StatusClosed || !alike(&w, v) {
			continue
		}
		next := w
		switch {
		case w.Valid.End == iv.Start:
			next.Valid.End = iv.End
		case w.Valid.Start == iv.End:
			next.Valid.Start = iv.Start
		default:
			continue
		}
		return e.succeed(w, next, "", why)
	}
	next := *v
	next.Valid = iv
	next.Evidence = slices.DeleteFunc(slices.Clone(v.Evidence), e.isGone)
	return e.open(next, "", why)
}

// adopt finds the candidates that say what the replaced turn said: what it made
// gets the new turn as evidence, what it ended stays ended.
func (e *edit) adopt(old *store.Turn, wmMin float64) error {
	for i := range e.ds {
		d := &e.ds[i]
		if d.c.Confidence < wmMin {
			continue
		}
		first := len(e.ops)
		var same []dsl.FactVersion
		var err error
		if d.c.Change == dsl.End || d.c.Polarity == dsl.Negative {
			same, err = e.keepEnded(d, old)
		} else {
			same, err = e.keepMade(d, old)
		}
		if err != nil {
			return err
		}
		if len(same) == 0 {
			continue
		}
		if err := d.settle(dsl.Skip, RuleSame, "%s was said by turn %q too, which turn %q replaces; it stands for %s", d.value(), old.ID, e.turn, span(same)); err != nil {
			return err
		}
		for o := first; o < len(e.ops); o++ {
			d.decision.Operations = append(d.decision.Operations, o)
		}
	}
	return nil
}

// keepMade makes the new turn a witness of what the old one made of the
// candidate's value, where both speak of the same time.
func (e *edit) keepMade(d *decider, old *store.Turn) (same []dsl.FactVersion, err error) {
	begins := false
	var in []*touchedFact
	for _, f := range e.facts {
		for i := range f.made {
			m := &f.made[i]
			is, err := d.says(&m.FactVersion)
			if err != nil {
				return nil, err
			}
			corrected := d.c.Change == dsl.Correct && strings.HasPrefix(m.Rule, "correct/")
			switch {
			case !is:
				continue
			case d.c.Valid == nil && (m.Valid.Start == old.TS || corrected),
				d.c.Valid != nil && m.Valid.Start == d.c.Valid.Start && covers(*d.c.Valid, m.Valid):
				begins = true
			case d.c.Valid != nil && !covers(*d.c.Valid, m.Valid), d.c.Valid == nil && m.Valid.Start < old.TS:
				continue
			}
			if !slices.Contains(in, f) {
				in = append(in, f)
			}
		}
	}
	if !begins {
		return nil, nil
	}
	for _, f := range in {
		open := slices.DeleteFunc(slices.Clone(f.versions), func(v store.Version) bool {
			return v.Status == dsl.StatusClosed || len(of(f.made, &v.FactVersion)) == 0
		})
		if len(open) == 0 {
			continue // others have ended it since
		}
		for i := range open {
			same = append(same, open[i].FactVersion)
		}
		d.read(same)
		e.support(f.id, evidence{turn: e.turn, confidence: d.c.Confidence},
			dsl.Op{Source: d.c.Source, Reason: dsl.Plain(e.why + " and says it too")})
	}
	return same, nil
}

// keepEnded lets what the old turn ended stay ended, where the candidate ends it
// at the same time.
func (e *edit) keepEnded(d *decider, old *store.Turn) (same []dsl.FactVersion, err error) {
	for _, f := range e.facts {
		kept := f.ended[:0:0]
		for i := range f.ended {
			v := &f.ended[i]
			is, err := d.means(&v.FactVersion)
			if err != nil {
				return nil, err
			}
			at := v.Valid.Start
			if lost := f.lost(v); len(lost) > 0 {
				at = lost[0].Start
			}
			told := old.TS
			switch {
			case d.c.Change == dsl.End && d.c.Valid != nil:
				told = d.ending()
			case d.c.Valid != nil:
				told = d.c.Valid.Start
			case d.c.Change == dsl.Correct:
				told = at // it takes over the interval of what it withdraws
			}
			ends := strings.HasPrefix(v.CloseRule, "end/") || strings.HasPrefix(v.CloseRule, "deny/") || v.CloseRule == RuleCorrectDeny
			if !is || !ends || at != told && !(at == v.Valid.Start && told <= at) {
				kept = append(kept, *v)
				continue
			}
			same = append(same, v.FactVersion)
		}
		if len(kept) < len(f.ended) {
			f.ended = kept
			// It says why the fact ends and is no witness of it: confidence 0.
			e.support(f.id, evidence{turn: e.turn}, dsl.Op{Source: d.c.Source, Reason: dsl.Plain(e.why + " and ends it too")})
		}
	}
	d.read(same)
	return same, nil
}

// says tells whether a version is about the candidate's subject, relation and
// value.
func (d *decider) says(f *dsl.FactVersion) (bool, error) {
	if f.Rel != d.rel || !slices.Contains(d.srcs, f.Src) {
		return false, nil
	}
	return d.sameValue(f)
}

// means is says for an ending or a denial, which may leave the relation's name
// open.
func (d *decider) means(f *dsl.FactVersion) (bool, error) {
	if f.Rel == d.rel && d.relation == "" {
		if slices.Contains(d.srcs, f.Src) && slices.Contains(d.dsts, f.Dst) {
			return true, nil
		}
	}
	if is, err := d.says(f); is || err != nil {
		return is, err
	}
	return d.wordedAs(f)
}
