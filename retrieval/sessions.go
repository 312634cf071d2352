package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	said, err := s.turns.all(ctx)
	if err != nil {
		return nil, err
	}
	found, why, err := s.rankSessions(ctx, score, said, docs)
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
		h, err := s.sessionHit(uint32(session), standing, said, docs)
		h.Why, h.Cues = why.why(session), s.read.done.of(session)
		return h, err
	})
}

// The channels of a session beside its words and the vectors, and what they
// count: its best turns 1, the rest less.
const (
	bestTurns     = "turns"
	wordsWeight   = 0.25
	vectorsWeight = 0.25
)

// bestTurnsOf is how many of its turns speak for a session, each half as much as
// the one before it.
const bestTurnsOf = 3

// rankSessions puts sessions in order by the scores of their words, or, where
// several channels are put together, by their best turns, their words and what
// their turns say on average by vectors. Its pool is all sessions; said are the
// scores of the words of all turns.
func (s *searcher) rankSessions(ctx context.Context, words, said []float64, docs [][]store.Doc) ([]candidate, *pool, error) {
	if len(s.dense) == 0 && s.opt.Next == 0 {
		top := best{k: s.depth()}
		if s.read.timed() {
			top.k = len(words)
		}
		for x, score := range words {
			if score > 0 && score >= top.least() {
				top.add(candidate{score: score, doc: int32(x)})
			}
		}
		found := top.settle()
		if s.read.timed() {
			found = cut(s.raiseSessions(found, docs), s.depth())
		}
		return found, nil, nil
	}
	ranked, err := s.rankedTurns(ctx, docs)
	if err != nil {
		return nil, nil, err
	}
	t, err := s.everyTurn(ctx, len(words), said, docs)
	if err != nil {
		return nil, nil, err
	}
	p := &pool{columns: []*column{{name: Lexical, weight: wordsWeight}, {name: bestTurns, weight: 1}}}
	for _, d := range s.dense {
		p.columns = append(p.columns, &column{name: d.Name, weight: vectorsWeight})
	}
	for x, n := range t.standing {
		if n == 0 {
			continue
		}
		p.docs = append(p.docs, int32(x))
		p.columns[0].scores = append(p.columns[0].scores, words[x])
		sum, half := 0.0, 1.0
		for _, score := range t.best[x] {
			sum += float64(score * half)
			half /= 2
		}
		p.columns[1].scores = append(p.columns[1].scores, sum)
		for i := range s.dense {
			c := p.columns[2+i]
			c.scores = append(c.scores, t.cosines[i][x]/float64(n))
		}
	}
	p.columns[0].shares = ofBest(p.columns[0].scores)
	p.columns[1].shares = ofBest(p.columns[1].scores)
	for _, c := range p.columns[2:] {
		mean, deviation := spread(len(c.scores), func(i int) float64 { return c.scores[i] })
		c.shares = make([]float64, len(c.scores))
		for i, x := range c.scores {
			c.shares[i] = standsOut(x, mean, deviation, 0, outFrom+outBy)
		}
	}
	if !s.read.timed() && len(ranked) == 0 {
		return p.fused(s.opt.Fusion, s.depth()), p, nil
	}
	found := s.raiseSessions(p.fused(s.opt.Fusion, len(p.docs)), docs)
	s.raiseByTurns(found, ranked)
	return cut(found, s.depth()), p, nil
}

// What the turns that the ranker of signals orders count for their session: so many
// of them, each less than the one before it by rankedLoss, and all together, at
// their best, rankedWeight times as much as the best session by all else.
const (
	rankedMost   = 5
	rankedLoss   = 2.0 / 3
	rankedWeight = 3
)

// rankedTurns gives what the best turns of each session are worth by the ranker of
// signals; nothing where there is none.
func (s *searcher) rankedTurns(ctx context.Context, docs [][]store.Doc) (map[uint32]float64, error) {
	if !s.opt.Rerank.Features {
		return nil, nil
	}
	found, sums, _, err := s.bestTurns(ctx, 1)
	if err != nil {
		return nil, err
	}
	s.read.done = deeds{} // what cues did to the turns
	worth, count := map[uint32]float64{}, map[uint32]int{}
	share := [rankedMost]float64{1}
	for i := 1; i < rankedMost; i++ {
		share[i] = float64(share[i-1] * rankedLoss)
	}
	for i, sum := range sums {
		doc := found[i].doc
		session := docs[doc/store.ChunkDocs][doc%store.ChunkDocs].Session
		if n := count[session]; n < rankedMost {
			worth[session] += float64(share[n] * sum)
			count[session]++
		}
	}
	return worth, nil
}

