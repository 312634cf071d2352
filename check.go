package asof

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

// CheckReport says what Check looked at and what it found.
type CheckReport = store.CheckReport

// A check looks at the same samples each time, so that a fault that it found can
// be seen to be gone.
const (
	checkSeed    = 1
	checkSamples = 4
	// checkQuestions is how many questions are asked of each sampled view.
	checkQuestions = 3
)

// Check verifies the invariants I1 to I10 on the store as it stands: those of
// its own rows (see store.Check), and, by folding the log again into a store
// beside it, that it is the fold of its log row for row (I4), with the same
// digest at every position (I6), and that sampled views answer byte for byte as
// a store does that has seen the log up to there and no further (I8). Functional
// relations are those of the present configuration (I7). An empty space checks
// all. Writes go on meanwhile. What it finds is in the report; an error means
// that it could not look.
func (db *DB) Check(ctx context.Context, space string) (rep CheckReport, err error) {
	frozen, err := db.store.Freeze()
	if err != nil {
		return rep, fmt.Errorf("asof: check: %w", err)
	}
	defer func() { err = errors.Join(err, frozen.Close()) }()
	if rep, err = frozen.Check(ctx, space, store.CheckOptions{
		Seed: checkSeed, Samples: checkSamples, Functional: db.engine.registry.Functional,
	}); err != nil {
		return rep, fmt.Errorf("asof: check: %w", err)
	}
	f, err := newFolder(false)
	if err != nil {
		return rep, err
	}
	c := &recheck{db: db, frozen: frozen, f: f, rep: &rep, heads: map[string]dsl.Seq{}, last: map[string]dsl.Seq{},
		samples: map[string][]dsl.Seq{}, listed: map[string]int{}, unlisted: map[string]int{}}
	for _, fault := range rep.Faults {
		c.listed[fault.Space]++
	}
	if err := errors.Join(c.run(ctx, space), f.close()); err != nil {
		return rep, fmt.Errorf("asof: check: %w", err)
	}
	return rep, nil
}

// recheck folds the log beside a frozen store and compares the two.
type recheck struct {
	db     *DB
	frozen *store.Frozen
	f      *folder
	rep    *CheckReport
	// heads are the last positions of the frozen store, last those that the log
	// held of them, samples the positions to be compared, rising.
	heads, last map[string]dsl.Seq
	samples     map[string][]dsl.Seq
	// listed and unlisted count the faults of a space.
	listed, unlisted map[string]int
}

func (c *recheck) fault(space string, seq dsl.Seq, kind, format string, args ...any) {
	if c.listed[space] >= store.MaxFaults {
		c.unlisted[space]++
		return
	}
	c.listed[space]++
	c.rep.Faults = append(c.rep.Faults, store.Fault{Space: space, Position: seq, Kind: kind, Message: fmt.Sprintf(format, args...)})
}

