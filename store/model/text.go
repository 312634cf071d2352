package model

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// analyzer is stateless but for a memory of words, and is shared by all views.
var analyzer analyze.Analyzer

// document is a document of the text index: its terms, repeated as they occur.
type document struct {
	store.Doc
	terms []string
}

// documents gives the documents of a field, and the names of sessions and
// speakers by number.
func (s *state) documents(field store.Field) (docs []document, sessions, speakers []string, err error) {
	number := func(names *[]string, name string) uint32 {
		i := slices.Index(*names, name)
		if i < 0 {
			i = len(*names)
			*names = append(*names, name)
		}
		return uint32(i)
	}
	add := func(d store.Doc, texts ...string) {
		var terms []string
		for _, text := range texts {
			terms = analyzer.Terms(terms, text)
		}
		d.Length = uint32(len(terms))
		docs = append(docs, document{d, terms})
	}
	switch field {
	case store.TurnField:
		for _, t := range s.turns {
			texts := []string{plain(t.Text)}
			for _, a := range t.Attachments {
				texts = append(texts, plain(a.Text))
			}
			add(store.Doc{
				Seq: t.Seq, TS: t.TS,
				Session: number(&sessions, t.Session),
				Speaker: number(&speakers, t.Speaker.String()),
			}, texts...)
		}
	case store.FactField:
		for _, x := range s.versions {
			add(store.Doc{Seq: x.Opened, TS: dsl.Beginning},
				store.FactText(plain(x.SrcName), x.Rel, plain(x.Relation), plain(x.DstName)))
		}
	case store.EventField:
		for _, e := range s.events {
			add(store.Doc{Seq: e.Opened, TS: dsl.Beginning}, plain(e.Summary))
		}
	default:
		return nil, nil, nil, fmt.Errorf("model: %w: field %q", dsl.ErrInvalid, byte(field))
	}
	return docs, sessions, speakers, nil
}

// plain gives the text, or nothing of a sealed one.
func plain(t dsl.Text) string {
	s, err := t.Open()
	if err != nil {
		return ""
	}
	return s
}

func (v *view) Docs(field store.Field) (store.Docs, error) {
	docs, sessions, speakers, err := v.s.documents(field)
	if err != nil {
		return store.Docs{}, err
	}
	table := store.Docs{Sessions: sessions, Speakers: speakers}
	for i := range docs {
		docs[i].Context = uint32(len(v.s.context(field, docs, i)))
	}
	for _, d := range docs {
		table.Info = append(table.Info, d.Doc)
		table.Terms += uint64(d.Length)
	}
	return table, nil
}

func (v *view) Postings(field store.Field, term string, f func(doc int, tf uint32) bool) error {
	docs, _, _, err := v.s.documents(field)
	if err != nil {
		return err
	}
	for n, d := range docs {
		tf := uint32(0)
		for _, t := range d.terms {
			if t == term {
				tf++
			}
		}
		if tf > 0 && !f(n, tf) {
			return nil
		}
	}
	return nil
}

func (v *view) TurnDoc(doc int) (store.Turn, error) {
	if doc < 0 || doc >= len(v.s.turns) {
		return store.Turn{}, fmt.Errorf("model: turn document %d: %w", doc, dsl.ErrNotFound)
	}
	return v.s.turns[doc], nil
}

func (v *view) FactDoc(doc int) (dsl.FactVersion, error) {
	if doc < 0 || doc >= len(v.s.versions) {
		return dsl.FactVersion{}, fmt.Errorf("model: fact document %d: %w", doc, dsl.ErrNotFound)
	}
	return v.s.versions[doc].show().FactVersion, nil
}

func (v *view) EventDoc(doc int) (dsl.Event, error) {
	if doc < 0 || doc >= len(v.s.events) {
		return dsl.Event{}, fmt.Errorf("model: event document %d: %w", doc, dsl.ErrNotFound)
	}
	e := v.s.events[doc]
	for _, x := range v.s.versionsOfEvent(e.ID) {
		if x.Version == e.Version {
			return x, nil
		}
	}
	panic("an event version is not among the versions of its event")
}
