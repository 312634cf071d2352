//go:build linux

package ledger_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/dsl/ledger/ledgertest"
)

// fullDir tells the test binary that it is the process whose files may not grow.
const fullDir = "ASOF_LEDGER_TEST_FULL"

// TestFullChild is the process of TestFullDisk whose log cannot grow beyond 1 MiB; by itself it does nothing.
func TestFullChild(t *testing.T) {
	dir := os.Getenv(fullDir)
	if dir == "" {
		t.Skip("this is the process that TestFullDisk starts")
	}
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	l := openEmbedded(t, dir)
	space := ledgertest.SpaceOf(1, l.Partitions(), 0)
	var last uint64
	appendOne := func() error {
		rec := ledger.Record{Space: space, Seq: last + 1, Data: bytes.Repeat([]byte{'x'}, 100_000)}
		seq, err := l.Append(t.Context(), 1, last, []ledger.Record{rec})
		if err == nil {
			last = seq
			fmt.Printf("acknowledged %d\n", last)
		}
		return err
	}
	var err error
	for err == nil {
		err = appendOne()
	}
	if !errors.Is(err, ledger.ErrUnknownOutcome) || !strings.Contains(err.Error(), "file too large") {
		t.Errorf("the append that does not fit: %v, want ErrUnknownOutcome and the reason", err)
	}
	if err := appendOne(); !errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), "open it again") {
		t.Errorf("the next one: %v, want ErrUnavailable and what to do", err)
	}
	if all, err := ledgertest.Collect(t.Context(), l, 1); err != nil || uint64(len(all)) != last {
		t.Errorf("%d of %d messages can be read, %v", len(all), last, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// TestFullDisk runs a log until a write fails: the caller is told at once, everything acknowledged can be read, and when
// there is room again the log opens with all of it and goes on.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullChild$")
	cmd.Env = append(os.Environ(), fullDir+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	acked := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if n, ok := strings.CutPrefix(lines.Text(), "acknowledged "); ok {
			if acked, err = strconv.Atoi(n); err != nil {
				t.Fatal(err)
			}
		}
	}
	if acked == 0 {
		t.Fatalf("nothing was acknowledged: %s", out)
	}
	l := openEmbedded(t, dir)
	defer l.Close()
	if all, err := ledgertest.Collect(t.Context(), l, 1); err != nil || len(all) < acked {
		t.Fatalf("%d messages are left of %d acknowledged, %v", len(all), acked, err)
	}
	grow(t, l, 2, 100_000)
	if all, err := ledgertest.Collect(t.Context(), l, 1); err != nil || len(all) < acked+2 {
		t.Fatalf("%d messages after two more, %v", len(all), err)
	}
}
