package assimilate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
)

// waiting is a candidate that is held, as it was said.
type waiting struct {
	dsl.Held
	candidate dsl.Candidate
	by        string
	// taken is set once it was promoted.
	taken bool
}

// promotion is a held candidate that another mention supports.
type promotion struct {
	waiting
	// candidate is the index of that mention in the transaction.
	candidate int
	joint     float64
}

// waits gives the candidates that were held before the transaction, read once.
func (w *working) waits() ([]waiting, error) {
	if w.read {
		return w.held, nil
	}
	w.read = true
	for _, h := range w.before.Held {
		c, err := w.view.Held(h.Ref())
		if err != nil {
			return nil, fmt.Errorf("working memory: %w", err)
		}
		w.held = append(w.held, waiting{Held: h, candidate: c.Candidate, by: c.By})
	}
	return w.held, nil
}

// supported adds the evidence that held candidates are for what the decider's
// candidate says, and takes the confidence of all together. They are those of other
// turns that say the same of times that may be the same. min is the least
// confidence that is believed; where all together fall short of it, nothing is
// supported.
func (d *decider) supported(min float64) error {
	if d.memory == nil || len(d.memory.Held) == 0 {
		return nil
	}
	held, err := d.memory.waits()
	if err != nil {
		return err
	}
	joint := d.c.Confidence
	var found []int
	for i := range held {
		h := &held[i]
		if h.taken || h.by == d.turn {
			continue
		}
		same, err := d.repeats(&h.candidate)
		if err != nil {
			return err
		}
		if same {
			found = append(found, i)
			joint = dsl.FoldConfidence(joint, h.candidate.Confidence)
		}
	}
	if len(found) == 0 || joint < min {
		return nil
	}
	c := *d.c
	c.Confidence = joint
	d.alone, d.c = d.c.Confidence, &c
	for _, i := range found {
		h := &held[i]
		h.taken = true
		d.also = append(d.also, evidence{turn: h.by, confidence: h.candidate.Confidence})
		d.memory.promoted = append(d.memory.promoted, promotion{waiting: *h, candidate: d.index, joint: joint})
	}
	return nil
}

// repeats tells whether a held candidate says what the decider's says.
func (d *decider) repeats(h *dsl.Candidate) (bool, error) {
	if h.Change != d.c.Change || h.Polarity != d.c.Polarity || d.registry.Canonical(h.Rel) != d.rel || h.DstKind != d.c.DstKind {
		return false, nil
	}
	if h.Valid != nil && d.c.Valid != nil && !h.Valid.Overlaps(*d.c.Valid) {
		return false, nil
	}
	relation, err := h.Relation.Open()
	if err != nil {
		return false, fmt.Errorf("relation: %w", err)
	}
	if analyze.NormalizeName(relation) != d.relation {
		return false, nil
	}
	src, err := d.named(dsl.Entity, h.Src)
	if err != nil {
		return false, fmt.Errorf("src: %w", err)
	}
	dst, err := d.named(h.DstKind, h.Dst)
	if err != nil {
		return false, fmt.Errorf("dst: %w", err)
	}
	return slices.Contains(d.srcs, src.ID) && slices.Contains(d.dsts, dst.ID), nil
}

// turns gives the turns that say what the candidate says: those that waited,
// then its own.
func (d *decider) turns() []string {
	var out []string
	for _, l := range d.also {
		if !slices.Contains(out, l.turn) {
			out = append(out, l.turn)
		}
	}
	return append(out, d.turn)
}

// hold takes what was promoted out of working memory, puts what the decisions
// hold into it, and lets go of what waited for too long.
func (w *working) hold(decisions []dsl.Decision) {
	for i := range w.promoted {
		p := &w.promoted[i]
		ref := p.Ref()
		w.Held = slices.DeleteFunc(w.Held, func(h dsl.Held) bool { return h.Ref() == ref })
		d := dsl.TriggerDecision{Trigger: dsl.Promote, Action: dsl.TriggerWrite, Held: &ref, Operations: slices.Clone(decisions[p.candidate].Operations)}
		why := "is said again"
		if w.in.Kind == dsl.TxBackfill {
			why = "is what the gap asks for"
		}
		w.tell(d, "%s %s %s waited since turn %q and %s: its confidence is %v now", p.waiting.candidate.Src, p.waiting.candidate.Rel,
			p.waiting.candidate.Dst, p.by, why, p.joint)
	}
	for i := range decisions {
		if decisions[i].Action != dsl.Hold || i > maxHeldIndex {
			continue
		}
		h := dsl.Held{Candidate: i, Position: w.in.Seq, Turn: max(w.turn, 1)}
		ref := h.Ref()
		w.Held = append(w.Held, h)
		c := &w.in.Candidates[i]
		w.tell(dsl.TriggerDecision{Trigger: dsl.HoldTrigger, Action: dsl.TriggerWait, Held: &ref},
			"%s %s %s waits for a second mention: its confidence is %v", c.Src, c.Rel, c.Dst, c.Confidence)
	}
	w.Held = slices.DeleteFunc(w.Held, func(h dsl.Held) bool {
		if w.turn-h.Turn < w.opt.Window {
			return false
		}
		ref := h.Ref()
		w.tell(dsl.TriggerDecision{Trigger: dsl.Drop, Action: dsl.TriggerDrop, Held: &ref},
			"the candidate %d of %s was not said again in %d turns", h.Candidate, h.Position, w.opt.Window)
		return true
	})
}

// maxHeldIndex bounds the candidates of one transaction that can wait.
const maxHeldIndex = 1<<16 - 1

// withdraw lets go of the candidates of a turn that another takes the place of.
func (w *working) withdraw(turn string) error {
	if turn == "" || len(w.Held) == 0 {
		return nil
	}
	held, err := w.waits()
	if err != nil {
		return err
	}
	gone := []string{turn} // and what stands in its place already
	for !slices.Contains(gone[:len(gone)-1], turn) {
		t, err := w.view.Turn(turn)
		if errors.Is(err, dsl.ErrNotFound) || err == nil && t.ReplacedBy == "" {
			break
		}
		if err != nil {
			return fmt.Errorf("turn %s: %w", turn, err)
		}
		turn = t.ReplacedBy
		gone = append(gone, turn)
	}
	for i := range held {
		h := &held[i]
		if !slices.Contains(gone, h.by) || h.taken {
			continue
		}
		h.taken = true
		ref := h.Ref()
		w.Held = slices.DeleteFunc(w.Held, func(x dsl.Held) bool { return x.Ref() == ref })
		w.tell(dsl.TriggerDecision{Trigger: dsl.Drop, Action: dsl.TriggerDrop, Held: &ref}, "the turn %q that said it was replaced", h.by)
	}
	return nil
}
