package pack

import (
	"cmp"
	"slices"
	"strings"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

const (
	// gentle is how many of the first turns lose no sentence that tells something.
	gentle = 5
	// firstShare and turnShare are the parts of the budget, as divisors, that one of
	// the first turns and any other may take.
	firstShare, turnShare = 4, 8
	// layerShare is the part of the budget, as a divisor, that facts and events may
	// take together.
	layerShare = 6
	// layerRank is how many of the first turns a fact or an event has to score as
	// well as, nearRank the rank from which on it has to share a word with the
	// question beside the names of those it is about.
	layerRank, nearRank = 5, 3
	// repeatShare is how many percent of what a turn tells a kept turn has to say
	// for it to be left out, repeatLeast how many words of it at least.
	repeatShare, repeatLeast = 90, 4
	// misfits is how many turns are tried after the first that did not fit.
	misfits = 16
)

// chosen is a turn that goes into the pack.
type chosen struct {
	*turnFound
	text string // what is left of it
	line string // with who says it
	// tokens are those of line, whole tells that enough of the turn is left, terms
	// are its telling words.
	tokens int
	whole  bool
	terms  map[string]bool
}

// selection is what was chosen so far.
type selection struct {
	f    *found
	opt  *Options
	shop *workshop
	left int // tokens

	turns   []chosen
	headers map[heading]bool
	facts   []*factFound
	events  []*eventFound
	// inside are the turns of which enough is inside.
	inside map[string]bool

	leftOut, repeated int
}

// shape is how a turn was shortened.
type shape struct {
	turn int
	deep bool
}

// workshop keeps shortened turns between the selections of one compilation.
type workshop struct {
	squeezer *squeezer
	made     map[shape]chosen
}

func (f *found) workshop(opt *Options) *workshop {
	w := &workshop{newSqueezer(opt.Search.Analyzer, f.query), map[shape]chosen{}}
	for i := range f.turns {
		w.squeezer.know(&f.turns[i].Turn.Turn)
	}
	return w
}

func (f *found) selection(opt *Options, shop *workshop, budget int) *selection {
	return &selection{f: f, opt: opt, shop: shop, left: budget, headers: map[heading]bool{}, inside: map[string]bool{}}
}

// compile chooses what goes into the pack and writes it.
func (f *found) compile(opt *Options) *Pack {
	// What the turns would be if they had the whole budget says which facts tell
	// something more.
	shop := f.workshop(opt)
	alone := f.selection(opt, shop, opt.Budget)
	alone.takeTurns()
	s := f.selection(opt, shop, opt.Budget)
	s.takeLayers(alone)
	s.takeTurns()
	if opt.Stats && s.leftOut > 0 {
		line := s.stats()
		again := f.selection(opt, shop, opt.Budget-assimilate.Tokens(line)-statsSlack)
		if again.left > 0 {
			again.takeLayers(alone)
			again.takeTurns()
			return again.pack(again.stats())
		}
	}
	return s.pack("")
}

// takeTurns takes turns, best first, while one fits.
func (s *selection) takeTurns() {
	tried := 0
	for i := range s.f.turns {
		t := &s.f.turns[i]
		if tried > misfits {
			s.leftOut++
			continue
		}
		c := s.shorten(i, len(s.turns) >= gentle)
		if c.line == "" || s.repeats(&c) {
			s.repeated++
			continue
		}
		head := headingOf(&t.Turn.Turn)
		cost := c.tokens
		if !s.headers[head] {
			cost += assimilate.Tokens(head.line())
		}
		if cost > s.left {
			s.leftOut++
			tried++
			continue
		}
		s.left -= cost
		s.headers[head] = true
		s.turns = append(s.turns, c)
		if c.whole {
			s.inside[t.ID] = true
		}
	}
}

// shorten squeezes a turn; its line is empty where nothing is left of it.
func (s *selection) shorten(i int, deep bool) chosen {
	if c, ok := s.shop.made[shape{i, deep}]; ok {
		return c
	}
	t := &s.f.turns[i]
	most := s.opt.Budget / firstShare
	if deep {
		most = s.opt.Budget / turnShare
	}
	short := s.shop.squeezer.squeeze(&t.Turn.Turn, deep, max(most, 1))
	c := chosen{turnFound: t, text: short.text, whole: short.whole}
	if short.text != "" {
		c.line = spoken(t.Speaker.String(), short.text)
		c.tokens = assimilate.Tokens(c.line)
		c.terms = map[string]bool{}
		for _, term := range s.opt.Search.Analyzer.Terms(nil, short.text) {
			if !phatic(term) {
				c.terms[term] = true
			}
		}
	}
	s.shop.made[shape{i, deep}] = c
	return c
}

// repeats tells whether a kept turn says what the turn says.
func (s *selection) repeats(c *chosen) bool {
	if len(c.terms) < repeatLeast {
		return false
	}
	for i := range s.turns {
		shared := 0
		for term := range c.terms {
			if s.turns[i].terms[term] {
				shared++
			}
		}
		if 100*shared >= repeatShare*len(c.terms) {
			return true
		}
	}
	return false
}

// layer is a fact or an event that may be taken.
type layer struct {
	fact  *factFound
	event *eventFound
	score float64
	rank  int
}

// takeLayers takes the events and facts that tell what the turns of another
// selection do not, and that rank among those turns.
func (s *selection) takeLayers(alone *selection) {
	floor := 0.0
	if n := len(alone.turns); n > 0 {
		floor = alone.turns[min(n-1, layerRank)].score
	}
	var list []layer
	for i := range s.f.facts {
		f := &s.f.facts[i]
		list = append(list, layer{fact: f, score: f.score, rank: f.rank})
	}
	for i := range s.f.events {
		e := &s.f.events[i]
		list = append(list, layer{event: e, score: e.score, rank: e.rank})
	}
	slices.SortFunc(list, func(x, y layer) int { return cmp.Compare(x.rank, y.rank) })
	room := s.left / layerShare
	known := map[string]bool{} // facts that are inside or that an event tells
	for _, x := range list {
		if x.score < floor {
			s.leftOut++
			continue
		}
		var line string
		if x.fact != nil {
			if known[x.fact.ID] || !tellsMore(x.fact, alone) || !s.near(x.rank, x.fact.SrcName.String(), factText(x.fact)) {
				s.repeated++
				continue
			}
			line = s.factLine(x.fact)
		} else {
			if !s.tellsMoreEvent(x.event, alone, known) || !s.near(x.rank, "", x.event.Summary.String()) {
				s.repeated++
				continue
			}
			line = s.eventLine(x.event)
		}
		cost := assimilate.Tokens(line)
		if cost > room {
			s.leftOut++
			continue
		}
		room, s.left = room-cost, s.left-cost
		if x.fact != nil {
			s.facts = append(s.facts, x.fact)
			known[x.fact.ID] = true
			continue
		}
		s.events = append(s.events, x.event)
		for _, id := range x.event.stand {
			known[id] = true
		}
	}
}

// near tells whether a fact or an event is about what is asked, and not only about
// whom: it ranks among the first, or shares a word with the question that is no
// part of a speaker's or its subject's name.
func (s *selection) near(rank int, subject, text string) bool {
	if rank <= nearRank {
		return true
	}
	a := s.opt.Search.Analyzer
	own := a.Terms(nil, subject)
	for _, t := range a.Terms(nil, text) {
		if s.shop.squeezer.asked[t] && !s.shop.squeezer.names[t] && !slices.Contains(own, t) {
			return true
		}
	}
	return false
}

// factText gives the text of a fact that it is found by.
func factText(f *factFound) string {
	return store.FactText(f.SrcName.String(), f.Rel, f.Relation.String(), f.DstName.String())
}

// tellsMore tells whether a fact says something that the turns inside do not: it
// rests on none of them, or its validity has an end, or begins at another time
// than the turn's.
func tellsMore(f *factFound, turns *selection) bool {
	if f.Valid.End != dsl.Forever {
		return true
	}
	for i := range turns.turns {
		t := &turns.turns[i]
		if turns.inside[t.ID] && slices.Contains(f.evidence, t.ID) {
			return f.Valid.Start != t.TS && f.Valid.Start != dsl.Beginning
		}
	}
	return true
}

// tellsMoreEvent tells whether an event says something that neither the turns
// inside nor the facts taken do.
func (s *selection) tellsMoreEvent(e *eventFound, turns *selection, known map[string]bool) bool {
	if e.Summary.String() == "" {
		return false
	}
	all := len(e.evidence) > 0
	for _, id := range e.evidence {
		all = all && turns.inside[id]
	}
	facts := len(e.stand) > 0
	for _, id := range e.stand {
		facts = facts && known[id]
	}
	return !all && !facts
}

// pack writes what was chosen.
func (s *selection) pack(stats string) *Pack {
	p := &Pack{Query: s.f.query, Lang: s.opt.Lang, Basis: s.opt.Basis, Result: s.f.result, Items: []Item{},
		Receipt: s.opt.receipt(len(s.f.result.Hits), s.leftOut, s.repeated)}
	if s.f.known {
		at := s.f.at
		p.At = &at
	}
	var lines []string
	for _, e := range s.events {
		it := s.eventItem(e)
		p.Items, lines = append(p.Items, it), append(lines, it.Text)
	}
	for _, f := range s.facts {
		it := s.factItem(f)
		p.Items, lines = append(p.Items, it), append(lines, it.Text)
	}
	slices.SortFunc(s.turns, func(x, y chosen) int { return cmp.Compare(x.Doc, y.Doc) })
	for from := 0; from < len(s.turns); {
		head := headingOf(&s.turns[from].Turn.Turn)
		if first := slices.IndexFunc(s.turns, func(c chosen) bool { return headingOf(&c.Turn.Turn) == head }); first < from {
			from++ // written with the first of its session and day
			continue
		}
		var group []chosen
		for _, c := range s.turns[from:] {
			if headingOf(&c.Turn.Turn) == head {
				group = append(group, c)
			}
		}
		lines = append(lines, head.line())
		for len(group) > 0 {
			n := 1
			for n < len(group) && group[n].Doc == group[n-1].Doc+1 {
				n++
			}
			it := s.turnItem(group[:n])
			p.Items, lines = append(p.Items, it), append(lines, it.Text)
			group = group[n:]
		}
		from++
	}
	if stats != "" {
		lines = append(lines, stats)
	}
	p.Text = strings.Join(lines, "\n")
	return p
}

// receipt says how a pack was made.
func (o *Options) receipt(candidates, leftOut, repeated int) Receipt {
	models := o.Models
	if models == nil {
		models = map[string]string{}
	}
	return Receipt{Version: Version, Config: o.Config, Models: models, Mode: o.Mode, Budget: o.Budget,
		Candidates: candidates, LeftOut: leftOut, Repeated: repeated}
}

// activeAt gives the instant of the pack if an interval holds it.
func (f *found) activeAt(v dsl.Interval) *dsl.Instant {
	if !f.known || !v.Contains(f.at) {
		return nil
	}
	at := f.at
	return &at
}

// eventItem makes the item of an event.
func (s *selection) eventItem(e *eventFound) Item {
	n := len(e.hold)
	return Item{Kind: retrieval.Event, ID: e.ID, Valid: e.Span, Record: e.Event.Record, ActiveAt: s.f.activeAt(e.Span), ActiveFacts: &n,
		Evidence: ordered(e.evidence), Rank: e.rank, Score: e.score, Text: s.eventLine(e)}
}

// factItem makes the item of a fact.
func (s *selection) factItem(f *factFound) Item {
	return Item{Kind: retrieval.Fact, ID: f.ID, Valid: f.Valid, Record: f.Record, ActiveAt: s.f.activeAt(f.Valid),
		Evidence: ordered(f.evidence), Rank: f.rank, Score: f.score, Text: s.factLine(f),
		Fact: &Triple{Src: f.SrcName.String(), Rel: f.Rel, Relation: f.Relation.String(), Dst: f.DstName.String(),
			Functional: s.opt.Registry.Functional(f.Rel), Confidence: f.Confidence}}
}

// turnItem makes the item of neighbouring turns.
func (s *selection) turnItem(run []chosen) Item {
	first := run[0]
	it := Item{Kind: retrieval.Turn, ID: first.ID, Session: first.Session, Rank: first.rank, Score: first.score, Evidence: []string{},
		Valid: dsl.Since(first.TS), Record: dsl.Since(first.Turn.Record)}
	var lines []string
	for i := range run {
		c := &run[i]
		it.Evidence = append(it.Evidence, c.ID)
		if !c.whole {
			it.Partial = append(it.Partial, c.ID)
		}
		if c.rank < it.Rank {
			it.Rank, it.Score = c.rank, c.score
		}
		it.Valid.Start, it.Record.Start = min(it.Valid.Start, c.TS), max(it.Record.Start, c.Turn.Record)
		it.Said = append(it.Said, Said{ID: c.ID, Speaker: c.Speaker.String(), At: c.TS, Zone: c.Zone, Text: c.text})
		lines = append(lines, c.line)
	}
	it.ActiveAt = s.f.activeAt(it.Valid)
	it.Text = strings.Join(lines, "\n")
	return it
}

// ordered gives a list that is never nil.
func ordered(ids []string) []string { return append([]string{}, ids...) }
