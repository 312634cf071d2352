package dsl_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
)

// validator is what has a Validate of its own.
type validator interface{ Validate() error }

// refuses applies each change to a good value and wants ErrInvalid, and a
// message that holds the word.
func refuses[T any, P interface {
	*T
	validator
}](t *testing.T, good func() T, changes map[string]func(*T)) {
	t.Helper()
	ok := good()
	if err := P(&ok).Validate(); err != nil {
		t.Fatalf("a good one is refused: %v", err)
	}
	for word, change := range changes {
		bad := good()
		change(&bad)
		word, _, _ = strings.Cut(word, ";")
		if err := P(&bad).Validate(); !errors.Is(err, dsl.ErrInvalid) || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: got %v", word, err)
		}
	}
}

func TestTurnValidate(t *testing.T) {
	good := func() dsl.Turn {
		return dsl.Turn{
			ID: strings.Repeat("i", dsl.MaxID), Speaker: dsl.Plain("Anna"), Text: dsl.Plain("tab\t newline\n bell\a"), TS: noon,
			Zone: "Asia/Shanghai", Attachments: []dsl.Attachment{{Kind: "image"}},
		}
	}
	refuses(t, good, map[string]func(*dsl.Turn){
		"id is empty":             func(u *dsl.Turn) { u.ID = "" },
		"id has 513 bytes":        func(u *dsl.Turn) { u.ID += "i" },
		"U+0009":                  func(u *dsl.Turn) { u.ID = "a\tb" },
		"U+2028":                  func(u *dsl.Turn) { u.ID = "a\u2028" },
		"U+0085":                  func(u *dsl.Turn) { u.Session = "\u0085" },
		"session":                 func(u *dsl.Turn) { u.Session = "\xff" },
		"replaces":                func(u *dsl.Turn) { u.Replaces = "\x7f" },
		"replaces itself":         func(u *dsl.Turn) { u.Replaces = u.ID },
		"speaker is empty":        func(u *dsl.Turn) { u.Speaker = dsl.Text{} },
		"speaker has 4097":        func(u *dsl.Turn) { u.Speaker = dsl.Plain(strings.Repeat("a", dsl.MaxName+1)) },
		"listener":                func(u *dsl.Turn) { u.Listener = dsl.Plain("a\nb") },
		"text holds a NUL":        func(u *dsl.Turn) { u.Text = dsl.Plain("a\x00") },
		"text is not valid UTF-8": func(u *dsl.Turn) { u.Text = dsl.Plain("\xc3") },
		"text has 1048577":        func(u *dsl.Turn) { u.Text = dsl.Plain(strings.Repeat("a", dsl.MaxText+1)) },
		"ts is not":               func(u *dsl.Turn) { u.TS = dsl.MaxInstant + 1 },
		"ts is not;2":             func(u *dsl.Turn) { u.TS = dsl.Forever },
		"unknown time zone":       func(u *dsl.Turn) { u.Zone = "Mars/Base" },
		"+08:00":                  func(u *dsl.Turn) { u.Zone = "+8" },
		"another zone":            func(u *dsl.Turn) { u.Zone = "Local" },
		"65 attachments":          func(u *dsl.Turn) { u.Attachments = make([]dsl.Attachment, dsl.MaxAttachments+1) },
		"attachment kind":         func(u *dsl.Turn) { u.Attachments[0].Kind = "" },
		"attachment holds":        func(u *dsl.Turn) { u.Attachments[0].Text = dsl.Plain("\x00") },
	})
	sealed := good()
	sealed.Text, sealed.Speaker = dsl.Sealed("k", []byte{0}), dsl.Sealed("k", nil)
	if err := sealed.Validate(); err != nil {
		t.Errorf("sealed texts are refused: %v", err)
	}
}

