package eval

import (
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// newRun opens the files that grow with the questions.
func newRun(dir *folder, suite *suite, opt RunOptions) (*run, error) {
	r := &run{suite: suite, opt: opt, dir: dir, means: newMeans(suite.groups)}
	r.Dataset, r.Memory, r.Shown, r.headline, r.main = suite.dataset, suite.memory, suite.shown, suite.headline, suite.main
	for _, f := range []struct {
		file **outFile
		name string
	}{
		{&r.trec, "run.trec"}, {&r.qrels, "qrels.trec"}, {&r.questions, "questions.csv"}, {&r.latency, "latency.csv"},
	} {
		var err error
		if *f.file, err = dir.create(f.name); err != nil {
			return nil, err
		}
	}
	r.packs.means, r.answers.means = newMeans(suite.groups), newMeans(suite.groups)
	record(r.questions, append([]string{"qid", "category", "n_gold"}, MetricNames()...)...)
	record(r.latency, "qid", "milliseconds", "cpu_milliseconds")
	return r, nil
}

// record writes one CSV line. A failed write sticks in the file's buffer.
func record(o *outFile, fields ...string) {
	w := csv.NewWriter(o)
	_ = w.Write(fields)
	w.Flush()
}

// number is the shortest text that reads back as the same float64.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// writeQuestion writes the lines of one question; without gold its metrics are
// empty, not 0.
func (r *run) writeQuestion(q *posed, hits []Hit, scores []float64) {
	writeRun(r.trec, q.qid, hits, r.opt.Tag)
	for _, id := range q.gold {
		fmt.Fprintf(r.qrels, "%s 0 %s 1\n", q.qid, id)
	}
	line := []string{q.qid, q.category, strconv.Itoa(len(q.gold))}
	for i := range MetricNames() {
		v := ""
		if scores != nil {
			v = number(scores[i])
		}
		line = append(line, v)
	}
	record(r.questions, line...)
}

// writeRun writes the lines of one ranking.
func writeRun(o *outFile, qid string, hits []Hit, tag string) {
	for i, h := range hits {
		fmt.Fprintf(o, "%s Q0 %s %d %s %s\n", qid, h.ID, i+1, number(h.Score), tag)
	}
}

func (r *run) writeLatency(qid string, took latency) {
	record(r.latency, qid, milliseconds(took.wall), milliseconds(took.cpu))
}

func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 3, 64)
}

// writeMetrics writes metrics.csv: one line a metric and category.
func (r *run) writeMetrics() error {
	o, err := r.dir.create("metrics.csv")
	if err != nil {
		return err
	}
	record(o, "metric", "category", "n", "value")
	for _, row := range r.Rows {
		record(o, row.Metric, row.Category, strconv.Itoa(row.N), number(row.Value))
	}
	return nil
}

// maxListed bounds the list of dropped evidence in summary.md.
const maxListed = 50

// writeSummary writes summary.md, the page for people.
func (r *run) writeSummary(info *DataInfo) error {
	o, err := r.dir.create("summary.md")
	if err != nil {
		return err
	}
	fmt.Fprintf(o, "# %s retrieval: %s\n\n", r.suite.title, r.opt.Tag)
	if info != nil {
		fmt.Fprintf(o, "Data: `%s`, SHA-256 `%s`.\n", info.Name, info.SHA256)
	}
	fmt.Fprintf(o, "%d %s, %d turns, %d questions, of which %d have evidence and are scored. %d %s asked for per question.\n\n",
		r.Conversations, r.suite.memories, r.Turns, r.Questions, r.Scored, r.opt.Depth, r.suite.unit)

	if r.opt.Sample > 0 && r.opt.Sample < 1 {
		fmt.Fprintf(o, "Only a sample of the questions was asked: each with a chance of %v, seed %d.\n\n", r.opt.Sample, r.opt.Seed)
	}
	fmt.Fprintf(o, "| category | n | %s |\n|---|---:|%s\n", strings.Join(r.suite.shown, " | "), strings.Repeat("---:|", len(r.suite.shown)))
	for g, c := range r.suite.groups {
		if r.means.n[g] == 0 {
			continue
		}
		fmt.Fprintf(o, "| %s | %d |", c.title, r.means.n[g])
		for _, m := range r.suite.shown {
			v, _ := r.Value(m, c.name)
			fmt.Fprintf(o, " %.4f |", v)
		}
		fmt.Fprintln(o)
	}
	fmt.Fprintf(o, `
Means over the questions with evidence; definitions in eval/METRICS.md, every metric in metrics.csv, every question in questions.csv. %s

- Evidence: ids of %s kept %d, strings repaired %d, pieces dropped %d.
- Questions with fewer than %d hits where there are as many %s: %d.
- Scored questions with a figure that trec_eval would change, because it orders equal scores (in single precision) by falling id while these figures follow the rank column: %d.
`, r.suite.closing, r.suite.unit, r.Evidence, r.Repaired, len(r.Dropped), minDepth, r.suite.unit, r.Shallow, r.TieSensitive)
	if share, ok := r.Value("pack_evidence", r.suite.main); ok {
		all, _ := r.Value("pack_all", r.suite.main)
		tokens, _ := r.Value("pack_tokens", r.suite.main)
		fmt.Fprintf(o, "- Evidence packs (packs.jsonl), %s: share of the gold turns inside %.4f, all of them inside %.4f, %.1f tokens on average.\n", r.suite.main, share, all, tokens)
	}
	if len(r.Dropped) > 0 {
		fmt.Fprintf(o, "\nDropped evidence:\n\n")
		for _, d := range r.Dropped[:min(len(r.Dropped), maxListed)] {
			fmt.Fprintf(o, "- %s: %s, %s\n", d.QID, strconv.Quote(shorten(d.Text)), d.Reason)
		}
		if more := len(r.Dropped) - maxListed; more > 0 {
			fmt.Fprintf(o, "- and %d more\n", more)
		}
	}
	for _, s := range r.studies {
		s.summary(o)
	}
	r.summaryC(o)
	return nil
}

