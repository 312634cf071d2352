package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/dsl/ledger/ledgertest"
)

// flipData is the data of record n of the log that is flipped.
func flipData(n int) []byte { return bytes.Repeat([]byte(fmt.Sprintf("%d;", n)), 3+n*7%40) }

const flipCount = 9

// smallLog is a closed log of a few messages, of two partitions and of several,
// and its one block file.
func smallLog(t *testing.T) (dir, block string) {
	t.Helper()
	dir = t.TempDir()
	l, err := ledger.Open(t.Context(), ledger.Options{Dir: dir, Partitions: 5})
	if err != nil {
		t.Fatal(err)
	}
	last := map[int]uint64{}
	for n := range flipCount {
		p := 1 + n%2
		recs := []ledger.Record{{Space: ledgertest.SpaceOf(p, l.Partitions(), 0), Seq: uint64(n/2 + 1), Data: flipData(n)}}
		expect := max(last[p], last[ledger.Several])
		if n%3 == 1 {
			recs = append(recs, ledger.Record{Space: ledgertest.SpaceOf(3, l.Partitions(), 0), Seq: uint64(n + 1), Data: flipData(n)})
			p, expect = ledger.Several, uint64(n)
		}
		seq, err := l.Append(t.Context(), p, expect, recs)
		if err != nil {
			t.Fatal(err)
		}
		last[p] = seq
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond) // beyond the broker's duplicate window
	blocks, err := filepath.Glob(filepath.Join(dir, "jetstream", "$G", "streams", "ASOF", "msgs", "*.blk"))
	if err != nil || len(blocks) != 1 {
		t.Fatalf("blocks %v, %v", blocks, err)
	}
	return dir, blocks[0]
}

// right checks messages as they come: the bytes that were appended, or nothing.
func right(t *testing.T, what string) (*int, func(ledger.Message) error) {
	n := new(int)
	return n, func(m ledger.Message) error {
		want := 1
		if *n%3 == 1 {
			want = 2
		}
		if m.Seq != uint64(*n+1) || len(m.Records) != want {
			t.Errorf("%s: message %d is %+v", what, *n+1, m)
		}
		for _, r := range m.Records {
			if !bytes.Equal(r.Data, flipData(*n)) {
				t.Errorf("%s: message %d is %+v", what, *n+1, m)
			}
		}
		*n++
		return nil
	}
}

// verdict: all messages, or an error that names the damage. A last message that
// is not whole may be missing where the log was not closed in order.
func verdict(t *testing.T, what string, n int, err error, lastMayGo bool) {
	t.Helper()
	switch {
	case err == nil && n == flipCount, err == nil && lastMayGo && n == flipCount-1:
	case err == nil:
		t.Errorf("%s: %d messages of %d and no error", what, n, flipCount)
	case !errors.Is(err, ledger.ErrCorrupt) && !errors.Is(err, ledger.ErrGap):
		t.Errorf("%s: %v, which names no damage", what, err)
	}
}

// TestSalvageEveryByte flips every byte of a block file in turn, in two ways,
// and cuts it at every length, and reads it without a broker.
func TestSalvageEveryByte(t *testing.T) {
	dir, block := smallLog(t)
	whole, err := os.ReadFile(block)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, b []byte, lastMayGo bool) {
		t.Helper()
		if err := os.WriteFile(block, b, 0o640); err != nil {
			t.Fatal(err)
		}
		n, f := right(t, what)
		verdict(t, what, *n, func() error { err := ledger.Salvage(dir, "", f); return err }(), lastMayGo)
	}
	n, f := right(t, "whole")
	if err := ledger.Salvage(dir, "", f); err != nil || *n != flipCount {
		t.Fatalf("the whole log: %d messages, %v", *n, err)
	}
	for i := range whole {
		for _, x := range []byte{1, 0x80} {
			b := bytes.Clone(whole)
			b[i] ^= x
			try(fmt.Sprintf("byte %d of %d ^ %#x", i, len(whole), x), b, false)
		}
	}
	if err := os.WriteFile(block, whole[:len(whole)/2], 0o640); err != nil {
		t.Fatal(err)
	}
	got, f := right(t, "cut")
	if err := ledger.Salvage(dir, "", f); err != nil || *got == 0 || *got >= flipCount { // as after a kill: CLEAN names other sizes
		t.Errorf("a log cut in the middle: %d messages, %v", *got, err)
	}
	mine := errors.New("mine")
	if err := ledger.Salvage(dir, "", func(ledger.Message) error { return mine }); !errors.Is(err, mine) {
		t.Errorf("the caller's error: %v", err)
	}
	l := openEmbedded(t, dir)
	defer l.Close()
	if err := ledger.Salvage(dir, "", f); !errors.Is(err, ledger.ErrLocked) {
		t.Errorf("a log that is open: %v", err)
	}
}

