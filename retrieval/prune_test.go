package retrieval

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// exhaustive scores every turn of a table and gives the best k hits by id, ties
// in order of id, with their scores.
func exhaustive(t *testing.T, v *table, q Query, o Options) (ids []string, scores []float64) {
	t.Helper()
	terms := queryTerms(&shared, q.Text)
	p := &plan{terms: terms, text: q.Text}
	s := &searcher{plan: p, index: v, opt: &Options{Speaker: cmp.Or(o.Speaker, speakerBoost)}, analyzer: &shared, read: &reading{cues: new(Cues)}}
	raises, err := s.weigh()
	if err != nil {
		t.Fatal(err)
	}
	weight := s.weight
	stats := v.Stats()
	context := uint64(cmp.Or(o.Context, store.ContextWeight))
	raise := cmp.Or(o.Speaker, speakerBoost)
	mean := float64(store.OwnWeight*stats.Terms+context*stats.Context) / float64(stats.Docs)
	sum, ideal := make([]float64, stats.Docs), 0.0
	for i, term := range terms {
		most := termWorth(stats.Docs, len(v.postings[term]), weight[i])
		for _, p := range v.postings[term] {
			d := &v.docs.Info[p.Doc]
			weight, length := store.OwnWeight*p.TF+uint32(context)*p.Context, store.OwnWeight*uint64(d.Length)+context*uint64(d.Context)
			sum[p.Doc] += saturate(most, weight, lengthNorm(length, mean))
		}
		ideal += most
	}
	var found []candidate
	for d := range sum {
		info := &v.docs.Info[d]
		if raises != nil {
			sum[d] = float64(sum[d] * raises[info.Speaker])
		}
		if sum[d] > 0 && saidBy(info, q.Valid) {
			found = append(found, candidate{score: sum[d], doc: int32(d)})
		}
	}
	if raises != nil {
		ideal = float64(ideal * raise)
	}
	for i := range found {
		found[i].score /= ideal
	}
	slices.SortFunc(found, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(y.score, x.score), strings.Compare(v.turns[x.doc].ID, v.turns[y.doc].ID))
	})
	for _, c := range found[:min(len(found), q.K)] {
		ids, scores = append(ids, v.turns[c.doc].ID), append(scores, c.score)
	}
	return ids, scores
}

// randomTable draws a space of n turns from a vocabulary; few words make many
// equal scores.
func randomTable(random *rand.Rand, n, words int) *table {
	v := newTable()
	for i := range n {
		text := make([]string, random.IntN(6)*random.IntN(4))
		for j := range text {
			text[j] = randomWord(random, words)
		}
		session := i / 30
		if random.IntN(3) == 0 {
			session = random.IntN(4) // sessions that go on for ever
		}
		v.add(dsl.Turn{
			ID: fmt.Sprintf("t%d", random.Uint32()), Session: fmt.Sprint("s", session), Speaker: dsl.Plain(names[random.IntN(len(names))]),
			Text: dsl.Plain(strings.Join(text, " ")), TS: minute(random.IntN(n)),
		})
	}
	return v
}

func randomWord(random *rand.Rand, words int) string {
	x := random.Float64()
	return fmt.Sprint("w", int(float64(words)*x*x*x*x))
}

// TestPruningChangesNothing: what is found without scoring all is what scoring
// all finds, to the last bit, ties included.
func TestPruningChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct{ turns, words, queries int }{
		{1, 3, 20}, {300, 20, 60}, {windowDocs - 1, 500, 60}, {windowDocs + 1, 30, 60}, {3 * windowDocs, 4000, 100}, {12_000, 300, 60}, {9_000, 4, 10},
	} {
		v := randomTable(random, c.turns, c.words)
		for range c.queries {
			var words []string
			for range 1 + random.IntN(7) {
				words = append(words, randomWord(random, c.words))
			}
			if random.IntN(2) == 0 {
				words = append(words, names[random.IntN(len(names))])
			}
			q := Query{Text: strings.Join(words, " "), K: []int{1, 3, 10, 100, c.turns}[random.IntN(5)], Kinds: []Kind{Turn}}
			if random.IntN(3) == 0 {
				valid := minute(random.IntN(c.turns + 1))
				q.Valid = &valid
			}
			o := Options{Analyzer: &shared, Context: []int{0, 0, 1, 2, 5, 30}[random.IntN(6)], Speaker: []float64{0, 0, 1, 4}[random.IntN(4)]}
			ids, scores := exhaustive(t, v, q, o)
			r, err := Search(t.Context(), v, q, o)
			if err != nil {
				t.Fatal(err)
			}
			var gotIDs []string
			var got []float64
			for _, h := range r.Hits {
				gotIDs, got = append(gotIDs, h.ID), append(got, h.Score)
			}
			if !slices.Equal(gotIDs, ids) || !slices.EqualFunc(got, scores, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }) {
				t.Fatalf("%d turns of %d words, %q, k=%d:\ngot  %v %v\nwant %v %v", c.turns, c.words, q.Text, q.K, gotIDs, got, ids, scores)
			}
		}
	}
}

// counting counts what is decoded of an index.
type counting struct {
	*table
	chunks int
}

func (v *counting) Index(store.Field) (store.Index, error) { return v, nil }

func (v *counting) Chunk(n int) ([]store.Doc, error) {
	v.chunks++
	return v.table.Chunk(n)
}

