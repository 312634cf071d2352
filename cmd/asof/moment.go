package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
)

// moment is the value of --at, --valid, --from and --to: a time or a position.
// The zero value was not given.
type moment struct {
	text  string
	isSeq bool
	seq   dsl.Seq
	time  dsl.Instant
}

// parseMoment reads a time or a position #n.
func parseMoment(s string) (moment, error) {
	m := moment{text: s}
	if strings.HasPrefix(s, "#") {
		var n uint64
		if _, err := asof.ParseAt(s); err != nil {
			return moment{}, err
		}
		if _, err := fmt.Sscanf(s, "#%d", &n); err != nil {
			return moment{}, fmt.Errorf("position %q is not of the form #42", s)
		}
		m.isSeq, m.seq = true, dsl.Seq(n)
		return m, nil
	}
	t, _, _, err := asof.ParseTime(s, time.UTC)
	if err != nil {
		return moment{}, fmt.Errorf("%w, nor a position (#42)", err)
	}
	m.time = t
	return m, nil
}

// Set, String and Type make a moment a flag.
func (m *moment) Set(s string) (err error) {
	*m, err = parseMoment(s)
	return err
}

func (m *moment) String() string { return m.text }

// Type names the kind of value in the help.
func (m *moment) Type() string { return "time" }

// given tells whether there is one.
func (m *moment) given() bool { return m.text != "" }

// at gives the view that the moment names; the head if it was not given.
func (m *moment) at() asof.At { return m.atOr(asof.At{}) }

// atOr is at with another view for a moment that was not given.
func (m *moment) atOr(none asof.At) asof.At {
	switch {
	case !m.given():
		return none
	case m.isSeq:
		return asof.AtSeq(m.seq)
	}
	return asof.AtTime(m.time)
}

// instant gives the moment as a time: a position is its record time in the
// view, and one that the view does not hold is an error.
func (m *moment) instant(v *asof.View) (dsl.Instant, error) {
	if !m.isSeq {
		return m.time, nil
	}
	p, err := v.PositionAt(m.seq)
	if errors.Is(err, dsl.ErrNotFound) {
		return 0, fmt.Errorf("the view has no position %s", m.text)
	}
	return p.Time, err
}

// basisFlags are the flags that choose a view and an instant of valid time.
type basisFlags struct {
	at, valid moment
	kind      string
}

func (b *basisFlags) register(cmd *cobra.Command, valid bool) {
	f := cmd.Flags()
	f.Var(&b.at, "at", "record time or position of the view (default: the head)")
	if valid {
		f.Var(&b.valid, "valid", "only what holds in the world at this time")
		f.StringVar(&b.kind, "view", "ar", "ar: as recorded; aw: as was, at --valid or else at the time of the view")
	}
}

// check refuses a --view that is none.
func (b *basisFlags) check() error {
	switch retrieval.ViewKind(b.kind) {
	case retrieval.AsRecorded, retrieval.AsWas:
		return nil
	}
	return wrongUsage("--view %q is neither ar nor aw", b.kind)
}

// validAt gives the instant of valid time that is asked for, or nil: the one
// given; as was without one, the time of the view, which is the record time of
// its last transaction where the view was named by a position or is the head.
func (b *basisFlags) validAt(v *asof.View) (*dsl.Instant, error) {
	switch {
	case b.valid.given():
		t, err := b.valid.instant(v)
		return &t, err
	case retrieval.ViewKind(b.kind) != retrieval.AsWas:
		return nil, nil
	case b.at.given() && !b.at.isSeq:
		t := b.at.time
		return &t, nil
	}
	t := v.Basis().Time
	return &t, nil
}
