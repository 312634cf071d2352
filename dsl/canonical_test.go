package dsl_test

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
)

// Generators of any value that has a text, valid or not.
var (
	instants = rapid.OneOf(
		rapid.Custom(func(t *rapid.T) dsl.Instant {
			return dsl.Instant(rapid.Int64Range(int64(dsl.MinInstant), int64(dsl.MaxInstant)).Draw(t, "µs"))
		}),
		rapid.SampledFrom([]dsl.Instant{0, 1, -1, noon, dsl.MinInstant, dsl.MaxInstant, -500_000}),
	)
	intervals = rapid.Custom(func(t *rapid.T) dsl.Interval {
		return dsl.Interval{
			Start: rapid.OneOf(instants, rapid.Just(dsl.Beginning)).Draw(t, "start"),
			End:   rapid.OneOf(instants, rapid.Just(dsl.Forever)).Draw(t, "end"),
		}
	})
	words = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "\u2028<&>\"\\/", "\x00\x1f\x7f", "北京 🦊", "p", "\ufffd"}))
	texts = rapid.Custom(func(t *rapid.T) dsl.Text {
		if rapid.IntRange(0, 4).Draw(t, "sealed") == 0 {
			return dsl.Sealed("k"+words.Draw(t, "key"), rapid.SliceOf(rapid.Byte()).Draw(t, "ciphertext"))
		}
		return dsl.Plain(words.Draw(t, "text"))
	})
	// What −0 is written as is not canonical; validation refuses it.
	floats = rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1, 0.1, 1e-7, 1e-6, 5e-324, 1 - 1e-16})).
		Filter(func(f float64) bool { return !math.Signbit(f) })
	ids    = rapid.SliceOfN(words, 0, 3)
	hashes = rapid.Custom(func(t *rapid.T) (h dsl.Hash) {
		copy(h[:], rapid.SliceOfN(rapid.Byte(), len(h), len(h)).Draw(t, "hash"))
		return h
	})
	numbers = rapid.OneOf(rapid.Uint32(), rapid.SampledFrom([]uint32{0, 1, math.MaxUint32}))
	turns   = rapid.Custom(func(t *rapid.T) dsl.Turn {
		turn := dsl.Turn{
			ID: words.Draw(t, "id"), Listener: texts.Draw(t, "listener"), Replaces: words.Draw(t, "replaces"), Session: words.Draw(t, "session"),
			Speaker: texts.Draw(t, "speaker"), Text: texts.Draw(t, "text"), TS: instants.Draw(t, "ts"), Zone: words.Draw(t, "zone"),
		}
		for range rapid.IntRange(0, 2).Draw(t, "attachments") {
			turn.Attachments = append(turn.Attachments, dsl.Attachment{Kind: words.Draw(t, "kind"), Text: texts.Draw(t, "text")})
		}
		return turn
	})
	candidates = rapid.Custom(func(t *rapid.T) dsl.Candidate {
		return dsl.Candidate{
			Change: dsl.Change(words.Draw(t, "change")), Confidence: floats.Draw(t, "confidence"), Corrects: texts.Draw(t, "corrects"),
			Dst: texts.Draw(t, "dst"), DstKind: dsl.NodeKind(words.Draw(t, "kind")), Polarity: dsl.Polarity(words.Draw(t, "polarity")),
			Rel: words.Draw(t, "rel"), Relation: texts.Draw(t, "relation"), Source: words.Draw(t, "source"), Src: texts.Draw(t, "src"),
			Span: rapid.Ptr(rapid.Map(rapid.IntRange(-9, 1<<20), func(n int) dsl.Span { return dsl.Span{Start: n, End: n * 2} }), true).Draw(t, "span"),
			Turn: words.Draw(t, "turn"), Valid: rapid.Ptr(intervals, true).Draw(t, "valid"),
		}
	})
	refs = rapid.Custom(func(t *rapid.T) dsl.VersionRef {
		return dsl.VersionRef{ID: words.Draw(t, "id"), Version: numbers.Draw(t, "version")}
	})
	places = rapid.Custom(func(t *rapid.T) dsl.Seq {
		return dsl.Seq(rapid.Uint64Range(0, uint64(dsl.MaxSeq)).Draw(t, "position"))
	})
	counts   = rapid.SampledFrom([]int{0, 1, 2, 99, math.MaxInt32, math.MaxInt32 + 1, -1})
	triggers = rapid.Custom(func(t *rapid.T) dsl.TriggerDecision {
		d := dsl.TriggerDecision{
			Action: dsl.TriggerAction(words.Draw(t, "action")), Facts: some(rapid.SliceOfN(refs, 0, 2).Draw(t, "facts")),
			Operations: some(rapid.SliceOfN(rapid.IntRange(0, 9), 0, 3).Draw(t, "operations")), Reason: texts.Draw(t, "reason"),
			Salience: floats.Draw(t, "salience"), Tokens: counts.Draw(t, "tokens"), Trigger: dsl.Trigger(words.Draw(t, "trigger")),
		}
		for range rapid.IntRange(0, 2).Draw(t, "features") {
			d.Features = append(d.Features, dsl.Feature{Name: words.Draw(t, "name"), Value: floats.Draw(t, "value")})
		}
		if rapid.Bool().Draw(t, "held") {
			d.Held = &dsl.HeldRef{Candidate: counts.Draw(t, "candidate"), Position: places.Draw(t, "position")}
		}
		return d
	})
	memories = rapid.Custom(func(t *rapid.T) dsl.Memory {
		m := dsl.Memory{
			Periodic: counts.Draw(t, "periodic"), Session: words.Draw(t, "session"), Sessions: counts.Draw(t, "sessions"), Since: counts.Draw(t, "since"),
			Strong: counts.Draw(t, "strong"), Tokens: counts.Draw(t, "tokens"), Written: counts.Draw(t, "written"),
		}
		for range rapid.IntRange(0, 2).Draw(t, "held") {
			m.Held = append(m.Held, dsl.Held{Candidate: counts.Draw(t, "candidate"), Position: places.Draw(t, "position"), Turn: counts.Draw(t, "turn")})
		}
		for range rapid.IntRange(0, 2).Draw(t, "pending") {
			m.Pending = append(m.Pending, dsl.Pending{Fact: words.Draw(t, "fact"), Salience: floats.Draw(t, "salience"), Turn: counts.Draw(t, "turn"), Version: numbers.Draw(t, "version")})
		}
		return m
	})
	gaps = rapid.Custom(func(t *rapid.T) dsl.Gap {
		return dsl.Gap{
			From: counts.Draw(t, "from"), ID: hashes.Draw(t, "id"), Kind: dsl.GapKind(words.Draw(t, "kind")),
			Missing: some(ids.Draw(t, "missing")), Query: texts.Draw(t, "query"), To: counts.Draw(t, "to"),
		}
	})
	operations = rapid.Custom(func(t *rapid.T) dsl.Op {
		op := dsl.Op{
			Agent: words.Draw(t, "agent"), Confidence: floats.Draw(t, "confidence"), Dst: words.Draw(t, "dst"), Evidence: some(ids.Draw(t, "evidence")),
			From: words.Draw(t, "from"), ID: words.Draw(t, "id"), Includes: some(ids.Draw(t, "includes")), Link: dsl.LinkKind(words.Draw(t, "link")),
			Next: numbers.Draw(t, "next"), Kind: dsl.OpKind(words.Draw(t, "kind")), Reason: texts.Draw(t, "reason"), Rel: words.Draw(t, "rel"),
			Relation: texts.Draw(t, "relation"), Retract: rapid.Bool().Draw(t, "retract"), Source: words.Draw(t, "source"), Src: words.Draw(t, "src"),
			Status: words.Draw(t, "status"), Summary: texts.Draw(t, "summary"), Span: rapid.Ptr(intervals, true).Draw(t, "span"), To: words.Draw(t, "to"),
			Valid: rapid.Ptr(intervals, true).Draw(t, "valid"), Version: numbers.Draw(t, "version"),
		}
		for range rapid.IntRange(0, 2).Draw(t, "participants") {
			op.Participants = append(op.Participants, dsl.Participant{Entity: words.Draw(t, "entity"), Role: texts.Draw(t, "role")})
		}
		return op
	})
	decisions = rapid.Custom(func(t *rapid.T) dsl.Decision {
		d := dsl.Decision{
			Action: dsl.Action(words.Draw(t, "action")), Candidate: rapid.IntRange(0, 9).Draw(t, "candidate"),
			Operations: some(rapid.SliceOfN(rapid.IntRange(0, 9), 0, 3).Draw(t, "operations")), Reason: texts.Draw(t, "reason"), Rule: words.Draw(t, "rule"),
		}
		d.Read = some(rapid.SliceOfN(refs, 0, 2).Draw(t, "read"))
		return d
	})
	values   = rapid.SampledFrom([]string{`{}`, `[]`, `null`, `0.1`, `"\u0001<"`, `{"a":[1,2],"b":{"c":"d"}}`})
	settings = rapid.Custom(func(t *rapid.T) dsl.Settings {
		return dsl.Settings{
			Analyzer: words.Draw(t, "analyzer"), Config: []byte(values.Draw(t, "config")), Extractor: words.Draw(t, "extractor"),
			Policy: words.Draw(t, "policy"), Registry: []byte(values.Draw(t, "registry")), Scoring: words.Draw(t, "scoring"),
		}
	})
	nodes = rapid.Custom(func(t *rapid.T) dsl.Node {
		return dsl.Node{ID: words.Draw(t, "id"), Kind: dsl.NodeKind(words.Draw(t, "kind")), Name: texts.Draw(t, "name")}
	})
	transactions = rapid.Custom(func(t *rapid.T) dsl.Tx {
		return dsl.Tx{
			Candidates: some(rapid.SliceOfN(candidates, 0, 2).Draw(t, "candidates")), CandidatesHash: hashes.Draw(t, "candidates hash"),
			Decisions: some(rapid.SliceOfN(decisions, 0, 2).Draw(t, "decisions")), Extractor: words.Draw(t, "extractor"),
			Gap: rapid.Ptr(gaps, true).Draw(t, "gap"), Memory: rapid.Ptr(memories, true).Draw(t, "memory"),
			Triggers: some(rapid.SliceOfN(triggers, 0, 2).Draw(t, "triggers")),
			Kind:     dsl.TxKind(words.Draw(t, "kind")), Nodes: some(rapid.SliceOfN(nodes, 0, 2).Draw(t, "nodes")),
			Operations: some(rapid.SliceOfN(operations, 0, 2).Draw(t, "operations")), OpsHash: hashes.Draw(t, "operations hash"),
			Seq: dsl.Seq(rapid.Uint64Range(0, uint64(dsl.MaxSeq)).Draw(t, "position")), Prev: hashes.Draw(t, "prev"), Ref: words.Draw(t, "ref"),
			Settings: rapid.Ptr(settings, true).Draw(t, "settings"), SettingsHash: hashes.Draw(t, "settings hash"), Space: words.Draw(t, "space"),
			Time: instants.Draw(t, "time"), Turn: rapid.Ptr(turns, true).Draw(t, "turn"), TurnHash: hashes.Draw(t, "turn hash"),
			TurnID: words.Draw(t, "turn id"), Version: rapid.IntRange(0, 9).Draw(t, "version"),
		}
	})
)

