package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// maxSessionTurns is how many of its turns a session's hit names.
const maxSessionTurns = 10

// sessions ranks the sessions of the view, each the sum of its turns. Turns said
// after the instant asked for are no part of a session, but of the statistics.
// There is no shortcut: every turn counts in a length, and every posting.
func (s *searcher) sessions(ctx context.Context) ([]Hit, error) {
	index, stats := s.turns.index, s.turns.stats
	n := stats.Sessions
	if n == 0 {
		return nil, nil
	}
	docs, length, err := s.members(ctx, n)
	if err != nil {
		return nil, err
	}
	mean := float64(store.OwnWeight*stats.Terms) / float64(n)
	score, ideal := make([]float64, n), 0.0
	tenths := make([]uint32, n)
	seen := make([]int, n) // the last term, counted from 1, that a session was seen to hold
	for i := range s.turns.terms {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var touched []uint32
		df := 0
		var failed error
		err := store.EachPosting(s.turns.terms[i].list, func(p store.Posting) bool {
			if p.TF == 0 {
				return true
			}
			d := &docs[p.Doc/store.ChunkDocs][p.Doc%store.ChunkDocs]
			if seen[d.Session] != i+1 {
				seen[d.Session] = i + 1
				df++
			}
			ok, err := s.stands(p.Doc, d)
			if err != nil {
				failed = err
				return false
			}
			if ok {
				if tenths[d.Session] == 0 {
					touched = append(touched, d.Session)
				}
				tenths[d.Session] += store.OwnWeight * p.TF
			}
			return true
		})
		if err = errors.Join(err, failed); err != nil {
			return nil, fmt.Errorf("postings of %q: %w", s.plan.terms[i], err)
		}
		most := termWorth(n, df, s.weight[i])
		for _, x := range touched {
			score[x] += saturate(most, tenths[x], lengthNorm(length[x], mean))
			tenths[x] = 0
		}
		ideal += most
	}
	for x := range score {
		if score[x] > 0 {
			score[x] /= ideal
		}
	}
	found, why, err := s.rankSessions(ctx, score, docs)
	if err != nil {
		return nil, err
	}
	return take(ctx, found, s.depth(), func(session int32) (Hit, error) {
		members, err := index.Members(uint32(session))
		if err != nil {
			return Hit{}, err
		}
		standing := members[:0]
		for _, d := range members {
			ok, err := s.stands(d, &docs[d/store.ChunkDocs][d%store.ChunkDocs])
			if err != nil {
				return Hit{}, err
			}
			if ok {
				standing = append(standing, d)
			}
		}
		h, err := s.sessionHit(uint32(session), standing, docs)
		h.Why = why.why(session)
		return h, err
	})
}

// bestTurn is the name of the channel in which a session is what its best turn is
// by full text. Other channels call its best turn by their own name.
const bestTurn = "bm25 turn"

// rankSessions puts sessions in order by the scores of their words, or, where
// there are channels of vectors, by these and by their best turns. Its pool is all
// sessions.
func (s *searcher) rankSessions(ctx context.Context, words []float64, docs [][]store.Doc) ([]candidate, *pool, error) {
	if len(s.dense) == 0 {
		top := best{k: s.depth()}
		for x, score := range words {
			if score > 0 && score >= top.least() {
				top.add(candidate{score: score, doc: int32(x)})
			}
		}
		return top.settle(), nil, nil
	}
	turns, err := s.turns.all(ctx)
	if err != nil {
		return nil, nil, err
	}
	columns := []*column{{name: Lexical, weight: 1, scores: words}, {name: bestTurn, weight: 1, scores: make([]float64, len(words))}}
	for _, d := range s.dense {
		c := &column{name: d.Name, weight: d.Weight, scores: make([]float64, len(words)), floor: math.Inf(1)}
		columns = append(columns, c)
	}
	stands := make([]bool, len(words))
	for at, chunk := range docs {
		for i := range chunk {
			d := &chunk[i]
			doc := int32(at*store.ChunkDocs + i)
			ok, err := s.stands(doc, d)
			if err != nil {
				return nil, nil, err
			}
			if !ok {
				continue
			}
			stands[d.Session] = true
			columns[1].scores[d.Session] = max(columns[1].scores[d.Session], turns[doc])
			for j, v := range s.dense {
				c := columns[2+j]
				c.scores[d.Session] = max(c.scores[d.Session], float64(v.all[doc]))
			}
		}
	}
	p := &pool{columns: columns}
	for x, ok := range stands {
		if ok {
			p.docs = append(p.docs, int32(x))
		}
	}
	if len(p.docs) == 0 {
		return nil, nil, nil
	}
	for _, c := range columns {
		scores := make([]float64, 0, len(p.docs))
		for _, x := range p.docs {
			scores = append(scores, c.scores[x])
		}
		if c.scores = scores; c.floor > 0 {
			c.floor = max(slices.Min(scores), 0)
		}
	}
	return p.fused(s.opt.Fusion, s.depth()), p, nil
}

// members gives the documents of the turns, and the length of each session at
// the instant asked for, in tenths.
func (s *searcher) members(ctx context.Context, sessions int) (docs [][]store.Doc, length []uint64, err error) {
	length = make([]uint64, sessions)
	for at := 0; at < s.turns.stats.Docs; at += store.ChunkDocs {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		chunk, err := s.turns.index.Chunk(at / store.ChunkDocs)
		if err != nil {
			return nil, nil, err
		}
		for i := range chunk {
			d := &chunk[i]
			if int64(d.Session) >= int64(sessions) {
				return nil, nil, fmt.Errorf("%w: turn document %d is of session %d of %d", dsl.ErrCorrupt, at+i, d.Session, sessions)
			}
			if saidBy(d, s.plan.valid) {
				length[d.Session] += store.OwnWeight * uint64(d.Length)
			}
		}
		docs = append(docs, chunk)
	}
	return docs, length, nil
}

// sessionHit makes the hit of a session with the given turns. Its text is that of
// its best turn.
func (s *searcher) sessionHit(session uint32, members []int32, docs [][]store.Doc) (Hit, error) {
	name, err := s.turns.index.Session(session)
	if err != nil {
		return Hit{}, err
	}
	turns := make([]candidate, len(members))
	start := dsl.Forever
	for i, d := range members {
		start = min(start, docs[d/store.ChunkDocs][d%store.ChunkDocs].TS)
		turns[i].doc = d
		if turns[i].score, err = s.worth(d); err != nil {
			return Hit{}, err
		}
	}
	if len(turns) == 0 {
		return Hit{}, fmt.Errorf("%w: session %q has a score and no turn", dsl.ErrCorrupt, name)
	}
	h := Hit{Kind: Session, ID: name, Session: name, Valid: dsl.Since(start)}
	opened, err := s.view.TurnDoc(int(members[0]))
	if err != nil {
		return Hit{}, err
	}
	h.Record = dsl.Since(opened.Record)
	slices.SortFunc(turns, func(x, y candidate) int { return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.doc, y.doc)) })
	for i, t := range turns {
		if i == maxSessionTurns || i > 0 && t.score == 0 {
			break
		}
		turn, err := s.view.TurnDoc(int(t.doc))
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
