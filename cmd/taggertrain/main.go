// Command taggertrain makes the files of extract/tagger/data: the lists from word lists
// and gazetteers, and a model of each language from labelled turns. The same input
// gives the same files. The README.md of that folder has its commands.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/asof-db/asof/extract/tagger"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "taggertrain:", err)
		os.Exit(1)
	}
}

const usage = "taggertrain lists FOLDER OUT | taggertrain model [flags] OUT FILE[@TURNS[*TIMES]] ... | taggertrain made LANGUAGE FOLDER OUT FILE ... | taggertrain score FILE [errors]"

func run(args []string) error {
	if len(args) < 2 || len(args) < 3 && args[0] != "score" {
		return fmt.Errorf("usage: %s", usage)
	}
	switch args[0] {
	case "lists":
		return writeLists(args[1], args[2])
	case "score":
		return score(args[1], len(args) > 2)
	case "made":
		if len(args) < 4 {
			return fmt.Errorf("usage: %s", usage)
		}
		return writeMade(args[1], args[2], args[3], args[4:])
	case "model":
		flags := flag.NewFlagSet("taggertrain model", flag.ContinueOnError)
		c := settings{}
		zh := flags.Bool("zh", false, "take the turns with Chinese characters, not those without")
		flags.Float64Var(&c.l1, "l1", 0.3, "weight of the sum of absolute weights")
		flags.Float64Var(&c.rate, "rate", 0.15, "rate of learning")
		flags.IntVar(&c.epochs, "epochs", 8, "times to go through the turns")
		flags.IntVar(&c.least, "least", 2, "times that a feature must occur")
		flags.Float64Var(&c.prune, "prune", 0.12, "least absolute weight that is kept")
		if err := flags.Parse(args[1:]); err != nil {
			return fmt.Errorf("%w", err)
		}
		if flags.NArg() < 2 {
			return fmt.Errorf("usage: %s", usage)
		}
		var all []tagger.Example
		for _, spec := range flags.Args()[1:] {
			got, err := examples(spec, *zh)
			if err != nil {
				return err
			}
			all = append(all, got...)
		}
		return train(c, all, flags.Arg(0))
	}
	return fmt.Errorf("usage: %s", usage)
}

// examples reads FILE@TURNS*TIMES: at most so many turns, each so many times.
func examples(spec string, zh bool) ([]tagger.Example, error) {
	path, count, _ := strings.Cut(spec, "@")
	count, times, _ := strings.Cut(count, "*")
	most, repeat := -1, 1
	if count != "" {
		n, err := strconv.Atoi(count)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", spec, err)
		}
		most = n
	}
	if times != "" {
		n, err := strconv.Atoi(times)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", spec, err)
		}
		repeat = n
	}
	turns, err := readTurns(path)
	if err != nil {
		return nil, err
	}
	if most >= 0 && len(turns) > most {
		r := sequence(5)
		r.shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
		turns = turns[:most]
	}
	var out []tagger.Example
	used, names, lost := 0, 0, 0
	for _, t := range turns {
		got, isZh, ok := tagger.Examples(t.Text, t.spans())
		if isZh != zh && len(got) > 0 {
			continue
		}
		if !ok {
			lost++
			continue
		}
		used++
		names += len(t.Entities)
		for range repeat {
			out = append(out, got...)
		}
	}
	fmt.Printf("%s: %d turns, %d names, %d runs; %d turns left out: a name's edge inside a token\n", path, used, names, len(out), lost)
	return out, nil
}
