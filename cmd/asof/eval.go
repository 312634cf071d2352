package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/eval"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

const evalLong = `Measures on a data set in its official form, and writes the results into --out.

  locomo      retrieval: takes each conversation in and asks its questions at the
              head; run.trec, qrels.trec, packs.jsonl, questions.csv, metrics.csv
  assimilate  what assimilation and layer 2 make of the turns: decisions by kind
              (Table B), invariant I7, events, tokens written a session, and what
              becomes of values that the data set says are updated or deleted;
              table_b.csv, rules.csv, sessions.csv, funnel.csv, metrics.csv,
              latency.csv, with --ablations ablation.csv
  leak        takes each conversation in with an adversary's tricks between its
              turns (late and edited turns, corrections, merges of names and of
              events), asks at random positions on the way, and asks the whole log
              about the same positions again; probes.csv, metrics.csv. What differs
              is a leak, and the exit status is 1

Each also writes summary.md and manifest.json. Two runs give the same bytes but
for latency.csv.

FILE is a LoCoMo file or, for assimilate and leak, a Memora one: --format says
which if its start does not. The conversations go into a memory that is not kept; locomo takes that
of --dir if it is given. longmemeval, memora and memdaily are not available yet.`

// evalFlags are the flags of eval.
type evalFlags struct {
	out, format string
	run         eval.RunOptions
	ablations   bool
	probes      int
	seed        uint64
}

func (a *app) evalCommand() *cobra.Command {
	var fl evalFlags
	cmd := &cobra.Command{
		Use:   "eval DATASET FILE --out DIR",
		Short: "Measure on a data set",
		Long:  evalLong,
		Example: "  asof eval locomo locomo10.json --out results/locomo\n" +
			"  asof eval assimilate memora_weekly.tar.zst --out results/memora\n" +
			"  asof eval leak locomo10.json --out results/leak --probes 10000 --seed 1",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if fl.out == "" {
				return wrongUsage("--out has to name a folder for the results")
			}
			switch args[0] {
			case "locomo":
				if fl.run.Depth < 50 {
					return wrongUsage("--depth %d: the deepest metric looks at 50", fl.run.Depth)
				}
				return a.evalLoCoMo(cmd.Context(), args[1], fl.out, fl.run)
			case "assimilate":
				return a.evalAssimilate(cmd.Context(), args[1], &fl)
			case "leak":
				return a.evalLeak(cmd.Context(), args[1], &fl)
			case "longmemeval", "memora", "memdaily":
				return wrongUsage("%s is not available yet", args[0])
			}
			return wrongUsage("%q is none of locomo, assimilate, leak", args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&fl.out, "out", "", "folder for the results")
	f.StringVar(&fl.run.Tag, "tag", "asof", "locomo: name of the run, the last column of run.trec")
	f.IntVar(&fl.run.Depth, "depth", 100, "locomo: turns asked for per question, at least 50")
	f.StringVar(&fl.format, "format", "", "assimilate, leak: locomo or memora (default: by the file)")
	f.BoolVar(&fl.ablations, "ablations", false, "assimilate: also without one part at a time")
	f.IntVar(&fl.probes, "probes", eval.DefaultProbes, "leak: how many views are asked")
	f.Uint64Var(&fl.seed, "seed", 1, "leak: where the randomness starts")
	return cmd
}

// withData opens the data file of a run and calls f with it, the configuration,
// the name that errors give it, and a bar of how much of it was read.
func (a *app) withData(file string, f func(cfg configs.Config, data *eval.Data, name string, bar *progress) error) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	r, name, size, err := a.input([]string{file})
	if err != nil {
		return err
	}
	defer r.Close()
	bar := a.progress("eval", size)
	defer bar.finish()
	data, err := eval.NewData(bar.reader(r), name)
	if err != nil {
		return err
	}
	defer data.Close()
	return f(cfg, data, name, bar)
}

// evalLine is the command line for a manifest.
func (a *app) evalLine() string {
	return eval.CommandLine(append([]string{"asof"}, a.args...), "--out", "--dir")
}

func (a *app) evalLoCoMo(ctx context.Context, file, out string, opt eval.RunOptions) error {
	return a.withData(file, func(cfg configs.Config, data *eval.Data, name string, bar *progress) error {
		dir := ""
		if a.dirGiven {
			dir = a.dir
		}
		var sum eval.Summary
		err := a.withIn(ctx, dir, cfg, func(db *asof.DB) (err error) {
			opt.Command = a.evalLine()
			opt.Config = cfg.Semantic()
			if opt.Versions, err = versions(cfg, db); err != nil {
				return err
			}
			opt.Data, opt.Clock = data.Info, time.Now
			sum, err = eval.RunLoCoMo(ctx, ingesting(ctx, db, eval.ReadLoCoMo(data, name)), &turnSearcher{db: db}, out, opt)
			return err
		})
		bar.finish()
		if err != nil {
			return err
		}
		return a.evalSummary(sum, out)
	})
}

// versions names what decides a result beside the configuration.
func versions(cfg configs.Config, db *asof.DB) (map[string]string, error) {
	p, err := asof.Pipeline(cfg)
	if err != nil {
		return nil, err
	}
	basis := db.BasisOut(store.Basis{})
	return map[string]string{"asof": version, "analyzer": basis.Analyzer, "scoring": basis.Scoring,
		"extractor": p.Version(), "settings": db.SettingsHash().String()}, nil
}

