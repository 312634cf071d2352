package events

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// builder is the work on one transaction.
type builder struct {
	*overlay
	opt      *Options
	analyzer analyze.Analyzer
	out      Output
	// drafts are the events that get a version, in the order they get it; byID
	// finds those that are there already.
	drafts []*draft
	byID   map[string]*draft
	// events caches the last versions of events in the view, born where their first
	// versions were opened.
	events map[string]*dsl.Event
	born   map[string]dsl.Seq
}

// draft is an event that gets a version.
type draft struct {
	// old is the last version, nil for a new event.
	old *dsl.Event
	// changes are what the transaction says that the event tells of.
	changes []Change
	// includes are the facts, in order of first appearance.
	includes []string
	// people are the speakers and listeners.
	people []dsl.Participant
	// cover are the turns of a summary's evidence, nil for other drafts.
	cover []string
	// source tells the language of a summary.
	source language
	// corrected tells that a fact of it was put right.
	corrected bool
	// says tells that it rests on the turn of the transaction.
	says bool
	// writes are the writes that it carries; into is what took it in, taken are the
	// events that it took in.
	writes []int
	into   *draft
	taken  []*dsl.Event
	// id is set by emit.
	id     string
	reason string
}

func newBuilder(view store.View, in *Input, opt *Options) *builder {
	b := &builder{overlay: newOverlay(view, in), opt: opt, byID: map[string]*draft{}, events: map[string]*dsl.Event{}, born: map[string]dsl.Seq{}}
	b.out.Writes = make([]int, len(in.Writes))
	for i := range b.out.Writes {
		b.out.Writes[i] = -1
	}
	return b
}

// event gives the last version of an event in the view.
func (b *builder) event(id string) (*dsl.Event, error) {
	if e, ok := b.events[id]; ok {
		return e, nil
	}
	list, err := b.view.Event(id)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", id, err)
	}
	e := &list[len(list)-1]
	b.events[id], b.born[id] = e, list[0].Opened
	return e, nil
}

// revise gives the draft of an event that is there.
func (b *builder) revise(e *dsl.Event) *draft {
	if d, ok := b.byID[e.ID]; ok {
		return d
	}
	d := b.draftOf(e)
	b.drafts, b.byID[e.ID] = append(b.drafts, d), d
	return d
}

// draftOf gives the draft of an event as it is.
func (b *builder) draftOf(e *dsl.Event) *draft {
	d := &draft{id: e.ID, old: e, includes: slices.Clone(e.Includes), source: languageOf(e.Summary.String())}
	for _, p := range e.Participants {
		if r := p.Role.String(); r == Speaker || r == Listener {
			d.people = append(d.people, p)
		}
	}
	return d
}

// writes makes a draft of each write.
func (b *builder) writes() error {
	for i := range b.in.Writes {
		d, err := b.write(&b.in.Writes[i])
		if err != nil {
			return fmt.Errorf("write %d: %w", i, err)
		}
		if d == nil {
			continue
		}
		if c, err := b.content(d); err != nil {
			return fmt.Errorf("write %d: %w", i, err)
		} else if c.status == Retired {
			continue
		}
		d.writes = append(d.writes, i)
		if b.opt.Merge {
			into, err := b.join(d)
			if err != nil {
				return fmt.Errorf("write %d: %w", i, err)
			}
			if into != nil {
				into.reason = "merged with what tells of the same: " + d.reason
				continue
			}
		}
		b.drafts = append(b.drafts, d)
	}
	return nil
}

// write makes a draft; nil if there is nothing to tell.
func (b *builder) write(w *Write) (*draft, error) {
	d := &draft{reason: w.Trigger}
	switch w.Trigger {
	case Strong, Salience, Backfill:
		d.says = true
		for _, c := range w.Changes {
			if unsaid, err := b.unsaid(&c); err != nil || unsaid {
				if err != nil {
					return nil, err
				}
				continue
			}
			d.changes = append(d.changes, c)
			d.corrected = d.corrected || c.Action == dsl.RetroCorrect
			for _, f := range []*dsl.FactVersion{c.Before, c.After} {
				if f != nil && !slices.Contains(d.includes, f.ID) {
					d.includes = append(d.includes, f.ID)
				}
			}
		}
		d.source = languageOf(b.in.Turn.Text.String())
		if err := b.present(d, &b.in.Turn); err != nil {
			return nil, err
		}
	default:
		if err := b.sumUp(d, w); err != nil {
			return nil, err
		}
	}
	if len(d.includes) == 0 {
		return nil, nil
	}
	return d, nil
}

