package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval/question"
	"github.com/asof-db/asof/retrieval/rerank"
	"github.com/asof-db/asof/store"
)

// Options are what a search works with.
type Options struct {
	// Analyzer makes the question's terms. Sharing one between searches is
	// faster; nil makes a new one.
	Analyzer *analyze.Analyzer
	// Texts remembers what turns show. Sharing one between searches is faster; nil
	// makes a new one.
	Texts *Texts

	// Context is what a term counts in the two turns after its own in its session,
	// in tenths of what it counts in its own: 1 to 30; 0 stands for 3.
	Context int
	// Speaker is what the score of a turn is multiplied by where the question names
	// its speaker, from 1 to 10; 0 stands for 2.
	Speaker float64

	// Dense are the channels of vectors that are put together with full text, and
	// Next what the words of the turn after a turn count beside its own, from 0
	// (off) to 10. With neither, full text alone ranks.
	Dense []Dense
	Next  float64
	// Fusion says how the scores of the channels become one; "" stands for Weighted.
	Fusion Fusion
	// Cues are what the reading of the question does to the order.
	Cues Cues
	// Expand says how links between facts and events lead to turns.
	Expand Expand
	// Expansion says what is added behind what was found.
	Expansion Expansion
	// Rerank says how the best of what was found are ordered anew.
	Rerank Rerank
	// Pool is how many of its best documents each channel hands on to be put
	// together, or K where that is more: 10 to 10,000; 0 stands for poolDepth.
	Pool int

	// Done is told the name of each stage of a search as it ends (StageNames), in the
	// goroutine of the search; nil for nobody. It is for measuring and changes nothing.
	Done func(stage string)

	// observe is told what the ranker of signals knows of the best turns.
	observe func(*searcher, []candidate, []rerank.Signals) error
}

// The stages of a search, in order: the reading of the question, what every
// channel says of the turns, the ranking of each kind of documents, and the
// ordering anew by a model. A question of several parts goes through them for each.
const (
	StageQuestion = "question"
	StageEntry    = "entry"
	StageRank     = "rank"
	StageRerank   = "rerank"
)

// StageNames gives the stages of a search in order.
func StageNames() []string { return []string{StageQuestion, StageEntry, StageRank, StageRerank} }

// done tells that a stage has ended.
func (o *Options) done(stage string) {
	if o.Done != nil {
		o.Done(stage)
	}
}

// poolDepth is how many of its best documents a channel hands on.
const poolDepth = 200

// check fills in defaults and refuses what makes no sense.
func (o *Options) check() error {
	if o.Context == 0 {
		o.Context = store.ContextWeight
	}
	if o.Speaker == 0 {
		o.Speaker = speakerBoost
	}
	if o.Pool == 0 {
		o.Pool = poolDepth
	}
	var err error
	if o.Fusion, err = ParseFusion(string(o.Fusion)); err != nil {
		return err
	}
	if err := errors.Join(o.Cues.check(), o.Expand.check(), o.Expansion.check(), o.Rerank.check()); err != nil {
		return err
	}
	in := func(x, lo, hi float64) bool { return x >= lo && x <= hi }
	for i := range o.Dense {
		d := &o.Dense[i]
		if d.Encoder == nil && d.Late == nil || d.Name == "" || d.Name == Lexical || !in(d.Weight, math.SmallestNonzeroFloat64, 100) {
			return fmt.Errorf("%w: channel %q has weight %v, want an encoder, a name and up to 100", dsl.ErrInvalid, d.Name, d.Weight)
		}
	}
	switch {
	case o.Pool < 10 || o.Pool > 10000:
		return fmt.Errorf("%w: %d documents of each channel, want 10 to 10000", dsl.ErrInvalid, o.Pool)
	case o.Context < 1 || o.Context > 30:
		return fmt.Errorf("%w: the context counts %d tenths, want 1 to 30", dsl.ErrInvalid, o.Context)
	case !in(o.Speaker, 1, 10) || !in(o.Next, 0, 10):
		return fmt.Errorf("%w: boosts are %v (speaker), %v (next), want 1, 0 to 10", dsl.ErrInvalid, o.Speaker, o.Next)
	}
	return nil
}

