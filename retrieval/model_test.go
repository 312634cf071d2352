package retrieval

import (
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/model"
)

// at gives the view of the book at a position; 0 stands for the head.
func (b *book) at(t testing.TB, seq dsl.Seq) store.View {
	t.Helper()
	m := model.New(testSpace)
	for i, tx := range b.txs {
		if err := m.Apply(tx, b.entries[i]); err != nil {
			t.Fatal(err)
		}
	}
	if seq == 0 {
		seq = m.Head()
	}
	return m.At(seq)
}
