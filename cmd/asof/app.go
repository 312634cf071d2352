package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
)

// app is what all commands share: the streams, the common flags, and the ways
// in and out.
type app struct {
	in   io.Reader
	out  *bufio.Writer
	err  io.Writer
	env  func(string) string
	args []string
	// started is set once the command line has been read and found right.
	started bool
	// asksModel is set by commands that may ask the language model or the CoreNLP server.
	asksModel bool

	dir, configFile, space, logLevel string
	// metrics is the address to serve metrics and health at; empty for none.
	metrics string
	// registerer is where metrics go while a memory is open; nil for nowhere.
	registerer           prometheus.Registerer
	json                 bool
	dirGiven, spaceGiven bool
}

const rootLong = `asof is long-term memory for conversational agents.

Turns go in, facts come out, and any past state can be asked for again, byte for
byte: as recorded (what did the memory hold at record time t?) and as was (how
was the world at valid time v?).

Times are RFC 3339 (2023-05-08T13:56:00+08:00), without a zone (then UTC), a
date, or a position of the log (#42).`

// rootCommand builds the tree of commands.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:     "asof",
		Short:   "Long-term memory that answers as of any time",
		Long:    rootLong,
		Example: "  asof demo\n  asof ingest turns.jsonl && asof facts --src Anna --at 2023-06-01",
		// Errors and exit statuses are run's.
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: a.start,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	dir := a.env("ASOF_DIR")
	if dir == "" {
		dir = "./asof.db"
	}
	f := root.PersistentFlags()
	f.StringVar(&a.dir, "dir", dir, "data folder (also $ASOF_DIR)")
	f.StringVar(&a.configFile, "config", "", "configuration file; none is the built-in profile, which 'asof config' prints")
	f.StringVar(&a.space, "space", "default", "the memory that is meant")
	f.BoolVar(&a.json, "json", false, "results for machines: one JSON object, or one a line")
	f.StringVar(&a.metrics, "metrics", "", "serve /metrics, /healthz and /readyz at this address (host:port) while the command runs")
	f.StringVar(&a.logLevel, "log-level", "warn", "debug, info, warn, error or off; logs go to standard error")
	root.AddCommand(
		a.demoCommand(), a.ingestCommand(), a.spacesCommand(), a.extractCommand(), a.factsCommand(),
		a.historyCommand(), a.diffCommand(), a.neighboursCommand(), a.eventsCommand(), a.searchCommand(), a.packCommand(), a.askCommand(), a.backfillCommand(), a.digestCommand(),
		a.logCommand(), a.replayCommand(), a.auditCommand(), a.checkCommand(), a.configCommand(),
		a.backupCommand(), a.restoreCommand(), a.inspectCommand(), a.doctorCommand(),
		a.neo4jCommand(), a.modelsCommand(), a.evalCommand(), a.versionCommand(),
	)
	return root
}

// start checks the common flags before any command runs.
func (a *app) start(cmd *cobra.Command, _ []string) error {
	a.dirGiven, a.spaceGiven = cmd.Flags().Changed("dir"), cmd.Flags().Changed("space")
	if err := dsl.CheckSpace(a.space); err != nil {
		return wrongUsage("--space: %w", err)
	}
	if a.dir == "" {
		return wrongUsage("--dir is empty")
	}
	if _, err := a.logger(); err != nil {
		return err
	}
	a.started = true
	return nil
}

// logger gives the logger of --log-level.
func (a *app) logger() (*slog.Logger, error) {
	var level slog.Level
	if a.logLevel == "off" {
		return slog.New(slog.DiscardHandler), nil
	}
	if err := level.UnmarshalText([]byte(a.logLevel)); err != nil {
		return nil, wrongUsage("--log-level %q is none of debug, info, warn, error, off", a.logLevel)
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level})), nil
}

// config gives the effective configuration.
func (a *app) config() (configs.Config, error) {
	if a.configFile == "" {
		return configs.Default(), nil
	}
	b, err := os.ReadFile(a.configFile)
	if err != nil {
		return configs.Config{}, fmt.Errorf("--config: %w", err)
	}
	return configs.Load(b, a.configFile)
}

// openMode says whether a command may make the data folder.
type openMode int

const (
	// existing is for commands that ask: a folder that is not there is an error
	// and is not made.
	existing openMode = iota
	// creating is for commands that put something in.
	creating
)

// with opens the memory in --dir, runs f, and closes it.
func (a *app) with(ctx context.Context, mode openMode, f func(*asof.DB) error) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	if mode == existing && cfg.Ledger.URL == "" {
		if err := isMemory(a.dir); err != nil {
			return err
		}
	}
	return a.withIn(ctx, a.dir, cfg, f)
}

