package asof

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

// encoding keeps the vectors of documents in the store, in the background. A
// search does not wait for it: what has no vector yet by a channel that costs little
// is encoded for that search alone, and gives the same answer. What a model encodes
// costs seconds, so a search has it kept first, up to a bound (DB.embed).
//
// A space that no search has asked for has no vectors, and costs no more to record.
// Once one has, all that it holds is encoded, and what is recorded then as soon as
// it fills a group.
type encoding struct {
	db   *DB
	stop chan struct{}
	once sync.Once
	wake chan struct{}
	done sync.WaitGroup
	// busy is held by who encodes: no two encode the same.
	busy chan struct{}

	mu sync.Mutex // guards what follows
	// todo are the spaces to look at, in order; asked are the fields that a search
	// has asked for, by space.
	todo  []string
	asked map[string][]store.Field
}

// encodeGroup is how many documents are encoded before they are written, a
// multiple of what fills a group of vectors in the store.
const encodeGroup = 256

// wholeGroup is how many turns have to be there before recording alone has more of
// them encoded.
const wholeGroup = 64

func newEncoding(db *DB) *encoding {
	e := &encoding{db: db, stop: make(chan struct{}), wake: make(chan struct{}, 1), busy: make(chan struct{}, 1), asked: make(map[string][]store.Field)}
	if len(db.engine.ranking.Dense) > 0 {
		e.done.Add(1)
		go e.run()
	}
	return e
}

// close ends the work with the group at hand and waits for it: so that a program
// that only ever asks one question leaves some vectors behind. It is idempotent.
func (e *encoding) close() {
	if e != nil {
		e.once.Do(func() { close(e.stop) })
		e.done.Wait()
	}
}

// stopped tells whether the work is to end.
func (e *encoding) stopped() bool {
	select {
	case <-e.stop:
		return true
	default:
		return false
	}
}

// note tells that a space has new documents, or that a search asked for those of
// fields.
func (e *encoding) note(space string, asked ...store.Field) {
	if len(e.db.engine.ranking.Dense) == 0 {
		return
	}
	e.mu.Lock()
	if !slices.Contains(e.todo, space) {
		e.todo = append(e.todo, space)
	}
	for _, f := range asked {
		if !slices.Contains(e.asked[space], f) {
			e.asked[space] = append(e.asked[space], f)
		}
	}
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// waiting gives how many spaces there are to look at.
func (e *encoding) waiting() int {
	if e == nil {
		return 0
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.todo)
}

// next gives a space to look at and what was asked of it.
func (e *encoding) next() (space string, asked []store.Field, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.todo) == 0 {
		return "", nil, false
	}
	space, e.todo = e.todo[0], e.todo[1:]
	asked = e.asked[space]
	delete(e.asked, space)
	return space, asked, true
}

func (e *encoding) run() {
	defer e.done.Done()
	for {
		select {
		case <-e.wake:
		default:
			select {
			case <-e.wake:
			case <-e.stop:
				return
			}
		}
		for {
			space, asked, ok := e.next()
			if !ok {
				break
			}
			if err := e.space(space, asked); err != nil {
				e.db.log.Warn("vectors are not kept for now; searches make them as they need them", "space", space, "err", err)
			}
			if e.stopped() {
				return
			}
		}
	}
}

// space encodes what a space lacks: of turns whole groups, if it has vectors, and
// of what was asked for everything.
func (e *encoding) space(space string, asked []store.Field) error {
	fields := asked
	if !slices.Contains(fields, store.TurnField) {
		fields = append([]store.Field{store.TurnField}, fields...)
	}
	for i := range e.db.engine.ranking.Dense {
		d := &e.db.engine.ranking.Dense[i]
		for _, f := range fields {
			for {
				n, err := e.some(context.Background(), space, f, d, slices.Contains(asked, f), math.MaxInt, inBackground)
				if err != nil {
					return fmt.Errorf("asof: vectors: %w", err)
				}
				if e.stopped() {
					return nil
				}
				if n == 0 {
					break
				}
			}
		}
	}
	return nil
}

