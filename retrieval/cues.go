package retrieval

import (
	"fmt"
	"math"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval/question"
	"github.com/asof-db/asof/store"
)

// Cues say what the reading of a question does to the order of what full text and
// vectors found. Each is a bounded raise or a change of share: none of them keeps
// anything out. The zero value is no cue.
type Cues struct {
	// Time raises what was said or held at the time that the question speaks of, by
	// up to 1 + Time, less the farther from it: 0 (off) to 10.
	Time float64
	// About is what the score of a turn is multiplied by whose speaker the question
	// speaks of or says something was said to: 1 to 10; 0 is what Speaker says.
	About float64
	// Kind raises turns that have what such an answer has to have: words of time
	// for "when", numbers for "how many". By 1 + Kind: 0 (off) to 10.
	Kind float64
	// Asking lowers turns that ask: by the share of the text that is questions, up
	// to 1 - Asking: 0 (off) to 1.
	Asking float64
	// Session is how much the session of a turn counts beside the turn, by what the
	// best turns of it are worth together: 0 (off) to 10.
	Session float64
	// Alias is what a term of another name of an entity that the question names
	// counts, 1 being what a term of the question does: 0 (off) to 1.
	Alias float64
	// Near is what a word of the space counts that means nearly what a word of the
	// question does, at most, 1 being what a term of the question does: 0 (off) to 1.
	Near float64
	// Fresh raises what is newer where the newest is asked for, and what is older
	// where the first is, by up to 1 + Fresh: 0 (off) to 10.
	Fresh float64
	// Parts looks for each of several questions in one text alone, and lets chat
	// around a question count little.
	Parts bool
	// Alone lets no turn stand in the context of another where one speaker alone
	// has spoken: notes answer no one.
	Alone bool
}

// DefaultCues are those that helped on more than one data set.
func DefaultCues() Cues {
	return Cues{Time: 1.5, About: 1.2, Kind: 0.3, Asking: 0.3, Session: 0.2, Alias: 0.5, Near: 0.4, Parts: true, Alone: true}
}

func (c *Cues) check() error {
	in := func(x, lo, hi float64) bool { return x >= lo && x <= hi }
	ok := in(c.Time, 0, 10) && (c.About == 0 || in(c.About, 1, 10)) && in(c.Kind, 0, 10) && in(c.Asking, 0, 1) &&
		in(c.Session, 0, 10) && in(c.Alias, 0, 1) && in(c.Near, 0, 1) && in(c.Fresh, 0, 10)
	if !ok {
		return fmt.Errorf("%w: cues are %+v, want asking, alias and near from 0 to 1, about 0 or from 1 to 10, the others from 0 to 10", dsl.ErrInvalid, *c)
	}
	return nil
}

// Cue is what one cue did to a hit.
type Cue struct {
	Name string
	// Factor is what the score was multiplied by, before all scores were brought
	// back to [0, 1].
	Factor float64
}

const (
	// cueDepth is how many of the best turns are read for what their text shows.
	cueDepth = 64
	// sessionTurns is how many of its turns speak for a session.
	sessionTurns = 5
	// asideWeight is the weight of a term that stands beside the question only.
	asideWeight = 0.3
	// early makes what was said before a time count as farther off than what was
	// said after it: one tells of what has happened.
	early = 1.5
	// dayLength is a day, in the unit of instants.
	dayLength = 24 * 3600 * 1e6
)

// reading is a question as it was read, and what that says of a document.
type reading struct {
	question.Analysis
	cues *Cues
	// done is what the cues did to the documents in question.
	done deeds
}

// A deed is what a cue does, in the order in which cues are applied.
type deed int

const (
	byTime deed = iota
	byAge
	byAsking
	byKind
	bySession
	byTurns
	numDeeds
)

var deedNames = [numDeeds]string{"time", "fresh", "asking", "kind", "session", "turns"}

// deeds are what cues multiplied the scores of documents by, 0 where they did nothing.
type deeds struct {
	docs    []int32 // in order
	factors [][numDeeds]float64
}

// begin is called with the documents in question.
func (d *deeds) begin(found []candidate) {
	d.docs, d.factors = make([]int32, len(found)), make([][numDeeds]float64, len(found))
	for i := range found {
		d.docs[i] = found[i].doc
	}
	slices.Sort(d.docs)
}

