package asof_test

import (
	"testing"
	"time"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/store"
)

// kept waits until so many documents of a field, or more, have a vector; 0 is none.
func kept(t *testing.T, db *asof.DB, space string, f store.Field, want int) {
	t.Helper()
	for {
		n, err := db.VectorsKept(space, f)
		if err != nil {
			t.Fatal(err)
		}
		if n == want || n > want && want > 0 {
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatalf("%d documents of field %q have a vector, want %d", n, f, want)
		case <-time.After(time.Millisecond):
		}
	}
}

// TestVectorsAreKept holds the work in the background to change no answer: before
// it, after it, after the space was dropped, and in a memory that has none.
func TestVectorsAreKept(t *testing.T) {
	db := openAt(t, t.TempDir())
	ingest(t, db, talk("e", 150, 1))
	const question = "what was said about the weather in the garden"
	want := answers(t, db, "e", asof.AtSeq(100), question)
	head := answers(t, db, "e", asof.AtSeq(150), question)
	kept(t, db, "e", store.TurnField, 150)
	if got := answers(t, db, "e", asof.AtSeq(100), question); got != want {
		t.Errorf("with all vectors kept, the view of 100 positions answers\n%s\nbefore,\n%s", got, want)
	}

	if _, err := db.Ingest(ctx, []asof.Item{{Space: "e", Drop: true}}); err != nil {
		t.Fatal(err)
	}
	kept(t, db, "e", store.TurnField, 0)
	more := talk("e", 200, 2)
	ingest(t, db, more[:70])
	answers(t, db, "e", asof.At{}, question)
	kept(t, db, "e", store.TurnField, 70)
	ingest(t, db, more[70:])
	kept(t, db, "e", store.TurnField, 192)

	other := openAt(t, t.TempDir())
	ingest(t, other, talk("e", 150, 1))
	if got := answers(t, other, "e", asof.AtSeq(100), question); got != want {
		t.Errorf("another memory answers\n%s\nwant\n%s", got, want)
	}
	if got := answers(t, other, "e", asof.AtSeq(150), question); got != head {
		t.Errorf("at its head, another memory answers\n%s\nwant\n%s", got, head)
	}
}
