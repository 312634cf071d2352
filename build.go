package asof

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
)

// builder turns items into transactions on top of a stage. It belongs to the
// writer.
type builder struct {
	db *DB
	// recent holds the last turns of a space, as of its staged head.
	recent map[string]recentTurns
	// memos hold what was read of a space for operations that were written
	// directly, as of its staged head.
	memos map[string]*assimilate.Memo
	// held is how much they hold together.
	held int
	// caughtUp is DB.caughtUp when all this was read.
	caughtUp uint64
}

func newBuilder(db *DB) *builder {
	return &builder{db: db, recent: map[string]recentTurns{}, memos: map[string]*assimilate.Memo{}}
}

// memoSpaces bounds the spaces of which a memo is kept, memoTotal what all memos
// hold together.
const (
	memoSpaces = 1024
	memoTotal  = 4 * assimilate.MemoSize
)

// memo gives the memo of a space.
func (b *builder) memo(space string) *assimilate.Memo {
	if m, ok := b.memos[space]; ok {
		return m
	}
	if len(b.memos) >= memoSpaces {
		b.forgetMemos()
	}
	m := assimilate.NewMemo()
	b.memos[space] = m
	return m
}

func (b *builder) forgetMemos() {
	clear(b.memos)
	b.held = 0
}

// compiled is what operations were compiled to, with the memo that it was made
// with and how much that held before; nothing for other transactions.
type compiled struct {
	assimilate.Output
	memo   *assimilate.Memo
	before int
}

// applied tells the memo that the operations are staged.
func (b *builder) applied(c *compiled) {
	if c.memo == nil {
		return
	}
	c.Applied()
	if b.held += c.memo.Len() - c.before; b.held > memoTotal {
		b.forgetMemos()
	}
}

// recentTurns are the last turns of a space, nearest last, and the ids of those
// among them that were replaced.
type recentTurns struct {
	list     []dsl.Turn
	replaced map[string]bool
}

// standing gives the turns that stand, without the one that is being replaced.
func (r recentTurns) standing(replaced string) []dsl.Turn {
	if len(r.replaced) == 0 && replaced == "" {
		return r.list
	}
	return slices.DeleteFunc(slices.Clone(r.list), func(t dsl.Turn) bool { return r.replaced[t.ID] || t.ID == replaced })
}

// recentSpaces bounds the spaces whose last turns are kept at hand.
const recentSpaces = 256

// built is what became of an item: a transaction that is staged, or the
// position that it duplicates.
type built struct {
	receipt Receipt
	tx      *dsl.Tx
	data    []byte
}

// add builds the item's transaction and stages it. Errors before the staging
// leave the stage as it was.
func (b *builder) add(st *store.Stage, it *Item, opt ingestOptions) (built, error) {
	if err := it.validate(); err != nil {
		return built{}, err
	}
	if err := b.door(it, opt); err != nil {
		return built{}, err
	}
	head, err := st.Head(it.Space)
	if err != nil {
		return built{}, err
	}
	view, err := st.View(it.Space)
	if err != nil {
		return built{}, err
	}
	tx, ops, receipt, err := b.build(view, head, it, opt)
	if err := errors.Join(err, view.Close()); err != nil {
		return built{}, err
	}
	if tx == nil {
		return built{receipt: receipt}, nil
	}
	data, err := tx.Encode()
	if err != nil {
		return built{}, fmt.Errorf("%w: %v", dsl.ErrInvalid, err)
	}
	if limit := b.db.ledger.MaxBatchBytes(); len(data) > limit-4096 {
		return built{}, fmt.Errorf("%w: its transaction has %d bytes, the log takes %d; send it in parts", dsl.ErrInvalid, len(data), limit-4096)
	}
	if err := st.Apply(tx, dsl.Sum(data)); err != nil {
		return built{}, &stageError{err}
	}
	b.remember(tx)
	b.applied(&ops)
	b.db.metrics.decided(tx.Decisions)
	return built{receipt: receipt, tx: tx, data: data}, nil
}