func (d *deeds) note(doc int32, what deed, factor float64) {
	if at, ok := slices.BinarySearch(d.docs, doc); ok {
		d.factors[at][what] = factor
	}
}

// of gives what the cues did to a document.
func (d *deeds) of(doc int32) (cues []Cue) {
	at, ok := slices.BinarySearch(d.docs, doc)
	if !ok {
		return nil
	}
	for what, factor := range d.factors[at] {
		if factor != 0 {
			cues = append(cues, Cue{deedNames[what], factor})
		}
	}
	return cues
}

// scored tells whether cues change the order of turns, facts and events.
func (r *reading) scored() bool {
	return r.timed() || r.cues.Kind > 0 && marked(r.Kind) || r.cues.Asking > 0 || r.cues.Session > 0 || r.cues.Fresh > 0 && r.Order != question.None
}

func (r *reading) timed() bool { return r.cues.Time > 0 && len(r.Times) > 0 }

// nearness gives how near an interval is to the time that the question speaks of,
// in (0, 1]: 1 within it.
func (r *reading) nearness(v dsl.Interval) float64 {
	least := math.Inf(1)
	for i := range r.Times {
		t := &r.Times[i].Interval
		width := float64(30 * dayLength)
		if t.Start != dsl.Beginning && t.End != dsl.Forever {
			width = min(max(float64(t.End-t.Start), float64(3*dayLength)), float64(400*dayLength))
		}
		off := 0.0
		switch {
		case v.End < t.Start:
			off = float64(early*float64(t.Start-v.End)) / width
		case v.Start >= t.End:
			off = float64(v.Start-t.End) / width
		}
		least = min(least, off)
	}
	return 1 / (1 + float64(2*least))
}

// most gives what the cues that look at one document multiply a score by at most.
func (r *reading) most() float64 {
	most := 1.0
	if r.timed() {
		most = float64(most * (1 + r.cues.Time))
	}
	if marked(r.Kind) {
		most = float64(most * (1 + r.cues.Kind))
	}
	if r.Order != question.None {
		most = float64(most * (1 + r.cues.Fresh))
	}
	return most
}

// raiseTurns gives the scores of turns, best first, what the cues make of them.
func (s *searcher) raiseTurns(found []candidate) ([]candidate, error) {
	r := s.read
	r.done.begin(found)
	session := make(map[int32]uint32, len(found))
	for i := range found {
		doc := found[i].doc
		chunk, err := s.turns.index.Chunk(int(doc) / store.ChunkDocs)
		if err != nil {
			return nil, err
		}
		d := &chunk[int(doc)%store.ChunkDocs]
		session[doc] = d.Session
		if r.timed() {
			s.raise(&found[i], byTime, 1+float64(r.cues.Time*r.nearness(dsl.Interval{Start: d.TS, End: d.TS})))
		}
		if r.cues.Fresh > 0 && r.Order != question.None {
			age := float64(int(doc)+1) / float64(s.turns.stats.Docs)
			if r.Order == question.First {
				age = 1 - age
			}
			s.raise(&found[i], byAge, 1+float64(r.cues.Fresh*age))
		}
	}
	slices.SortFunc(found, bestFirst)
	if err := s.raiseByText(found[:min(len(found), cueDepth)]); err != nil {
		return nil, err
	}
	slices.SortFunc(found, bestFirst)
	most := r.most()
	for i := range found {
		found[i].score /= most
	}
	if r.cues.Session > 0 && len(found) > 0 {
		s.raiseBySession(found, session)
		slices.SortFunc(found, bestFirst)
	}
	return found, nil
}

func (s *searcher) raise(x *candidate, what deed, factor float64) {
	if factor != 1 {
		x.score = float64(x.score * factor)
		s.read.done.note(x.doc, what, factor)
	}
}

// raiseByText reads turns and raises those that have what the answer has to have,
// and lowers those that ask.
func (s *searcher) raiseByText(found []candidate) error {
	r := s.read
	wanted := r.cues.Kind > 0 && marked(r.Kind)
	if !wanted && r.cues.Asking == 0 {
		return nil
	}
	for i := range found {
		x, err := s.turn(found[i].doc)
		if err != nil {
			return err
		}
		if r.cues.Asking > 0 {
			s.raise(&found[i], byAsking, 1-float64(r.cues.Asking*x.asking))
		}
		if !wanted {
			continue
		}
		if w := x.words(s.analyzer); r.Kind == question.When && w.dated || r.Kind == question.Count && w.counted {
			s.raise(&found[i], byKind, 1+r.cues.Kind)
		}
	}
	return nil
}