// TestPruningPassesOver: a rare word is found without looking at the documents
// between those that say it.
func TestPruningPassesOver(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	v := randomTable(random, 20*windowDocs, 2000)
	v.add(dsl.Turn{ID: "rare", Session: "s", Speaker: dsl.Plain("Mina"), Text: dsl.Plain("unheard")})
	c := &counting{table: v}
	got := find(t, c, Query{Text: "unheard w1 w2", K: 1, Kinds: []Kind{Turn}})
	if len(got.Hits) != 1 || got.Hits[0].ID != "rare" {
		t.Fatalf("found %v", hitNames(got.Hits))
	}
	if all := len(v.turns) / store.ChunkDocs; c.chunks > all/4 {
		t.Errorf("looked at %d stretches of documents of %d", c.chunks, all)
	}
}

// TestBestByID compares with sorting all, where ids choose among equal ones.
func TestBestByID(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, k := range []int{1, 5, 100, 5000} {
		var all []candidate
		h := best{k: k, byID: true}
		for d := range 2000 {
			c := candidate{score: float64(1+random.IntN(5)) / 5, doc: int32(d), id: fmt.Sprint(random.IntN(900)), version: uint32(d)}
			all = append(all, c)
			if c.score >= h.least() && h.wants(&c) {
				h.add(c)
			}
		}
		slices.SortFunc(all, func(x, y candidate) int {
			return cmp.Or(cmp.Compare(y.score, x.score), strings.Compare(x.id, y.id), cmp.Compare(x.version, y.version))
		})
		got := h.settle()
		slices.SortFunc(got, func(x, y candidate) int {
			return cmp.Or(cmp.Compare(y.score, x.score), strings.Compare(x.id, y.id), cmp.Compare(x.version, y.version))
		})
		if !reflect.DeepEqual(got, all[:min(k, len(all))]) {
			t.Errorf("k=%d keeps %v", k, got)
		}
	}
}

// TestBest compares the kept candidates with sorting all.
func TestBest(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, k := range []int{1, 2, 7, 300, math.MaxInt} {
		var all []candidate
		h := best{k: k}
		for d := range 20_000 {
			c := candidate{score: float64(1+random.IntN(400)) / 400, doc: int32(d)}
			all = append(all, c)
			if c.score >= h.least() {
				h.add(c)
			}
		}
		slices.SortStableFunc(all, func(x, y candidate) int { return cmp.Compare(y.score, x.score) })
		n := min(k, len(all))
		for n < len(all) && all[n].score == all[n-1].score {
			n++
		}
		if got := h.settle(); !reflect.DeepEqual(got, all[:n]) {
			t.Errorf("k=%d: %d are kept, want %d", k, len(got), n)
		}
	}
}

// TestManyFacts: facts that read alike, most of them closed or archived by now,
// are found as scoring all of the open ones finds them.
func TestManyFacts(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	b := new(book)
	b.turn("t", "s", "Mina", "hello")
	for range 2600 {
		id := fmt.Sprintf("f%d", random.Uint32())
		b.fact(id, fmt.Sprint(names[random.IntN(2)], " ", random.IntN(200)), "likes", randomWord(random, 40), dsl.Since(day(1)), "t")
		switch random.IntN(4) {
		case 0:
			b.correct(id, 1, randomWord(random, 40)+" "+randomWord(random, 40), dsl.Since(day(2)), "t")
		case 1:
			b.ops(nil, dsl.Op{Kind: dsl.ArchiveEdge, ID: id})
		}
	}
	s := b.inStore(t)
	defer s.Close()
	for _, seq := range []dsl.Seq{1000, dsl.Seq(len(b.txs))} {
		v, err := s.At(testSpace, seq)
		if err != nil {
			t.Fatal(err)
		}
		docs, err := v.Docs(store.FactField)
		if err != nil {
			t.Fatal(err)
		}
		var facts []dsl.FactVersion
		var texts [][]string
		for d := range docs.Info {
			f, err := v.FactDoc(d)
			if err != nil {
				t.Fatal(err)
			}
			facts = append(facts, f)
			texts = append(texts, shared.Terms(nil, store.FactText(f.SrcName.String(), f.Rel, f.Relation.String(), f.DstName.String())))
		}
		mean := float64(store.OwnWeight*docs.Terms) / float64(len(facts))
		for _, text := range []string{"likes", "Mina likes w0", "w3 w7 w12", "Joost w1 likes w1 w39"} {
			sum, ideal := make([]float64, len(facts)), 0.0
			for _, term := range queryTerms(&shared, text) {
				df, tf := 0, make([]uint32, len(facts))
				for d, terms := range texts {
					for _, x := range terms {
						if x == term {
							tf[d]++
						}
					}
					if tf[d] > 0 {
						df++
					}
				}
				most := termWorth(len(facts), df, 1)
				for d := range facts {
					if tf[d] > 0 {
						sum[d] += saturate(most, store.OwnWeight*tf[d], lengthNorm(store.OwnWeight*uint64(len(texts[d])), mean))
					}
				}
				ideal += most
			}
			var want []candidate
			for d, f := range facts {
				if sum[d] > 0 && f.Status == dsl.StatusOpen {
					want = append(want, candidate{score: sum[d] / ideal, id: f.ID, version: f.Version})
				}
			}
			slices.SortFunc(want, func(x, y candidate) int {
				return cmp.Or(cmp.Compare(y.score, x.score), strings.Compare(x.id, y.id), cmp.Compare(x.version, y.version))
			})
			for _, k := range []int{1, 10, 300} {
				var got []candidate
				for _, h := range find(t, v, Query{Text: text, K: k, Kinds: []Kind{Fact}}).Hits {
					got = append(got, candidate{score: h.Score, id: h.ID, version: h.Version})
				}
				if !slices.Equal(got, want[:min(k, len(want))]) {
					t.Fatalf("view %s, %q, k=%d:\n%v\nwant\n%v", seq, text, k, got, want[:min(k, len(want))])
				}
			}
		}
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