// spaceInfo is what the manifest says about one space.
type spaceInfo struct {
	Space     string `json:"space"`
	Turns     int    `json:"turns"`
	Questions int    `json:"questions"`
	// Basis are the distinct bases that answers named, in the order met: one,
	// unless the store changed during the run.
	Basis []string `json:"basis"`
}

// manifest is manifest.json.
type manifest struct {
	Dataset       string            `json:"dataset"`
	Data          *DataInfo         `json:"data"`
	Command       string            `json:"command"`
	Tag           string            `json:"tag"`
	Depth         int               `json:"depth"`
	Config        map[string]any    `json:"config"`
	Versions      map[string]string `json:"versions"`
	Conversations int               `json:"conversations"`
	Turns         int               `json:"turns"`
	Questions     int               `json:"questions"`
	Scored        int               `json:"scored"`
	Evidence      manifestEvidence  `json:"evidence"`
	Shallow       int               `json:"shallow"`
	TieSensitive  int               `json:"tie_sensitive"`
	Spaces        []spaceInfo       `json:"spaces"`
	// Files are the SHA-256 of the other files that two runs must agree on.
	Files map[string]string `json:"files"`
}

type manifestEvidence struct {
	Kept     int `json:"kept"`
	Repaired int `json:"repaired"`
	Dropped  int `json:"dropped"`
}

// writeManifest writes manifest.json. It is the last file to get its name, so a
// manifest whose hashes fit belongs to a folder that is whole.
func (r *run) writeManifest(info *DataInfo) error {
	files, err := sealed(r.dir)
	if err != nil {
		return err
	}
	return writeJSON(r.dir, "manifest.json", manifest{
		Dataset: r.suite.dataset, Data: info, Command: r.opt.Command, Tag: r.opt.Tag, Depth: r.opt.Depth,
		Config: r.opt.Config, Versions: r.opt.Versions,
		Conversations: r.Conversations, Turns: r.Turns, Questions: r.Questions, Scored: r.Scored,
		Evidence: manifestEvidence{r.Evidence, r.Repaired, len(r.Dropped)},
		Shallow:  r.Shallow, TieSensitive: r.TieSensitive, Spaces: r.spaces,
		Files: files,
	})
}

// CommandLine gives a command line without folders, so that it is the same
// wherever it ran: the values of the named flags (such as "--out") become "…",
// and of every other word only what follows the last slash is kept. Words with
// white space or quotes in them are quoted.
func CommandLine(args []string, folderFlags ...string) string {
	var words []string
	hide := false
	for _, a := range args {
		flag, value, hasValue := strings.Cut(a, "=")
		switch {
		case hide:
			a, hide = "…", false
		case slices.Contains(folderFlags, a):
			hide = true
		case hasValue && slices.Contains(folderFlags, flag):
			a = flag + "=…"
		case hasValue && strings.HasPrefix(flag, "-"):
			a = flag + "=" + baseName(value)
		default:
			a = baseName(a)
		}
		if a == "" || strings.ContainsAny(a, " \t\n\r\"'") {
			a = strconv.Quote(a)
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// baseName is a word without folders; a word that does not look like a path
// stays as it is.
func baseName(s string) string {
	if !strings.ContainsRune(s, filepath.Separator) {
		return s
	}
	return filepath.Base(s)
}