// raiseBySession lets the session of a turn count: by the sum of the scores of its
// best turns, the best session counting as much as the best turn.
func (s *searcher) raiseBySession(found []candidate, session map[int32]uint32) {
	sum, count := map[uint32]float64{}, map[uint32]int{}
	best := 0.0
	for i := range found {
		x := session[found[i].doc]
		if count[x] < sessionTurns {
			count[x]++
			sum[x] += found[i].score
			best = max(best, sum[x])
		}
	}
	if best == 0 {
		return
	}
	share, top := s.read.cues.Session, found[0].score
	for i := range found {
		x := &found[i]
		before := x.score
		more := float64(float64(share*top) * (sum[session[x.doc]] / best))
		x.score = (before + more) / (1 + share)
		if before > 0 {
			s.read.done.note(x.doc, bySession, 1+more/before)
		}
	}
}

// raiseSessions gives the scores of sessions what the cue of time makes of them,
// by when their turns were said.
func (s *searcher) raiseSessions(found []candidate, docs [][]store.Doc) []candidate {
	spans := map[int32]dsl.Interval{}
	for _, chunk := range docs {
		for i := range chunk {
			at, ts := int32(chunk[i].Session), chunk[i].TS
			v, seen := spans[at]
			if !seen {
				v = dsl.Interval{Start: ts, End: ts}
			}
			spans[at] = dsl.Interval{Start: min(v.Start, ts), End: max(v.End, ts)}
		}
	}
	return s.raiseVersions(found, func(session int32) dsl.Interval { return spans[session] })
}

// raiseVersions gives the scores of facts or events what the cue of time makes of
// them; valid gives when one held.
func (s *searcher) raiseVersions(found []candidate, valid func(doc int32) dsl.Interval) []candidate {
	r := s.read
	if r.timed() {
		r.done.begin(found)
		for i := range found {
			s.raise(&found[i], byTime, 1+float64(r.cues.Time*r.nearness(valid(found[i].doc))))
			found[i].score /= 1 + r.cues.Time
		}
		slices.SortFunc(found, bestFirst)
	}
	return found
}

// asking gives the share of a text that stands in questions, in [0, 1].
func asking(text string) float64 {
	asked, all, from := 0, 0, 0
	for i, c := range text {
		switch c {
		case '.', '!', '?', '\n', '。', '！', '？':
			n := i - from
			all += n
			if c == '?' || c == '？' {
				asked += n
			}
			from = i
		}
	}
	if all += len(text) - from; all == 0 {
		return 0
	}
	return float64(asked) / float64(all)
}

// marked tells whether an answer of a kind has to have something that terms show:
// a time for "when", a number for "how many".
func marked(kind question.Answer) bool { return kind == question.When || kind == question.Count }

// dated tells whether a term says when, counted whether it says how many.
func dated(term string) bool   { return timeTerms()[term] || yearTerm(term) }
func counted(term string) bool { return numberTerms()[term] || isNumber(term) }

func isNumber(term string) bool {
	for i := range len(term) {
		if term[i] < '0' || term[i] > '9' {
			return false
		}
	}
	return term != ""
}

func yearTerm(term string) bool {
	return len(term) == 4 && isNumber(term) && (term[0] == '1' || term[0] == '2')
}

// cut gives the k best of candidates that are best first, and those that equal the
// last.
func cut(found []candidate, k int) []candidate {
	end := min(k, len(found))
	for end > 0 && end < len(found) && found[end].score == found[end-1].score {
		end++
	}
	return found[:end]
}

// asideTerms tells which terms of the question stand beside the parts that are
// asked only.
func asideTerms(a *analyze.Analyzer, text string, read *question.Analysis) map[string]bool {
	if !read.Aside {
		return nil
	}
	aside := map[string]bool{}
	inside := map[string]bool{}
	for _, t := range a.Tokens(nil, text) {
		in := false
		for _, p := range read.Parts {
			in = in || p.Start <= t.Start && t.Start < p.End
		}
		if in {
			inside[t.Term] = true
		} else {
			aside[t.Term] = true
		}
	}
	for t := range inside {
		delete(aside, t)
	}
	return aside
}
