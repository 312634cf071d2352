package asof

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/asof-db/asof/dsl"
)

// zoneless are the spellings of a time that names no zone.
var zoneless = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}

// ParseTime reads a time: RFC 3339 with a zone, or without one (then it is in
// loc), or a date (its first instant). Digits below the microsecond are cut
// off. zone is the offset that the text names, "" for UTC or none; named tells
// whether it names one.
func ParseTime(s string, loc *time.Location) (t dsl.Instant, zone string, named bool, err error) {
	fault := fmt.Errorf("%w: time %q is neither RFC 3339 (2023-05-08T13:56:00+08:00) nor a date (2023-05-08)", dsl.ErrInvalid, s)
	if len(s) < 10 || len(s) > 40 {
		return 0, "", false, fault
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04Z07:00"} {
		if p, err := time.Parse(layout, s); err == nil {
			if _, off := p.Zone(); off != 0 {
				zone = p.Format("-07:00")
			}
			return finite(p, zone, true, fault)
		}
	}
	for _, layout := range zoneless {
		if p, err := time.ParseInLocation(layout, s, loc); err == nil {
			return finite(p, "", false, fault)
		}
	}
	return 0, "", false, fault
}

func finite(p time.Time, zone string, named bool, fault error) (dsl.Instant, string, bool, error) {
	t := dsl.FromTime(p)
	if !t.Finite() {
		return 0, "", false, fmt.Errorf("%w (years 1 to 9999)", fault)
	}
	return t, zone, named, nil
}

// At names a view: the head (the zero value), a position, or a record time.
type At struct {
	seq    dsl.Seq
	time   dsl.Instant
	isSeq  bool
	isTime bool
}

// AtSeq is the view after the n-th transaction; 0 is the empty view.
func AtSeq(n dsl.Seq) At { return At{seq: n, isSeq: true} }

// AtTime is the view of what was recorded at or before t.
func AtTime(t dsl.Instant) At { return At{time: t, isTime: true} }

// ParseAt reads what --at takes: a time as ParseTime does in UTC, or a position
// #42. The empty string is the head.
func ParseAt(s string) (At, error) {
	if s == "" {
		return At{}, nil
	}
	if digits, ok := strings.CutPrefix(s, "#"); ok {
		n, err := strconv.ParseUint(digits, 10, 63)
		if err != nil {
			return At{}, fmt.Errorf("%w: position %q is not of the form #42", dsl.ErrInvalid, s)
		}
		return AtSeq(dsl.Seq(n)), nil
	}
	t, _, _, err := ParseTime(s, time.UTC)
	if err != nil {
		return At{}, fmt.Errorf("%w, nor a position (#42)", err)
	}
	return AtTime(t), nil
}