// ingestBatch is how many turns are taken in at once.
const ingestBatch = 1024

// ingesting takes each conversation in before it hands it on.
func ingesting(ctx context.Context, db *asof.DB, convs iter.Seq2[eval.Conversation, error]) iter.Seq2[eval.Conversation, error] {
	return func(yield func(eval.Conversation, error) bool) {
		for conv, err := range convs {
			for start := 0; err == nil && start < len(conv.Turns); start += ingestBatch {
				var items []asof.Item
				for i := start; i < min(start+ingestBatch, len(conv.Turns)); i++ {
					items = append(items, asof.Item{Space: conv.Space, Turn: &conv.Turns[i]})
				}
				if _, ierr := db.Ingest(ctx, items); ierr != nil {
					err = fmt.Errorf("conversation %s: %w", conv.Space, ierr)
				}
			}
			if !yield(conv, err) || err != nil {
				return
			}
		}
	}
}

// turnSearcher ranks the turns of a space at its head.
type turnSearcher struct {
	db *asof.DB
}

// SearchTurns implements eval.Searcher. What the search leaves out follows in
// the order of the conversation, at scores that fall and lie below every found
// one, so that a ranking is as deep as was asked for.
func (s *turnSearcher) SearchTurns(ctx context.Context, space, question string, k int) (hits []eval.Hit, basis string, err error) {
	v, err := s.db.View(space, asof.At{})
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	r, err := v.Search(ctx, asof.SearchQuery{Text: question, K: k, Kinds: []retrieval.Kind{retrieval.Turn}})
	if err != nil {
		return nil, "", err
	}
	found := make(map[string]bool, k)
	below := 1.0
	for _, h := range r.Hits {
		hits = append(hits, eval.Hit{ID: h.ID, Score: h.Score})
		found[h.ID], below = true, h.Score
	}
	missing := k - len(hits)
	for t, err := range v.Turns(0) {
		if err != nil {
			return nil, "", err
		}
		if len(hits) == k {
			break
		}
		if !found[t.ID] {
			// Halved, so that single precision, which trec_eval has, tells the
			// last found from the first that was not.
			hits = append(hits, eval.Hit{ID: t.ID, Score: below / 2 * float64(k-len(hits)) / float64(missing)})
		}
	}
	return hits, fmt.Sprintf("%s %s", r.Basis.Seq, r.Basis.Time), nil
}

// Pack implements eval.Packer.
func (s *turnSearcher) Pack(ctx context.Context, space, question string) (eval.Packed, error) {
	p, err := s.db.Pack(ctx, space, asof.At{}, asof.SearchQuery{Text: question}, asof.PackOptions{})
	if err != nil {
		return eval.Packed{}, err
	}
	return eval.Packed{Tokens: p.Tokens, Evidence: p.TurnIDs(), Sessions: p.SessionNames(), Digest: p.Digest.String(), Text: p.Text}, nil
}

// evalJSON is the summary of a run for machines.
type evalJSON struct {
	Dataset       string     `json:"dataset"`
	Out           string     `json:"out"`
	Conversations int        `json:"conversations"`
	Turns         int        `json:"turns"`
	Questions     int        `json:"questions"`
	Scored        int        `json:"scored"`
	Metrics       []eval.Row `json:"metrics"`
	P50           float64    `json:"p50_ms"`
	P95           float64    `json:"p95_ms"`
}

// evalSummary prints what a run measured.
func (a *app) evalSummary(s eval.Summary, out string) error {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	if a.json {
		return a.line(evalJSON{"locomo", out, s.Conversations, s.Turns, s.Questions, s.Scored, s.Rows, ms(s.P50), ms(s.P95)})
	}
	main, _ := s.Value("recall@10", "1-4")
	a.print("locomo: recall@10 %.4f over categories 1-4; %s, %s, %s (%d scored); p50 %.2f ms, p95 %.2f ms; results in %s", main,
		plural(s.Conversations, "conversation"), plural(s.Turns, "turn"), plural(s.Questions, "question"), s.Scored, ms(s.P50), ms(s.P95), escape(out))
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	shown := []string{"recall@1", "recall@5", "recall@10", "recall@20", "recall@50", "any@10", "all@10", "ndcg@10", "mrr"}
	fmt.Fprint(w, "category\tn\t")
	for _, m := range shown {
		fmt.Fprintf(w, "%s\t", m)
	}
	fmt.Fprintln(w)
	for _, category := range []string{"1", "2", "3", "4", "5", "1-4", "all"} {
		n := 0
		for _, r := range s.Rows {
			if r.Category == category {
				n = r.N
			}
		}
		if n == 0 {
			continue
		}
		fmt.Fprintf(w, "%s\t%d\t", category, n)
		for _, m := range shown {
			v, _ := s.Value(m, category)
			fmt.Fprintf(w, "%.4f\t", v)
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if share, ok := s.Value("pack_evidence", "1-4"); ok {
		tokens, _ := s.Value("pack_tokens", "1-4")
		a.print("evidence inside the pack %.4f over categories 1-4, %.1f tokens on average", share, tokens)
	}
	return nil
}
