package assimilate_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
)

// heldIn is what one fact says in one cell of valid time, the zero value for
// nothing.
type heldIn struct {
	dst        string
	confidence float64
	archived   bool
}

// cellsOf gives what the open versions of a fact say in each cell, and how many
// they are.
func cellsOf(t *rapid.T, w *world, id string) (line [cells]heldIn, open int) {
	for _, f := range w.versions() {
		if f.ID != id || f.Status == dsl.StatusClosed {
			continue
		}
		open++
		for i := range line {
			if f.Valid.Contains(year(i)) {
				if line[i] != (heldIn{}) {
					t.Fatalf("two versions of %s hold in cell %d", id, i)
				}
				line[i] = heldIn{f.DstName.String(), f.Confidence, f.Status == dsl.StatusArchived}
			}
		}
	}
	return line, open
}

// TestPortion corrects and retracts random portions of a fact that has random
// versions, some of them archived, and compares each cell with a list of cells in
// which the portion is simply overwritten.
func TestPortion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		at := dsl.Instant(0)
		write := func(r assimilate.OpRequest) error {
			at += dsl.Second
			_, _, err := w.write(at, true, r)
			return err
		}
		cell := rapid.IntRange(0, cells-1)
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			line, open := cellsOf(t, w, "f")
			a, b := cell.Draw(t, "from"), cell.Draw(t, "to")
			iv := dsl.Interval{Start: year(min(a, b)), End: year(max(a, b))}
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0, 1: // refused where it overlaps, which is fine
				_ = write(assimilate.OpRequest{Op: dsl.UpsertEdge, ID: "f", Src: "Anna", Rel: "lives_in", Dst: "Boston", Valid: &iv})
			case 2:
				_ = write(assimilate.OpRequest{Op: dsl.ArchiveEdge, ID: "f"})
			default:
				r := assimilate.OpRequest{Op: dsl.RetroCorrectOp, ID: "f", Portion: &iv, Reason: "so"}
				confidence := float64(rapid.IntRange(0, 4).Draw(t, "confidence")) / 4
				change := rapid.IntRange(0, 2).Draw(t, "change")
				switch change {
				case 0:
					r.Retract = true
				case 1:
					r.Confidence = &confidence
				case 2:
					r.Dst = rapid.SampledFrom(values).Draw(t, "dst")
				}
				touched := false
				want := line
				for i := range want {
					if !iv.Contains(year(i)) || want[i] == (heldIn{}) {
						continue
					}
					touched = true
					switch change {
					case 0:
						want[i] = heldIn{}
					case 1:
						want[i].confidence = confidence
					case 2:
						want[i].dst = r.Dst
					}
				}
				before := w.m.Head()
				err := write(r)
				if (err == nil) != touched {
					t.Fatalf("portion %s of %v: %v", iv, line, err)
				}
				got, now := cellsOf(t, w, "f")
				if got != want {
					t.Fatalf("portion %s, %+v:\nbefore %v\nwant   %v\ngot    %v", iv, r, line, want, got)
				}
				if !touched && (now != open || w.m.Head() != before) {
					t.Fatalf("a refused correction changed something")
				}
			}
			if err := w.broken(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestPortionHash: requests without a portion keep the text that names them in
// the log.
func TestPortionHash(t *testing.T) {
	r := assimilate.OpRequest{Op: dsl.RetroCorrectOp, ID: "f", Retract: true}
	b, err := dsl.Canonical(r)
	if err != nil || bytes.Contains(b, []byte("Portion")) {
		t.Errorf("%s (%v)", b, err)
	}
	always := dsl.Always
	r.Portion = &always
	c, err := dsl.Canonical(r)
	if err != nil || bytes.Equal(b, c) {
		t.Errorf("a portion does not show: %s (%v)", c, err)
	}
}
