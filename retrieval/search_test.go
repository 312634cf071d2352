package retrieval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// family is a small conversation in which every rule of ranking shows.
func family() *book {
	b := new(book)
	b.turn("t01", "s1", "Mina", "We spent the weekend in Lisbon, the trams were full.")
	b.turn("t02", "s1", "Joost", "Nice! Did you buy anything?")
	b.turn("t03", "s1", "Mina", "A blue teapot, from an old man near the river.")
	b.turn("t04", "s1", "Joost", "I should visit too.")
	b.turn("t05", "s2", "Joost", "Mina, my new job at the bakery starts on Monday.")
	b.turn("t06", "s2", "Mina", "Congratulations on the new job!")
	b.turn("t07", "s3", "小林", "我下周搬到里斯本，新家在河边。")
	b.turn("t08", "s3", "Mina", "太好了，搬家需要帮忙吗？")
	b.fact("f1", "Joost", "works_at", "bakery", dsl.Since(day(8)), "t05")
	b.fact("f2", "Mina", "owns", "teapot", dsl.Since(day(1)), "t03")
	b.fact("f3", "小林", "lives_in", "里斯本", dsl.Since(day(15)), "t07")
	b.event("e1", 1, "Joost starts a job at the bakery", dsl.Interval{Start: day(8), End: day(9)}, "t05")
	return b
}

func TestTurns(t *testing.T) {
	v := family().at(t, 0)
	for _, c := range []struct {
		name, query string
		want        string // the first ids, in order
	}{
		{"plain", "trams in Lisbon", "t01 t02 t03"},
		{"stems", "the tram was full", "t01 t02 t03"},
		{"answer after its question", "buy", "t02 t04 t03"},
		{"context ends with the session", "visit", "t04"},
		{"chinese", "搬到里斯本", "t07 t08"},
		{"both languages", "teapot 里斯本", "t07 t03"},
		{"speaker named", "What did Joost say about the job?", "t05 t06"},
		{"speaker named, the other one", "What did Mina say about the job?", "t06 t05"},
		{"chinese speaker", "小林的新家", "t07 t08"},
		{"only stop words", "what did you", "t02"},
		{"unknown words", "xylophone quartz", ""},
		{"only emoji", "🫖🚋", ""},
		{"empty", "", ""},
		{"punctuation", " ?!… ", ""},
		{"invalid UTF-8", "teapot\xff", "t03"},
	} {
		got := find(t, v, Query{Text: c.query, Kinds: []Kind{Turn}})
		var ids []string
		for _, h := range got.Hits {
			ids = append(ids, h.ID)
		}
		want := strings.Fields(c.want)
		if len(ids) < len(want) || !slices.Equal(ids[:len(want)], want) || len(want) == 0 && len(ids) > 0 {
			t.Errorf("%s: %q finds %v, want first %v", c.name, c.query, ids, want)
		}
		for i, h := range got.Hits {
			if h.Rank != i+1 || h.Score <= 0 || h.Score > 1 || i > 0 && h.Score > got.Hits[i-1].Score {
				t.Errorf("%s: hit %d has rank %d and score %v", c.name, i, h.Rank, h.Score)
			}
		}
	}
}

func TestTurnHit(t *testing.T) {
	b := new(book)
	b.turnAt("t1", "s1", "Mina", "Look at this!", day(1), dsl.Attachment{Kind: "image", Text: dsl.Plain("a red kite over the beach")})
	got := find(t, b.at(t, 0), Query{Text: "kite"})
	if len(got.Hits) != 1 {
		t.Fatalf("%d hits, want 1: attachments are part of a turn", len(got.Hits))
	}
	h := got.Hits[0]
	want := Hit{
		Rank: 1, Kind: Turn, ID: "t1", Score: h.Score, Turns: []string{"t1"}, Session: "s1",
		Record: dsl.Since(minute(1)), Valid: dsl.Since(day(1)), Text: "Look at this!\n[image] a red kite over the beach",
	}
	if fmt.Sprint(h) != fmt.Sprint(want) {
		t.Errorf("hit %+v\nwant %+v", h, want)
	}
	if got.Basis.Seq != 1 || got.Basis.Space != testSpace {
		t.Errorf("basis %+v", got.Basis)
	}
}

