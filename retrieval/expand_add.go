package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/internal/num"
	"github.com/asof-db/asof/internal/static"
	"github.com/asof-db/asof/store"
)

// Expansion adds turns behind those that a search found, and never moves what was
// there. It looks for words and facts that stand near what was found; all of it is
// of the view, and bounded. The zero value adds nothing.
type Expansion struct {
	// Most is how many turns it adds at most: 0 (off) to 1,000.
	Most int
	// Hits is how many of the best hits are read, 1 to 64; 0 stands for 8.
	Hits int
	// Terms, Names and Near are how many words it looks for at most: those that the
	// best hits have in common (pseudo-relevance), those of the names of entities
	// that facts link to what the question or the hits name, and those that mean
	// nearly what a word of the question does. Facts is how many facts are followed
	// that share an end with those that rest on the best hits. 0 leaves a source
	// out; the most of each is 256.
	Terms, Names, Near, Facts int
}

// The sources of an expansion, as hits name them.
const (
	AddedTerms = "added: words of the best hits"
	AddedNames = "added: names beside"
	AddedNear  = "added: near words"
	AddedFacts = "added: facts beside"
)

const (
	expansionHits = 8
	maxAddedOf    = 256
	// nearAdded is what near words count beside the other sources.
	nearAdded = 0.5
	// besideFacts is how many facts are followed from each end of one.
	besideFacts = 8
	// feedbackBytes is how much of a hit's text is read for its words.
	feedbackBytes = 2 << 10
)

func (e *Expansion) check() error {
	if e.Hits == 0 {
		e.Hits = expansionHits
	}
	ok := e.Most >= 0 && e.Most <= 1000 && e.Hits >= 1 && e.Hits <= 64
	for _, n := range []int{e.Terms, e.Names, e.Near, e.Facts} {
		ok = ok && n >= 0 && n <= maxAddedOf
	}
	if !ok {
		return fmt.Errorf("%w: expansion adds %+v, want at most 1000 by 1 to 64 hits, and up to %d words or facts of each source", dsl.ErrInvalid, *e, maxAddedOf)
	}
	return nil
}

// Source is what one source of an expansion looked for.
type Source struct {
	Name string
	// Words are the terms looked for, the weightiest first, or the ids of the facts
	// followed.
	Words []string
}

// widening is an expansion under way.
type widening struct {
	*searcher
	hits  []Hit
	there map[int32]bool
	// known are terms that were looked for before: they add nothing new.
	known map[string]bool
	// nodes are the entities that facts link to what was named, best first, and
	// strength what the turns that facts rest on are worth.
	nodes    []string
	strength map[int32]float64
	sources  []Source
}

// weighted is a term with what it counts.
type weighted struct {
	term   string
	weight float64
}

// widen adds turns behind hits: as many as the query leaves room for. It also tells
// what was looked for.
func (s *searcher) widen(ctx context.Context, hits []Hit) ([]Hit, []Source, error) {
	e := &s.opt.Expansion
	room := min(e.Most, s.plan.k+s.plan.more-len(hits))
	if room <= 0 || !slices.Contains(s.plan.kinds, Turn) {
		return hits, nil, nil
	}
	w := &widening{searcher: s, hits: hits, there: map[int32]bool{}, known: map[string]bool{}, strength: map[int32]float64{}}
	if err := w.begin(); err != nil {
		return nil, nil, err
	}
	channels, found, err := w.look(ctx, room)
	if err != nil {
		return nil, nil, err
	}
	pool, err := gather(ctx, channels, found...)
	if err != nil {
		return nil, nil, err
	}
	// What was added lies below what was there, however well it fits its sources.
	below := 1.0
	if len(hits) > 0 {
		below = hits[len(hits)-1].Score
	}
	added, err := take(ctx, pool.fused(Weighted, room), room, func(doc int32) (Hit, error) {
		turn, err := s.turn(doc)
		if err != nil {
			return Hit{}, err
		}
		h := turnHit(turn)
		h.Why = pool.why(doc)
		return h, nil
	})
	if err != nil {
		return nil, nil, err
	}
	hits = slices.Clip(hits)
	for i, h := range added {
		h.Score, h.Rank, h.Added = float64(below*h.Score)/2, len(hits)+1, i+1
		hits = append(hits, h)
	}
	return hits, w.sources, nil
}

