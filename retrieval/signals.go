package retrieval

import (
	"context"
	"slices"

	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval/rerank"
	"github.com/asof-db/asof/store"
)

// near is how many turns of its session are looked at on either side of a turn.
const near = 2

// pair is two terms side by side.
type pair [2]string

// witness is a candidate with the turns around it that stand, and what was read
// of it. Neighbours are documents, -1 for none.
type witness struct {
	doc     int32
	prior   float64
	session uint32
	speaker uint32
	before  [near]int32 // the last one first
	after   [near]int32 // the next one first
	shown   *shown
}

// witnesses is the candidates of one search, best first, with what full text and
// vectors say of them and of the turns around them.
type witnesses struct {
	*searcher
	list []witness
	docs []int32 // all that are looked at, in order
	// terms counts each term of the question in a document's own text.
	terms [][]uint32
	// fit is what a document has of the question by itself, in [0, 1]; info is the
	// document's own.
	fit  []float64
	info []store.Doc
	// asks tells which candidates and turns before them end with a question.
	asks map[int32]bool
	// about are the speakers whom the question is about, nil where it says nothing
	// of them; addressed are assistants.
	about, addressed []bool
	wants            rerank.Wants
	// asked are neighbouring terms of the question.
	asked map[pair]bool
	// first and second have the bits of their first and their second terms.
	first, second [256]bool
}

// witnesses reads what is known of candidates.
func (s *searcher) witnesses(ctx context.Context, found []candidate) (*witnesses, error) {
	w := &witnesses{searcher: s, wants: rerank.ReadQuestion(s.plan.text), asks: map[int32]bool{}}
	if err := w.neighbours(ctx, found); err != nil {
		return nil, err
	}
	if err := w.count(ctx); err != nil {
		return nil, err
	}
	if err := w.speakers(); err != nil {
		return nil, err
	}
	if err := w.texts(); err != nil {
		return nil, err
	}
	w.fits()
	w.asked = map[pair]bool{}
	terms := s.analyzer.Terms(nil, s.plan.text)
	for i := 1; i < len(terms); i++ {
		if !analyze.Stop(terms[i-1]) || !analyze.Stop(terms[i]) {
			w.asked[pair{terms[i-1], terms[i]}] = true
			w.first[bitOf(terms[i-1])], w.second[bitOf(terms[i])] = true, true
		}
	}
	return w, nil
}

// doc gives what scoring knows of a document.
func (w *witnesses) doc(doc int32) (*store.Doc, error) {
	chunk, err := w.turns.index.Chunk(int(doc) / store.ChunkDocs)
	if err != nil {
		return nil, err
	}
	return &chunk[int(doc)%store.ChunkDocs], nil
}

// neighbours finds the turns around each candidate in its session. Those that may
// be no hit are passed over.
func (w *witnesses) neighbours(ctx context.Context, found []candidate) error {
	members := map[uint32][]int32{}
	for _, c := range found {
		if err := ctx.Err(); err != nil {
			return err
		}
		d, err := w.doc(c.doc)
		if err != nil {
			return err
		}
		x := witness{doc: c.doc, prior: c.score, session: d.Session, speaker: d.Speaker}
		all, ok := members[d.Session]
		if !ok {
			if all, err = w.turns.index.Members(d.Session); err != nil {
				return err
			}
			members[d.Session] = all
		}
		at, _ := slices.BinarySearch(all, c.doc)
		if x.before, err = w.around(all, at, -1); err != nil {
			return err
		}
		if x.after, err = w.around(all, at, 1); err != nil {
			return err
		}
		w.list = append(w.list, x)
		w.docs = append(w.docs, x.doc)
		for _, list := range [][near]int32{x.before, x.after} {
			for _, doc := range list {
				if doc >= 0 {
					w.docs = append(w.docs, doc)
				}
			}
		}
	}
	slices.Sort(w.docs)
	w.docs = slices.Compact(w.docs)
	return nil
}

// around gives the turns on one side of a place in a session that stand.
func (w *witnesses) around(members []int32, at, step int) (list [near]int32, err error) {
	n := 0
	for i := range list {
		list[i] = -1
	}
	for at += step; at >= 0 && at < len(members) && n < near; at += step {
		d, err := w.doc(members[at])
		if err != nil {
			return list, err
		}
		ok, err := w.stands(members[at], d)
		if err != nil {
			return list, err
		}
		if ok {
			list[n] = members[at]
			n++
		}
	}
	return list, nil
}

