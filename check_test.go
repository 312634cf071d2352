package asof_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
)

// checked runs a check and fails on faults.
func checked(t *testing.T, db *asof.DB, space string) asof.CheckReport {
	t.Helper()
	rep, err := db.Check(ctx, space)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range rep.Faults {
		t.Errorf("%q %s %s: %s", f.Space, f.Position, f.Kind, f.Message)
	}
	return rep
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	db := openAt(t, dir)
	if rep := checked(t, db, ""); rep.Faults == nil || rep.Checked == nil {
		t.Errorf("an empty memory gives %+v; its JSON has no lists", rep)
	}
	ingest(t, db, append(talk("a", 60, 3), talk("b", 30, 4)...))
	ingest(t, db, []asof.Item{{Space: "b", Drop: true}})
	ingest(t, db, talk("b", 20, 5))
	all := checked(t, db, "")
	for _, kind := range []string{"I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8", "digest", "counts", "state", "index"} {
		if all.Checked[kind] == 0 {
			t.Errorf("nothing was checked for %s: %v", kind, all.Checked)
		}
	}
	one := checked(t, db, "b")
	if one.Checked["I3"] != 21 || all.Checked["I3"] != 81 {
		t.Errorf("positions checked: %d of b, %d of all; want 21 and 81", one.Checked["I3"], all.Checked["I3"])
	}
	if rep := checked(t, db, "nobody"); rep.Checked["I3"] != 0 {
		t.Errorf("a space that is not there has %d positions", rep.Checked["I3"])
	}
}

// TestCheckBesideWriters checks while turns come in.
func TestCheckBesideWriters(t *testing.T) {
	db := openAt(t, t.TempDir())
	ingest(t, db, talk("a", 10, 6))
	done := make(chan error, 1)
	go func() {
		_, err := db.Ingest(ctx, talk("b", 120, 7))
		done <- err
	}()
	for {
		checked(t, db, "")
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}

// rawStore changes rows of a space in a store that nobody has open. f gets each
// key from the class on, with its value, and returns the row to write in its
// stead, or no key to leave it.
func rawStore(t *testing.T, dir, space string, f func(key, value []byte) (k, v []byte, drop bool)) {
	t.Helper()
	db, err := pebble.Open(filepath.Join(dir, "store"), &pebble.Options{FormatMajorVersion: pebble.FormatNewest, Logger: quiet{t}})
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.Sum256([]byte(space))
	prefix := append([]byte{2}, h[:8]...)
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: append(slices.Clone(prefix), 0xff)})
	if err != nil {
		t.Fatal(err)
	}
	batch := db.NewBatch()
	changed := 0
	for it.First(); it.Valid(); it.Next() {
		key, value := slices.Clone(it.Key()[9:]), slices.Clone(it.Value())
		k, v, drop := f(key, value)
		if drop {
			err = batch.Delete(it.Key(), nil)
			changed++
		}
		if k != nil && err == nil {
			err = batch.Set(append(slices.Clone(prefix), k...), v, nil)
			changed++
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if changed == 0 {
		t.Fatal("no row was changed")
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	if err := batch.Commit(pebble.Sync); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

type quiet struct{ t *testing.T }

func (quiet) Infof(string, ...any)                {}
func (q quiet) Errorf(format string, args ...any) { q.t.Logf(format, args...) }
func (q quiet) Fatalf(format string, args ...any) { q.t.Fatalf(format, args...) }
func position(key []byte, class byte, n dsl.Seq) bool {
	return len(key) == 9 && key[0] == class && dsl.Seq(binary.BigEndian.Uint64(key[1:])) == n
}

// TestCheckAgainstTheLog breaks what only the log can tell. The check must name
// that very invariant, with the place.
func TestCheckAgainstTheLog(t *testing.T) {
	for _, m := range []struct {
		name string
		do   func(key, value []byte) (k, v []byte, drop bool)
		kind string
		at   dsl.Seq
		says string
	}{
		{"a content key that is lost", func(key, value []byte) ([]byte, []byte, bool) {
			return nil, nil, key[0] == 'K' && bytes.Equal(value, []byte{7})
		}, "I4", 7, "content key"},
		{"the hash of an entry that was changed", func(key, value []byte) ([]byte, []byte, bool) {
			if !position(key, 'p', 9) {
				return nil, nil, false
			}
			value[8] ^= 1
			return key, value, false
		}, "I4", 9, "position row"},
		{"a digest that was changed", func(key, value []byte) ([]byte, []byte, bool) {
			if !position(key, 'p', 9) {
				return nil, nil, false
			}
			value[40] ^= 1
			return key, value, false
		}, "I6", 9, "the log gives"},
		// A word that is found nine times where it was said once: the view at any
		// position from that on answers otherwise than a store that ends there.
		{"a posting of what was not said", func(key, value []byte) ([]byte, []byte, bool) {
			if key[0] != 'y' || key[1] != 't' {
				return nil, nil, false
			}
			value[len(value)-1] = 9 // the last word, nine times
			return key, value, false
		}, "I8", 40, "search results"},
		{"a row of another space's making", func(key, value []byte) ([]byte, []byte, bool) {
			if key[0] != 'n' {
				return nil, nil, false
			}
			return append([]byte("n"), key[2:]...), value, false
		}, "rows", 0, "not the length of its class"},
	} {
		t.Run(m.name, func(t *testing.T) {
			dir := t.TempDir()
			db := openAt(t, dir)
			items := talk("s", 40, 21)
			ingest(t, db, items[:20])
			ingest(t, db, items[20:])
			checked(t, db, "")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			rawStore(t, dir, "s", m.do)
			db = openAt(t, dir)
			rep, err := db.Check(ctx, "")
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, f := range rep.Faults {
				found = found || f.Space == "s" && f.Kind == m.kind && f.Position == m.at && strings.Contains(f.Message, m.says)
			}
			if !found {
				t.Errorf("no fault of kind %s at %s says %q; there are %v", m.kind, m.at, m.says, rep.Faults)
			}
		})
	}
}
