package asof_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// fullLimit tells the child how large a file may become.
const fullLimit = "ASOF_TEST_FULL_LIMIT"

// TestFullChild is the process of TestFileLimit and TestSmallDisk; by itself it
// does nothing.
func TestFullChild(t *testing.T) {
	dir := os.Getenv(fullDir)
	if dir == "" {
		t.Skip("this is the process that other tests start")
	}
	if n, err := strconv.ParseUint(os.Getenv(fullLimit), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: n, Max: n}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
	}
	full(t, dir)
}

// TestFileLimit takes turns in a process whose files may not grow beyond a
// limit, whichever of log and store reaches it first.
func TestFileLimit(t *testing.T) {
	t.Setenv(fullLimit, strconv.Itoa(700<<10))
	dir := filepath.Join(t.TempDir(), "m.db")
	out := child(t, "TestFullChild", dir)
	t.Log(out)
	after(t, dir, out)
}
