package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/model"
)

// machine drives an implementation and the models of a few spaces through the
// same random transactions.
type machine struct {
	a      Applier
	spaces []*space
	held   []held
}

type space struct {
	*Gen
	model   *model.Model
	dropped dsl.Seq
	// digests are those seen first, by position.
	digests map[dsl.Seq]dsl.Hash
}

// held is a view that stays open while the space moves on.
type held struct {
	of        *space
	want, got store.View
}

func (m *machine) space(t *rapid.T) *space {
	return m.spaces[rapid.IntRange(0, len(m.spaces)-1).Draw(t, "space")]
}

// apply commits one to a few transactions of any spaces in one batch.
func (m *machine) apply(t *rapid.T) {
	var batch []*dsl.Tx
	for range rapid.IntRange(1, 4).Draw(t, "batch") {
		s := m.space(t)
		tx := s.Next()
		if err := s.model.Apply(tx, Entry(tx)); err != nil {
			t.Fatalf("the generator made a transaction that does not fit: %v", err)
		}
		batch = append(batch, tx)
	}
	if err := m.a.Apply(batch...); err != nil {
		t.Fatalf("apply %d transactions: %v", len(batch), err)
	}
}

func (m *machine) drop(t *rapid.T) {
	s := m.space(t)
	if s.model.Head() == 0 || rapid.IntRange(0, 3).Draw(t, "seldom") > 0 {
		t.Skip("a space is dropped seldom")
	}
	m.held = slices.DeleteFunc(m.held, func(h held) bool { // they need not outlive the drop
		if h.of == s {
			closeViews(t, h.got)
		}
		return h.of == s
	})
	tx := s.Drop()
	if err := errors.Join(s.model.Apply(tx, Entry(tx)), m.a.Apply(tx)); err != nil {
		t.Fatalf("drop %q: %v", s.Space, err)
	}
	s.dropped = tx.Seq
}

// refuse offers what does not fit. Nothing of its batch may stay.
func (m *machine) refuse(t *rapid.T) {
	s := m.space(t)
	seq, at := s.Head()
	if seq == 0 {
		t.Skip("the space is empty")
	}
	bad := dsl.Tx{
		Kind: dsl.TxOps, Version: dsl.FormatVersion, Space: s.Space, Seq: seq + 1, Prev: s.prev, Time: at + 1,
		SettingsHash: must(s.settings.Hash()), OpsHash: dsl.Sum([]byte("refused")),
	}
	fault := rapid.SampledFrom([]string{"position again", "gap", "chain", "time", "node", "version", "settings"}).Draw(t, "fault")
	switch fault {
	case "position again":
		bad.Seq--
	case "gap":
		bad.Seq++
	case "chain":
		bad.Prev[0] ^= 1
	case "time":
		bad.Time--
	case "node":
		bad.Operations = []dsl.Op{Upsert("refused", 1, "no such node", "likes", "nor this", dsl.Always, 1)}
	case "version":
		bad.Operations = []dsl.Op{Retract("no such fact", 1)}
	case "settings":
		bad.SettingsHash[0] ^= 1
	}
	if err := s.model.Apply(&bad, Entry(&bad)); !errors.Is(err, dsl.ErrCorrupt) {
		t.Fatalf("the model takes a wrong %s: %v", fault, err)
	}
	before := m.digest(t, s, seq)
	batch := []*dsl.Tx{&bad}
	if fault != "position again" && fault != "gap" {
		good := bad
		good.Prev, good.Time, good.SettingsHash, good.Operations = s.prev, at+1, must(s.settings.Hash()), nil
		bad.Seq, bad.Time = bad.Seq+1, bad.Time+1
		if fault != "chain" {
			bad.Prev = Entry(&good)
		}
		batch = []*dsl.Tx{&good, &bad}
	}
	if err := m.a.Apply(batch...); !errors.Is(err, dsl.ErrCorrupt) {
		t.Fatalf("a transaction with a wrong %s: want an error that wraps ErrCorrupt, got %v", fault, err)
	}
	if v, err := m.a.At(s.Space, seq+1); err == nil {
		closeViews(t, v)
		t.Fatalf("position %s is there after its batch was refused (%s)", seq+1, fault)
	}
	if after := m.digest(t, s, seq); after != before {
		t.Fatalf("the digest at %s changed from %s to %s by a refused batch (%s)", seq, before, after, fault)
	}
}

func (m *machine) digest(t *rapid.T, s *space, seq dsl.Seq) dsl.Hash {
	v := m.at(t, s, seq)
	defer closeViews(t, v)
	d, err := v.Digest()
	if err != nil {
		t.Fatalf("digest of %q at %s: %v", s.Space, seq, err)
	}
	return d
}

