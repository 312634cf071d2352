package eval

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

// valueFate is what became of one value that the data says is superseded or
// deleted. The stages of METRICS.md.
type valueFate struct {
	space  string
	change ValueChange
	// stated: an earlier session adds the value and a turn of it says it.
	// changeStated: a turn of the changing session says the value.
	stated, changeStated bool
	// extracted: a candidate of the stating session says the value. changeExtracted:
	// one of the changing session ends, denies, corrects or contradicts it.
	extracted, changeExtracted bool
	// asserted: the head asserted it just before the changing session.
	asserted bool
	// again: a later session states the value anew, or the same words of another
	// slot, so that the head may assert it.
	again bool
	// after: the view just after the changing session asserts it; head: the head at
	// the end does.
	after, head bool
	// recorded: the whole log's view at the earlier time, asked for as recorded,
	// gives it as it was asserted then.
	recorded bool
	// found: a search of facts at the earlier time finds it. leftover: one at the
	// head still does.
	found, leftover bool

	// statedIn are the sessions that state the value.
	statedIn []string
	// before is the last position before the changing session; was are the
	// assertions that the head had then.
	before dsl.Seq
	was    []dsl.FactVersion
}

// valueFates are the values of a space under way.
type valueFates struct {
	a    analyze.Analyzer
	list []*valueFate
}

// newFates finds the values that are superseded or deleted, and whether they
// were stated.
func (s *spaceRun) newFates() *valueFates {
	f := &valueFates{}
	if s.dialogue.Persona == nil {
		return f
	}
	changes := s.dialogue.Persona.Changes
	for i, c := range changes {
		if c.Kind == ValueAdded || c.Old.Text == "" {
			continue
		}
		x := &valueFate{space: s.dialogue.Space, change: c}
		for _, d := range changes[:i] {
			if d.Kind != ValueDeleted && d.sameValue(d.New, &c) && s.says(f, d.Session, c.phrase()) {
				x.stated = true
				x.statedIn = append(x.statedIn, d.Session)
			}
		}
		x.changeStated = s.says(f, c.Session, c.phrase())
		for _, d := range changes[i+1:] {
			x.again = x.again || d.Kind != ValueDeleted && (d.sameValue(d.New, &c) || d.sameWords(&c))
		}
		f.list = append(f.list, x)
	}
	return f
}

// sameValue tells whether v, a value of the change's slot, is the old value of
// another change.
func (c *ValueChange) sameValue(v Value, of *ValueChange) bool {
	if c.Class != of.Class || !strings.EqualFold(c.Slot, of.Slot) {
		return false
	}
	// The dates of Memora's events are relative to a day, and the turns say them in
	// other words: an event is the same by its name.
	return c.Class == "event" || strings.EqualFold(v.Text, of.Old.Text) && v.Dislike == of.Old.Dislike
}

// sameWords tells whether a change states, of another slot, what the old value of
// another says: a fact does not tell of which slot it is ("Mediterranean", a climate
// and a region).
func (c *ValueChange) sameWords(of *ValueChange) bool {
	return c.Class == of.Class && c.Class == "preference" && strings.EqualFold(c.New.Text, of.Old.Text) && c.New.Dislike == of.Old.Dislike
}

// phrase gives the words by which the old value is recognised in a text.
func (c *ValueChange) phrase() string {
	if c.Class == "event" {
		return c.Slot
	}
	return c.Old.Text
}

// says tells whether a turn of the user in the session holds all words of a
// phrase that say something.
func (s *spaceRun) says(f *valueFates, session, phrase string) bool {
	for i := range s.dialogue.Turns {
		t := &s.dialogue.Turns[i]
		if t.Session == session && t.Speaker.String() != assistant && f.holds(t.Text.String(), phrase) {
			return true
		}
	}
	return false
}

// assistant is how Memora names who does not state memories.
const assistant = "ai_agent"

// holds tells whether a text holds every term of a phrase that is no stop word.
func (f *valueFates) holds(text, phrase string) bool {
	want := contentTerms(&f.a, fullDecades(phrase))
	if len(want) == 0 {
		return false
	}
	have := contentTerms(&f.a, fullDecades(text))
	for t := range want {
		if !have[t] {
			return false
		}
	}
	return true
}

// shortDecade is a decade without its century: "the 80s", "the '80s".
var shortDecade = regexp.MustCompile(`(^|[^0-9])['’]?([2-9]0)s\b`)

// fullDecades writes the decades of a text as the data spells them: the 1980s.
func fullDecades(text string) string { return shortDecade.ReplaceAllString(text, "${1}19${2}s") }

// asserts gives the facts of a view that assert the old value of a change now,
// at the view's record time.
func (f *valueFates) asserts(v *asof.View, c *ValueChange) ([]dsl.FactVersion, error) {
	now := v.Basis().Time
	var out []dsl.FactVersion
	for x, err := range v.Facts(store.FactQuery{Valid: &now}) {
		if err != nil {
			return nil, err
		}
		if f.asserted(&x, c) {
			out = append(out, x)
		}
	}
	return out, nil
}

// asserted tells whether a fact says the old value.
func (f *valueFates) asserted(x *dsl.FactVersion, c *ValueChange) bool {
	switch c.Class {
	case "preference":
		return x.SrcName.String() != assistant && stance(x.Rel, c.Old.Dislike) && f.holds(x.DstName.String(), c.Old.Text)
	case "event":
		return f.holds(x.SrcName.String(), c.Slot) || f.holds(x.DstName.String(), c.Slot)
	}
	return f.holds(x.DstName.String(), c.Old.Text) || f.holds(x.SrcName.String(), c.Old.Text)
}

