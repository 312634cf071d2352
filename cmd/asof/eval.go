package main

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/eval"
	"github.com/asof-db/asof/store"
)

const evalLong = `Measures on a data set in its official form, and writes the results into --out.

  locomo, longmemeval, memdaily
              retrieval: takes each conversation, history or trajectory in and asks
              its questions at the head; run.trec, qrels.trec, packs.jsonl,
              questions.csv, metrics.csv. LoCoMo and MemDaily rank turns, LongMemEval sessions, by
              their place in the file. --table-c asks under every setup of Table C
              too: table_c.csv, comparisons.csv, runs/, figs/latency-table_c.csv.
              A configuration with retrieval.expansion gives expansion.csv, one that
              packs sessions (configs/detchain.yaml, configs/compass.yaml) chain.csv
  assimilate  what assimilation and layer 2 make of the turns: decisions by kind
              (Table B), invariant I7, events, tokens written a session, and what
              becomes of values that the data set says are updated or deleted;
              table_b.csv, rules.csv, sessions.csv, funnel.csv, metrics.csv,
              latency.csv, with --ablations ablation.csv
  extract     extraction against marked turns (JSONL, a turn and what stands in it a
              line): Table A, each option of each module with the others by rules;
              table_a.csv, turns.csv, relations.csv, reliability.csv
  timex       the public suites of time expressions: per suite the share with the
              right value and with any, what was found and what was missed;
              metrics.csv, found.csv, missed.csv
  leak        takes each conversation in with an adversary's tricks between its
              turns (late and edited turns, corrections, merges of names and of
              events), asks at random positions on the way, and asks the whole log
              about the same positions again; probes.csv, metrics.csv. What differs
              is a leak, and the exit status is 1

Each also writes summary.md and manifest.json. Two runs give the same bytes but
for latency.csv and figs/latency-*.

For assimilate and leak FILE may be of any of these data sets or of Memora;
--format says which if its start does not. The conversations go into memories
that are not kept; locomo takes the one of --dir if it is given. memora itself is
not available yet.`

// evalFlags are the flags of eval.
type evalFlags struct {
	out, format string
	rows        string
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
			"  asof eval longmemeval longmemeval_s.json --out results/lme\n" +
			"  asof eval assimilate memora_weekly.tar.zst --out results/memora\n" +
			"  asof eval leak locomo10.json --out results/leak --probes 10000 --seed 1",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if fl.out == "" {
				return wrongUsage("--out has to name a folder for the results")
			}
			switch args[0] {
			case "locomo", "longmemeval", "memdaily":
				fl.run.Seed = fl.seed
				if fl.rows != "" {
					var err error
					if fl.run.Rows, err = regexp.Compile(fl.rows); err != nil {
						return wrongUsage("--rows: %w", err)
					}
				}
				return a.evalRetrieval(cmd.Context(), eval.Format(args[0]), args[1], fl.out, fl.run)
			case "assimilate":
				return a.evalAssimilate(cmd.Context(), args[1], &fl)
			case "extract":
				return a.evalExtract(cmd.Context(), args[1], &fl)
			case "leak":
				return a.evalLeak(cmd.Context(), args[1], &fl)
			case "timex":
				return a.evalTimex(cmd.Context(), args[1], fl.out)
			case "memora":
				return wrongUsage("%s is not available yet", args[0])
			}
			return wrongUsage("%q is none of locomo, longmemeval, memdaily, assimilate, extract, timex, leak", args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&fl.out, "out", "", "folder for the results")
	f.StringVar(&fl.run.Tag, "tag", "asof", "retrieval: name of the run, the last column of run.trec")
	f.IntVar(&fl.run.Depth, "depth", 100, "retrieval: documents asked for per question, at least 50")
	f.StringVar(&fl.format, "format", "", "assimilate, leak: locomo, longmemeval, memora or memdaily (default: by the file)")
	f.BoolVar(&fl.run.NoPacks, "retrieval-only", false, "retrieval: no evidence packs, no packs.jsonl")
	f.BoolVar(&fl.run.TableC, "table-c", false, "retrieval: also every setup of Table C (entry, fusion, rerank), with intervals against BM25")
	f.Float64Var(&fl.run.Sample, "sample", 1, "retrieval: the share of the questions that is asked, chosen by --seed")
	f.StringVar(&fl.rows, "rows", "", "--table-c: a regular expression of the setups to ask, by name (default: all that need no model)")
	f.BoolVar(&fl.run.Switches, "pack-switches", false, "retrieval: also every pack with pack.active and pack.stats off and on, into pack_switches.csv")
	f.BoolVar(&fl.ablations, "ablations", false, "assimilate: also without one part at a time")
	f.IntVar(&fl.probes, "probes", eval.DefaultProbes, "leak: how many views are asked")
	f.Uint64Var(&fl.seed, "seed", 1, "leak, --table-c: where the randomness starts")
	return cmd
}

// withData opens the data file of a run and calls f with it, the configuration,
// the name that errors give it, and a bar of how much of it was read.
func (a *app) withData(file string, f func(cfg configs.Config, data *eval.Data, name string, bar *progress) error) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	a.findModels(&cfg)
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

