package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// bench is a test case's hold on the store and on the chain of one space.
type bench struct {
	t *testing.T
	a Applier
	*Chain
}

func newBench(t *testing.T, a Applier, space string) *bench {
	return &bench{t: t, a: a, Chain: NewChain(space)}
}

// noon is where the time of the cases begins.
const noon = epoch

func (b *bench) apply(txs ...*dsl.Tx) {
	b.t.Helper()
	if err := b.a.Apply(txs...); err != nil {
		b.t.Fatal(err)
	}
}

// at gives the view at a position; it is closed when the test ends.
func (b *bench) at(seq dsl.Seq) store.View {
	b.t.Helper()
	v, err := b.a.At(b.Space, seq)
	return b.keep(v, err)
}

func (b *bench) atTime(at dsl.Instant) store.View {
	b.t.Helper()
	v, err := b.a.AtTime(b.Space, at)
	return b.keep(v, err)
}

func (b *bench) keep(v store.View, err error) store.View {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { closeViews(b.t, v) })
	return v
}

func (b *bench) head() store.View {
	b.t.Helper()
	seq, _ := b.Head()
	return b.at(seq)
}

// entity gives the id of an entity; the next transaction writes it if it is new.
func (b *bench) entity(name string) string { return b.Node(dsl.Entity, name) }

// say gives the transaction of a turn of Anna's.
func (b *bench) say(id string, at dsl.Instant, text string, ops ...dsl.Op) *dsl.Tx {
	return b.Turn(dsl.Turn{ID: id, Session: "s", Speaker: dsl.Plain("Anna"), Text: dsl.Plain(text), TS: at}, ops...)
}

// want fails unless the two are the same text.
func (b *bench) want(what, want, got string) {
	b.t.Helper()
	if want != got {
		b.t.Errorf("%s:\nwant %s\ngot  %s", what, want, got)
	}
}

// facts writes the versions that a query finds, one after the other.
func (b *bench) facts(v store.View, q store.FactQuery) string {
	b.t.Helper()
	var lines []string
	for f, err := range v.Facts(q) {
		if err != nil {
			b.t.Fatal(err)
		}
		lines = append(lines, factText(&f))
	}
	return strings.Join(lines, "; ")
}

func (b *bench) fact(v store.View, id string) string {
	b.t.Helper()
	versions, err := v.Fact(id)
	if err != nil {
		b.t.Fatal(err)
	}
	var lines []string
	for _, x := range versions {
		line := fmt.Sprintf("%s by %s", factText(&x.FactVersion), x.Op)
		if x.CloseOp != "" {
			line += fmt.Sprintf(", until %s in %q because %s", x.CloseOp, x.CloseTurn, x.CloseReason)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// factText writes a version: fact/number src→dst, state, record interval in
// seconds from noon.
func factText(f *dsl.FactVersion) string {
	return fmt.Sprintf("%s/%d %s→%s %s %s", f.ID, f.Version, f.SrcName, f.DstName, f.Status, span(f.Record))
}

// span writes an interval in seconds from noon.
func span(v dsl.Interval) string {
	end := func(t dsl.Instant) string {
		if !t.Finite() {
			return "-"
		}
		return fmt.Sprint(float64(t-noon) / float64(dsl.Second))
	}
	return "[" + end(v.Start) + " " + end(v.End) + ")"
}

func (b *bench) changes(v store.View, after dsl.Seq) string {
	b.t.Helper()
	var lines []string
	for c, err := range v.Changes(after) {
		if err != nil {
			b.t.Fatal(err)
		}
		line := fmt.Sprintf("%s %s", c.Seq, c.Kind)
		if c.Before != nil {
			line += fmt.Sprintf(" %s/%d", c.Before.ID, c.Before.Version)
		}
		if c.After != nil {
			line += fmt.Sprintf(" >%s/%d", c.After.ID, c.After.Version)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

func (b *bench) events(v store.View, all bool) string {
	b.t.Helper()
	var lines []string
	for e, err := range v.Events(all) {
		if err != nil {
			b.t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s/%d %q %s visible %s", e.ID, e.Version, e.Summary.String(), span(e.Record), span(dsl.Since(e.Visible))))
	}
	return strings.Join(lines, "; ")
}

// postings writes the documents of a term as number×frequency.
func (b *bench) postings(v store.View, f store.Field, term string) string {
	b.t.Helper()
	var lines []string
	err := v.Postings(f, term, func(doc int, tf uint32) bool {
		lines = append(lines, fmt.Sprintf("%d×%d", doc, tf))
		return true
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.Join(lines, " ")
}

// absent fails unless the error is ErrNotFound.
func (b *bench) absent(what string, err error) {
	b.t.Helper()
	if !errors.Is(err, dsl.ErrNotFound) {
		b.t.Errorf("%s: want ErrNotFound, got %v", what, err)
	}
}
