package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/eval"
	"github.com/asof-db/asof/retrieval"
)

// corpus is one LoCoMo conversation as workload W2: a document a turn, and the
// questions that it answers.
type corpus struct {
	dir     string
	conv    eval.Conversation
	queries []textQuery
}

type textDoc struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

type textQuery struct {
	Text string `json:"text"`
	Gold []int  `json:"gold"`
}

// asOfTimes is how many prefixes of a corpus are asked, as the peers' drivers do.
const asOfTimes = 5

// compareText puts asof and full-text peers through the same LoCoMo questions:
// recall, latency, and how often the top 10 as of a time is not that of an index
// of the prefix alone.
func compareText(out io.Writer) error {
	shared := os.Getenv("ASOF_SHARED")
	if shared == "" {
		shared = "../shared"
	}
	data := filepath.Join(shared, "data", "locomo", "locomo.dev.json")
	if _, err := os.Stat(data); err != nil {
		skip("all", err)
		return nil
	}
	work, err := os.MkdirTemp("", "asof-text-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	corpora, err := makeCorpora(data, work)
	if err != nil {
		return err
	}
	raw, err := rawFile()
	if err != nil {
		return err
	}
	defer raw.Close()
	drivers := textPeers(filepath.Join(shared, "bench"), work)
	t := &textTable{}
	for _, c := range corpora {
		fmt.Fprintln(os.Stderr, "asof", filepath.Base(c.dir))
		res, err := ownText(context.Background(), c)
		if err != nil {
			return err
		}
		if err := errors.Join(t.add("asof", res), json.NewEncoder(raw).Encode(res)); err != nil {
			return err
		}
		for _, d := range drivers {
			fmt.Fprintln(os.Stderr, d.name, filepath.Base(c.dir))
			res, err := d.run(c.dir, filepath.Join(work, "scratch-"+d.name))
			if err != nil {
				skip(d.name, err)
				continue
			}
			if err := errors.Join(t.add(d.name, res), json.NewEncoder(raw).Encode(res)); err != nil {
				return err
			}
		}
	}
	if err := t.print(out); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "raw results in", raw.Name())
	return err
}

