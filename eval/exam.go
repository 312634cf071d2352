package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

// exam is what is asked of one memory.
type exam struct {
	space string
	// dialogue is what the memory takes in, turns the number of its turns.
	dialogue *Dialogue
	turns    int
	// docs are the ids of what is ranked, in the order of the data; held is the set
	// of them.
	docs      []string
	held      map[string]bool
	questions []posed
	// said are the ids of the turns.
	said map[string]bool
}

// posed is one question as a run asks it.
type posed struct {
	qid, text, category string
	// at is when it is asked, where the data set says so. It serves to read its
	// time words; the question is asked at the head.
	at *dsl.Instant
	// gold are the ids of the documents that hold the answer, turns those of the
	// turns that do: the same where turns are ranked.
	gold, turns []string
	// answers are the right answers as text, absent that the memory holds none.
	answers []string
	absent  bool
	// sessions are those that hold the answer, by name.
	sessions []string
	repaired int
	dropped  []DroppedEvidence
}

// newExam makes the exam of a dialogue; ids that columns of run.trec cannot hold
// are refused.
func newExam(d *Dialogue) (*exam, error) {
	x := &exam{space: d.Space, dialogue: d, turns: len(d.Turns), held: map[string]bool{}}
	if err := oneWord("the space", d.Space); err != nil {
		return nil, err
	}
	switch {
	case d.History != nil:
		x.history(d.History)
	case d.Trajectory != nil:
		x.ofTurns(d)
		for _, q := range d.Trajectory.Questions {
			x.questions = append(x.questions, posed{qid: fmt.Sprintf("%s/%d", d.Space, q.Index), text: q.Text, category: d.Trajectory.Kind,
				at: &q.Asked, gold: q.Evidence, dropped: q.Dropped, answers: oneOf(q.Gold)})
		}
	case d.Conversation != nil:
		x.ofTurns(d)
		for _, q := range d.Conversation.Questions {
			x.questions = append(x.questions, posed{qid: fmt.Sprintf("%s/%d", d.Space, q.Index), text: q.Text, category: strconv.Itoa(q.Category),
				gold: q.Evidence, repaired: q.Repaired, dropped: q.Dropped, answers: q.Gold, absent: q.Category == adversarial})
		}
	}
	if d.History == nil {
		for i := range x.questions {
			x.questions[i].turns = x.questions[i].gold
		}
	}
	x.said = make(map[string]bool, len(d.Turns))
	session := make(map[string]string, len(d.Turns))
	for i := range d.Turns {
		x.said[d.Turns[i].ID] = true
		session[d.Turns[i].ID] = d.Turns[i].Session
	}
	if d.History == nil {
		for i := range x.questions {
			q := &x.questions[i]
			for _, id := range q.turns {
				if !slices.Contains(q.sessions, session[id]) {
					q.sessions = append(q.sessions, session[id])
				}
			}
		}
	}
	for _, id := range x.docs {
		if err := oneWord("the turn id", id); err != nil {
			return nil, fmt.Errorf("%w (space %s)", err, d.Space)
		}
		x.held[id] = true
	}
	return x, nil
}

// ofTurns ranks turns.
func (x *exam) ofTurns(d *Dialogue) {
	for i := range d.Turns {
		x.docs = append(x.docs, d.Turns[i].ID)
	}
}

// history ranks the sessions of a history.
func (x *exam) history(h *History) {
	for i := range h.Sessions {
		x.docs = append(x.docs, strconv.Itoa(i))
	}
	q := posed{qid: h.Space, text: h.Text, category: h.Type, at: &h.Asked, turns: h.GoldTurns, dropped: h.Dropped, answers: oneOf(h.Answer), absent: h.Abstention}
	if h.Abstention {
		q.category = abstention
	}
	for _, i := range h.Gold {
		q.gold = append(q.gold, strconv.Itoa(i))
		q.sessions = append(q.sessions, h.Sessions[i].Name)
	}
	x.questions = []posed{q}
}

// adversarial is LoCoMo's category of questions without an answer.
const adversarial = 5