func TestTurnLocal(t *testing.T) {
	for zone, want := range map[string]string{
		"": "2023-11-14T22:13:20Z", "UTC": "2023-11-14T22:13:20Z", "+08:00": "2023-11-15T06:13:20+08:00",
		"-03:30": "2023-11-14T18:43:20-03:30", "Asia/Shanghai": "2023-11-15T06:13:20+08:00", "no such zone": "2023-11-14T22:13:20Z",
	} {
		turn := dsl.Turn{TS: noon, Zone: zone}
		if got := turn.Local().Format("2006-01-02T15:04:05Z07:00"); got != want {
			t.Errorf("in %q it is %s, want %s", zone, got, want)
		}
	}
}

func TestCandidateValidate(t *testing.T) {
	good := func() dsl.Candidate {
		return dsl.Candidate{
			Change: dsl.Assert, Confidence: 1, Dst: dsl.Plain("Berlin"), DstKind: dsl.Entity, Polarity: dsl.Negative,
			Rel: "lives_in", Src: dsl.Plain("Anna"), Span: &dsl.Span{}, Valid: &dsl.Interval{Start: 1, End: 1},
		}
	}
	refuses(t, good, map[string]func(*dsl.Candidate){
		"src is empty":     func(c *dsl.Candidate) { c.Src = dsl.Text{} },
		"dst":              func(c *dsl.Candidate) { c.Dst = dsl.Plain("a\x00") },
		"rel is empty":     func(c *dsl.Candidate) { c.Rel = "" },
		"relation":         func(c *dsl.Candidate) { c.Relation = dsl.Plain("\n") },
		"corrects":         func(c *dsl.Candidate) { c.Corrects = dsl.Plain("\n") },
		"source":           func(c *dsl.Candidate) { c.Source = "\n" },
		"polarity":         func(c *dsl.Candidate) { c.Polarity = "" },
		"change":           func(c *dsl.Candidate) { c.Change = "update" },
		"dst_kind":         func(c *dsl.Candidate) { c.DstKind = dsl.Mention },
		"confidence 1.1":   func(c *dsl.Candidate) { c.Confidence = 1.1 },
		"confidence -0":    func(c *dsl.Candidate) { c.Confidence = math.Copysign(0, -1) },
		"confidence -1":    func(c *dsl.Candidate) { c.Confidence = -1 },
		"confidence NaN":   func(c *dsl.Candidate) { c.Confidence = math.NaN() },
		"(I1)":             func(c *dsl.Candidate) { c.Valid = &dsl.Interval{Start: 2, End: 1} },
		"span [1, 0)":      func(c *dsl.Candidate) { c.Span = &dsl.Span{Start: 1} },
		"span [-1, 0)":     func(c *dsl.Candidate) { c.Span = &dsl.Span{Start: -1} },
		"span [0, 1048577": func(c *dsl.Candidate) { c.Span = &dsl.Span{End: dsl.MaxText + 1} },
	})
}

