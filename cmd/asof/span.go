package main

import (
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// span is the value of flags that take A..B: two moments, either left out for an
// open end. The zero value was not given.
type span struct {
	text     string
	from, to moment
}

// Set, String and Type make a span a flag.
func (s *span) Set(text string) error {
	from, to, ok := strings.Cut(text, "..")
	if !ok {
		return fmt.Errorf("%q is not of the form A..B (2023-01-01..2024-01-01, 2023-01-01.., ..2024-01-01)", text)
	}
	read := span{text: text}
	for _, end := range []struct {
		text string
		to   *moment
	}{{from, &read.from}, {to, &read.to}} {
		if end.text == "" {
			continue
		}
		if err := end.to.Set(end.text); err != nil {
			return err
		}
	}
	*s = read
	return nil
}

func (s *span) String() string { return s.text }

// Type names the kind of value in the help.
func (s *span) Type() string { return "A..B" }

// given tells whether there is one.
func (s *span) given() bool { return s.text != "" }

// interval gives the half-open interval [A, B); positions are their record times
// in the view.
func (s *span) interval(flag string, v *asof.View) (dsl.Interval, error) {
	iv := dsl.Always
	for _, end := range []struct {
		m  *moment
		to *dsl.Instant
	}{{&s.from, &iv.Start}, {&s.to, &iv.End}} {
		if !end.m.given() {
			continue
		}
		t, err := end.m.instant(v)
		if err != nil {
			return iv, err
		}
		*end.to = t
	}
	if iv.Empty() {
		return iv, wrongUsage("--%s %s holds no instant; B is the first moment that is not meant, so give one after A", flag, s.text)
	}
	return iv, nil
}

// reads are the flags of facts that ask for more than an instant of valid time.
type reads struct {
	valid, record, became, ended span
	allen                        string
	noLonger                     bool
	since                        moment
}

func (r *reads) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var(&r.valid, "valid-range", "only what stands to this span of valid time as --allen says")
	f.Var(&r.record, "record-range", "versions, closed ones too, whose time of belief stands to this span as --allen says")
	f.StringVar(&r.allen, "allen", "overlapping", "relations to the range, separated by commas: before, meets, overlaps, starts, during, finishes, equals,\n"+
		"their converses after, met-by, overlapped-by, started-by, contains, finished-by,\nand the unions overlapping, contained, containing, disjoint, any")
	f.Var(&r.became, "became", "only what became true in this span")
	f.Var(&r.ended, "ended", "only what stopped being true in this span")
	f.BoolVar(&r.noLonger, "no-longer", false, "what was believed at --since and is not any more, and why")
	f.Var(&r.since, "since", "the record time or position of --no-longer")
}

// some tells whether one of the flags was given.
func (r *reads) some() bool {
	return r.valid.given() || r.record.given() || r.became.given() || r.ended.given() || r.noLonger
}

// check refuses flags that say two things, or nothing.
func (r *reads) check(cmd *cobra.Command) error {
	n := 0
	for _, is := range []bool{r.valid.given(), r.record.given(), r.became.given(), r.ended.given(), r.noLonger} {
		if is {
			n++
		}
	}
	switch {
	case n > 1:
		return wrongUsage("give one of --valid-range, --record-range, --became, --ended, --no-longer")
	case r.noLonger != r.since.given():
		return wrongUsage("--no-longer and --since T go together")
	case cmd.Flags().Changed("allen") && !r.valid.given() && !r.record.given():
		return wrongUsage("--allen says how facts stand to --valid-range or --record-range; give one of them")
	}
	if _, err := store.ParseAllen(r.allen); err != nil {
		return wrongUsage("--allen: %w", err)
	}
	return nil
}

// spanReads answers the flags: facts one a line, versions that are over with what
// ended them.
func (a *app) spanReads(v *asof.View, q store.FactQuery, r *reads) error {
	relations, err := store.ParseAllen(r.allen)
	if err != nil {
		return err
	}
	if r.noLonger {
		since, err := r.since.instant(v)
		if err != nil {
			return err
		}
		return a.versions(store.NoLonger(v, q, since))
	}
	for _, read := range []struct {
		flag string
		span *span
		of   func(dsl.Interval) error
	}{
		{"valid-range", &r.valid, func(iv dsl.Interval) error { return a.facts(store.ValidWhere(v, q, relations, iv)) }},
		{"record-range", &r.record, func(iv dsl.Interval) error { return a.versions(store.RecordWhere(v, q, relations, iv)) }},
		{"became", &r.became, func(iv dsl.Interval) error { return a.facts(store.Became(v, q, iv)) }},
		{"ended", &r.ended, func(iv dsl.Interval) error { return a.facts(store.Stopped(v, q, iv)) }},
	} {
		if !read.span.given() {
			continue
		}
		iv, err := read.span.interval(read.flag, v)
		if err != nil {
			return err
		}
		return read.of(iv)
	}
	return nil
}

// facts writes what a read yields.
func (a *app) facts(seq iter.Seq2[dsl.FactVersion, error]) error {
	for f, err := range seq {
		if err != nil {
			return err
		}
		if err := a.fact(asof.FactOut(&f)); err != nil {
			return err
		}
	}
	return nil
}

// versions writes what a read yields, with reasons.
func (a *app) versions(seq iter.Seq2[store.Version, error]) error {
	for f, err := range seq {
		if err != nil {
			return err
		}
		if err := a.version(&f); err != nil {
			return err
		}
	}
	return nil
}