// oneOf makes a list of a text, none of the empty one.
func oneOf(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// docOf gives the id in run.trec of what a search found.
func docOf(h *retrieval.Hit) string {
	if h.Kind == retrieval.Session {
		occurrence, _, _ := strings.Cut(h.ID, ":")
		return occurrence
	}
	return h.ID
}

// newMemory makes a memory that is not kept and takes a dialogue in. The caller
// closes it.
func newMemory(ctx context.Context, cfg configs.Config, d *Dialogue) (*asof.DB, error) {
	db, err := asof.Open(ctx, asof.Options{Config: &cfg, Ledger: ledger.NewMemory(1)})
	if err != nil {
		return nil, err
	}
	if err := takeIn(ctx, db, d.Space, d.Turns); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// takeIn takes turns into a space.
func takeIn(ctx context.Context, db *asof.DB, space string, turns []dsl.Turn) error {
	items := make([]asof.Item, len(turns))
	for i := range turns {
		items[i] = asof.Item{Space: space, Turn: &turns[i]}
	}
	_, err := db.Ingest(ctx, items)
	return err
}

// list gives the ids of what is ranked.
func (x *exam) list() ([]string, error) { return x.docs, nil }

// sitInMemory takes the dialogue of an exam into a memory of its own, asks, and
// drops the memory.
func (r *run) sitInMemory(ctx context.Context, cfg configs.Config, x *exam) (_ *sitting, err error) {
	db, err := newMemory(ctx, cfg, x.dialogue)
	if err != nil {
		return nil, fmt.Errorf("eval: space %s: %w", x.space, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	v, err := db.View(x.space, asof.At{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	if r.opt.Clock != nil {
		if err := warmUp(ctx, v, r.suite.kind, x); err != nil {
			return nil, err
		}
	}
	s, err := r.sit(ctx, x, memoryAsker{search: func(ctx context.Context, q *posed, k int) ([]Hit, string, error) {
		return searchView(ctx, v, nil, r.suite.kind, x.list, q, k)
	}, pack: func(ctx context.Context, q *posed) (*Packed, error) { return packView(ctx, v, r.suite.kind, q) }})
	if err == nil {
		err = r.study(ctx, v, s)
	}
	if err != nil || r.table == nil {
		return s, err
	}
	for i := range x.questions {
		row, err := r.table.ask(ctx, v, r, x, i)
		if err != nil {
			return nil, err
		}
		s.table = append(s.table, row)
	}
	return s, nil
}

// warmUp asks something else first, until the memory has kept its vectors:
// latencies are those of a memory that has been asked before, and the first of
// many answers would be a poor sample of them.
func warmUp(ctx context.Context, v *asof.View, kind retrieval.Kind, x *exam) error {
	if x.turns == 0 {
		return nil
	}
	q := asof.SearchQuery{Text: strings.ToValidUTF8(shorten(x.dialogue.Turns[0].Text.String()), ""), K: 1, Kinds: []retrieval.Kind{kind}}
	for range mostWarming {
		r, err := v.Search(ctx, q)
		if err != nil || len(r.Unkept) == 0 {
			return err
		}
	}
	return nil
}

// mostWarming bounds the wait for vectors, which are made in the background.
const mostWarming = 50

// searchView asks a view. What the search leaves out follows in the order of the
// data, at scores that fall and lie below every found one, so that a ranking is
// as deep as was asked for. Without a profile the memory's own configuration holds.
func searchView(ctx context.Context, v *asof.View, p *asof.Profile, kind retrieval.Kind, docs func() ([]string, error), q *posed, k int) ([]Hit, string, error) {
	query := asof.SearchQuery{Text: q.text, K: k, Kinds: []retrieval.Kind{kind}, Asked: q.at}
	var r asof.SearchResult
	var err error
	if p == nil {
		r, err = v.Search(ctx, query)
	} else {
		r, err = v.SearchUnder(ctx, query, p)
	}
	if err != nil {
		return nil, "", err
	}
	found := make(map[string]bool, len(r.Hits))
	var hits []Hit
	below := 1.0
	for i := range r.Hits {
		id := docOf(&r.Hits[i])
		score := r.Hits[i].Score
		if i > 0 && float32(score) >= float32(below) {
			// A tie, in single precision, is broken as the engine broke it, so that
			// trec_eval, which has an order of its own for ties, scores this one.
			score = float64(math.Nextafter32(float32(below), -1))
		}
		hits = append(hits, Hit{ID: id, Score: score})
		found[id], below = true, score
	}
	missing := k - len(hits)
	if missing == 0 {
		return hits, basisText(r.Basis), nil
	}
	rest, err := docs()
	if err != nil {
		return nil, "", err
	}
	for _, id := range rest {
		if len(hits) == k {
			break
		}
		if !found[id] {
			// Halved, so that single precision, which trec_eval has, tells the
			// last found from the first that was not.
			hits = append(hits, Hit{ID: id, Score: below / 2 * float64(k-len(hits)) / float64(missing)})
		}
	}
	return hits, basisText(r.Basis), nil
}

func basisText(b store.Basis) string { return fmt.Sprintf("%s %s", b.Seq, b.Time) }

// NewSearcher makes a Searcher of a memory that holds LoCoMo conversations.
func NewSearcher(db *asof.DB) Searcher { return dbSearcher{db} }

type dbSearcher struct{ db *asof.DB }

// SearchTurns implements Searcher.
func (s dbSearcher) SearchTurns(ctx context.Context, space, question string, k int) (hits []Hit, basis string, err error) {
	v, err := s.db.View(space, asof.At{})
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	return searchView(ctx, v, nil, retrieval.Turn, func() (docs []string, err error) {
		for t, err := range v.Turns(0) {
			if err != nil {
				return nil, err
			}
			docs = append(docs, t.ID)
		}
		return docs, nil
	}, &posed{text: question}, k)
}
