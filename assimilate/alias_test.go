package assimilate_test

import (
	"testing"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
)

// tie is a candidate that ties two names.
func tie(a, b string) dsl.Candidate {
	return dsl.Candidate{Src: dsl.Plain(a), Rel: extract.AliasOf, Dst: dsl.Plain(b), DstKind: dsl.Entity, Polarity: dsl.Positive,
		Change: dsl.Assert, Confidence: 0.9, Source: "alias.nickname"}
}

// TestAliasCandidates holds that a candidate which ties names becomes a LINK in
// its own transaction, that later candidates of the turn follow it, that views
// before it are as they were (I10), that a merge which would break I7 is none, and
// that a later record undoes it.
func TestAliasCandidates(t *testing.T) {
	w := newWorld()
	lives := func(who, where string) dsl.Candidate {
		return dsl.Candidate{Src: dsl.Plain(who), Rel: "lives_in", Dst: dsl.Plain(where), DstKind: dsl.Entity, Polarity: dsl.Positive, Change: dsl.Assert, Confidence: 1}
	}
	say := func(turn string, n int, cs ...dsl.Candidate) []dsl.Decision {
		t.Helper()
		out, err := w.say(turn, year(n), cs...)
		if err != nil {
			t.Fatal(err)
		}
		return out.Decisions
	}
	rule := func(d dsl.Decision, want string) {
		t.Helper()
		if d.Rule != want {
			t.Errorf("rule %s (%s), want %s", d.Rule, d.Reason, want)
		}
	}
	group := func(name string) int {
		t.Helper()
		g, err := w.view().Aliases(dsl.NodeID(space, dsl.Entity, name))
		if err != nil {
			t.Fatal(err)
		}
		return len(g)
	}
	say("t1", 1, lives("Melanie", "Oslo"))
	before, at := w.view(), w.m.Head()
	d := say("t2", 2, tie("Mel", "Melanie"), lives("Mel", "Oslo"))
	rule(d[0], assimilate.RuleAliasLink)
	rule(d[1], assimilate.RuleKnown) // it is Melanie who lives there
	if group("Mel") != 2 {
		t.Error("Mel is no alias of Melanie")
	}
	for _, v := range []interface {
		Aliases(string) ([]string, error)
	}{before, w.m.At(at)} {
		if g, err := v.Aliases(dsl.NodeID(space, dsl.Entity, "Melanie")); err != nil || len(g) != 1 {
			t.Errorf("before the link: %v, %v", g, err)
		}
	}
	rule(say("t3", 3, tie("Mel", "Melanie"))[0], assimilate.RuleAliasKnown)
	rule(say("t4", 4, tie("mel", "Mel"))[0], assimilate.RuleAliasKnown)
	say("t5", 5, lives("Melly", "Rome"))
	rule(say("t6", 6, tie("Melly", "Melanie"))[0], assimilate.RuleAliasConflict)
	undo := tie("Mel", "Melanie")
	undo.Change = dsl.End
	rule(say("t7", 7, undo)[0], assimilate.RuleAliasClose)
	if group("Mel") != 1 {
		t.Error("Mel is an alias of Melanie still")
	}
	rule(say("t8", 8, undo)[0], assimilate.RuleAliasUnknown)
}