// evalRetrieval measures retrieval on a data set.
func (a *app) evalRetrieval(ctx context.Context, format eval.Format, file, out string, opt eval.RunOptions) error {
	switch {
	case !(opt.Sample > 0 && opt.Sample <= 1):
		return wrongUsage("--sample %v: a share of the questions, above 0, to 1", opt.Sample)
	case a.dirGiven && (opt.Sample < 1 || opt.Switches):
		return wrongUsage("--sample and --pack-switches make memories of their own and keep none; leave --dir out")
	case opt.Depth < 50:
		return wrongUsage("--depth %d: the deepest metric looks at 50", opt.Depth)
	case a.dirGiven && format != eval.LoCoMoFormat:
		return wrongUsage("--dir: %s makes memories of its own and keeps none", format)
	case a.dirGiven && opt.TableC:
		return wrongUsage("--table-c makes memories of its own and keeps none; leave --dir out")
	}
	return a.withData(file, func(cfg configs.Config, data *eval.Data, name string, bar *progress) error {
		opt.Command, opt.Config, opt.Data = a.evalLine(), cfg.Semantic(), data.Info
		opt.Clock, opt.CPU = time.Now, threadTime
		opt.Profile, opt.Workers = &cfg, runtime.GOMAXPROCS(0)
		dir := ""
		if a.dirGiven {
			dir = a.dir
		}
		var sum eval.Summary
		err := a.withIn(ctx, dir, cfg, func(db *asof.DB) (err error) {
			if opt.Versions, err = versions(cfg, db); err != nil {
				return err
			}
			if a.dirGiven {
				sum, err = eval.RunLoCoMo(ctx, ingesting(ctx, db, eval.ReadLoCoMo(data, name)), eval.NewSearcher(db), out, opt)
				return err
			}
			in, _, err := eval.ReadDialogues(data, name, format)
			if err != nil {
				return err
			}
			sum, err = eval.RunRetrieval(ctx, in, format, out, opt)
			return err
		})
		bar.finish()
		if err != nil {
			return err
		}
		return a.evalSummary(&sum, out)
	})
}

// versions names what decides a result beside the configuration.
func versions(cfg configs.Config, db *asof.DB) (map[string]string, error) {
	basis := db.BasisOut(store.Basis{})
	return map[string]string{"asof": version, "analyzer": basis.Analyzer, "scoring": basis.Scoring,
		"extractor": db.Extractor(), "settings": db.SettingsHash().String()}, nil
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

// evalJSON is the summary of a run for machines.
type evalJSON struct {
	Dataset       string      `json:"dataset"`
	Out           string      `json:"out"`
	Conversations int         `json:"conversations"`
	Turns         int         `json:"turns"`
	Questions     int         `json:"questions"`
	Scored        int         `json:"scored"`
	Metrics       []eval.Row  `json:"metrics"`
	P50           float64     `json:"p50_ms"`
	P95           float64     `json:"p95_ms"`
	CPU50         float64     `json:"cpu_p50_ms"`
	CPU95         float64     `json:"cpu_p95_ms"`
	TableC        []eval.RowC `json:"table_c,omitempty"`
}

// evalSummary prints what a run measured.
func (a *app) evalSummary(s *eval.Summary, out string) error {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	if a.json {
		return a.line(evalJSON{s.Dataset, out, s.Conversations, s.Turns, s.Questions, s.Scored, s.Rows, ms(s.P50), ms(s.P95), ms(s.CPU50), ms(s.CPU95), s.TableC})
	}
	metric, value, over := s.Headline()
	a.print("%s: %s %.4f over %s; %s, %s, %s (%d scored); p50 %.2f ms, p95 %.2f ms (processor %.2f, %.2f); results in %s", s.Dataset, metric, value, over,
		plural(s.Conversations, s.Memory), plural(s.Turns, "turn"), plural(s.Questions, "question"), s.Scored, ms(s.P50), ms(s.P95), ms(s.CPU50), ms(s.CPU95), escape(out))
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "category\tn\t")
	for _, m := range s.Shown {
		fmt.Fprintf(w, "%s\t", m)
	}
	fmt.Fprintln(w)
	for _, r := range s.Rows {
		if r.Metric != s.Rows[0].Metric {
			continue
		}
		fmt.Fprintf(w, "%s\t%d\t", r.Category, r.N)
		for _, m := range s.Shown {
			v, _ := s.Value(m, r.Category)
			fmt.Fprintf(w, "%.4f\t", v)
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if share, ok := s.Value("pack_evidence", s.Main()); ok {
		tokens, _ := s.Value("pack_tokens", s.Main())
		a.print("evidence inside the pack %.4f over %s, %.1f tokens on average", share, over, tokens)
	}
	if len(s.TableC) == 0 {
		return nil
	}
	return a.tableC(s)
}

// tableC prints Table C, with latencies and the verdict on them.
func (a *app) tableC(s *eval.Summary) error {
	base := s.TableC[slices.IndexFunc(s.TableC, func(r eval.RowC) bool { return r.Setup == eval.BaselineSetup })]
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	metric, _, over := s.Headline()
	a.print("\nTable C over %s; differences from %s, 95 %% intervals:", over, eval.BaselineSetup)
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "setup\t%s\t\t\tndcg@10\t\t\tp95 ms\twithin baseline\tprocessor\twithin baseline\n", metric)
	for i := range s.TableC {
		r := &s.TableC[i]
		if r.Why != "" {
			fmt.Fprintf(w, "%s\tnot run: %s\n", r.Setup, escape(r.Why))
			continue
		}
		fmt.Fprintf(w, "%s\t", r.Setup)
		for _, m := range []string{metric, "ndcg@10"} {
			v, d, _ := r.Of(m)
			fmt.Fprintf(w, "%.4f\t%s\t%s\t", v, d, d.Verdict())
		}
		fmt.Fprintf(w, "%.2f\t%t\t%.2f\t%t\n", ms(r.P95), r.P95 <= base.P95, ms(r.CPU95), r.CPU95 <= base.CPU95)
	}
	return w.Flush()
}