// stageError marks an error after which the stage is of no use.
type stageError struct{ err error }

func (e *stageError) Error() string { return e.err.Error() }
func (e *stageError) Unwrap() error { return e.err }

// door refuses what is too far ahead of the clock.
func (b *builder) door(it *Item, opt ingestOptions) error {
	if b.db.opt.Clock == nil || opt.allowFuture {
		return nil
	}
	var at dsl.Instant
	var what string
	switch {
	case it.Turn != nil:
		at, what = it.Turn.TS, "ts"
	case len(it.Ops) > 0:
		at, what = it.At, "at"
	default:
		return nil
	}
	now := b.db.opt.Clock()
	limit := b.db.cfg.Ingest.FutureLimit
	if at > dsl.FromTime(now.Add(limit)) {
		return fmt.Errorf("%w: %s %s is more than %s ahead of the clock (%s); --allow-future takes it all the same",
			dsl.ErrInvalid, what, at, limit, now.UTC().Format(time.RFC3339))
	}
	return nil
}

func (b *builder) build(view store.View, head store.Position, it *Item, opt ingestOptions) (*dsl.Tx, compiled, Receipt, error) {
	tx := &dsl.Tx{Version: dsl.FormatVersion, Space: it.Space, Seq: head.Seq + 1, Prev: head.Entry, SettingsHash: b.db.engine.settingsHash}
	if head.Seq == 0 || head.Settings != tx.SettingsHash {
		tx.Settings = &b.db.engine.settings
	}
	next := dsl.MinInstant
	if head.Seq > 0 {
		next = head.Time + dsl.Microsecond
	}
	var err error
	var r Receipt
	var c compiled
	switch {
	case it.Drop:
		r, err = b.drop(tx, head, next)
	case len(it.Ops) > 0:
		c, r, err = b.ops(tx, view, head, it, opt)
	case it.Gap != nil:
		r, err = b.backfill(tx, view, next, it)
	default:
		r, err = b.turn(tx, view, next, it, opt)
	}
	r.Space = it.Space
	if err != nil || r.Fate == Duplicate {
		return nil, c, r, err
	}
	r.Seq, r.Fate = tx.Seq, New
	for _, o := range tx.Operations {
		switch {
		case o.Kind == dsl.UpsertEdge, o.Kind == dsl.RetroCorrectOp && !o.Retract:
			r.Facts++
		case o.Kind == dsl.UpsertEvent:
			r.Events++
		}
	}
	return tx, c, r, nil
}

func (b *builder) drop(tx *dsl.Tx, head store.Position, next dsl.Instant) (Receipt, error) {
	if head.Seq == 0 || head.Kind == dsl.TxDrop {
		return Receipt{}, fmt.Errorf("%w: there is no space %q", dsl.ErrNotFound, tx.Space)
	}
	tx.Kind, tx.Time = dsl.TxDrop, next
	tx.Settings, tx.SettingsHash = nil, head.Settings
	return Receipt{}, nil
}

