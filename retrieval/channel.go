package retrieval

import (
	"context"
	"slices"

	"github.com/asof-db/asof/store"
)

// Lexical is the name of the full-text channel, which counts 1. Next is that of
// the words of the turn after a turn.
const (
	Lexical = "bm25"
	Next    = "next"
)

// Part is what a channel had to say for a hit.
type Part struct {
	Channel string
	// Score is in the channel's own measure: the share of the question for full
	// text, a cosine for vectors.
	Score float64
	// Rank is the hit's place by this channel among the documents looked at, from
	// 1, equal ones sharing one; 0 where it has nothing for the hit.
	Rank int
	// Part is what the fused score owes to the channel, before that is scaled.
	Part float64
}

// channel scores the documents of one kind in one view.
type channel interface {
	name() string
	weight() float64
	// scores gives the scores and shares of documents, which are in order.
	scores(ctx context.Context, docs []int32) (scores, shares []float64, err error)
}

// keeper tells whether a document may be a hit.
type keeper func(doc int32, d *store.Doc) (bool, error)

// lexical is BM25 as a channel. A share is of the best score.
type lexical struct{ *collection }

func (lexical) name() string    { return Lexical }
func (lexical) weight() float64 { return 1 }

func (l lexical) scores(_ context.Context, docs []int32) (scores, shares []float64, err error) {
	if scores, err = l.ratios(docs); err != nil {
		return nil, nil, err
	}
	return scores, ofBest(scores), nil
}

// ofBest gives scores as shares of the best.
func ofBest(scores []float64) []float64 {
	most := 0.0
	for _, x := range scores {
		most = max(most, x)
	}
	shares := make([]float64, len(scores))
	for i, x := range scores {
		if x > 0 {
			shares[i] = x / most
		}
	}
	return shares
}

// next gives a turn what the turn after it in its session says by itself: an
// answer names what its question was about, and a turn that goes on says more of
// the same.
type next struct {
	own   *collection // without context
	at    float64
	after *followers
}

func (*next) name() string      { return Next }
func (n *next) weight() float64 { return n.at }

// found gives the turns before others: what the next turn says may be all that
// speaks for them.
func (n *next) found(words []candidate) (found []candidate, err error) {
	found = make([]candidate, 0, len(words))
	for _, x := range words {
		before, err := n.after.before(x.doc)
		if err != nil {
			return nil, err
		}
		if before >= 0 {
			found = append(found, candidate{doc: before})
		}
	}
	return found, nil
}

func (n *next) scores(_ context.Context, docs []int32) (scores, shares []float64, err error) {
	after := make([]int32, len(docs))
	all := make([]int32, 0, len(docs))
	for i, doc := range docs {
		if after[i], err = n.after.after(doc); err != nil {
			return nil, nil, err
		}
		if after[i] >= 0 {
			all = append(all, after[i])
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	words, err := n.own.ratios(all)
	if err != nil {
		return nil, nil, err
	}
	scores = make([]float64, len(docs))
	for i, doc := range after {
		if at, ok := slices.BinarySearch(all, doc); ok {
			scores[i] = words[at]
		}
	}
	return scores, ofBest(scores), nil
}

// followers finds the neighbours of turns in their sessions, among those that may
// be hits.
type followers struct {
	index   store.Index
	keep    keeper
	members map[uint32][]int32
}

// around gives the turns of a document's session and its place among them.
func (f *followers) around(doc int32) ([]int32, int, error) {
	chunk, err := f.index.Chunk(int(doc) / store.ChunkDocs)
	if err != nil {
		return nil, 0, err
	}
	session := chunk[int(doc)%store.ChunkDocs].Session
	members, ok := f.members[session]
	if !ok {
		if members, err = f.index.Members(session); err != nil {
			return nil, 0, err
		}
		f.members[session] = members
	}
	at, _ := slices.BinarySearch(members, doc)
	return members, at, nil
}

// after gives the turn after another, before the one before it; -1 where there is
// none.
func (f *followers) after(doc int32) (int32, error)  { return f.step(doc, 1) }
func (f *followers) before(doc int32) (int32, error) { return f.step(doc, -1) }

func (f *followers) step(doc int32, by int) (int32, error) {
	members, at, err := f.around(doc)
	if err != nil {
		return -1, err
	}
	for at += by; at >= 0 && at < len(members); at += by {
		chunk, err := f.index.Chunk(int(members[at]) / store.ChunkDocs)
		if err != nil {
			return -1, err
		}
		ok, err := f.keep(members[at], &chunk[int(members[at])%store.ChunkDocs])
		if err != nil {
			return -1, err
		}
		if ok {
			return members[at], nil
		}
	}
	return -1, nil
}

// pool is the documents that channels found, with what each channel says of all
// of them.
type pool struct {
	docs    []int32 // in order
	columns []*column
}

// gather puts together what channels found, and asks each for its scores of what
// the others did.
func gather(ctx context.Context, channels []channel, found ...[]candidate) (*pool, error) {
	p, n := new(pool), 0
	for _, list := range found {
		n += len(list)
	}
	p.docs = make([]int32, 0, n)
	for _, list := range found {
		for _, x := range list {
			p.docs = append(p.docs, x.doc)
		}
	}
	slices.Sort(p.docs)
	p.docs = slices.Compact(p.docs)
	for _, c := range channels {
		scores, shares, err := c.scores(ctx, p.docs)
		if err != nil {
			return nil, err
		}
		p.columns = append(p.columns, &column{name: c.name(), weight: c.weight(), scores: scores, shares: shares})
	}
	return p, nil
}

// fused gives the k best documents of the pool and those that equal the last,
// best first. The best has what it is worth in the channels' own measures, in
// [0, 1], so that a kind in which nothing fits does not stand beside one in which
// something does; the others have their part of it.
func (p *pool) fused(how Fusion, k int) []candidate {
	fused := fuse(how, p.columns)
	most := 0.0
	for _, x := range fused {
		most = max(most, x)
	}
	if most == 0 {
		return nil
	}
	anchor := p.anchor()
	found := make([]candidate, 0, len(fused))
	for i, x := range fused {
		if score := float64(x / most * anchor); score > 0 {
			found = append(found, candidate{score: score, doc: p.docs[i]})
		}
	}
	slices.SortFunc(found, bestFirst)
	end := min(k, len(found))
	for end > 0 && end < len(found) && found[end].score == found[end-1].score {
		end++
	}
	return found[:end]
}

// anchor gives what the best document of the pool is worth in the channels' own
// measures.
func (p *pool) anchor() float64 {
	most, total := 0.0, 0.0
	for _, c := range p.columns {
		total += c.weight
	}
	for i := range p.docs {
		sum := 0.0
		for _, c := range p.columns {
			sum += float64(c.weight * max(c.scores[i], 0))
		}
		most = max(most, sum)
	}
	return min(most/total, 1)
}

// why gives what the channels say of a document of the pool.
func (p *pool) why(doc int32) []Part {
	if p == nil {
		return nil
	}
	at, ok := slices.BinarySearch(p.docs, doc)
	if !ok {
		return nil
	}
	parts := make([]Part, 0, len(p.columns))
	for _, c := range p.columns {
		parts = append(parts, Part{Channel: c.name, Score: c.scores[at], Rank: c.ranks[at], Part: c.parts[at]})
	}
	return parts
}