// some gives nil for an empty list: that is how it reads.
func some[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// canonical holds that v's text is that of RFC 8785 and reads as v again.
func canonical[T any](t *rapid.T, v T) {
	b, err := dsl.Canonical(v)
	if err != nil {
		t.Fatal(err)
	}
	c, err := dsl.CanonicalValue(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, c) {
		t.Fatalf("written as\n%s\ncanonical is\n%s", b, c)
	}
	var back T
	if err := dsl.Decode(b, &back); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	if !reflect.DeepEqual(back, v) {
		t.Fatalf("%s reads as\n%+v\nand was\n%+v", b, back, v)
	}
}

func check[T any](name string, gen *rapid.Generator[T]) func(*testing.T) {
	return func(t *testing.T) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) { canonical(t, gen.Draw(t, name)) }))
	}
}

func TestEveryTextIsCanonical(t *testing.T) {
	check("instant", instants)(t)
	check("interval", intervals)(t)
	check("text", texts)(t)
	check("hash", hashes)(t)
	check("turn", turns)(t)
	check("candidate", candidates)(t)
	check("operation", operations)(t)
	check("decision", decisions)(t)
	check("settings", settings)(t)
	check("node", nodes)(t)
	check("trigger", triggers)(t)
	check("memory", memories)(t)
	check("gap", gaps)(t)
	check("transaction", transactions)(t)
}

