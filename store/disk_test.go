package store_test

import (
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// chronicle is a log of two spaces, with the digest of each position.
type chronicle struct {
	txs     []*dsl.Tx
	digests map[string][]dsl.Hash
	calm    *store.Store
}

func newChronicle(t *testing.T, seed uint64, n int) *chronicle {
	h := &chronicle{digests: map[string][]dsl.Hash{}, calm: openMem(t)}
	random := rand.New(rand.NewPCG(seed, 11))
	gens := []*storetest.Gen{storetest.NewGen("a", random.IntN), storetest.NewGen("b", random.IntN)}
	for range n {
		tx := gens[random.IntN(2)].Next()
		h.txs = append(h.txs, tx)
		applyTo(t, h.calm, tx)
		p, err := h.calm.Head(tx.Space)
		if err != nil {
			t.Fatal(err)
		}
		h.digests[tx.Space] = append(h.digests[tx.Space], p.Digest)
	}
	return h
}

// prefix checks that a store holds the first so many transactions and nothing
// else, and tells how many.
func (h *chronicle) prefix(t *testing.T, s *store.Store) int {
	t.Helper()
	heads := map[string]dsl.Seq{}
	for _, space := range []string{"a", "b"} {
		p, err := s.Head(space)
		if err != nil {
			t.Fatal(err)
		}
		if heads[space] = p.Seq; p.Seq > 0 && p.Digest != h.digests[space][p.Seq-1] {
			t.Fatalf("space %s at %s has the digest %s, want %s", space, p.Seq, p.Digest, h.digests[space][p.Seq-1])
		}
	}
	n := int(heads["a"] + heads["b"])
	for _, tx := range h.txs[:n] {
		if tx.Seq > heads[tx.Space] {
			t.Fatalf("the store holds %v, which is no prefix of the log: %s %s is missing", heads, tx.Space, tx.Seq)
		}
	}
	return n
}

// finish applies what a store lacks, and checks all of it.
func (h *chronicle) finish(t *testing.T, s *store.Store) {
	t.Helper()
	n := h.prefix(t, s)
	for ; n < len(h.txs); n++ {
		applyTo(t, s, h.txs[n])
	}
	h.prefix(t, s)
	for _, f := range check(t, s, store.CheckOptions{}).Faults {
		t.Fatalf("%s %s %s: %s", f.Space, f.Position, f.Kind, f.Message)
	}
}

func diskOptions(fs vfs.FS) store.Options {
	return store.Options{Dir: "db", FS: fs, CacheBytes: 1 << 20, MemtableBytes: 1 << 20, Logger: slog.New(slog.DiscardHandler)}
}

// failing is a file system that fails at one write, or at it and every later
// one, or in the middle of one.
type failing struct {
	mu     sync.Mutex // guards what follows
	count  int
	at     int
	sticky bool
	err    error
	hit    string // the operation that failed first
	seen   []string
	// passing lets all through.
	passing bool
}

// MaybeError implements errorfs.Injector.
func (f *failing) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() == errorfs.OpIsRead || op.Kind == errorfs.OpLock {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.passing {
		return nil
	}
	f.count++
	if f.at == 0 {
		f.seen = append(f.seen, opName(op))
	}
	if f.at == 0 || f.count < f.at || f.count > f.at && !f.sticky {
		return nil
	}
	if f.hit == "" {
		f.hit = opName(op)
	}
	return f.err
}

// opName says what was done to what sort of file.
func opName(op errorfs.Op) string {
	what := map[errorfs.OpKind]string{errorfs.OpCreate: "create", errorfs.OpFileWrite: "write", errorfs.OpFileSync: "sync",
		errorfs.OpFileSyncData: "sync", errorfs.OpFileSyncTo: "sync", errorfs.OpRename: "rename", errorfs.OpReuseForWrite: "reuse",
		errorfs.OpRemove: "remove", errorfs.OpMkdirAll: "mkdir", errorfs.OpLink: "link", errorfs.OpFilePreallocate: "preallocate"}[op.Kind]
	base := op.Path[strings.LastIndex(op.Path, "/")+1:]
	for _, kind := range []string{"MANIFEST", "OPTIONS", "SEAL", "marker", "temporary"} {
		if strings.HasPrefix(base, kind) {
			return what + " " + kind
		}
	}
	if i := strings.LastIndex(base, "."); i >= 0 {
		return what + " " + base[i:]
	}
	return what + " folder"
}

func (f *failing) String() string { return "fails at one write" }

// short is a file system on top of a failing one whose failed writes have
// written a half.
type short struct {
	vfs.FS
	f *failing
}

// Create implements vfs.FS.
func (s short) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := s.FS.Create(name, c)
	if err != nil {
		return nil, err
	}
	return shortFile{f, s.f}, nil
}

// ReuseForWrite implements vfs.FS.
func (s short) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := s.FS.ReuseForWrite(from, to, c)
	if err != nil {
		return nil, err
	}
	return shortFile{f, s.f}, nil
}

type shortFile struct {
	vfs.File
	f *failing
}

