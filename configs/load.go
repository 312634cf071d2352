package configs

import (
	_ "embed" // The built-in profile is a file of this folder.
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/asof-db/asof/dsl"
)

//go:embed default.yaml
var defaultYAML []byte

var builtin = sync.OnceValue(func() Config {
	var c Config
	if _, faults := parse(&c, defaultYAML); len(faults) > 0 {
		panic("configs: default.yaml, which is part of the binary: " + faults[0].String())
	}
	return c
})

// Default returns the built-in profile. The caller may change it.
func Default() Config {
	c := builtin()
	c.Predicates = slices.Clone(c.Predicates)
	return c
}

// Load reads one profile over the built-in one. Its error is an [*Error] with every fault of the
// file, of this build's shortcomings too, each line beginning with name.
func Load(data []byte, name string) (Config, error) {
	c, faults := Check(data)
	if len(faults) > 0 {
		return Config{}, &Error{Name: name, Faults: faults}
	}
	return c, nil
}

// Check reads one profile over the built-in one and returns it with all its faults, in the order of
// their lines. A file whose faults are all of the kind [Unavailable] is valid, and the Config then
// holds it whole; where a value could not be read, the Config keeps the built-in one.
func Check(data []byte) (Config, []Fault) {
	c := Default()
	places, faults := parse(&c, data)
	form := faults // Those of what could not be read.
	for _, f := range c.Validate() {
		at := places.of(f.Path)
		if at.line == 0 && f.also != "" {
			at = places.of(f.also)
		}
		if covered(at.path, form) {
			continue
		}
		f.Path, f.Line = at.path, at.line
		faults = append(faults, f)
	}
	slices.SortStableFunc(faults, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Path, b.Path)
	})
	return c, faults
}

// Location returns the zone of times that name none. It fails only on a Config that
// [Config.Validate] finds at fault.
func (c Config) Location() (*time.Location, error) {
	loc, err := dsl.ParseZone(c.Timezone)
	if err != nil {
		return nil, fmt.Errorf("configs: timezone: %w", err)
	}
	return loc, nil
}

// covered reports whether one of the faults is of path or of something around it.
func covered(path string, faults []Fault) bool {
	return slices.ContainsFunc(faults, func(f Fault) bool {
		rest, ok := strings.CutPrefix(path, f.Path)
		return ok && f.Path != "" && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// EnsureDefaults makes the zero Config the built-in profile. In any other it gives each field that
// holds its zero value, where zero is out of range, the built-in value; a switch that is off stays
// off.
func (c *Config) EnsureDefaults() {
	d := Default()
	if reflect.ValueOf(*c).IsZero() {
		*c = d
		return
	}
	for _, k := range keys {
		if v := c.get(k.path); reflect.ValueOf(v).IsZero() && k.want.check(v) != "" {
			c.set(k.path, d.get(k.path))
		}
	}
}
