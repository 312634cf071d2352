package ledger_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/dsl/ledger/ledgertest"
)

// childDir tells the test binary that it is the process to be killed.
const childDir = "ASOF_LEDGER_TEST_CHILD"

// grow appends count records of the given size to one space, from position 1 on, each as its own message.
func grow(t testing.TB, l ledger.Ledger, count, size int) {
	t.Helper()
	space := ledgertest.SpaceOf(1, l.Partitions(), 0)
	per, _, err := l.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last := per[1]
	for i := range count {
		rec := ledger.Record{Space: space, Seq: last + 1, Data: bytes.Repeat([]byte{byte('a' + i%26)}, size)}
		if last, err = l.Append(t.Context(), 1, last, []ledger.Record{rec}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKillChild is the process that TestKill kills; by itself it does nothing.
func TestKillChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("this is the process that TestKill starts")
	}
	l := openEmbedded(t, dir)
	per, _, err := l.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	space := ledgertest.SpaceOf(1, l.Partitions(), 0)
	other := ledgertest.SpaceOf(2, l.Partitions(), 0)
	for last := per[1]; ; {
		recs := []ledger.Record{{Space: space, Seq: last + 1, Data: bytes.Repeat([]byte(strconv.FormatUint(last+1, 10)+","), 300)}}
		p := 1
		if last%3 == 0 { // every third message is of several partitions
			p = ledger.Several
			recs = append(recs, ledger.Record{Space: other, Seq: last + 1, Data: recs[0].Data})
		}
		if last, err = l.Append(t.Context(), p, last, recs); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("acknowledged %d\n", last)
	}
}

// TestKill kills a writing process again and again: nothing that it saw acknowledged may be missing, the lock that it left
// must not be in the way, and a second opener is told its pid while it lives.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	acked := uint64(0)
	for round := range 4 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKillChild$")
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		target := acked + 50 + uint64(round)*37
		var said strings.Builder
		for acked < target && lines.Scan() {
			if n, ok := strings.CutPrefix(lines.Text(), "acknowledged "); ok {
				if acked, err = strconv.ParseUint(n, 10, 64); err != nil {
					t.Fatal(err)
				}
			} else {
				fmt.Fprintln(&said, lines.Text())
			}
		}
		if acked < target {
			_ = cmd.Wait()
			t.Fatalf("the child ended by itself: %s", said.String())
		}
		if _, err := ledger.Open(t.Context(), ledger.Options{Dir: dir}); !errors.Is(err, ledger.ErrLocked) ||
			!strings.Contains(err.Error(), fmt.Sprintf("process %d ", cmd.Process.Pid)) {
			t.Errorf("opening what process %d has open: %v", cmd.Process.Pid, err)
		}
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it said before it died counts too
			if n, ok := strings.CutPrefix(lines.Text(), "acknowledged "); ok {
				if seq, err := strconv.ParseUint(n, 10, 64); err == nil {
					acked = max(acked, seq)
				}
			}
		}
		_ = cmd.Wait()

		l := openEmbedded(t, dir)
		all, err := ledgertest.Collect(t.Context(), l, 1)
		if err != nil {
			t.Fatal(err)
		}
		if uint64(len(all)) < acked {
			t.Fatalf("%d messages are left of %d acknowledged", len(all), acked)
		}
		for i, m := range all {
			want := bytes.Repeat([]byte(strconv.Itoa(i+1)+","), 300)
			if i%3 == 0 && (m.Partition != ledger.Several || len(m.Records) != 2 || !bytes.Equal(m.Records[1].Data, want)) {
				t.Fatalf("message %d is no group any more", i+1)
			}
			if !bytes.Equal(m.Records[0].Data, want) {
				t.Fatalf("message %d holds other data", i+1)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		acked = uint64(len(all))
	}
}

