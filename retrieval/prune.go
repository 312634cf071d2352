package retrieval

import (
	"cmp"
	"context"
	"slices"

	"github.com/asof-db/asof/store"
)

// The best documents are found without scoring all: documents are taken by
// windows, those first whose blocks promise most, until no window promises as
// much as the worst of the best. In a window only the lists are read that could
// lift a document among the best by themselves (MaxScore, over the impacts of
// blocks); the others are looked up for the few documents that then still can.
//
// A bound is only ever compared after it was raised by slack, which is far above
// the rounding of sums in another order, and a document is passed over only if
// its bound is below the worst of the best. So what is found, and with what
// score, is what scoring every document would find, equal scores included.
const (
	windowChunks = 8
	windowDocs   = windowChunks * store.ChunkDocs
	slack        = 1 + 1e-9
)

// pruner looks for the best documents of a collection.
type pruner struct {
	*collection
	best best
	keep func(doc int32, d *store.Doc) (bool, error)
	// bound is what each term can add in each window; no document is multiplied
	// by more than most.
	bound [][]float64
	most  float64
	order []int      // terms by what they can add in the window
	lists [][]uint32 // weights by term and document of the window
	read  []int      // by term: the last block that lists holds, -1 for none
	acc   []float64  // sums by document of the window
	chunk [][]store.Doc
	buf   []store.Posting
}

// top gives the k best documents with a score, best first. byID says that the
// index knows their ids, which choose among equal ones; else all that equal the
// last are among them. keep says which may be; it is asked of few.
func (c *collection) top(ctx context.Context, k int, byID bool, keep func(doc int32, d *store.Doc) (bool, error)) ([]candidate, error) {
	p := &pruner{collection: c, best: best{k: k, byID: byID}, keep: keep, most: 1}
	if c.raises != nil {
		p.most = max(c.raise, 1)
	}
	windows := (c.stats.Docs + windowDocs - 1) / windowDocs
	total := p.bounds(windows)
	order := make([]int, 0, windows)
	for w := range windows {
		if total[w] > 0 {
			order = append(order, w)
		}
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Or(cmp.Compare(total[y], total[x]), cmp.Compare(x, y)) })
	p.order, p.read = make([]int, len(c.terms)), make([]int, len(c.terms))
	p.lists, p.acc = make([][]uint32, len(c.terms)), make([]float64, min(windowDocs, c.stats.Docs))
	for i, w := range order {
		if p.passed(total[w]) {
			break
		}
		if i%64 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if err := p.window(w); err != nil {
			return nil, err
		}
	}
	return p.best.settle(), ctx.Err()
}

// passed tells whether a document of which no more than sum can be hoped for is
// not among the best.
func (p *pruner) passed(sum float64) bool { return p.reach(sum, p.most) < p.best.least() }

func (p *pruner) reach(sum, boost float64) float64 {
	return float64(float64(sum*boost)*slack) / p.ideal
}

// bounds fills bound and gives their sums by window.
func (p *pruner) bounds(windows int) []float64 {
	total := make([]float64, windows)
	p.bound = make([][]float64, len(p.terms))
	for t := range p.terms {
		bound, list := make([]float64, windows), p.terms[t].list
		for i := range list.Blocks() {
			after, last := list.Range(i)
			most := 0.0
			for _, x := range list.Impacts(i) {
				most = max(most, p.collection.bound(p.terms[t].most, x))
			}
			for w := int(after+1) / windowDocs; w <= int(last)/windowDocs; w++ {
				bound[w] = max(bound[w], most)
			}
		}
		for w := range bound {
			total[w] += bound[w]
		}
		p.bound[t] = bound
	}
	return total
}

// window looks for the best documents of one window.
func (p *pruner) window(w int) error {
	lo := int32(w * windowDocs)
	n := min(windowDocs, p.stats.Docs-int(lo))
	p.chunk = p.chunk[:0]
	for at := 0; at < n; at += store.ChunkDocs {
		chunk, err := p.index.Chunk((int(lo) + at) / store.ChunkDocs)
		if err != nil {
			return err
		}
		p.chunk = append(p.chunk, chunk)
	}
	// The terms that can add least come first; the first ones are lists that alone
	// lift no document among the best.
	p.order = p.order[:0]
	for t := range p.terms {
		if p.bound[t][w] > 0 {
			p.order = append(p.order, t)
		}
	}
	slices.SortStableFunc(p.order, func(x, y int) int { return cmp.Compare(p.bound[x][w], p.bound[y][w]) })
	rest, sum := 0, 0.0
	for ; rest < len(p.order); rest++ {
		more := sum + p.bound[p.order[rest]][w]
		if !p.passed(more) {
			break
		}
		sum = more
	}
	for _, t := range p.order {
		p.open(t)
	}
	clear(p.acc[:n])
	for _, t := range p.order[rest:] {
		if err := p.readAll(t, lo, n); err != nil {
			return err
		}
	}
	for i := range n {
		if p.acc[i] == 0 {
			continue
		}
		if p.passed(p.acc[i] + sum) {
			continue
		}
		if err := p.consider(lo, i, p.order[:rest], sum, w); err != nil {
			return err
		}
	}
	return nil
}

