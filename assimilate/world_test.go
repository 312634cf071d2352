package assimilate_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/model"
)

const space = "test"

// world is a memory that is written to through the package under test and kept
// by the model. Every transaction passes through its canonical text.
type world struct {
	m        *model.Model
	prev     dsl.Hash
	settings dsl.Hash
	last     dsl.Instant
	policy   assimilate.Policy
	// speaker says the next turns, which replace the turn named, if one is.
	speaker, replaces string
	// session and text are those of the next turn.
	session, text string
	// memos compile operations again; one is so small that it begins anew all the
	// time. Turns make new ones.
	memos []*assimilate.Memo
	// also, where set, gets each transaction after the model.
	also func(tx *dsl.Tx, entry dsl.Hash) error
}

func newWorld() *world {
	return &world{m: model.New(space), speaker: "Anna", policy: assimilate.Policy{Registry: extract.DefaultRegistry(), OwnWord: true}}
}

func (w *world) view() store.View { return w.m.At(w.m.Head()) }

// at gives the record time of the next transaction, by the rule of DESIGN §3.
func (w *world) at(ts dsl.Instant) dsl.Instant {
	if w.m.Head() == 0 {
		return ts
	}
	return max(ts, w.last+1)
}

// input is what say assimilates.
func (w *world) input(turn string, ts dsl.Instant, cs []dsl.Candidate) assimilate.Input {
	return assimilate.Input{Space: space, Seq: w.m.Head() + 1, Time: w.at(ts), TurnID: turn, TurnTime: ts, Candidates: cs,
		Speaker: dsl.Plain(w.speaker), Replaces: w.replaces}
}

// say assimilates what a turn says and records it.
func (w *world) say(turn string, ts dsl.Instant, cs ...dsl.Candidate) (assimilate.Output, error) {
	in := w.input(turn, ts, cs)
	out, err := assimilate.Assimilate(w.view(), in, w.policy)
	if err != nil {
		return out, err
	}
	tx := &dsl.Tx{Kind: dsl.TxTurn, Candidates: cs, Decisions: out.Decisions,
		Turn: &dsl.Turn{ID: turn, Session: w.session, Speaker: dsl.Plain(w.speaker), Text: dsl.Plain(w.text), Replaces: w.replaces, TS: ts}}
	return out, w.commit(tx, in.Time, out)
}

// write compiles operations and records them.
func (w *world) write(at dsl.Instant, strict bool, ops ...assimilate.OpRequest) (assimilate.Output, []string, error) {
	at = w.at(at)
	in := assimilate.OpsInput{Space: space, Seq: w.m.Head() + 1, Time: at, Ops: ops, Strict: strict}
	out, unknown, err := assimilate.Compile(w.view(), in, w.policy)
	if w.memos == nil {
		w.memos = []*assimilate.Memo{assimilate.NewMemo(), assimilate.SmallMemo(5)}
	}
	var with []assimilate.Output
	for _, in.Memo = range w.memos {
		again, _, other := assimilate.Compile(w.view(), in, w.policy)
		if bad := sameOutput(out, again, err, other); bad != nil {
			return out, unknown, bad
		}
		with = append(with, again)
	}
	if err != nil {
		return out, unknown, err
	}
	return out, unknown, w.applied(with, w.commit(&dsl.Tx{Kind: dsl.TxOps, OpsHash: dsl.Sum([]byte(fmt.Sprint(in.Seq)))}, at, out))
}

// errMemo says that a memo made a difference.
var errMemo = errors.New("with a memo it is otherwise")

// sameOutput compares what was decided without a memo and with one.
func sameOutput(a, b assimilate.Output, errA, errB error) error {
	if fmt.Sprint(errA) != fmt.Sprint(errB) {
		return fmt.Errorf("%w: %v, without it %v", errMemo, errB, errA)
	}
	if !reflect.DeepEqual(a.Nodes, b.Nodes) || !reflect.DeepEqual(a.Operations, b.Operations) || !reflect.DeepEqual(a.Decisions, b.Decisions) {
		return fmt.Errorf("%w: %+v, without it %+v", errMemo, b.Operations, a.Operations)
	}
	return nil
}

