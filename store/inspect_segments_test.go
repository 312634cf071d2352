package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// segmentsOf lists the segments of the space "x".
func segmentsOf(t *testing.T, s *store.Store, f store.Field) []store.Segment {
	t.Helper()
	z, err := s.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	list, err := z.Segments(context.Background(), "x", f)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestInspectSegments holds the list of segments to what a search reads, over two
// sealed segments and a tail, then breaks rows and looks for the faults.
func TestInspectSegments(t *testing.T) {
	s := openMem(t)
	c := storetest.NewChain("x")
	var txs []*dsl.Tx
	words := map[string]bool{}
	var a analyze.Analyzer
	for i := range 2*store.ChunkDocs + 9 {
		text := fmt.Sprintf("common w%d w%d, rare%d", i*i%7, i%5, i*i*i%61)
		for _, w := range a.Terms(nil, text) {
			words[w] = true
		}
		txs = append(txs, c.Turn(dsl.Turn{ID: fmt.Sprint("t", i), Session: fmt.Sprint("s", i%3), Speaker: dsl.Plain("Anna"),
			TS: start + dsl.Instant(i)*dsl.Second, Text: dsl.Plain(text)}))
	}
	applyTo(t, s, txs...)

	const tail = 2 * store.ChunkDocs
	terms, postings := map[int]int{}, map[int]int{} // by segment
	v, err := s.At("x", dsl.Seq(len(txs)))
	if err != nil {
		t.Fatal(err)
	}
	x, err := v.Index(store.TurnField)
	if err != nil {
		t.Fatal(err)
	}
	for w := range words {
		l, err := x.Term(w)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[int]bool{}
		if err := store.EachPosting(l, func(p store.Posting) bool {
			if n := int(p.Doc) / store.ChunkDocs; p.Doc < tail || p.TF > 0 {
				seen[n] = true
				postings[n]++
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		for n := range seen {
			terms[n]++
		}
	}
	if err := errors.Join(x.Close(), v.Close()); err != nil {
		t.Fatal(err)
	}

	list := segmentsOf(t, s, 0)
	if len(list) != 3 {
		t.Fatalf("there are %d segments, want 2 and a tail: %+v", len(list), list)
	}
	rows, err := store.RawRows(s, "x")
	if err != nil {
		t.Fatal(err)
	}
	count, size := 0, int64(0)
	for _, r := range rows {
		if strings.ContainsRune("xyY", rune(r.Key[0])) {
			count++
			size += int64(9 + len(r.Key) + len(r.Value))
		}
	}
	for i, g := range list {
		want := store.Segment{Field: "turn", Tier: 2, First: i * store.ChunkDocs, Last: (i+1)*store.ChunkDocs - 1, Documents: store.ChunkDocs, DocumentRows: 1}
		if i == 2 {
			want.Tail, want.Tier, want.Last, want.Documents, want.DocumentRows = true, -1, len(txs)-1, 9, 9
		}
		if g.Field != want.Field || g.Tail != want.Tail || g.Tier != want.Tier || g.First != want.First || g.Last != want.Last ||
			g.Documents != want.Documents || g.DocumentRows != want.DocumentRows || g.Fault != "" {
			t.Errorf("segment %d is %+v, want %+v", i, g, want)
		}
		if g.Terms != terms[i] || g.Postings != postings[i] || g.Terms == 0 {
			t.Errorf("segment %d has %d terms and %d postings, a search finds %d and %d", i, g.Terms, g.Postings, terms[i], postings[i])
		}
		count -= g.Rows
		size -= g.Bytes
	}
	if count != 0 || size != 0 {
		t.Errorf("%d rows of %d bytes are in no segment", count, size)
	}
	if list := segmentsOf(t, s, store.EventField); len(list) != 0 {
		t.Errorf("there are segments of events: %+v", list)
	}

	one, two := -1, -1 // rows of postings of the second segment, and its documents
	for i, r := range rows {
		if r.Key[0] == 'x' && r.Key[6] == 1 {
			one = i
		}
		if r.Key[0] == 'Y' && r.Key[5] == 1 {
			two = i
		}
	}
	for _, x := range []struct {
		key, value []byte
		fault      string
	}{
		{rows[one].Key, rows[one].Value[:len(rows[one].Value)-1], "does not decode"},
		{rows[two].Key, rows[two].Value[:5], "do not decode"},
		{[]byte("yt\x00\x00\x00\x01"), []byte{1}, "document 1 is not one of the tail"},
		{[]byte("yt\x00\x00\x02\x01"), []byte{1}, "document 513 does not decode"},
		{[]byte("xt\x01\x00\x00\x00\x00\x01a\x00\x00\x00\x00"), []byte{0, 1, 'a', 1, 1}, "no such segment"},
		{[]byte("xt\xff\xff\xff\xff\xff\x01a\x00\x00\x00\x00"), []byte{0}, "no such segment"},
		{[]byte("xt\x02"), []byte{0}, "no such segment"},
		{[]byte("Yt\xff\xff\xff\xff"), []byte{0}, "no such segment"},
	} {
		s := openMem(t)
		applyTo(t, s, txs...)
		if err := store.RawSet(s, "x", x.key, x.value); err != nil {
			t.Fatal(err)
		}
		faults := ""
		for _, g := range segmentsOf(t, s, store.TurnField) {
			faults += g.Fault + "\n"
		}
		if !strings.Contains(faults, x.fault) {
			t.Errorf("with %x → %x the faults are %q, want %q", x.key, x.value, faults, x.fault)
		}
	}
}
