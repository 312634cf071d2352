// Package scaffold works out mechanically what a reader would have to work out
// from an evidence pack, and often gets wrong: in which order things happened,
// which of several statements is the newest, which values hold, how many there
// are. It sees nothing but the pack, and every line names the turns that it rests
// on.
//
// # Kinds
//
// Timeline lists what the pack dates, in the order of the world: sentences with a
// time expression, resolved against the day they were said on, facts with bounds
// and events.
//
// Freshness lists, for each subject and relation, what was stated, the newest
// first, by the clock that the speaker stated, at its own grain: what was "last
// month" and what was "on the 3rd of May" cannot be told apart where one holds the
// other, and then the order of saying decides and the line is marked.
//
// Invariants lists the values and preferences that hold, those that held before,
// and what is denied.
//
// Count lists the sentences that name what a question counts, and the numbers
// that were stated of it, the newest first.
//
// # Contradictions
//
// A scaffold that contradicts itself is not given: Build returns an error that
// wraps ErrContradiction and names the evidence. These contradict: an interval
// that is turned around; something said after the instant of the pack; evidence
// that the item which names it does not show; two values of a functional relation
// at one instant; a value that is liked and disliked at one instant; two values
// of a functional relation stated in one turn for one time; two numbers that one
// speaker stated on one day of what there is.
package scaffold