// applied tells the memos of a transaction and holds them against the memory.
func (w *world) applied(with []assimilate.Output, err error) error {
	if err != nil {
		return err
	}
	for i, m := range w.memos {
		with[i].Applied()
		if bad := assimilate.CheckMemo(m, w.view()); bad != nil {
			return fmt.Errorf("%w: %w", errMemo, bad)
		}
	}
	return nil
}

func (w *world) commit(tx *dsl.Tx, at dsl.Instant, out assimilate.Output) (err error) {
	tx.Version, tx.Space, tx.Seq, tx.Prev, tx.Time = dsl.FormatVersion, space, w.m.Head()+1, w.prev, at
	if tx.Kind != dsl.TxOps {
		w.memos = nil
	}
	tx.Nodes, tx.Operations, tx.Triggers, tx.Memory = out.Nodes, out.Operations, out.Triggers, out.Memory
	if tx.Kind == dsl.TxTurn {
		if tx.TurnHash, err = dsl.TurnHash(tx.Turn); err != nil {
			return err
		}
	}
	if tx.Kind != dsl.TxOps {
		if tx.CandidatesHash, err = dsl.CandidatesHash(tx.Candidates); err != nil {
			return err
		}
	}
	if tx.Seq == 1 {
		tx.Settings = &dsl.Settings{Analyzer: "a", Config: []byte("{}"), Extractor: "e", Policy: assimilate.PolicyVersion, Registry: []byte("[]"), Scoring: "s"}
		if w.settings, err = tx.Settings.Hash(); err != nil {
			return err
		}
	}
	tx.SettingsHash = w.settings
	b, err := tx.Encode()
	if err != nil {
		return err
	}
	if tx, err = dsl.DecodeTx(b); err != nil {
		return err
	}
	if err := w.m.Apply(tx, dsl.Sum(b)); err != nil {
		return err
	}
	if w.also != nil {
		if err := w.also(tx, dsl.Sum(b)); err != nil {
			return err
		}
	}
	w.prev, w.last = dsl.Sum(b), at
	return nil
}

// versions gives every version of the memory.
func (w *world) versions() []dsl.FactVersion {
	var out []dsl.FactVersion
	for f, err := range w.view().Facts(store.FactQuery{All: true}) {
		if err != nil {
			panic(err)
		}
		out = append(out, f)
	}
	return out
}

// broken names the first breach of I1, I2, I7 or of the links of versions to
// transactions, judged from the versions alone.
func (w *world) broken() error {
	list := w.versions()
	group := func(id string) string {
		g, err := w.view().Aliases(id)
		if err != nil {
			panic(err)
		}
		return g[0]
	}
	for i, a := range list {
		if !a.Valid.Valid() || a.Record.Start > a.Record.End {
			return fmt.Errorf("I1: %v", a)
		}
		for _, b := range list[:i] {
			both := a.Valid.Overlaps(b.Valid) && a.Record.Overlaps(b.Record)
			if a.ID == b.ID && both {
				return fmt.Errorf("I2: fact %s: versions %d %s and %d %s", a.ID, a.Version, a.Valid, b.Version, b.Valid)
			}
			if both && a.Status == dsl.StatusOpen && b.Status == dsl.StatusOpen && a.Rel == b.Rel && group(a.Src) == group(b.Src) &&
				w.policy.Registry.Functional(a.Rel) {
				return fmt.Errorf("I7: %s: %s in %s and %s in %s", a.Rel, a.DstName, a.Valid, b.DstName, b.Valid)
			}
		}
	}
	return nil
}

// short writes an instant as people do: a date where it is midnight.
func short(t dsl.Instant) string {
	switch s := t.String(); {
	case t == dsl.Beginning:
		return "-∞"
	case t == dsl.Forever:
		return "∞"
	case strings.HasSuffix(s, "T00:00:00Z"):
		return s[:10]
	default:
		return s
	}
}

func brief(v dsl.Interval) string { return "[" + short(v.Start) + ", " + short(v.End) + ")" }
