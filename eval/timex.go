package eval

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
)

// timexLine is one text of the time suites: Recognizers-Text (expect has spans),
// Duckling (expr) and JioNLP (base_unix, expect has times).
type timexLine struct {
	ID      string         `json:"id"`
	Lang    string         `json:"lang"`
	Text    string         `json:"text"`
	Ref     string         `json:"ref"`
	Kind    string         `json:"kind"`
	Expr    string         `json:"expr"`
	Expect  jsontext.Value `json:"expect"`
	Base    jsontext.Value `json:"base_unix"`
	Group   string         `json:"group"`
	Holiday bool           `json:"holiday"`

	raw []byte
}

// suite names the suite that a text belongs to, holidays apart.
func (l *timexLine) suite() string {
	lang, _, _ := strings.Cut(l.Lang, "-")
	s := lang + " " + l.Group
	if l.Holiday || strings.Contains(l.Kind, "Holiday") {
		s += "-holiday"
	}
	return s
}

// TimexScore is how the texts of one suite came out.
type TimexScore struct {
	// Suite is "en recognizers" and the like, or "en all" and "zh all", which leave
	// holidays out.
	Suite string
	// Texts were read, Negatives of them have no expression. Gold expressions are
	// expected; for Covered of them something was found, for Right the right value.
	Texts, Negatives, Gold, Covered, Right int
	// Clean counts the negatives in which nothing was found.
	Clean int
}

// Value is the share of gold expressions with the right value.
func (s *TimexScore) Value() float64 { return ratio(s.Right, s.Gold) }