// turn fills a transaction for a turn, or for candidates of a known turn.
func (b *builder) turn(tx *dsl.Tx, view store.View, next dsl.Instant, it *Item, opt ingestOptions) (Receipt, error) {
	known, err := b.knownTurn(view, it)
	if err != nil {
		return Receipt{}, err
	}
	if known != nil && it.Candidates == nil {
		return Receipt{Seq: known.Seq, Fate: Duplicate}, nil
	}
	replaced := ""
	if known == nil {
		tx.Kind, tx.Turn = dsl.TxTurn, it.Turn
		tx.Time = max(it.Turn.TS, next)
		if replaced, err = edited(view, it); err != nil {
			return Receipt{}, err
		}
		if tx.TurnHash, err = dsl.TurnHash(it.Turn); err != nil {
			return Receipt{}, fmt.Errorf("%w: %v", dsl.ErrInvalid, err)
		}
	} else {
		tx.Kind, tx.TurnID, tx.Time = dsl.TxCandidates, known.ID, next
	}
	if it.Candidates != nil {
		tx.Candidates, tx.Extractor = it.Candidates, "caller"
	} else {
		previous, err := b.previous(view, it.Space)
		if err != nil {
			return Receipt{}, err
		}
		known := spaceMemory{view: view, space: it.Space}
		found := b.extract(extract.Context{Turn: *it.Turn, Previous: previous.standing(replaced), Memory: &known, Done: b.db.metrics.extracting()})
		if known.err != nil {
			return Receipt{}, fmt.Errorf("what the space knows: %w", known.err)
		}
		tx.Candidates, tx.Extractor = found.All(), b.db.engine.extractor(found.Answers)
	}
	if tx.CandidatesHash, err = dsl.CandidatesHash(tx.Candidates); err != nil {
		return Receipt{}, fmt.Errorf("%w: %v", dsl.ErrInvalid, err)
	}
	if known != nil {
		seq, err := view.Known(store.CandidatesKey(known.ID, tx.CandidatesHash))
		if err != nil || seq != 0 {
			return Receipt{Seq: seq, Fate: Duplicate}, err
		}
		if known.ReplacedBy != "" {
			return Receipt{}, fmt.Errorf("%w: turn %q was replaced by turn %q; send the candidates for that one", dsl.ErrConflict, known.ID, known.ReplacedBy)
		}
	}
	r := Receipt{}
	for _, c := range tx.Candidates {
		if _, ok := b.db.engine.registry.Lookup(c.Rel); !ok && c.Rel != extract.AliasOf && !slices.Contains(r.Unknown, c.Rel) {
			r.Unknown = append(r.Unknown, c.Rel)
		}
	}
	if opt.strict && len(r.Unknown) > 0 {
		return r, fmt.Errorf("%w: the registry lacks the predicate %q (--strict)", dsl.ErrInvalid, r.Unknown[0])
	}
	return r, b.assimilate(view, tx)
}

// extract reads a turn, and counts and logs what became of the options that were
// asked.
func (b *builder) extract(ctx extract.Context) extract.Result {
	ctx.Waiting = b.db.asking
	found := b.db.engine.pipeline.Extract(ctx)
	for i := range found.Answers {
		a := &found.Answers[i]
		b.db.metrics.answer(a)
		if a.FellBack() {
			b.db.log.Warn("an option of extraction gave no answer of use; a cheaper one reads the turn",
				"stage", a.Stage, "option", a.Option, "fate", a.Fate, "err", a.Err, "turn", ctx.Turn.ID)
		}
	}
	return found
}

// knownTurn finds the recorded turn that the item names; nil for a new one.
// Another content under the same id is a conflict.
func (b *builder) knownTurn(view store.View, it *Item) (*store.Turn, error) {
	id := it.TurnID
	if it.Turn != nil {
		id = it.Turn.ID
	}
	known, err := view.Turn(id)
	switch {
	case errors.Is(err, dsl.ErrNotFound) && it.Turn != nil:
		return nil, nil
	case errors.Is(err, dsl.ErrNotFound):
		return nil, fmt.Errorf("%w: space %q has no turn %q; send the turn first, or with its candidates", dsl.ErrNotFound, it.Space, id)
	case err != nil:
		return nil, err
	case it.Turn == nil:
		return &known, nil
	}
	h, err := dsl.TurnHash(it.Turn)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", dsl.ErrInvalid, err)
	}
	if h != known.Hash {
		return nil, fmt.Errorf("%w: turn %q is recorded at %s with another content: recorded %s, sent %s; send it under another id, with \"replaces\" if it is an edit",
			dsl.ErrConflict, id, known.Seq, known.Hash, h)
	}
	return &known, nil
}