func TestKinds(t *testing.T) {
	v := family().at(t, 0)
	for _, c := range []struct {
		kinds, query string
		want         string
	}{
		{"fact", "Where does Joost work?", "fact:f1"},
		{"fact", "住在里斯本", "fact:f3"},
		{"event", "bakery", "event:e1"},
		{"session", "teapot", "session:s1"},
		{"session", "the new job", "session:s2"},
		{"fact,event", "Joost bakery", "fact:f1 event:e1"},
		{"fact,fact", "teapot", "fact:f2"},
		{"session,turn", "teapot river", "session:s1 turn:t03 turn:t04"},
	} {
		kinds, err := ParseKinds(c.kinds)
		if err != nil {
			t.Fatal(err)
		}
		got := hitNames(find(t, v, Query{Text: c.query, Kinds: kinds}).Hits)
		if strings.Join(got, " ") != c.want {
			t.Errorf("kinds %s, %q finds %v, want %v", c.kinds, c.query, got, c.want)
		}
	}
	if got := hitNames(find(t, v, Query{Text: "teapot"}).Hits); strings.Join(got, " ") != "fact:f2 turn:t03 turn:t04" {
		t.Errorf("without kinds, found %v, want turns and facts", got)
	}
	all := find(t, v, Query{Text: "Joost bakery", Kinds: Kinds})
	for i, h := range all.Hits {
		if h.Rank != i+1 {
			t.Errorf("merged hit %d has rank %d", i, h.Rank)
		}
	}
}

func TestFactHit(t *testing.T) {
	b := family()
	b.turn("t09", "s4", "Mina", "The teapot that I own is blue, the teapot!")
	b.ops(nil, dsl.Op{Kind: dsl.Link, Link: dsl.EvidenceLink, ID: "l1", From: "t09", To: "f2", Confidence: 0.5})
	h := find(t, b.at(t, 0), Query{Text: "teapot", Kinds: []Kind{Fact}}).Hits[0]
	if !slices.Equal(h.Turns, []string{"t09", "t03"}) || h.Session != "s4" {
		t.Errorf("evidence %v of session %s, want t09 before t03, which says teapot once", h.Turns, h.Session)
	}
	if h.Text != "Mina owns teapot" || h.Version != 1 || h.Valid != dsl.Since(day(1)) || h.Record != dsl.Since(minute(10)) {
		t.Errorf("hit %+v", h)
	}
}

func TestSessionHit(t *testing.T) {
	h := find(t, family().at(t, 0), Query{Text: "the new job at the bakery", Kinds: []Kind{Session}}).Hits[0]
	if h.ID != "s2" || !slices.Equal(h.Turns, []string{"t05", "t06"}) || h.Record != dsl.Since(minute(5)) || h.Valid != dsl.Since(minute(5)) ||
		h.Text != "Joost: Mina, my new job at the bakery starts on Monday." {
		t.Errorf("hit %+v", h)
	}
}

func TestClosedVersionsArePassedOver(t *testing.T) {
	b := family()
	open := dsl.Seq(len(b.txs))
	b.correct("f1", 1, "library", dsl.Since(day(8)), "t05")
	b.ops(nil, dsl.Op{Kind: dsl.ArchiveEdge, ID: "f2"})
	q := Query{Text: "bakery library teapot", Kinds: []Kind{Fact}, K: 1}

	got := find(t, b.at(t, 0), q)
	if names := hitNames(got.Hits); len(names) != 1 || got.Hits[0].Version != 2 {
		t.Errorf("head finds %v, want version 2 of f1 alone, before the best is chosen", names)
	}
	before := find(t, b.at(t, open), q)
	if before.Hits[0].Version != 1 || before.Hits[0].Record.End != dsl.Forever {
		t.Errorf("the view before the correction finds %+v, want version 1, still open", before.Hits[0])
	}
}

func TestEventsWaitForEvidence(t *testing.T) {
	b := new(book)
	b.turn("t1", "s1", "Mina", "hello")
	b.event("e1", 1, "a trip to Lisbon", dsl.Since(day(1)), "t1", "t2")
	q := Query{Text: "Lisbon", Kinds: []Kind{Event}}
	if got := find(t, b.at(t, 0), q); len(got.Hits) != 0 {
		t.Errorf("found %v, whose evidence is not recorded", hitNames(got.Hits))
	}
	b.turn("t2", "s1", "Mina", "off to Lisbon")
	if got := find(t, b.at(t, 0), q); len(got.Hits) != 1 {
		t.Error("did not find the event once its evidence was recorded")
	}
	b.event("e1", 2, "a trip to Porto", dsl.Since(day(1)), "t1")
	if got := find(t, b.at(t, 0), q); len(got.Hits) != 0 {
		t.Errorf("found %v, a version that is closed", hitNames(got.Hits))
	}
}