// at gives the place of a document that is looked at.
func (w *witnesses) at(doc int32) int {
	i, _ := slices.BinarySearch(w.docs, doc)
	return i
}

// count counts the question's terms in the documents' own texts.
func (w *witnesses) count(ctx context.Context) error {
	w.terms = make([][]uint32, len(w.turns.terms))
	for k := range w.turns.terms {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.terms[k] = make([]uint32, len(w.docs))
		err := w.turns.walk(w.turns.terms[k].list, w.docs, func(at int, p *store.Posting) { w.terms[k][at] = p.TF })
		if err != nil {
			return err
		}
	}
	w.info = make([]store.Doc, len(w.docs))
	for i, doc := range w.docs {
		d, err := w.doc(doc)
		if err != nil {
			return err
		}
		w.info[i] = *d
	}
	return nil
}

// speakers finds whom the question is about, by number.
func (w *witnesses) speakers() error {
	find := func(terms ...string) ([]bool, error) {
		var set []bool
		for _, term := range terms {
			found, err := w.turns.index.Speakers(term)
			if err != nil {
				return nil, err
			}
			for _, n := range found {
				if set == nil {
					set = make([]bool, w.turns.stats.Speakers)
				}
				set[n] = true
			}
		}
		return set, nil
	}
	if w.turns.raise > 1 {
		w.about = make([]bool, len(w.turns.raises))
		for i, raise := range w.turns.raises {
			w.about[i] = raise == w.turns.raise
		}
	}
	var err error
	if w.about == nil && w.wants.Asker {
		if w.about, err = find("user", "human", "我", "me", "用户"); err != nil {
			return err
		}
	}
	if w.wants.Assistant {
		w.addressed, err = find("assist", "ai", "bot", "助手", "助理")
	}
	return err
}

// texts reads the candidates, and whether the turns before them ask.
func (w *witnesses) texts() error {
	for i := range w.list {
		x := &w.list[i]
		turn, err := w.turn(x.doc)
		if err != nil {
			return err
		}
		x.shown, w.asks[x.doc] = turn.shown, turn.asks
	}
	for i := range w.list {
		before := w.list[i].before[0]
		if before < 0 || !w.replies(&w.list[i]) {
			continue
		}
		if _, ok := w.asks[before]; !ok {
			turn, err := w.turn(before)
			if err != nil {
				return err
			}
			w.asks[before] = turn.asks
		}
	}
	return nil
}

// may tells whether the one who speaks may be the one the question is about.
func (w *witnesses) may(x *witness) bool { return w.about == nil || w.about[x.speaker] }

// replies tells whether a candidate may be an answer to the turn before it.
func (w *witnesses) replies(x *witness) bool {
	return x.before[0] >= 0 && w.may(x) && w.info[w.at(x.before[0])].Speaker != x.speaker
}

// fits scores each document by itself: half by the share of the question that full
// text finds in its own words, as a share of the best candidate's, half by how
// far the vectors make it stand out.
func (w *witnesses) fits() {
	w.fit = make([]float64, len(w.docs))
	mean := 1.0
	if n := w.turns.stats.Docs; n > 0 && w.turns.stats.Terms > 0 {
		mean = float64(store.OwnWeight*w.turns.stats.Terms) / float64(n)
	}
	most := 0.0
	for i := range w.docs {
		norm := lengthNorm(store.OwnWeight*uint64(w.info[i].Length), mean)
		for k := range w.terms {
			if tf := w.terms[k][i]; tf > 0 {
				w.fit[i] += saturate(w.turns.terms[k].most, store.OwnWeight*tf, norm)
			}
		}
	}
	for i := range w.list {
		most = max(most, w.fit[w.at(w.list[i].doc)])
	}
	if most > 0 {
		for i := range w.fit {
			w.fit[i] = min(w.fit[i]/most, 1)
		}
	}
	total := 0.0
	for _, d := range w.dense {
		total += d.Weight
	}
	if total == 0 {
		return
	}
	for i := range w.fit {
		w.fit[i] /= 2
	}
	for _, d := range w.dense {
		for i, doc := range w.docs {
			share := min(standsOut(float64(d.all[doc]), d.mean, d.spread, outFrom, outBy), 1)
			w.fit[i] += float64(d.Weight*share) / (2 * total)
		}
	}
}

