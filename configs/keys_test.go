package configs

import (
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"
)

// other returns a valid value of a key that is not v.
func other(t *testing.T, k key, v any) any {
	t.Helper()
	var tries []any
	switch v := v.(type) {
	case bool:
		tries = []any{!v}
	case int:
		tries = []any{v + 1, v - 1}
	case float64:
		tries = []any{v + 0.125, v - 0.125, v + 1}
	case Threshold:
		tries = []any{Threshold(0.875), Threshold(0.5)}
	case time.Duration:
		tries = []any{v + time.Second}
	case string:
		tries = []any{ModeA, ModeB, ModeC, "OTHER", "nats://host:4222", "+08:00", "anthropic", "http://host:1/v1", FusionRRF, PackDetchain, ScaffoldAuto, "cuda", ExpandGate, RerankNone, "other-model", "bolt://host:7687"}
	case []Predicate:
		tries = []any{[]Predicate{{Name: "mentors", Functional: true, Domain: "entity", Range: "time", Phrase: "guides", Synonyms: []string{"coaches"}, Opposites: []string{"avoids"},
			Text: map[string][]string{"zh": {"指导"}, "en": {"mentors: all", "off"}}}}}
	}
	for _, try := range tries {
		if !reflect.DeepEqual(try, v) && k.want.check(try) == "" {
			return try
		}
	}
	t.Fatalf("%s: no other value than %v known to this test", k.path, v)
	return nil
}

// TestKeysAreFields holds the table and the struct to each other.
func TestKeysAreFields(t *testing.T) {
	var paths []string
	for _, k := range keys {
		paths = append(paths, k.path)
	}
	slices.Sort(paths)
	if fields := slices.Sorted(maps.Keys(fieldIndex())); !slices.Equal(paths, fields) {
		t.Errorf("the table has\n%v\nthe struct\n%v", paths, fields)
	}
	for alias, stands := range aliases {
		if !slices.Contains(paths, stands) || slices.Contains(paths, alias) {
			t.Errorf("alias %s of %s: the one must be no key, the other one", alias, stands)
		}
	}
}

// TestDefault holds default.yaml to its promises: it names every key, in the table's order, it holds,
// and this build honours all of it.
func TestDefault(t *testing.T) {
	var c Config
	at, faults := parse(&c, defaultYAML)
	if len(faults) > 0 {
		t.Fatalf("faults: %v", faults)
	}
	for _, k := range keys {
		if at[k.path].line == 0 {
			t.Errorf("default.yaml lacks %s", k.path)
		}
	}
	sorted := slices.SortedFunc(slices.Values(keys), func(a, b key) int { return at[a.path].line - at[b.path].line })
	for i, k := range keys {
		if sorted[i].path != k.path {
			t.Fatalf("the table has %s where default.yaml has %s", k.path, sorted[i].path)
		}
	}
	if faults := Default().Validate(); len(faults) > 0 {
		t.Errorf("the built-in profile does not hold: %v", faults)
	}
	if c, faults := Check(nil); len(faults) > 0 || !reflect.DeepEqual(c, Default()) {
		t.Errorf("an empty file is not the built-in profile: %v", faults)
	}
}

// TestDefaultIsACopy changes one caller's Config and looks at another's.
func TestDefaultIsACopy(t *testing.T) {
	c := Default()
	c.Predicates = append(c.Predicates, Predicate{Name: "mentors"})
	c.Retrieval.K1 = 9
	if d := Default(); len(d.Predicates) != 0 || d.Retrieval.K1 == 9 {
		t.Error("a change of one Default shows in the next")
	}
}

// TestClasses changes each key in turn: the semantic ones and no others change what is hashed.
func TestClasses(t *testing.T) {
	before := string(Default().SemanticJSON())
	for _, k := range keys {
		c := Default()
		c.set(k.path, other(t, k, c.get(k.path)))
		if changed := string(c.SemanticJSON()) != before; changed != (k.class == Semantic) {
			t.Errorf("%s: changed what is hashed: %v", k.path, changed)
		}
	}
}

// TestPrintedLoadsAgain changes each key in turn, prints the configuration and reads it again.
func TestPrintedLoadsAgain(t *testing.T) {
	for _, k := range keys {
		c := Default()
		c.set(k.path, other(t, k, c.get(k.path)))
		requireRoundTrip(t, c)
	}
	if got := string(Default().YAML()); len(got) < len(defaultYAML)*9/10 {
		t.Errorf("the printed built-in profile lost its comments:\n%s", got)
	}
}

// requireRoundTrip reads what c prints: the whole file gives c, the semantic JSON its semantic keys.
func requireRoundTrip(t *testing.T, c Config) {
	t.Helper()
	again := Default()
	if _, faults := parse(&again, c.YAML()); len(faults) > 0 || !reflect.DeepEqual(again, c) {
		t.Fatalf("read again, the printed file is %+v, not %+v; faults %v\n%s", again, c, faults, c.YAML())
	}
	again = Default()
	if _, faults := parse(&again, c.SemanticJSON()); len(faults) > 0 || string(again.SemanticJSON()) != string(c.SemanticJSON()) {
		t.Fatalf("read again, the JSON is\n%s\nnot\n%s\nfaults %v", again.SemanticJSON(), c.SemanticJSON(), faults)
	}
}

// TestValidateFindsAll sets every key out of range by hand, where one can be.
func TestValidateFindsAll(t *testing.T) {
	c := Default()
	want := 0
	for _, k := range keys {
		var bad any
		switch c.get(k.path).(type) {
		case int:
			bad = -1
		case float64:
			bad = 99.0
		case Threshold:
			bad = Threshold(2)
		case time.Duration:
			bad = -time.Second
		case string:
			bad = "no such\tthing"
		default:
			continue
		}
		c.set(k.path, bad)
		want++
	}
	faults := slices.DeleteFunc(c.Validate(), func(f Fault) bool { return f.Kind != Invalid })
	// Both salience thresholds are 99, so neither is below the other: one fault more.
	if want++; len(faults) != want {
		t.Errorf("%d faults, want %d: %v", len(faults), want, faults)
	}
}

func TestEnsureDefaults(t *testing.T) {
	var zero Config
	zero.EnsureDefaults()
	if !reflect.DeepEqual(zero, Default()) {
		t.Errorf("the zero Config became %+v", zero)
	}
	some := Config{Assimilate: Assimilate{WMMin: 0.5}, Retrieval: Retrieval{UseBM25: true}}
	some.EnsureDefaults()
	if some.NER.Mode != ModeA || some.Ledger.Replicas != 1 || some.Retrieval.B != 0 || some.Preprocess.Rule {
		t.Errorf("fields were filled wrongly: %+v", some)
	}
	if faults := slices.DeleteFunc(some.Validate(), func(f Fault) bool { return f.Kind != Invalid }); len(faults) > 0 &&
		faults[0].Path != "triggers.tau_archive" {
		t.Errorf("a filled Config is at fault: %v", faults)
	}
}

// TestExampleOfDefaultLoads holds the commented predicate of default.yaml to the reader.
func TestExampleOfDefaultLoads(t *testing.T) {
	data, err := os.ReadFile("default.yaml")
	if err != nil {
		t.Fatal(err)
	}
	example := uncommentExample(t, string(data))
	if _, faults := Check([]byte(example)); len(faults) > 0 {
		t.Errorf("%s\n%v", example, faults)
	}
}
