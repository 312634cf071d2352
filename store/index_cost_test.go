package store_test

import (
	"fmt"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// TestViewCostsWhatItHolds: the bytes that a view reads do not grow with what
// came after it: not by more than one row a term while segments join, and not
// at all once the view's segment is of the largest tier.
func TestViewCostsWhatItHolds(t *testing.T) {
	defer store.SmallSegments()()
	s := openMem(t)
	k := newTalker("a", 6)
	const view = 3*store.ChunkDocs + 17
	terms := []string{"w0", "w1", "w4", "w20", "w90", "w180", "nothing"}
	read := func() (total int) {
		v, err := s.At("a", view)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		for _, f := range []store.Field{store.TurnField, store.FactField} {
			for _, term := range terms {
				_, bytes := readTerm(t, v, f, term)
				total += bytes
			}
		}
		return total
	}
	var alone, joined int
	for _, n := range []int{view, view + 50, 4 * store.ChunkDocs, 8 * store.ChunkDocs, 10*store.ChunkDocs + 5, 16 * store.ChunkDocs} {
		var txs []*dsl.Tx
		for len(k.turns) < n {
			txs = append(txs, k.next())
		}
		applyTo(t, s, txs...)
		switch got := read(); {
		case n == view:
			alone = got
		case got > alone+2*len(terms)*5000:
			t.Errorf("with %d turns behind it the view reads %d bytes, alone %d", n-view, got, alone)
		case n == 8*store.ChunkDocs: // both fields are of the largest tier as far as the view goes
			joined = got
		case n > 8*store.ChunkDocs && got != joined:
			t.Errorf("with %d turns the view reads %d bytes, with %d turns %d", n, got, 8*store.ChunkDocs, joined)
		}
	}
	if joined == 0 || joined > alone {
		t.Errorf("joined segments cost %d bytes, single ones and a tail %d", joined, alone)
	}
}

func FuzzPart(f *testing.F) {
	length := func(d int32) uint32 { return uint32(d%7) * 10 }
	var list []store.Posting
	for i := range int32(300) {
		list = append(list, store.Posting{Doc: i*i%5 + 9*i, TF: uint32(i % 4), Context: uint32(1 + i%3)})
	}
	f.Add(store.EncodePart(list[:1], length), uint32(10))
	f.Add(store.EncodePart(list[:20], length), uint32(100))
	f.Add(store.EncodePart(list, length), uint32(1<<16))
	f.Add(store.EncodePart(list, length), uint32(1500))
	f.Fuzz(func(t *testing.T, data []byte, limit uint32) {
		l, err := store.DecodePart(data, int32(limit%(1<<16+1)))
		if err != nil {
			return
		}
		last, n := int32(-1), 0
		err = store.EachPosting(l, func(p store.Posting) bool {
			if p.Doc <= last || p.Doc >= 1<<16 || p.TF+p.Context == 0 {
				t.Fatalf("posting %+v after document %d", p, last)
			}
			last, n = p.Doc, n+1
			return true
		})
		if err == nil && (n != l.Count() || last >= int32(limit%(1<<16+1))) {
			t.Fatalf("%d postings up to %d of %d before %d", n, last, l.Count(), limit)
		}
	})
}

func FuzzIndexRows(f *testing.F) {
	s := openMem(f)
	k := newTalker("a", 7)
	for range store.ChunkDocs + 20 {
		applyTo(f, s, k.next())
	}
	rows, err := store.RawRows(s, "a")
	if err != nil {
		f.Fatal(err)
	}
	seen := map[string]int{}
	for _, r := range rows {
		if c := string(r.Key[:2]); (c[0] == 'x' || c[0] == 'y' || c[0] == 'Y') && seen[c] < 3 {
			seen[c]++
			f.Add(r.Value)
		}
	}
	f.Fuzz(func(t *testing.T, value []byte) { // none may panic; what decodes is of no matter
		errs := []error{store.DecodeRow(value)}
		for _, field := range []store.Field{store.TurnField, store.FactField} {
			errs = append(errs, store.DecodeChunk(field, value), store.DecodeTailRow(field, value))
		}
		for _, err := range errs {
			if err != nil && fmt.Sprint(err) == "" {
				t.Fatal("an error that says nothing")
			}
		}
	})
}

// TestPartsComeBack: what is encoded is what is decoded, for blocks of every
// fill.
func TestPartsComeBack(t *testing.T) {
	length := func(d int32) uint32 { return uint32(d%50) * 7 }
	for _, n := range []int{1, 2, 15, 16, 17, 127, 128, 129, 256, 1000, 4096} {
		var list []store.Posting
		for i := range int32(n) {
			list = append(list, store.Posting{Doc: 15*i + i*i%11, TF: uint32(i % 3), Context: uint32(1+i%5) % 4 * uint32(i%2)})
			if p := &list[i]; p.TF+p.Context == 0 {
				p.Context = 1 << 20
			}
		}
		data := store.EncodePart(list, length)
		for _, limit := range []int32{0, 1, list[n/2].Doc, list[n-1].Doc, list[n-1].Doc + 1, 1 << 16} {
			l, err := store.DecodePart(data, limit)
			if err != nil {
				t.Fatal(err)
			}
			var got []store.Posting
			if err := store.EachPosting(l, func(p store.Posting) bool { got = append(got, p); return true }); err != nil {
				t.Fatal(err)
			}
			want := 0
			for want < n && list[want].Doc < limit {
				want++
			}
			if fmt.Sprint(got) != fmt.Sprint(list[:want]) || l.Count() != want {
				t.Errorf("%d postings before %d: %d come back, want %d", n, limit, len(got), want)
			}
		}
	}
}
