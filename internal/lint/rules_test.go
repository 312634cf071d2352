package lint

import (
	"strings"
	"testing"
	"testing/fstest"
)

// breach is a small tree and the faults that a rule finds in it.
type breach struct {
	rule  string
	files map[string]string
	want  []string // "path:line: " and words of the message
}

// word puts a word together that may not stand in a file of the repository.
func word(parts ...string) string { return strings.Join(parts, "") }

var breaches = []breach{
	{"parses", map[string]string{"dsl/a.go": "package dsl\nfunc {"}, []string{"dsl/a.go:1: does not parse"}},
	{"parses", map[string]string{"dsl/a.go": "package dsl\n", "dsl/testdata/a.go": "func {", "tools/a.go": "func {"}, nil},

	{"imports", map[string]string{
		"dsl/a.go":               "package dsl\nimport _ \"" + module + "/store\"\n",
		"store/a.go":             "package store\nimport (\n\t\"fmt\"\n\tx \"" + module + "/retrieval/deep\"\n)\n",
		"retrieval/a.go":         "package retrieval\nimport \"" + module + "\"\n",
		"asof.go":                "package asof\nimport \"" + module + "/cmd/asof/page\"\n",
		"configs/a.go":           "package configs\nimport \"" + module + "/extract\"\n",
		"internal/num/a_test.go": "package num\nimport \"" + module + "/store\"\n",
	}, []string{
		"asof.go:2: . may not import cmd/asof/page: a library",
		"configs/a.go:2: configs may not import extract: a leaf",
		"dsl/a.go:2: dsl may not import store: the words",
		"internal/num/a_test.go:2: internal/num may not import store: a leaf",
		"retrieval/a.go:2: retrieval may not import .: retrieval reads",
		"store/a.go:4: store may not import retrieval/deep: a snapshot",
	}},
	{"imports", map[string]string{
		"dsl/a.go":   "package dsl\nimport \"" + module + "/dsl/ledger\"\n",
		"store/a.go": "package store\nimport \"" + module + "/store/neo4j\"\n",
		"dsl/b.go":   "package dsl\nimport \"" + module + "/configs\"\n",
	}, []string{
		"dsl/a.go:2: dsl may not import dsl/ledger",
		"dsl/b.go:2: dsl may not import configs",
		"store/a.go:2: store may not import store/neo4j",
	}},
	{"imports", map[string]string{"common/a.go": "package common\n"}, []string{"common/a.go:1: the folder common is no part"}},
	{"imports", map[string]string{
		"asof.go": "package asof\nimport \"" + module + "/dsl/ledger/ledgertest\"\n",
	}, []string{"asof.go:2: dsl/ledger/ledgertest is for tests"}},
	{"imports", map[string]string{
		"asof_test.go":         "package asof\nimport \"" + module + "/dsl/ledger/ledgertest\"\n",
		"cmd/asof/main.go":     "package main\nimport \"" + module + "\"\n",
		"eval/a.go":            "package eval\nimport (\n\"" + module + "\"\n\"" + module + "/dsl\"\n\"" + module + "/configs\"\n)\n",
		"dsl/ledger/a.go":      "package ledger\nimport \"" + module + "/dsl\"\n",
		"internal/gen/a.go":    "package gen\nimport \"" + module + "/dsl\"\n",
		"dsl/a.go":             "package dsl\nimport \"" + module + "/internal/analyze\"\n",
		"store/storetest/a.go": "package storetest\nimport \"" + module + "/store\"\n",
		"store/a.go":           "package store\nimport \"" + module + "db/elsewhere\"\n",
	}, nil},

	{"clock", map[string]string{
		"store/a.go":      "package store\nimport \"time\"\nvar clock = time.Now\n",
		"extract/a.go":    "package extract\nimport t \"time\"\nfunc f(x t.Time) { _ = t.Since(x); t.Sleep(1) }\n",
		"dsl/a.go":        "package dsl\nimport (\n\t\"crypto/rand\"\n\t\"math/rand/v2\"\n)\nvar _ = rand.Reader\n",
		"events/a.go":     "package events\nimport \"os\"\nvar home = os.Getenv(\"HOME\")\n",
		"asof.go":         "package asof\nimport \"context\"\nfunc f() { context.WithTimeout(nil, 1) }\n",
		"eval/a.go":       "package eval\nimport . \"time\"\nvar now = Now()\n",
		"retrieval/a.go":  "package retrieval\nimport \"github.com/google/uuid\"\nvar id = uuid.New()\n",
		"assimilate/a.go": "package assimilate\nimport \"fmt\"\nfunc f() { fmt.Println() }\n",
		"dsl/ledger/a.go": "package ledger\nimport \"time\"\nvar a, b = time.Now(), time.After\n",
	}, []string{
		"asof.go:3: uses context.WithTimeout",
		"assimilate/a.go:3: uses fmt.Println",
		"dsl/a.go:3: imports crypto/rand",
		"dsl/a.go:4: imports math/rand/v2",
		"dsl/ledger/a.go:3: uses time.Now",
		"dsl/ledger/a.go:3: uses time.After",
		"eval/a.go:2: imports time with a dot",
		"events/a.go:3: uses os.Getenv",
		"extract/a.go:3: uses time.Since",
		"extract/a.go:3: uses time.Sleep",
		"retrieval/a.go:3: uses github.com/google/uuid.New",
		"store/a.go:3: uses time.Now",
	}},
	{"clock", map[string]string{
		"cmd/asof/main.go":  "package main\nimport \"time\"\nvar now = time.Now()\n",
		"store/a_test.go":   "package store\nimport (\n\"math/rand\"\n\"time\"\n)\nvar a, b = time.Now(), rand.New(nil)\n",
		"store/ftest/a.go":  "package ftest\nimport \"time\"\nvar a = time.Now()\n",
		"dsl/ledger/a.go":   "package ledger\nimport (\n\"context\"\n\"time\"\n)\nvar a, b = context.WithTimeout, time.NewTimer\n",
		"extract/a.go":      "package extract\ntype clock struct{ Now int }\nfunc f(time clock) int { return time.Now }\n",
		"assimilate/a.go":   "package assimilate\nimport \"time\"\nvar a = time.Unix(0, 0).Add(time.Second)\n",
		"retrieval/deep.go": "package retrieval\nimport \"github.com/google/uuid\"\nvar id = uuid.NewSHA1\n",
	}, nil},

	{"math", map[string]string{
		"retrieval/a.go": "package retrieval\nimport \"math\"\nvar x = math.Log(2)\nvar y = math.Sqrt(math.Pow(2, 3))\nvar f = math.FMA\n",
		"asof.go":        "package asof\nimport m \"math\"\nvar x = m.Exp(2)\n",
	}, []string{
		"asof.go:3: uses math.Exp",
		"retrieval/a.go:3: uses math.Log",
		"retrieval/a.go:4: uses math.Pow",
		"retrieval/a.go:5: uses math.FMA",
	}},
	{"math", map[string]string{
		"internal/num/a.go":   "package num\nimport \"math\"\nvar x = math.Log(2)\n",
		"retrieval/a_test.go": "package retrieval\nimport \"math\"\nvar x = math.Log(2)\n",
		"retrieval/a.go":      "package retrieval\nimport \"math\"\nvar x = math.Sqrt(2) + math.Floor(2) + math.Inf(1)\n",
		"cmd/asof/main.go":    "package main\nimport \"math\"\nvar x = math.Log10(2)\n",
	}, nil},

	{"docs", map[string]string{
		"dsl/a.go":         "package dsl\n",
		"store/a.go":       "// The store.\npackage store\n",
		"extract/a.go":     "// Package extract finds.\n\npackage extract\n",
		"events/a_test.go": "// Package events is only here.\npackage events\n",
		"cmd/asof/main.go": "// Package main is asof.\npackage main\n",
	}, []string{"cmd/asof/main.go:2: ", "dsl/a.go:1: package dsl has no comment", "events/a_test.go:2: ", "extract/a.go:3: ", "store/a.go:2: "}},
	{"docs", map[string]string{
		"dsl/a.go":         "package dsl\n",
		"dsl/doc.go":       "// Package dsl is the words.\npackage dsl\n",
		"dsl/x_test.go":    "package dsl_test\n",
		"cmd/asof/main.go": "// Command asof remembers.\npackage main\n",
	}, nil},

	{"names", map[string]string{
		"internal/util/a.go":     "package util\n",
		"store/types/a_test.go":  "package types_test\n",
		"internal/analyze/a.go":  "package analyze\n",
		"internal/helpers/an.go": "package helpers\n",
	}, []string{"internal/helpers/an.go:1: ", "internal/util/a.go:1: package util", "store/types/a_test.go:1: "}},

	{"globals", map[string]string{
		"cmd/asof/main.go": "package main\nfunc init() {}\ntype t int\nfunc (t) init() {}\n",
		"store/a.go":       "package store\nimport \"github.com/prometheus/client_golang/prometheus/promauto\"\n",
		"store/b.go":       "package store\nimport \"github.com/prometheus/client_golang/prometheus\"\nvar r = prometheus.DefaultRegisterer\nfunc f(r prometheus.Registerer) { r.MustRegister() }\n",
	}, []string{"cmd/asof/main.go:2: an init function", "store/a.go:2: imports promauto", "store/b.go:3: uses prometheus.DefaultRegisterer"}},

	{"length", map[string]string{
		"dsl/long.go":      "package dsl\n" + strings.Repeat("\n", maxLines),
		"dsl/long_test.go": "package dsl\n" + strings.Repeat("\n", maxLines),
		"dsl/short.go":     "package dsl\n" + strings.Repeat("\n", maxLines-2),
	}, []string{"dsl/long.go:601: 601 lines"}},

	{"later", map[string]string{
		"dsl/a.go":      "package dsl\n\n// " + word("TO", "DO") + ": all\nvar todos = 1 // a to-do list\n",
		"dsl/a_test.go": "package dsl\n// " + word("FIX", "ME") + "\n// " + word("X", "XX") + "\n// " + word("XX", "XX") + "\n",
	}, []string{"dsl/a.go:3: ", "dsl/a_test.go:2: ", "dsl/a_test.go:3: "}},

	{"hosts", map[string]string{
		"README.md":       "See\nhttps://" + word("py", "pi.org") + "/simple and more\n",
		"Makefile":        "GOPROXY=https://" + word("proxy.gol", "ang.org") + ",direct\n",
		".ci/run":         "curl https://static." + word("crat", "es.io") + "/x\n",
		"deploy/pom.xml":  word("REPO1.ma", "ven.org"),
		"dsl/testdata/a":  "\x00" + word("py", "pi.org"),
		"internal/x/a.go": "package x // golang.org/x/text, pkg.go.dev, notcrates.iot\n",
	}, []string{".ci/run:1: ", "Makefile:1: ", "README.md:2: names the package registry", "deploy/pom.xml:1: "}},
}