// some encodes the next documents of a field, none from number upTo on, and gives
// their number.
func (e *encoding) some(ctx context.Context, space string, f store.Field, d *retrieval.Dense, all bool, upTo int, where string) (n int, err error) {
	select {
	case e.busy <- struct{}{}:
		defer func() { <-e.busy }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	model := d.Model()
	from, err := e.db.store.VectorCoverage(space, model.Name, f)
	if err != nil || from == 0 && !all {
		return 0, err
	}
	v, err := e.head(space)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	docs, first, err := documents(v, f, from)
	if err != nil {
		return 0, err
	}
	to := min(docs, upTo, from+encodeGroup)
	if !all {
		to -= to % wholeGroup
	}
	if to <= from || docs > d.Most() {
		return 0, nil
	}
	var made made
	if d.Late != nil {
		made.tokens, err = retrieval.Tokens(ctx, v, f, from, to, d.Late)
	} else {
		made.vectors, err = retrieval.Vectors(ctx, v, f, from, to, d.Encoder)
	}
	if err != nil {
		return 0, err
	}
	e.db.metrics.vectors.WithLabelValues(where).Add(float64(to - from))
	return to - from, e.put(space, model, f, from, first, &made)
}

// made are vectors of documents, or those of their tokens.
type made struct {
	vectors [][]float32
	tokens  [][]byte
}

// put keeps vectors, unless the space was dropped since they were made: then the
// document that first is of is another one, or there is none.
func (e *encoding) put(space string, model store.VectorModel, f store.Field, from int, first dsl.Seq, m *made) (err error) {
	e.db.commit.Lock()
	defer e.db.commit.Unlock()
	v, err := e.head(space)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	_, now, err := documents(v, f, from)
	if err != nil {
		return err
	}
	if now != first {
		return nil
	}
	if model.Tokens {
		return e.db.store.PutTokens(space, model, f, from, m.tokens)
	}
	return e.db.store.PutVectors(space, model, f, from, m.vectors)
}

// embed keeps the vectors that channels of a model lack of a view's documents,
// before a search of these kinds. Where more are lacking than a search makes, it
// leaves them to the background and says retrieval.ErrNotReady.
func (v *View) embed(ctx context.Context, kinds []retrieval.Kind) error {
	return v.eachModel(kinds, func(d *retrieval.Dense, mark retrieval.Watermark) error {
		if mark.Of > d.Most() {
			return nil
		}
		space, lacks := v.Basis().Space, fmt.Sprintf("%d of %d documents of kind %s have vectors of %s", mark.Documents, mark.Of, KindOf(mark.Field), d.Name)
		if mark.Of-mark.Documents > d.First {
			v.db.encoding.note(space, mark.Field)
			v.db.metrics.unready.WithLabelValues(fateNotReady).Inc()
			return fmt.Errorf("asof: search: %w: %s, and a search makes at most %d (models.embed_first); take an answer from a part (--partial), or ask again",
				retrieval.ErrNotReady, lacks, d.First)
		}
		for kept := mark.Documents; kept < mark.Of; {
			n, err := v.db.encoding.some(ctx, space, mark.Field, d, true, mark.Of, bySearch)
			if err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				v.db.metrics.unready.WithLabelValues(fateNotReady).Inc()
				return fmt.Errorf("asof: search: %w: %s, and the others could not be made: %w; take an answer from a part (--partial)",
					retrieval.ErrNotReady, lacks, err)
			}
			if n == 0 {
				break // the space was dropped, or another made them
			}
			kept += n
		}
		return nil
	})
}

// Watermarks says how far the vectors go that models make of the documents of a
// view, by what a search of these kinds looks at: none where the configuration
// names no model.
func (v *View) Watermarks(kinds []retrieval.Kind) (marks []retrieval.Watermark, err error) {
	err = v.eachModel(kinds, func(_ *retrieval.Dense, mark retrieval.Watermark) error {
		marks = append(marks, mark)
		return nil
	})
	return marks, err
}

// eachModel calls f for every channel whose vectors a model makes and every field
// that a search of some kinds looks at.
func (v *View) eachModel(kinds []retrieval.Kind, f func(*retrieval.Dense, retrieval.Watermark) error) error {
	for i := range v.engine.ranking.Dense {
		d := &v.engine.ranking.Dense[i]
		if !d.Slow {
			continue
		}
		for _, field := range fieldsOf(kinds) {
			mark, err := v.watermark(d, field)
			if err == nil {
				err = f(d, mark)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// watermark gives how far the vectors of a channel go in a view.
func (v *View) watermark(d *retrieval.Dense, f store.Field) (m retrieval.Watermark, err error) {
	index, err := v.Index(f)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	m = retrieval.Watermark{Model: d.Model().Name, Field: f, Of: index.Stats().Docs}
	m.Documents, err = v.db.store.VectorCoverage(v.Basis().Space, m.Model, f)
	m.Documents = min(m.Documents, m.Of)
	return m, err
}

// fieldsOf gives the fields whose documents a search of some kinds scores: turns
// always, for they are the evidence.
func fieldsOf(kinds []retrieval.Kind) []store.Field {
	if len(kinds) == 0 {
		kinds = retrieval.DefaultKinds
	}
	fields := []store.Field{store.TurnField}
	if slices.Contains(kinds, retrieval.Fact) {
		fields = append(fields, store.FactField)
	}
	if slices.Contains(kinds, retrieval.Event) {
		fields = append(fields, store.EventField)
	}
	return fields
}

// KindOf names the documents of a field.
func KindOf(f store.Field) retrieval.Kind {
	switch f {
	case store.FactField:
		return retrieval.Fact
	case store.EventField:
		return retrieval.Event
	}
	return retrieval.Turn
}

func (e *encoding) head(space string) (store.View, error) {
	h, err := e.db.store.Head(space)
	if err != nil {
		return nil, err
	}
	return e.db.store.At(space, h.Seq)
}

// documents gives the number of documents of a field, and the position that added
// one of them, 0 where there is no such document.
func documents(v store.View, f store.Field, doc int) (n int, seq dsl.Seq, err error) {
	index, err := v.Index(f)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	if n = index.Stats().Docs; doc >= n {
		return n, 0, nil
	}
	chunk, err := index.Chunk(doc / store.ChunkDocs)
	if err != nil {
		return 0, 0, err
	}
	return n, chunk[doc%store.ChunkDocs].Seq, nil
}