// begin notes what is there already: the turns found and the terms looked for.
func (w *widening) begin() error {
	for i := range w.hits {
		if w.hits[i].Kind != Turn {
			continue
		}
		turn, err := w.view.Turn(w.hits[i].ID)
		if err != nil {
			return err
		}
		w.there[int32(turn.Doc)] = true
	}
	for _, term := range w.plan.terms {
		w.known[term] = true
	}
	return nil
}

// look asks every source, and gives it as a channel with the best that it found.
func (w *widening) look(ctx context.Context, room int) (channels []channel, found [][]candidate, err error) {
	e := &w.opt.Expansion
	words := func(name string, most int, weight float64, of func() ([]weighted, error)) {
		if err != nil || most == 0 {
			return
		}
		var list []weighted
		if list, err = of(); err != nil {
			return
		}
		if list = w.choose(list, most); len(list) == 0 {
			return
		}
		var c channel
		var best []candidate
		if c, best, err = w.search(ctx, name, weight, list, room); err == nil {
			channels, found = append(channels, c), append(found, best)
		}
	}
	words(AddedTerms, e.Terms, 1, w.feedback)
	if err == nil && (e.Facts > 0 || e.Names > 0) {
		err = w.beside(ctx)
	}
	words(AddedNames, e.Names, 1, w.names)
	words(AddedNear, e.Near, nearAdded, w.near)
	if err == nil && e.Facts > 0 && len(w.strength) > 0 {
		channels, found = append(channels, links{w}), append(found, links{w}.found())
	}
	return channels, found, err
}

// choose gives the weightiest terms, equal ones in their own order, each once;
// what was looked for before is left out, and so are stop words, names of speakers
// and terms that are in no turn or in too many to tell anything.
func (w *widening) choose(list []weighted, most int) []weighted {
	slices.SortFunc(list, func(x, y weighted) int {
		return cmp.Or(cmp.Compare(y.weight, x.weight), strings.Compare(x.term, y.term))
	})
	var chosen []weighted
	for _, x := range list {
		if len(chosen) < most && x.weight > 0 && !w.known[x.term] {
			w.known[x.term] = true
			chosen = append(chosen, x)
		}
	}
	return chosen
}

// rarity gives how much a term tells, 0 where it tells nothing.
func (w *widening) rarity(term string) (float64, error) {
	if analyze.Stop(term) {
		return 0, nil
	}
	speakers, err := w.index.Speakers(term)
	if err != nil || len(speakers) > 0 {
		return 0, err
	}
	list, err := w.index.Term(term)
	if err != nil {
		return 0, err
	}
	df, docs := list.Count(), w.index.Stats().Docs
	if df == 0 || df > nearRare && df*nearRare > docs {
		return 0, nil
	}
	return num.Log(float64(docs+1) / (float64(df) + 0.5)), nil
}

// may tells whether a turn may be added.
func (w *widening) may(doc int32, d *store.Doc) (bool, error) {
	if w.there[doc] || !saidBy(d, w.plan.valid) {
		return false, nil
	}
	replaced, err := w.index.Replaced(doc)
	return !replaced, err
}

// search looks for terms among the turns that are not there yet.
func (w *widening) search(ctx context.Context, name string, weight float64, list []weighted, room int) (channel, []candidate, error) {
	terms := make([]string, len(list))
	for i, x := range list {
		terms[i] = x.term
	}
	w.sources = append(w.sources, Source{name, terms})
	c, err := newCollection(w.index, terms, w.contextWeight(), func(i int) float64 { return list[i].weight / list[0].weight })
	if err != nil {
		return nil, nil, err
	}
	best, err := c.top(ctx, room, false, w.may)
	return sourced{c, name, weight}, best, err
}