// makeCorpora lays the conversations out as the peers read them.
func makeCorpora(data, work string) ([]*corpus, error) {
	d, err := eval.OpenData(data)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var all []*corpus
	for conv, err := range eval.ReadLoCoMo(d, d.Name()) {
		if err != nil {
			return nil, err
		}
		c := &corpus{dir: filepath.Join(work, fmt.Sprint("locomo-", len(all))), conv: conv}
		place := map[string]int{}
		var docs []textDoc
		for i, t := range conv.Turns {
			place[t.ID] = i
			text := t.Speaker.String() + ": " + t.Text.String()
			for _, a := range t.Attachments {
				text += " " + a.Text.String()
			}
			docs = append(docs, textDoc{i, text})
		}
		for _, q := range conv.Questions {
			if q.Category == 5 {
				continue
			}
			x := textQuery{Text: q.Text, Gold: []int{}}
			for _, id := range q.Evidence {
				x.Gold = append(x.Gold, place[id])
			}
			c.queries = append(c.queries, x)
		}
		if err := errors.Join(os.MkdirAll(c.dir, 0o777), writeLines(filepath.Join(c.dir, "docs.jsonl"), docs), writeLines(filepath.Join(c.dir, "queries.jsonl"), c.queries)); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func writeLines[T any](path string, all []T) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, x := range all {
		if err := e.Encode(x); err != nil {
			return err
		}
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// textPeer is the driver of one peer.
type textPeer struct {
	name string
	args []string
}

// textPeers finds the drivers that can run here; what cannot be had is skipped
// with a line that says so.
func textPeers(shared, work string) []textPeer {
	var all []textPeer
	py := os.Getenv("ASOF_PYTHON")
	if py == "" {
		py = "python3"
	}
	script := filepath.Join(shared, "text", "peers.py")
	for peer, module := range map[string]string{"bm25s": "bm25s", "tantivy": "tantivy", "fts5": "sqlite3"} {
		if out, err := exec.Command(py, "-c", "import "+module).CombinedOutput(); err != nil {
			skip(peer, fmt.Errorf("%s has no %s (%w: %s); ASOF_PYTHON names another interpreter", py, module, err, lastLine(out)))
			continue
		}
		all = append(all, textPeer{peer, []string{py, script, peer}})
	}
	slices.SortFunc(all, func(a, b textPeer) int { return strings.Compare(a.name, b.name) })
	driver := filepath.Join(work, "bleve")
	build := exec.Command("go", "build", "-o", driver, "./text/bleve")
	build.Dir = shared
	if out, err := build.CombinedOutput(); err != nil {
		skip("bleve", fmt.Errorf("%w: %s", err, lastLine(out)))
		return all
	}
	return append(all, textPeer{"bleve", []string{driver}})
}

func lastLine(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return lines[len(lines)-1]
}

func (p textPeer) run(corpus, scratch string) (result, error) {
	args := append(slices.Clone(p.args[1:]), corpus, scratch)
	if p.name == "bleve" {
		args = []string{"-corpus", corpus, "-dir", scratch}
	}
	var out, faults bytes.Buffer
	cmd := exec.Command(p.args[0], args...)
	cmd.Stdout, cmd.Stderr = &out, &faults
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, lastLine(faults.Bytes()))
	}
	res := result{}
	return res, json.Unmarshal(out.Bytes(), &res)
}

// ownText is asof on one corpus, with the figures that the peers' drivers give.
func ownText(ctx context.Context, c *corpus) (result, error) {
	start := time.Now()
	db, err := memoryOf(ctx, c.conv.Space, c.conv.Turns)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	docs := len(c.conv.Turns)
	res := result{"peer": "asof", "corpus": filepath.Base(c.dir), "docs": docs, "docs_per_s": math.Round(float64(docs) / time.Since(start).Seconds()), "queries": len(c.queries)}
	v, err := db.View(c.conv.Space, asof.At{})
	if err != nil {
		return nil, err
	}
	defer v.Close()
	var took []time.Duration
	recall, gold := 0.0, 0
	for range 2 { // the first pass warms
		took, recall, gold = nil, 0, 0
		for _, q := range c.queries {
			t0 := time.Now()
			hits, err := topTen(ctx, v, q.Text)
			took = append(took, time.Since(t0))
			if err != nil {
				return nil, err
			}
			if len(q.Gold) == 0 {
				continue
			}
			found := 0
			for _, g := range q.Gold {
				if slices.ContainsFunc(hits, func(h retrieval.Hit) bool { return h.ID == c.conv.Turns[g].ID }) {
					found++
				}
			}
			recall, gold = recall+float64(found)/float64(len(q.Gold)), gold+1
		}
	}
	slices.Sort(took)
	res["p50_us"], res["p95_us"] = float64(took[len(took)/2].Microseconds()), float64(took[len(took)*95/100].Microseconds())
	res["recall_at_10"], res["with_gold"] = recall/float64(gold), float64(gold)
	return res, ownAsOf(ctx, db, c, res)
}

// ownAsOf asks the memory as of prefixes, and memories that hold nothing else.
func ownAsOf(ctx context.Context, db *asof.DB, c *corpus, res result) error {
	var took []time.Duration
	order, set, scores := 0, 0, 0
	for step := 1; step <= asOfTimes; step++ {
		before := len(c.conv.Turns) * step / (asOfTimes + 1)
		part, err := memoryOf(ctx, c.conv.Space, c.conv.Turns[:before])
		if err != nil {
			return err
		}
		err = func() error {
			want, err := part.View(c.conv.Space, asof.At{})
			if err != nil {
				return err
			}
			defer want.Close()
			got, err := db.View(c.conv.Space, asof.AtSeq(want.Basis().Seq))
			if err != nil {
				return err
			}
			defer got.Close()
			for _, q := range c.queries {
				t0 := time.Now()
				a, err1 := topTen(ctx, got, q.Text)
				took = append(took, time.Since(t0))
				b, err2 := topTen(ctx, want, q.Text)
				if err := errors.Join(err1, err2); err != nil {
					return err
				}
				x, y := hitIDs(a), hitIDs(b)
				if !slices.Equal(x, y) {
					order++
				}
				if !slices.EqualFunc(a, b, func(g, h retrieval.Hit) bool { return g.Score == h.Score }) {
					scores++
				}
				slices.Sort(x)
				slices.Sort(y)
				if !slices.Equal(x, y) {
					set++
				}
			}
			return nil
		}()
		if err = errors.Join(err, part.Close()); err != nil {
			return err
		}
	}
	slices.Sort(took)
	n := float64(len(took))
	res["asof_filter_p50_us"] = float64(took[len(took)/2].Microseconds())
	res["asof_order_differs"], res["asof_set_differs"], res["asof_scores_differ"] = float64(order)/n, float64(set)/n, float64(scores)/n
	return nil
}

func hitIDs(hits []retrieval.Hit) []string {
	out := make([]string, len(hits))
	for i := range hits {
		out[i] = hits[i].ID
	}
	return out
}

func topTen(ctx context.Context, v *asof.View, text string) ([]retrieval.Hit, error) {
	r, err := v.Search(ctx, asof.SearchQuery{Text: text, K: 10, Kinds: []retrieval.Kind{retrieval.Turn}})
	return r.Hits, err
}

func memoryOf(ctx context.Context, space string, turns []dsl.Turn) (*asof.DB, error) {
	db, err := asof.Open(ctx, asof.Options{Ledger: ledger.NewMemory(1)})
	if err != nil {
		return nil, err
	}
	items := make([]asof.Item, len(turns))
	for i := range turns {
		items[i] = asof.Item{Space: space, Turn: &turns[i]}
	}
	if _, err := db.Ingest(ctx, items); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// textTable gathers the figures of every peer over the corpora.
type textTable struct {
	order []string
	rows  map[string]*textRow
}

// textRow sums what a peer gave: recall weighed by questions with gold, the rest
// by questions.
type textRow struct {
	corpora                              int
	gold, recall, queries                float64
	set, order, scores, p50, p95, filter float64
}

func (t *textTable) add(peer string, res result) error {
	if t.rows == nil {
		t.rows = map[string]*textRow{}
	}
	if t.rows[peer] == nil {
		t.order, t.rows[peer] = append(t.order, peer), &textRow{}
	}
	r := t.rows[peer]
	at := func(name string) float64 {
		switch v := res[name].(type) {
		case float64:
			return v
		case int:
			return float64(v)
		}
		return math.NaN()
	}
	n := at("queries")
	r.corpora++
	r.queries, r.gold = r.queries+n, r.gold+at("with_gold")
	r.recall += float64(at("recall_at_10") * at("with_gold"))
	r.order, r.set, r.scores = r.order+float64(n*at("asof_order_differs")), r.set+float64(n*at("asof_set_differs")), r.scores+float64(n*at("asof_scores_differ"))
	r.p50, r.p95, r.filter = r.p50+at("p50_us"), max(r.p95, at("p95_us")), r.filter+at("asof_filter_p50_us")
	if math.IsNaN(r.recall + r.order + r.set + r.scores + r.p50 + r.p95 + r.filter) {
		return fmt.Errorf("%s: a figure is missing: %v", peer, res)
	}
	return nil
}

func (t *textTable) print(out io.Writer) error {
	fmt.Fprintf(out, "LoCoMo dev, categories 1-4, a document a turn; as of %d times, against an index of the prefix alone: share of questions whose top 10 differs\n", asOfTimes)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "peer\trecall@10\tp50 µs (mean)\tp95 µs (worst)\tas-of p50 µs\tset differs\torder differs\tscores differ\t")
	for _, name := range t.order {
		r := t.rows[name]
		k := float64(r.corpora)
		fmt.Fprintf(w, "%s\t%.4f\t%.0f\t%.0f\t%.0f\t%.4f\t%.4f\t%.4f\t\n", name, r.recall/r.gold, r.p50/k, r.p95, r.filter/k, r.set/r.queries, r.order/r.queries, r.scores/r.queries)
	}
	return w.Flush()
}
