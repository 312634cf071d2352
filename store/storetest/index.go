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