func TestAsWas(t *testing.T) {
	b := new(book)
	b.turnAt("late", "s1", "Mina", "the kite flew", day(1))
	b.turnAt("early", "s2", "Mina", "the kite flew", day(1)-24*3600e6)
	b.turnAt("ahead", "s2", "Mina", "the kite flew", day(3))
	b.fact("f1", "Mina", "owns", "kite", dsl.Interval{Start: day(2), End: day(4)}, "late")
	b.event("e1", 1, "the kite flew", dsl.Since(day(3)), "late")
	for _, c := range []struct {
		view  ViewKind
		valid dsl.Instant
		want  string
	}{
		{AsWas, day(1) - 1, "session:s2 turn:early"},
		{AsWas, day(2), "fact:f1 session:s1 session:s2 turn:early turn:late"},
		{AsRecorded, day(3), "event:e1 fact:f1 session:s1 session:s2 turn:ahead turn:early turn:late"},
		{AsWas, day(4), "event:e1 session:s1 session:s2 turn:ahead turn:early turn:late"},
		{AsWas, 0, "session:s1 session:s2 turn:early turn:late"},
		{AsRecorded, 0, "event:e1 fact:f1 session:s1 session:s2 turn:ahead turn:early turn:late"},
	} {
		q := Query{Text: "kite", Kinds: Kinds, View: c.view, Valid: &c.valid}
		if c.valid == 0 {
			q.Valid = nil // as was: at the record time of the view, in the first minutes of day 1
		}
		got := hitNames(find(t, b.at(t, 0), q).Hits)
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s at %s finds %v, want %v", c.view, c.valid, got, c.want)
		}
	}
}

// TestValidTimeChangesNoStatistic: what valid time leaves, it leaves with the
// score it had.
func TestValidTimeChangesNoStatistic(t *testing.T) {
	v := family().at(t, 0)
	said := minute(5)
	whole := find(t, v, Query{Text: "Lisbon job teapot", K: 20})
	part := find(t, v, Query{Text: "Lisbon job teapot", K: 20, View: AsWas, Valid: &said})
	want := slices.DeleteFunc(slices.Clone(whole.Hits), func(h Hit) bool { return h.Valid.Start > said })
	if len(part.Hits) == len(whole.Hits) || len(part.Hits) != len(want) {
		t.Fatalf("%d of %d hits left, want %d", len(part.Hits), len(whole.Hits), len(want))
	}
	for i := range want {
		if part.Hits[i].ID != want[i].ID || part.Hits[i].Score != want[i].Score {
			t.Errorf("hit %d is %s %v, want %s %v", i, part.Hits[i].ID, part.Hits[i].Score, want[i].ID, want[i].Score)
		}
	}
}

func TestTiesAreBrokenByID(t *testing.T) {
	b := new(book)
	for i, id := range []string{"m", "c", "x", "a", "k", "b"} {
		b.turn(id, fmt.Sprint("s", i), "Mina", "the same words")
	}
	v := b.at(t, 0)
	for k, want := range []string{"", "a", "a b", "a b c", "a b c k"} {
		if k == 0 {
			continue
		}
		var ids []string
		for _, h := range find(t, v, Query{Text: "words", K: k}).Hits {
			ids = append(ids, h.ID)
		}
		if strings.Join(ids, " ") != want {
			t.Errorf("k=%d finds %v, want %v", k, ids, want)
		}
	}
}

func TestMoreHitsOnlyAppend(t *testing.T) {
	v := family().at(t, 0)
	q := Query{Text: "new job Lisbon river 里斯本", Kinds: Kinds}
	q.K = math.MaxInt
	all := find(t, v, q).Hits
	if len(all) < 8 {
		t.Fatalf("%d hits, want more to compare", len(all))
	}
	for k := 1; k <= len(all); k++ {
		q.K = k
		if got := find(t, v, q).Hits; fmt.Sprint(got) != fmt.Sprint(all[:k]) {
			t.Errorf("k=%d gives %v, want %v", k, hitNames(got), hitNames(all[:k]))
		}
	}
}

func TestBadQueries(t *testing.T) {
	v := family().at(t, 0)
	for _, q := range []Query{
		{Text: "job", K: 0}, {Text: "job", K: -1},
		{Text: "job", K: 1, Kinds: []Kind{"turn", "page"}},
		{Text: "job", K: 1, View: "now"},
	} {
		if _, err := Search(t.Context(), v, q, Options{}); !errors.Is(err, dsl.ErrInvalid) {
			t.Errorf("Search(%+v) gives %v, want ErrInvalid", q, err)
		}
	}
	if _, err := ParseKinds("turn, page"); !errors.Is(err, dsl.ErrInvalid) {
		t.Errorf("ParseKinds gives %v, want ErrInvalid", err)
	}
	if kinds, err := ParseKinds(" "); kinds != nil || err != nil {
		t.Errorf("ParseKinds of nothing gives %v, %v", kinds, err)
	}
	if kinds, err := ParseKinds("session, fact"); !slices.Equal(kinds, []Kind{Session, Fact}) || err != nil {
		t.Errorf("ParseKinds gives %v, %v", kinds, err)
	}
}

