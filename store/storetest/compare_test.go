package storetest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// broken is a view with one answer bent.
type broken struct {
	store.View
	basis    func(store.Basis) store.Basis
	position func(*store.Position)
	version  func(*dsl.FactVersion)
	history  func(*store.Version)
	change   func(*store.Change)
	event    func(*dsl.Event)
	turn     func(*store.Turn)
	docs     func(*store.Docs)
	skip     int // the posting to leave out, from 1
	aliases  func([]string) []string
	nodes    func([]dsl.Node) []dsl.Node
	known    dsl.Seq
	settings error
	memory   func(*dsl.Memory)
	session  func(*dsl.Memory)
	hold     func(*store.Held)
}

func bend[T any](seq iter.Seq2[T, error], f func(*T)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for x, err := range seq {
			if f != nil {
				f(&x)
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

func (b *broken) Basis() store.Basis {
	if b.basis != nil {
		return b.basis(b.View.Basis())
	}
	return b.View.Basis()
}

func (b *broken) PositionAt(seq dsl.Seq) (store.Position, error) {
	p, err := b.View.PositionAt(seq)
	if b.position != nil {
		b.position(&p)
	}
	return p, err
}

func (b *broken) Facts(q store.FactQuery) iter.Seq2[dsl.FactVersion, error] {
	return bend(b.View.Facts(q), b.version)
}

func (b *broken) History(q store.FactQuery) iter.Seq2[store.Version, error] {
	return bend(b.View.History(q), b.history)
}

func (b *broken) Changes(after dsl.Seq) iter.Seq2[store.Change, error] {
	return bend(b.View.Changes(after), b.change)
}

func (b *broken) Events(all bool) iter.Seq2[dsl.Event, error] {
	return bend(b.View.Events(all), b.event)
}

func (b *broken) Turns(from int) iter.Seq2[store.Turn, error] {
	return bend(b.View.Turns(from), b.turn)
}

func (b *broken) Docs(f store.Field) (store.Docs, error) {
	d, err := b.View.Docs(f)
	if b.docs != nil {
		b.docs(&d)
	}
	return d, err
}

func (b *broken) Postings(field store.Field, term string, f func(int, uint32) bool) error {
	n := 0
	return b.View.Postings(field, term, func(doc int, tf uint32) bool {
		if n++; n == b.skip {
			return true
		}
		return f(doc, tf)
	})
}

func (b *broken) Aliases(id string) ([]string, error) {
	list, err := b.View.Aliases(id)
	if b.aliases != nil {
		list = b.aliases(list)
	}
	return list, err
}

func (b *broken) NodesNamed(name string) ([]dsl.Node, error) {
	list, err := b.View.NodesNamed(name)
	if b.nodes != nil {
		list = b.nodes(list)
	}
	return list, err
}

func (b *broken) Memory() (dsl.Memory, error) {
	m, err := b.View.Memory()
	if b.memory != nil {
		b.memory(&m)
	}
	return m, err
}

func (b *broken) SessionMemory(session string) (dsl.Memory, error) {
	m, err := b.View.SessionMemory(session)
	if b.session != nil {
		b.session(&m)
	}
	return m, err
}

func (b *broken) Held(ref dsl.HeldRef) (store.Held, error) {
	h, err := b.View.Held(ref)
	if b.hold != nil {
		b.hold(&h)
	}
	return h, err
}

func (b *broken) Known(key dsl.Hash) (dsl.Seq, error) {
	seq, err := b.View.Known(key)
	return seq + b.known, err
}

func (b *broken) SettingsAt(h dsl.Hash) (*dsl.Settings, error) {
	if b.settings != nil {
		return nil, b.settings
	}
	return b.View.SettingsAt(h)
}

// recorder is a test that keeps what it is told.
type recorder struct{ said string }

func (r *recorder) Helper() {}
func (r *recorder) Fatalf(format string, args ...any) {
	r.said = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// verdict gives what CompareWith says of two views, nothing if they are equal.
func verdict(want, got store.View, p Probes) string {
	r := new(recorder)
	done := make(chan struct{})
	go func() {
		defer close(done)
		CompareWith(r, want, got, p)
	}()
	<-done
	return r.said
}

func TestCompareFindsEveryDifference(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 8))
	g := NewGen("x", random.IntN)
	m := model.New("x")
	for range 40 {
		tx := g.Next()
		if err := m.Apply(tx, Entry(tx)); err != nil {
			t.Fatal(err)
		}
	}
	const at = 30
	want, p := m.At(at), g.Probes()
	if said := verdict(want, m.At(at), p); said != "" {
		t.Fatalf("equal views differ: %s", said)
	}
	if said := verdict(want, &broken{View: m.At(at)}, p); said != "" {
		t.Fatalf("a view with nothing bent differs: %s", said)
	}
	for name, got := range map[string]*broken{
		"Basis":               {basis: func(b store.Basis) store.Basis { b.Time++; return b }},
		"PositionAt(#3).Open": {position: func(p *store.Position) { p.Open += uint64(p.Seq / 3) }},
		"].Record.End": {version: func(f *dsl.FactVersion) {
			if f.Status == dsl.StatusClosed {
				f.Record.End++
			}
		}},
		"].Confidence":     {version: func(f *dsl.FactVersion) { f.Confidence += 1e-16 * 4 }},
		"].Evidence":       {version: func(f *dsl.FactVersion) { f.Evidence = append(f.Evidence, "x") }},
		"].DstName":        {version: func(f *dsl.FactVersion) { f.DstName = dsl.Plain(f.DstName.String() + " ") }},
		"History":          {history: func(v *store.Version) { v.CloseTurn += "x" }},
		"Changes(#0)[":     {change: func(c *store.Change) { c.After = c.Before }},
		"].Visible":        {event: func(e *dsl.Event) { e.Visible++ }},
		"Turns(0)[0].Doc":  {turn: func(u *store.Turn) { u.Doc++ }},
		"Docs(t).Terms":    {docs: func(d *store.Docs) { d.Terms++ }},
		"Docs(t).Speakers": {docs: func(d *store.Docs) { d.Speakers = append(d.Speakers, "x") }},
		"Postings(":        {skip: 2},
		"Aliases(":         {aliases: func(ids []string) []string { return ids[:1] }},
		"NodesNamed(": {nodes: func(n []dsl.Node) []dsl.Node {
			if len(n) > 1 {
				n[0], n[1] = n[1], n[0]
			}
			return n
		}},
		"Known(":         {known: 1},
		"Memory()":       {memory: func(m *dsl.Memory) { m.Tokens++ }},
		"SessionMemory(": {session: func(m *dsl.Memory) { m.Since++ }},
		"Held(":          {hold: func(h *store.Held) { h.By += "x" }},
		"SettingsAt(":    {settings: dsl.ErrNotFound},
	} {
		got.View = m.At(at)
		if said := verdict(want, got, p); !strings.Contains(said, name) {
			t.Errorf("%s is bent, and the comparison says %q", name, said)
		}
	}
	for _, seq := range []dsl.Seq{0, at - 1, at + 1} {
		if verdict(want, m.At(seq), p) == "" {
			t.Errorf("the views at %d and %s are called equal", at, seq)
		}
	}
}

// later is a view that says it is at an earlier position than it is: what it
// tells is from the future.
type later struct {
	store.View
	basis store.Basis
}

func (l later) Basis() store.Basis { return l.basis }

func TestCompareFindsTheFuture(t *testing.T) {
	g := NewGen("x", rand.New(rand.NewPCG(7, 8)).IntN)
	m := model.New("x")
	for range 40 {
		tx := g.Next()
		if err := m.Apply(tx, Entry(tx)); err != nil {
			t.Fatal(err)
		}
	}
	for seq := range m.Head() {
		want := m.At(seq)
		if verdict(want, later{m.At(seq + 1), want.Basis()}, g.Probes()) == "" {
			t.Errorf("the view at %s may show what %s brought", seq, seq+1)
		}
	}
}