// fitOf gives the fit of a document, 0 for none.
func (w *witnesses) fitOf(doc int32) float64 {
	if doc < 0 {
		return 0
	}
	return w.fit[w.at(doc)]
}

// signals gives the signals of the candidates.
func (w *witnesses) signals() []rerank.Signals {
	list := make([]rerank.Signals, len(w.list))
	best, bestOf := 0.0, map[uint32]float64{}
	for i := range w.list {
		x := &w.list[i]
		best = max(best, x.prior)
		bestOf[x.session] = max(bestOf[x.session], x.prior)
	}
	worth := 0.0
	for k := range w.turns.terms {
		worth += w.turns.terms[k].most
	}
	spread := w.spread(worth)
	for i := range w.list {
		x, s := &w.list[i], &list[i]
		may := w.may(x)
		t := &x.shown.traits
		yes := func(k int, ok bool) {
			if ok {
				s[k] = 1
			}
		}
		yes(rerank.By, w.about != nil && may)
		yes(rerank.Addressed, w.addressed != nil && w.addressed[x.speaker])
		yes(rerank.When, w.wants.Time && t.Time)
		yes(rerank.Count, w.wants.Number && t.Number)
		yes(rerank.Self, may && t.Self)
		yes(rerank.Asks, w.asks[x.doc])
		if w.wants.Name {
			s[rerank.Who] = float64(t.Names) / 3
		}
		if may {
			s[rerank.Next] = w.fitOf(x.after[0])
		}
		if w.replies(x) && w.asks[x.before[0]] {
			s[rerank.Reply] = w.fitOf(x.before[0])
		}
		s[rerank.Phrase] = w.phrase(x)
		s[rerank.Linked] = w.linked[x.doc]
		if best > 0 {
			s[rerank.Session] = bestOf[x.session] / best
		}
		if worth > 0 {
			s[rerank.Spread] = spread[x.session]
			s[rerank.Cover] = w.cover(x) / worth
		}
	}
	return list
}

// spread gives the share of the question that the candidates of each session have.
func (w *witnesses) spread(worth float64) map[uint32]float64 {
	has := map[uint32][]bool{}
	for i := range w.list {
		x := &w.list[i]
		if has[x.session] == nil {
			has[x.session] = make([]bool, len(w.terms))
		}
		at := w.at(x.doc)
		for k := range w.terms {
			has[x.session][k] = has[x.session][k] || w.terms[k][at] > 0
		}
	}
	shares := make(map[uint32]float64, len(has))
	for session, terms := range has {
		sum := 0.0
		for k, ok := range terms {
			if ok {
				sum += w.turns.terms[k].most
			}
		}
		if worth > 0 {
			shares[session] = sum / worth
		}
	}
	return shares
}

// cover gives what a candidate and the turns around it have of the question.
func (w *witnesses) cover(x *witness) float64 {
	sum := 0.0
	for k := range w.terms {
		has := w.terms[k][w.at(x.doc)] > 0
		for i := 0; i < near && !has; i++ {
			has = x.before[i] >= 0 && w.terms[k][w.at(x.before[i])] > 0 || x.after[i] >= 0 && w.terms[k][w.at(x.after[i])] > 0
		}
		if has {
			sum += w.turns.terms[k].most
		}
	}
	return sum
}

// phrase gives the share of the question's neighbouring terms that a candidate
// says side by side. A text with less than one of its terms is not read.
func (w *witnesses) phrase(x *witness) float64 {
	if len(w.asked) == 0 {
		return 0
	}
	at, any := w.at(x.doc), false
	for k := range w.terms {
		any = any || w.terms[k][at] > 0
	}
	if !any {
		return 0
	}
	said := map[pair]bool{}
	words := x.shown.words(w.analyzer)
	for i := 1; i < len(words.bits); i++ {
		if !w.first[words.bits[i-1]] || !w.second[words.bits[i]] {
			continue // most pairs, at little cost
		}
		if p := (pair{words.terms[i-1], words.terms[i]}); w.asked[p] {
			said[p] = true
		}
	}
	return float64(len(said)) / float64(len(w.asked))
}

// phraseBytes is how much of a turn is read for phrases.
const phraseBytes = 2 << 10
