package eval

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/retrieval"
)

// studied runs a file of testdata under a configuration.
func studied(t *testing.T, file string, format Format, out string, opt RunOptions, change func(*configs.Config)) string {
	t.Helper()
	d, err := OpenData("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	in, f, err := ReadDialogues(d, d.Name(), format)
	if err != nil {
		t.Fatal(err)
	}
	cfg := configs.Default()
	change(&cfg)
	opt.Profile, opt.Data = &cfg, d.Info
	if _, err := RunRetrieval(context.Background(), in, f, out, opt); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(out, "summary.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestStudies holds the studies to writing what they say, the same twice.
func TestStudies(t *testing.T) {
	change := func(c *configs.Config) {
		c.Retrieval.Expansion.Most, c.Pack.Mode, c.Pack.Scaffold = 5, configs.PackDetchain, configs.ScaffoldAuto
		c.Pack.Pool, c.Pack.Sessions, c.Memory.ReadBudget = 1, 2, 40000
	}
	one, two := t.TempDir(), t.TempDir()
	s := studied(t, "tiny.json", LoCoMoFormat, one, RunOptions{Switches: true, Seed: 1}, change)
	studied(t, "tiny.json", LoCoMoFormat, two, RunOptions{Switches: true, Seed: 1, Workers: 2}, change)
	for _, want := range []string{"\n## Expansion\n", "\n## Packs of sessions: detchain\n", "- Pool complete: ", "(the paper: 468 of 470)", "fp32 here; the paper reranked in fp16",
		"- Questions that got scaffolds: ", "\n## Switches of packs\n", "| active and stats | "} {
		if !strings.Contains(s, want) {
			t.Errorf("summary.md lacks %q:\n%s", want, s)
		}
	}
	for _, name := range []string{"expansion.csv", "chain.csv", "pack_switches.csv", "summary.md", "manifest.json"} {
		a, err1 := os.ReadFile(filepath.Join(one, name))
		b, err2 := os.ReadFile(filepath.Join(two, name))
		if err1 != nil || err2 != nil || string(a) != string(b) {
			t.Errorf("%s differs between two runs (%v, %v)", name, err1, err2)
		}
	}
	lines := readCSV(t, filepath.Join(one, "chain.csv"))
	if len(lines) < 3 || lines[1][3] != "1" {
		t.Errorf("chain.csv: %v", lines)
	}
	plain := studied(t, "tiny.json", LoCoMoFormat, t.TempDir(), RunOptions{}, func(*configs.Config) {})
	if strings.Contains(plain, "Expansion") || strings.Contains(plain, "Packs of sessions") || strings.Contains(plain, "Switches") {
		t.Errorf("studies that nobody asked for:\n%s", plain)
	}
}

// TestSample asks some of the questions, the same ones for the same seed.
func TestSample(t *testing.T) {
	all, some := t.TempDir(), t.TempDir()
	studied(t, "tiny.json", LoCoMoFormat, all, RunOptions{}, func(*configs.Config) {})
	s := studied(t, "tiny.json", LoCoMoFormat, some, RunOptions{Sample: 0.5, Seed: 2}, func(*configs.Config) {})
	n, m := len(readCSV(t, filepath.Join(all, "questions.csv"))), len(readCSV(t, filepath.Join(some, "questions.csv")))
	if m <= 1 || m >= n || !strings.Contains(s, "chance of 0.5, seed 2") {
		t.Errorf("%d of %d lines; %s", m, n, s)
	}
}

// TestExpansionCounts counts one line by hand.
func TestExpansionCounts(t *testing.T) {
	hit := func(id string, added int, channel string) retrieval.Hit {
		return retrieval.Hit{ID: id, Added: added, Why: []retrieval.Part{{Channel: channel, Rank: 1}, {Channel: "silent"}}}
	}
	found := asof.SearchResult{Hits: []retrieval.Hit{hit("a", 0, "bm25"), hit("x", 0, "bm25"), hit("b", 1, retrieval.AddedTerms), hit("y", 2, retrieval.AddedTerms)}}
	deep := asof.SearchResult{Hits: []retrieval.Hit{hit("a", 0, ""), hit("x", 0, ""), hit("z", 0, ""), hit("c", 0, ""), hit("b", 0, "")}}
	l := expansionLine{sources: map[string]int{}}
	l.count(&posed{turns: []string{"a", "b", "c"}}, &found, &deep)
	if l.found != 1 || l.only != 1 || l.added != 2 || l.deeper != 1 || sourceCounts(l.sources) != "words of the best hits 1" {
		t.Errorf("%+v", l)
	}
}
