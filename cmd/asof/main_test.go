package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"go.uber.org/goleak"

	"github.com/asof-db/asof/internal/models/modelstest"
)

// TestMain makes this binary the command asof for scripts and for tests that
// kill it.
func TestMain(m *testing.M) {
	// Under the race detector a process sleeps a second before it ends, and here
	// a great many end.
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", "atexit_sleep_ms=0")
	}
	testscript.Main(leakless{m}, map[string]func(){"asof": main})
}

// leakless fails when the tests of this process leave goroutines behind.
type leakless struct{ m *testing.M }

func (l leakless) Run() int {
	code := l.m.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// TestScripts runs the command as people do: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("SHARED", sharedDir())
			e.Setenv("NEO4J", os.Getenv("ASOF_TEST_NEO4J"))
			e.Setenv("ASOF_NEO4J_PASSWORD", os.Getenv("ASOF_TEST_NEO4J_PASSWORD"))
			e.Setenv("GORACE", os.Getenv("GORACE"))
			return os.WriteFile(e.WorkDir+"/demo.jsonl", demoTurns, 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "lines": firstLines, "change": change, "tinymodels": tinyModels,
		},
		Condition: func(cond string) (bool, error) {
			path := ""
			switch cond {
			case "shared":
				path = filepath.Join(sharedDir(), "data")
			case "neo4j":
				return os.Getenv("ASOF_TEST_NEO4J") != "", nil
			case "onnx":
				path = runtimeLibrary()
			default:
				return false, fmt.Errorf("there is no condition %q", cond)
			}
			_, err := os.Stat(path)
			return err == nil, nil
		},
	})
}

// sharedDir is where the data sets lie that the repository does not hold.
func sharedDir() string {
	if dir := os.Getenv("ASOF_SHARED"); dir != "" {
		return dir
	}
	dir, err := filepath.Abs("../../../shared")
	if err != nil {
		return ""
	}
	return dir
}

// exits is "exits N command…": the command has to end with status N.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil || neg {
		ts.Fatalf("usage: exits N command…")
	}
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// firstLines is "lines FROM TO src dst": copies lines FROM to TO, counted from 1.
func firstLines(ts *testscript.TestScript, neg bool, args []string) {
	from, err := strconv.Atoi(args[0])
	ts.Check(err)
	to, err := strconv.Atoi(args[1])
	ts.Check(err)
	all := strings.SplitAfter(ts.ReadFile(args[2]), "\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), []byte(strings.Join(all[from-1:to], "")), 0o644))
}

// runtimeLibrary is where ONNX Runtime lies, if it is installed.
func runtimeLibrary() string {
	return filepath.Join(modelstest.Dir(), "onnxruntime", "libonnxruntime.so")
}

// tinyModels is "tinymodels DIR GROUP…": a folder of tiny models that know groups of
// words that mean the same.
func tinyModels(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: tinymodels DIR GROUP…")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(modelstest.WriteTiny(dir, runtimeLibrary(), args[1:]...))
}

// change is "change file old new": replaces the first old, which has to be there.
func change(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o644))
}

// call runs a command line in this process.
func call(in string, args ...string) (code int, out, errOut string) {
	var o, e bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(in), &o, &e, func(string) string { return "" })
	return code, o.String(), e.String()
}

// TestHelp holds every command to a short text and examples that parse.
func TestHelp(t *testing.T) {
	a := &app{env: func(string) string { return "" }}
	root := a.rootCommand()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		if cmd.Short == "" || cmd.Example == "" {
			t.Errorf("%s has no short text or no example", cmd.CommandPath())
		}
		for line := range strings.SplitSeq(cmd.Example, "\n") {
			if !strings.Contains(line, cmd.CommandPath()) && cmd != root && !strings.Contains(line, cmd.Root().Name()+" ") {
				t.Errorf("%s: the example %q does not show a command", cmd.CommandPath(), line)
			}
			for _, part := range strings.FieldsFunc(line, func(r rune) bool { return r == '|' || r == '&' || r == '>' }) {
				words, ok := strings.CutPrefix(strings.TrimSpace(part), "asof ")
				if !ok {
					continue
				}
				checkExample(t, words)
			}
		}
		code, out, errOut := call("", append(strings.Fields(cmd.CommandPath())[1:], "-h")...)
		if code != 0 || !strings.Contains(out, "Examples:") || errOut != "" {
			t.Errorf("%s -h: status %d, %q, %q", cmd.CommandPath(), code, out, errOut)
		}
	}
	walk(root)
}

// checkExample parses a command line of an example.
func checkExample(t *testing.T, line string) {
	t.Helper()
	a := &app{env: func(string) string { return "" }}
	root := a.rootCommand()
	var words []string
	for i, quoted := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, quoted)
		} else {
			words = append(words, strings.Fields(quoted)...)
		}
	}
	cmd, rest, err := root.Find(words)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil && cmd.Args != nil {
		err = cmd.Args(cmd, cmd.Flags().Args())
	}
	if err != nil || cmd == root {
		t.Errorf("example asof %s: %v", line, err)
	}
}

// TestEscape holds that nothing a terminal obeys comes out.
func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain 文字 ok":      "plain 文字 ok",
		"a\nb\tc\r":        `a\nb\tc\r`,
		"\x1b[31mred\x7f":  `\x1b[31mred\x7f`,
		"\u009bX\u2028":    `\x9bX\u2028`,
		"\u202eabc\u2066":  `\u202eabc\u2066`,
		"bad\xff\xfeutf-8": `bad\xff\xfeutf-8`,
		"\x00":             `\x00`,
		`back\slash`:       `back\slash`,
	} {
		if got := escape(in); got != want {
			t.Errorf("escape(%q) = %s, want %s", in, got, want)
		}
	}
}
