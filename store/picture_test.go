package store_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// version gives a version with these bounds, opened at the position of its record
// start.
func version(id string, valid, record dsl.Interval) store.Version {
	return store.Version{FactVersion: dsl.FactVersion{ID: id, Src: "s", Rel: "r", Valid: valid, Record: record, Opened: dsl.Seq(record.Start)}}
}

// TestPicture draws what the cases in testdata/asof do not reach: ends of time on
// all sides, versions without an area before and between others.
func TestPicture(t *testing.T) {
	p := store.PlaneOf([]store.Version{
		version("none", dsl.Interval{Start: 3, End: 3}, dsl.Since(1)),
		version("a", dsl.Interval{Start: dsl.Beginning, End: 5}, dsl.Interval{Start: 1, End: 3}),
		version("never", dsl.Always, dsl.Interval{Start: 2, End: 2}),
		version("b", dsl.Always, dsl.Interval{Start: 2, End: 3}),
		version("c", dsl.Always, dsl.Since(3)),
	})
	var b strings.Builder
	if err := p.Picture(&b, func(i int) string { return p.Rectangles[i].ID + " in a box that is wider" }); err != nil {
		t.Fatal(err)
	}
	const want = `valid
∞                                                      +^^^^^^^^^^^^^^^^^^^^^^^^^^^>
                                                       |c in a box that is wider   >
1970-01-01T00:00:00.000005 +---------------------------+                           >
                           |a in a box that is wider   |                           >
-∞                         +vvvvvvvvvvvvvvvvvvvvvvvvvvv+vvvvvvvvvvvvvvvvvvvvvvvvvvv>
                           1970-01-01T00:00:00.000001  1970-01-01T00:00:00.000003    record

valid
∞  +^^^^^^^^^^^^^^^^^^^^^^^^^^^+
   |b in a box that is wider   |
-∞ +vvvvvvvvvvvvvvvvvvvvvvvvvvv+
   1970-01-01T00:00:00.000002  1970-01-01T00:00:00.000003  record
`
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestPictureRefuses(t *testing.T) {
	var many []store.Version
	for i := range dsl.Instant(store.MaxDrawn) {
		many = append(many, version("f", dsl.Always, dsl.Interval{Start: i, End: i + 1}))
	}
	label := func(int) string { return "f" }
	p := store.PlaneOf(many)
	if err := p.Picture(io.Discard, label); err != nil {
		t.Error(err)
	}
	p = store.PlaneOf(append(many, version("f", dsl.Always, dsl.Since(1000))))
	if err := p.Picture(io.Discard, label); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("one more: %v", err)
	}
	p = store.PlaneOf(many[:1])
	if err := p.Picture(full{}, label); err == nil {
		t.Error("a failed write is not told")
	}
}

// full is a writer that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