// TestRulesFindBreaches proves of each rule that it fails where it should and only there.
func TestRulesFindBreaches(t *testing.T) {
	tested := map[string]bool{}
	for _, b := range breaches {
		t.Run(b.rule, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for p, src := range b.files {
				fsys[p] = &fstest.MapFile{Data: []byte(src)}
			}
			paths, err := Walk(fsys)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := Load(fsys, append(paths, "gone/meanwhile.go"))
			if err != nil {
				t.Fatal(err)
			}
			var rule *Rule
			for i := range Rules {
				if Rules[i].Name == b.rule {
					rule = &Rules[i]
				}
			}
			if rule == nil {
				t.Fatalf("no rule %s", b.rule)
			}
			got := rule.Check(tree)
			for i := range max(len(got), len(b.want)) {
				switch {
				case i >= len(got):
					t.Errorf("not found: %s", b.want[i])
				case i >= len(b.want):
					t.Errorf("found, and none is there: %s", got[i])
				case !strings.HasPrefix(got[i].String(), b.want[i]):
					t.Errorf("found %s, want %s", got[i], b.want[i])
				}
			}
			tested[b.rule] = tested[b.rule] || len(b.want) > 0
		})
	}
	for _, rule := range Rules {
		if !tested[rule.Name] {
			t.Errorf("no breach proves the rule %s", rule.Name)
		}
	}
}

// TestEveryUpwardEdgeHasItsReason holds the table of reasons to the order of the floors.
func TestEveryUpwardEdgeHasItsReason(t *testing.T) {
	for i, low := range floors {
		for _, high := range floors[i+1:] {
			if forbidden[edge{low, high}] == "" {
				t.Errorf("no reason against %s importing %s", low, high)
			}
			if forbidden[edge{high, low}] != "" {
				t.Errorf("%s may import %s, and there is a reason against it", high, low)
			}
		}
	}
}

// TestExceptionsAreOfBannedNames finds exceptions that except nothing.
func TestExceptionsAreOfBannedNames(t *testing.T) {
	for dir, names := range excepted {
		for n, why := range names {
			if banned[n] == "" || why == "" {
				t.Errorf("%s: the exception for %v excepts nothing or has no reason", dir, n)
			}
		}
	}
}