// stance tells whether a predicate says that someone likes something, or dislikes
// it.
func stance(rel string, dislike bool) bool {
	if dislike {
		return rel == "dislikes"
	}
	return rel == "likes" || strings.HasPrefix(rel, "prefers.")
}

// before asks the head what it asserts of the values that a session is about to
// change.
func (s *spaceRun) before(p *sessionPart, f *valueFates) error {
	return s.atHead(p, f, func(v *asof.View, x *valueFate) (err error) {
		x.was, err = f.asserts(v, &x.change)
		x.asserted, x.before = len(x.was) > 0, v.Basis().Seq
		return err
	})
}

// after asks again once the session was taken in.
func (s *spaceRun) after(p *sessionPart, f *valueFates) error {
	return s.atHead(p, f, func(v *asof.View, x *valueFate) error {
		now, err := f.asserts(v, &x.change)
		x.after = stillAsserts(x, now)
		return err
	})
}

// stillAsserts tells whether what a view asserts is the old value. An event that
// was put off still has its name; only its time tells.
func stillAsserts(x *valueFate, now []dsl.FactVersion) bool {
	if x.change.Class != "event" || x.change.Kind == ValueDeleted {
		return len(now) > 0
	}
	return slices.ContainsFunc(now, func(n dsl.FactVersion) bool {
		return slices.ContainsFunc(x.was, func(w dsl.FactVersion) bool { return w.Src == n.Src && w.Rel == n.Rel && w.Dst == n.Dst })
	})
}

// atHead calls do for every value that a session changes.
func (s *spaceRun) atHead(p *sessionPart, f *valueFates, do func(*asof.View, *valueFate) error) (err error) {
	var v *asof.View
	defer func() {
		if v != nil {
			err = errors.Join(err, v.Close())
		}
	}()
	for _, x := range f.list {
		if x.change.Session != p.session {
			continue
		}
		if v == nil {
			if v, err = s.db.View(s.dialogue.Space, asof.At{}); err != nil {
				return err
			}
		}
		if err := do(v, x); err != nil {
			return err
		}
	}
	return nil
}

// finishValues asks what needs the whole log, and hands the fates on.
func (s *spaceRun) finishValues(ctx context.Context, f *valueFates) error {
	for _, x := range f.list {
		x.extracted = s.proposes(f, x, x.statedIn, false)
		x.changeExtracted = s.proposes(f, x, []string{x.change.Session}, true)
		now, err := s.askValue(ctx, f, x, s.head(), &x.leftover)
		if err != nil {
			return err
		}
		x.head = stillAsserts(x, now)
		then, err := s.askValue(ctx, f, x, x.before, &x.found)
		if err != nil {
			return err
		}
		x.recorded = x.asserted && slices.EqualFunc(x.was, then, func(a, b dsl.FactVersion) bool {
			return a.ID == b.ID && a.Version == b.Version && a.Valid == b.Valid
		})
		s.values = append(s.values, *x)
	}
	return nil
}

// askValue gives the assertions of the value in the view at a position, and
// whether a search of its facts finds one of them.
func (s *spaceRun) askValue(ctx context.Context, f *valueFates, x *valueFate, at dsl.Seq, found *bool) (list []dsl.FactVersion, err error) {
	v, err := s.view(at)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.View.Close()) }()
	if list, err = f.asserts(v, &x.change); err != nil {
		return nil, err
	}
	r, err := v.Search(ctx, asof.SearchQuery{Text: x.change.phrase(), K: 10, Kinds: []retrieval.Kind{retrieval.Fact}, View: retrieval.AsWas})
	if err != nil {
		return nil, err
	}
	for _, h := range r.Hits {
		*found = *found || slices.ContainsFunc(list, func(a dsl.FactVersion) bool {
			return a.ID == h.ID && (x.before == at || stillAsserts(x, []dsl.FactVersion{a}))
		})
	}
	return list, nil
}

// proposes tells whether a candidate of one of the sessions says the old value,
// or, for its change, ends it, denies it, corrects it or says the opposite.
func (s *spaceRun) proposes(f *valueFates, x *valueFate, sessions []string, change bool) bool {
	for _, tx := range s.txs {
		if len(tx.Candidates) == 0 || !slices.Contains(sessions, s.sessionOf(tx.Seq)) {
			continue
		}
		for i := range tx.Candidates {
			c := &tx.Candidates[i]
			fact := dsl.FactVersion{SrcName: c.Src, DstName: c.Dst, Rel: c.Rel}
			against := c.Change != dsl.Assert || c.Polarity == dsl.Negative
			switch {
			case !change:
				if !against && f.asserted(&fact, &x.change) {
					return true
				}
			case against && (f.asserted(&fact, &x.change) || f.holds(c.Corrects.String(), x.change.phrase())):
				return true
			case x.change.Class == "preference":
				opposite := x.change
				opposite.Old.Dislike = !opposite.Old.Dislike
				if !against && f.asserted(&fact, &opposite) {
					return true
				}
			case x.change.Class == "event" && x.change.Kind == ValueUpdated && !against && f.asserted(&fact, &x.change):
				return true
			}
		}
	}
	return false
}
