package assimilate

import (
	"fmt"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/events"
	"github.com/asof-db/asof/extract"
)

// PolicyVersion names this version of the rules: those of facts, of triggers and
// of events. It is part of the settings that a space runs under, so that an audit
// knows a changed rule from a fault.
const PolicyVersion = "rbu/3+triggers/1+" + events.Version

// Policy is what the rules are configured by.
type Policy struct {
	// Registry says which relations are functional and what their values are.
	Registry *extract.Registry
	// WMMin is the least confidence, in [0, 1], that is believed; a candidate
	// below it is held in working memory.
	WMMin float64
	// Fuzzy takes a value for a known one of the same subject and relation whose
	// name is near (internal/near), where none has its own.
	Fuzzy bool
	// OwnWord lets what the subject said of itself stand against what another says
	// of the time up to then.
	OwnWord bool
	// Layer2 configures triggers and working memory.
	Layer2 Layer2
}

// Validate returns the first fault of the policy, wrapping dsl.ErrInvalid.
func (p Policy) Validate() error {
	switch {
	case p.Registry == nil:
		return fmt.Errorf("%w: the policy has no predicate registry", dsl.ErrInvalid)
	case !(p.WMMin >= 0 && p.WMMin <= 1):
		return fmt.Errorf("%w: wm_min %v lies outside [0, 1]", dsl.ErrInvalid, p.WMMin)
	}
	return nil
}

// Output is what a transaction will hold.
type Output struct {
	// Nodes are the nodes that the view does not have yet, in order of first use.
	Nodes []dsl.Node
	// Operations are complete: applying them needs no further decision.
	Operations []dsl.Op
	// Decisions has one entry for each candidate, in order; empty for operations
	// that are written directly.
	Decisions []dsl.Decision
	// Triggers are the decisions of layer 2, Memory the working memory after the
	// transaction where it changed, both of Take alone.
	Triggers []dsl.TriggerDecision
	Memory   *dsl.Memory

	state *state // for the memo
}
