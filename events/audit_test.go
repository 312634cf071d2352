package events_test

import (
	"slices"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/events"
)

// audit holds what must be true of every event of a memory that only the package
// writes, at every position: closure is complete (see the package comment), t_visible
// is the record time of the version, participants are known, and a summary never
// tells of what does not stand.
func (w *world) audit(t *testing.T) {
	t.Helper()
	for _, tx := range w.txs {
		v := w.m.At(tx.Seq)
		for e, err := range v.Events(false) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Visible != e.Record.Start {
				t.Errorf("%s: event %s version %d is visible from %s and recorded at %s", tx.Seq, e.ID, e.Version, e.Visible, e.Record.Start)
			}
			for _, p := range e.Participants {
				if _, err := v.Node(p.Entity); err != nil {
					t.Errorf("%s: event %s: participant: %v", tx.Seq, e.ID, err)
				}
			}
			if (e.Status == events.Merged || e.Status == events.Retired) != (e.Summary.String() == "") {
				t.Errorf("%s: event %s is %s, its summary is %q", tx.Seq, e.ID, e.Status, e.Summary)
			}
			if e.Status == events.Merged {
				continue
			}
			standing := 0
			for _, id := range e.Includes {
				list, err := v.Fact(id)
				if err != nil {
					t.Fatalf("%s: event %s includes %s: %v", tx.Seq, e.ID, w.label(id), err)
				}
				open, rests := false, false
				for _, f := range list {
					if f.Status == dsl.StatusOpen {
						open = true
						rests = rests || slices.ContainsFunc(f.Evidence, func(turn string) bool { return slices.Contains(e.Evidence, turn) }) || len(f.Evidence) == 0
					}
				}
				if open {
					standing++
				}
				if open && !rests && e.Opened == tx.Seq { // what is said later is not of the version
					t.Errorf("%s: event %s has no evidence of %s", tx.Seq, e.ID, w.label(id))
				}
			}
			if e.Status == events.Retired && standing > 0 {
				t.Errorf("%s: event %s is retired, and %d of its facts stand", tx.Seq, e.ID, standing)
			}
		}
	}
}
