package retrieval

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// This file says once more what a score is, as plainly and as slowly as the
// package comment does, and compares.

// bag is a document of the reference: how often each term counts, in turns.
type bag map[string]float64

func (d bag) add(weight float64, text string) {
	for _, term := range shared.Terms(nil, text) {
		d[term] += weight
	}
}

func (d bag) length() float64 {
	sum := 0.0
	for _, n := range d {
		sum += n
	}
	return sum
}

// referenceScores ranks documents: statistics over docs, and of each what counts
// in its own score.
func referenceScores(docs, own []bag, terms []string, weight func(term string) float64) []float64 {
	mean := 0.0
	for _, d := range docs {
		mean += d.length() / float64(len(docs))
	}
	got := make([]float64, len(docs))
	ideal := 0.0
	for _, term := range terms {
		df := 0.0
		for _, d := range docs {
			if d[term] > 0 {
				df++
			}
		}
		n := float64(len(docs))
		w := weight(term) * math.Log(1+(n-df+0.5)/(df+0.5))
		ideal += w * 1.9
		for i, d := range docs {
			if tf := own[i][term]; tf > 0 {
				got[i] += w * tf * 1.9 / (tf + 0.9*(0.6+0.4*d.length()/mean))
			}
		}
	}
	for i := range got {
		got[i] /= ideal
	}
	return got
}

// said gives the text of a turn that is searched.
func said(turn store.Turn) string {
	text := turn.Text.String()
	for _, a := range turn.Attachments {
		text += " " + a.Text.String()
	}
	return text
}

// referenceHits gives what a search for one kind as recorded should find, by
// "id/version", with scores.
func referenceHits(t testing.TB, v store.View, kind Kind, terms []string) map[string]float64 {
	t.Helper()
	var turns []store.Turn
	for turn, err := range v.Turns(0) {
		if err != nil {
			t.Fatal(err)
		}
		turns = append(turns, turn)
	}
	ofName := func(speaker string) bool {
		for _, term := range shared.Terms(nil, speaker) {
			if slices.Contains(terms, term) && !analyze.Stop(term) {
				return true
			}
		}
		return false
	}
	weight := func(term string) float64 {
		for _, turn := range turns {
			if slices.Contains(shared.Terms(nil, turn.Speaker.String()), term) && !analyze.Stop(term) {
				return 0.3
			}
		}
		return 1
	}
	one := func(string) float64 { return 1 }
	hits := make(map[string]float64)
	put := func(id string, version uint32, score float64) {
		if score > 0 {
			hits[fmt.Sprintf("%s/%d", id, version)] = score
		}
	}
	switch kind {
	case Turn:
		docs := make([]bag, len(turns))
		anyNamed := slices.ContainsFunc(turns, func(x store.Turn) bool { return ofName(x.Speaker.String()) })
		for i, turn := range turns {
			docs[i] = bag{}
			docs[i].add(1, said(turn))
			left := 2
			for j := i - 1; j >= 0 && left > 0; j-- {
				if turns[j].Session == turn.Session {
					docs[i].add(0.3, said(turns[j]))
					left--
				}
			}
		}
		for i, score := range referenceScores(docs, docs, terms, weight) {
			if turns[i].ReplacedBy != "" {
				continue
			}
			if anyNamed && !ofName(turns[i].Speaker.String()) {
				score /= 2
			}
			put(turns[i].ID, 0, score)
		}
	case Session:
		var docs, standing []bag
		var names []string
		for _, turn := range turns {
			i := slices.Index(names, turn.Session)
			if i < 0 {
				i = len(names)
				names, docs, standing = append(names, turn.Session), append(docs, bag{}), append(standing, bag{})
			}
			docs[i].add(1, said(turn))
			if turn.ReplacedBy == "" {
				standing[i].add(1, said(turn))
			}
		}
		for i, score := range referenceScores(docs, standing, terms, weight) {
			put(names[i], 0, score)
		}
	case Fact:
		var docs []bag
		var facts []dsl.FactVersion
		for doc := 0; ; doc++ {
			f, err := v.FactDoc(doc)
			if errors.Is(err, dsl.ErrNotFound) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			d := bag{}
			d.add(1, store.FactText(f.SrcName.String(), f.Rel, f.Relation.String(), f.DstName.String()))
			facts, docs = append(facts, f), append(docs, d)
		}
		for i, score := range referenceScores(docs, docs, terms, one) {
			if facts[i].Status == dsl.StatusOpen {
				put(facts[i].ID, facts[i].Version, score)
			}
		}
	}
	return hits
}

