package retrieval

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// randomExpansion draws what is added behind what was found.
func randomExpansion(r *rapid.T) Expansion {
	if !rapid.Bool().Draw(r, "added") {
		return Expansion{}
	}
	upTo := func(n int, what string) int { return rapid.IntRange(0, n).Draw(r, what) }
	return Expansion{Most: upTo(20, "most added"), Hits: upTo(4, "hits read"), Terms: upTo(8, "terms"), Names: upTo(8, "names"), Near: upTo(8, "near"), Facts: upTo(8, "facts")}
}

// TestExpansionOnlyAdds holds an expansion to its bound and to leaving alone what
// was there: the same hits at the same ranks with the same scores.
func TestExpansionOnlyAdds(t *testing.T) {
	added := 0
	rapid.Check(t, func(r *rapid.T) {
		b := randomBook(r, 40)
		q := randomQuery(r)
		q.Kinds = rapid.SampledFrom([][]Kind{nil, {Turn}, {Fact}, {Turn, Session}, Kinds}).Draw(r, "kinds")
		if rapid.Bool().Draw(r, "valid") {
			valid := minute(rapid.IntRange(-5, 45).Draw(r, "minute"))
			q.Valid = &valid
		}
		q.Text += rapid.SampledFrom([]string{"", "？另外，" + q.Text, " about Mina"}).Draw(r, "more")
		opt := randomOptions(r)
		opt.Expansion = Expansion{}
		v := b.at(t, 0)
		before, err := Search(t.Context(), v, q, opt)
		if err != nil {
			r.Fatal(err)
		}
		q.More = rapid.IntRange(0, 10).Draw(r, "behind")
		opt.Expansion = randomExpansion(r)
		after, err := Search(t.Context(), v, q, opt)
		if err != nil {
			r.Fatal(err)
		}
		if len(after.Hits) < len(before.Hits) || len(before.Hits) > 0 && !reflect.DeepEqual(after.Hits[:len(before.Hits)], before.Hits) {
			r.Fatalf("with the expansion the hits are\n%+v\nwithout\n%+v", after.Hits, before.Hits)
		}
		more := after.Hits[len(before.Hits):]
		added += len(more)
		if len(more) > opt.Expansion.Most || len(after.Hits) > q.K+q.More && len(more) > 0 {
			r.Fatalf("%d were added to %d, of at most %d, %d and %d behind", len(more), len(before.Hits), opt.Expansion.Most, q.K, q.More)
		}
		least := 1.0
		if len(before.Hits) > 0 {
			least = before.Hits[len(before.Hits)-1].Score
		}
		for i, h := range more {
			repeated := slices.ContainsFunc(after.Hits[:h.Rank-1], func(x Hit) bool { return x.Kind == Turn && x.ID == h.ID })
			if h.Kind != Turn || h.Added != i+1 || h.Rank != len(before.Hits)+i+1 || !(h.Score > 0 && h.Score < least) && !(i > 0 && h.Score > 0 && h.Score <= least) || len(h.Why) == 0 || repeated {
				r.Fatalf("added at %d is %+v, behind a score of %v", i, h, least)
			}
			least = h.Score
		}
	})
	if added == 0 {
		t.Error("nothing was ever added: the test shows nothing")
	}
}

// TestExpansionSources shows what each source finds, alone.
func TestExpansionSources(t *testing.T) {
	b := new(book)
	b.turn("t1", "s1", "Mina", "Did the walrus escape? The zoo closed.")
	b.turn("t2", "s1", "Joost", "The walrus escaped through the zoo gate, the keeper saw it.")
	for i := range 30 {
		b.turn(fmt.Sprintf("f%02d", i), "s2", "Joost", "Nothing else was said.")
	}
	b.turn("t3", "s3", "Mina", "A keeper is looking for his gate key.")
	b.turn("t4", "s4", "Joost", "My physician was rather pleased.")
	v := b.at(t, 0)
	ids := func(e Expansion, text string) []string {
		t.Helper()
		q := Query{Text: text, K: 2, More: 10, Kinds: []Kind{Turn}}
		r, err := Search(context.Background(), v, q, Options{Analyzer: &shared, Expansion: e})
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, h := range r.Hits {
			if h.Added > 0 {
				list = append(list, h.ID)
			}
		}
		return list
	}
	if got := ids(Expansion{Most: 5}, "walrus"); got != nil {
		t.Errorf("without a source %v was added", got)
	}
	if got := ids(Expansion{Most: 5, Terms: 8}, "walrus"); !slices.Contains(got, "t3") {
		t.Errorf("words of the best hits add %v, want t3", got)
	}
	if got := ids(Expansion{Most: 5, Near: 8}, "doctor"); !slices.Contains(got, "t4") {
		t.Errorf("near words add %v, want t4", got)
	}
	if got := ids(Expansion{Most: 1, Terms: 8, Near: 8}, "walrus doctor"); len(got) > 1 {
		t.Errorf("%v were added, want one at most", got)
	}
}

// TestExpansionFollowsFacts finds a turn that shares no word with the question by
// the facts that lead to it.
func TestExpansionFollowsFacts(t *testing.T) {
	b := new(book)
	b.turn("t1", "s1", "Mina", "My sister is Berta, the funny one.")
	b.fact("f1", "Mina", "related_to", "Berta", dsl.Always, "t1")
	for i := range 30 {
		b.turn(fmt.Sprintf("f%02d", i), "s2", "Joost", "Nothing else was said.")
	}
	b.turn("t2", "s3", "Joost", "She moved to Oslo.")
	b.fact("f2", "Berta", "lives_in", "Oslo", dsl.Always, "t2")
	b.turn("t3", "s4", "Joost", "Berta called again.")
	v := b.at(t, 0)
	for _, c := range []struct {
		e    Expansion
		want string
	}{{Expansion{Most: 3, Facts: 8}, "t2"}, {Expansion{Most: 3, Names: 8}, "t3"}} {
		r, err := Search(t.Context(), v, Query{Text: "Mina's sister", K: 1, More: 3, Kinds: []Kind{Turn}}, Options{Analyzer: &shared, Cues: DefaultCues(), Expansion: c.e})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(r.Hits, func(h Hit) bool { return h.ID == c.want && h.Added > 0 }) {
			t.Errorf("%+v adds %v to %v, want %s (looked for %v)", c.e, hitNames(r.Hits), "t1", c.want, r.Sources)
		}
	}
}

// TestExpansionBounds refuses what makes no sense.
func TestExpansionBounds(t *testing.T) {
	for _, e := range []Expansion{{Most: -1}, {Most: 1001}, {Hits: 65}, {Terms: 257}, {Facts: -1}} {
		if err := e.check(); err == nil {
			t.Errorf("%+v is taken", e)
		}
	}
	if _, err := newPlan(&shared, store.Basis{}, Query{Text: "x", K: 1, More: -1}); err == nil {
		t.Error("a negative number behind is taken")
	}
}
