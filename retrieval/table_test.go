package retrieval

import (
	"fmt"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// table is a view of turns alone whose postings are ready to read, as a store's
// are: for measuring.
type table struct {
	store.View // nil: only what is below is asked for
	turns      []store.Turn
	docs       store.Docs
	postings   map[string][]posting
	sessions   map[string]uint32
	speakers   map[string]uint32
}

type posting struct {
	doc int
	tf  uint32
}

func newTable() *table {
	return &table{postings: make(map[string][]posting), sessions: make(map[string]uint32), speakers: make(map[string]uint32)}
}

func (v *table) add(turn dsl.Turn) {
	n := len(v.turns)
	v.turns = append(v.turns, store.Turn{Turn: turn, Seq: dsl.Seq(n + 1), Record: minute(n + 1), Doc: n})
	terms := shared.Terms(nil, turn.Text.String())
	for _, a := range turn.Attachments {
		terms = shared.Terms(terms, a.Text.String())
	}
	for _, term := range terms {
		list := v.postings[term]
		if len(list) == 0 || list[len(list)-1].doc != n {
			list = append(list, posting{doc: n})
		}
		list[len(list)-1].tf++
		v.postings[term] = list
	}
	v.docs.Info = append(v.docs.Info, store.Doc{
		Seq: dsl.Seq(n + 1), Length: uint32(len(terms)), TS: turn.TS,
		Session: number(v.sessions, &v.docs.Sessions, turn.Session),
		Speaker: number(v.speakers, &v.docs.Speakers, turn.Speaker.String()),
	})
	v.docs.Terms += uint64(len(terms))
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

func (v *table) Docs(field store.Field) (store.Docs, error) {
	if field == store.TurnField {
		return v.docs, nil
	}
	return store.Docs{}, nil
}

func (v *table) Postings(field store.Field, term string, f func(int, uint32) bool) error {
	if field == store.TurnField {
		for _, p := range v.postings[term] {
			if !f(p.doc, p.tf) {
				break
			}
		}
	}
	return nil
}

func (v *table) TurnDoc(doc int) (store.Turn, error) {
	if doc < 0 || doc >= len(v.turns) {
		return store.Turn{}, fmt.Errorf("turn document %d: %w", doc, dsl.ErrNotFound)
	}
	return v.turns[doc], nil
}