// unsaid tells whether a change only takes back what the transaction itself or an
// edited turn had said: nothing is told of that, for the telling would outlive its
// evidence.
func (b *builder) unsaid(c *Change) (bool, error) {
	if c.After != nil {
		return false, nil
	}
	if b.in.Turn.Replaces != "" && !slices.ContainsFunc(c.Before.Evidence, func(t string) bool { return t != b.in.Turn.Replaces }) {
		return true, nil
	}
	list, err := b.versions(c.Before.ID)
	return slices.ContainsFunc(list, func(f dsl.FactVersion) bool { return f.Version == c.Before.Version && f.Opened == b.in.Seq }), err
}

// present adds the speaker and the listener of a turn.
func (b *builder) present(d *draft, t *dsl.Turn) error {
	for _, p := range []struct {
		name dsl.Text
		role string
	}{{t.Speaker, Speaker}, {t.Listener, Listener}} {
		name, err := p.name.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", p.role, err)
		}
		if name == "" {
			continue
		}
		n := dsl.Node{ID: dsl.NodeID(b.in.Space, dsl.Entity, name), Kind: dsl.Entity, Name: p.name}
		if who := (dsl.Participant{Entity: n.ID, Role: dsl.Plain(p.role)}); !slices.Contains(d.people, who) {
			d.people = append(d.people, who)
		}
		_, ok, err := b.node(n.ID)
		if err != nil {
			return err
		}
		if !ok {
			b.nodes[n.ID] = n
			b.out.Nodes = append(b.out.Nodes, n)
		}
	}
	return nil
}

// sumUp makes a summary of facts: those that stand, and the fewest turns that
// support them all.
func (b *builder) sumUp(d *draft, w *Write) error {
	var facts []*dsl.FactVersion
	for i := range w.Facts {
		f, err := b.standing(w.Facts[i].ID)
		if err != nil {
			return err
		}
		if f != nil && !slices.Contains(d.includes, f.ID) {
			d.includes = append(d.includes, f.ID)
			facts = append(facts, f)
		}
	}
	var turns []string
	byID := map[string]*dsl.Turn{}
	for i := range w.Turns {
		turns = append(turns, w.Turns[i].ID)
		byID[w.Turns[i].ID] = &w.Turns[i]
	}
	d.cover = cover(facts, turns)
	text := ""
	for _, id := range d.cover {
		t := byID[id]
		if t == nil {
			var err error
			if t, err = b.turn(id); err != nil {
				return err
			}
		}
		if t == nil {
			continue
		}
		text += t.Text.String()
		if err := b.present(d, t); err != nil {
			return err
		}
	}
	d.source = languageOf(text)
	return nil
}

// cover gives few turns such that each fact has one as evidence: again and again
// the turn that supports most of the facts that have none yet, the first of
// equals. A fact that none of the turns supports adds the first of its own.
func cover(facts []*dsl.FactVersion, turns []string) []string {
	out := []string{}
	left := slices.Clone(facts)
	for len(left) > 0 {
		best, most := "", 0
		for _, t := range turns {
			n := 0
			for _, f := range left {
				if slices.Contains(f.Evidence, t) {
					n++
				}
			}
			if n > most {
				best, most = t, n
			}
		}
		if most == 0 {
			for _, f := range left {
				if len(f.Evidence) > 0 && !slices.Contains(out, f.Evidence[0]) {
					out = append(out, f.Evidence[0])
				}
			}
			return out
		}
		out = append(out, best)
		left = slices.DeleteFunc(left, func(f *dsl.FactVersion) bool { return slices.Contains(f.Evidence, best) })
	}
	return out
}

