package extract

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/internal/analyze"
)

// Seen is a Memory of the turns whose results it was given: a name that was given
// a type there keeps it. It must not be used concurrently. The zero value is
// empty.
type Seen struct {
	names map[string]*seenName
	// like lists names by their words and by their first letters.
	like map[string][]*seenName
}

// seenName counts the types that a name was given.
type seenName struct {
	// text is the form first written.
	text   string
	counts [4]int
	best   int
}

// seenTypes are the types that a name is remembered with.
var seenTypes = [4]string{typePerson, typeOrg, typeLoc, typeWork}

// maxSeen bounds the names that are remembered; later ones are not.
const maxSeen = 1 << 16

// Add remembers the names in a result.
func (s *Seen) Add(r Result) {
	for i := range r.Entities {
		m := &r.Entities[i]
		if n := utf8.RuneCountInString(m.Text); n < 2 || len(m.Text) < 4 || n > 60 || classOf(lower(m.Text)) != 0 {
			continue
		}
		for k, typ := range seenTypes {
			if typ == m.Type {
				s.count(m.Text, k)
			}
		}
	}
}

func (s *Seen) count(name string, typ int) {
	if s.names == nil {
		s.names = map[string]*seenName{}
	}
	key := analyze.NormalizeName(name)
	n := s.names[key]
	if n == nil {
		if len(s.names) >= maxSeen {
			return
		}
		n = &seenName{text: name, best: typ}
		s.names[key] = n
		s.list(key, n)
	}
	n.counts[typ]++
	if n.counts[typ] > n.counts[n.best] {
		n.best = typ
	}
}

// maxListed bounds the names that are listed under one word.
const maxListed = 64

// list makes a name findable by its words and first letters.
func (s *Seen) list(key string, n *seenName) {
	if s.like == nil {
		s.like = map[string][]*seenName{}
	}
	for _, k := range likeKeys(key) {
		if l := s.like[k]; len(l) < maxListed {
			s.like[k] = append(l, n)
		}
	}
}

// likeKeys gives the keys that a normalised name is listed under: its words, at
// most eight, and its first two letters.
func likeKeys(key string) []string {
	out := strings.Fields(key)
	out = out[:min(len(out), 8)]
	if n := 0; len(key) > 0 {
		for i := range key {
			if n == 2 {
				return append(out, "\x00"+key[:i])
			}
			n++
		}
	}
	return out
}

// KnowsName implements NameMemory.
func (s *Seen) KnowsName(name string) bool { return s.names[analyze.NormalizeName(name)] != nil }

// NamesLike implements NameMemory.
func (s *Seen) NamesLike(name string, limit int) []KnownName {
	var out []KnownName
	for _, k := range likeKeys(analyze.NormalizeName(name)) {
		for _, n := range s.like[k] {
			if len(out) >= limit {
				return out
			}
			if k := (KnownName{n.text, seenTypes[n.best]}); !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	return out
}

// EntityType implements Memory: the type that the name was given most often, of
// equals the one that came first.
func (s *Seen) EntityType(name string) (typ string, ok bool) {
	n := s.names[analyze.NormalizeName(name)]
	if n == nil {
		return "", false
	}
	return seenTypes[n.best], true
}

// Reading extracts lines of turn JSON one after another, as [Pipeline.ExtractLine]
// does, and remembers the types of names by space: what a line's names are depends
// on the lines before it. It must not be used concurrently.
type Reading struct {
	// Waiting ends the waiting for models and servers; nil never does.
	Waiting context.Context
	// Heard is told what became of the options that were asked about a turn; nil for
	// nobody.
	Heard func(turn string, a *Answer)

	p    *Pipeline
	zone string
	seen map[string]*Seen
}

// NewReading gives a reading with nothing remembered. zone is that of a time that
// names none; empty is UTC.
func (p *Pipeline) NewReading(zone string) *Reading {
	return &Reading{p: p, zone: zone, seen: map[string]*Seen{}}
}

// Line reads one line and gives the line to print, without its end. A fault of
// the line wraps dsl.ErrInvalid and says what is missing or wrong.
func (r *Reading) Line(line []byte) ([]byte, error) {
	res, err := r.Result(line)
	if err != nil {
		return nil, err
	}
	return res.JSON()
}

// Result is Line before it is printed.
func (r *Reading) Result(line []byte) (Result, error) {
	ctx, space, err := parseSpaced(line, r.zone)
	if err != nil {
		return Result{}, fmt.Errorf("extract: %w", err)
	}
	seen := r.seen[space]
	if seen == nil {
		seen = &Seen{}
		r.seen[space] = seen
	}
	ctx.Memory, ctx.Waiting = seen, r.Waiting
	res := r.p.Extract(ctx)
	seen.Add(res)
	for i := range res.Answers {
		if r.Heard != nil {
			r.Heard(res.ID, &res.Answers[i])
		}
	}
	return res, nil
}
