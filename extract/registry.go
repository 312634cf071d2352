package extract

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
)

// Predicate is what the registry knows about a relation.
type Predicate struct {
	// Domain and Range are the kinds of node at its two ends.
	Domain dsl.NodeKind `json:"domain"`
	// Functional predicates hold one value per subject at any time.
	Functional bool `json:"functional"`
	// Inverse is the predicate that says the same from the other end, if any.
	Inverse string `json:"inverse,omitzero"`
	// Name is the canonical name.
	Name string `json:"name"`
	// Opposite are predicates that cannot hold of the same subject and value at the
	// same time: saying one ends the other. It works both ways.
	Opposite []string `json:"opposite,omitempty"`
	// Phrase puts it between subject and value: "lives in".
	Phrase string       `json:"phrase"`
	Range  dsl.NodeKind `json:"range"`
	// Short is the name that extract prints; empty where it is Name.
	Short string `json:"short,omitzero"`
	// Synonyms are other names for it.
	Synonyms []string `json:"synonyms,omitzero"`
	// Text gives, by language (en, zh), patterns by which extraction finds it in a
	// turn, in the language of internal/phrase.
	Text map[string][]string `json:"text,omitempty"`
}

// Registry is an immutable set of predicates, looked up by name or synonym. A
// Registry may be used concurrently.
type Registry struct {
	list   []Predicate
	byName map[string]int
	// opposites are those of each predicate that has any, by canonical name.
	opposites map[string][]string
	// rules are the text patterns of the predicates that have any, by language.
	rules map[string]*rules
}

// predicates is version 1 of DESIGN §5.
var predicates = []Predicate{
	{Name: "persona.name", Short: "name", Functional: true, Domain: dsl.Entity, Range: dsl.Literal, Phrase: "is named"},
	{Name: "persona.role", Short: "role", Domain: dsl.Entity, Range: dsl.Literal, Phrase: "works as"},
	{Name: "lives_in", Functional: true, Domain: dsl.Entity, Range: dsl.Entity, Phrase: "lives in"},
	{Name: "works_at", Functional: true, Domain: dsl.Entity, Range: dsl.Entity, Phrase: "works at"},
	{Name: "studies_at", Functional: true, Domain: dsl.Entity, Range: dsl.Entity, Phrase: "studies at"},
	{Name: "has_contact.email", Short: "email", Domain: dsl.Entity, Range: dsl.Literal, Phrase: "has the e-mail address"},
	{Name: "has_contact.phone", Short: "phone", Domain: dsl.Entity, Range: dsl.Literal, Phrase: "has the phone number"},
	{Name: "scheduled_for.datetime", Short: "scheduled_at", Functional: true, Domain: dsl.Entity, Range: dsl.TimeInstant, Phrase: "is scheduled for"},
	{Name: "scheduled_for.location", Short: "located_at", Functional: true, Domain: dsl.Entity, Range: dsl.Entity, Phrase: "takes place at"},
	{Name: "prefers.food", Short: "prefers_food", Domain: dsl.Entity, Range: dsl.Literal, Phrase: "likes the food"},
	{Name: "prefers.music", Short: "prefers_music", Domain: dsl.Entity, Range: dsl.Literal, Phrase: "likes the music"},
	{Name: "prefers.activity", Short: "prefers_activity", Domain: dsl.Entity, Range: dsl.Literal, Phrase: "likes to do"},
	{Name: "likes", Domain: dsl.Entity, Range: dsl.Literal, Phrase: "likes"},
	{Name: "dislikes", Domain: dsl.Entity, Range: dsl.Literal, Phrase: "dislikes",
		Opposite: []string{"likes", "prefers.food", "prefers.music", "prefers.activity"}},
	{Name: "related_to", Domain: dsl.Entity, Range: dsl.Entity, Phrase: "is related to"},
	{Name: "owns", Domain: dsl.Entity, Range: dsl.Literal, Phrase: "owns"},
	{Name: "uses", Domain: dsl.Entity, Range: dsl.Literal, Phrase: "uses"},
}

// DefaultRegistry gives the predicates of DESIGN §5.
func DefaultRegistry() *Registry {
	r, err := NewRegistry(predicates)
	if err != nil {
		panic("extract: the built-in registry: " + err.Error()) // held by a test
	}
	return r
}