func TestEmptyViews(t *testing.T) {
	b := family()
	for seq := range dsl.Seq(len(b.txs)) {
		find(t, b.at(t, seq+1), Query{Text: "teapot bakery", Kinds: Kinds})
	}
	m := new(book)
	m.turn("t1", "s1", "Mina", "")
	if got := find(t, m.at(t, 0), Query{Text: "teapot", Kinds: Kinds}); len(got.Hits) != 0 {
		t.Errorf("a turn without text is found: %v", hitNames(got.Hits))
	}
}

func TestLongQueries(t *testing.T) {
	var long strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&long, "word%d ", i)
	}
	if terms := queryTerms(&shared, long.String()); len(terms) != MaxQueryTerms {
		t.Errorf("%d terms, want %d", len(terms), MaxQueryTerms)
	}
	cut := strings.Repeat("的", MaxQueryBytes) // a character across the limit
	if terms := queryTerms(&shared, cut); !slices.Equal(terms, []string{"的的"}) {
		t.Errorf("terms %q", terms)
	}
	got := find(t, family().at(t, 0), Query{Text: "teapot " + long.String(), Kinds: []Kind{Turn}})
	if len(got.Hits) == 0 || got.Hits[0].ID != "t03" {
		t.Errorf("a long question finds %v", hitNames(got.Hits))
	}
}

func TestStopWordsOfAQuestion(t *testing.T) {
	if got := queryTerms(&shared, "Where is the teapot of the teapots?"); !slices.Equal(got, []string{"teapot"}) {
		t.Errorf("terms %q", got)
	}
	if got := queryTerms(&shared, "Who was it?"); !slices.Equal(got, []string{"who", "was", "it"}) {
		t.Errorf("terms %q", got)
	}
}

func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Search(ctx, family().at(t, 0), Query{Text: "job", K: 1}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// faulty is a view whose index lies or fails.
type faulty struct {
	store.View
	term  func(term string) (*store.TermList, error)
	chunk func([]store.Doc) ([]store.Doc, error)
}

type faultyIndex struct {
	store.Index
	faulty
}

func (v faulty) Index(f store.Field) (store.Index, error) {
	index, err := v.View.Index(f)
	return faultyIndex{index, v}, err
}

func (x faultyIndex) Term(term string) (*store.TermList, error) {
	if x.term == nil {
		return x.Index.Term(term)
	}
	return x.term(term)
}

func (x faultyIndex) Chunk(n int) ([]store.Doc, error) {
	docs, err := x.Index.Chunk(n)
	if err != nil || x.chunk == nil {
		return docs, err
	}
	return x.chunk(slices.Clone(docs))
}

func TestFaultyIndex(t *testing.T) {
	disk := errors.New("disk on fire")
	beyond := func(string) (*store.TermList, error) {
		return store.NewTermList([]store.Posting{{Doc: 1000, TF: 1}}, func(int32) uint32 { return 10 }), nil
	}
	for _, c := range []struct {
		name  string
		kinds []Kind
		view  faulty
		want  error
	}{
		{"beyond the table", []Kind{Turn, Session}, faulty{term: beyond}, dsl.ErrCorrupt},
		{"session", []Kind{Session}, faulty{chunk: func(d []store.Doc) ([]store.Doc, error) { d[0].Session = 99; return d, nil }}, dsl.ErrCorrupt},
		{"speaker", []Kind{Turn}, faulty{chunk: func(d []store.Doc) ([]store.Doc, error) { d[4].Speaker = 99; return d, nil }}, dsl.ErrCorrupt},
		{"list", []Kind{Turn, Session}, faulty{term: func(string) (*store.TermList, error) { return nil, disk }}, disk},
		{"documents", []Kind{Turn, Session}, faulty{chunk: func([]store.Doc) ([]store.Doc, error) { return nil, disk }}, disk},
	} {
		c.view.View = family().at(t, 0)
		for _, kind := range c.kinds {
			_, err := Search(t.Context(), c.view, Query{Text: "Mina job", K: 1, Kinds: []Kind{kind}}, Options{})
			if !errors.Is(err, c.want) {
				t.Errorf("%s: kind %s gives %v, want %v", c.name, kind, err, c.want)
			}
		}
	}
}

// TestAnalyzerIsOptional: what an analyzer remembers changes nothing.
func TestAnalyzerIsOptional(t *testing.T) {
	v := family().at(t, 0)
	q := Query{Text: "Lisbon job", K: 5}
	with, err1 := Search(t.Context(), v, q, Options{Analyzer: new(analyze.Analyzer)})
	without, err2 := Search(t.Context(), v, q, Options{})
	if err1 != nil || err2 != nil || fmt.Sprint(with) != fmt.Sprint(without) {
		t.Errorf("%v %v\n%v %v", with, err1, without, err2)
	}
}