// raiseByTurns lets the turns that the ranker of signals ordered count for their
// sessions, and puts these in order.
func (s *searcher) raiseByTurns(found []candidate, worth map[uint32]float64) {
	best, top := 0.0, 0.0
	for i := range found {
		best, top = max(best, worth[uint32(found[i].doc)]), max(top, found[i].score)
	}
	if best == 0 {
		return
	}
	if s.read.done.docs == nil {
		s.read.done.begin(found)
	}
	for i := range found {
		x := &found[i]
		before := x.score
		more := float64(float64(rankedWeight*top) * (max(worth[uint32(x.doc)], 0) / best))
		x.score = (before + more) / (1 + rankedWeight)
		if before > 0 {
			s.read.done.note(x.doc, byTurns, 1+more/before)
		}
	}
	slices.SortFunc(found, bestFirst)
}

// turnsOf is what the turns of each session that stand have to say.
type turnsOf struct {
	standing []int       // how many there are
	best     [][]float64 // the scores of the best ones, best first
	cosines  [][]float64 // the sum of their cosines, by channel
}

// everyTurn scores all turns, as they are scored where turns are ranked.
func (s *searcher) everyTurn(ctx context.Context, sessions int, words []float64, docs [][]store.Doc) (*turnsOf, error) {
	var own []float64
	var err error
	if s.opt.Next > 0 {
		if own, err = s.turns.alone().all(ctx); err != nil {
			return nil, err
		}
	}
	t := &turnsOf{standing: make([]int, sessions), best: make([][]float64, sessions)}
	for range s.dense {
		t.cosines = append(t.cosines, make([]float64, sessions))
	}
	// What the turn after each says, before it is known which is the greatest.
	after := make([]float64, len(words))
	last := make([]int, sessions)
	for i := range last {
		last[i] = -1
	}
	most, mostAfter := 0.0, 0.0
	var standing []int
	for doc := range words {
		d := &docs[doc/store.ChunkDocs][doc%store.ChunkDocs]
		ok, err := s.stands(int32(doc), d)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		standing = append(standing, doc)
		most = max(most, words[doc])
		if before := last[d.Session]; own != nil && before >= 0 {
			after[before] = own[doc]
			mostAfter = max(mostAfter, own[doc])
		}
		last[d.Session] = doc
	}
	for _, doc := range standing {
		d := &docs[doc/store.ChunkDocs][doc%store.ChunkDocs]
		score := 0.0
		if words[doc] > 0 {
			score = words[doc] / most
		}
		if after[doc] > 0 {
			score += float64(s.opt.Next * (after[doc] / mostAfter))
		}
		for i, v := range s.dense {
			share, err := v.share(int32(doc), d)
			if err != nil {
				return nil, err
			}
			score += float64(v.Weight * share)
			t.cosines[i][d.Session] += float64(v.all[doc])
		}
		t.standing[d.Session]++
		list := t.best[d.Session]
		at, _ := slices.BinarySearchFunc(list, score, func(x, y float64) int { return cmp.Compare(y, x) })
		if at < bestTurnsOf {
			list = slices.Insert(list, at, score)
			t.best[d.Session] = list[:min(len(list), bestTurnsOf)]
		}
	}
	return t, nil
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
// its best turn; said are the scores of the words of all turns.
func (s *searcher) sessionHit(session uint32, members []int32, said []float64, docs [][]store.Doc) (Hit, error) {
	name, err := s.turns.index.Session(session)
	if err != nil {
		return Hit{}, err
	}
	turns := make([]candidate, len(members))
	start := dsl.Forever
	for i, d := range members {
		start = min(start, docs[d/store.ChunkDocs][d%store.ChunkDocs].TS)
		turns[i] = candidate{doc: d, score: s.worth(d, said[d])}
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
		id, _, err := s.turns.index.ID(t.doc)
		if err != nil {
			return Hit{}, err
		}
		h.Turns = append(h.Turns, id)
		if i == 0 {
			turn, err := s.view.TurnDoc(int(t.doc))
			if err != nil {
				return Hit{}, err
			}
			h.Text = turn.Speaker.String() + ": " + turnText(turn.Turn)
		}
	}
	return h, nil
}
