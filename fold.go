package asof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
)

// Fault is something wrong, with its place: one form for what Check and Audit
// find. The kinds of an audit are entry, chain, decisions, digest, projection
// and tail; those of a check stand in store.Fault.
type Fault = store.Fault

// folder folds entries into a store of its own and, where asked, makes every
// decision again. It proves a log without trusting any store.
type folder struct {
	dir     string
	store   *store.Store
	stage   *store.Stage
	decide  bool
	engines map[dsl.Hash]*assimilate.Policy
	// dead holds the spaces in which nothing can be folded any more.
	dead   map[string]bool
	faults []Fault
	// staged are the entries of the stage, to be folded again when another
	// breaks it.
	staged []ledger.Record
	// decisions counts those made again.
	decisions int
	// again makes candidates again, where that is asked for.
	again *reextraction
	// notes say what was not checked, and why: no faults.
	notes []Fault
	// settings are those in force, by space.
	settings map[string]*dsl.Settings
}

// foldGroup is how many entries are folded in one batch: those that one of them
// may let be folded again.
const foldGroup = 4096

// newFolder makes the folder's store in a temporary folder, removed by close.
func newFolder(decide bool) (*folder, error) {
	dir, err := os.MkdirTemp("", "asof-fold-")
	if err != nil {
		return nil, fmt.Errorf("asof: %w", err)
	}
	s, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &folder{dir: dir, store: s, decide: decide, engines: map[dsl.Hash]*assimilate.Policy{},
		dead: map[string]bool{}, settings: map[string]*dsl.Settings{}}, nil
}

func (f *folder) close() error {
	var errs []error
	if f.stage != nil {
		errs = append(errs, f.stage.Discard())
	}
	return errors.Join(append(errs, f.store.Close(), os.RemoveAll(f.dir))...)
}

func (f *folder) fault(space string, seq dsl.Seq, kind, format string, args ...any) {
	f.faults = append(f.faults, Fault{Space: space, Position: seq, Kind: kind, Message: fmt.Sprintf(format, args...)})
}

// kill notes a fault after which the space cannot be folded on.
func (f *folder) kill(space string, seq dsl.Seq, kind, format string, args ...any) {
	f.fault(space, seq, kind, format, args...)
	f.dead[space] = true
}

// add folds one entry. Faults of the entry are noted; an error is one of the
// machine.
func (f *folder) add(space string, seq dsl.Seq, data []byte) error {
	if f.dead[space] {
		return nil
	}
	tx, err := dsl.DecodeTx(data)
	if err != nil {
		f.kill(space, seq, "entry", "%v", err)
		return nil
	}
	if tx.Space != space || tx.Seq != seq {
		f.kill(space, seq, "entry", "the entry says it is %q %s", tx.Space, tx.Seq)
		return nil
	}
	if f.stage == nil {
		if f.stage, err = f.store.Stage(); err != nil {
			return err
		}
	}
	if tx.Settings != nil {
		f.settings[space] = tx.Settings
	}
	if f.again != nil && f.decide {
		if err := f.reextract(tx); err != nil {
			return err
		}
	}
	if f.decide {
		if err := f.redecide(tx); err != nil {
			return err
		}
	}
	if err := f.stage.Apply(tx, dsl.Sum(data)); err != nil {
		f.kill(space, seq, "chain", "%v", err)
		return f.restart(err)
	}
	f.staged = append(f.staged, ledger.Record{Space: space, Seq: uint64(seq), Data: bytes.Clone(data)})
	if len(f.staged) >= foldGroup {
		return f.flush()
	}
	return nil
}