// edited gives the id of the turn whose place a new turn takes; empty where it is
// no edit.
func edited(view store.View, it *Item) (string, error) {
	if it.Turn.Replaces == "" {
		return "", nil
	}
	old, err := view.Turn(it.Turn.Replaces)
	if errors.Is(err, dsl.ErrNotFound) {
		return "", fmt.Errorf("%w: turn %q replaces turn %q, which space %q has not recorded; send that turn first, or leave \"replaces\" out",
			dsl.ErrNotFound, it.Turn.ID, it.Turn.Replaces, it.Space)
	}
	for err == nil && old.ReplacedBy != "" {
		old, err = view.Turn(old.ReplacedBy)
	}
	return old.ID, err
}

func (b *builder) ops(tx *dsl.Tx, view store.View, head store.Position, it *Item, opt ingestOptions) (c compiled, r Receipt, err error) {
	h, err := assimilate.OpsHash(it.At, it.Ops, it.Ref)
	if err != nil {
		return c, r, err
	}
	if head.Seq > 0 && it.At <= head.Time {
		// The hash covers the record time, so what lies above the head's is new.
		if seq, err := view.Known(store.OpsKey(h)); err != nil || seq != 0 {
			return c, Receipt{Seq: seq, Fate: Duplicate}, err
		}
		return c, r, fmt.Errorf("%w: at %s does not rise above the space's last record time %s (I3)", dsl.ErrInvalid, it.At, head.Time)
	}
	tx.Kind, tx.Time, tx.Ref, tx.OpsHash = dsl.TxOps, it.At, it.Ref, h
	c.memo = b.memo(it.Space)
	c.before = c.memo.Len()
	in := assimilate.OpsInput{Space: it.Space, Seq: tx.Seq, Time: tx.Time, Ops: it.Ops, Strict: opt.strict, Memo: c.memo}
	if c.Output, r.Unknown, err = assimilate.Compile(view, in, b.db.engine.policy); err != nil {
		return c, r, err
	}
	if c.Output, err = assimilate.Rebuild(view, in, c.Output, b.db.engine.policy); err != nil {
		return c, r, err
	}
	tx.Nodes, tx.Operations = c.Nodes, c.Operations
	return c, r, nil
}

// previous gives the last turns of a space.
func (b *builder) previous(view store.View, space string) (recentTurns, error) {
	if last, ok := b.recent[space]; ok {
		return last, nil
	}
	last, err := lastTurns(view, b.db.cfg.Memory.STMWindow)
	if err != nil || view.Basis().Seq == 0 {
		return last, err
	}
	if len(b.recent) >= recentSpaces {
		clear(b.recent)
	}
	b.recent[space] = last
	return last, nil
}

// remember keeps the last turns of the space up to date with what was staged.
func (b *builder) remember(tx *dsl.Tx) {
	if tx.Kind != dsl.TxOps {
		delete(b.memos, tx.Space) // held is an upper bound
	}
	if tx.Kind == dsl.TxDrop || tx.Turn != nil && tx.Turn.Replaces != "" {
		delete(b.recent, tx.Space) // what stands is read anew
	}
	last, ok := b.recent[tx.Space]
	if !ok || tx.Turn == nil {
		return
	}
	list := last.list
	if n := b.db.cfg.Memory.STMWindow; len(list) >= n {
		list = list[len(list)-n+1:]
	}
	// A new array: an extraction may still hold the old one.
	b.recent[tx.Space] = recentTurns{append(slices.Clone(list), *tx.Turn), last.replaced}
}

// forget drops what was remembered, as of transactions that were discarded.
func (b *builder) forget() {
	clear(b.recent)
	b.forgetMemos()
}

// refresh forgets if others than this builder have changed the memory.
func (b *builder) refresh() {
	if b.caughtUp != b.db.caughtUp {
		b.caughtUp = b.db.caughtUp
		b.forget()
	}
}