// Hit is one document found.
type Hit struct {
	// Rank counts from 1.
	Rank int
	Kind Kind
	// ID is the id of the turn, fact or event, or the name of the session.
	ID string
	// Version is the version of a fact or event, 0 for other kinds.
	Version uint32
	// Score lies in (0, 1]: see the package comment.
	Score float64
	// Turns are the ids of the turns that are the evidence, best first.
	Turns []string
	// Session is that of the best turn.
	Session string
	// Record is when the memory held it, as known in the view; Valid is when it
	// held in the world. A turn holds from when it was said, a session from when
	// its first turn was.
	Record, Valid dsl.Interval
	// Text is what to show: what was said, the fact in words, the event's
	// summary, or the session's best turn.
	Text string
	// Why is what each channel had to say for it, where several were put together.
	Why []Part
	// Cues are what the reading of the question did to its score.
	Cues []Cue
	// Added is its place among what only the expansion found, from 1; 0 for what the
	// search itself found.
	Added int
}

// Result is the answer to a query.
type Result struct {
	// Basis is what it was computed from; the same query on any view with this
	// basis gives the same result, byte for byte.
	Basis store.Basis
	// Valid is the instant of valid time that was asked for, if any.
	Valid *dsl.Instant
	// Part are the watermarks of a search that took a part; they are part of the basis.
	Part []Watermark
	// Terms are the terms of the question that were looked for.
	Terms []string
	// Reading is how the question was read.
	Reading question.Analysis
	// Hits are the best K, best first, and behind them what the expansion added. It
	// is empty when nothing was found.
	Hits []Hit
	// Sources are what the expansion looked for.
	Sources []Source
	// Unkept are the fields of which documents had to be encoded for this search
	// because the store lacks their vectors. It is no part of the answer.
	Unkept []store.Field
}

// Search ranks the documents of a view for a question. It returns an error that
// wraps dsl.ErrInvalid for a query that makes no sense, and the context's error
// when that ends first.
func Search(ctx context.Context, v store.View, q Query, opt Options) (Result, error) {
	r, err := search(ctx, v, q, opt)
	if err != nil {
		return Result{}, fmt.Errorf("retrieval: search: %w", err)
	}
	return r, nil
}

func search(ctx context.Context, v store.View, q Query, opt Options) (result Result, err error) {
	a := opt.Analyzer
	if a == nil {
		a = new(analyze.Analyzer)
	}
	if opt.Texts == nil {
		opt.Texts = new(Texts)
	}
	if err := opt.check(); err != nil {
		return Result{}, err
	}
	p, err := newPlan(a, v.Basis(), q)
	if err != nil {
		return Result{}, err
	}
	result = Result{Basis: p.basis, Valid: p.valid, Part: p.part, Terms: p.terms}
	index, err := v.Index(store.TurnField)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	s := &searcher{view: v, plan: p, index: index, analyzer: a, opt: &opt, unkept: &result.Unkept}
	if err := s.readQuestion(); err != nil {
		return Result{}, err
	}
	result.Reading = s.read.Analysis
	opt.done(StageQuestion)
	if result.Hits, err = s.hits(ctx); err != nil {
		return Result{}, err
	}
	if result.Hits, result.Sources, err = s.widen(ctx, result.Hits); err != nil {
		return Result{}, fmt.Errorf("expansion: %w", err)
	}
	return result, nil
}

// hits gives the best hits of all kinds: of each part of the question, where it
// has several.
func (s *searcher) hits(ctx context.Context) ([]Hit, error) {
	if parts := s.parts(); len(parts) > 1 {
		lists := make([][]Hit, len(parts))
		for i, part := range parts {
			if err := part.readQuestion(); err != nil {
				return nil, err
			}
			s.opt.done(StageQuestion)
			var err error
			if lists[i], err = part.ranked(ctx); err != nil {
				return nil, err
			}
		}
		return interleave(s.plan.k, lists...), nil
	}
	return s.ranked(ctx)
}