func (c *recheck) run(ctx context.Context, space string) error {
	names, err := c.frozen.Spaces()
	if err != nil {
		return err
	}
	for _, name := range names {
		if space != "" && name != space {
			continue
		}
		head, first, err := c.frozen.Head(name)
		if errors.Is(err, dsl.ErrCorrupt) {
			continue // told by the check of the rows
		}
		if err != nil {
			return err
		}
		if head.Seq > 0 {
			c.heads[name] = head.Seq
			c.samples[name] = store.SamplePositions(checkSeed, name, first, head.Seq, checkSamples)
		}
	}
	applied, err := c.frozen.Applied()
	if err != nil && !errors.Is(err, dsl.ErrCorrupt) {
		return err
	}
	err = c.db.ledger.Read(ctx, 1, func(m ledger.Message) error {
		for _, r := range m.Records {
			if space != "" && r.Space != space {
				continue
			}
			if err := c.entry(ctx, r, m.Seq <= applied); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, ledger.ErrCorrupt) || errors.Is(err, ledger.ErrGap) {
		c.fault(space, 0, "I4", "the log cannot be read: %v", err)
		err = nil
	}
	if err := errors.Join(err, c.f.flush()); err != nil {
		return err
	}
	for _, fault := range c.f.faults {
		c.fault(fault.Space, fault.Position, "I4", "the log cannot be folded: %s", fault.Message)
	}
	for _, name := range names {
		if _, ok := c.heads[name]; !ok {
			continue
		}
		if err := c.compare(ctx, name); err != nil {
			return err
		}
		if n := c.unlisted[name]; n > 0 {
			c.rep.Faults = append(c.rep.Faults, store.Fault{Space: name, Kind: "more", Message: fmt.Sprintf("%d more faults of this space against its log are not listed", n)})
		}
	}
	return nil
}

// entry folds one entry and, where its position is sampled, compares the views.
func (c *recheck) entry(ctx context.Context, r ledger.Record, applied bool) error {
	seq := dsl.Seq(r.Seq)
	if seq > c.heads[r.Space] {
		if applied && seq == c.heads[r.Space]+1 {
			c.fault(r.Space, seq, "I4", "the store has applied the log beyond it and lacks it")
		}
		return nil
	}
	if err := c.f.add(r.Space, seq, r.Data); err != nil {
		return err
	}
	c.last[r.Space] = seq
	left := c.samples[r.Space]
	if c.f.dead[r.Space] || len(left) == 0 || left[0] != seq {
		return nil
	}
	c.samples[r.Space] = left[1:]
	if err := c.f.flush(); err != nil {
		return err
	}
	return c.views(ctx, r.Space, seq)
}

// compare holds the rows and the digests of a space against those of the fold.
func (c *recheck) compare(ctx context.Context, space string) error {
	head := c.heads[space]
	if last := c.last[space]; last != head {
		c.fault(space, head, "I4", "the store is at %s, the log ends at %s", head, last)
	}
	if c.f.dead[space] || c.last[space] == 0 {
		return nil
	}
	again, err := c.f.store.Freeze()
	if err != nil {
		return err
	}
	rows, err := c.frozen.Diff(ctx, again, space, func(d store.RowDifference) bool {
		c.fault(space, d.Position, "I4", "%s; the log tells otherwise", d.String())
		return true
	})
	c.rep.Checked["I4"] += rows
	if err := errors.Join(err, again.Close()); err != nil {
		return err
	}
	v := c.frozen.At(space, head)
	err = c.f.digests(ctx, space, func(p store.Position) error {
		c.rep.Checked["I6"]++
		got, err := v.PositionAt(p.Seq)
		if err != nil {
			c.fault(space, p.Seq, "I6", "reading its digest: %v", err)
		} else if got.Digest != p.Digest {
			c.fault(space, p.Seq, "I6", "the digest is %s, the log gives %s; delete the store folder and it is made again", got.Digest, p.Digest)
		}
		return ctx.Err()
	})
	return errors.Join(err, v.Close())
}

// views compares what the view at a position answers with what the store
// answers that has seen the log up to it (I8).
func (c *recheck) views(ctx context.Context, space string, seq dsl.Seq) (err error) {
	prefix, err := c.f.store.At(space, seq)
	if err != nil {
		return err
	}
	want := &View{View: prefix, db: c.db, engine: c.db.engine}
	got := &View{View: c.frozen.At(space, seq), db: c.db, engine: c.db.engine}
	defer func() { err = errors.Join(err, want.Close(), got.Close()) }()
	questions, err := sampleQuestions(want, space, seq)
	if err != nil {
		return err
	}
	nextWant, stopWant := iter.Pull(want.everything(ctx, questions))
	defer stopWant()
	nextGot, stopGot := iter.Pull(got.everything(ctx, questions))
	defer stopGot()
	for {
		w, more := nextWant()
		g, moreToo := nextGot()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case w.err != nil:
			return w.err
		case g.err != nil:
			c.fault(space, seq, "I8", "%s of the view: %v", g.of, g.err)
			return nil
		case w.of != g.of || w.text != g.text || more != moreToo:
			c.fault(space, seq, "I8", "%s of the view: %s; of a store that has seen no more: %s", cmp.Or(g.of, w.of), shorten(g.text), shorten(w.text))
			return nil
		case !more:
			return nil
		}
		c.rep.Checked["I8"]++
	}
}

// shorten cuts an answer to what fits a message.
func shorten(s string) string {
	const most = 300
	if s == "" {
		return "nothing"
	}
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// sampleQuestions gives what a few turns of a view said.
func sampleQuestions(v *View, space string, seq dsl.Seq) (list []string, err error) {
	pos, err := v.PositionAt(seq)
	if err != nil || pos.Turns == 0 {
		return nil, err
	}
	for i := range checkQuestions {
		h := dsl.Sum(fmt.Appendf(nil, "%d %s %d %d", checkSeed, space, seq, i))
		t, err := v.TurnDoc(int(binary.BigEndian.Uint64(h[:]) % pos.Turns))
		if err != nil {
			return nil, err
		}
		list = append(list, t.Text.String())
	}
	return list, nil
}

// answer is one line of what a view answers.
type answer struct {
	of, text string
	err      error
}

// everything yields what a view answers, line by line, in the public form:
// facts, history, events, changes, the results of some searches and their packs.
func (v *View) everything(ctx context.Context, questions []string) iter.Seq[answer] {
	return func(yield func(answer) bool) {
		show := func(of string, x any, err error) bool {
			a := answer{of: of, err: err}
			if err == nil {
				var line []byte
				line, a.err = EncodeJSON(x)
				a.text = string(line)
			}
			return yield(a) && a.err == nil
		}
		for f, err := range v.Facts(store.FactQuery{}) {
			if !show("facts", FactOut(&f), err) {
				return
			}
		}
		for h, err := range v.History(store.FactQuery{}) {
			if !show("history", HistoryOut(&h), err) {
				return
			}
		}
		for _, all := range []bool{false, true} {
			for e, err := range v.Events(all) {
				var out EventJSON
				if err == nil {
					out, err = v.EventOut(&e)
				}
				if !show("events", out, err) {
					return
				}
			}
		}
		for ch, err := range v.Changes(0) {
			if !show("changes", ChangeOut(&ch), err) {
				return
			}
		}
		for _, q := range questions {
			for _, kind := range []retrieval.ViewKind{retrieval.AsRecorded, retrieval.AsWas} {
				res, err := v.Search(ctx, SearchQuery{Text: q, K: 20, View: kind, Kinds: retrieval.Kinds})
				if !show("search results", v.db.SearchOut(q, &res), err) {
					return
				}
			}
		}
		for _, q := range questions {
			p, err := v.Pack(ctx, SearchQuery{Text: q}, PackOptions{})
			if !show("evidence packs", p, err) {
				return
			}
		}
		d, err := v.Digest()
		show("digest", d, err)
	}
}
