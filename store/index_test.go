package store_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// talker writes turns of few words in sessions that mix, and facts beside them,
// and remembers what each document holds.
type talker struct {
	*storetest.Chain
	random *rand.Rand
	turns  []spoken
	facts  [][]string
}

type spoken struct {
	session string
	terms   []string
}

func newTalker(space string, seed uint64) *talker {
	return &talker{Chain: storetest.NewChain(space), random: rand.New(rand.NewPCG(seed, 7))}
}

// word draws one of 200 words, the first ones most often.
func (k *talker) word() string {
	return fmt.Sprintf("w%d", int(200*k.random.Float64()*k.random.Float64()*k.random.Float64()))
}

// next gives a transaction of one turn and, now and then, of a fact.
func (k *talker) next() *dsl.Tx {
	n := len(k.turns)
	words := make([]string, k.random.IntN(9))
	for i := range words {
		words[i] = k.word()
	}
	turn := dsl.Turn{
		ID: fmt.Sprint("t", n), Session: fmt.Sprint("s", n/40+k.random.IntN(3)), Speaker: dsl.Plain(fmt.Sprintf("Anna w%d", n%5)),
		Text: dsl.Plain(strings.Join(words, " ")), TS: dsl.Instant(1_700_000_000_000_000 + n),
	}
	k.turns = append(k.turns, spoken{turn.Session, words})
	if n%2 == 0 {
		return k.Turn(turn)
	}
	dst := k.word()
	k.facts = append(k.facts, []string{"anna", "likes", dst})
	return k.Turn(turn, storetest.Upsert(fmt.Sprint("f", n), 1, k.Node(dsl.Entity, "Anna"), "likes", k.Node(dsl.Literal, dst), dsl.Since(turn.TS), 1))
}

// wantTurns gives the postings of a term among the first n turns, as slowly as
// they are defined.
func (k *talker) wantTurns(term string, n int) (list []store.Posting) {
	for d := range n {
		p := store.Posting{Doc: int32(d), TF: occurs(k.turns[d].terms, term)}
		left := store.ContextTurns
		for b := d - 1; b >= 0 && left > 0 && b > d-400; b-- {
			if k.turns[b].session == k.turns[d].session {
				p.Context += occurs(k.turns[b].terms, term)
				left--
			}
		}
		if p.TF+p.Context > 0 {
			list = append(list, p)
		}
	}
	return list
}

func occurs(terms []string, term string) (n uint32) {
	for _, t := range terms {
		if t == term {
			n++
		}
	}
	return n
}

func readTerm(t testing.TB, v store.View, f store.Field, term string) (list []store.Posting, bytes int) {
	t.Helper()
	x, err := v.Index(f)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	l, err := x.Term(term)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.EachPosting(l, func(p store.Posting) bool { list = append(list, p); return true }); err != nil {
		t.Fatal(err)
	}
	if l.Count() != len(list) {
		t.Fatalf("%q counts %d documents and lists %d", term, l.Count(), len(list))
	}
	return list, store.IndexBytes(x)
}