// ranked gives the best hits of all kinds for one question.
func (s *searcher) ranked(ctx context.Context) ([]Hit, error) {
	index := s.index
	if err := s.encode(ctx); err != nil {
		return nil, err
	}
	if len(s.plan.terms) == 0 && len(s.queries) == 0 {
		return nil, nil
	}
	raises, err := s.weigh()
	if err != nil {
		return nil, err
	}
	s.fact = slices.Clone(s.weight)
	for i := range s.own {
		s.fact[i] = 1
	}
	p := s.plan // with the terms that were added
	// Every kind needs the turns' scores: they order the evidence.
	if s.turns, err = newCollection(index, p.terms, s.contextWeight(), func(i int) float64 { return s.weight[i] }); err != nil {
		return nil, err
	}
	s.turns.raiseSpeakers(raises)
	if s.dense, err = s.denseOf(ctx, store.TurnField, index); err != nil {
		return nil, err
	}
	for _, d := range s.dense {
		d.speakers = s.turns
	}
	s.opt.done(StageEntry)
	lists := make([][]Hit, len(p.kinds))
	for i, kind := range p.kinds {
		if lists[i], err = s.kind(ctx, kind); err != nil {
			return nil, fmt.Errorf("kind %s: %w", kind, err)
		}
	}
	hits := merge(s.depth(), lists...)
	s.opt.done(StageRank)
	if err := s.blend(ctx, hits); err != nil {
		return nil, err
	}
	s.opt.done(StageRerank)
	return hits[:min(p.k, len(hits))], nil
}

// searcher is one search under way.
type searcher struct {
	view  store.View
	plan  *plan
	index store.Index // of turns
	read  *reading
	turns *collection
	// weight is what each term of the question counts in a turn, fact what it
	// counts in a fact or an event. The first own of them are its own terms, the
	// others were added.
	weight, fact []float64
	own          int
	// queries are the vectors of the question by the channels of vectors that know
	// something of it, dense their scores of the turns.
	queries []query
	dense   []*dense
	// linked is where expansion leads, by the document of the turn.
	linked map[int32]float64
	// unkept are the fields of which documents had to be encoded, for all parts of
	// the question together.
	unkept *[]store.Field
	// known are the turns that were read: several steps look at the same ones.
	known map[int32]*readTurn

	analyzer *analyze.Analyzer
	opt      *Options
}

// readTurn is a turn that was read, with what it shows.
type readTurn struct {
	store.Turn
	*shown
}

// turn gives a turn of the view, read once for a search.
func (s *searcher) turn(doc int32) (*readTurn, error) {
	if t, ok := s.known[doc]; ok {
		return t, nil
	}
	t := new(readTurn)
	var err error
	if t.Turn, err = s.view.TurnDoc(int(doc)); err != nil {
		return nil, err
	}
	t.shown = s.opt.Texts.of(&t.Turn)
	if s.known == nil {
		s.known = map[int32]*readTurn{}
	}
	s.known[doc] = t
	return t, nil
}

// kind gives the best hits of one kind.
func (s *searcher) kind(ctx context.Context, kind Kind) ([]Hit, error) {
	s.read.done = deeds{} // of another kind, which has other documents of the same numbers
	switch kind {
	case Turn:
		found, _, why, err := s.bestTurns(ctx, s.depth())
		if err != nil {
			return nil, err
		}
		return take(ctx, found, s.depth(), func(doc int32) (Hit, error) {
			turn, err := s.turn(doc)
			if err != nil {
				return Hit{}, err
			}
			h := turnHit(turn)
			h.Why, h.Cues = why.why(doc), s.read.done.of(doc)
			return h, nil
		})
	case Session:
		return s.sessions(ctx)
	case Fact:
		return s.versions(ctx, store.FactField, s.factHit)
	default:
		return s.versions(ctx, store.EventField, s.eventHit)
	}
}

