package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/eval"
)

// ingestFlags are the flags of ingest.
type ingestFlags struct {
	format, zone, skipBad string
	allowFuture, strict   bool
}

const ingestLong = `Appends what FILE (or standard input) holds and waits until it is durable and
assimilated. The input is read as a stream; what is at hand is committed together,
so a file goes fast and every line of a slow pipe is durable when it has come.

  turns       {"space"?,"id","session"?,"speaker","listener"?,"ts","text","replaces"?}
  candidates  {"space"?,"turn":{…}|"turn_id","candidates":[{"src","rel","dst",…}]}
  ops         {"space"?,"at","op":"UPSERT_EDGE",…}, one operation a line; lines
              with one "tx" value that follow one another are one transaction
  locomo      a LoCoMo file, plain, gzip or zstd; one space per conversation
  longmemeval a LongMemEval file, oracle or S; one space per question
  memora      a Memora data set: a tar of its folders, or its session files one
              after another; one space per persona
  memdaily    a MemDaily file; one space per trajectory

Data sets are plain, gzip or zstd.

The same turn again changes nothing and counts as a duplicate. A bad line is
named by its number and reason; everything before it is durable then, nothing
after it was taken, and the exit status is 1. --skip-bad sets bad lines aside
and goes on.`

func (a *app) ingestCommand() *cobra.Command {
	var f ingestFlags
	cmd := &cobra.Command{
		Use:   "ingest [FILE|-]",
		Short: "Take turns in, or what another extractor found, or operations",
		Long:  ingestLong,
		Example: "  asof ingest turns.jsonl\n" +
			"  tail -F chat.jsonl | asof ingest --tz Asia/Shanghai\n" +
			"  asof ingest --format ops fixes.jsonl --skip-bad refused.jsonl\n" +
			"  asof ingest --format locomo locomo10.json\n" +
			"  asof ingest --format memora memora_weekly.tar.zst",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch f.format {
			case "turns", "candidates", "ops":
			case "locomo", "longmemeval", "memora", "memdaily":
				switch {
				case f.skipBad != "":
					return wrongUsage("--skip-bad sets lines aside; a data set has none")
				case cmd.Flags().Changed("tz"):
					return wrongUsage("--tz does not go with --format %s: the data set's times are UTC", f.format)
				}
				if a.spaceGiven {
					a.note("--space is ignored: a data set makes spaces of its own, one for every conversation, question, persona or trajectory")
				}
			default:
				return wrongUsage("--format %q is none of turns, candidates, ops, locomo, longmemeval, memora, memdaily", f.format)
			}
			cfg, err := a.config()
			if err != nil {
				return err
			}
			if f.zone, err = a.zone(cmd, f.zone, cfg); err != nil {
				return err
			}
			// The first signal asks for a summary of what is durable; the second is
			// not caught. Other commands end at the first: a memory needs no
			// farewell.
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			defer context.AfterFunc(ctx, stop)()
			return a.ingest(ctx, args, f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "turns", "turns, candidates, ops, locomo, longmemeval, memora or memdaily")
	fl.StringVar(&f.zone, "tz", "", "zone of times that name none (default: that of the configuration, UTC)")
	fl.StringVar(&f.skipBad, "skip-bad", "", "set bad lines aside in this file, with their reasons, and go on")
	fl.BoolVar(&f.allowFuture, "allow-future", false, "take turns that are ahead of the clock")
	fl.BoolVar(&f.strict, "strict", false, "refuse predicates that the registry lacks")
	return cmd
}

// ingest takes one input in and prints what became of it, also when it had to
// stop half-way.
func (a *app) ingest(ctx context.Context, args []string, f ingestFlags) error {
	start := time.Now()
	r, name, size, err := a.input(args)
	if err != nil {
		return err
	}
	defer r.Close()
	bar := a.progress("ingest", size)
	defer bar.finish()
	a.asksModel = true
	return a.with(ctx, creating, func(db *asof.DB) (err error) {
		in := &intake{db: db, name: name, group: groupSize(db.Config(), f.format), patient: size >= 0, sum: newSummary(f.zone)}
		if f.allowFuture {
			in.opts = append(in.opts, asof.AllowFuture())
		}
		if f.strict {
			in.opts = append(in.opts, asof.Strict())
		}
		if f.skipBad != "" {
			if in.aside, err = newAside(f.skipBad); err != nil {
				return err
			}
		}
		var source source
		if set, err := eval.ParseFormat(f.format); err == nil {
			data, err := eval.NewData(bar.reader(r), name)
			if err != nil {
				return err
			}
			if in.patient {
				defer data.Close() // else the reader may still be in it
			}
			if source, err = dialogues(data, set); err != nil {
				return err
			}
		} else {
			if source, err = a.lines(bar.reader(r), asof.Format(f.format), db.Config(), f, in.aside != nil); err != nil {
				return err
			}
		}
		err = in.run(ctx, source)
		if in.aside != nil {
			err = errors.Join(err, in.aside.close())
		}
		bar.finish()
		// The summary tells what is durable, so it is printed after a fault too.
		return errors.Join(err, a.summary(db, in.sum, time.Since(start)))
	})
}

// lines gives the source of a JSONL format.
func (a *app) lines(r io.Reader, format asof.Format, cfg configs.Config, f ingestFlags, keep bool) (source, error) {
	registry, err := asof.Registry(cfg)
	if err != nil {
		return nil, err
	}
	s := &lineSource{lines: asof.NewLines(r, cfg.Ingest.MaxLineBytes), format: format, keep: keep,
		opt: asof.ParseOptions{Space: a.space, Zone: f.zone, Registry: registry}}
	if format == asof.FormatOps {
		return s.transactions, nil
	}
	return s.items, nil
}

// dialogues gives the turns of a data set.
func dialogues(data *eval.Data, format eval.Format) (source, error) {
	in, _, err := eval.ReadDialogues(data, data.Name(), format)
	if err != nil {
		return nil, err
	}
	what := map[eval.Format]string{eval.LoCoMoFormat: "conversation", eval.LongMemEvalFormat: "question", eval.MemoraFormat: "persona",
		eval.MemDailyFormat: "trajectory"}[format]
	return func(yield func(entry) bool) {
		for d, err := range in {
			if err != nil {
				yield(entry{broken: err})
				return
			}
			if !turnEntries(d.Space, what, d.Turns, yield) {
				return
			}
		}
	}, nil
}

// turnEntries yields the turns of one space and tells whether more are wanted.
func turnEntries(space, what string, turns []dsl.Turn, yield func(entry) bool) bool {
	for i := range turns {
		t := &turns[i]
		e := entry{item: asof.Item{Space: space, Turn: t}, size: len(t.Text.String()), where: fmt.Sprintf("%s %s, turn %s", what, space, t.ID)}
		if !yield(e) {
			return false
		}
	}
	return true
}

// groupSize is how many entries of an input are committed together.
func groupSize(cfg configs.Config, format string) int {
	if asof.Format(format) == asof.FormatOps {
		return asof.OpsPerTurn * cfg.Ingest.GroupTurns
	}
	return cfg.Ingest.GroupTurns
}
