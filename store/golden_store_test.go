package store_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// The golden folder is a store that a build of its format version wrote to disk:
// it holds what later builds, above a later Pebble, must be able to open. A file
// of a version is written once, by go test -run GoldenStore -update, and never
// again; next to it lies what the store must answer.
var goldenFolder = filepath.Join("testdata", "golden", fmt.Sprintf("store-v%d", store.FormatVersion))

// goldenModel is the model whose vectors the golden folder holds.
var goldenModel = store.VectorModel{Name: "m", Dim: 3, Int8: true}

// goldenSpaces gives the transactions of the golden folder, by space: those of
// the golden rows, then enough turns for a sealed segment; and a space that was
// dropped and went on. They must stay as they are. The chain is that of golden.
func goldenSpaces() (chain *storetest.Chain, golden, dropped []*dsl.Tx) {
	say := func(c *storetest.Chain, i int, ops ...dsl.Op) *dsl.Tx {
		_, now := c.Head()
		return c.Turn(dsl.Turn{ID: fmt.Sprint("n", i), Session: fmt.Sprint("n", i%3), Speaker: dsl.Plain([]string{"Anna", "Ben Li"}[i%2]), TS: now + dsl.Second,
			Text: dsl.Plain(fmt.Sprintf("Day %d: the cat sat on mat %d near 北京, word%d", i, i*i%7, i*i*i%61))}, ops...)
	}
	chain, golden = goldenTxs()
	c := chain
	anna := c.Node(dsl.Entity, "Anna")
	for i := range store.ChunkDocs + 20 {
		var ops []dsl.Op
		if i%40 == 7 {
			_, now := c.Head()
			ops = append(ops, storetest.Upsert(fmt.Sprint("h", i), 1, anna, "owns", c.Node(dsl.Literal, fmt.Sprint("mat ", i)), dsl.Since(now), 0.75, fmt.Sprint("n", i)))
		}
		golden = append(golden, say(c, i, ops...))
	}
	c = storetest.NewChain("dropped")
	anna = c.Node(dsl.Entity, "Anna")
	for i := range 8 {
		if i == 5 {
			dropped = append(dropped, c.Drop())
			anna = c.Node(dsl.Entity, "Anna")
		}
		_, now := c.Head()
		dropped = append(dropped, say(c, i, storetest.Upsert(fmt.Sprint("f", i), 1, anna, "likes", c.Node(dsl.Entity, fmt.Sprint("cat ", i)), dsl.Since(max(now, start)), 1, fmt.Sprint("n", i))))
	}
	return chain, golden, dropped
}

// placed commits transactions one by one, as messages of a log after the first n.
func placed(t *testing.T, s *store.Store, n uint64, txs []*dsl.Tx) uint64 {
	t.Helper()
	for _, tx := range txs {
		n++
		st, err := s.Stage()
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(st.Apply(tx, storetest.Entry(tx)), st.Placed(tx.Space, tx.Seq, n), st.Commit()); err != nil {
			t.Fatal(errors.Join(err, st.Discard())) // a live stage would keep Close waiting
		}
	}
	return n
}