// bestTurns gives turns in their order, of which the k best are looked for, and what
// the ranker of signals gives the first of them, where it ordered them.
func (s *searcher) bestTurns(ctx context.Context, k int) (found []candidate, sums []float64, why *pool, err error) {
	depth := s.opt.Rerank.depth(k)
	if s.opt.Expand.Depth > 0 {
		depth = max(depth, s.opt.Pool)
	}
	if found, why, err = s.findTurns(ctx, depth); err != nil {
		return nil, nil, nil, err
	}
	if s.linked, err = s.expand(ctx); err != nil {
		return nil, nil, nil, err
	}
	found = s.join(found, s.linked)
	sums, err = s.reorder(ctx, found)
	return found, sums, why, err
}

// reorder scores anew what channels found together, best first.
type reorder func([]candidate) ([]candidate, error)

// findTurns gives the best turns.
func (s *searcher) findTurns(ctx context.Context, depth int) ([]candidate, *pool, error) {
	c := s.turns
	var cue reorder
	if s.read.scored() {
		cue = s.raiseTurns
	}
	if c.ideal == 0 || s.opt.Next == 0 {
		return s.find(ctx, c, s.dense, depth, false, s.stands, cue)
	}
	words, err := c.top(ctx, max(s.opt.Pool, depth), false, s.stands)
	if err != nil {
		return nil, nil, err
	}
	follow := &next{own: c.alone(), at: s.opt.Next,
		after: &followers{index: c.index, keep: s.stands, members: map[uint32][]int32{}}}
	before, err := follow.found(words)
	if err != nil {
		return nil, nil, err
	}
	return s.together(ctx, []channel{lexical{c}, follow}, s.dense, depth, s.stands, cue, words, before)
}

// find gives the best documents of a collection by full text, or, where there are
// channels of vectors or a cue that orders anew what was found, by all together:
// then why has what each of them said.
func (s *searcher) find(ctx context.Context, c *collection, vectors []*dense, depth int, byID bool, keep keeper, cue reorder) (found []candidate, why *pool, err error) {
	if c.ideal == 0 {
		return s.together(ctx, nil, vectors, depth, keep, cue)
	}
	if len(vectors) == 0 && cue == nil {
		found, err = c.top(ctx, depth, byID, keep)
		return found, nil, err
	}
	if found, err = c.top(ctx, max(s.opt.Pool, depth), false, keep); err != nil {
		return nil, nil, err
	}
	return s.together(ctx, []channel{lexical{c}}, vectors, depth, keep, cue, found)
}

// together joins what the channels before those of vectors found with what these
// find.
func (s *searcher) together(ctx context.Context, channels []channel, vectors []*dense, depth int, keep keeper, cue reorder, found ...[]candidate) ([]candidate, *pool, error) {
	for _, d := range vectors {
		more, err := d.top(ctx, max(s.opt.Pool, depth), keep)
		if err != nil {
			return nil, nil, err
		}
		channels, found = append(channels, d), append(found, more)
	}
	why, err := gather(ctx, channels, found...)
	if err != nil {
		return nil, nil, err
	}
	if cue == nil {
		return why.fused(s.opt.Fusion, depth), why, nil
	}
	raised, err := cue(why.fused(s.opt.Fusion, len(why.docs)))
	if err != nil {
		return nil, nil, err
	}
	return cut(raised, depth), why, nil
}

// stands tells whether a turn may be a hit: it was said by the instant asked for,
// and no edit has taken its place.
func (s *searcher) stands(doc int32, d *store.Doc) (bool, error) {
	if !saidBy(d, s.plan.valid) {
		return false, nil
	}
	replaced, err := s.turns.index.Replaced(doc)
	return !replaced, err
}

