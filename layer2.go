package asof

import (
	"errors"
	"fmt"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/events"
	"github.com/asof-db/asof/store"
)

// layer2Of gives what a configuration says of triggers and working memory.
func layer2Of(cfg *configs.Config) assimilate.Layer2 {
	t, m, w := &cfg.Triggers, &cfg.Memory, &cfg.Triggers.Weights
	return assimilate.Layer2{
		Window: m.STMWindow, Capacity: m.WMCapacity, Budget: m.WriteBudget, StrongQuota: m.StrongWrites, PeriodicQuota: m.PeriodicWrites,
		Keep: t.TauKeep, Archive: t.TauArchive, Salience: t.Salience, Periodic: t.Periodic, TopicCosine: t.TopicCos,
		Reflect: t.ReflectThreshold, Cooldown: t.WriteCooldownTurns, Events: events.Options{Merge: cfg.Events.Merge}, Rewrite: cfg.Events.LLMSummary,
		Weights: assimilate.Weights{Bias: w.Bias, Bounded: w.Bounded, Dated: w.Dated, Doubt: w.Doubt, Entity: w.Entity,
			Functional: w.Functional, Length: w.Length, Novelty: w.Novelty, Question: w.Question, Repetition: w.Repetition, Self: w.Self},
	}
}

// saidOf gives what a transaction says, as assimilation takes it: what the
// builder decides from, and an audit again. The candidates are those of tx.
func saidOf(view store.View, tx *dsl.Tx) (assimilate.Said, error) {
	in := assimilate.Said{Kind: tx.Kind, Gap: tx.Gap,
		Input: assimilate.Input{Space: tx.Space, Seq: tx.Seq, Time: tx.Time, Candidates: tx.Candidates}}
	switch tx.Kind {
	case dsl.TxTurn:
		in.Turn, in.Replaces = *tx.Turn, tx.Turn.Replaces
	case dsl.TxCandidates:
		t, err := view.Turn(tx.TurnID)
		if errors.Is(err, dsl.ErrNotFound) {
			return in, fmt.Errorf("%w: candidates for turn %q, which is not there", dsl.ErrNotFound, tx.TurnID)
		}
		if err != nil {
			return in, err
		}
		in.Turn = t.Turn
	case dsl.TxBackfill:
		return in, nil
	}
	in.TurnID, in.TurnTime, in.Speaker = in.Turn.ID, in.Turn.TS, in.Turn.Speaker
	return in, nil
}

// assimilate fills a transaction with what its candidates lead to.
func (b *builder) assimilate(view store.View, tx *dsl.Tx) error {
	in, err := saidOf(view, tx)
	if err != nil {
		return err
	}
	in.Rewrite = b.rewriter(&in)
	out, err := assimilate.Take(view, in, b.db.engine.policy)
	if err != nil {
		return err
	}
	tx.Nodes, tx.Operations, tx.Decisions, tx.Triggers, tx.Memory = out.Nodes, out.Operations, out.Decisions, out.Triggers, out.Memory
	return nil
}
