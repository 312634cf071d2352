package assimilate_test

import (
	"errors"
	"iter"
	"testing"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

var errDisk = errors.New("disk")

// faultyView fails at one of its calls, counted from 1.
type faultyView struct {
	store.View
	calls, at int
}

func (v *faultyView) fail() error {
	if v.calls++; v.calls == v.at {
		return errDisk
	}
	return nil
}

func (v *faultyView) Node(id string) (dsl.Node, error) {
	if err := v.fail(); err != nil {
		return dsl.Node{}, err
	}
	return v.View.Node(id)
}

func (v *faultyView) Aliases(id string) ([]string, error) {
	if err := v.fail(); err != nil {
		return nil, err
	}
	return v.View.Aliases(id)
}

func (v *faultyView) Fact(id string) ([]store.Version, error) {
	if err := v.fail(); err != nil {
		return nil, err
	}
	return v.View.Fact(id)
}

func (v *faultyView) Event(id string) ([]dsl.Event, error) {
	if err := v.fail(); err != nil {
		return nil, err
	}
	return v.View.Event(id)
}

func (v *faultyView) Turn(id string) (store.Turn, error) {
	if err := v.fail(); err != nil {
		return store.Turn{}, err
	}
	return v.View.Turn(id)
}

func (v *faultyView) Facts(q store.FactQuery) iter.Seq2[dsl.FactVersion, error] {
	return func(yield func(dsl.FactVersion, error) bool) {
		for f, err := range v.View.Facts(q) {
			if !yield(f, err) {
				return
			}
		}
		if err := v.fail(); err != nil {
			yield(dsl.FactVersion{}, err)
		}
	}
}

// TestViewFails: whichever read fails, the error comes back with its cause, and
// nothing is decided.
func TestViewFails(t *testing.T) {
	w := newWorld()
	home := said{src: "Anna", rel: "lives_in", value: 1, change: dsl.Assert}
	for i, turn := range []int{1, 9} {
		if _, err := w.say([]string{"D1", "D2"}[i], year(turn), home.candidate()); err != nil {
			t.Fatal(err)
		}
	}
	event := assimilate.OpRequest{Op: dsl.UpsertEvent, ID: "e", Span: &dsl.Always, Participants: []assimilate.ParticipantRequest{{Entity: "Bob"}}}
	if _, _, err := w.write(year(9), false, event); err != nil {
		t.Fatal(err)
	}
	fact := dsl.FactID(space, 1, 0)
	away, ended, fixed := home, home, home
	away.value, ended.change = 2, dsl.End
	fixed.value, fixed.change, fixed.corrects = 3, dsl.Correct, 2
	in := w.input("D3", year(5), []dsl.Candidate{away.candidate(), fixed.candidate(), home.candidate(), ended.candidate()})
	ops := assimilate.OpsInput{Space: space, Seq: in.Seq, Time: in.Time, Ops: []assimilate.OpRequest{
		{Op: dsl.UpsertEdge, Src: "Bob", Rel: "lives_in", Dst: "Rome", Valid: &dsl.Always},
		{Op: dsl.RetroCorrectOp, ID: fact, Src: "Anna", Dst: "Rome"},
		{Op: dsl.ArchiveEdge, ID: fact},
		event,
		{Op: dsl.UpsertEvent, ID: "f", Span: &dsl.Always},
		{Op: dsl.Link, Link: dsl.EventLink, From: "e", To: "f"},
		{Op: dsl.Link, Link: dsl.AliasOf, From: "Bob", To: "Anna"},
		{Op: dsl.Link, Link: dsl.MentionLink, From: "her", To: "Anna"},
		{Op: dsl.Link, Link: dsl.EvidenceLink, From: "D1", To: fact},
	}}
	for name, run := range map[string]func(store.View) (assimilate.Output, error){
		"assimilate": func(v store.View) (assimilate.Output, error) { return assimilate.Assimilate(v, in, w.policy) },
		"compile": func(v store.View) (assimilate.Output, error) {
			out, _, err := assimilate.Compile(v, ops, w.policy)
			return out, err
		},
	} {
		whole := &faultyView{View: w.view()}
		if _, err := run(whole); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for n := 1; n <= whole.calls; n++ {
			out, err := run(&faultyView{View: w.view(), at: n})
			if !errors.Is(err, errDisk) || out.Operations != nil || out.Nodes != nil || out.Decisions != nil {
				t.Errorf("%s: call %d of %d fails: %v, %v", name, n, whole.calls, err, out)
			}
		}
	}
}
