// Command asof is a memory for conversations that can be asked what it held at
// any time: it takes turns in, answers as recorded and as was, and proves from
// its log alone that every answer follows.
//
// The exit status is 0 when the command did what it says, 1 when the answer is
// "no" or something is wrong with the data, and 2 when the command was called
// wrongly. Results go to standard output, everything else to standard error.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	_ "time/tzdata" // Zone names work on machines that have no zone files.

	"github.com/asof-db/asof"
)

// version is the program's. It is part of an evaluation's manifest, so it
// changes with every release and with nothing else.
const version = "0.1.0"

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}

// usageError marks an error that is the caller's: exit status 2.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// wrongUsage makes a usageError.
func wrongUsage(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// errNo ends a command with status 1 and no further word: its output has said
// what is wrong.
var errNo = errors.New("the answer is no")

// run runs one command line and returns its exit status.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer, env func(string) string) int {
	a := &app{in: in, out: bufio.NewWriterSize(out, 64<<10), err: errOut, env: env, args: args}
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(a.out)
	root.SetErr(errOut)
	cmd, err := root.ExecuteContextC(ctx)
	if flushErr := a.out.Flush(); err == nil && flushErr != nil {
		err = fmt.Errorf("write the results: %w", flushErr)
	}
	var usage *usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errNo):
		return 1
	case errors.As(err, &usage) || !a.started:
		fmt.Fprintf(errOut, "asof: %s\nSee '%s -h'.\n", message(err), cmd.CommandPath())
		return 2
	}
	fmt.Fprintf(errOut, "asof: %s\n", message(err))
	if asof.StoreDamaged(err) && !strings.Contains(err.Error(), "asof doctor") {
		fmt.Fprintln(errOut, "asof: files of the store are damaged; 'asof doctor' tells which and how to mend it")
	}
	return 1
}

// message is an error's text without the library's own name in front, safe for
// a terminal.
func message(err error) string {
	lines := strings.Split(strings.TrimPrefix(err.Error(), "asof: "), "\n")
	for i, l := range lines {
		lines[i] = escape(strings.TrimPrefix(l, "asof: "))
	}
	return strings.Join(lines, "\n")
}
