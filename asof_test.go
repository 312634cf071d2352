package asof_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/pack"
)

var ctx = context.Background()

// talk gives n turns of a small bilingual conversation whose facts change.
func talk(space string, n int, seed int64) []asof.Item {
	rng := rand.New(rand.NewSource(seed))
	en := []string{"I live in %s.", "I moved to %s last month.", "Actually, I live in %s now.", "I no longer live in %s.", "I work at %s.", "I quit my job at %s.", "I like %s."}
	zh := []string{"我住在%s。", "我喜欢%s。", "我不再喜欢%s。"}
	places := []string{"Boston", "Seattle", "Lyon", "Acme", "Globex", "北京", "上海", "jazz", "hiking"}
	ts := dsl.Instant(1_650_000_000_000_000)
	var items []asof.Item
	for i := range n {
		ts += dsl.Instant(rng.Int63n(int64(3 * dsl.Day)))
		said := ts
		if rng.Intn(8) == 0 {
			said -= dsl.Instant(rng.Int63n(int64(20 * dsl.Day))) // arrives late
		}
		form := en[rng.Intn(len(en))]
		if rng.Intn(4) == 0 {
			form = zh[rng.Intn(len(zh))]
		}
		items = append(items, asof.Item{Space: space, Turn: &dsl.Turn{ID: fmt.Sprintf("t%d", i), Session: fmt.Sprintf("s%d", i/6),
			Speaker: dsl.Plain([]string{"Ana", "Ben", "小李"}[rng.Intn(3)]), TS: said, Text: dsl.Plain(fmt.Sprintf(form, places[rng.Intn(len(places))]))}})
	}
	return items
}

