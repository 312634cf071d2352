package eval

import (
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/kljensen/snowball/english"

	"fmt"

	"github.com/asof-db/asof/retrieval/reader"
)

// rubric is how answers of a data set are compared with the gold ones.
type rubric struct {
	// stems tells that words are compared by their stems, dropAnd that "and" is no
	// word, as LoCoMo's own scoring has both.
	stems, dropAnd bool
	// parts are the categories whose gold answer is a list, at commas: each part
	// counts by what of the answer's parts fits it best. first are those of which
	// only what stands before a semicolon counts.
	parts, first string
}

// answerMetrics are means over questions that have a gold answer in the memory.
var answerMetrics = []string{"answer_em", "answer_f1", "answer_abstained"}

// answersOf is what a run measured of answers.
type answersOf struct {
	file  *outFile
	means means
	// abstained counts abstentions, right those of questions that have no answer,
	// absent these questions.
	abstained, right, absent int
}

// answerLine is one line of answers.jsonl; gold is a text, or a list where the data
// set has several.
type answerLine struct {
	QID       string   `json:"qid"`
	Answer    string   `json:"answer"`
	Abstained bool     `json:"abstained"`
	Gold      any      `json:"gold"`
	EM        float64  `json:"em"`
	F1        float64  `json:"f1"`
	Category  string   `json:"category"`
	Reason    string   `json:"reason,omitempty"`
	Evidence  []string `json:"evidence_id"`
}

// recordAnswer writes the line of one answer and scores it. A question without an
// answer in the memory is answered rightly by an abstention alone.
func (r *run) recordAnswer(q *posed, a *reader.Answer) error {
	if a == nil {
		return nil
	}
	of := &r.answers
	if of.file == nil {
		var err error
		if of.file, err = r.dir.create("answers.jsonl"); err != nil {
			return err
		}
	}
	line := answerLine{QID: q.qid, Answer: a.Text, Abstained: a.Abstained, Category: q.category, Reason: string(a.Reason), Evidence: a.Evidence, Gold: q.answers}
	if len(q.answers) == 1 {
		line.Gold = q.answers[0]
	} else if len(q.answers) == 0 {
		line.Gold = ""
	}
	if a.Abstained {
		of.abstained++
	}
	switch {
	case q.absent:
		of.absent++
		if a.Abstained {
			of.right++
			line.EM, line.F1 = 1, 1
		}
	case len(q.answers) > 0:
		if !a.Abstained {
			line.EM, line.F1 = r.suite.rubric.score(a.Text, q.answers, q.category)
		}
		abstained := 0.0
		if a.Abstained {
			abstained = 1
		}
		of.means.add(q.category, []float64{line.EM, line.F1, abstained})
	}
	b, err := json.Marshal(line, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("eval: answer of question %s: %w", q.qid, err)
	}
	of.file.Write(append(b, '\n')) // A failed write sticks in the buffer and comes back at seal.
	return nil
}

// rows gives the means of answers and, over all questions, how many of the
// abstentions were right and how many of the questions without an answer got one.
func (of *answersOf) rows() []Row {
	out := of.means.rows(answerMetrics)
	if of.abstained > 0 {
		out = append(out, Row{"abstention_precision", "all", of.abstained, float64(of.right) / float64(of.abstained)})
	}
	if of.absent > 0 {
		out = append(out, Row{"abstention_recall", "all", of.absent, float64(of.right) / float64(of.absent)})
	}
	return out
}

// score gives exact match and token F1 of an answer against gold answers, the best
// over them, each in [0, 1].
func (b *rubric) score(answer string, gold []string, category string) (em, f1 float64) {
	for _, g := range gold {
		if category == b.first {
			g, _, _ = strings.Cut(g, ";")
		}
		if slices.Equal(b.words(answer), b.words(g)) {
			em = 1
		}
		if category == b.parts && b.parts != "" {
			f1 = max(f1, b.listF1(answer, g))
			continue
		}
		f1 = max(f1, tokenF1(b.words(answer), b.words(g)))
	}
	return em, f1
}

// listF1 is the mean over the parts of the gold answer of the best F1 that a part
// of the answer has.
func (b *rubric) listF1(answer, gold string) float64 {
	split := func(s string) []string {
		return strings.FieldsFunc(s, func(c rune) bool { return c == ',' || c == '，' || c == '、' })
	}
	sum, parts := 0.0, split(gold)
	for _, g := range parts {
		best := 0.0
		for _, a := range split(answer) {
			best = max(best, tokenF1(b.words(a), b.words(g)))
		}
		sum += best
	}
	if len(parts) == 0 {
		return 0
	}
	return sum / float64(len(parts))
}

// tokenF1 is the harmonic mean of the shares of words that two answers have in
// common, repeats counted: 2PR / (P + R).
func tokenF1(answer, gold []string) float64 {
	left := map[string]int{}
	for _, w := range gold {
		left[w]++
	}
	common := 0
	for _, w := range answer {
		if left[w] > 0 {
			left[w]--
			common++
		}
	}
	if common == 0 {
		return 0
	}
	p, r := float64(common)/float64(len(answer)), float64(common)/float64(len(gold))
	return 2 * p * r / (p + r)
}

// words are what answers are compared by: small letters without punctuation and
// articles, each Chinese character a word.
func (b *rubric) words(s string) (out []string) {
	flush := func(w []rune) []rune {
		word := string(w)
		switch {
		case word == "" || word == "a" || word == "an" || word == "the" || b.dropAnd && word == "and":
		case b.stems:
			out = append(out, english.Stem(word, false))
		default:
			out = append(out, word)
		}
		return w[:0]
	}
	var w []rune
	for _, c := range strings.ToLower(s) {
		switch {
		case unicode.Is(unicode.Han, c):
			w = flush(w)
			out = append(out, string(c))
		case unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c):
			w = append(w, c)
		case unicode.IsSpace(c):
			w = flush(w)
		}
		// Punctuation is dropped where it stands: "don't" is "dont", "8:30" is "830".
	}
	flush(w)
	return out
}