// TestSegments reads views on both sides of every border of a segment, with a
// log of any length behind them.
func TestSegments(t *testing.T) {
	defer store.SmallSegments()()
	s := openMem(t)
	k := newTalker("a", 1)
	const chunk = store.ChunkDocs
	lengths := []int{1, chunk - 1, chunk, chunk + 1, 2*chunk - 1, 2 * chunk, 3 * chunk, 4*chunk - 1, 4 * chunk, 4*chunk + 1, 4*chunk + 300, 5*chunk + 10, 6*chunk + 10, 8*chunk + 3}
	for at, n := range lengths {
		var txs []*dsl.Tx
		for len(k.turns) < n {
			txs = append(txs, k.next())
		}
		applyTo(t, s, txs...)
		for _, seq := range append(lengths[:at:at], n, n/2, n/3) {
			v, err := s.At("a", dsl.Seq(seq))
			if err != nil {
				t.Fatal(err)
			}
			for _, term := range []string{"w0", "w1", "w7", "w60", "w150", "w199", "nothing"} {
				want := k.wantTurns(term, seq)
				if got, _ := readTerm(t, v, store.TurnField, term); !reflect.DeepEqual(got, want) {
					t.Fatalf("view %d of %d: turns with %q are\n%v, want\n%v", seq, n, term, got, want)
				}
				want = nil
				for d, terms := range k.facts[:seq/2] {
					if occurs(terms, term) > 0 {
						want = append(want, store.Posting{Doc: int32(d), TF: 1})
					}
				}
				if got, _ := readTerm(t, v, store.FactField, term); !reflect.DeepEqual(got, want) {
					t.Fatalf("view %d of %d: facts with %q are\n%v, want\n%v", seq, n, term, got, want)
				}
			}
			docs, err := v.Docs(store.TurnField)
			if err != nil || len(docs.Info) != seq {
				t.Fatalf("view %d of %d: %d documents, %v", seq, n, len(docs.Info), err)
			}
			for d := range docs.Info {
				if docs.Info[d].Seq != dsl.Seq(d+1) || int(docs.Info[d].Length) != len(k.turns[d].terms) || docs.Sessions[docs.Info[d].Session] != k.turns[d].session {
					t.Fatalf("view %d of %d: document %d is %+v", seq, n, d, docs.Info[d])
				}
			}
			if seq > 1 {
				d := seq/2 - 1
				f, err := v.FactDoc(d)
				if err != nil || f.DstName.String() != k.facts[d][2] {
					t.Fatalf("view %d of %d: fact document %d is %v, %v", seq, n, d, f, err)
				}
			}
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if rep := check(t, s, store.CheckOptions{Window: 700}); !rep.OK() {
		t.Errorf("faults: %v", rep.Faults)
	}
}

// TestSegmentsOfAnyBatch: which transactions were committed together, and when
// the store was opened, changes no row.
func TestSegmentsOfAnyBatch(t *testing.T) {
	defer store.SmallSegments()()
	k := newTalker("a", 2)
	var txs []*dsl.Tx
	for range 4*store.ChunkDocs + 100 {
		txs = append(txs, k.next())
	}
	var want []store.Row
	for _, size := range []int{1, 77, store.ChunkDocs, len(txs)} {
		s := openMem(t)
		for group := range slices.Chunk(txs, size) {
			applyTo(t, s, group...)
		}
		rows, err := store.RawRows(s, "a")
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = rows
		}
		if !reflect.DeepEqual(rows, want) {
			t.Errorf("in groups of %d there are other rows", size)
		}
	}
}

// TestStageSeesItsPostings: a stage reads what it holds, sealed and not, and a
// discarded one leaves nothing.
func TestStageSeesItsPostings(t *testing.T) {
	s := openMem(t)
	k := newTalker("a", 3)
	for range 200 {
		applyTo(t, s, k.next())
	}
	committed := len(k.turns)
	st, err := s.Stage()
	if err != nil {
		t.Fatal(err)
	}
	for range 150 {
		tx := k.next()
		if err := st.Apply(tx, storetest.Entry(tx)); err != nil {
			t.Fatal(err)
		}
		v, err := st.View("a")
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := readTerm(t, v, store.TurnField, "w3"); !reflect.DeepEqual(got, k.wantTurns("w3", len(k.turns))) {
			t.Fatalf("with %d turns the stage reads %v, want %v", len(k.turns), got, k.wantTurns("w3", len(k.turns)))
		}
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
		if len(k.turns)%20 == 0 { // and readers of what is committed do not see it
			v, err := s.At("a", dsl.Seq(committed))
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := readTerm(t, v, store.TurnField, "w3"); !reflect.DeepEqual(got, k.wantTurns("w3", committed)) {
				t.Fatalf("beside a stage the head reads %v", got)
			}
			v.Close()
		}
	}
	drop := k.Drop()
	if err := st.Apply(drop, storetest.Entry(drop)); err != nil {
		t.Fatal(err)
	}
	v, err := st.View("a")
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := readTerm(t, v, store.TurnField, "w3"); len(got) != 0 {
		t.Errorf("a dropped space holds %v", got)
	}
	v.Close()
	if err := st.Discard(); err != nil {
		t.Fatal(err)
	}
	if v, err = s.At("a", dsl.Seq(committed)); err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if got, _ := readTerm(t, v, store.TurnField, "w3"); !reflect.DeepEqual(got, k.wantTurns("w3", committed)) {
		t.Errorf("after the stage was discarded: %v", got)
	}
}

// TestDropRemovesTheIndex: nothing of a space's index is left, whatever caches
// hold, and the space begins anew.
func TestDropRemovesTheIndex(t *testing.T) {
	s := openMem(t)
	k := newTalker("a", 4)
	for range store.ChunkDocs + 50 {
		applyTo(t, s, k.next())
	}
	old, err := s.At("a", dsl.Seq(len(k.turns)))
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	readTerm(t, old, store.TurnField, "w0")
	drop := k.Drop()
	applyTo(t, s, drop)
	rows, err := store.RawRows(s, "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if strings.ContainsRune("xyYm", rune(r.Key[0])) {
			t.Fatalf("row %q is left", r.Key)
		}
	}
	if _, err := old.Index(store.TurnField); err == nil {
		t.Error("a view from before the drop still opens the index")
	}
	fresh := &talker{Chain: k.Chain, random: k.random}
	for range 10 {
		applyTo(t, s, fresh.next())
	}
	v, err := s.At("a", drop.Seq+10)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for _, term := range []string{"w0", "w1", "w2", "w3"} {
		if got, _ := readTerm(t, v, store.TurnField, term); !reflect.DeepEqual(got, fresh.wantTurns(term, 10)) {
			t.Errorf("after the drop %q is in %v, want %v", term, got, fresh.wantTurns(term, 10))
		}
	}
}