// TestEmptyListsHaveOneText: an empty list and none are the same content, so they
// have the same hash.
func TestEmptyListsHaveOneText(t *testing.T) {
	for _, pair := range [][2]any{
		{dsl.Turn{}, dsl.Turn{Attachments: []dsl.Attachment{}}},
		{dsl.Op{}, dsl.Op{Evidence: []string{}, Includes: []string{}, Participants: []dsl.Participant{}}},
		{dsl.Decision{}, dsl.Decision{Operations: []int{}, Read: []dsl.VersionRef{}}},
		{dsl.Tx{}, dsl.Tx{Candidates: []dsl.Candidate{}, Decisions: []dsl.Decision{}, Nodes: []dsl.Node{}, Operations: []dsl.Op{}}},
	} {
		a, b := noErr(dsl.Canonical(pair[0]))(t), noErr(dsl.Canonical(pair[1]))(t)
		if !bytes.Equal(a, b) {
			t.Errorf("without lists\n%s\nwith empty ones\n%s", a, b)
		}
	}
	none, empty := noErr(dsl.CandidatesHash(nil))(t), noErr(dsl.CandidatesHash([]dsl.Candidate{}))(t)
	if none != empty || none != dsl.Sum([]byte("[]")) {
		t.Errorf("no candidates hash to %s and %s", none, empty)
	}
}

