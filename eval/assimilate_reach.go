package eval

import (
	"context"
	"errors"
	"slices"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
)

// gapScan is what filling gaps came to.
type gapScan struct{ asked, gaps, candidates, facts int }

func (g *gapScan) add(x *gapScan) {
	g.asked += x.asked
	g.gaps += x.gaps
	g.candidates += x.candidates
	g.facts += x.facts
}

// fillGaps asks every question of the data set for facts and events, and fills
// the gaps that it meets, as 'asof backfill' would.
func (s *spaceRun) fillGaps(ctx context.Context) error {
	if !s.variant.gaps {
		return nil
	}
	var gaps []asof.GapRequest
	for _, text := range s.dialogue.questions() {
		s.gaps.asked++
		r, err := s.db.Search(ctx, s.dialogue.Space, asof.At{}, asof.SearchQuery{Text: text, K: 10, Kinds: []retrieval.Kind{retrieval.Fact, retrieval.Event}})
		if err != nil {
			return err
		}
		if len(r.Hits) == 0 {
			gaps = append(gaps, asof.GapRequest{Kind: dsl.GapEmpty, Query: text})
		}
	}
	done, err := s.db.Backfill(ctx, s.dialogue.Space, gaps...)
	for i := range done {
		s.gaps.gaps++
		s.gaps.candidates += done[i].Candidates
		s.gaps.facts += done[i].Facts
	}
	return err
}

// reachScan counts the questions with evidence, and those of them for which a
// search of events reaches a turn of it.
type reachScan struct{ questions, reached int }

func (r *reachScan) add(x *reachScan) {
	r.questions += x.questions
	r.reached += x.reached
}

// gold is a question with the turns or the sessions that answer it.
type gold struct {
	text            string
	turns, sessions []string
}

// golds gives the questions that have evidence.
func (d *Dialogue) golds() []gold {
	var out []gold
	if d.Conversation != nil {
		for _, q := range d.Conversation.Questions {
			if len(q.Evidence) > 0 {
				out = append(out, gold{text: q.Text, turns: q.Evidence})
			}
		}
	}
	if d.Persona != nil {
		for _, q := range d.Persona.Questions {
			if len(q.Evidence) > 0 {
				out = append(out, gold{text: q.Text, sessions: q.Evidence})
			}
		}
	}
	return out
}

// scanReach searches the events of the head for every question and looks whether
// those found, and with episodes all events of their episodes, rest on a turn of
// the evidence.
func (s *spaceRun) scanReach(ctx context.Context) (err error) {
	v, err := s.db.View(s.dialogue.Space, asof.At{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	session := map[string]string{}
	for i := range s.dialogue.Turns {
		session[s.dialogue.Turns[i].ID] = s.dialogue.Turns[i].Session
	}
	turns, err := s.eventTurns(v)
	if err != nil {
		return err
	}
	for _, q := range s.dialogue.golds() {
		s.reach.questions++
		r, err := v.Search(ctx, asof.SearchQuery{Text: q.text, K: 10, Kinds: []retrieval.Kind{retrieval.Event}})
		if err != nil {
			return err
		}
		if slices.ContainsFunc(r.Hits, func(h retrieval.Hit) bool {
			return slices.ContainsFunc(turns[h.ID], func(t string) bool {
				return slices.Contains(q.turns, t) || slices.Contains(q.sessions, session[t])
			})
		}) {
			s.reach.reached++
		}
	}
	return nil
}

// eventTurns gives the turns that each event of the view reaches: its evidence,
// and with episodes that of every event of its episode.
func (s *spaceRun) eventTurns(v *asof.View) (map[string][]string, error) {
	out := map[string][]string{}
	for e, err := range v.Events(false) {
		if err != nil {
			return nil, err
		}
		out[e.ID] = e.Evidence
	}
	if !s.variant.episodes {
		return out, nil
	}
	list, err := v.Episodes()
	if err != nil {
		return nil, err
	}
	s.events.episodes = len(list)
	wide := map[string][]string{}
	for id, turns := range out {
		wide[id] = turns
	}
	for i := range list {
		var all []string
		for _, id := range list[i].Events {
			all = union(all, out[id])
		}
		for _, id := range list[i].Events {
			wide[id] = all
		}
	}
	return wide, nil
}
