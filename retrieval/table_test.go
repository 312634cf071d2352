package retrieval

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// table is a view of turns alone whose postings are ready to read, as a store's
// are: for measuring.
type table struct {
	store.View // nil: only what is below is asked for
	turns      []store.Turn
	docs       store.Docs
	context    uint64
	postings   map[string][]store.Posting
	lasts      map[string][][]string // terms of the last turns of each session
	sessions   map[string]uint32
	speakers   map[string]uint32
}

func newTable() *table {
	return &table{postings: make(map[string][]store.Posting), lasts: make(map[string][][]string),
		sessions: make(map[string]uint32), speakers: make(map[string]uint32)}
}

func (v *table) add(turn dsl.Turn) {
	n := len(v.turns)
	v.turns = append(v.turns, store.Turn{Turn: turn, Seq: dsl.Seq(n + 1), Record: minute(n + 1), Doc: n})
	terms := shared.Terms(nil, turn.Text.String())
	for _, a := range turn.Attachments {
		terms = shared.Terms(terms, a.Text.String())
	}
	at := func(term string) *store.Posting {
		list := v.postings[term]
		if len(list) == 0 || list[len(list)-1].Doc != int32(n) {
			list = append(list, store.Posting{Doc: int32(n)})
			v.postings[term] = list
		}
		return &list[len(list)-1]
	}
	for _, term := range terms {
		at(term).TF++
	}
	context := 0
	for _, before := range v.lasts[turn.Session] {
		context += len(before)
		for _, term := range before {
			at(term).Context++
		}
	}
	v.lasts[turn.Session] = append(v.lasts[turn.Session], terms)
	if lasts := v.lasts[turn.Session]; len(lasts) > store.ContextTurns {
		v.lasts[turn.Session] = lasts[1:]
	}
	v.docs.Info = append(v.docs.Info, store.Doc{
		Seq: dsl.Seq(n + 1), Length: uint32(len(terms)), Context: uint32(context), TS: turn.TS,
		Session: number(v.sessions, &v.docs.Sessions, turn.Session),
		Speaker: number(v.speakers, &v.docs.Speakers, turn.Speaker.String()),
	})
	v.docs.Terms += uint64(len(terms))
	v.context += uint64(context)
}

func number(of map[string]uint32, names *[]string, name string) uint32 {
	n, ok := of[name]
	if !ok {
		n = uint32(len(*names))
		of[name] = n
		*names = append(*names, name)
	}
	return n
}

func (v *table) Basis() store.Basis {
	return store.Basis{Space: testSpace, Seq: dsl.Seq(len(v.turns)), Time: minute(len(v.turns))}
}

func (v *table) Index(field store.Field) (store.Index, error) {
	if field == store.TurnField {
		return v, nil
	}
	return newTable(), nil
}

func (v *table) Node(id string) (dsl.Node, error) {
	return dsl.Node{}, fmt.Errorf("node %s: %w", id, dsl.ErrNotFound)
}

func (v *table) Close() error { return nil }

func (v *table) Stats() store.IndexStats {
	return store.IndexStats{Docs: len(v.turns), Terms: v.docs.Terms, Context: v.context, Sessions: len(v.sessions), Speakers: len(v.speakers)}
}

func (v *table) Term(term string) (*store.TermList, error) {
	return store.NewTermList(v.postings[term], func(doc int32) uint32 { return docLength(&v.docs.Info[doc]) }), nil
}

func (v *table) Chunk(n int) ([]store.Doc, error) {
	return v.docs.Info[n*store.ChunkDocs : min((n+1)*store.ChunkDocs, len(v.docs.Info))], nil
}

func (v *table) ID(doc int32) (string, uint32, error) { return v.turns[doc].ID, 0, nil }

func (v *table) Speakers(term string) (numbers []uint32, err error) {
	for i, name := range v.docs.Speakers {
		if slices.Contains(shared.Terms(nil, name), term) {
			numbers = append(numbers, uint32(i))
		}
	}
	return numbers, nil
}

func (v *table) Replaced(int32) (bool, error) { return false, nil }

func (v *table) Session(n uint32) (string, error) { return v.docs.Sessions[n], nil }

func (v *table) Members(session uint32) (members []int32, err error) {
	for i, d := range v.docs.Info {
		if d.Session == session {
			members = append(members, int32(i))
		}
	}
	return members, nil
}

func (v *table) TurnDoc(doc int) (store.Turn, error) {
	if doc < 0 || doc >= len(v.turns) {
		return store.Turn{}, fmt.Errorf("turn document %d: %w", doc, dsl.ErrNotFound)
	}
	return v.turns[doc], nil
}

// docLength gives the length of a document with its context as the index counts
// it.
func docLength(d *store.Doc) uint32 {
	return store.OwnWeight*d.Length + store.ContextWeight*d.Context
}
