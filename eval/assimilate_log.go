package eval

import (
	"slices"

	"github.com/asof-db/asof/dsl"
)

// actions are what is decided about a candidate, in the order of Table B.
func actions() []dsl.Action {
	return []dsl.Action{dsl.Insert, dsl.Replace, dsl.Close, dsl.RetroCorrect, dsl.Skip, dsl.Hold, dsl.None}
}

// actionCounts counts the decisions about the candidates of one predicate.
type actionCounts struct {
	candidates int
	by         map[dsl.Action]int
	// versions counts the versions that the decisions opened.
	versions int
}

func (c *actionCounts) of(a dsl.Action) int { return c.by[a] }

// proposed counts the candidates that a memory which does not read before it
// writes would have written: all but those held back and those that say nothing.
func (c *actionCounts) proposed() int { return c.candidates - c.of(dsl.Hold) - c.of(dsl.None) }

// reduction is the share of what would have been written that is not, because
// the memory held it.
func (c *actionCounts) reduction() float64 { return share(c.of(dsl.Skip), c.proposed()) }

func (c *actionCounts) add(x *actionCounts) {
	if c.by == nil {
		c.by = map[dsl.Action]int{}
	}
	c.candidates += x.candidates
	c.versions += x.versions
	for a, n := range x.by {
		c.by[a] += n
	}
}

// tableB is the distribution of decisions by predicate.
type tableB map[string]*actionCounts

func (t tableB) row(rel string) *actionCounts {
	if t[rel] == nil {
		t[rel] = &actionCounts{by: map[dsl.Action]int{}}
	}
	return t[rel]
}

func (t tableB) add(x tableB) {
	for rel, c := range x {
		t.row(rel).add(c)
	}
}

func (t tableB) total() *actionCounts {
	sum := &actionCounts{}
	for _, c := range t {
		sum.add(c)
	}
	return sum
}

// rels gives the predicates, sorted.
func (t tableB) rels() []string {
	out := make([]string, 0, len(t))
	for rel := range t {
		out = append(out, rel)
	}
	slices.Sort(out)
	return out
}

// share is a part of a whole, 0 of nothing.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// sessionCost is what layer 2 wrote in one session.
type sessionCost struct {
	space, session           string
	turns, candidates, facts int
	events, tokens           int
	strong, salient          int
	periodic, backfill       int
	withheld, archived       int
}

// layer2Counts counts the decisions of layer 2.
type layer2Counts struct {
	by       map[[2]string]int // trigger, action
	promoted int
	tokens   int
}

func (l *layer2Counts) add(x *layer2Counts) {
	if l.by == nil {
		l.by = map[[2]string]int{}
	}
	for k, n := range x.by {
		l.by[k] += n
	}
	l.promoted += x.promoted
	l.tokens += x.tokens
}

// count counts what the log says was decided.
func (s *spaceRun) count() {
	index := map[string]int{}
	at := func(session string) *sessionCost {
		i, ok := index[session]
		if !ok {
			i = len(s.sessions)
			index[session] = i
			s.sessions = append(s.sessions, sessionCost{space: s.dialogue.Space, session: session})
		}
		return &s.sessions[i]
	}
	for i := range s.parts {
		at(s.parts[i].session).turns += s.parts[i].last - s.parts[i].first
	}
	s.layer2.by = map[[2]string]int{}
	for _, tx := range s.txs {
		part := s.partAt(tx.Seq)
		cost := at(s.sessionOf(tx.Seq))
		s.decided(tx, cost)
		for i := range tx.Triggers {
			d := &tx.Triggers[i]
			s.layer2.by[[2]string{string(d.Trigger), string(d.Action)}]++
			// The end of a session is decided when the next one has begun.
			if d.Trigger == dsl.SessionEnd && part > 0 {
				s.triggered(d, at(s.parts[part-1].session))
			} else {
				s.triggered(d, cost)
			}
		}
	}
}

// partAt gives the index of the part that a position belongs to, -1 for none.
func (s *spaceRun) partAt(seq dsl.Seq) int {
	return slices.IndexFunc(s.parts, func(p sessionPart) bool { return seq > p.from && seq <= p.to })
}

// decided counts the decisions about the candidates of a transaction.
func (s *spaceRun) decided(tx *dsl.Tx, cost *sessionCost) {
	for i := range tx.Decisions {
		d := &tx.Decisions[i]
		row := s.table.row(tx.Candidates[d.Candidate].Rel)
		row.candidates++
		row.by[d.Action]++
		s.rules[d.Rule]++
		for _, o := range d.Operations {
			if opens(&tx.Operations[o]) {
				row.versions++
			}
		}
	}
	cost.candidates += len(tx.Candidates)
	for i := range tx.Operations {
		switch o := &tx.Operations[i]; {
		case o.Kind == dsl.UpsertEvent:
			cost.events++
		case opens(o):
			cost.facts++
		}
	}
}

// opens tells whether an operation opens a version of a fact.
func opens(o *dsl.Op) bool {
	return o.Kind == dsl.UpsertEdge || o.Kind == dsl.RetroCorrectOp && !o.Retract
}

// triggered counts a decision of layer 2.
func (s *spaceRun) triggered(d *dsl.TriggerDecision, cost *sessionCost) {
	switch d.Action {
	case dsl.TriggerWithhold:
		cost.withheld++
		return
	case dsl.TriggerArchive:
		cost.archived++
		return
	case dsl.TriggerWrite:
	default:
		return
	}
	cost.tokens += d.Tokens
	s.layer2.tokens += d.Tokens
	switch d.Trigger {
	case dsl.Strong:
		cost.strong++
	case dsl.Salience:
		cost.salient++
	case dsl.Periodic, dsl.SessionEnd, dsl.Reflect:
		cost.periodic++
	case dsl.Promote:
		s.layer2.promoted++
	case dsl.BackfillTrigger:
		cost.backfill++
	}
}