// TestReadersBesideAWriter reads views of every length while the log grows over
// the borders of segments.
func TestReadersBesideAWriter(t *testing.T) {
	defer store.SmallSegments()()
	s := openMem(t)
	k := newTalker("a", 5)
	const total = 3*store.ChunkDocs + 40
	var txs []*dsl.Tx
	for range total {
		txs = append(txs, k.next())
	}
	terms := []string{"w0", "w2", "w9"}
	var want [3][]store.Posting
	for i, term := range terms {
		want[i] = k.wantTurns(term, total)
	}
	applyTo(t, s, txs[:100]...)
	done := make(chan error, 3)
	for r := range 3 {
		go func() {
			random := rand.New(rand.NewPCG(uint64(r), 1))
			done <- func() error {
				for {
					head, err := s.Head("a")
					if err != nil {
						return err
					}
					seq := head.Seq - dsl.Seq(random.IntN(min(60, int(head.Seq))))
					v, err := s.At("a", seq)
					if err != nil {
						return err
					}
					x, err := v.Index(store.TurnField)
					if err != nil {
						return err
					}
					for i, term := range terms {
						l, err := x.Term(term)
						if err != nil {
							return err
						}
						n := 0
						err = store.EachPosting(l, func(p store.Posting) bool {
							n++
							return want[i][n-1] == p
						})
						if err != nil || n != l.Count() || n < len(want[i]) && want[i][n].Doc < int32(seq) {
							return fmt.Errorf("view %d: %q differs at its posting %d of %d: %v", seq, term, n, l.Count(), err)
						}
					}
					if _, err := x.Speakers("anna"); err != nil {
						return err
					}
					if _, err := x.Chunk((int(seq) - 1) / store.ChunkDocs); err != nil {
						return err
					}
					if err := x.Close(); err != nil {
						return err
					}
					if err := v.Close(); err != nil {
						return err
					}
					if head.Seq == total {
						return nil
					}
				}
			}()
		}()
	}
	for _, tx := range txs[100:] {
		applyTo(t, s, tx)
	}
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