func (m *machine) at(t *rapid.T, s *space, seq dsl.Seq) store.View {
	v, err := m.a.At(s.Space, seq)
	if err != nil {
		t.Fatalf("view of %q at %s: %v", s.Space, seq, err)
	}
	return v
}

// position draws a position that has a view: any one not dropped, the newest in
// half of the cases.
func (m *machine) position(t *rapid.T, s *space) dsl.Seq {
	head := s.model.Head()
	if rapid.Bool().Draw(t, "head") {
		return head
	}
	return dsl.Seq(rapid.Uint64Range(uint64(s.dropped), uint64(head)).Draw(t, "position"))
}

// comparePosition compares the views at a position, and holds the digest
// against the one seen there first.
func (m *machine) comparePosition(t *rapid.T) {
	s := m.space(t)
	seq := m.position(t, s)
	got := m.at(t, s, seq)
	defer closeViews(t, got)
	CompareWith(t, s.model.At(seq), got, m.probes(t, s))
	d, err := got.Digest()
	if err != nil {
		t.Fatalf("digest: %v", err)
	}
	if first, ok := s.digests[seq]; ok && first != d {
		t.Fatalf("the digest of %q at %s is %s and was %s (I8)", s.Space, seq, d, first)
	}
	s.digests[seq] = d
	for other, e := range s.digests {
		if e == d && other != seq {
			t.Fatalf("the digest of %q is the same at %s and %s", s.Space, other, seq)
		}
	}
}

// probes are those of the space itself, or of another one: what is recorded
// there must not show here.
func (m *machine) probes(t *rapid.T, s *space) Probes {
	if rapid.IntRange(0, 3).Draw(t, "foreign") == 0 {
		return m.space(t).Probes()
	}
	return s.Probes()
}

// compareTime compares the views at a record time on a bound or a microsecond
// beside it.
func (m *machine) compareTime(t *rapid.T) {
	s := m.space(t)
	at := rapid.SampledFrom([]dsl.Instant{dsl.Beginning, 0, dsl.MaxInstant, dsl.Forever}).Draw(t, "end of time")
	if seq := m.position(t, s); seq > 0 && rapid.IntRange(0, 4).Draw(t, "bound") > 0 {
		at = s.model.At(seq).Basis().Time + dsl.Instant(rapid.IntRange(-1, 1).Draw(t, "beside"))
	}
	want := s.model.AtTime(at)
	if want.Basis().Seq < s.dropped {
		t.Skip("that view was dropped")
	}
	got, err := m.a.AtTime(s.Space, at)
	if err != nil {
		t.Fatalf("view of %q at %s: %v", s.Space, at, err)
	}
	defer closeViews(t, got)
	CompareWith(t, want, got, m.probes(t, s))
}

// hold opens a view and leaves it open.
func (m *machine) hold(t *rapid.T) {
	if len(m.held) > 4 {
		t.Skip("enough views are held")
	}
	s := m.space(t)
	seq := m.position(t, s)
	m.held = append(m.held, held{s, s.model.At(seq), m.at(t, s, seq)})
}

// compareHeld compares a view that was opened some transactions ago.
func (m *machine) compareHeld(t *rapid.T) {
	if len(m.held) == 0 {
		t.Skip("no view is held")
	}
	h := rapid.SampledFrom(m.held).Draw(t, "held")
	CompareWith(t, h.want, h.got, h.of.Probes())
}

func (m *machine) reopen(t *rapid.T) {
	m.release(t)
	if err := m.a.Reopen(); err != nil {
		t.Fatalf("reopen: %v", err)
	}
}

func (m *machine) release(t TB) {
	for _, h := range m.held {
		closeViews(t, h.got)
	}
	m.held = nil
}

// closeViews closes views, twice: Close is idempotent.
func closeViews(t TB, views ...store.View) {
	t.Helper()
	for _, v := range views {
		if err := errors.Join(v.Close(), v.Close()); err != nil {
			t.Fatalf("close view: %v", err)
		}
	}
}

// testRandom runs the machine. One implementation serves all runs, each in
// spaces of its own.
func testRandom(t *testing.T, a Applier) {
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		m := &machine{a: a}
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "") }
		for i := range 3 {
			name := fmt.Sprintf("run %d space %d", run, i)
			m.spaces = append(m.spaces, &space{Gen: NewGen(name, draw), model: model.New(name), digests: map[dsl.Seq]dsl.Hash{}})
		}
		defer m.release(t)
		t.Repeat(map[string]func(*rapid.T){
			"apply": m.apply, "apply more": m.apply, "apply yet more": m.apply, "drop": m.drop, "refuse": m.refuse,
			"compare position": m.comparePosition, "compare time": m.compareTime,
			"hold": m.hold, "compare held": m.compareHeld, "reopen": m.reopen,
		})
	})
}
