package retrieval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// Encoder turns texts into vectors whose dot products say how alike two texts
// are. The same text gives the same vector, whatever is asked with it.
type Encoder interface {
	// Model names the encoder by a hash of all that its vectors depend on, and
	// says how they are kept.
	Model() store.VectorModel
	// Query gives the vector of a question, of length 1, or nil where the encoder
	// knows nothing that is in it.
	Query(ctx context.Context, text string) ([]float32, error)
	// Documents gives a vector for each text, of length 1, or zeros where it knows
	// nothing that is in it.
	Documents(ctx context.Context, texts []string) ([][]float32, error)
}

// TokenEncoder turns texts into a vector for each of their tokens, for late
// interaction: a question and a document are as alike as the tokens of the question
// are to the tokens of the document that are most alike to them (store.MaxSim).
type TokenEncoder interface {
	// Model names the encoder, as that of an Encoder does, and says that it is of
	// tokens.
	Model() store.VectorModel
	// Query gives the token vectors of a question in the form of store.TokenBytes, or
	// nil where there are none.
	Query(ctx context.Context, text string) ([]byte, error)
	// Documents gives those of each text.
	Documents(ctx context.Context, texts []string) ([][]byte, error)
}

// Tokens gives the token vectors of the documents [from, to) of a field of a view:
// of turns what was said alone, without what was said before.
func Tokens(ctx context.Context, v store.View, f store.Field, from, to int, e TokenEncoder) ([][]byte, error) {
	texts := make([]string, 0, to-from)
	for doc := from; doc < to; doc++ {
		text, err := documentText(v, f, doc)
		if err != nil {
			return nil, fmt.Errorf("retrieval: token vectors of document %d of field %q: %w", doc, f, err)
		}
		texts = append(texts, text)
	}
	list, err := e.Documents(ctx, texts)
	if err == nil && len(list) != len(texts) {
		err = fmt.Errorf("%w: token vectors of %d texts, want those of %d", dsl.ErrInvalid, len(list), len(texts))
	}
	for _, x := range list {
		if dim := e.Model().Dim; err == nil && len(x)%dim != 0 {
			err = fmt.Errorf("%w: token vectors of %d bytes, want a multiple of %d", dsl.ErrInvalid, len(x), dim)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("retrieval: token vectors of documents %d to %d of field %q: %w", from, to, f, err)
	}
	return list, nil
}

// contextVectors is what the vectors of the turns before a turn count in its own,
// the last one first.
var contextVectors = [store.ContextTurns]float32{0.5, 0.3}

// Vectors gives the vectors of the documents [from, to) of a field of a view. The
// vector of a turn holds something of the turns before it in its session, those
// that had been replaced when it was recorded left out, and is brought back to
// length 1. So it depends on what is recorded up to the turn, never on what came
// later.
func Vectors(ctx context.Context, v store.View, f store.Field, from, to int, e Encoder) ([][]float32, error) {
	var vectors [][]float32
	var err error
	if f == store.TurnField {
		vectors, err = turnVectors(ctx, v, from, to, e)
	} else {
		var texts []string
		for doc := from; doc < to && err == nil; doc++ {
			var text string
			text, err = documentText(v, f, doc)
			texts = append(texts, text)
		}
		if err == nil {
			vectors, err = encode(ctx, e, texts)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("retrieval: vectors of documents %d to %d of field %q: %w", from, to, f, err)
	}
	return vectors, nil
}

// encode gives the vectors of texts and checks their number and length.
func encode(ctx context.Context, e Encoder, texts []string) ([][]float32, error) {
	vectors, err := e.Documents(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("%w: %d vectors of %d texts", dsl.ErrInvalid, len(vectors), len(texts))
	}
	for _, x := range vectors {
		if len(x) != e.Model().Dim {
			return nil, fmt.Errorf("%w: a vector of %d dimensions, want %d", dsl.ErrInvalid, len(x), e.Model().Dim)
		}
	}
	return vectors, nil
}

// documentText gives the text of a document that is encoded.
func documentText(v store.View, f store.Field, doc int) (string, error) {
	switch f {
	case store.TurnField:
		x, err := v.TurnDoc(doc)
		return turnText(x.Turn), err
	case store.FactField:
		x, err := v.FactDoc(doc)
		return store.FactText(x.SrcName.String(), x.Rel, x.Relation.String(), x.DstName.String()), err
	}
	x, err := v.EventDoc(doc)
	return x.Summary.String(), err
}

// turnVectors gives the vectors of turns with their context.
func turnVectors(ctx context.Context, v store.View, from, to int, e Encoder) (vectors [][]float32, err error) {
	if from >= to {
		return nil, nil
	}
	w := wording{view: v, places: map[int]int{}, members: map[uint32][]int32{}}
	if w.index, err = v.Index(store.TurnField); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.index.Close()) }()
	before := make([][]int, to-from)
	for doc := from; doc < to; doc++ {
		if _, err = w.place(doc); err != nil {
			return nil, err
		}
		if before[doc-from], err = w.before(doc); err != nil {
			return nil, err
		}
	}
	own, err := encode(ctx, e, w.texts)
	if err != nil {
		return nil, err
	}
	for doc := from; doc < to; doc++ {
		x := slices.Clone(own[w.places[doc]])
		for i, b := range before[doc-from] {
			for j, y := range own[w.places[b]] {
				x[j] += float32(contextVectors[i] * y)
			}
		}
		vectors = append(vectors, unit(x))
	}
	return vectors, nil
}

// wording gathers the texts of turns.
type wording struct {
	view    store.View
	index   store.Index
	texts   []string
	places  map[int]int // of a turn's text among texts
	members map[uint32][]int32
}

// place gives the place of a turn's text, which it reads if need be.
func (w *wording) place(doc int) (int, error) {
	if at, ok := w.places[doc]; ok {
		return at, nil
	}
	turn, err := w.view.TurnDoc(doc)
	if err != nil {
		return 0, err
	}
	w.places[doc] = len(w.texts)
	w.texts = append(w.texts, turnText(turn.Turn))
	return w.places[doc], nil
}

// before gives the turns that are context of a turn, the last one first.
func (w *wording) before(doc int) (found []int, err error) {
	chunk, err := w.index.Chunk(doc / store.ChunkDocs)
	if err != nil {
		return nil, err
	}
	session := chunk[doc%store.ChunkDocs].Session
	members, ok := w.members[session]
	if !ok {
		if members, err = w.index.Members(session); err != nil {
			return nil, err
		}
		w.members[session] = members
	}
	at, _ := slices.BinarySearch(members, int32(doc))
	for at--; at >= 0 && len(found) < store.ContextTurns; at-- {
		replaced, err := w.replaced(int(members[at]), doc)
		if err != nil {
			return nil, err
		}
		if replaced {
			continue
		}
		if _, err := w.place(int(members[at])); err != nil {
			return nil, err
		}
		found = append(found, int(members[at]))
	}
	return found, nil
}

// replaced tells whether a turn up to the last one has taken the place of another.
func (w *wording) replaced(doc, last int) (bool, error) {
	if gone, err := w.index.Replaced(int32(doc)); err != nil || !gone {
		return false, err
	}
	turn, err := w.view.TurnDoc(doc)
	if err != nil {
		return false, err
	}
	by, err := w.view.Turn(turn.ReplacedBy)
	return by.Doc <= last, err
}

// unit brings a vector to length 1; one of zeros stays.
func unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	if sum == 0 {
		return v
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return v
}
