package storetest

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// TB is what Compare needs of a test; *testing.T and *rapid.T have it.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Probes are ids and words to ask two views about besides what the first view
// tells of itself: above all what is only recorded later, or elsewhere.
type Probes struct {
	Nodes, Names, Facts, Events, Turns, Rels, Terms []string
	Keys, Settings                                  []dsl.Hash
}

// Compare fails the test at the first question to which got answers otherwise
// than want. Digests are not compared with want's, which may be of another
// make, but must be the same each time.
func Compare(t TB, want, got store.View) {
	t.Helper()
	CompareWith(t, want, got, Probes{})
}

// CompareWith is Compare with more to ask about.
func CompareWith(t TB, want, got store.View, p Probes) {
	t.Helper()
	c := &comparison{t: t, want: want, got: got, basis: want.Basis()}
	c.equal("Basis()", want.Basis(), got.Basis())
	c.gather(p)
	c.positions()
	c.nodes()
	c.facts()
	c.turns()
	c.events()
	c.memory()
	c.index()
}

type comparison struct {
	t         TB
	want, got store.View
	basis     store.Basis
	Probes
	instants []dsl.Instant
}

// gather adds to the probes all that want tells of itself.
func (c *comparison) gather(p Probes) {
	c.Probes = Probes{
		Nodes:  append([]string{"no such node", ""}, p.Nodes...),
		Names:  append([]string{"no such name", ""}, p.Names...),
		Facts:  append([]string{"no such fact", ""}, p.Facts...),
		Events: append([]string{"no such event", ""}, p.Events...),
		Turns:  append([]string{"no such turn", ""}, p.Turns...),
		Rels:   append([]string{"no_such_rel"}, p.Rels...),
		Terms:  append([]string{"nosuchterm", ""}, p.Terms...),
		Keys:   append([]dsl.Hash{{}, dsl.Sum(nil)}, p.Keys...),
	}
	c.Settings = append([]dsl.Hash{{}, c.basis.Settings}, p.Settings...)
	c.instants = []dsl.Instant{dsl.Beginning, 0, dsl.MaxInstant, dsl.Forever}
	var a analyze.Analyzer
	for _, f := range collect(c, "Facts(All)", c.want.Facts(store.FactQuery{All: true})) {
		c.Nodes = append(c.Nodes, f.Src, f.Dst)
		c.Names = append(c.Names, f.SrcName.String(), f.DstName.String())
		c.Facts = append(c.Facts, f.ID)
		c.Turns = append(c.Turns, f.Evidence...)
		c.Rels = append(c.Rels, f.Rel)
		c.Terms = a.Terms(c.Terms, store.FactText(f.SrcName.String(), f.Rel, f.Relation.String(), f.DstName.String()))
		for _, at := range []dsl.Instant{f.Valid.Start, f.Valid.End} {
			if at.Finite() {
				c.instants = append(c.instants, at-1, at, at+1)
			}
		}
	}
	for _, u := range collect(c, "Turns(0)", c.want.Turns(0)) {
		c.Turns = append(c.Turns, u.ID)
		c.Names = append(c.Names, u.Speaker.String())
		c.Terms = a.Terms(c.Terms, u.Text.String())
		for _, x := range u.Attachments {
			c.Terms = a.Terms(c.Terms, x.Text.String())
		}
	}
	for _, e := range collect(c, "Events(true)", c.want.Events(true)) {
		c.Events = append(c.Events, e.ID)
		c.Turns = append(c.Turns, e.Evidence...)
		c.Terms = a.Terms(c.Terms, e.Summary.String())
		for _, x := range e.Participants {
			c.Nodes = append(c.Nodes, x.Entity)
		}
	}
	for _, list := range []*[]string{&c.Nodes, &c.Names, &c.Facts, &c.Events, &c.Turns, &c.Rels, &c.Terms} {
		*list = distinct(*list)
	}
	slices.Sort(c.instants)
	c.instants = slices.Compact(c.instants)
}