// Write implements vfs.File.
func (f shortFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	if err == nil {
		return n, nil
	}
	f.f.mu.Lock()
	f.f.passing = true
	f.f.mu.Unlock()
	n, _ = f.File.Write(p[:len(p)/2])
	f.f.mu.Lock()
	f.f.passing = false
	f.f.mu.Unlock()
	return n, err
}

// runOn applies the chronicle to a store until it stops. It gives the number of
// transactions that were committed and what stopped it.
func (h *chronicle) runOn(t *testing.T, s *store.Store, random *rand.Rand) (n int, err error) {
	for n < len(h.txs) {
		k := min(1+random.IntN(6), len(h.txs)-n)
		if err := commit(s, h.txs[n:n+k]...); err != nil {
			return n, err
		}
		n += k
		if random.IntN(8) == 0 {
			if err := store.FlushSoon(s); err != nil {
				return n, err
			}
		}
	}
	return n, s.Stopped()
}

// TestFailingDisk fails the store's disk at seeded writes, whatever they are: of
// the write-ahead log, a table, the manifest, a marker, a folder. The store must
// say so, take no more, and answer as before; what is then on the disk, as it is
// and as after a power cut, must open as a prefix of the log and take the rest.
func TestFailingDisk(t *testing.T) {
	h := newChronicle(t, 1, 80)
	trials := 40
	if testing.Short() {
		trials = 10
	}
	if os.Getenv("ASOF_LONG") != "" {
		trials = 1500
	}
	calm := &failing{}
	s, err := store.Open(diskOptions(errorfs.Wrap(vfs.NewCrashableMem(), calm)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.runOn(t, s, rand.New(rand.NewPCG(1, 2))); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// The operations take turns, however often each occurs. Background work makes
	// the same run a little different each time, so a trial may hit its neighbour.
	places := map[string][]int{}
	for i, name := range calm.seen {
		places[name] = append(places[name], i+1)
	}
	kinds := slices.Sorted(maps.Keys(places))
	hits := map[string]int{}
	for trial := range trials {
		random := rand.New(rand.NewPCG(uint64(trial), 3))
		at := places[kinds[trial%len(kinds)]]
		f := &failing{at: at[random.IntN(len(at))], sticky: random.IntN(2) == 0}
		f.err = []error{syscall.ENOSPC, syscall.EIO}[random.IntN(2)]
		disk := vfs.NewCrashableMem()
		var fs vfs.FS = errorfs.Wrap(disk, f)
		if random.IntN(3) == 0 {
			fs = short{fs, f}
		}
		h.failAt(t, trial, f, fs, disk, random)
		hits[f.hit]++
	}
	t.Logf("%d writes without a failure; failed at %v", calm.count, hits)
	if len(hits) < 8 && !testing.Short() {
		t.Errorf("the trials failed at %d sorts of operations only", len(hits))
	}
}

func (h *chronicle) failAt(t *testing.T, trial int, f *failing, fs vfs.FS, disk *vfs.MemFS, random *rand.Rand) {
	t.Helper()
	s, err := store.Open(diskOptions(fs))
	if err != nil {
		if !errors.Is(err, f.err) {
			t.Fatalf("trial %d, %s: open: %v", trial, f.hit, err)
		}
	} else {
		n, err := h.runOn(t, s, random)
		if err != nil && (!errors.Is(err, store.ErrStopped) || !errors.Is(err, f.err)) {
			t.Fatalf("trial %d, %s: %v", trial, f.hit, err)
		}
		if err == nil && n < len(h.txs) {
			t.Fatalf("trial %d, %s: only %d transactions and no error", trial, f.hit, n)
		}
		if stopped := s.Stopped(); err != nil && !errors.Is(stopped, f.err) {
			t.Fatalf("trial %d: after %v: Stopped %v", trial, err, stopped)
		}
		if err != nil {
			if _, again := s.Stage(); !errors.Is(again, store.ErrStopped) {
				t.Fatalf("trial %d: after %v a stage begins: %v", trial, err, again)
			}
		}
		if got := h.prefix(t, s); got != n {
			t.Fatalf("trial %d, %s: %d transactions were committed, %d can be read", trial, f.hit, n, got)
		}
		if trial%4 == 0 {
			h.same(t, s)
		}
		crashed := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: random.IntN(101), RNG: random})
		h.reopen(t, trial, f, crashed)
		if err := s.Close(); err != nil {
			t.Fatalf("trial %d, %s: close: %v", trial, f.hit, err)
		}
	}
	h.reopen(t, trial, f, disk)
}

// same compares all that a store tells with what the calm one does.
func (h *chronicle) same(t *testing.T, s *store.Store) {
	t.Helper()
	for _, space := range []string{"a", "b"} {
		p, err := s.Head(space)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.At(space, p.Seq)
		if err != nil {
			t.Fatal(err)
		}
		want, err := h.calm.At(space, p.Seq)
		if err != nil {
			t.Fatal(err)
		}
		storetest.Compare(t, want, got)
		if err := errors.Join(got.Close(), want.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func (h *chronicle) reopen(t *testing.T, trial int, f *failing, fs vfs.FS) {
	t.Helper()
	s, err := store.Open(diskOptions(fs))
	if err != nil {
		t.Fatalf("trial %d, %s: open again: %v", trial, f.hit, err)
	}
	h.finish(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