// openFolder opens a store on disk.
func openFolder(t *testing.T, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(store.Options{Dir: dir, CacheBytes: 1 << 20, MemtableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// makeGolden makes the golden folder. It is closed and opened midway, so that
// there are tables and write-ahead logs with rows.
func makeGolden(t *testing.T) *bytes.Buffer {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "db")
	_, golden, dropped := goldenSpaces()
	half := len(golden) - 100
	s := openFolder(t, dir)
	n := placed(t, s, 0, golden[:half])
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openFolder(t, dir)
	n = placed(t, s, n, dropped)
	placed(t, s, n, golden[half:])
	var vectors [][]float32
	for i := range 66 {
		vectors = append(vectors, []float32{float32(i), 1.5, -float32(i) / 4})
	}
	if err := errors.Join(s.PutVectors("golden", goldenModel, store.TurnField, 0, vectors), s.Close()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteHeader(&tar.Header{Name: e.Name(), Mode: 0o644, Size: int64(len(b))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return &out
}

// unpack lays a packed folder out in a new one.
func unpack(t *testing.T, packed []byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "db")
	z, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(h.Name)), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// answers writes what a store says: the digest of every position that is in a
// view, and at a few of them what there is.
func answers(t *testing.T, s *store.Store) string {
	t.Helper()
	var b strings.Builder
	for _, x := range []struct {
		space string
		full  map[dsl.Seq]bool
	}{{"dropped", map[dsl.Seq]bool{6: true, 9: true}}, {"golden", map[dsl.Seq]bool{3: true, 6: true, 200: true, 322: true}}} {
		head, err := s.Head(x.space)
		if err != nil {
			t.Fatal(err)
		}
		first, err := s.First(x.space)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "space %s: positions %s to %s\n", x.space, first, head.Seq)
		for seq := first; seq <= head.Seq; seq++ {
			v, err := s.At(x.space, seq)
			if err != nil {
				t.Fatal(err)
			}
			digest, err := v.Digest()
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %s\n", seq, digest)
			if x.full[seq] {
				if err := answersAt(&b, v); err != nil {
					t.Fatal(err)
				}
			}
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	v, err := s.At("golden", 322)
	if err != nil {
		t.Fatal(err)
	}
	res, err := store.VectorSearch(context.Background(), v, store.VectorQuery{Model: goldenModel.Name, Field: store.TurnField,
		Vector: []float32{1, 2, -1}, K: 5, Workers: 1, Partial: true})
	if err := errors.Join(err, v.Close()); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "vectors %+v\n", res)
	return b.String()
}

// answersAt writes what a view says.
func answersAt(b *strings.Builder, v store.View) error {
	pos, err := v.PositionAt(v.Basis().Seq)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "  position %d %s %q entry %s settings %s: %d turns, %d facts, %d events, %d open\n",
		pos.Time, pos.Kind, pos.Turn, pos.Entry, pos.Settings, pos.Turns, pos.Facts, pos.Events, pos.Open)
	for f, err := range v.History(store.FactQuery{All: true}) {
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "  fact %s/%d %s (%s) %s %q %s %s valid %s record %s %v %q %.17g, by %s %s %q, until %s %s %q\n", f.ID, f.Version, f.SrcName, f.DstKind, f.Rel,
			f.Relation, f.DstName, f.Status, f.Valid, f.Record, f.Evidence, f.Source, f.Confidence, f.Op, f.Rule, f.Reason, f.CloseOp, f.CloseRule, f.CloseReason)
	}
	for c, err := range v.Changes(0) {
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "  change %s %s %q", c.Seq, c.Kind, c.Turn)
		for _, f := range []*dsl.FactVersion{c.Before, c.After} {
			if f != nil {
				fmt.Fprintf(b, " %s/%d", f.ID, f.Version)
			}
		}
		b.WriteByte('\n')
	}
	for e, err := range v.Events(true) {
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "  event %s/%d %q %s %v %v %v %s record %s visible %d\n", e.ID, e.Version, e.Summary, e.Span, e.Participants, e.Includes, e.Evidence, e.Status, e.Record, e.Visible)
	}
	nodes, err := v.NodesNamed("anna")
	if err != nil {
		return err
	}
	for _, n := range nodes {
		group, err := v.Aliases(n.ID)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "  node %s %s %q with %v\n", n.ID, n.Kind, n.Name, group)
	}
	for _, id := range []string{"t1", "t2", "n0", "n255"} {
		u, err := v.Turn(id)
		if err != nil && !errors.Is(err, dsl.ErrNotFound) {
			return err
		}
		fmt.Fprintf(b, "  turn %s %s %d %q in %q: %q %d, replaced by %q\n", id, u.Seq, u.Doc, u.Speaker, u.Session, u.Text, u.TS, u.ReplacedBy)
	}
	for _, f := range []store.Field{store.TurnField, store.FactField, store.EventField} {
		x, err := v.Index(f)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "  index %c %+v:", f, x.Stats())
		for _, term := range []string{"cat", "word3", "move", "北京", "mat", "like"} {
			l, err := x.Term(term)
			if err != nil {
				return err
			}
			sum := uint32(0)
			if err := store.EachPosting(l, func(p store.Posting) bool { sum += uint32(p.Doc+1) * p.Weight(); return true }); err != nil {
				return err
			}
			fmt.Fprintf(b, " %s %d (%d)", term, l.Count(), sum)
		}
		b.WriteByte('\n')
		if err := x.Close(); err != nil {
			return err
		}
	}
	return nil
}

// TestGoldenStore opens the golden folder and asks what was asked when it was
// made, checks it whole, and lets it take what comes next.
func TestGoldenStore(t *testing.T) {
	if _, err := os.Stat(goldenFolder + ".tar.zst"); *update && errors.Is(err, os.ErrNotExist) {
		packed := makeGolden(t).Bytes()
		s := openFolder(t, unpack(t, packed))
		text := answers(t, s)
		if err := errors.Join(s.Close(), os.WriteFile(goldenFolder+".txt", []byte(text), 0o644), os.WriteFile(goldenFolder+".tar.zst", packed, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	packed, err := os.ReadFile(goldenFolder + ".tar.zst")
	if err != nil {
		t.Fatalf("%v; a new format version needs a golden folder: go test ./store -run GoldenStore -update", err)
	}
	then, err := os.ReadFile(goldenFolder + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	s := openFolder(t, unpack(t, packed))
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	was, is := strings.Split(string(then), "\n"), strings.Split(answers(t, s), "\n")
	for i := range min(len(was), len(is)) {
		if was[i] != is[i] {
			t.Fatalf("line %d of %s.txt was\n%s\nand is\n%s", i+1, goldenFolder, was[i], is[i])
		}
	}
	if len(was) != len(is) {
		t.Fatalf("the answers have %d lines, %s.txt has %d", len(is), goldenFolder, len(was))
	}
	if _, err := s.At("dropped", 5); !errors.Is(err, dsl.ErrNotFound) {
		t.Errorf("what was dropped is in a view: %v", err)
	}
	if rep := check(t, s, store.CheckOptions{Samples: 50}); !rep.OK() {
		t.Errorf("the golden folder has faults: %v", rep.Faults)
	}
	goldenClasses(t, s)

	c, _, _ := goldenSpaces()
	_, now := c.Head()
	var more []*dsl.Tx
	for i := range store.ChunkDocs {
		more = append(more, c.Turn(dsl.Turn{ID: fmt.Sprint("m", i), Session: "n0", Speaker: dsl.Plain("Anna"), TS: now, Text: dsl.Plain("the cat again")}))
	}
	n, err := s.Applied()
	if err != nil {
		t.Fatal(err)
	}
	placed(t, s, n, more)
	if rep := check(t, s, store.CheckOptions{Samples: 20}); !rep.OK() {
		t.Errorf("once more was applied to it, the golden folder has faults: %v", rep.Faults)
	}
}

// goldenClasses fails unless the store has rows of every class: of single
// documents and of sealed segments.
func goldenClasses(t *testing.T, s *store.Store) {
	t.Helper()
	f, err := s.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	sizes, err := f.Sizes(context.Background(), "")
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, c := range sizes.Classes {
		rows[c.Class] = c.Rows
	}
	for _, class := range store.Classes() {
		if rows[class] == 0 {
			t.Errorf("the golden folder has no row of class %s", class)
		}
	}
}
