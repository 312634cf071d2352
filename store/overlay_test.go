package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/dsl"
)

// TestOverlay writes and deletes rows over those of a store, in several spaces
// and through a drop, and asks for them by key, by prefix and by iterator. Then it
// commits them: a map must agree at every step.
func TestOverlay(t *testing.T) {
	s, err := Open(Options{Dir: "db", FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	random := rand.New(rand.NewPCG(3, 4))
	spaces := []keySpace{spaceKeys("a"), spaceKeys("b")}
	draw := func() (key, prefix []byte) {
		k := spaces[random.IntN(2)]
		id := fmt.Sprint("id", random.IntN(30))
		switch random.IntN(3) {
		case 0:
			return k.idVersion(clVersion, id, uint32(random.IntN(40))), k.id(clVersion, id)
		case 1:
			return k.idSeqOp(clEvidence, id, dsl.Seq(random.IntN(1000)), random.IntN(3)), k.id(clEvidence, id)
		}
		p := k.state(id, "rel")
		return stateAt(p, uint32(random.IntN(3)), dsl.Seq(random.IntN(500))), p
	}
	want := map[string]string{}
	for round := range 6 {
		o := &overlay{db: s.db, iters: &s.iters, seen: s.seen}
		for i := range 200 + 900*(round%2) {
			key, _ := draw()
			_, there := want[string(key)]
			switch {
			case there && random.IntN(2) == 0:
				err = o.Delete(key)
				delete(want, string(key))
			case !there:
				value := fmt.Append(nil, round, i)
				s.seen.add(key)
				err = o.Set(key, value)
				want[string(key)] = string(value)
			}
			if err != nil {
				t.Fatal(err)
			}
			if round == 4 && i == 100 {
				p := spaces[0].prefix[:]
				o.drop(p)
				for k := range want {
					if bytes.HasPrefix([]byte(k), p) {
						delete(want, k)
					}
				}
			}
			if i%20 == 0 {
				sameRows(t, o, want, draw)
			}
		}
		if err := o.commit(pebble.NoSync); err != nil {
			t.Fatal(err)
		}
		if err := s.iters.renew(false); err != nil {
			t.Fatal(err)
		}
	}
	sameRows(t, &overlay{db: s.db, iters: &s.iters, seen: s.seen}, want, draw)
}

func sameRows(t *testing.T, o *overlay, want map[string]string, draw func() (key, prefix []byte)) {
	t.Helper()
	all := rowsUnder(want, nil)
	var got []string
	err := eachRow(o, []byte{tableData}, []byte{tableData + 1}, func(key, value []byte) error {
		got = append(got, string(key)+"="+string(value))
		return nil
	})
	if err != nil || !slices.Equal(got, all) {
		t.Fatalf("an iterator gives %d rows, there are %d (%v)", len(got), len(all), err)
	}
	for range 20 {
		key, prefix := draw()
		value, ok, err := o.get(key)
		if w, is := want[string(key)]; err != nil || ok != is || ok && string(value) != w {
			t.Fatalf("the row %x is %q (%t), want %q (%t), %v", key, value, ok, w, is, err)
		}
		got = got[:0]
		if prefix[9] == clState {
			if slices.ContainsFunc(o.under(prefix), func(r *overlayRow) bool { return r.gone != rowSet }) {
				continue // state rows are never deleted
			}
			it, err := o.state(prefix)
			if err != nil {
				t.Fatal(err)
			}
			for ok := it.SeekGE(prefix); ok && bytes.HasPrefix(it.Key(), prefix); ok = it.Next() {
				got = append(got, string(it.Key())+"="+string(it.Value()))
			}
			if err = it.Close(); err != nil {
				t.Fatal(err)
			}
		} else {
			err = o.scan(prefix, func(key, value []byte) (bool, error) {
				got = append(got, string(key)+"="+string(value))
				return true, nil
			})
		}
		if under := rowsUnder(want, prefix); err != nil || !slices.Equal(got, under) {
			t.Fatalf("under %x there are\n%q, want\n%q (%v)", prefix, got, under, err)
		}
	}
}

// rowsUnder gives rows as text, in order of key.
func rowsUnder(want map[string]string, prefix []byte) []string {
	var out []string
	for k := range want {
		if bytes.HasPrefix([]byte(k), prefix) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	for i, k := range out {
		out[i] = k + "=" + want[k]
	}
	return out
}

// TestKeyFilter grows a filter over several parts: it never denies what was put
// in, and seldom owns what was not.
func TestKeyFilter(t *testing.T) {
	f := new(keyFilter)
	k := spaceKeys("s")
	const n = 5 * filterFirst
	for i := range n {
		f.add(k.id(clNode, fmt.Sprint("in", i)))
	}
	wrong := 0
	for i := range n {
		if !f.mayHave(k.id(clNode, fmt.Sprint("in", i))) {
			t.Fatalf("key %d is denied", i)
		}
		if f.mayHave(k.id(clNode, fmt.Sprint("out", i))) {
			wrong++
		}
	}
	if wrong > n/20 {
		t.Errorf("%d of %d absent keys are taken for present", wrong, n)
	}
	if len(f.parts) != 3 || f.full() {
		t.Errorf("the filter has %d parts, full: %t", len(f.parts), f.full())
	}
	if !f.mayHave(k.seq(clPosition, 1)) || !(*keyFilter)(nil).mayHave(k.id(clNode, "x")) {
		t.Error("what no filter knows of is denied")
	}
}