func distinct(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// equal compares two answers that came without an error.
func (c *comparison) equal(what string, want, got any) {
	c.t.Helper()
	if d := difference(want, got); d != "" {
		c.t.Fatalf("space %q at %s: %s%s", c.basis.Space, c.basis.Seq, what, d)
	}
}

// same compares two answers or the reasons why there is none.
func same[T any](c *comparison, what string, want T, wantErr error, got T, gotErr error) {
	c.t.Helper()
	for _, e := range []error{dsl.ErrNotFound, dsl.ErrInvalid} {
		if errors.Is(wantErr, e) && errors.Is(gotErr, e) {
			return
		}
	}
	if wantErr != nil || gotErr != nil {
		c.t.Fatalf("space %q at %s: %s: want error %v, got error %v", c.basis.Space, c.basis.Seq, what, wantErr, gotErr)
	}
	c.equal(what, want, got)
}

// collect gives what an iterator yields and fails on its error.
func collect[T any](c *comparison, what string, seq iter.Seq2[T, error]) []T {
	c.t.Helper()
	var list []T
	for x, err := range seq {
		if err != nil {
			c.t.Fatalf("space %q at %s: %s: %v", c.basis.Space, c.basis.Seq, what, err)
		}
		list = append(list, x)
	}
	return list
}

// sequence compares two iterators, also when they are stopped early.
func sequence[T any](c *comparison, what string, want, got iter.Seq2[T, error]) {
	c.t.Helper()
	list := collect(c, what, want)
	c.equal(what, list, collect(c, what, got))
	if len(list) < 2 {
		return
	}
	n := 0
	for x, err := range got {
		if err != nil {
			c.t.Fatalf("space %q at %s: %s: %v", c.basis.Space, c.basis.Seq, what, err)
		}
		c.equal(what+" stopped early", list[n], x)
		if n++; n == len(list)/2 {
			break
		}
	}
}

func (c *comparison) positions() {
	c.t.Helper()
	digest, err := c.got.Digest()
	again, err2 := c.got.Digest()
	if err != nil || err2 != nil || digest != again {
		c.t.Fatalf("space %q at %s: Digest() gives %s (%v), then %s (%v)", c.basis.Space, c.basis.Seq, digest, err, again, err2)
	}
	for seq := range c.basis.Seq + 3 { // 0 and two past the basis are not there
		w, werr := c.want.PositionAt(seq)
		g, gerr := c.got.PositionAt(seq)
		if gerr == nil && seq == c.basis.Seq && g.Digest != digest {
			c.t.Fatalf("space %q at %s: Digest() gives %s, its position %s", c.basis.Space, c.basis.Seq, digest, g.Digest)
		}
		w.Digest, g.Digest = dsl.Hash{}, dsl.Hash{}
		same(c, fmt.Sprintf("PositionAt(%s)", seq), w, werr, g, gerr)
		if werr == nil {
			c.Settings = append(c.Settings, w.Settings)
		}
	}
	for _, h := range c.Settings {
		w, werr := c.want.SettingsAt(h)
		g, gerr := c.got.SettingsAt(h)
		same(c, fmt.Sprintf("SettingsAt(%s)", h), w, werr, g, gerr)
	}
	for _, k := range c.Keys {
		w, werr := c.want.Known(k)
		g, gerr := c.got.Known(k)
		same(c, fmt.Sprintf("Known(%s)", k), w, werr, g, gerr)
	}
	for after := range c.basis.Seq + 2 {
		sequence(c, fmt.Sprintf("Changes(%s)", after), c.want.Changes(after), c.got.Changes(after))
	}
}

func (c *comparison) nodes() {
	c.t.Helper()
	for _, id := range c.Nodes {
		w, werr := c.want.Node(id)
		g, gerr := c.got.Node(id)
		same(c, fmt.Sprintf("Node(%q)", id), w, werr, g, gerr)
		wa, werr := c.want.Aliases(id)
		ga, gerr := c.got.Aliases(id)
		same(c, fmt.Sprintf("Aliases(%q)", id), wa, werr, ga, gerr)
	}
	for _, name := range c.Names {
		w, werr := c.want.NodesNamed(name)
		g, gerr := c.got.NodesNamed(name)
		same(c, fmt.Sprintf("NodesNamed(%q)", name), w, werr, g, gerr)
	}
}

func (c *comparison) facts() {
	c.t.Helper()
	whole := []store.FactQuery{{}, {Src: c.Nodes}, {Dst: c.Nodes}, {Src: c.Nodes, Dst: c.Nodes}}
	for i := range c.instants {
		whole = append(whole, store.FactQuery{Valid: &c.instants[i]})
	}
	for _, rel := range c.Rels {
		whole = append(whole, store.FactQuery{Rel: rel})
	}
	for _, q := range whole {
		c.query(q)
		q.All = true
		c.query(q)
		sequence(c, "History"+queryText(q), c.want.History(q), c.got.History(q))
	}
	for i, id := range c.Nodes {
		at := &c.instants[i%len(c.instants)]
		one, two := []string{id}, []string{id, c.Nodes[(i+1)%len(c.Nodes)]}
		c.query(store.FactQuery{Src: one})
		c.query(store.FactQuery{Dst: one})
		c.query(store.FactQuery{Src: two, Valid: at, All: true})
		c.query(store.FactQuery{Dst: two, Valid: at, All: true})
		c.query(store.FactQuery{Src: two, Dst: c.Nodes[:len(c.Nodes)/2]})
		for _, rel := range c.Rels {
			c.query(store.FactQuery{Src: one, Rel: rel})
			c.query(store.FactQuery{Src: one, Rel: rel, All: true})
			c.query(store.FactQuery{Dst: one, Rel: rel, Valid: at})
		}
	}
	for _, id := range c.Facts {
		w, werr := c.want.Fact(id)
		g, gerr := c.got.Fact(id)
		same(c, fmt.Sprintf("Fact(%q)", id), w, werr, g, gerr)
	}
	for _, id := range c.Turns {
		w, werr := c.want.FactsByEvidence(id)
		g, gerr := c.got.FactsByEvidence(id)
		same(c, fmt.Sprintf("FactsByEvidence(%q)", id), w, werr, g, gerr)
	}
	for _, id := range slices.Concat(c.Facts, c.Nodes) {
		for _, limit := range []int{0, 1, 3} {
			w, werr := c.want.EventsOf(id, limit)
			g, gerr := c.got.EventsOf(id, limit)
			same(c, fmt.Sprintf("EventsOf(%q, %d)", id, limit), w, werr, g, gerr)
		}
	}
}

func (c *comparison) query(q store.FactQuery) {
	c.t.Helper()
	sequence(c, "Facts"+queryText(q), c.want.Facts(q), c.got.Facts(q))
}

func queryText(q store.FactQuery) string {
	return fmt.Sprintf("(src %q dst %q rel %q valid %v all %t)", q.Src, q.Dst, q.Rel, q.Valid, q.All)
}

func (c *comparison) turns() {
	c.t.Helper()
	for _, id := range c.Turns {
		w, werr := c.want.Turn(id)
		g, gerr := c.got.Turn(id)
		same(c, fmt.Sprintf("Turn(%q)", id), w, werr, g, gerr)
		about, aerr := c.want.About(id)
		got, gerr := c.got.About(id)
		same(c, fmt.Sprintf("About(%q)", id), about, aerr, got, gerr)
		for _, fact := range c.Facts {
			c.witness(id, fact)
		}
	}
	n := len(collect(c, "Turns(0)", c.want.Turns(0)))
	for from := range n + 2 {
		what := fmt.Sprintf("Turns(%d)", from)
		sequence(c, what, c.want.Turns(from), c.got.Turns(from))
	}
}

func (c *comparison) events() {
	c.t.Helper()
	sequence(c, "Events(false)", c.want.Events(false), c.got.Events(false))
	sequence(c, "Events(true)", c.want.Events(true), c.got.Events(true))
	for _, id := range c.Events {
		w, werr := c.want.Event(id)
		g, gerr := c.got.Event(id)
		same(c, fmt.Sprintf("Event(%q)", id), w, werr, g, gerr)
	}
}

func (c *comparison) witness(turn, fact string) {
	c.t.Helper()
	type link struct {
		Confidence float64
		Open       bool
	}
	w, wopen, werr := c.want.Witness(turn, fact)
	g, gopen, gerr := c.got.Witness(turn, fact)
	same(c, fmt.Sprintf("Witness(%q, %q)", turn, fact), link{w, wopen}, werr, link{g, gopen}, gerr)
}