func TestOpValidate(t *testing.T) {
	iv := &dsl.Interval{Start: 1, End: 2}
	good := func(op dsl.Op) func() dsl.Op { return func() dsl.Op { return op } }
	refuses(t, good(dsl.Op{Kind: dsl.UpsertEdge, ID: "f", Src: "a", Rel: "r", Dst: "b", Valid: iv, Version: 1}), map[string]func(*dsl.Op){
		"id is empty":       func(o *dsl.Op) { o.ID = "" },
		"lacks src":         func(o *dsl.Op) { o.Src = "" },
		"rel, dst":          func(o *dsl.Op) { o.Rel = "" },
		"dst, valid":        func(o *dsl.Op) { o.Dst = "" },
		"valid or version":  func(o *dsl.Op) { o.Valid = nil },
		"or version":        func(o *dsl.Op) { o.Version = 0 },
		"(I1)":              func(o *dsl.Op) { o.Valid = &dsl.Interval{Start: 2, End: 1} },
		"(I1);span":         func(o *dsl.Op) { o.Span = &dsl.Interval{Start: 2, End: 1} },
		"confidence":        func(o *dsl.Op) { o.Confidence = 2 },
		"confidence -0":     func(o *dsl.Op) { o.Confidence = math.Copysign(0, -1) },
		"none of UPSERT":    func(o *dsl.Op) { o.Kind = "upsert_edge" },
		"none of UPSERT; 2": func(o *dsl.Op) { o.Kind = "" },
	})
	refuses(t, good(dsl.Op{Kind: dsl.RetroCorrectOp, ID: "f", Dst: "b", Valid: iv, Version: 1, Next: 2}), map[string]func(*dsl.Op){
		"lacks version":     func(o *dsl.Op) { o.Version = 0 },
		"next":              func(o *dsl.Op) { o.Next = 1 },
		"dst":               func(o *dsl.Op) { o.Dst = "" },
		"or valid":          func(o *dsl.Op) { o.Valid = nil },
		"names a successor": func(o *dsl.Op) { o.Retract = true },
	})
	refuses(t, good(dsl.Op{Kind: dsl.RetroCorrectOp, ID: "f", Version: 1, Retract: true}), map[string]func(*dsl.Op){
		"the version it retracts": func(o *dsl.Op) { o.Version = 0 },
	})
	refuses(t, good(dsl.Op{Kind: dsl.UpsertEvent, ID: "e", Version: 1, Span: iv}), map[string]func(*dsl.Op){
		"lacks version": func(o *dsl.Op) { o.Version = 0 },
		"time_span":     func(o *dsl.Op) { o.Span = nil },
	})
	refuses(t, good(dsl.Op{Kind: dsl.Link, ID: "l", Link: dsl.AliasOf, From: "a", To: "b"}), map[string]func(*dsl.Op){
		"none of alias_of": func(o *dsl.Op) { o.Link = "alias" },
		"lacks from":       func(o *dsl.Op) { o.From = "" },
		"or to":            func(o *dsl.Op) { o.To = "" },
	})
	refuses(t, good(dsl.Op{Kind: dsl.ArchiveEdge, ID: "f"}), map[string]func(*dsl.Op){
		"id has": func(o *dsl.Op) { o.ID = strings.Repeat("x", dsl.MaxID+1) },
	})
}

func TestNodeValidate(t *testing.T) {
	refuses(t, func() dsl.Node { return dsl.Node{ID: "n", Kind: dsl.Mention, Name: dsl.Plain("x")} }, map[string]func(*dsl.Node){
		"id is empty":   func(n *dsl.Node) { n.ID = "" },
		"kind":          func(n *dsl.Node) { n.Kind = "person" },
		"name is empty": func(n *dsl.Node) { n.Name = dsl.Text{} },
	})
}

func TestCheckSpace(t *testing.T) {
	for _, good := range []string{"default", "空间 1", "a/b", ".", strings.Repeat("s", dsl.MaxSpaceName)} {
		if err := dsl.CheckSpace(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", "a\n", "\x00", "\xff", strings.Repeat("s", dsl.MaxSpaceName+1)} {
		if err := dsl.CheckSpace(bad); !errors.Is(err, dsl.ErrInvalid) || len(err.Error()) > 300 {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := dsl.CheckText("text", ""); err != nil {
		t.Errorf("empty text: %v", err)
	}
}

func TestFoldConfidence(t *testing.T) {
	for _, c := range []struct{ a, b, want float64 }{
		{0, 0, 0}, {1, 0, 1}, {0, 1, 1}, {0.5, 0.5, 0.75}, {0.75, 0.5, 0.875}, {0.25, 0.5, 0.625}, {0.1, 0, 0.1}, {1, 1, 1},
	} {
		if got := dsl.FoldConfidence(c.a, c.b); got != c.want {
			t.Errorf("%v and %v fold to %v, want %v", c.a, c.b, got, c.want)
		}
	}
	for a := 0.0; a <= 1; a += 1.0 / 64 {
		for b := 0.0; b <= 1; b += 1.0 / 64 {
			if got := dsl.FoldConfidence(a, b); got < a || got > 1 {
				t.Errorf("%v and %v fold to %v", a, b, got)
			}
		}
	}
	f := dsl.FactVersion{ID: "f", Version: 2}
	if f.Ref() != (dsl.VersionRef{ID: "f", Version: 2}) {
		t.Errorf("reference %v", f.Ref())
	}
}