// Coverage is the share of gold expressions with any value.
func (s *TimexScore) Coverage() float64 { return ratio(s.Covered, s.Gold) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// TimexSummary is what a run over the time suites measured.
type TimexSummary struct {
	// Scores are in the order of their names.
	Scores []TimexScore
	// Unusable counts texts whose expectation says nothing.
	Unusable int
}

// Score gives the figures of a suite; ok is false where the data has none of it.
func (s *TimexSummary) Score(suite string) (TimexScore, bool) {
	for _, x := range s.Scores {
		if x.Suite == suite {
			return x, true
		}
	}
	return TimexScore{}, false
}

// TimexOptions are what a run over the time suites needs.
type TimexOptions struct {
	// Pipeline reads the texts, each as a turn of its own.
	Pipeline *extract.Pipeline
	// MaxLine bounds a line, in bytes; 0 is 1 MiB.
	MaxLine  int
	Manifest ManifestOptions
}

// RunTimex reads the texts of the time suites and writes into a folder per suite
// what share of the expected expressions got the right value, and which were
// found and missed: metrics.csv, found.csv, missed.csv, summary.md and
// manifest.json. Right is as the suites' scorer has it: the prediction denotes
// what the gold denotes.
func RunTimex(ctx context.Context, data *Data, out string, opt TimexOptions) (TimexSummary, error) {
	dir, err := newFolder(out)
	if err != nil {
		return TimexSummary{}, err
	}
	defer dir.discard()
	found, err := dir.create("found.csv")
	if err != nil {
		return TimexSummary{}, err
	}
	missed, err := dir.create("missed.csv")
	if err != nil {
		return TimexSummary{}, err
	}
	t := timexRun{opt: &opt, found: found, missed: missed, scores: map[string]*TimexScore{}}
	record(found, "suite", "id", "text", "value")
	record(missed, "suite", "id", "text", "got")
	if err := t.read(ctx, data); err != nil {
		return TimexSummary{}, err
	}
	sum := TimexSummary{Unusable: t.unusable}
	for _, s := range t.scores {
		sum.Scores = append(sum.Scores, *s)
	}
	slices.SortFunc(sum.Scores, func(a, b TimexScore) int { return strings.Compare(a.Suite, b.Suite) })
	if err := writeTimex(dir, &sum, &opt); err != nil {
		return TimexSummary{}, err
	}
	return sum, dir.publish()
}

// timexRun is a run at work.
type timexRun struct {
	opt           *TimexOptions
	found, missed *outFile
	scores        map[string]*TimexScore
	unusable      int
}

// read walks the lines.
func (t *timexRun) read(ctx context.Context, data *Data) error {
	limit := t.opt.MaxLine
	if limit == 0 {
		limit = 1 << 20
	}
	sc := bufio.NewScanner(data)
	sc.Buffer(make([]byte, 0, 64<<10), limit)
	n := 0
	for sc.Scan() {
		n++
		if err := ctx.Err(); err != nil {
			return err
		}
		line := bytes.TrimSpace(sc.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := t.text(line); err != nil {
			return fmt.Errorf("eval: %s: line %d: %w", data.name, n, err)
		}
	}
	switch err := sc.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("eval: %s: line %d: %w: longer than %d bytes", data.name, n+1, dsl.ErrInvalid, limit)
	case err != nil && err != io.EOF:
		return fmt.Errorf("eval: %s: line %d: %w", data.name, n+1, err)
	}
	if n == 0 {
		return fmt.Errorf("eval: %s: %w: no lines; expected one JSON object a line with id, lang, text and group", data.name, dsl.ErrInvalid)
	}
	return nil
}

// text measures one line.
func (t *timexRun) text(line []byte) error {
	l := timexLine{raw: line}
	if err := json.Unmarshal(line, &l, json.MatchCaseInsensitiveNames(true)); err != nil {
		return fmt.Errorf("%w: the line is not a text of the time suites: %v", dsl.ErrInvalid, err)
	}
	if l.ID == "" || l.Text == "" || l.Lang == "" {
		return fmt.Errorf("%w: text %q: id, lang or text is missing or empty", dsl.ErrInvalid, l.ID)
	}
	gold, ref, err := l.gold()
	if err != nil {
		return fmt.Errorf("text %q: %w", l.ID, err)
	}
	if gold == nil {
		t.unusable++
		return nil
	}
	b, err := t.opt.Pipeline.ExtractLine(l.raw, "")
	if err != nil {
		return err
	}
	var got struct{ Times []timexFound }
	if err := json.Unmarshal(b, &got, json.MatchCaseInsensitiveNames(true)); err != nil {
		return fmt.Errorf("text %q: %w", l.ID, err)
	}
	t.score(&l, gold, got.Times, ref)
	return nil
}

// timexFound is an expression as the extractor prints it, offsets in code points.
type timexFound struct {
	Text  string  `json:"text"`
	Start int     `json:"start"`
	End   int     `json:"end"`
	Value string  `json:"value"`
	From  *string `json:"from"`
	To    *string `json:"to"`
}

// score counts one text.
func (t *timexRun) score(l *timexLine, gold []timexGold, got []timexFound, ref time.Time) {
	names := []string{l.suite()}
	if lang, _, _ := strings.Cut(l.Lang, "-"); !strings.HasSuffix(names[0], "-holiday") {
		names = append(names, lang+" all")
	}
	add := func(f func(*TimexScore)) {
		for _, n := range names {
			if t.scores[n] == nil {
				t.scores[n] = &TimexScore{Suite: n}
			}
			f(t.scores[n])
		}
	}
	add(func(s *TimexScore) {
		s.Texts++
		if len(gold) == 0 {
			s.Negatives++
			if len(got) == 0 {
				s.Clean++
			}
		}
	})
	used := make([]bool, len(got))
	values := func() string {
		var out []string
		for i := range got {
			out = append(out, got[i].Text+" = "+got[i].Value)
		}
		return strings.Join(out, "; ")
	}
	for i := range gold {
		g := &gold[i]
		best, right := -1, false
		for k := range got {
			p := &got[k]
			if used[k] || min(g.end, p.End) <= max(g.start, p.Start) {
				continue
			}
			if ok := g.holds(p, ref); best < 0 || ok && !right {
				best, right = k, ok
			}
		}
		add(func(s *TimexScore) {
			s.Gold++
			if best >= 0 {
				s.Covered++
			}
			if right {
				s.Right++
			}
		})
		text := string([]rune(l.Text)[g.start:g.end])
		if best >= 0 {
			used[best] = true
		}
		if right {
			record(t.found, names[0], l.ID, text, got[best].Value)
			continue
		}
		record(t.missed, names[0], l.ID, text, values())
	}
}

// writeTimex writes the figures.
func writeTimex(dir *folder, sum *TimexSummary, opt *TimexOptions) error {
	info, err := opt.Manifest.dataInfo()
	if err != nil {
		return err
	}
	metrics, err := dir.create("metrics.csv")
	if err != nil {
		return err
	}
	page, err := dir.create("summary.md")
	if err != nil {
		return err
	}
	record(metrics, "metric", "category", "n", "value")
	fmt.Fprintf(page, "# Time suites\n\n%s\n\n| suite | texts | expressions | value right | coverage | negatives clean |\n|---|---|---|---|---|---|\n", timexMeans)
	counts := map[string]int{"unusable": sum.Unusable}
	for i := range sum.Scores {
		s := &sum.Scores[i]
		record(metrics, "value_right", s.Suite, strconv.Itoa(s.Gold), number(s.Value()))
		record(metrics, "coverage", s.Suite, strconv.Itoa(s.Gold), number(s.Coverage()))
		record(metrics, "negatives_clean", s.Suite, strconv.Itoa(s.Negatives), number(ratio(s.Clean, s.Negatives)))
		fmt.Fprintf(page, "| %s | %d | %d | %.3f | %.3f | %d/%d |\n", s.Suite, s.Texts, s.Gold, s.Value(), s.Coverage(), s.Clean, s.Negatives)
		if !strings.HasSuffix(s.Suite, " all") {
			counts["texts"] += s.Texts
			counts["expressions"] += s.Gold
		}
	}
	fmt.Fprintf(page, "\n%d texts have no usable expectation.\n", sum.Unusable)
	return writeRunManifest(dir, "timex", &opt.Manifest, info, counts)
}

// timexMeans says how the table is to be read.
const timexMeans = "Value right: of the expressions that a suite expects, those for which what was found on the spot denotes the same time. " +
	"Coverage: those for which anything was found there. The rows \"all\" leave holidays out."
