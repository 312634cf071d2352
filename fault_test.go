package asof_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/dsl/ledger/ledgertest"
	"github.com/asof-db/asof/store"
)

// insist sends items until each call is answered without an error, as a client
// does who is told that the outcome is unknown. It gives the number of calls
// that failed.
func insist(t *testing.T, db *asof.DB, items []asof.Item) (failed int) {
	t.Helper()
	for tries := 0; ; tries++ {
		_, err := db.Ingest(ctx, items)
		if err == nil {
			return failed
		}
		if failed++; tries > 50 || !errors.Is(err, errDisk) && !errors.Is(err, ledger.ErrUnknownOutcome) && !errors.Is(err, ledger.ErrUnavailable) {
			t.Fatalf("after %d tries: %v", tries, err)
		}
	}
}

var errDisk = errors.New("a fault on purpose")

// TestFaultyLedger sends conversations through a ledger that refuses appends,
// loses acknowledgements and is slow: what was acknowledged is there at every
// moment, and in the end the memory is that of a ledger without faults.
func TestFaultyLedger(t *testing.T) {
	items := append(talk("a", 60, 1), talk("b", 60, 2)...)
	calm := openAt(t, "")
	ingest(t, calm, items)
	for name, under := range map[string]func(t *testing.T) ledger.Ledger{
		"memory": func(*testing.T) ledger.Ledger { return ledger.NewMemory(4) },
		"embedded": func(t *testing.T) ledger.Ledger {
			l, err := ledger.Open(ctx, ledger.Options{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			return l
		},
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, 4))
			f := &ledgertest.Faulty{Ledger: under(t), Plan: func(int) ledgertest.Fault {
				switch random.IntN(5) {
				case 0:
					return ledgertest.Fault{Before: fmt.Errorf("%w: %w", ledger.ErrUnavailable, errDisk)}
				case 1:
					return ledgertest.Fault{After: errDisk}
				case 2:
					return ledgertest.Fault{Before: fmt.Errorf("%w: %w", ledger.ErrUnknownOutcome, errDisk)} // lost on the way
				}
				return ledgertest.Fault{}
			}}
			db, err := asof.Open(ctx, asof.Options{Ledger: f})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			failed := 0
			for i := 0; i < len(items); i += 3 {
				part := items[i:min(i+3, len(items))]
				failed += insist(t, db, part)
				for _, it := range part { // acknowledged: there
					v, err := db.View(it.Space, asof.At{})
					if err != nil {
						t.Fatal(err)
					}
					if _, err := v.Turn(it.Turn.ID); err != nil {
						t.Errorf("%s is acknowledged: %v", it.Turn.ID, err)
					}
					v.Close()
				}
			}
			if failed < 10 || f.Lost() == 0 {
				t.Errorf("%d calls failed, %d acknowledgements were lost: too few to prove anything", failed, f.Lost())
			}
			for _, space := range []string{"a", "b"} {
				if got, want := digest(t, db, space), digest(t, calm, space); got != want {
					t.Errorf("space %s: digest %s, without faults %s", space, got, want)
				}
			}
			if a, err := db.Audit(ctx, ""); err != nil || !a.OK() {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}

// TestFaultyLedgerMany has many callers over one ledger that loses
// acknowledgements.
func TestFaultyLedgerMany(t *testing.T) {
	var mu sync.Mutex // guards random
	random := rand.New(rand.NewPCG(5, 6))
	f := &ledgertest.Faulty{Ledger: ledger.NewMemory(4), Plan: func(int) ledgertest.Fault {
		mu.Lock()
		defer mu.Unlock()
		if random.IntN(4) == 0 {
			return ledgertest.Fault{After: errDisk}
		}
		return ledgertest.Fault{}
	}}
	db, err := asof.Open(ctx, asof.Options{Ledger: f})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var callers sync.WaitGroup
	for i := range 6 {
		callers.Go(func() {
			for _, it := range talk(fmt.Sprintf("s%d", i), 25, int64(i)) {
				insist(t, db, []asof.Item{it})
			}
		})
	}
	callers.Wait()
	for i := range 6 {
		if h, err := db.Head(fmt.Sprintf("s%d", i)); err != nil || h.Turns != 25 {
			t.Errorf("space s%d has %d turns, %v", i, h.Turns, err)
		}
	}
	if a, err := db.Audit(ctx, ""); err != nil || !a.OK() {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestTornLedger opens a memory whose log is torn: it refuses, and tells what is
// before the damage.
func TestTornLedger(t *testing.T) {
	f := &ledgertest.Faulty{Ledger: ledger.NewMemory(4), KeepOpen: true, Plan: func(n int) ledgertest.Fault { return ledgertest.Fault{Tear: n == 4} }}
	db, err := asof.Open(ctx, asof.Options{Ledger: f})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range talk("s", 6, 1) {
		ingest(t, db, []asof.Item{it})
	}
	if a, err := db.Audit(ctx, ""); err != nil || a.Chain != "faulty" || a.Entries != 3 {
		t.Errorf("audit of a torn log: %+v, %v", a, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := asof.Open(ctx, asof.Options{Ledger: f}); !errors.Is(err, ledger.ErrCorrupt) || !strings.Contains(err.Error(), "message 4") {
		t.Errorf("opening a torn log: %v", err)
	}
	if err := f.Ledger.Close(); err != nil {
		t.Error(err)
	}
}

// TestFullStore fails the store's disk, for good, while turns come in: the store
// stops, and with it all writes; reads go on; what was acknowledged is there when
// the memory is opened again.
func TestFullStore(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		hits func(errorfs.Op) bool
	}{
		{"every write", syscall.ENOSPC, func(op errorfs.Op) bool { return op.Kind.ReadOrWrite() == errorfs.OpIsWrite }},
		{"the write-ahead log", syscall.EIO, func(op errorfs.Op) bool {
			return op.Kind == errorfs.OpFileWrite && strings.HasSuffix(op.Path, ".log")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			broken := errorfs.InjectorFunc(func(op errorfs.Op) error {
				if c.hits(op) {
					return c.err
				}
				return nil
			})
			toggle := &errorfs.Toggle{Injector: broken}
			db, err := asof.Open(ctx, asof.WithStoreFS(asof.Options{Dir: dir}, errorfs.Wrap(vfs.Default, toggle)))
			if err != nil {
				t.Fatal(err)
			}
			acked := 0
			for i, it := range talk("s", 2000, 1) {
				if i == 50 {
					toggle.On()
				}
				if _, err = db.Ingest(ctx, []asof.Item{it}); err != nil {
					break
				}
				acked = i + 1
			}
			if !errors.Is(err, store.ErrStopped) || !errors.Is(err, c.err) || acked < 50 {
				t.Fatalf("after %d turns: %v", acked, err)
			}
			if _, err := db.Ingest(ctx, talk("other", 1, 2)); !errors.Is(err, store.ErrStopped) || !strings.Contains(err.Error(), "writes stopped") {
				t.Errorf("the next write: %v", err)
			}
			if _, err := db.Backup(ctx, filepath.Join(t.TempDir(), "b"), asof.BackupOptions{}); !errors.Is(err, store.ErrStopped) {
				t.Errorf("a backup: %v", err)
			}
			v, err := db.View("s", asof.At{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range acked {
				if _, err := v.Turn(fmt.Sprintf("t%d", i)); err != nil {
					t.Fatalf("turn %d of %d: %v", i, acked, err)
				}
			}
			if err := errors.Join(v.Close(), db.Close()); err != nil {
				t.Error(err)
			}
			again := openAt(t, dir)
			if h, err := again.Head("s"); err != nil || int(h.Turns) < acked {
				t.Errorf("%d turns of %d acknowledged, %v", h.Turns, acked, err)
			}
			ingest(t, again, talk("s", 2000, 1)[:acked+10])
		})
	}
}

// full runs in a process of its own whose files cannot grow, or whose disk is
// small: it takes turns until a write fails, and holds what must then hold.
func full(t *testing.T, dir string) {
	db := openAt(t, dir)
	acked := 0
	var err error
	for i, it := range talk("s", 20_000, 1) {
		if _, err = db.Ingest(ctx, []asof.Item{it}); err != nil {
			break
		}
		acked = i + 1
	}
	if err == nil {
		t.Fatal("the disk never became full")
	}
	fmt.Printf("acknowledged %d\nfailed with %v\n", acked, err)
	if !errors.Is(err, store.ErrStopped) && !errors.Is(err, ledger.ErrUnknownOutcome) && !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("the error does not say which part: %v", err)
	}
	for range 2 {
		if _, err := db.Ingest(ctx, talk("other", 1, 2)); err == nil {
			t.Error("a write after the failed one is taken")
		} else if !strings.Contains(err.Error(), "open it again") {
			t.Errorf("the next write does not say what to do: %v", err)
		}
	}
	v, err := db.View("s", asof.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for i := range acked { // reads go on
		if _, err := v.Turn(fmt.Sprintf("t%d", i)); err != nil {
			t.Fatalf("turn %d of %d is acknowledged: %v", i, acked, err)
		}
	}
}

// after holds what must hold once there is room again.
func after(t *testing.T, dir, out string) {
	t.Helper()
	acked := 0
	if i := strings.Index(out, "acknowledged "); i < 0 {
		t.Fatalf("the process says %s", out)
	} else if _, err := fmt.Sscanf(out[i:], "acknowledged %d", &acked); err != nil || acked == 0 {
		t.Fatalf("the process says %s", out)
	}
	db := openAt(t, dir)
	items := talk("s", acked+20, 1)
	h, err := db.Head("s")
	if err != nil || int(h.Turns) < acked {
		t.Fatalf("%d turns are left of %d acknowledged, %v", h.Turns, acked, err)
	}
	ingest(t, db, items)
	calm := openAt(t, "")
	ingest(t, calm, items)
	if digest(t, db, "s") != digest(t, calm, "s") {
		t.Error("the memory is not the one that nobody disturbed")
	}
	if r, err := db.Check(ctx, ""); err != nil || len(r.Faults) > 0 {
		t.Errorf("check: %+v, %v", r.Faults, err)
	}
}

// child runs a test of this binary in another process.
func child(t *testing.T, test, dir string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), fullDir+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// fullDir tells the test binary that it is the process whose disk is full.
const fullDir = "ASOF_TEST_FULL"

// TestSmallDisk takes turns on a disk of a few megabytes until it is full.
func TestSmallDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("mounting a small disk needs root")
	}
	mount := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", mount).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted here: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", mount).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	dir := filepath.Join(mount, "m.db")
	out := child(t, "TestFullChild", dir)
	if !strings.Contains(out, "no space left") {
		t.Errorf("the process does not say why: %s", out)
	}
	if out, err := exec.Command("mount", "-o", "remount,size=256m", mount).CombinedOutput(); err != nil {
		t.Fatalf("make it larger: %v: %s", err, out)
	}
	t.Run("after", func(t *testing.T) { after(t, dir, out) })
}
