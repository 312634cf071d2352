package lint

import (
	"slices"
	"strings"
)

// floors are the parts of the house, lowest first. Imports run downward only.
var floors = []string{"dsl", "store", "extract", "events", "assimilate", "retrieval", "asof", "eval", "cmd", "bench"}

// leaves are the parts beside the house: all may use them, and they use dsl and internal alone.
var leaves = []string{"configs", "internal"}

// edge is an import from one part to another.
type edge struct{ from, to string }

// whyBench is the reason against every edge to bench.
const whyBench = "nothing that is measured may know the measure"

// forbidden gives the reason against each upward edge.
var forbidden = map[edge]string{
	{"dsl", "store"}:      "the words must not know how they are stored: the log is read where no store is",
	{"dsl", "extract"}:    "a candidate is a candidate whoever proposed it",
	{"dsl", "events"}:     "the form of an event must not hang on how events are built",
	{"dsl", "assimilate"}: "a decision's form must not hang on the policy that made it: old logs outlive policies",
	{"dsl", "retrieval"}:  "the log does not know that it is searched",
	{"dsl", "asof"}:       "the vocabulary cannot need the library that speaks it",
	{"dsl", "eval"}:       "nothing that is measured may know the measure",
	{"dsl", "cmd"}:        "a library cannot need a program",

	{"store", "extract"}:    "the store folds transactions; how they were found is not its matter",
	{"store", "events"}:     "the store keeps events as it keeps facts, without building them",
	{"store", "assimilate"}: "the store applies what was decided; a replay must not decide again",
	{"store", "retrieval"}:  "a snapshot answers look-ups; ranking is another's, and changes more often than bytes on disk",
	{"store", "asof"}:       "the library opens the store, not the other way round",
	{"store", "eval"}:       "nothing that is measured may know the measure",
	{"store", "cmd"}:        "a library cannot need a program",

	{"extract", "events"}:     "extraction proposes facts; what becomes an event is decided after it",
	{"extract", "assimilate"}: "an extractor proposes without knowing what is believed of it",
	{"extract", "retrieval"}:  "what is extracted must not depend on how it will be searched",
	{"extract", "asof"}:       "extraction works without a memory open",
	{"extract", "eval"}:       "nothing that is measured may know the measure",
	{"extract", "cmd"}:        "a library cannot need a program",

	{"events", "assimilate"}: "events are built from what was decided; deciding from events would be a circle",
	{"events", "retrieval"}:  "what is written must not depend on how it will be searched",
	{"events", "asof"}:       "layer 2 is built from values, without a memory open",
	{"events", "eval"}:       "nothing that is measured may know the measure",
	{"events", "cmd"}:        "a library cannot need a program",

	{"assimilate", "retrieval"}: "a query never writes, and a decision reads a snapshot, not a ranking",
	{"assimilate", "asof"}:      "assimilation is a pure function; the memory calls it",
	{"assimilate", "eval"}:      "nothing that is measured may know the measure",
	{"assimilate", "cmd"}:       "a library cannot need a program",

	{"retrieval", "asof"}: "retrieval reads a snapshot that it is given; the memory gives it",
	{"retrieval", "eval"}: "nothing that is measured may know the measure",
	{"retrieval", "cmd"}:  "a library cannot need a program",

	{"asof", "eval"}: "users of the library do not carry data sets and metrics along",
	{"asof", "cmd"}:  "a library cannot need a program",

	{"eval", "cmd"}: "a library cannot need a program",

	{"dsl", "bench"}: whyBench, {"store", "bench"}: whyBench, {"extract", "bench"}: whyBench, {"events", "bench"}: whyBench,
	{"assimilate", "bench"}: whyBench, {"retrieval", "bench"}: whyBench, {"asof", "bench"}: whyBench, {"eval", "bench"}: whyBench,
	{"cmd", "bench"}: whyBench,

	{"dsl", "configs"}: "the vocabulary has no settings: the same bytes mean the same under every configuration",
}

// whyLeaf is the reason against every edge from a leaf into the house, but the one to dsl.
const whyLeaf = "a leaf is used by every floor and so can need none but dsl"

// parents are packages that their own sub-packages build upon.
var parents = map[edge]string{
	{"dsl", "dsl/ledger"}:    "the words must not know the log's server",
	{"store", "store/neo4j"}: "a projection follows the store; the store works without it",
}

// checkImports holds imports to the floors, and packages of test support to tests.
func checkImports(t *Tree) []Fault {
	var faults []Fault
	for _, f := range t.Go {
		from := floor(f.Dir)
		if !slices.Contains(floors, from) && !slices.Contains(leaves, from) {
			faults = append(faults, f.at(f.AST.Name, "the folder %s is no part of the house; give it a place in floors or leaves", from))
			continue
		}
		for _, spec := range f.AST.Imports {
			importPath, _ := importName(spec)
			rest, ours := strings.CutPrefix(importPath, module)
			if !ours || rest != "" && rest[0] != '/' {
				continue
			}
			to := strings.TrimPrefix(rest, "/")
			if to == "" {
				to = "."
			}
			if why := whyNot(f.Dir, to); why != "" {
				faults = append(faults, f.at(spec, "%s may not import %s: %s", f.Dir, to, why))
			} else if support(to) && !f.Test && !support(f.Dir) {
				faults = append(faults, f.at(spec, "%s is for tests, and this file is none", to))
			}
		}
	}
	return faults
}

// whyNot returns the reason against an import between two folders, or "".
func whyNot(fromDir, toDir string) string {
	from, to := floor(fromDir), floor(toDir)
	switch {
	case from == to:
		return parents[edge{fromDir, toDir}]
	case slices.Contains(leaves, from):
		if to == "dsl" || to == "internal" {
			return ""
		}
		return whyLeaf
	}
	return forbidden[edge{from, to}]
}