// TestFlippedBlock opens and reads a log with the broker for every so many
// bytes flipped: all of it right, or an error; ASOF_LONG flips every byte.
func TestFlippedBlock(t *testing.T) {
	whole, block := smallLog(t)
	b, err := os.ReadFile(block)
	if err != nil {
		t.Fatal(err)
	}
	step := 67
	if testing.Short() {
		step = 397
	}
	if os.Getenv("ASOF_LONG") != "" {
		step = 1
	}
	for i := 0; i < len(b); i += step {
		for _, unclean := range []bool{false, true} {
			what := fmt.Sprintf("byte %d of %d, unclean %t", i, len(b), unclean)
			dir := filepath.Join(t.TempDir(), "log")
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(whole, block)
			if err != nil {
				t.Fatal(err)
			}
			change(t, filepath.Join(dir, rel), func(b []byte) []byte { b[i] ^= 4; return b })
			if unclean {
				for _, name := range []string{filepath.Join(filepath.Dir(filepath.Join(dir, rel)), "index.db"), filepath.Join(dir, "CLEAN")} {
					if err := os.Remove(name); err != nil {
						t.Fatal(err)
					}
				}
			}
			n, f := right(t, what)
			l, err := ledger.Open(t.Context(), ledger.Options{Dir: dir})
			if err == nil {
				err = l.Read(t.Context(), 1, f)
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			}
			verdict(t, what, *n, err, unclean)
		}
	}
}

// TestFaultyConformance holds that a faulty ledger without faults is a ledger.
func TestFaultyConformance(t *testing.T) {
	ledgertest.Run(t, func(*testing.T) ledger.Ledger { return &ledgertest.Faulty{Ledger: ledger.NewMemory(4)} })
}

// TestFaulty shows what a caller sees of each fault.
func TestFaulty(t *testing.T) {
	mine := errors.New("mine")
	faults := map[int]ledgertest.Fault{1: {Before: mine}, 2: {After: mine}, 4: {Tear: true}}
	f := &ledgertest.Faulty{Ledger: ledger.NewMemory(4), Plan: func(n int) ledgertest.Fault { return faults[n] }}
	defer f.Close()
	space := ledgertest.SpaceOf(1, 4, 0)
	put := func(expect, seq uint64) error {
		_, err := f.Append(t.Context(), 1, expect, []ledger.Record{{Space: space, Seq: seq, Data: []byte("x")}})
		return err
	}
	if err := put(0, 1); !errors.Is(err, mine) || errors.Is(err, ledger.ErrUnknownOutcome) {
		t.Errorf("before storing: %v", err)
	}
	if err := put(0, 1); !errors.Is(err, mine) || !errors.Is(err, ledger.ErrUnknownOutcome) || f.Lost() != 1 {
		t.Errorf("after storing: %v", err)
	}
	if err := put(0, 1); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("again: %v", err)
	}
	if err := put(1, 2); err != nil {
		t.Errorf("torn: %v", err)
	}
	faults[5] = ledgertest.Fault{Wait: func(ctx context.Context) error { return mine }}
	if err := put(2, 3); !errors.Is(err, ledger.ErrUnavailable) || !errors.Is(err, mine) {
		t.Errorf("slow, and given up: %v", err)
	}
	waited := false
	faults[6] = ledgertest.Fault{Wait: func(context.Context) error { waited = true; return nil }}
	if err := put(2, 3); err != nil || !waited {
		t.Errorf("slow: %v", err)
	}
	if all, err := ledgertest.Collect(t.Context(), f, 1); len(all) != 1 || !errors.Is(err, ledger.ErrCorrupt) {
		t.Errorf("%d messages before the torn one, %v", len(all), err)
	}
}