// open makes the weights of a term in a window empty.
func (p *pruner) open(t int) {
	if p.lists[t] == nil {
		p.lists[t] = make([]uint32, len(p.acc))
	} else {
		clear(p.lists[t])
	}
	p.read[t] = -1
}

// readAll reads the postings of a term in a window and adds what they are worth.
func (p *pruner) readAll(t int, lo int32, n int) error {
	term := &p.terms[t]
	end := lo + int32(n)
	for i := firstBlock(term.list, lo); i < term.list.Blocks(); i++ {
		if after, _ := term.list.Range(i); after+1 >= end {
			break
		}
		list, err := term.list.Decode(i, p.buf[:0])
		if err != nil {
			return err
		}
		p.buf = list
		weights := p.lists[t]
		for i := range list {
			x := &list[i]
			if x.Doc < lo || x.Doc >= end {
				continue
			}
			at := int(x.Doc - lo)
			weight := p.weight(x)
			weights[at] = weight
			p.acc[at] += saturate(term.most, weight, p.norm(p.length(p.doc(at))))
		}
	}
	return nil
}

// lookUp gives the weight of a term in document at of a window.
func (p *pruner) lookUp(t int, lo int32, at int) (uint32, error) {
	list, doc := p.terms[t].list, lo+int32(at)
	i := p.read[t]
	if i < 0 {
		i = firstBlock(list, doc)
	} else if _, last := list.Range(i); last < doc {
		for i++; i < list.Blocks(); i++ {
			if _, last := list.Range(i); last >= doc {
				break
			}
		}
	} else {
		return p.lists[t][at], nil
	}
	if i == list.Blocks() {
		return 0, nil
	}
	if after, _ := list.Range(i); after >= doc {
		return 0, nil
	}
	postings, err := list.Decode(i, p.buf[:0])
	if err != nil {
		return 0, err
	}
	p.buf, p.read[t] = postings, i
	for i := range postings {
		if x := &postings[i]; x.Doc >= lo && int(x.Doc-lo) < len(p.lists[t]) {
			p.lists[t][x.Doc-lo] = p.weight(x)
		}
	}
	return p.lists[t][at], nil
}

func (p *pruner) doc(at int) *store.Doc { return &p.chunk[at/store.ChunkDocs][at%store.ChunkDocs] }

// consider scores document at of a window, unless the terms of rest, which
// together add at most sum, cannot lift it among the best.
func (p *pruner) consider(lo int32, at int, rest []int, sum float64, w int) error {
	d := p.doc(at)
	boost, err := p.boost(d)
	if err != nil {
		return err
	}
	norm := p.norm(p.length(d))
	got := p.acc[at]
	for i := len(rest) - 1; ; i-- {
		if p.reach(got+sum, boost) < p.best.least() {
			return nil
		}
		if i < 0 {
			break
		}
		t := rest[i]
		weight, err := p.lookUp(t, lo, at)
		if err != nil {
			return err
		}
		if weight > 0 {
			got += saturate(p.terms[t].most, weight, norm)
		}
		if sum = 0; i > 0 { // what is left, summed anew: a difference could round below it
			for _, t := range rest[:i] {
				sum += p.bound[t][w]
			}
		}
	}
	score := 0.0 // in the order of the question's terms, as everywhere
	for t := range p.terms {
		if p.lists[t] != nil && p.bound[t][w] > 0 && p.lists[t][at] > 0 {
			score += saturate(p.terms[t].most, p.lists[t][at], norm)
		}
	}
	score = float64(score*boost) / p.ideal
	if score < p.best.least() {
		return nil
	}
	x := candidate{score: score, doc: lo + int32(at)}
	if p.best.byID {
		if x.id, x.version, err = p.index.ID(x.doc); err != nil || !p.best.wants(&x) {
			return err
		}
	}
	ok, err := p.keep(x.doc, d)
	if err != nil || !ok {
		return err
	}
	p.best.add(x)
	return nil
}
