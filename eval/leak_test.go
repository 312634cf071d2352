package eval

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// talk is a made-up conversation that states facts enough for the adversary to
// work on.
func talk(space string, n int) Dialogue {
	d := Dialogue{Space: space}
	lines := []string{"I live in Oslo.", "I like tulips.", "I work at Acme.", "My sister is Cyd Brown.", "I moved to Rome.", "I don't like tulips anymore.",
		"I love jazz.", "I own a kayak.", "I have moved to Bergen.", "I no longer work at Acme.", "I live in Lima.", "I work at Globex.", "How lovely.", "I like Tulips and roses."}
	for i := range n {
		who, to, line := "Ann", "Bob", lines[(i*5)%len(lines)]
		if i%3 == 1 {
			// Nothing that the other's facts rule out, so that the two can be merged.
			who, to, line = to, who, []string{"I like chess.", "I love opera.", "I own a drum."}[i/3%3]
		}
		d.Turns = append(d.Turns, dsl.Turn{ID: "t" + string(rune('0'+i/100)) + string(rune('0'+i/10%10)) + string(rune('0'+i%10)), Session: "s" + string(rune('a'+i/10)),
			Speaker: dsl.Plain(who), Listener: dsl.Plain(to), Text: dsl.Plain(line), TS: dsl.Instant(i)*dsl.Day/4 + 1_700_000_000*dsl.Second})
	}
	return d
}

func talks(list ...Dialogue) iter.Seq2[Dialogue, error] {
	return func(yield func(Dialogue, error) bool) {
		for _, d := range list {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// headOf is a view that shows one thing of the head: a leak.
type headOf struct {
	store.View
	head store.View
	what string
}

func (h headOf) Facts(q store.FactQuery) iter.Seq2[dsl.FactVersion, error] {
	if h.what == "facts" {
		return h.head.Facts(q)
	}
	return h.View.Facts(q)
}

func (h headOf) Events(all bool) iter.Seq2[dsl.Event, error] {
	if h.what == "events" || h.what == "event_versions" && all {
		return h.head.Events(all)
	}
	return h.View.Events(all)
}

func (h headOf) Aliases(id string) ([]string, error) {
	if h.what == "lookup" {
		return h.head.Aliases(id)
	}
	return h.View.Aliases(id)
}

func (h headOf) NodesNamed(name string) ([]dsl.Node, error) {
	if h.what == "lookup" {
		return h.head.NodesNamed(name)
	}
	return h.View.NodesNamed(name)
}

func (h headOf) Memory() (dsl.Memory, error) {
	if h.what == "memory" {
		return h.head.Memory()
	}
	return h.View.Memory()
}

func (h headOf) History(q store.FactQuery) iter.Seq2[store.Version, error] {
	if h.what == "history" {
		return h.head.History(q)
	}
	return h.View.History(q)
}

func (h headOf) Index(f store.Field) (store.Index, error) {
	if h.what == "search" {
		return h.head.Index(f)
	}
	return h.View.Index(f)
}

func (h headOf) Turn(id string) (store.Turn, error) {
	if h.what == "search" {
		return h.head.Turn(id)
	}
	return h.View.Turn(id)
}

func (h headOf) TurnDoc(n int) (store.Turn, error) {
	if h.what == "search" {
		return h.head.TurnDoc(n)
	}
	return h.View.TurnDoc(n)
}

func (h headOf) FactDoc(n int) (dsl.FactVersion, error) {
	if h.what == "search" {
		return h.head.FactDoc(n)
	}
	return h.View.FactDoc(n)
}

func (h headOf) EventDoc(n int) (dsl.Event, error) {
	if h.what == "search" {
		return h.head.EventDoc(n)
	}
	return h.View.EventDoc(n)
}

// Node is that of the head where events are, whose participants the past may not
// know.
func (h headOf) Node(id string) (dsl.Node, error) {
	if strings.HasPrefix(h.what, "event") {
		return h.head.Node(id)
	}
	return h.View.Node(id)
}

func (h headOf) Close() error { return errors.Join(h.head.Close(), h.View.Close()) }

func (h headOf) Digest() (dsl.Hash, error) {
	if h.what == "position" {
		return h.head.Digest()
	}
	return h.View.Digest()
}

// TestLeak finds none in the memory, and every one that is put into a view.
func TestLeak(t *testing.T) {
	ctx := context.Background()
	one, two := talk("one", 120), talk("two", 60)
	s, err := RunLeak(ctx, talks(one, two), t.TempDir(), LeakOptions{Probes: 300, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	if s.Leaks != 0 || s.Probes != 300 || s.Turns != 180 || s.Spaces != 2 {
		t.Errorf("%+v", s)
	}
	for _, name := range tricks() {
		if s.Played[name] == 0 {
			t.Errorf("the adversary never played %q", name)
		}
	}
	for _, part := range partNames() {
		s, err := RunLeak(ctx, talks(one), t.TempDir(), LeakOptions{Probes: 80, Seed: 7, wrap: func(db *asof.DB, v *asof.View) error {
			head, err := db.View(v.Basis().Space, asof.At{})
			if err == nil {
				v.View = headOf{v.View, head.View, part}
			}
			return err
		}})
		if err != nil {
			t.Fatalf("%s: %v", part, err)
		}
		for _, p := range s.ByPart {
			if p.Part == part && p.Leaks == 0 {
				t.Errorf("a leak in %s is not seen: %+v", part, s.ByPart)
			}
		}
	}
}

// TestLeakSame holds that the number of workers changes no byte, and that a run
// can be made again.
func TestLeakSame(t *testing.T) {
	ctx := context.Background()
	var want map[string][]byte
	for _, workers := range []int{1, 2, 2} {
		out := t.TempDir()
		if _, err := RunLeak(ctx, talks(talk("one", 40), talk("two", 50), talk("three", 30)), out, LeakOptions{Probes: 50, Seed: 3, Workers: workers}); err != nil {
			t.Fatal(err)
		}
		got := files(t, out)
		if want == nil {
			want = got
		}
		for name := range want {
			if !bytes.Equal(got[name], want[name]) {
				t.Errorf("%d workers: %s differs", workers, name)
			}
		}
		if len(got) != 4 {
			t.Errorf("%d files", len(got))
		}
	}
}

// files reads a folder.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, e := range list {
		if out[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
