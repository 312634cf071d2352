package retrieval

import (
	"cmp"
	"context"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// maxSessionTurns is how many of its turns a session's hit names.
const maxSessionTurns = 10

// sessions is the collection of sessions: each the sum of its turns.
type sessions struct {
	talk  *talk
	turns scores
	// members are the turns of each session that were said by the instant asked
	// for.
	members [][]int32
	scores
}

// scoreSessions ranks the sessions of a view. Turns said after valid are no part
// of a session, but of the statistics.
func scoreSessions(ctx context.Context, v store.View, t *talk, turns scores, p *plan) (*sessions, error) {
	n := len(t.docs.Sessions)
	s := &sessions{talk: t, turns: turns, members: make([][]int32, n)}
	if n == 0 {
		return s, nil
	}
	length := make([]uint64, n)
	for d := range t.docs.Info {
		if t.saidBy(d, p.valid) {
			info := &t.docs.Info[d]
			s.members[info.Session] = append(s.members[info.Session], int32(d))
			length[info.Session] += wholeWeight * uint64(info.Length)
		}
	}
	c := newBM25(length, meanLength(t.docs.Terms, n))
	inTerm := make([]int, n) // the last term, counted from 1, that a session was seen to hold
	for i, term := range p.terms {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		df := 0
		err := postings(v, store.TurnField, term, len(t.docs.Info), func(doc int32, tf uint32) {
			session := t.docs.Info[doc].Session
			if inTerm[session] != i+1 {
				inTerm[session] = i + 1
				df++
			}
			if t.saidBy(int(doc), p.valid) {
				c.add(int32(session), wholeWeight*tf)
			}
		})
		if err != nil {
			return nil, err
		}
		c.finish(df, t.weight[i])
	}
	s.scores = c.scores
	return s, nil
}

// hit makes the hit of a session. Its text is that of its best turn.
func (s *sessions) hit(v store.View, session int) (Hit, error) {
	members := slices.Clone(s.members[session])
	first := slices.Min(members)
	start := dsl.Forever
	for _, d := range members {
		start = min(start, s.talk.docs.Info[d].TS)
	}
	slices.SortFunc(members, func(x, y int32) int {
		return cmp.Or(cmp.Compare(s.turns.of[y], s.turns.of[x]), cmp.Compare(x, y))
	})
	h := Hit{Kind: Session, ID: s.talk.docs.Sessions[session], Session: s.talk.docs.Sessions[session], Valid: dsl.Since(start)}
	opened, err := v.TurnDoc(int(first))
	if err != nil {
		return Hit{}, err
	}
	h.Record = dsl.Since(opened.Record)
	for i, d := range members {
		if i == maxSessionTurns || i > 0 && s.turns.of[d] == 0 {
			break
		}
		turn, err := v.TurnDoc(int(d))
		if err != nil {
			return Hit{}, err
		}
		h.Turns = append(h.Turns, turn.ID)
		if i == 0 {
			h.Text = turn.Speaker.String() + ": " + turnText(turn.Turn)
		}
	}
	return h, nil
}
