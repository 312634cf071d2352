package eval

import (
	"math"
	"strings"

	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/analyze"
)

// prf counts what was right, found and to be found.
type prf struct{ right, found, gold int }

func (c *prf) add(right, found, gold int) {
	c.right += right
	c.found += found
	c.gold += gold
}

// ratioOf is a share, and what it is where there is nothing to divide by.
func ratioOf(n, of int, none float64) float64 {
	if of == 0 {
		return none
	}
	return float64(n) / float64(of)
}

// precision is 1 where nothing was found and nothing was to be found.
func (c *prf) precision() float64 { return ratioOf(c.right, c.found, unit(c.gold == 0)) }

// recall is 1 where nothing was to be found and nothing was found.
func (c *prf) recall() float64 { return ratioOf(c.right, c.gold, unit(c.found == 0)) }

// f1 is the harmonic mean of the two.
func (c *prf) f1() float64 {
	p, r := c.precision(), c.recall()
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

func unit(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// portion counts how many of some hold.
type portion struct{ n, of int }

func (s *portion) add(holds bool) {
	s.of++
	if holds {
		s.n++
	}
}

// bins is how many bins of confidence there are, of equal width over [0, 1].
const bins = 20

// extractScore is what an extraction got right over some turns.
type extractScore struct {
	turns    int
	entities prf
	types    map[string]*prf
	// times are expressions that overlap one of the gold; values those of them whose
	// value is right.
	times  prf
	values portion
	// open are the expressions found that were left open, of those found.
	open                                portion
	facts                               prf
	rels                                map[string]*prf
	negated, ended, corrected           portion
	valid                               portion
	corefRight, corefWrong, corefMissed int
	sentences                           portion
	merges, mergesWrong, unjudged       int
	// asked are the turns for which the option was asked, and of those that fell back.
	asked portion
	// confidence are the facts found by bin, with the sum of their confidences in
	// millionths.
	confidence  [bins]portion
	confidences [bins]int64
}

func newExtractScore() *extractScore {
	return &extractScore{types: map[string]*prf{}, rels: map[string]*prf{}}
}

// of gives the count of a name.
func of(counts map[string]*prf, name string) *prf {
	c := counts[name]
	if c == nil {
		c = &prf{}
		counts[name] = c
	}
	return c
}

// add scores a turn: the gold, what was printed of it, and what the result says beside.
func (s *extractScore) add(gold, found *MarkedTurn) {
	s.turns++
	text := runeText([]rune(gold.Text))
	s.addEntities(gold, placed(text, found.Entities))
	s.addTimes(text, gold, placed(text, found.Times))
	s.addFacts(gold, found)
	s.addCorefs(gold, found)
	s.sentences.add(gold.Sentences == found.Sentences)
}

func (s *extractScore) addEntities(gold *MarkedTurn, found []laidSpan) {
	hit, wrong := matchSpans(gold.Entities, found, func(x MarkedSpan) string { return strings.ToUpper(x.Type) + " " + x.Text })
	right := 0
	for i, g := range gold.Entities {
		n := 0
		if hit[i] {
			n = 1
		}
		right += n
		of(s.types, strings.ToUpper(g.Type)).add(n, n, 1)
	}
	for _, w := range wrong {
		of(s.types, strings.ToUpper(w.Type)).add(0, 1, 0)
	}
	s.entities.add(right, right+len(wrong), len(gold.Entities))
}

func (s *extractScore) addTimes(text runeText, gold *MarkedTurn, found []laidSpan) {
	right := func(g, f MarkedSpan) bool { return timexKey(g.Value) == timexKey(f.Value) }
	laid := lay(text, gold.Times)
	pairs := matchOverlaps(laid, found, right)
	hit, wrong := matchSpans(gold.Times, found, func(x MarkedSpan) string { return x.Text })
	n := len(wrong)
	for _, h := range hit {
		if h {
			n++
		}
	}
	s.times.add(len(pairs), max(n, len(pairs)), len(gold.Times))
	for _, p := range pairs {
		s.values.add(right(laid[p.gold].MarkedSpan, found[p.found].MarkedSpan))
	}
}

func (s *extractScore) addFacts(gold, found *MarkedTurn) {
	g, f := make([]judgedFact, len(gold.Facts)), make([]judgedFact, len(found.Facts))
	for i := range gold.Facts {
		g[i] = judged(&gold.Facts[i], gold.Speaker)
	}
	for i := range found.Facts {
		f[i] = judged(&found.Facts[i], gold.Speaker)
	}
	right := make([]bool, len(f))
	matched := 0
	for i, j := range pairFacts(g, f) {
		hit := j >= 0
		n := 0
		if hit {
			n, right[j] = 1, true
			s.valid.add(g[i].from == f[j].from && g[i].to == f[j].to)
		}
		matched += n
		of(s.rels, g[i].rel).add(n, 0, 1)
		switch change := gold.Facts[i].Change; {
		case gold.Facts[i].Polarity == "-":
			s.negated.add(hit)
		case change == "end":
			s.ended.add(hit)
		case change == "correct":
			s.corrected.add(hit)
		}
	}
	s.facts.add(matched, len(f), len(g))
	for j := range f {
		of(s.rels, f[j].rel).add(0, 1, 0)
		bin := min(bins-1, max(0, int(found.Facts[j].Confidence*bins)))
		s.confidence[bin].add(right[j])
		s.confidences[bin] += int64(math.Round(float64(found.Facts[j].Confidence * 1e6)))
	}
}

func (s *extractScore) addCorefs(gold, found *MarkedTurn) {
	for _, g := range gold.Corefs {
		name := ""
		for _, f := range found.Corefs {
			if f.Start == g.Start {
				name = f.RefersTo
				break
			}
		}
		a, b := valueTokens(name), valueTokens(g.RefersTo)
		switch {
		case name == "":
			s.corefMissed++
		case plainValue(name) == plainValue(g.RefersTo) || edgeTokens(a, b) || edgeTokens(b, a):
			s.corefRight++
		default:
			s.corefWrong++
		}
	}
}

// confidenceOf gives the mean confidence of the facts of a bin.
func (s *extractScore) confidenceOf(bin int) float64 {
	return ratioOf(int(s.confidences[bin]), 1e6*s.confidence[bin].of, 0)
}

// addResult counts what the printed line does not tell: merges of names, times left open,
// and what became of the options that were asked. kinds are the types that the gold gives
// a name anywhere, by its normalised form.
func (s *extractScore) addResult(r *extract.Result, kinds map[string]map[string]bool) {
	for i := range r.Times {
		s.open.add(r.Times[i].Ambiguous)
	}
	for _, a := range r.Aliases {
		s.merges++
		x, y := kinds[analyze.NormalizeName(a.Name)], kinds[analyze.NormalizeName(a.Of)]
		switch {
		case len(x) == 0 || len(y) == 0:
			s.unjudged++
		case !meet(x, y):
			s.mergesWrong++
		}
	}
	if len(r.Answers) > 0 {
		fell := false
		for i := range r.Answers {
			fell = fell || r.Answers[i].FellBack()
		}
		s.asked.add(fell)
	}
}

// meet tells whether two sets have something in common.
func meet(a, b map[string]bool) bool {
	for k := range a {
		if b[k] {
			return true
		}
	}
	return false
}

// kindsOf gives the types that the gold gives each name, by its normalised form.
func kindsOf(gold []goldLine) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for i := range gold {
		for _, e := range gold[i].Entities {
			key := analyze.NormalizeName(e.Text)
			if out[key] == nil {
				out[key] = map[string]bool{}
			}
			out[key][strings.ToUpper(e.Type)] = true
		}
	}
	return out
}
