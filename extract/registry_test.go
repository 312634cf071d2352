package extract

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
)

// TestDefaultRegistry holds that the built-in list is sound, that each short name
// finds its predicate and which predicates are functional.
func TestDefaultRegistry(t *testing.T) {
	r := DefaultRegistry()
	var functional []string
	for _, p := range r.List() {
		if got, ok := r.Lookup(p.Short); p.Short != "" && (!ok || got.Name != p.Name) {
			t.Errorf("%q finds %q, want %q", p.Short, got.Name, p.Name)
		}
		if r.Functional(p.Name) {
			functional = append(functional, p.Name)
		}
		if p.Phrase == "" {
			t.Errorf("%q has no phrase", p.Name)
		}
	}
	want := []string{"persona.name", "lives_in", "works_at", "studies_at", "scheduled_for.datetime", "scheduled_for.location"}
	if !reflect.DeepEqual(functional, want) {
		t.Errorf("functional: %v, want %v", functional, want)
	}
	if r.Canonical("scheduled_at") != "scheduled_for.datetime" || r.DstKind("scheduled_at") != dsl.TimeInstant || r.Canonical("mentors") != "mentors" {
		t.Error("short and unknown names are not resolved")
	}
}

// TestRegistryJSON holds that a registry survives its own text.
func TestRegistryJSON(t *testing.T) {
	r, err := DefaultRegistry().With(Predicate{Name: "mentors", Domain: dsl.Entity, Range: dsl.Entity, Synonyms: []string{"coaches"}, Inverse: "mentors"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	again, err := RegistryFromJSON(b)
	if err != nil || !reflect.DeepEqual(again.List(), r.List()) || again.Canonical("coaches") != "mentors" {
		t.Errorf("%v %v", again, err)
	}
	if _, err := RegistryFromJSON([]byte(`[{"name":1}]`)); !errors.Is(err, dsl.ErrCorrupt) {
		t.Errorf("corrupt text: %v", err)
	}
}

// TestRegistryFaults holds that every fault of a list is told, all at once.
func TestRegistryFaults(t *testing.T) {
	_, err := NewRegistry([]Predicate{
		{Name: "a b", Domain: dsl.Entity, Range: dsl.Entity},
		{Name: "c", Domain: dsl.Literal, Range: dsl.Entity},
		{Name: "d", Domain: dsl.Entity, Range: dsl.Document},
		{Name: "e", Domain: dsl.Entity, Range: dsl.Entity, Synonyms: []string{"c"}},
		{Name: "f", Domain: dsl.Entity, Range: dsl.Entity, Inverse: "nobody"},
	})
	if !errors.Is(err, dsl.ErrInvalid) {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{`"a b" holds a space`, "domain", "range", `"c" is already taken`, `inverse "nobody"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not tell %s", err, want)
		}
	}
}
