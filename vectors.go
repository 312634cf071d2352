package asof

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

// encoding keeps the vectors of documents in the store, in the background. A
// search never waits for it: what has no vector yet is encoded for that search
// alone, and gives the same answer.
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
	e := &encoding{db: db, stop: make(chan struct{}), wake: make(chan struct{}, 1), asked: make(map[string][]store.Field)}
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
		encoder := e.db.engine.ranking.Dense[i].Encoder
		for _, f := range fields {
			for {
				n, err := e.some(space, f, encoder, slices.Contains(asked, f))
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

// some encodes the next documents of a field and gives their number.
func (e *encoding) some(space string, f store.Field, encoder retrieval.Encoder, all bool) (n int, err error) {
	model := encoder.Model()
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
	to := min(docs, from+encodeGroup)
	if !all {
		to -= to % wholeGroup
	}
	if to <= from || docs > retrieval.MaxDense {
		return 0, nil
	}
	vectors, err := retrieval.Vectors(context.Background(), v, f, from, to, encoder)
	if err != nil {
		return 0, err
	}
	return to - from, e.put(space, model, f, from, first, vectors)
}

// put keeps vectors, unless the space was dropped since they were made: then the
// document that first is of is another one, or there is none.
func (e *encoding) put(space string, model store.VectorModel, f store.Field, from int, first dsl.Seq, vectors [][]float32) (err error) {
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
	return e.db.store.PutVectors(space, model, f, from, vectors)
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
