package extract

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/asof-db/asof/dsl"
)

// The public suites of time expressions give no turns but texts: when a text was
// said is in "ref" (Recognizers-Text, Duckling) or in "base_unix" (JioNLP: seconds,
// the fields of a date from the year down, or nothing), and no one said it.

// suiteLine are the members of such a line that a turn lacks.
type suiteLine struct {
	Ref  string         `json:"ref"`
	Base jsontext.Value `json:"base_unix"`
}

// suiteSpeaker stands for who said a text that names no one.
const suiteSpeaker = "user"

// chinaOffset is the zone of JioNLP's references, in seconds.
const chinaOffset = 8 * 3600

// SuiteTime gives when a text of the time suites was said: the clock face, in UTC
// clothes, and how it is written as a turn's "ts". A text without a reference was
// said at the start of 1900.
func SuiteTime(line []byte) (at time.Time, ts string, err error) {
	var in suiteLine
	if err := json.Unmarshal(line, &in, jsontext.AllowDuplicateNames(true)); err != nil {
		return at, "", fmt.Errorf("%w: the line is no text of a time suite: %v", dsl.ErrInvalid, err)
	}
	ts, err = in.ts()
	if err != nil {
		return at, "", err
	}
	if t, err := time.Parse(time.RFC3339Nano, ts); err == nil {
		return wallClock(t), ts, nil
	}
	t, err := time.Parse(localLayout, ts)
	if err != nil {
		if t, err = time.Parse(localLayout+".999999999", ts); err != nil {
			return at, "", fmt.Errorf("%w: ref %q is no time", dsl.ErrInvalid, ts)
		}
	}
	return wallClock(t), ts, nil
}

func wallClock(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// ts gives the reference as a turn's time.
func (s *suiteLine) ts() (string, error) {
	if s.Ref != "" {
		return s.Ref, nil
	}
	bad := func() (string, error) {
		return "", fmt.Errorf("%w: base_unix is neither seconds nor the fields of a date", dsl.ErrInvalid)
	}
	var fields []*float64
	switch s.Base.Kind() {
	case '0':
		var sec float64
		if err := json.Unmarshal(s.Base, &sec); err != nil || sec < -1e11 || sec > 1e11 {
			return bad()
		}
		return time.Unix(int64(sec), 0).In(time.FixedZone("", chinaOffset)).Format(localLayout), nil
	case '[':
		if json.Unmarshal(s.Base, &fields) != nil {
			return bad()
		}
	case '{':
		var f struct{ Year, Month, Day, Hour, Minute, Second *float64 }
		if json.Unmarshal(s.Base, &f, json.MatchCaseInsensitiveNames(true)) != nil {
			return bad()
		}
		fields = []*float64{f.Year, f.Month, f.Day, f.Hour, f.Minute, f.Second}
	}
	n := [6]int{1900, 1, 1}
	for i, v := range fields {
		if i < len(n) && v != nil {
			n[i] = int(*v)
		}
	}
	if !validDate(n[0], n[1], n[2]) || n[3] < 0 || n[3] > 23 || n[4] < 0 || n[4] > 59 || n[5] < 0 || n[5] > 59 {
		return bad()
	}
	return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", n[0], n[1], n[2], n[3], n[4], n[5]), nil
}