// withIn is with for a folder and a configuration; the folder is made if it is
// not there, and an empty name stands for a memory that is not kept.
func (a *app) withIn(ctx context.Context, dir string, cfg configs.Config, f func(*asof.DB) error) error {
	logger, err := a.logger()
	if err != nil {
		return err
	}
	var model asof.LanguageModel
	var parser extract.Parser
	if a.asksModel {
		if model, err = languageModel(&cfg.LLM, a.env); err != nil {
			return err
		}
		if parser, err = asof.OpenParser(ctx, cfg, pause); err != nil {
			return err
		}
	}
	a.findModels(&cfg)
	o := asof.Options{Dir: dir, Config: &cfg, Clock: time.Now, LanguageModel: model, Parser: parser, Logger: logger}
	mon, err := a.monitor(logger)
	if err != nil {
		return err
	}
	if mon != nil {
		o.Registerer, a.registerer = mon.registry, mon.registry
		defer mon.close()
	}
	db, err := asof.Open(ctx, o)
	if err != nil {
		return err
	}
	mon.watch(db)
	err = f(db)
	mon.watch(nil)
	closeErr := db.Close()
	if err != nil && closeErr != nil {
		a.note("closing %s: %v", dir, closeErr)
	}
	if err == nil {
		err = closeErr
	}
	return err
}

// isMemory checks that a folder holds a log or a store, or that a process has
// begun to make them.
func isMemory(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no data folder %s; 'asof ingest' makes one, --dir or $ASOF_DIR names another", dir)
	case err != nil:
		return fmt.Errorf("data folder: %w", err)
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder; --dir or $ASOF_DIR names the data folder", dir)
	}
	for _, part := range []string{"log", "store", "LOCK"} {
		if _, err := os.Stat(filepath.Join(dir, part)); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s holds no memory (no log, no store in it); --dir or $ASOF_DIR names the data folder", dir)
}

// openView opens the view of a space at a moment.
func openView(db *asof.DB, space string, m moment) (*asof.View, error) {
	v, err := db.View(space, m.at())
	if errors.Is(err, dsl.ErrNotFound) {
		return nil, fmt.Errorf("space %q has no position %s", space, m.text)
	}
	return v, err
}

// view is openView, and says on standard error what a reader of the answer
// should know.
func (a *app) view(db *asof.DB, space string, m moment) (*asof.View, error) {
	v, err := openView(db, space, m)
	if err != nil {
		return nil, err
	}
	head, err := db.Head(space)
	switch {
	case err != nil:
		return nil, errors.Join(err, v.Close())
	case head.Seq == 0:
		a.note("space %q holds nothing", space)
	case !v.Final:
		a.note("the view at %s is not final: turns recorded until then may still come; this is %s of space %q", m.text, v.Basis().Seq, space)
	}
	return v, nil
}

// withView opens the memory and one view of it, runs f, and closes both.
func (a *app) withView(ctx context.Context, m moment, f func(*asof.DB, *asof.View) error) error {
	return a.with(ctx, existing, func(db *asof.DB) error {
		v, err := a.view(db, a.space, m)
		if err != nil {
			return err
		}
		err = f(db, v)
		return errors.Join(err, v.Close())
	})
}

// line writes a value as one line of JSON.
func (a *app) line(v any) error {
	b, err := asof.EncodeJSON(v)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	_, err = a.out.Write(append(b, '\n'))
	return err
}

// print writes a line of text for people. Strings of users go through escape
// first.
func (a *app) print(format string, args ...any) {
	fmt.Fprintf(a.out, format+"\n", args...) // A failed write sticks in the buffer and shows at its flush.
}

// note says something about an answer on standard error.
func (a *app) note(format string, args ...any) {
	fmt.Fprintf(a.err, "asof: note: %s\n", escape(fmt.Sprintf(format, args...)))
}

// input opens what a FILE argument names: "-" and nothing are standard input.
// size is that of a regular file, else -1.
func (a *app) input(args []string) (r io.ReadCloser, name string, size int64, err error) {
	if len(args) == 0 || args[0] == "-" {
		if f, ok := a.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			a.note("reading from the terminal; end with Ctrl-D")
		}
		return io.NopCloser(a.in), "standard input", -1, nil
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, "", 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, "", 0, errors.Join(err, f.Close())
	}
	if info.IsDir() {
		return nil, "", 0, errors.Join(fmt.Errorf("%s is a folder", args[0]), f.Close())
	}
	size = -1
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	return f, args[0], size, nil
}
