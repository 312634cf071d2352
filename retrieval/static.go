package retrieval

import (
	"context"

	"github.com/asof-db/asof/internal/static"
	"github.com/asof-db/asof/store"
)

// Static is the name of the channel of the table of word pieces that is built
// into the program.
const Static = "static"

// staticTable is the Encoder of that table.
type staticTable struct{}

// StaticTable gives the Encoder whose vectors come from the table of word pieces
// that is built into the program. It needs no model, costs microseconds a text and
// gives the same bits on every processor.
func StaticTable() Encoder { return staticTable{} }

// Model implements Encoder.
func (staticTable) Model() store.VectorModel {
	return store.VectorModel{Name: "static/" + static.Hash(), Dim: static.Dim}
}

// Query implements Encoder.
func (staticTable) Query(_ context.Context, text string) ([]float32, error) {
	e, err := static.Embed(text)
	if err != nil || e.Words+e.Han == 0 {
		return nil, err
	}
	return e.Vector[:], nil
}

// Documents implements Encoder.
func (staticTable) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	list := make([][]float32, len(texts))
	for i, text := range texts {
		if i%64 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		e, err := static.Embed(text)
		if err != nil {
			return nil, err
		}
		list[i] = e.Vector[:]
	}
	return list, nil
}
