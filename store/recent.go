package store

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// What is remembered of rows that never change, in bytes of memory, about.
const (
	turnsKept = 16 << 20
	listsKept = 16 << 20
	// turnCost is what a turn takes beside its texts, listCost what a list takes
	// beside its blocks.
	turnCost, listCost = 384, 256
)

// recorded gives a turn as it was recorded, from memory if it is there. What an
// edit does to a turn is known by the view.
func (v *snapshot) recorded(doc int) (Turn, error) {
	if v.stage != nil { // what is staged may come to nothing
		return readTurn(v.r, &v.keys, doc)
	}
	pos, err := v.position()
	if err != nil {
		return Turn{}, err
	}
	id := turnID{v.space, pos.dropped, int32(doc)}
	if t, ok := v.s.caches.turns.Get(id); ok {
		return t, nil
	}
	t, err := readTurn(v.r, &v.keys, doc)
	if err != nil {
		return t, err
	}
	size := turnCost + len(t.Text.String())
	for _, a := range t.Attachments {
		size += turnCost + len(a.Text.String())
	}
	v.s.caches.turns.Put(id, t, size)
	return t, nil
}

// turnID gives the id of a turn, from memory if it is there.
func (x *indexReader) turnID(doc int32) (string, error) {
	if x.v.stage == nil {
		if t, ok := x.v.s.caches.turns.Get(turnID{x.v.space, x.dropped, doc}); ok {
			return t.ID, nil
		}
	}
	value, ok, err := get(x.v.r, appendU32(x.v.keys.class(clTurn), uint32(doc)))
	if err != nil {
		return "", err
	}
	if !ok {
		return "", fmt.Errorf("store: %w: turn number %d is missing", dsl.ErrCorrupt, doc)
	}
	id, err := decodeTurnID(int(doc), value)
	if err != nil {
		return "", fmt.Errorf("store: %w", err)
	}
	return id, nil
}

// sealedList gives the postings of a term in the segments, from memory if the view
// holds all of these and the list is there. It must not be changed.
func (x *indexReader) sealedList(term string) (*TermList, error) {
	id := listID{tableID{x.v.space, x.dropped, x.f}, int32(x.sealed), term}
	whole := x.v.stage == nil && x.stats.Docs >= x.sealed
	if whole {
		if l, ok := x.v.s.caches.lists.Get(id); ok {
			return l, nil
		}
	}
	l := &TermList{}
	for _, s := range x.spans {
		if err := s.find(x.it.Iterator, x.v.keys.segment(x.f, s.tier, s.number()), term, x.stats.Docs, l, &x.read); err != nil {
			return nil, err
		}
	}
	if whole {
		size := listCost + len(term) + 64*len(l.blocks) + 8*len(l.impacts)
		for _, p := range l.parts {
			size += len(p)
		}
		id.term = string([]byte(term)) // a copy, so as not to hold on to the whole text
		x.v.s.caches.lists.Put(id, l, size)
	}
	return l, nil
}

// extended gives a list that can be added to and shares all that it holds.
func (l *TermList) extended() *TermList {
	return &TermList{blocks: slices.Clip(l.blocks), impacts: slices.Clip(l.impacts), parts: slices.Clip(l.parts), lists: slices.Clip(l.lists), count: l.count}
}