func TestCanonicalValue(t *testing.T) {
	for in, want := range map[string]string{
		` { "b" : 1.0 , "a" : [ 1e2 , "\u0041\/\u2028" , null ] } `: `{"a":[100,"A/` + "\u2028" + `",null],"b":1}`,
		`{"\u20ac":1,"\r":2,"1":3}`:                                 `{"\r":2,"1":3,"€":1}`,
		`-0`:                                                        `0`,
		`333333333.33333329`:                                        `333333333.3333333`,
		`1E30`:                                                      `1e+30`,
	} {
		if got, err := dsl.CanonicalValue([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%s gives %s, %v; want %s", in, got, err, want)
		}
	}
	for _, in := range []string{``, `{`, `{"a":1,"a":2}`, `nul`, `01`, "\"\xff\"", `"\ud800"`, `1 2`} {
		if got, err := dsl.CanonicalValue([]byte(in)); err == nil {
			t.Errorf("%s gives %s", in, got)
		}
	}
	in := []byte(`{ "a": 1 }`)
	if _, err := dsl.CanonicalValue(in); err != nil || string(in) != `{ "a": 1 }` {
		t.Errorf("the argument was changed to %s, %v", in, err)
	}
}

func TestDecodeNamesThePlace(t *testing.T) {
	var s dsl.Span
	err := dsl.Decode([]byte(`{"end":2, "start":1}`), &s)
	if !errors.Is(err, dsl.ErrCorrupt) || err.Error() != "corrupt: not canonical at byte 9" {
		t.Errorf("got %v", err)
	}
}
