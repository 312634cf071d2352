// Command ranktrain finds the weights of the ranker of signals, and says what they
// are worth on data that they were not found on.
//
//	go run ./cmd/ranktrain --train NAME=FILE,… [--test NAME=FILE,…] [--out weights.txt] [--table table.md]
//
// Every data set is read in its official form and asked of memories that are not
// kept. Weights are found on all that are named under --train; the table has a row
// for each data set: the order before, the order by weights found on all other
// training sets, and by those found on all of them. LoCoMo's licence keeps it out
// of --train.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/eval"
	"github.com/asof-db/asof/retrieval/rerank"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ranktrain:", err)
		os.Exit(1)
	}
}

// dataSet is a data set with its questions and what they found.
type dataSet struct {
	name, file string
	train      bool
	questions  []eval.RankedQuestion
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("ranktrain", flag.ContinueOnError)
	train := flags.String("train", "", "data sets that weights are found on, NAME=FILE,…")
	test := flags.String("test", "", "data sets that they are only measured on, NAME=FILE,…")
	out := flags.String("out", "", "file for the weights")
	table := flags.String("table", "", "file for the table (default: standard output)")
	config := flags.String("config", "", "configuration of the memories (default: the default profile)")
	depth := flags.Int("depth", 64, "turns found for a question")
	var opt rerank.TrainOptions
	flags.Float64Var(&opt.Shared, "shared", 0, "size that all weights are pulled to (0: the default)")
	flags.Float64Var(&opt.Most, "most", 0, "bound of a weight (0: twice the shared size)")
	flags.Float64Var(&opt.Pull, "pull", 0, "how strongly (0: the default)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	sets, err := named(*train, true)
	if err != nil {
		return err
	}
	tests, err := named(*test, false)
	if err != nil {
		return err
	}
	if len(sets) == 0 || flags.NArg() > 0 {
		return errors.New("usage: ranktrain --train NAME=FILE,… [--test NAME=FILE,…] [--out FILE] [--table FILE]")
	}
	sets = append(sets, tests...)
	cfg := configs.Default()
	if *config != "" {
		text, err := os.ReadFile(*config)
		if err != nil {
			return err
		}
		if cfg, err = configs.Load(text, *config); err != nil {
			return err
		}
	}
	for _, s := range sets {
		if err := s.read(ctx, cfg, *depth); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: %d questions\n", s.name, len(s.questions))
	}
	all, err := weights(sets, nil, opt)
	if err != nil {
		return err
	}
	if *out != "" {
		if err := writeFile(*out, func(w io.Writer) error {
			return all.Write(w, "Found by: go run ./cmd/ranktrain "+strings.Join(withoutOut(args), " "))
		}); err != nil {
			return err
		}
	}
	report := func(w io.Writer) error { return writeTable(w, sets, all, opt) }
	if *table == "" {
		return report(os.Stdout)
	}
	return writeFile(*table, report)
}

// named reads NAME=FILE,….
func named(list string, train bool) ([]*dataSet, error) {
	var sets []*dataSet
	for _, part := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		name, file, ok := strings.Cut(part, "=")
		if !ok || name == "" || file == "" {
			return nil, fmt.Errorf("%q is not NAME=FILE", part)
		}
		sets = append(sets, &dataSet{name: name, file: file, train: train})
	}
	return sets, nil
}

// read asks the questions of a data set.
func (s *dataSet) read(ctx context.Context, cfg configs.Config, depth int) error {
	data, err := eval.OpenData(s.file)
	if err != nil {
		return err
	}
	defer data.Close()
	in, format, err := eval.ReadDialogues(data, s.file, eval.AnyFormat)
	if err != nil {
		return err
	}
	if format == eval.LoCoMoFormat && s.train {
		return fmt.Errorf("%s: LoCoMo is for non-commercial use: no weight that is shipped is found on it; name it under --test", s.file)
	}
	s.questions, err = eval.RankExamples(ctx, in, cfg, depth, runtime.GOMAXPROCS(0))
	return err
}

// weights finds weights on all training sets but one.
func weights(sets []*dataSet, but *dataSet, opt rerank.TrainOptions) (*rerank.Weights, error) {
	var examples [][]rerank.Example
	for _, s := range sets {
		if s.train && s != but {
			examples = append(examples, examplesOf(s))
		}
	}
	if len(examples) == 0 {
		return new(rerank.Weights), nil
	}
	return rerank.Train(examples, opt)
}

// writeTable writes what weights are worth, and every signal alone.
func writeTable(w io.Writer, sets []*dataSet, all *rerank.Weights, opt rerank.TrainOptions) error {
	var b strings.Builder
	b.WriteString("| data set | questions | order | recall@5 | recall@10 | nDCG@10 |\n|---|---|---|---|---|---|\n")
	row := func(s *dataSet, order string, x *rerank.Weights) {
		f := eval.Figures(s.questions, x)
		fmt.Fprintf(&b, "| %s | %d | %s | %.4f | %.4f | %.4f |\n", s.name, f.Questions, order, f.Recall5, f.Recall10, f.NDCG10)
	}
	for _, s := range sets {
		row(s, "as found", nil)
		for _, one := range sets {
			if !one.train {
				continue
			}
			only, err := rerank.Train([][]rerank.Example{examplesOf(one)}, opt)
			if err != nil {
				return err
			}
			row(s, "found on "+one.name+" alone", only)
		}
		if s.train {
			others, err := weights(sets, s, opt)
			if err != nil {
				return err
			}
			row(s, "found on the others", others)
		}
		row(s, "found on all", all)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func examplesOf(s *dataSet) []rerank.Example {
	set := make([]rerank.Example, len(s.questions))
	for i := range s.questions {
		set[i] = s.questions[i].Example
	}
	return set
}

// withoutOut leaves out where results are written to.
func withoutOut(args []string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		name, _, given := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		if name == "out" || name == "table" {
			if !given {
				i++
			}
			continue
		}
		kept = append(kept, args[i])
	}
	return kept
}

func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, f.Close()) }()
	return write(f)
}
