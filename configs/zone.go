package configs

import (
	"fmt"
	"strings"
	"time"
)

// ParseZone reads a time zone as the key timezone and the flag --tz spell it: UTC, a name of the
// IANA database such as Asia/Shanghai, or an offset such as +08:00. Local is refused: it would make
// the same input mean something else on another machine.
func ParseZone(s string) (*time.Location, error) {
	const wanted = "want UTC, a name such as Asia/Shanghai or an offset such as +08:00"
	switch {
	case s == "UTC":
		return time.UTC, nil
	case s == "" || s == "Local":
		return nil, fmt.Errorf("%q is no time zone here; %s", s, wanted)
	case s[0] == '+' || s[0] == '-':
		t, err := time.Parse("-07:00", s)
		if err != nil {
			return nil, fmt.Errorf("%q is no offset; %s", s, wanted)
		}
		_, seconds := t.Zone()
		if seconds < -14*3600 || seconds > 14*3600 {
			return nil, fmt.Errorf("%q is more than 14 hours from UTC; %s", s, wanted)
		}
		return time.FixedZone(s, seconds), nil
	}
	loc, err := time.LoadLocation(s)
	if err != nil || strings.HasPrefix(s, ".") {
		return nil, fmt.Errorf("%q is no time zone that is known here; %s", s, wanted)
	}
	return loc, nil
}

// Location returns the zone of times that name none. It fails only on a Config that
// [Config.Validate] finds at fault.
func (c Config) Location() (*time.Location, error) {
	loc, err := ParseZone(c.Timezone)
	if err != nil {
		return nil, fmt.Errorf("configs: timezone: %w", err)
	}
	return loc, nil
}
