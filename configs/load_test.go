package configs

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLoadJoinsAllFaults(t *testing.T) {
	_, err := Load([]byte("ner: {mode: Z}\nstore: {cash_mb: 1}\nqa: {temporal_prompt: true}\n"), "my.yaml")
	if !errors.Is(err, ErrInvalid) || !errors.Is(err, ErrUnavailable) {
		t.Errorf("the error is of neither or one kind only: %v", err)
	}
	var e *Error
	if !errors.As(err, &e) || len(e.Faults) != 3 {
		t.Fatalf("faults: %+v", err)
	}
	want := []string{
		`my.yaml: line 1: ner.mode: "Z" is not known; want A, B, B', C`,
		`my.yaml: line 2: store.cash_mb: unknown key; did you mean store.cache_mb?`,
		`my.yaml: line 3: qa.temporal_prompt: true is not available yet (it needs a reader); this build takes false`,
	}
	if got := err.Error(); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestLoadLaysOverDefault(t *testing.T) {
	c, err := Load([]byte("assimilate: {wm_min: 0.5}\ningest: {future_limit: 90s}\n"), "my.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Assimilate.WMMin = 0.5
	want.Ingest.FutureLimit = 90_000_000_000
	if string(c.YAML()) != string(want.YAML()) {
		t.Errorf("got\n%s", c.YAML())
	}
	if printed := string(c.YAML()); !strings.Contains(printed, "wm_min: 0.5 ") || !strings.Contains(printed, "future_limit: 1m30s") {
		t.Errorf("printed\n%s", printed)
	}
}

func TestLargeFileIsRefused(t *testing.T) {
	_, faults := Check(bytes.Repeat([]byte("# \n"), maxFileBytes))
	if len(faults) != 1 || faults[0].Kind != Invalid {
		t.Errorf("faults: %v", faults)
	}
}

// TestURLIsNotRepeated keeps a broker's password out of the message.
func TestURLIsNotRepeated(t *testing.T) {
	_, err := Load([]byte("ledger: {url: 'http://me:secret@broker'}"), "my.yaml")
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestLocation(t *testing.T) {
	for zone, seconds := range map[string]int{"UTC": 0, "+08:00": 8 * 3600, "-03:30": -12600} {
		c := Default()
		c.Timezone = zone
		loc, err := c.Location()
		if err != nil {
			t.Errorf("%s: %v", zone, err)
			continue
		}
		if _, got := time.Unix(0, 0).In(loc).Zone(); got != seconds {
			t.Errorf("%s: %d seconds east, want %d", zone, got, seconds)
		}
	}
	for _, zone := range []string{"Local", "+8", "Middle/Earth"} {
		c := Default()
		c.Timezone = zone
		if _, err := c.Location(); err == nil {
			t.Errorf("%q was taken", zone)
		}
	}
}

// uncommentExample returns the commented example of predicates in default.yaml as a file.
func uncommentExample(t *testing.T, file string) string {
	t.Helper()
	_, rest, found := strings.Cut(file, "such as\n")
	body, _, end := strings.Cut(rest, "predicates: []")
	if !found || !end {
		t.Fatal("default.yaml has no example of a predicate")
	}
	return "predicates:\n" + strings.ReplaceAll("\n"+body, "\n# ", "\n")
}

// FuzzLoad reads anything. Nothing panics, every fault says something, and a file without invalid
// values prints as one that reads the same.
func FuzzLoad(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.yaml")
	for _, file := range append(files, "default.yaml", "p1.yaml") {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, faults := Check(data)
		for _, fault := range faults {
			if fault.Message == "" || fault.Line < 0 {
				t.Errorf("fault %+v", fault)
			}
			if fault.Kind == Invalid {
				return
			}
		}
		requireRoundTrip(t, c)
	})
}