// versions gives the best hits of a field whose documents are versions, some of
// which the view passes over: make gives none for them.
func (s *searcher) versions(ctx context.Context, field store.Field, make func(doc int) (*Hit, error)) (hits []Hit, err error) {
	index, err := s.view.Index(field)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	c, err := newCollection(index, s.plan.terms, store.ContextWeight, func(i int) float64 { return s.fact[i] })
	if err != nil {
		return nil, err
	}
	vectors, err := s.denseOf(ctx, field, index)
	if err != nil {
		return nil, err
	}
	made := map[int32]*Hit{}
	var cue reorder
	if s.read.timed() {
		cue = func(found []candidate) ([]candidate, error) {
			return s.raiseVersions(found, func(doc int32) dsl.Interval { return made[doc].Valid }), nil
		}
	}
	found, why, err := s.find(ctx, c, vectors, s.depth(), true, func(doc int32, _ *store.Doc) (bool, error) {
		h, err := make(int(doc))
		if h != nil {
			made[doc] = h
		}
		return h != nil, err
	}, cue)
	if err != nil {
		return nil, err
	}
	return take(ctx, found, s.depth(), func(doc int32) (Hit, error) {
		h := made[doc]
		err := s.evidence(h)
		h.Why, h.Cues = why.why(doc), s.read.done.of(doc)
		return *h, err
	})
}

// factHit makes the hit of a fact version that is open in the view and holds at
// the instant asked for; nil for any other.
func (s *searcher) factHit(doc int) (*Hit, error) {
	f, err := s.view.FactDoc(doc)
	if err != nil {
		return nil, err
	}
	if f.Status != dsl.StatusOpen || s.plan.valid != nil && !f.Valid.Contains(*s.plan.valid) {
		return nil, nil
	}
	h := &Hit{
		Kind: Fact, ID: f.ID, Version: f.Version, Record: f.Record, Valid: f.Valid,
		Text: store.FactText(f.SrcName.String(), f.Rel, f.Relation.String(), f.DstName.String()),
	}
	h.Turns = f.Evidence
	return h, nil
}

// eventHit makes the hit of an event version that is open and visible in the
// view and had begun by the instant asked for; nil for any other.
func (s *searcher) eventHit(doc int) (*Hit, error) {
	e, err := s.view.EventDoc(doc)
	if err != nil {
		return nil, err
	}
	open := e.Closed == 0 && e.Visible <= s.plan.basis.Time
	if !open || s.plan.valid != nil && e.Span.Start > *s.plan.valid {
		return nil, nil
	}
	return &Hit{Kind: Event, ID: e.ID, Version: e.Version, Record: e.Record, Valid: e.Span, Text: e.Summary.String(), Turns: e.Evidence}, nil
}

// evidence puts the turns of a hit in order, those that answer the question best
// first. Evidence that is no turn of the view, or a turn that was replaced, is
// left out.
func (s *searcher) evidence(h *Hit) error {
	type witness struct {
		turn  store.Turn
		score float64
	}
	var turns []witness
	for _, id := range h.Turns {
		turn, err := s.view.Turn(id)
		if errors.Is(err, dsl.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if turn.ReplacedBy != "" {
			continue // its text is not what the speaker stands by
		}
		words, err := s.turns.ratio(int32(turn.Doc))
		if err != nil {
			return err
		}
		turns = append(turns, witness{turn, s.worth(int32(turn.Doc), words)})
	}
	slices.SortStableFunc(turns, func(x, y witness) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.turn.Doc, y.turn.Doc))
	})
	h.Turns = nil
	for i, w := range turns {
		if i == 0 {
			h.Session = w.turn.Session
		}
		h.Turns = append(h.Turns, w.turn.ID)
	}
	return nil
}

// worth gives what a turn has to say for the question, all channels together; words
// is what its words do. It orders turns of one search.
func (s *searcher) worth(doc int32, words float64) float64 {
	sum := words
	for _, d := range s.dense {
		sum += float64(d.Weight * max(float64(d.all[doc]), 0))
	}
	return sum
}