func ingest(t *testing.T, db *asof.DB, items []asof.Item, opts ...asof.IngestOption) []asof.Receipt {
	t.Helper()
	r, err := db.Ingest(ctx, items, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// answers renders everything that a user may ask of a space at a time.
func answers(t *testing.T, db *asof.DB, space string, at asof.At, question string) string {
	t.Helper()
	v, err := db.View(space, at)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	var b bytes.Buffer
	show := func(x any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		line, err := asof.EncodeJSON(x)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	d, err := v.Digest()
	show(d, err)
	for _, all := range []bool{false, true} {
		q, _, err := v.Query(asof.Lookup{All: all})
		if err != nil {
			t.Fatal(err)
		}
		for f, err := range v.Facts(q) {
			show(asof.FactOut(&f), err)
		}
	}
	q, known, err := v.Query(asof.Lookup{Src: "Ana"})
	if err != nil {
		t.Fatal(err)
	}
	if known {
		for h, err := range v.History(q) {
			show(asof.HistoryOut(&h), err)
		}
	}
	for c, err := range v.Changes(0) {
		show(asof.ChangeOut(&c), err)
	}
	for _, kind := range []retrieval.ViewKind{retrieval.AsRecorded, retrieval.AsWas} {
		res, err := v.Search(ctx, asof.SearchQuery{Text: question, K: 10, View: kind, Kinds: retrieval.Kinds})
		show(db.SearchOut(question, &res), err)
		yes := true
		for _, opt := range []asof.PackOptions{{}, {Budget: 40, Stats: &yes}, {Mode: pack.Detchain}, {Mode: pack.Compass, Budget: 200}} {
			p, err := v.Pack(ctx, asof.SearchQuery{Text: question, View: kind}, opt)
			show(p, err)
		}
	}
	return b.String()
}

// TestPrefix is I8 from the outside: what a long store says of a time is what a
// store that has seen only the log up to it says, byte for byte.
func TestPrefix(t *testing.T) {
	full := openAt(t, t.TempDir())
	a, b := talk("a", 60, 1), talk("b", 40, 2)
	ingest(t, full, append(append([]asof.Item{}, a...), b...))
	rng := rand.New(rand.NewSource(3))
	questions := []string{"Where does Ana live?", "What does Ben like?", "小李喜欢什么？", "who works at Acme"}
	for range 12 {
		space, items := "a", a
		if rng.Intn(2) == 0 {
			space, items = "b", b
		}
		n := rng.Intn(len(items) + 1)
		prefix := openAt(t, "")
		if n > 0 {
			ingest(t, prefix, items[:n])
		}
		h, err := full.View(space, asof.AtSeq(dsl.Seq(n)))
		if err != nil {
			t.Fatal(err)
		}
		at := h.Basis().Time + dsl.Instant(rng.Intn(2))
		if n == 0 {
			at = 1_640_000_000_000_000
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		q := questions[rng.Intn(len(questions))]
		if want, got := answers(t, prefix, space, asof.AtTime(at), q), answers(t, full, space, asof.AtTime(at), q); want != got {
			t.Fatalf("space %s after %d turns at %s:\nprefix store:\n%s\nfull store:\n%s", space, n, at, want, got)
		}
		if err := prefix.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDuplicatesAndConflicts(t *testing.T) {
	dir := t.TempDir()
	db := openAt(t, dir)
	items := talk("s", 20, 4)
	first := ingest(t, db, items)
	before := digest(t, db, "s")
	check := func(db *asof.DB) {
		t.Helper()
		for i, r := range ingest(t, db, items) {
			if r.Fate != asof.Duplicate || r.Seq != first[i].Seq {
				t.Fatalf("item %d again: %+v, first %+v", i, r, first[i])
			}
		}
		if digest(t, db, "s") != before {
			t.Fatal("duplicates changed the state")
		}
		other := *items[3].Turn
		other.Text = dsl.Plain("something else")
		_, err := db.Ingest(ctx, []asof.Item{{Space: "s", Turn: &other}})
		if !errors.Is(err, dsl.ErrConflict) {
			t.Fatalf("another content under a known id: %v", err)
		}
		for _, turn := range []*dsl.Turn{items[3].Turn, &other} {
			h, err2 := dsl.TurnHash(turn)
			if err2 != nil || !strings.Contains(err.Error(), h.String()) {
				t.Fatalf("the error does not show the hash %s: %v", h, err)
			}
		}
	}
	check(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, dir)
	check(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "store")); err != nil {
		t.Fatal(err)
	}
	check(openAt(t, dir)) // the store comes back from the log
}

func digest(t *testing.T, db *asof.DB, space string) dsl.Hash {
	t.Helper()
	h, err := db.Head(space)
	if err != nil {
		t.Fatal(err)
	}
	return h.Digest
}

func TestRecordTimeRises(t *testing.T) {
	db := openAt(t, "")
	turn := func(id string, ts dsl.Instant) asof.Item {
		return asof.Item{Space: "s", Turn: &dsl.Turn{ID: id, Speaker: dsl.Plain("Ana"), TS: ts, Text: dsl.Plain("hello")}}
	}
	base := dsl.Instant(1_700_000_000_000_000)
	ingest(t, db, []asof.Item{turn("a", base), turn("b", base), turn("late", base-dsl.Day), turn("c", base+1), turn("d", base+dsl.Second)})
	v, err := db.View("s", asof.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for i, want := range []dsl.Instant{base, base + 1, base + 2, base + 3, base + dsl.Second} {
		p, err := v.PositionAt(dsl.Seq(i + 1))
		if err != nil || p.Time != want {
			t.Errorf("position %d is recorded at %s, want %s (%v)", i+1, p.Time, want, err)
		}
	}
}

func TestDoor(t *testing.T) {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	db, err := asof.Open(ctx, asof.Options{Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	turn := func(id string, ahead time.Duration) []asof.Item {
		return []asof.Item{{Space: "s", Turn: &dsl.Turn{ID: id, Speaker: dsl.Plain("Ana"), TS: dsl.FromTime(now.Add(ahead)), Text: dsl.Plain("hi")}}}
	}
	ingest(t, db, turn("edge", 5*time.Minute))
	if _, err := db.Ingest(ctx, turn("ahead", 5*time.Minute+time.Microsecond)); !errors.Is(err, dsl.ErrInvalid) || !strings.Contains(err.Error(), "--allow-future") {
		t.Fatalf("a turn from the future: %v", err)
	}
	ingest(t, db, turn("ahead", time.Hour), asof.AllowFuture())
}

func TestStopsAtTheFirstBadItem(t *testing.T) {
	db := openAt(t, "")
	items := talk("s", 10, 5)
	bad := *items[6].Turn
	bad.Speaker = dsl.Plain("A\x01na")
	items[6].Turn, items[6].Line = &bad, 77
	receipts, err := db.Ingest(ctx, items)
	var refused *asof.ItemError
	if !errors.As(err, &refused) || refused.Index != 6 || refused.Line != 77 || !strings.Contains(err.Error(), "U+0001") {
		t.Fatalf("err = %v", err)
	}
	h, err := db.Head("s")
	if err != nil || h.Seq != 6 || len(receipts) != 6 {
		t.Fatalf("the head is at %s with %d receipts, want 6 (%v)", h.Seq, len(receipts), err)
	}
}

func TestSecondProcess(t *testing.T) {
	dir := t.TempDir()
	openAt(t, dir)
	_, err := asof.Open(ctx, asof.Options{Dir: dir})
	if !errors.Is(err, asof.ErrInUse) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Fatalf("a second open of the folder: %v", err)
	}
}

func TestManyWriters(t *testing.T) {
	db := openAt(t, t.TempDir())
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			space := fmt.Sprintf("space %d", w)
			for i, it := range talk(space, 25, int64(w)) {
				if _, err := db.Ingest(ctx, []asof.Item{it}); err != nil {
					t.Errorf("%s turn %d: %v", space, i, err)
					return
				}
				if _, err := db.Search(ctx, space, asof.At{}, asof.SearchQuery{Text: "Where does Ana live?", K: 3}); err != nil {
					t.Errorf("search: %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
	for w := range 8 {
		alone := openAt(t, "")
		space := fmt.Sprintf("space %d", w)
		ingest(t, alone, talk(space, 25, int64(w)))
		if digest(t, alone, space) != digest(t, db, space) {
			t.Errorf("%s written beside others differs from %s alone", space, space)
		}
	}
}

func TestReplayAuditExportImport(t *testing.T) {
	db := openAt(t, t.TempDir())
	ingest(t, db, append(talk("a", 40, 6), talk("b", 30, 7)...))
	rep, err := db.Replay(ctx, filepath.Join(t.TempDir(), "again"), nil, "")
	if err != nil || !rep.Equal || rep.Positions != 70 {
		t.Fatalf("replay: %+v, %v", rep, err)
	}
	audit, err := db.Audit(ctx, "")
	if err != nil || !audit.OK() || audit.Entries != 70 || audit.Decided == 0 {
		t.Fatalf("audit: %+v, %v", audit, err)
	}
	var log bytes.Buffer
	for _, space := range []string{"a", "b"} {
		if err := db.Export(ctx, &log, space, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(file, log.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	other := openAt(t, t.TempDir())
	if _, err := other.Import(ctx, file); err != nil {
		t.Fatal(err)
	}
	for _, space := range []string{"a", "b"} {
		if digest(t, db, space) != digest(t, other, space) {
			t.Errorf("space %s differs after export and import", space)
		}
	}
	if again, err := other.Import(ctx, file); err != nil || again.New != 0 || again.Entries != 70 {
		t.Errorf("the same import again: %+v, %v", again, err)
	}
	ingest(t, other, talk("a", 41, 6)[40:])
	if _, err := other.Import(ctx, file); !errors.Is(err, asof.ErrNotEmpty) {
		t.Errorf("an import into a memory that went on: %v", err)
	}
	cut := openAt(t, t.TempDir()) // as an import leaves it that was killed halfway
	ingest(t, cut, talk("a", 25, 6))
	if rep, err := cut.Import(ctx, file); err != nil || rep.New != 45 || digest(t, cut, "a") != digest(t, db, "a") {
		t.Errorf("an import that goes on: %+v, %v", rep, err)
	}
	if rep, err := db.Replay(ctx, filepath.Join(t.TempDir(), "file"), bytes.NewReader(log.Bytes()), ""); err != nil || !rep.Equal {
		t.Errorf("replay from the file: %+v, %v", rep, err)
	}
	clean, err := asof.AuditFile(ctx, bytes.NewReader(log.Bytes()))
	if err != nil || !clean.OK() || clean.Entries != 70 {
		t.Fatalf("audit of the export: %+v, %v", clean, err)
	}
	damage(t, log.Bytes())
}

// damage flips bytes and cuts tails of an exported log; each must be found.
func damage(t *testing.T, log []byte) {
	t.Helper()
	rng := rand.New(rand.NewSource(8))
	flips := 60
	if os.Getenv("ASOF_LONG") != "" {
		flips = 2000
	}
	for range flips {
		bad := bytes.Clone(log)
		i := rng.Intn(len(bad))
		bad[i] ^= 1 << rng.Intn(8)
		rep, err := asof.AuditFile(ctx, bytes.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		if rep.OK() {
			t.Errorf("byte %d changed from %q to %q: the audit finds nothing", i, log[i], bad[i])
			continue
		}
		line := bytes.Count(log[:i], []byte("\n")) + 1
		if f := rep.Faults[0]; !strings.Contains(f.Message, fmt.Sprintf("line %d", line)) && !strings.Contains(f.Message, fmt.Sprintf("line %d", line+1)) {
			t.Errorf("byte %d in line %d changed: the first fault is %+v", i, line, f)
		}
	}
	lines := bytes.SplitAfter(log, []byte("\n"))
	for _, cut := range []int{1, len(lines) / 2, len(lines) - 2} {
		rep, err := asof.AuditFile(ctx, bytes.NewReader(bytes.Join(lines[:cut], nil)))
		if err != nil || rep.OK() {
			t.Errorf("cut after %d lines: %+v, %v", cut, rep, err)
		}
	}
	missing := append(append([][]byte{}, lines[:5]...), lines[6:]...)
	if rep, err := asof.AuditFile(ctx, bytes.NewReader(bytes.Join(missing, nil))); err != nil || rep.OK() {
		t.Errorf("a line taken out: %+v, %v", rep, err)
	}
}

func TestStoreAheadOfItsLog(t *testing.T) {
	dir := t.TempDir()
	db := openAt(t, dir)
	ingest(t, db, talk("s", 5, 9))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "log")); err != nil {
		t.Fatal(err)
	}
	_, err := asof.Open(ctx, asof.Options{Dir: dir})
	if !errors.Is(err, asof.ErrStoreAhead) || !strings.Contains(err.Error(), "asof doctor") {
		t.Fatalf("a store whose log is gone: %v", err)
	}
}

func TestAnotherLog(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for d, seed := range map[string]int64{dir: 10, other: 11} {
		db := openAt(t, d)
		ingest(t, db, talk("s", 5, seed))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "log")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "log"), os.DirFS(filepath.Join(other, "log"))); err != nil {
		t.Fatal(err)
	}
	if _, err := asof.Open(ctx, asof.Options{Dir: dir}); !errors.Is(err, dsl.ErrCorrupt) {
		t.Fatalf("a store over another log: %v", err)
	}
}

// sharedLedger lets two memories use one log; closing one leaves it open.
type sharedLedger struct{ ledger.Ledger }

func (sharedLedger) Close() error { return nil }

func TestTwoOwnersOfOneLog(t *testing.T) {
	log := ledger.NewMemory(4)
	defer log.Close()
	open := func() *asof.DB {
		db, err := asof.Open(ctx, asof.Options{Ledger: sharedLedger{log}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	a, b := open(), open()
	items := talk("s", 30, 12)
	for i := range items {
		db := a
		if i%3 == 0 {
			db = b
		}
		ingest(t, db, items[i:i+1])
	}
	alone := openAt(t, "")
	ingest(t, alone, items)
	ingest(t, a, items) // all duplicates: a sees what b wrote
	ingest(t, b, items)
	for _, db := range []*asof.DB{a, b, open()} {
		if digest(t, db, "s") != digest(t, alone, "s") {
			t.Fatal("two owners made another state than one")
		}
	}
}

func TestLostAcknowledgement(t *testing.T) {
	log := ledger.NewMemory(4)
	db, err := asof.Open(ctx, asof.Options{Ledger: log})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	items := talk("s", 12, 13)
	ingest(t, db, items[:4])
	log.FailAfter(ledger.ErrUnknownOutcome) // stored, but the answer is lost
	if _, err := db.Ingest(ctx, items[4:8]); !errors.Is(err, ledger.ErrUnknownOutcome) {
		t.Fatalf("err = %v", err)
	}
	for i, r := range ingest(t, db, items[4:8]) {
		if r.Fate != asof.Duplicate {
			t.Errorf("item %d sent again: %+v", i, r)
		}
	}
	log.FailBefore(ledger.ErrUnknownOutcome) // never stored
	if _, err := db.Ingest(ctx, items[8:]); err == nil {
		t.Fatal("no error")
	}
	for i, r := range ingest(t, db, items[8:]) {
		if r.Fate != asof.New {
			t.Errorf("item %d sent again: %+v", i, r)
		}
	}
	alone := openAt(t, "")
	ingest(t, alone, items)
	if digest(t, db, "s") != digest(t, alone, "s") {
		t.Error("the state differs from an uninterrupted one")
	}
}

func TestDropSpace(t *testing.T) {
	dir := t.TempDir()
	db := openAt(t, dir)
	items := talk("s", 10, 14)
	ingest(t, db, append(items, talk("other", 5, 15)...))
	keep := digest(t, db, "other")
	ingest(t, db, []asof.Item{{Space: "s", Drop: true}})
	if spaces, err := db.Spaces(); err != nil || len(spaces) != 1 || spaces[0] != "other" {
		t.Fatalf("spaces: %v, %v", spaces, err)
	}
	if _, err := db.View("s", asof.AtSeq(5)); !errors.Is(err, dsl.ErrNotFound) {
		t.Errorf("a view before the drop: %v", err)
	}
	if _, err := db.Ingest(ctx, []asof.Item{{Space: "s", Drop: true}}); !errors.Is(err, dsl.ErrNotFound) {
		t.Errorf("a second drop: %v", err)
	}
	for _, r := range ingest(t, db, items) { // the space begins anew
		if r.Fate != asof.New {
			t.Fatalf("after the drop: %+v", r)
		}
	}
	want := digest(t, db, "s")
	if rep, err := db.Replay(ctx, filepath.Join(t.TempDir(), "r"), nil, ""); err != nil || !rep.Equal {
		t.Fatalf("replay: %+v, %v", rep, err)
	}
	if rep, err := db.Audit(ctx, ""); err != nil || !rep.OK() {
		t.Fatalf("audit: %+v, %v", rep, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "store")); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, dir)
	if digest(t, db, "s") != want || digest(t, db, "other") != keep {
		t.Error("the state differs after a rebuild")
	}
}

func TestIntake(t *testing.T) {
	dir := t.TempDir()
	db := openAt(t, dir)
	line := []byte(`{"id":"w1","speaker":"Ana","ts":"2024-01-01T10:00:00","text":"I live in Lyon."}`)
	p := asof.ParseOptions{Space: "s", Zone: "Asia/Shanghai"}
	if err := db.Submit(ctx, asof.FormatTurns, line, p); err != nil {
		t.Fatal(err)
	}
	if err := db.Submit(ctx, asof.FormatTurns, []byte(`{"id":"w2"}`), p); !errors.Is(err, dsl.ErrInvalid) {
		t.Fatalf("a bad line: %v", err)
	}
	if h, err := db.Head("s"); err != nil || h.Seq != 0 {
		t.Fatalf("what waits is in a view: %v %v", h, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, dir) // start-up finishes it first
	v, err := db.View("s", asof.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	turn, err := v.Turn("w1")
	if err != nil || turn.TS.String() != "2024-01-01T02:00:00Z" || turn.Zone != "Asia/Shanghai" {
		t.Fatalf("turn: %+v, %v", turn, err)
	}
	if n, err := db.Drain(ctx); n != 0 || err != nil {
		t.Errorf("it still waits: %d, %v", n, err)
	}
}

func TestClosed(t *testing.T) {
	db := openAt(t, "")
	if err := errors.Join(db.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Ingest(ctx, talk("s", 1, 1)); !errors.Is(err, dsl.ErrClosed) {
		t.Errorf("ingest after close: %v", err)
	}
	if _, err := db.View("s", asof.At{}); !errors.Is(err, dsl.ErrClosed) {
		t.Errorf("view after close: %v", err)
	}
}

func TestExportRange(t *testing.T) {
	db := openAt(t, "")
	ingest(t, db, talk("s", 10, 16))
	var b bytes.Buffer
	if err := db.Export(ctx, &b, "s", 4, 6); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b.Bytes(), []byte("\n")); n != 4 {
		t.Errorf("positions 4 to 6 and the head line are %d lines", n)
	}
	if err := db.Export(ctx, io.Discard, "s", 4, 60); !errors.Is(err, dsl.ErrNotFound) {
		t.Errorf("beyond the head: %v", err)
	}
}
