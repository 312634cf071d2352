package assimilate

import (
	"fmt"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
)

// PolicyVersion names this version of the rules. It is part of the settings that
// a space runs under, so that an audit knows a changed rule from a fault.
const PolicyVersion = "rbu/1"

// Policy is what the rules are configured by.
type Policy struct {
	// Registry says which relations are functional and what their values are.
	Registry *extract.Registry
	// WMMin is the least confidence, in [0, 1], that is believed; a candidate
	// below it is held in working memory.
	WMMin float64
	// Fuzzy compares values after near matching. It is not available yet and is
	// refused.
	Fuzzy bool
}

// Validate returns the first fault of the policy, wrapping dsl.ErrInvalid.
func (p Policy) Validate() error {
	switch {
	case p.Registry == nil:
		return fmt.Errorf("%w: the policy has no predicate registry", dsl.ErrInvalid)
	case !(p.WMMin >= 0 && p.WMMin <= 1):
		return fmt.Errorf("%w: wm_min %v lies outside [0, 1]", dsl.ErrInvalid, p.WMMin)
	case p.Fuzzy:
		return fmt.Errorf("%w: rbu.fuzzy is not available yet; set it to false", dsl.ErrInvalid)
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

	state *state // for the memo
}
