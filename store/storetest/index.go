package storetest

import (
	"fmt"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// posting is one document that holds a term.
type posting struct {
	Doc int
	TF  uint32
}

func (c *comparison) index() {
	c.t.Helper()
	for _, field := range []store.Field{store.TurnField, store.FactField, store.EventField} {
		w, werr := c.want.Docs(field)
		g, gerr := c.got.Docs(field)
		same(c, fmt.Sprintf("Docs(%c)", field), w, werr, g, gerr)
		c.lists(field)
		for _, term := range c.Terms {
			c.postings(field, term)
		}
		for doc := -1; doc < len(w.Info)+2; doc++ {
			c.document(field, doc)
		}
	}
}

// postings compares the documents of a term, also when they are stopped early.
func (c *comparison) postings(field store.Field, term string) {
	c.t.Helper()
	what := fmt.Sprintf("Postings(%c, %q)", field, term)
	read := func(v store.View, limit int) (list []posting, err error) {
		calls := 0
		err = v.Postings(field, term, func(doc int, tf uint32) bool {
			if calls++; limit > 0 && calls > limit {
				c.t.Fatalf("space %q at %s: %s goes on after it was stopped", c.basis.Space, c.basis.Seq, what)
			}
			list = append(list, posting{doc, tf})
			return calls != limit
		})
		return list, err
	}
	w, werr := read(c.want, 0)
	g, gerr := read(c.got, 0)
	same(c, what, w, werr, g, gerr)
	if len(w) > 1 {
		g, gerr := read(c.got, len(w)/2)
		same(c, what+" stopped early", w[:len(w)/2], nil, g, gerr)
	}
}

func (c *comparison) document(field store.Field, doc int) {
	c.t.Helper()
	what := fmt.Sprintf("document %c %d", field, doc)
	switch field {
	case store.TurnField:
		w, werr := c.want.TurnDoc(doc)
		g, gerr := c.got.TurnDoc(doc)
		same(c, what, w, werr, g, gerr)
	case store.FactField:
		w, werr := c.want.FactDoc(doc)
		g, gerr := c.got.FactDoc(doc)
		same(c, what, w, werr, g, gerr)
	case store.EventField:
		w, werr := c.want.EventDoc(doc)
		g, gerr := c.got.EventDoc(doc)
		same(c, what, w, werr, g, gerr)
		c.visible(w, werr)
	}
}

// visible checks I9 on what both views say.
func (c *comparison) visible(e dsl.Event, err error) {
	c.t.Helper()
	if err == nil && e.Visible < e.Record.Start {
		c.t.Fatalf("space %q at %s: event %s is visible at %s, before it was recorded at %s (I9)",
			c.basis.Space, c.basis.Seq, e.ID, e.Visible, e.Record.Start)
	}
}

// lists compares the Index of a field: what a search reads.
func (c *comparison) lists(field store.Field) {
	c.t.Helper()
	w, werr := c.want.Index(field)
	g, gerr := c.got.Index(field)
	if werr != nil || gerr != nil {
		c.t.Fatalf("space %q at %s: Index(%c): %v, want %v", c.basis.Space, c.basis.Seq, field, gerr, werr)
	}
	defer w.Close()
	defer g.Close()
	stats := w.Stats()
	same(c, fmt.Sprintf("Index(%c).Stats", field), stats, nil, g.Stats(), nil)
	for n := -1; n <= stats.Docs/store.ChunkDocs+1; n++ {
		wc, werr := w.Chunk(n)
		gc, gerr := g.Chunk(n)
		same(c, fmt.Sprintf("Index(%c).Chunk(%d)", field, n), wc, werr, gc, gerr)
	}
	for doc := int32(-1); int(doc) <= stats.Docs; doc++ {
		wid, wv, werr := w.ID(doc)
		gid, gv, gerr := g.ID(doc)
		same(c, fmt.Sprintf("Index(%c).ID(%d)", field, doc), fmt.Sprint(wid, "/", wv), werr, fmt.Sprint(gid, "/", gv), gerr)
	}
	for doc := range int32(stats.Docs) {
		wr, werr := w.Replaced(doc)
		gr, gerr := g.Replaced(doc)
		same(c, fmt.Sprintf("Index(%c).Replaced(%d)", field, doc), wr, werr, gr, gerr)
	}
	for _, term := range c.Terms {
		what := fmt.Sprintf("Index(%c).Term(%q)", field, term)
		wl, werr := w.Term(term)
		gl, gerr := g.Term(term)
		if werr != nil || gerr != nil {
			c.t.Fatalf("space %q at %s: %s: %v, want %v", c.basis.Space, c.basis.Seq, what, gerr, werr)
		}
		all := allPostings(c, what, w, wl)
		same(c, what, all, nil, allPostings(c, what, g, gl), nil)
		same(c, what+".Count", len(all), nil, gl.Count(), nil)
		ws, werr := w.Speakers(term)
		gs, gerr := g.Speakers(term)
		same(c, fmt.Sprintf("Index(%c).Speakers(%q)", field, term), append([]uint32{}, ws...), werr, append([]uint32{}, gs...), gerr)
	}
	for n := range uint32(stats.Sessions + 1) {
		wn, werr := w.Session(n)
		gn, gerr := g.Session(n)
		same(c, fmt.Sprintf("Index(%c).Session(%d)", field, n), wn, werr, gn, gerr)
		wm, werr := w.Members(n)
		gm, gerr := g.Members(n)
		same(c, fmt.Sprintf("Index(%c).Members(%d)", field, n), wm, werr, gm, gerr)
	}
}

// allPostings reads a list, and checks that its blocks are what they say.
func allPostings(c *comparison, what string, x store.Index, l *store.TermList) (all []store.Posting) {
	c.t.Helper()
	for i := range l.Blocks() {
		from := len(all)
		var err error
		if all, err = l.Decode(i, all); err != nil {
			c.t.Fatalf("space %q at %s: %s: %v", c.basis.Space, c.basis.Seq, what, err)
		}
		after, last := l.Range(i)
		for _, p := range all[from:] {
			chunk, err := x.Chunk(int(p.Doc) / store.ChunkDocs)
			if err != nil {
				c.t.Fatalf("%s: %v", what, err)
			}
			d := chunk[int(p.Doc)%store.ChunkDocs]
			bounded := false
			for _, m := range l.Impacts(i) {
				bounded = bounded || m.Weight >= p.Weight() && m.Length <= store.OwnWeight*d.Length+store.ContextWeight*d.Context
			}
			if p.Doc <= after || p.Doc > last || !bounded {
				c.t.Fatalf("space %q at %s: %s: block %d of (%d, %d] holds %+v, which no impact bounds", c.basis.Space, c.basis.Seq, what, i, after, last, p)
			}
		}
		if len(all) == from || all[len(all)-1].Doc != last {
			c.t.Fatalf("space %q at %s: %s: block %d does not end with document %d", c.basis.Space, c.basis.Seq, what, i, last)
		}
	}
	return all
}
