package eval

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

// parts are what a probe compares, in order: the position with its digest and
// settings; every fact version with its status, and every event version with
// its visibility; the events that are visible; the working memory; the look-up of a name with its
// aliases; the history of what was found with the reasons; the search, scores
// included.
const (
	partPosition = iota
	partFacts
	partVersions
	partEvents
	partMemory
	partLookup
	partHistory
	partSearch
	parts
)

// partNames name the parts in reports.
func partNames() [parts]string {
	return [parts]string{"position", "facts", "event_versions", "events", "memory", "lookup", "history", "search"}
}

// sums are the SHA-256 of the parts of an answer, as JSON.
type sums [parts]dsl.Hash

// probe is one question about one past view.
type probe struct {
	// step is the step of the script after which it is asked; seq and time are the
	// head then.
	step int
	seq  dsl.Seq
	time dsl.Instant
	// byTime asks for the view of a record time, part of the way to the next
	// position's, instead of the position.
	byTime bool
	part   float64

	query retrieval.Query
	name  string
	// valid, as a share of the time since the first turn, restricts the look-up;
	// negative for not.
	valid float64

	before, after sums
}

// draw makes a probe. Texts come from the whole script, so some speak of what a
// past view has not heard of.
func draw(rng *draws, steps int, texts, speakers, words []string) probe {
	p := probe{step: rng.upTo(steps), byTime: rng.upTo(2) == 0, part: rng.share(), valid: -1}
	if p.name = pick(rng, speakers); len(words) > 0 && rng.upTo(2) == 0 {
		p.name = pick(rng, words)
	}
	p.query = retrieval.Query{Text: pick(rng, texts), K: 1 + rng.upTo(20), Kinds: retrieval.Kinds}
	if rng.upTo(3) == 0 {
		p.query.View = retrieval.AsWas
	}
	if rng.upTo(2) == 0 {
		p.valid = rng.share()
	}
	return p
}

// asker gives the answers of one memory. It keeps those that are the same for
// all probes of a view.
type asker struct {
	db    *asof.DB
	space string
	first dsl.Instant
	// wrap changes what a view gives, for ablations and for tests that a leak is
	// seen; nil leaves it.
	wrap func(*asof.View) error

	// early counts the events that a view shows before their evidence is complete,
	// once a view.
	early int

	kept  bool
	seq   dsl.Seq
	basis dsl.Instant
	same  sums
}

// ask gives the answer of the view.
func (a *asker) ask(ctx context.Context, at asof.At, p *probe) (s sums, err error) {
	v, err := a.db.View(a.space, at)
	if err != nil {
		return s, err
	}
	// A wrapped view closes the one that it wraps.
	defer func() { err = errors.Join(err, v.View.Close()) }()
	if a.wrap != nil {
		if err := a.wrap(v); err != nil {
			return s, err
		}
	}
	b := v.Basis()
	if !a.kept || a.seq != b.Seq || a.basis != b.Time {
		if a.same, err = a.whole(v); err != nil {
			return s, err
		}
		a.kept, a.seq, a.basis = true, b.Seq, b.Time
	}
	s = a.same
	if err := a.lookup(v, p, &s); err != nil {
		return s, err
	}
	r, err := v.Search(ctx, p.query)
	if err != nil {
		return s, err
	}
	s[partSearch], err = sumOf(a.db.SearchOut(p.query.Text, &r))
	return s, err
}

// whole gives the parts that depend on the view alone.
func (a *asker) whole(v *asof.View) (s sums, err error) {
	b := v.Basis()
	digest, err := v.Digest()
	if err != nil {
		return s, err
	}
	if s[partPosition], err = sumOf(struct {
		Basis  asof.BasisJSON
		Digest dsl.Hash
	}{a.db.BasisOut(b), digest}); err != nil {
		return s, err
	}
	if s[partFacts], err = sumAll(v.Facts(store.FactQuery{All: true}), func(f *dsl.FactVersion) (any, error) { return asof.FactOut(f), nil }); err != nil {
		return s, err
	}
	event := func(e *dsl.Event) (any, error) { return v.EventOut(e) }
	if s[partVersions], err = sumAll(v.Events(true), event); err != nil {
		return s, err
	}
	s[partEvents], err = sumAll(v.Events(false), func(e *dsl.Event) (any, error) {
		if e.Visible > b.Time {
			a.early++
		}
		return v.EventOut(e)
	})
	if err != nil {
		return s, err
	}
	m, err := v.Memory()
	if err != nil {
		return s, err
	}
	s[partMemory], err = sumOf(m)
	return s, err
}

// lookup gives what the view knows of a name, and the history of it.
func (a *asker) lookup(v *asof.View, p *probe, s *sums) error {
	l := asof.Lookup{Src: p.name}
	if b := v.Basis(); p.valid >= 0 && b.Seq > 0 {
		at := a.first + dsl.Instant(float64(b.Time-a.first)*p.valid)
		l.Valid = &at
	}
	q, known, err := v.Query(l)
	if err != nil {
		return err
	}
	if !known {
		s[partLookup], err = sumOf("unknown")
		s[partHistory] = s[partLookup]
		return err
	}
	if s[partLookup], err = sumAll(v.Facts(q), func(f *dsl.FactVersion) (any, error) { return asof.FactOut(f), nil }); err != nil {
		return err
	}
	s[partHistory], err = sumAll(v.History(q), func(x *store.Version) (any, error) { return asof.HistoryOut(x), nil })
	return err
}

// sumOf hashes the JSON of a value, as commands print it.
func sumOf(v any) (dsl.Hash, error) {
	b, err := asof.EncodeJSON(v)
	if err != nil {
		return dsl.Hash{}, fmt.Errorf("eval: encode an answer: %w", err)
	}
	return dsl.Sum(b), nil
}

// sumAll hashes the lines of a list.
func sumAll[T any](seq iter.Seq2[T, error], out func(*T) (any, error)) (dsl.Hash, error) {
	h := sha256.New()
	for x, err := range seq {
		if err != nil {
			return dsl.Hash{}, err
		}
		v, err := out(&x)
		if err != nil {
			return dsl.Hash{}, err
		}
		b, err := asof.EncodeJSON(v)
		if err != nil {
			return dsl.Hash{}, fmt.Errorf("eval: encode an answer: %w", err)
		}
		h.Write(append(b, '\n'))
	}
	return dsl.Hash(h.Sum(nil)), nil
}
