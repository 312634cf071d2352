package store_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// readAll and rewrite are os.ReadFile and os.WriteFile for a vfs.FS.
func readAll(t *testing.T, fs vfs.FS, name string) []byte {
	t.Helper()
	f, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return b
}

func rewrite(t *testing.T, fs vfs.FS, name string, b []byte) {
	t.Helper()
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(slices.Clone(b))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedFiles flips bytes in, cuts and removes each of the files that a
// killed process leaves. Opening the store, or checking it, must name the
// damage, or the store must be a prefix of the log that takes the rest and
// answers right.
func TestDamagedFiles(t *testing.T) {
	txs, every := 60, 16
	if testing.Short() {
		txs, every = 24, 7
	}
	h := newChronicle(t, 2, txs)
	live := vfs.NewCrashableMem()
	s, err := store.Open(diskOptions(live))
	if err != nil {
		t.Fatal(err)
	}
	for i, tx := range h.txs {
		applyTo(t, s, tx)
		if i%every == every-1 {
			if err := store.FlushSoon(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	killed := live.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := killed.List("db")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	flips := 2
	if testing.Short() {
		flips = 1
	}
	if os.Getenv("ASOF_LONG") != "" {
		flips = 60
	}
	random := rand.New(rand.NewPCG(5, 6))
	fates := map[string]int{}
	for _, name := range names {
		full := path.Join("db", name)
		whole := readAll(t, killed, full)
		damages := map[string][]byte{"gone": nil}
		if len(whole) > 0 {
			damages["cut"] = whole[:random.IntN(len(whole))]
			damages["empty"] = []byte{}
			for i := range flips {
				b := slices.Clone(whole)
				b[random.IntN(len(b))] ^= byte(1 + random.IntN(255))
				damages["flip "+string(rune('a'+i%26))+string(rune('a'+i/26))] = b
			}
		}
		for how, b := range damages {
			fs := killed.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
			if b == nil {
				if err := fs.Remove(full); err != nil {
					t.Fatal(err)
				}
			} else {
				rewrite(t, fs, full, b)
			}
			fate := h.openDamaged(t, name+" "+how, fs)
			fates[name[:min(4, len(name))]+name[max(0, len(name)-4):]+" "+how[:3]+": "+fate]++
		}
	}
	for _, k := range slices.Sorted(maps.Keys(fates)) {
		t.Logf("%3d × %s", fates[k], k)
	}
}

// openDamaged gives what became of a store with one damaged file.
func (h *chronicle) openDamaged(t *testing.T, what string, fs vfs.FS) string {
	t.Helper()
	s, err := store.Open(diskOptions(fs))
	if err != nil {
		if !errors.Is(err, dsl.ErrCorrupt) {
			t.Errorf("%s: open: %v, which is not ErrCorrupt", what, err)
		}
		return "refused"
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Logf("%s: close: %v", what, err)
		}
	}()
	n := 0
	for _, space := range []string{"a", "b"} {
		p, err := s.Head(space)
		if err != nil {
			if !errors.Is(err, dsl.ErrCorrupt) && !pebble.IsCorruptionError(err) {
				t.Errorf("%s: a read: %v, which is no damage", what, err)
			}
			return "told by a read"
		}
		n += int(p.Seq)
	}
	for _, tx := range h.txs[min(n, len(h.txs)):] {
		if err := commit(s, tx); err != nil {
			if !errors.Is(err, dsl.ErrCorrupt) && !pebble.IsCorruptionError(err) {
				t.Errorf("%s: catching up: %v, which is no damage", what, err)
			}
			return "told while catching up"
		}
	}
	rep, err := s.Check(context.Background(), "", store.CheckOptions{})
	if err != nil || !rep.OK() {
		if n == len(h.txs) || err != nil {
			return "told by check"
		}
		for _, f := range rep.Faults {
			t.Errorf("%s: after catching up from %d: %s %s: %s", what, n, f.Space, f.Position, f.Message)
		}
		return "a hole"
	}
	h.prefix(t, s)
	h.same(t, s)
	if n < len(h.txs) {
		return "a shorter prefix"
	}
	return "whole"
}
