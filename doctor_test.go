package asof_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
)

// sick is a closed memory of two spaces, to be damaged.
func sick(t *testing.T, n int) (dir string, heads map[string]dsl.Hash) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "m.db")
	db := openAt(t, dir)
	for _, it := range append(talk("a", n, 1), talk("b", n, 2)...) {
		ingest(t, db, []asof.Item{it}) // a message each
	}
	if err := db.Close(); err != nil { // what is in memory becomes a table at the next opening
		t.Fatal(err)
	}
	db = openAt(t, dir)
	heads = map[string]dsl.Hash{"a": digest(t, db, "a"), "b": digest(t, db, "b")}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, heads
}

func examine(t *testing.T, dir string) asof.DoctorReport {
	t.Helper()
	r, err := asof.Doctor(ctx, asof.DoctorOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// one gives the only file that a pattern names.
func one(t *testing.T, pattern string) string {
	t.Helper()
	list, err := filepath.Glob(pattern)
	if err != nil || len(list) == 0 {
		t.Fatalf("%s names %v, %v", pattern, list, err)
	}
	return list[len(list)-1]
}

func flip(t *testing.T, path string, at int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[at%len(b)] ^= 0x10
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDoctor damages a memory in one way after the other. The doctor must name
// the part, say what mends it, and the error of Open must point to the doctor.
func TestDoctor(t *testing.T) {
	whole, heads := sick(t, 25)
	shorter, _ := sick(t, 10)
	blocks := filepath.Join("log", "jetstream", "$G", "streams", "ASOF", "msgs", "*.blk")
	replaceLog := func(t *testing.T, dir, from string) {
		if err := errors.Join(os.RemoveAll(filepath.Join(dir, "log")), os.CopyFS(filepath.Join(dir, "log"), os.DirFS(filepath.Join(from, "log")))); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, part, says, mend string
		open                   error // what Open says, nil for nothing
		do                     func(t *testing.T, dir string)
	}{
		{name: "nothing", do: func(*testing.T, string) {}},
		{name: "no store", do: func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, "store")); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "no folder", part: "folder", says: "no such folder", mend: "asof restore", do: func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "no log", part: "log", says: "the log is gone", mend: "asof restore", open: asof.ErrStoreAhead, do: func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, "log")); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a manifest that is flipped", part: "store", says: "damaged", mend: "--rebuild-store", open: dsl.ErrCorrupt, do: func(t *testing.T, dir string) {
			flip(t, one(t, filepath.Join(dir, "store", "MANIFEST-*")), 20)
		}},
		{name: "a store without its marker", part: "store", says: "no marker", mend: "--rebuild-store", open: dsl.ErrCorrupt, do: func(t *testing.T, dir string) {
			if err := os.Remove(one(t, filepath.Join(dir, "store", "marker.manifest*"))); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "another format", part: "store", says: "another version", mend: "--rebuild-store", open: dsl.ErrUnsupportedFormat, do: func(t *testing.T, dir string) {
			p, err := pebble.Open(filepath.Join(dir, "store"), &pebble.Options{FormatMajorVersion: pebble.FormatNewest, Logger: silent{}})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(p.Set([]byte{0, 'f'}, []byte("\x00\x00\x00\x63analyzer"), pebble.Sync), p.Close()); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a row that is gone", part: "store", says: "", mend: "--rebuild-store", do: func(t *testing.T, dir string) {
			p, err := pebble.Open(filepath.Join(dir, "store"), &pebble.Options{FormatMajorVersion: pebble.FormatNewest, Logger: silent{}})
			if err != nil {
				t.Fatal(err)
			}
			it, err := p.NewIter(nil)
			if err != nil {
				t.Fatal(err)
			}
			for it.First(); it.Valid(); it.Next() {
				if k := it.Key(); len(k) > 9 && k[9] == 'f' {
					if err := p.Delete(k, pebble.Sync); err != nil {
						t.Fatal(err)
					}
					break
				}
			}
			if err := errors.Join(it.Close(), p.Close()); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a table that is flipped", part: "store", says: "checksum mismatch", mend: "--rebuild-store", do: func(t *testing.T, dir string) {
			path := one(t, filepath.Join(dir, "store", "*.sst"))
			for at := 100; at < 20_000; at += 900 { // in every block
				flip(t, path, at)
			}
		}},
		{name: "a block that is flipped", part: "log", says: ".blk, byte", mend: "--salvage", open: ledger.ErrCorrupt, do: func(t *testing.T, dir string) {
			flip(t, one(t, filepath.Join(dir, blocks)), 30_000)
		}},
		{name: "a log that was cut", part: "store", says: "ahead of its log", mend: "asof restore", open: asof.ErrStoreAhead, do: func(t *testing.T, dir string) {
			replaceLog(t, dir, shorter)
		}},
		{name: "a block that was cut", part: "log", says: "damaged", mend: "asof restore", open: ledger.ErrGap, do: func(t *testing.T, dir string) {
			path := one(t, filepath.Join(dir, blocks))
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, info.Size()-40); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copyOf(t, whole)
			c.do(t, dir)
			r := examine(t, dir)
			if r.OK() != (c.part == "") {
				t.Fatalf("%+v", r)
			}
			i := slices.IndexFunc(r.Faults, func(d asof.Damage) bool { return d.Part == c.part && strings.Contains(d.Problem, c.says) })
			if c.part != "" && i < 0 {
				t.Fatalf("no fault of the %s says %q: %+v", c.part, c.says, r.Faults)
			}
			if c.part != "" && !strings.Contains(strings.Join(r.Faults[i].Mend, "\n"), c.mend) {
				t.Errorf("%q does not mend it: %q", c.mend, r.Faults[i].Mend)
			}
			if c.open != nil {
				_, err := asof.Open(ctx, asof.Options{Dir: dir})
				if !errors.Is(err, c.open) || !strings.Contains(err.Error(), "asof doctor --dir "+dir) {
					t.Errorf("Open: %v", err)
				}
			}
			if c.mend == "--rebuild-store" {
				rep, err := asof.RebuildStore(ctx, asof.Options{Dir: dir})
				if err != nil || len(rep.Heads) != 2 {
					t.Fatalf("%+v, %v", rep, err)
				}
				for _, h := range rep.Heads {
					if h.Digest != heads[h.Space] {
						t.Errorf("space %s has the digest %s after the rebuild, it had %s", h.Space, h.Digest, heads[h.Space])
					}
				}
				if r := examine(t, dir); !r.OK() {
					t.Errorf("after the rebuild: %+v", r.Faults)
				}
			}
		})
	}
}

