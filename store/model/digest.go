package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// Digest hashes the model's own rendering of the state. It is the same for the
// same transactions and differs after each, but is not the store's digest.
func (v *view) Digest() (dsl.Hash, error) { return v.s.digest() }

func (s *state) digest() (dsl.Hash, error) {
	type openLink struct {
		ID       string
		Kind     dsl.LinkKind
		From, To string
		Open     bool
	}
	all := struct {
		Basis    store.Basis
		Settings []*dsl.Settings
		Nodes    []dsl.Node
		Turns    []store.Turn
		Versions []store.Version
		Events   []dsl.Event
		Links    []openLink
		Memories []dsl.Memory
		Held     []store.Held
	}{Basis: s.basis, Settings: s.settings, Nodes: s.nodes, Turns: s.turns}
	for _, x := range s.versions {
		all.Versions = append(all.Versions, x.show())
	}
	for _, e := range s.events {
		all.Events = append(all.Events, *e)
	}
	for _, l := range s.links {
		all.Links = append(all.Links, openLink{l.id, l.kind, l.from, l.to, l.open})
	}
	all.Memories = s.memories
	for _, ref := range slices.SortedFunc(maps.Keys(s.held), func(a, b dsl.HeldRef) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.Candidate, b.Candidate))
	}) {
		all.Held = append(all.Held, s.held[ref])
	}
	b, err := dsl.Canonical(all)
	if err != nil {
		return dsl.Hash{}, fmt.Errorf("model: digest: %w", err)
	}
	return dsl.Sum(b), nil
}