// restart makes the stage again without the entry that broke it.
func (f *folder) restart(cause error) error {
	st, again, decide := f.stage, f.staged, f.decide
	f.stage, f.staged = nil, nil
	if err := st.Discard(); err != nil {
		return err
	}
	if !errors.Is(cause, dsl.ErrCorrupt) && !errors.Is(cause, dsl.ErrConflict) {
		return cause
	}
	f.decide = false // they were decided again before
	defer func() { f.decide = decide }()
	dead := f.dead
	f.dead = map[string]bool{}
	defer func() { f.dead = dead }()
	for _, r := range again {
		if err := f.add(r.Space, dsl.Seq(r.Seq), r.Data); err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) flush() error {
	if f.stage == nil {
		return nil
	}
	st := f.stage
	f.stage, f.staged = nil, nil
	return errors.Join(st.Commit(), st.Discard())
}

// redecide makes the decisions of a transaction again from its candidates and
// the state before it, under the policy that the log records, and compares.
func (f *folder) redecide(tx *dsl.Tx) error {
	switch tx.Kind {
	case dsl.TxTurn, dsl.TxCandidates, dsl.TxBackfill:
	default:
		return nil
	}
	policy, err := f.policy(tx)
	if err != nil {
		f.fault(tx.Space, tx.Seq, "decisions", "%v", err)
		return nil
	}
	if policy == nil {
		return nil // another version of the rules decided; said once, by policy
	}
	view, err := f.stage.View(tx.Space)
	if err != nil {
		return err
	}
	defer view.Close()
	in, err := saidOf(view, tx)
	if err != nil {
		f.fault(tx.Space, tx.Seq, "decisions", "%v", err)
		return nil
	}
	in.Rewrite = recordedSummaries(tx)
	out, err := assimilate.Take(view, in, *policy)
	if err != nil {
		f.fault(tx.Space, tx.Seq, "decisions", "deciding again: %v", err)
		return nil
	}
	f.decisions += len(tx.Decisions) + len(tx.Triggers)
	type decided struct {
		Decisions  []dsl.Decision
		Nodes      []dsl.Node
		Operations []dsl.Op
		Triggers   []dsl.TriggerDecision
		Memory     *dsl.Memory
	}
	want, err := dsl.Canonical(decided{tx.Decisions, tx.Nodes, tx.Operations, tx.Triggers, tx.Memory})
	if err != nil {
		return err
	}
	got, err := dsl.Canonical(decided{out.Decisions, out.Nodes, out.Operations, out.Triggers, out.Memory})
	if err != nil {
		return err
	}
	if !bytes.Equal(want, got) {
		f.fault(tx.Space, tx.Seq, "decisions", "decided again, the operations or reasons differ: recorded %s, again %s", dsl.Sum(want), dsl.Sum(got))
	}
	return nil
}

// policy gives the policy that a transaction ran under. It is nil, with a note
// the first time, where another version of the rules decided than this build
// has.
func (f *folder) policy(tx *dsl.Tx) (*assimilate.Policy, error) {
	if p, ok := f.engines[tx.SettingsHash]; ok {
		return p, nil
	}
	s := f.settings[tx.Space]
	if s == nil {
		return nil, fmt.Errorf("%w: no settings are recorded", dsl.ErrCorrupt)
	}
	if s.Policy != assimilate.PolicyVersion {
		f.engines[tx.SettingsHash] = nil
		f.notes = append(f.notes, Fault{Space: tx.Space, Position: tx.Seq, Kind: "decisions", Message: fmt.Sprintf(
			"decided by the rules %q; this build has %q, so these decisions are not made again", s.Policy, assimilate.PolicyVersion)})
		return nil, nil
	}
	registry, err := extract.RegistryFromJSON(s.Registry)
	if err != nil {
		return nil, err
	}
	cfg, err := configs.Load(jsontext.Value(s.Config), "the configuration in the log")
	if err != nil {
		return nil, err
	}
	p := policyOf(registry, &cfg)
	f.engines[tx.SettingsHash] = &p
	return &p, nil
}

// digests calls g with the digest of every position of a space that was folded.
func (f *folder) digests(ctx context.Context, space string, g func(p store.Position) error) error {
	head, err := f.store.Head(space)
	if err != nil || head.Seq == 0 {
		return err
	}
	v, err := f.store.At(space, head.Seq)
	if err != nil {
		return err
	}
	defer v.Close()
	for n := dsl.Seq(1); n <= head.Seq; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := v.PositionAt(n)
		if errors.Is(err, dsl.ErrNotFound) {
			continue // before a drop of the space
		}
		if err != nil {
			return err
		}
		if err := g(p); err != nil {
			return err
		}
	}
	return nil
}