// TestDoctorInUse looks at a memory that is open.
func TestDoctorInUse(t *testing.T) {
	dir := t.TempDir()
	openAt(t, dir)
	r := examine(t, dir)
	if r.OK() || r.Faults[0].Part != "lock" || !strings.Contains(r.Faults[0].Problem, "process") {
		t.Errorf("%+v", r)
	}
	if _, err := asof.RebuildStore(ctx, asof.Options{Dir: dir}); !errors.Is(err, asof.ErrInUse) {
		t.Errorf("a rebuild of what is open: %v", err)
	}
}

// TestRebuildKeepsTheOldStore fails to rebuild from a damaged log: the store
// that was there is there still.
func TestRebuildKeepsTheOldStore(t *testing.T) {
	dir, _ := sick(t, 25)
	flip(t, one(t, filepath.Join(dir, "log", "jetstream", "$G", "streams", "ASOF", "msgs", "*.blk")), 30_000)
	before, err := os.ReadDir(filepath.Join(dir, "store"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := asof.RebuildStore(ctx, asof.Options{Dir: dir}); !errors.Is(err, ledger.ErrCorrupt) {
		t.Errorf("%v", err)
	}
	after, err := os.ReadDir(filepath.Join(dir, "store"))
	if err != nil || len(before) != len(after) {
		t.Errorf("%d files before, %d after, %v", len(before), len(after), err)
	}
	if _, err := asof.RebuildStore(ctx, asof.Options{Dir: t.TempDir()}); !errors.Is(err, dsl.ErrNotFound) {
		t.Errorf("a folder without a log: %v", err)
	}
}

// TestSalvage saves what comes before the damage, and all of a whole log.
func TestSalvage(t *testing.T) {
	dir, heads := sick(t, 25)
	to := filepath.Join(t.TempDir(), "all")
	rep, err := asof.Salvage(ctx, dir, to, asof.Options{})
	if err != nil || rep.Damage != "" || rep.Entries != 50 {
		t.Fatalf("%+v, %v", rep, err)
	}
	for _, h := range rep.Heads {
		if h.Digest != heads[h.Space] {
			t.Errorf("space %s: %s, want %s", h.Space, h.Digest, heads[h.Space])
		}
	}
	flip(t, one(t, filepath.Join(dir, "log", "jetstream", "$G", "streams", "ASOF", "msgs", "*.blk")), 30_000)
	part := filepath.Join(t.TempDir(), "part")
	if rep, err = asof.Salvage(ctx, dir, part, asof.Options{}); err != nil || rep.Damage == "" || rep.Entries == 0 || rep.Entries >= 50 {
		t.Fatalf("%+v, %v", rep, err)
	}
	if r := examine(t, part); !r.OK() {
		t.Errorf("what was saved: %+v", r.Faults)
	}
	db := openAt(t, part)
	n := 0
	for _, h := range rep.Heads {
		n += int(h.Position)
		if digest(t, db, h.Space) != h.Digest {
			t.Errorf("space %s differs", h.Space)
		}
	}
	if n != rep.Entries {
		t.Errorf("%d positions of %d entries", n, rep.Entries)
	}
	if _, err := asof.Salvage(ctx, dir, part, asof.Options{}); !errors.Is(err, asof.ErrNotEmpty) {
		t.Errorf("over something: %v", err)
	}
}

// silent drops what Pebble says.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	panic(format)
}