// content is what a version of an event says.
type content struct {
	summary      string
	span         dsl.Interval
	participants []dsl.Participant
	evidence     []string
	status       string
	facts        []dsl.FactVersion
}

// content makes a draft's content from what stands after the transaction.
func (b *builder) content(d *draft) (c content, err error) {
	stands := map[string]*dsl.FactVersion{}
	var standing []*dsl.FactVersion
	for _, id := range d.includes {
		f, err := b.standing(id)
		if err != nil {
			return c, err
		}
		if f != nil {
			stands[id] = f
			standing = append(standing, f)
			c.facts = append(c.facts, *f)
		}
	}
	clauses, ended, err := b.clauses(d, standing, stands)
	if err != nil {
		return c, err
	}
	c.summary = join(clauses, d.source, b.opt.Words)
	if c.span, err = b.span(b.timed(d, standing, stands)); err != nil {
		return c, err
	}
	if len(clauses) == 0 && d.old != nil {
		c.span = d.old.Span
	}
	if c.participants, err = b.participants(d, standing); err != nil {
		return c, err
	}
	if c.evidence, err = b.evidence(d, standing); err != nil {
		return c, err
	}
	switch {
	case len(clauses) == 0:
		c.status = Retired
	case d.corrected:
		c.status = Corrected
	case ended:
		c.status = Ended
	case c.span.Start > b.now():
		c.status = Planned
	default:
		c.status = Occurred
	}
	return c, nil
}

// clauses tells of the changes, then of the facts that they do not speak of.
// ended tells whether all of it has ended.
func (b *builder) clauses(d *draft, standing []*dsl.FactVersion, stands map[string]*dsl.FactVersion) (out []clause, ended bool, err error) {
	told := map[string]bool{}
	ended = true
	add := func(f, was *dsl.FactVersion, how telling) error {
		c, err := b.tell(f, was, how, d.source)
		if err == nil && !slices.Contains(out, c) {
			out = append(out, c)
		}
		ended = ended && (how == ends || how == leaves)
		return err
	}
	for i := range d.changes {
		c := &d.changes[i]
		f, was, how := c.After, (*dsl.FactVersion)(nil), asserts
		if f != nil {
			if open, err := b.open(f); err != nil || !open {
				if err != nil {
					return nil, false, err
				}
				continue // the transaction itself went on to change it
			}
		}
		switch {
		case c.After == nil && c.Action == dsl.Close && stands[c.Before.ID] != nil:
			f, how = stands[c.Before.ID], ends
		case c.After == nil && c.Action == dsl.Close:
			f, how = c.Before, leaves // it ended before it began
		case c.After == nil:
			f, how = c.Before, withdraws
		case c.Action == dsl.Close:
			how = ends
		case c.Before != nil && c.Before.Dst != c.After.Dst && c.Action == dsl.RetroCorrect:
			was, how = c.Before, corrects
		case c.Before != nil && c.Before.Dst != c.After.Dst:
			was, how = c.Before, replaces
		case c.After.Valid.End <= b.now():
			how = ends
		}
		if how == ends && f.Valid.End == b.now() {
			how = leaves
		}
		told[f.ID] = true
		if was != nil {
			told[was.ID] = true
		}
		if err := add(f, was, how); err != nil {
			return nil, false, err
		}
	}
	// What has one head comes together, so that it is said once.
	rest := slices.Clone(standing)
	first := map[string]int{}
	for i, f := range rest {
		for _, k := range []string{f.Src, f.Src + " " + f.Rel} {
			if _, ok := first[k]; !ok {
				first[k] = i
			}
		}
	}
	slices.SortStableFunc(rest, func(x, y *dsl.FactVersion) int {
		return cmp.Or(cmp.Compare(first[x.Src], first[y.Src]), cmp.Compare(first[x.Src+" "+x.Rel], first[y.Src+" "+y.Rel]))
	})
	for _, f := range rest {
		if told[f.ID] {
			continue
		}
		how := asserts
		if f.Valid.End <= b.now() {
			how = ends
		}
		if err := add(f, nil, how); err != nil {
			return nil, false, err
		}
	}
	return out, ended, nil
}

