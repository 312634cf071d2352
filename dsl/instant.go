package dsl

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Instant is a point in time in microseconds since 1970-01-01T00:00:00Z. The
// two extreme values stand for the ends of time, which no clock reaches.
type Instant int64

const (
	// Beginning is before every instant; as the start of an interval it is −∞.
	Beginning Instant = math.MinInt64
	// Forever is after every instant; as the end of an interval it is ∞.
	Forever Instant = math.MaxInt64
	// MinInstant is the first instant that has a text: 0001-01-01T00:00:00Z.
	MinInstant Instant = -62135596800 * 1e6
	// MaxInstant is the last instant that has a text: 9999-12-31T23:59:59.999999Z.
	MaxInstant Instant = 253402300800*1e6 - 1

	// Microsecond is the resolution of an Instant.
	Microsecond Instant = 1
	// Second is one second in Instant units.
	Second = 1_000_000 * Microsecond
	// Day is 24 hours in Instant units.
	Day = 86_400 * Second
)

// FromTime gives the instant of t, rounded down to the microsecond.
func FromTime(t time.Time) Instant { return Instant(t.UnixMicro()) }

// Time gives the UTC time of i. It is meaningful only when i.Finite().
func (i Instant) Time() time.Time { return time.UnixMicro(int64(i)).UTC() }

// Finite tells whether i is a point that has a text, and not an end of time.
func (i Instant) Finite() bool { return i >= MinInstant && i <= MaxInstant }

// String gives RFC 3339 in UTC with the shortest fraction, or "null" for an end
// of time.
func (i Instant) String() string {
	if !i.Finite() {
		return "null"
	}
	return string(i.AppendText(make([]byte, 0, 27)))
}

// AppendText appends the RFC 3339 text of a finite instant: UTC, "Z", and no
// more digits of a fraction than it needs.
func (i Instant) AppendText(b []byte) []byte {
	sec, us := int64(i)/1e6, int64(i)%1e6
	if us < 0 {
		sec, us = sec-1, us+1e6
	}
	b = time.Unix(sec, 0).UTC().AppendFormat(b, "2006-01-02T15:04:05")
	if us != 0 {
		f := strconv.FormatInt(1e6+us, 10)
		b = append(b, '.')
		b = append(b, strings.TrimRight(f[1:], "0")...)
	}
	return append(b, 'Z')
}

// parseCanonical reads exactly the text that AppendText writes.
func parseCanonical(s string) (Instant, error) {
	bad := func() (Instant, error) {
		return 0, fmt.Errorf("%w: time %q is not canonical RFC 3339 in UTC", ErrCorrupt, clip(s))
	}
	if len(s) < 20 || len(s) > 27 {
		return bad()
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return bad()
	}
	i := FromTime(t)
	if !i.Finite() || i.String() != s {
		return bad()
	}
	return i, nil
}

// MarshalJSONTo writes the instant's text, or null for an end of time.
func (i Instant) MarshalJSONTo(e *jsontext.Encoder) error {
	if i == Beginning || i == Forever {
		return e.WriteToken(jsontext.Null)
	}
	if !i.Finite() {
		return fmt.Errorf("instant %d lies outside years 1 to 9999", int64(i))
	}
	b := append(e.AvailableBuffer(), '"')
	b = append(i.AppendText(b), '"')
	return e.WriteValue(b)
}

// UnmarshalJSONFrom reads the canonical text. Null is refused: only an interval
// knows which end of time it means.
func (i *Instant) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != '"' {
		return fmt.Errorf("%w: a time is a string", ErrCorrupt)
	}
	*i, err = parseCanonical(t.String())
	return err
}

// Interval is the half-open span [Start, End). Start == End is empty.
type Interval struct {
	Start, End Instant
}

// Always is the interval that holds every instant.
var Always = Interval{Beginning, Forever}

// Since gives [start, ∞).
func Since(start Instant) Interval { return Interval{start, Forever} }

// Valid tells whether Start ≤ End (I1) and both are finite or the fitting end
// of time.
func (v Interval) Valid() bool {
	return v.Start <= v.End && (v.Start == Beginning || v.Start.Finite()) && (v.End == Forever || v.End.Finite())
}

// Empty tells whether the interval holds no instant.
func (v Interval) Empty() bool { return v.Start >= v.End }

// Contains tells whether Start ≤ t < End.
func (v Interval) Contains(t Instant) bool { return v.Start <= t && t < v.End }

// Overlaps tells whether some instant lies in both.
func (v Interval) Overlaps(w Interval) bool {
	return max(v.Start, w.Start) < min(v.End, w.End)
}

// Intersect gives the instants that lie in both; it may be empty, and is then
// not necessarily Valid.
func (v Interval) Intersect(w Interval) Interval {
	return Interval{max(v.Start, w.Start), min(v.End, w.End)}
}

// String gives the interval as people read it: [start, end).
func (v Interval) String() string {
	s, e := "-∞", "∞"
	if v.Start != Beginning {
		s = v.Start.String()
	}
	if v.End != Forever {
		e = v.End.String()
	}
	return "[" + s + ", " + e + ")"
}

// MarshalJSONTo writes [start, end] with null for the ends of time.
func (v Interval) MarshalJSONTo(e *jsontext.Encoder) error {
	if v.Start == Forever || v.End == Beginning {
		return fmt.Errorf("interval %s is turned around", v)
	}
	if err := e.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	if err := v.Start.MarshalJSONTo(e); err != nil {
		return err
	}
	if err := v.End.MarshalJSONTo(e); err != nil {
		return err
	}
	return e.WriteToken(jsontext.EndArray)
}

// UnmarshalJSONFrom reads [start, end]; null at the start is −∞, at the end ∞.
func (v *Interval) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if t, err := d.ReadToken(); err != nil {
		return err
	} else if t.Kind() != '[' {
		return fmt.Errorf("%w: an interval is an array of two times", ErrCorrupt)
	}
	for k, p := range []*Instant{&v.Start, &v.End} {
		if d.PeekKind() == 'n' {
			if _, err := d.ReadToken(); err != nil {
				return err
			}
			*p = []Instant{Beginning, Forever}[k]
			continue
		}
		if err := p.UnmarshalJSONFrom(d); err != nil {
			return err
		}
	}
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != ']' {
		return fmt.Errorf("%w: an interval has two times", ErrCorrupt)
	}
	return nil
}

// clip bounds a string for an error message.
func clip(s string) string {
	if len(s) <= 64 {
		return s
	}
	return s[:64] + "…"
}
