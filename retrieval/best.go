package retrieval

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// candidate is a document that holds something of the question. id and version
// are set where they choose among equal ones.
type candidate struct {
	score   float64
	doc     int32
	id      string
	version uint32
}

// worse orders candidates: the lower score first, then the later id.
func (x *candidate) worse(y *candidate) bool {
	return cmp.Or(cmp.Compare(x.score, y.score), strings.Compare(y.id, x.id), cmp.Compare(y.version, x.version)) < 0
}

// best keeps the k best candidates, and, unless their ids choose among them, all
// that equal the last.
type best struct {
	k    int
	byID bool
	heap []candidate // the k best, the worst first
	// tied are those that were as good as the worst of their time, without ids.
	tied []candidate
	// full is how many may be tied before those that fell behind are dropped.
	full int
}

// least gives the score that a document must reach to be among the best.
func (h *best) least() float64 {
	if len(h.heap) < h.k {
		return math.SmallestNonzeroFloat64
	}
	return h.heap[0].score
}

// wants tells whether a candidate with an id would be among the best.
func (h *best) wants(x *candidate) bool { return len(h.heap) < h.k || h.heap[0].worse(x) }

// add takes a candidate whose score is not below the least.
func (h *best) add(x candidate) {
	if len(h.heap) < h.k {
		if h.heap == nil {
			h.heap = make([]candidate, 0, min(h.k, 256))
		}
		h.heap = append(h.heap, x)
		for i := len(h.heap) - 1; i > 0 && h.heap[i].worse(&h.heap[(i-1)/2]); i = (i - 1) / 2 {
			h.heap[i], h.heap[(i-1)/2] = h.heap[(i-1)/2], h.heap[i]
		}
		return
	}
	if out := h.heap[0]; out.worse(&x) {
		h.heap[0], x = x, out
		h.sink()
	}
	if h.byID || x.score < h.heap[0].score {
		return
	}
	if h.tied = append(h.tied, x); len(h.tied) > max(h.full, 1<<12) {
		h.drop()
		h.full = 2 * len(h.tied)
	}
}

func (h *best) sink() {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h.heap) {
			return
		}
		if right := child + 1; right < len(h.heap) && h.heap[right].worse(&h.heap[child]) {
			child = right
		}
		if !h.heap[child].worse(&h.heap[i]) {
			return
		}
		h.heap[i], h.heap[child] = h.heap[child], h.heap[i]
		i = child
	}
}

// drop forgets those that are below the least by now.
func (h *best) drop() {
	least := h.least()
	h.tied = slices.DeleteFunc(h.tied, func(x candidate) bool { return x.score < least })
}

// settle gives what was kept, best first, equal ones in order of document.
func (h *best) settle() []candidate {
	h.drop()
	all := append(h.heap, h.tied...)
	slices.SortFunc(all, bestFirst)
	return all
}

// bestFirst orders candidates: the higher score first, then the earlier document.
func bestFirst(x, y candidate) int {
	switch {
	case x.score > y.score:
		return -1
	case x.score < y.score:
		return 1
	}
	return cmp.Compare(x.doc, y.doc)
}
