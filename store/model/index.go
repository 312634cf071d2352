package model

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// context gives the terms of the turns before a turn in its session that no turn
// up to it has replaced, at most store.ContextTurns of them; nil for facts and
// events, which have no session.
func (s *state) context(field store.Field, docs []document, i int) (terms []string) {
	left := store.ContextTurns
	for j := i - 1; j >= 0 && left > 0 && field == store.TurnField; j-- {
		if docs[j].Session == docs[i].Session && !s.replacedBy(j, i) {
			terms = append(terms, docs[j].terms...)
			left--
		}
	}
	return terms
}

// replacedBy tells whether one of the turns up to the last one replaces a turn.
func (s *state) replacedBy(turn, last int) bool {
	return slices.ContainsFunc(s.turns[:last+1], func(t store.Turn) bool { return t.ID == s.turns[turn].ReplacedBy })
}

// index is the store.Index of a view, made anew for each question.
type index struct {
	v                  *view
	field              store.Field
	docs               []document
	context            [][]string // of each document
	sessions, speakers []string
}

var _ store.Index = (*index)(nil)

// Index implements store.View.
func (v *view) Index(field store.Field) (store.Index, error) {
	x := &index{v: v, field: field}
	var err error
	x.docs, x.sessions, x.speakers, err = v.s.documents(field)
	if err != nil {
		return nil, err
	}
	for i := range x.docs {
		x.context = append(x.context, v.s.context(field, x.docs, i))
		x.docs[i].Context = uint32(len(x.context[i]))
	}
	return x, nil
}

func (x *index) Stats() store.IndexStats {
	s := store.IndexStats{Docs: len(x.docs), Sessions: len(x.sessions), Speakers: len(x.speakers)}
	for _, d := range x.docs {
		s.Terms += uint64(d.Length)
		s.Context += uint64(d.Context)
	}
	return s
}

func count(terms []string, term string) (n uint32) {
	for _, t := range terms {
		if t == term {
			n++
		}
	}
	return n
}

func (x *index) Term(term string) (*store.TermList, error) {
	var list []store.Posting
	for i, d := range x.docs {
		p := store.Posting{Doc: int32(i), TF: count(d.terms, term), Context: count(x.context[i], term)}
		if p.TF+p.Context > 0 {
			list = append(list, p)
		}
	}
	return store.NewTermList(list, func(doc int32) uint32 {
		d := x.docs[doc]
		return store.OwnWeight*d.Length + store.ContextWeight*d.Context
	}), nil
}

func (x *index) Chunk(n int) ([]store.Doc, error) {
	if n < 0 || n*store.ChunkDocs >= len(x.docs) {
		return nil, fmt.Errorf("model: %w: documents from %d", dsl.ErrNotFound, n*store.ChunkDocs)
	}
	var out []store.Doc
	for _, d := range x.docs[n*store.ChunkDocs : min((n+1)*store.ChunkDocs, len(x.docs))] {
		out = append(out, d.Doc)
	}
	return out, nil
}

func (x *index) ID(doc int32) (id string, version uint32, err error) {
	switch x.field {
	case store.TurnField:
		t, err := x.v.TurnDoc(int(doc))
		return t.ID, 0, err
	case store.FactField:
		f, err := x.v.FactDoc(int(doc))
		return f.ID, f.Version, err
	default:
		e, err := x.v.EventDoc(int(doc))
		return e.ID, e.Version, err
	}
}

func (x *index) Speakers(term string) (numbers []uint32, err error) {
	for i, name := range x.speakers {
		if slices.Contains(analyzer.Terms(nil, name), term) {
			numbers = append(numbers, uint32(i))
		}
	}
	return numbers, nil
}

func (x *index) Session(n uint32) (string, error) {
	if int(n) >= len(x.sessions) {
		return "", fmt.Errorf("model: %w: session number %d", dsl.ErrNotFound, n)
	}
	return x.sessions[n], nil
}

func (x *index) Members(session uint32) (members []int32, err error) {
	for i, d := range x.docs {
		if x.field == store.TurnField && d.Session == session {
			members = append(members, int32(i))
		}
	}
	return members, nil
}

func (x *index) Replaced(doc int32) (bool, error) {
	return x.field == store.TurnField && x.v.s.turns[doc].ReplacedBy != "", nil
}

func (x *index) Close() error { return nil }