// sourced is a source of words as a channel.
type sourced struct {
	*collection
	source string
	counts float64
}

func (s sourced) name() string    { return s.source }
func (s sourced) weight() float64 { return s.counts }

func (s sourced) scores(ctx context.Context, docs []int32) (scores, shares []float64, err error) {
	return lexical{s.collection}.scores(ctx, docs)
}

// links is the facts beside those of the best hits as a channel.
type links struct{ *widening }

func (links) name() string    { return AddedFacts }
func (links) weight() float64 { return 1 }

func (l links) scores(_ context.Context, docs []int32) (scores, shares []float64, err error) {
	scores = make([]float64, len(docs))
	for i, doc := range docs {
		scores[i] = l.strength[doc]
	}
	return scores, scores, nil
}

// found gives the turns that facts rest on.
func (l links) found() (list []candidate) {
	for doc, strength := range l.strength {
		list = append(list, candidate{score: strength, doc: doc})
	}
	slices.SortFunc(list, bestFirst)
	return list
}

// feedback gives the words of the best hits: a word counts by how rare it is and
// by the scores of the hits that have it.
func (w *widening) feedback() ([]weighted, error) {
	worth := map[string]float64{}
	var order []string
	for i := range w.hits[:min(len(w.hits), w.opt.Expansion.Hits)] {
		h := &w.hits[i]
		share := h.Score / w.hits[0].Score
		text := h.Text
		if len(text) > feedbackBytes {
			text = strings.ToValidUTF8(text[:feedbackBytes], "")
		}
		seen := map[string]bool{}
		for _, term := range w.analyzer.Terms(nil, text) {
			if seen[term] || w.known[term] {
				continue
			}
			seen[term] = true
			if _, before := worth[term]; !before {
				order = append(order, term)
			}
			worth[term] += share
		}
	}
	return w.rare(order, func(term string) float64 { return worth[term] })
}

// rare weighs terms by what they tell too.
func (w *widening) rare(terms []string, worth func(term string) float64) (list []weighted, err error) {
	for _, term := range terms {
		r, err := w.rarity(term)
		if err != nil {
			return nil, err
		}
		if r > 0 {
			list = append(list, weighted{term, float64(worth(term) * r)})
		}
	}
	return list, nil
}

// near gives the words that mean nearly what a word of the question does.
func (w *widening) near() ([]weighted, error) {
	cosine := map[string]float64{}
	var order []string
	for _, token := range w.analyzer.Tokens(nil, w.plan.text) {
		if analyze.Stop(token.Term) {
			continue
		}
		speakers, err := w.index.Speakers(token.Term)
		if err != nil {
			return nil, err
		}
		if len(speakers) > 0 {
			continue
		}
		for _, n := range static.Near(strings.ToLower(w.plan.text[token.Start:token.End])) {
			for _, term := range w.analyzer.Terms(nil, n.Word) {
				if _, before := cosine[term]; !before {
					order = append(order, term)
				}
				cosine[term] = max(cosine[term], n.Cosine)
			}
		}
	}
	return w.rare(order, func(term string) float64 { return cosine[term] })
}