// timed gives the facts whose time is the event's: the new values of its changes;
// for an event that goes on those that have not ended; else all.
func (b *builder) timed(d *draft, standing []*dsl.FactVersion, stands map[string]*dsl.FactVersion) []*dsl.FactVersion {
	var out []*dsl.FactVersion
	for i := range d.changes {
		if d.old != nil {
			break
		}
		f := d.changes[i].After
		if f == nil {
			f = stands[d.changes[i].Before.ID]
		}
		if f != nil {
			out = append(out, f)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, f := range standing {
		if f.Valid.End > b.now() {
			out = append(out, f)
		}
	}
	if len(out) > 0 {
		return out
	}
	return standing
}

// roles are those of the values of predicates; other entities are objects.
var roles = map[string]string{
	"lives_in": Place, "scheduled_for.location": Place, "works_at": Organization, "studies_at": Organization,
}

func (b *builder) participants(d *draft, standing []*dsl.FactVersion) ([]dsl.Participant, error) {
	out := slices.Clone(d.people)
	add := func(id, role string) {
		if p := (dsl.Participant{Entity: id, Role: dsl.Plain(role)}); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	facts := standing
	if len(facts) == 0 { // a withdrawal is about the subject of what it withdraws
		for i := range d.changes {
			facts = append(facts, cmp.Or(d.changes[i].Before, d.changes[i].After))
		}
	}
	for _, f := range facts {
		add(f.Src, Subject)
	}
	for _, f := range standing {
		n, ok, err := b.node(f.Dst)
		if err != nil {
			return nil, err
		}
		if ok && n.Kind == dsl.Entity {
			add(f.Dst, cmp.Or(roles[f.Rel], Object))
		}
	}
	return out, nil
}

// evidence gives the turns that an event rests on: for each fact that stands all
// its evidence if the transaction touches it, else what the event had of it; and
// the turn of the transaction. A summary has the turns of its cover.
func (b *builder) evidence(d *draft, standing []*dsl.FactVersion) ([]string, error) {
	out := slices.Clone(d.cover)
	add := func(turns ...string) {
		for _, t := range turns {
			if t != "" && !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	told := map[string]bool{}
	for i := range d.changes {
		for _, f := range []*dsl.FactVersion{d.changes[i].Before, d.changes[i].After} {
			if f != nil {
				told[f.ID] = true
			}
		}
	}
	for _, f := range standing {
		switch {
		case told[f.ID] || d.cover == nil && b.changed(f.ID):
			add(f.Evidence...)
		case d.cover != nil && slices.ContainsFunc(d.cover, func(t string) bool { return slices.Contains(f.Evidence, t) }):
		default:
			some := false
			for _, t := range d.before() {
				if slices.Contains(f.Evidence, t) {
					add(t)
					some = true
				}
			}
			if !some && len(f.Evidence) > 0 {
				add(f.Evidence[0])
			}
		}
	}
	for i := range d.changes {
		if c := &d.changes[i]; c.After == nil {
			add(c.Before.Evidence...)
		}
	}
	if d.says {
		add(b.in.Turn.ID)
	}
	return out, nil
}

// before gives the evidence that the events had which are one now.
func (d *draft) before() (out []string) {
	if d.old != nil {
		out = union(out, d.old.Evidence)
	}
	for _, e := range d.taken {
		out = union(out, e.Evidence)
	}
	return out
}

// word lets the Summarizer word a summary.
func (b *builder) word(d *draft, version uint32, c *content) {
	if b.opt.Summarizer == nil || c.summary == "" {
		return
	}
	draft := Draft{ID: d.id, Version: version, Template: c.summary, Chinese: d.source == chinese, Turn: b.in.Turn,
		Facts: c.facts, Words: b.opt.Words}
	text, err := b.opt.Summarizer.Summarize(draft)
	if err == nil {
		err = checkSummary(text, &draft)
	}
	if err != nil {
		b.out.Fallbacks = append(b.out.Fallbacks, fmt.Errorf("summary of event %s version %d: %w", d.id, version, err))
		return
	}
	c.summary = text
}