// TestReopen closes and opens a log: same content, same settings, appends go on.
func TestReopen(t *testing.T) {
	dir := t.TempDir()
	for round := 1; round <= 3; round++ {
		l := openEmbedded(t, dir)
		if _, err := l.Intake().Put(t.Context(), ledger.Item{Space: "s", Kind: "turn", Data: []byte{byte(round)}}); err != nil {
			t.Fatal(err)
		}
		grow(t, l, 20, 100)
		all, err := ledgertest.Collect(t.Context(), l, 1)
		if err != nil || len(all) != 20*round {
			t.Fatalf("round %d: %d messages, %v", round, len(all), err)
		}
		waiting := 0
		if err := l.Intake().Pending(t.Context(), func(_ uint64, it ledger.Item) error {
			waiting++
			if it.Data[0] != byte(waiting) {
				t.Errorf("item %d holds %v", waiting, it.Data)
			}
			return nil
		}); err != nil || waiting != round {
			t.Fatalf("round %d: %d items wait, %v", round, waiting, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := ledger.Open(t.Context(), ledger.Options{Dir: dir, Partitions: 5})
	if !errors.Is(err, ledger.ErrMismatch) || !strings.Contains(err.Error(), "16 partitions, 5 are asked for") {
		t.Errorf("another number of partitions: %v", err)
	}
	l, err := ledger.Open(t.Context(), ledger.Options{Dir: dir, Partitions: 16}) // the failed opening left nothing behind
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// template is a closed log of two block files, made once.
func template(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	l := openEmbedded(t, dir)
	grow(t, l, 30, 400<<10) // 12 MB in blocks of 8 MiB
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	// The broker reads at its start what is younger than its duplicate window; a log that is opened later, as most are, is wanted.
	time.Sleep(200 * time.Millisecond)
	return dir
}

// copyLog copies a closed log; unclean leaves the copy as after a kill, without the broker's index and our mark.
func copyLog(t *testing.T, from string, unclean bool) (dir string, blocks []string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	msgs := filepath.Join(dir, "jetstream", "$G", "streams", "ASOF", "msgs")
	blocks, err := filepath.Glob(filepath.Join(msgs, "*.blk"))
	if err != nil || len(blocks) != 2 {
		t.Fatalf("blocks %v, %v", blocks, err)
	}
	if unclean {
		for _, name := range []string{filepath.Join(msgs, "index.db"), filepath.Join(dir, "CLEAN")} {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir, blocks
}

func change(t *testing.T, path string, f func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, f(b), 0o640); err != nil {
		t.Fatal(err)
	}
}

// TestDamage damages block files in every way that matters: never may a reader get wrong bytes, nor fewer messages
// without an error, nor may the files be cut.
func TestDamage(t *testing.T) {
	whole := template(t)
	flip := func(at func(n int) int) func([]byte) []byte {
		return func(b []byte) []byte { b[at(len(b))] ^= 1; return b }
	}
	for _, unclean := range []bool{false, true} {
		for _, c := range []struct {
			name  string
			block int
			f     func([]byte) []byte
		}{
			{"first block, data", 0, flip(func(n int) int { return n / 2 })},
			{"first block, first length", 0, flip(func(int) int { return 1 })},
			{"first block, subject", 0, flip(func(int) int { return 24 })},
			{"first block, last byte", 0, flip(func(n int) int { return n - 1 })},
			{"first block, cut", 0, func(b []byte) []byte { return b[:len(b)-100_000] }},
			{"last block, data", 1, flip(func(n int) int { return n / 2 })},
			{"last block, first length", 1, flip(func(int) int { return 1 })},
		} {
			t.Run(fmt.Sprintf("unclean=%t/%s", unclean, c.name), func(t *testing.T) {
				dir, blocks := copyLog(t, whole, unclean)
				change(t, blocks[c.block], c.f)
				size := fileSize(t, blocks[c.block])
				where, err := readDamaged(t, dir)
				if !errors.Is(err, ledger.ErrCorrupt) && !errors.Is(err, ledger.ErrGap) {
					t.Fatalf("%s gives %v, want ErrCorrupt or ErrGap", where, err)
				}
				if !strings.Contains(err.Error(), filepath.Base(blocks[c.block])) {
					t.Errorf("%s gives %v, which does not name %s", where, err, blocks[c.block])
				}
				if got := fileSize(t, blocks[c.block]); got != size {
					t.Errorf("the block has %d bytes after %s, it had %d", got, where, size)
				}
			})
		}
	}
	t.Run("a block is gone", func(t *testing.T) {
		dir, blocks := copyLog(t, whole, true)
		if err := os.Remove(blocks[0]); err != nil {
			t.Fatal(err)
		}
		if where, err := readDamaged(t, dir); !errors.Is(err, ledger.ErrGap) {
			t.Errorf("%s gives %v, want ErrGap", where, err)
		}
	})
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fi.Size()
}

// readDamaged opens a log and reads it whole; what it reads must be right up to the error.
func readDamaged(t *testing.T, dir string) (where string, err error) {
	t.Helper()
	l, err := ledger.Open(t.Context(), ledger.Options{Dir: dir})
	if err != nil {
		return "Open", err
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	n := 0
	err = l.Read(t.Context(), 1, func(m ledger.Message) error {
		if want := bytes.Repeat([]byte{byte('a' + n%26)}, 400<<10); !bytes.Equal(m.Records[0].Data, want) {
			t.Errorf("message %d holds other data", m.Seq)
		}
		n++
		return nil
	})
	return "Read", err
}

// TestTornTail cuts the last record in two, as a power cut does to one that was not acknowledged: the log opens without it,
// keeps its bytes aside and takes appends.
func TestTornTail(t *testing.T) {
	dir, blocks := copyLog(t, template(t), true)
	var cut []byte
	change(t, blocks[1], func(b []byte) []byte {
		const left = 1000 // of the last record, which is some 400 KiB long
		start := bytes.LastIndex(b, []byte("asof.log.01")) - 22
		cut = bytes.Clone(b[start : start+left])
		return b[:start+left]
	})
	l := openEmbedded(t, dir)
	defer l.Close()
	all, err := ledgertest.Collect(t.Context(), l, 1)
	if err != nil || len(all) != 29 {
		t.Fatalf("%d messages, %v; want the 29 whole ones", len(all), err)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "torn", "*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept %v, %v", kept, err)
	}
	if b, err := os.ReadFile(kept[0]); err != nil || !bytes.Equal(b, cut) {
		t.Errorf("%d bytes are kept, %v; want the %d that were cut", len(b), err, len(cut))
	}
	grow(t, l, 2, 10)
	if all, err = ledgertest.Collect(t.Context(), l, 1); err != nil || len(all) != 31 {
		t.Errorf("%d messages after two more, %v", len(all), err)
	}
}

// TestMemoryFailures shows what a caller sees of lost requests, lost acknowledgements and damage.
func TestMemoryFailures(t *testing.T) {
	l := ledger.NewMemory(4)
	defer l.Close()
	space := ledgertest.SpaceOf(1, 4, 0)
	rec := func(n uint64) []ledger.Record { return []ledger.Record{{Space: space, Seq: n, Data: []byte("x")}} }
	mine := errors.New("mine")
	l.FailBefore(mine)
	if _, err := l.Append(t.Context(), 1, 0, rec(1)); !errors.Is(err, mine) || errors.Is(err, ledger.ErrUnknownOutcome) {
		t.Errorf("before storing: %v", err)
	}
	l.FailAfter(mine)
	if _, err := l.Append(t.Context(), 1, 0, rec(1)); !errors.Is(err, mine) || !errors.Is(err, ledger.ErrUnknownOutcome) {
		t.Errorf("after storing: %v", err)
	}
	if _, err := l.Append(t.Context(), 1, 0, rec(1)); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("the same again, after its acknowledgement was lost: %v, want ErrConflict", err)
	}
	if _, err := l.Append(t.Context(), 1, 1, rec(2)); err != nil {
		t.Fatal(err)
	}
	l.Damage(2, func(b []byte) []byte { b[len(b)-1] ^= 1; return b })
	all, err := ledgertest.Collect(context.Background(), l, 1)
	if !errors.Is(err, ledger.ErrCorrupt) || len(all) != 1 || !strings.Contains(err.Error(), "message 2, byte ") {
		t.Errorf("%d messages, then %v", len(all), err)
	}
}