// names gives the words of the names of the entities beside, and of their other
// names.
func (w *widening) names() ([]weighted, error) {
	worth := map[string]float64{}
	var order []string
	for at, id := range w.nodes {
		group, err := w.view.Aliases(id)
		if errors.Is(err, dsl.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, other := range group {
			node, err := w.view.Node(other)
			if err != nil {
				return nil, err
			}
			name, err := node.Name.Open()
			if err != nil {
				continue // encrypted under a key that is gone
			}
			for _, term := range w.analyzer.Terms(nil, name) {
				if _, before := worth[term]; !before {
					order = append(order, term)
					worth[term] = 1 / float64(at+1)
				}
			}
		}
	}
	return w.rare(order, func(term string) float64 { return worth[term] })
}

// beside follows facts: from the entities that the question names and from the
// facts that rest on the best hits, to those that share an end with them. It notes
// the entities at the other ends and the turns that the facts rest on.
func (w *widening) beside(ctx context.Context) error {
	var named []string
	for _, n := range w.read.Names {
		named = append(named, dsl.NodeID(w.plan.basis.Space, dsl.Entity, n.Text))
	}
	seen, nodes := map[string]bool{}, map[string]bool{}
	left := w.opt.Expansion.Facts
	var followed []string
	meet := func(f *dsl.FactVersion) {
		for _, id := range []string{f.Dst, f.Src} {
			if !nodes[id] && !slices.Contains(named, id) && len(w.nodes) < maxAddedOf {
				nodes[id] = true
				w.nodes = append(w.nodes, id)
			}
		}
	}
	follow := func(q store.FactQuery, strength float64) error {
		n := 0
		q.Valid = w.plan.valid
		for f, err := range w.view.Facts(q) {
			if err != nil {
				return err
			}
			if n++; n > besideFacts {
				break
			}
			meet(&f)
			if seen[f.ID] || left == 0 {
				continue
			}
			seen[f.ID], left = true, left-1
			followed = append(followed, f.ID)
			if err := w.testify(&f, strength); err != nil {
				return err
			}
		}
		return nil
	}
	for i, n := range w.read.Names {
		if n.Speaker {
			continue // much is said of those who speak, and little of it is near
		}
		for _, q := range []store.FactQuery{{Src: named[i : i+1]}, {Dst: named[i : i+1]}} {
			if err := follow(q, linkLoss); err != nil {
				return err
			}
		}
	}
	for i := range w.hits[:min(len(w.hits), w.opt.Expansion.Hits)] {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := &w.hits[i]
		share := h.Score / w.hits[0].Score
		facts, err := w.factsOf(h)
		if err != nil {
			return err
		}
		for j := range facts {
			f := &facts[j]
			meet(f)
			// What else is true of it in the same way, and what is said of the other end.
			for _, q := range []store.FactQuery{{Src: []string{f.Src}, Rel: f.Rel}, {Src: []string{f.Dst}}, {Dst: []string{f.Dst}}} {
				if err := follow(q, float64(share*linkLoss)); err != nil {
					return err
				}
			}
		}
	}
	if followed != nil {
		w.sources = append(w.sources, Source{AddedFacts, followed})
	}
	return nil
}

// factsOf gives the facts that a hit is, or that rest on it, those that stand.
func (w *widening) factsOf(h *Hit) ([]dsl.FactVersion, error) {
	var list []dsl.FactVersion
	keep := func(f dsl.FactVersion) {
		if len(list) < besideFacts && f.Status == dsl.StatusOpen && (w.plan.valid == nil || f.Valid.Contains(*w.plan.valid)) {
			list = append(list, f)
		}
	}
	switch h.Kind {
	case Fact:
		versions, err := w.view.Fact(h.ID)
		if err != nil {
			return nil, err
		}
		for i := range versions {
			keep(versions[i].FactVersion)
		}
	case Turn:
		versions, err := w.view.FactsByEvidence(h.ID)
		if err != nil {
			return nil, err
		}
		for _, f := range versions {
			keep(f)
		}
	}
	return list, nil
}

// testify notes the turns that a fact rests on and that may be added.
func (w *widening) testify(f *dsl.FactVersion, strength float64) error {
	for _, id := range f.Evidence {
		turn, err := w.view.Turn(id)
		if err != nil {
			if err = absent(err); err != nil {
				return err
			}
			continue
		}
		doc := int32(turn.Doc)
		if w.there[doc] || turn.ReplacedBy != "" || w.plan.valid != nil && turn.TS > *w.plan.valid {
			continue
		}
		w.strength[doc] = max(w.strength[doc], strength)
	}
	return nil
}