// NewRegistry makes a registry and returns every fault of the list at once,
// each wrapping dsl.ErrInvalid.
func NewRegistry(list []Predicate) (*Registry, error) {
	r := &Registry{list: slices.Clone(list), byName: map[string]int{}}
	var errs []error
	for i, p := range r.list {
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("%w: predicate %q: "+format, append([]any{dsl.ErrInvalid, p.Name}, args...)...))
		}
		if p.Domain != dsl.Entity {
			bad("domain %q is not entity", p.Domain)
		}
		if p.Range != dsl.Entity && p.Range != dsl.Literal && p.Range != dsl.TimeInstant {
			bad("range %q is none of entity, literal, time", p.Range)
		}
		names := p.Synonyms
		if p.Short != "" {
			names = append([]string{p.Short}, names...)
		}
		for _, n := range append([]string{p.Name}, names...) {
			if err := dsl.CheckID("predicate name", n); err != nil {
				bad("%v", err)
			} else if strings.ContainsFunc(n, func(c rune) bool { return c == ' ' || c == ':' }) {
				bad("name %q holds a space or a colon", n)
			}
			if j, taken := r.byName[n]; taken {
				bad("name %q is already taken by %q", n, r.list[j].Name)
				continue
			}
			r.byName[n] = i
		}
	}
	for _, p := range r.list {
		if p.Inverse != "" {
			if _, ok := r.byName[p.Inverse]; !ok {
				errs = append(errs, fmt.Errorf("%w: predicate %q: inverse %q is not in the registry", dsl.ErrInvalid, p.Name, p.Inverse))
			}
		}
		for _, o := range p.Opposite {
			if j, ok := r.byName[o]; !ok || r.list[j].Name == p.Name {
				errs = append(errs, fmt.Errorf("%w: predicate %q: opposite %q is not another predicate of the registry", dsl.ErrInvalid, p.Name, o))
			}
		}
	}
	errs = append(errs, r.readText()...)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	r.oppose()
	return r, nil
}

// readText compiles the text patterns and gives the faults of all of them.
func (r *Registry) readText() []error {
	var errs []error
	r.rules = map[string]*rules{}
	for _, lang := range []string{"en", "zh"} {
		var all []*rule
		for i := range r.list {
			own, err := userRules(&r.list[i], lang)
			if err != nil {
				errs = append(errs, fmt.Errorf("%w: predicate %q: %w", dsl.ErrInvalid, r.list[i].Name, err))
			}
			all = append(all, own...)
		}
		if len(all) > 0 {
			r.rules[lang] = indexRules(all)
		}
	}
	return errs
}

// Opposites gives the canonical names of the relations that cannot hold of the
// same subject and value at the same time, in order of registration. The caller
// must not change it.
func (r *Registry) Opposites(rel string) []string { return r.opposites[r.Canonical(rel)] }

// oppose gathers the opposites of every predicate, both ways.
func (r *Registry) oppose() {
	r.opposites = map[string][]string{}
	says := func(p *Predicate, name string) bool {
		return slices.ContainsFunc(p.Opposite, func(o string) bool { return r.Canonical(o) == name })
	}
	for i := range r.list {
		for j := range r.list {
			p, q := &r.list[i], &r.list[j]
			if i != j && (says(p, q.Name) || says(q, p.Name)) {
				r.opposites[p.Name] = append(r.opposites[p.Name], q.Name)
			}
		}
	}
}

// With gives a registry with more predicates.
func (r *Registry) With(more ...Predicate) (*Registry, error) {
	return NewRegistry(append(slices.Clone(r.list), more...))
}

// Lookup finds a predicate by its name or a synonym.
func (r *Registry) Lookup(rel string) (Predicate, bool) {
	i, ok := r.byName[rel]
	if !ok {
		return Predicate{}, false
	}
	return r.list[i], true
}

// Canonical gives the canonical name of a relation; one that the registry lacks
// keeps its own.
func (r *Registry) Canonical(rel string) string {
	if p, ok := r.Lookup(rel); ok {
		return p.Name
	}
	return rel
}

// Functional tells whether the relation holds one value per subject at any
// time. An unknown relation is many-valued.
func (r *Registry) Functional(rel string) bool {
	p, ok := r.Lookup(rel)
	return ok && p.Functional
}

// DstKind gives the kind of node that a relation's value is. The value of an
// unknown relation is an entity, so that graphs of a caller's own connect.
func (r *Registry) DstKind(rel string) dsl.NodeKind {
	if p, ok := r.Lookup(rel); ok {
		return p.Range
	}
	return dsl.Entity
}

// Phrase gives the words between subject and value: those of the registry, or
// the relation's own name with its punctuation as spaces.
func (r *Registry) Phrase(rel string) string {
	if p, ok := r.Lookup(rel); ok && p.Phrase != "" {
		return p.Phrase
	}
	return strings.NewReplacer("_", " ", ".", " ", "-", " ").Replace(rel)
}

// List gives the predicates in order of registration. The caller owns it.
func (r *Registry) List() []Predicate { return slices.Clone(r.list) }

// JSON gives the registry as canonical JSON.
func (r *Registry) JSON() ([]byte, error) { return dsl.Canonical(r.list) }

// RegistryFromJSON reads what JSON wrote; the error wraps dsl.ErrCorrupt or
// dsl.ErrInvalid.
func RegistryFromJSON(b []byte) (*Registry, error) {
	var list []Predicate
	if err := dsl.Decode(b, &list); err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	return NewRegistry(list)
}