var (
	vocabulary = strings.Fields("river teapot bakery moved works likes painting Lisbon Mina Joost 河边 里斯本 喜欢 搬家 画画 not the 我")
	names      = []string{"Mina", "Joost", "小林", "The Doctor"}
)

// randomBook draws a log of turns, facts, corrections and events.
func randomBook(t *rapid.T, most int) *book {
	b := new(book)
	word := rapid.SampledFrom(vocabulary)
	text := func() string { return strings.Join(rapid.SliceOfN(word, 0, 7).Draw(t, "words"), " ") }
	open := map[string]uint32{} // versions by fact
	var facts, turns []string
	n := rapid.IntRange(1, most).Draw(t, "transactions")
	for i := range n {
		switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); {
		case kind < 6 || len(turns) == 0:
			id := fmt.Sprintf("t%02d", rapid.IntRange(0, 1).Draw(t, "order")*50+i)
			ts := minute(i + 1 - rapid.IntRange(0, 5).Draw(t, "late"))
			session, speaker := rapid.SampledFrom([]string{"s1", "s2", ""}).Draw(t, "session"), rapid.SampledFrom(names).Draw(t, "speaker")
			if len(turns) > 0 && rapid.IntRange(0, 3).Draw(t, "edit") == 0 {
				b.edit(id, rapid.SampledFrom(turns).Draw(t, "replaces"), session, speaker, text(), ts)
			} else {
				b.turnAt(id, session, speaker, text(), ts)
			}
			turns = append(turns, id)
		case kind < 8 || len(facts) == 0:
			id := fmt.Sprintf("f%02d", i)
			b.fact(id, rapid.SampledFrom(names).Draw(t, "src"), "likes", word.Draw(t, "dst"), dsl.Since(minute(i)), rapid.SampledFrom(turns).Draw(t, "evidence"))
			facts, open[id] = append(facts, id), 1
		case kind == 8:
			id := rapid.SampledFrom(facts).Draw(t, "fact")
			b.correct(id, open[id], word.Draw(t, "dst"), dsl.Since(minute(i)), rapid.SampledFrom(turns).Draw(t, "evidence"))
			open[id]++
		default:
			b.event(fmt.Sprintf("e%02d", i), 1, text(), dsl.Since(minute(i)), rapid.SampledFrom(turns).Draw(t, "evidence"))
		}
	}
	return b
}

func randomQuery(t *rapid.T) Query {
	return Query{Text: strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 5).Draw(t, "query"), " "), K: rapid.IntRange(1, 60).Draw(t, "k")}
}

// TestScoresAreWhatTheyAreSaidToBe compares with the reference on random logs.
func TestScoresAreWhatTheyAreSaidToBe(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := randomBook(r, 30)
		v := b.at(t, dsl.Seq(rapid.IntRange(1, len(b.txs)).Draw(r, "position")))
		q := randomQuery(r)
		for _, kind := range []Kind{Turn, Session, Fact} {
			q.Kinds = []Kind{kind}
			got := find(t, v, q)
			want := referenceHits(t, v, kind, got.Terms)
			if len(got.Hits) != min(q.K, len(want)) {
				r.Fatalf("%s %q: %d hits, want %d of %d", kind, q.Text, len(got.Hits), q.K, len(want))
			}
			var scores []float64
			for _, s := range want {
				scores = append(scores, s)
			}
			slices.SortFunc(scores, func(x, y float64) int { return cmp.Compare(y, x) })
			for i, h := range got.Hits {
				ref, ok := want[fmt.Sprintf("%s/%d", h.ID, h.Version)]
				if !ok || math.Abs(ref-h.Score) > 1e-12 || math.Abs(scores[i]-h.Score) > 1e-12 {
					r.Fatalf("%s %q: hit %d is %s with %v; the reference gives it %v, and that place %v", kind, q.Text, i, h.ID, h.Score, ref, scores[i])
				}
			}
		}
	})
}
