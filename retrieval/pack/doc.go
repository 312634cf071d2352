// Package pack compiles what a view holds about a question into an evidence
// pack: a text of bounded length that a reader, a language model or a person,
// gets in place of the memory, and the items that it is made of.
//
// # What is in a pack
//
// Events come first, then facts, then the turns that they rest on, by the day
// they were said and in the order of their record. Each item names its valid and
// record intervals, the turns that are its evidence, and the instant at which it
// was found to hold (active_at; null where it did not); an event says how many of
// its facts hold. Neighbouring turns are one item.
//
// # How it is chosen
//
// Turns are taken best first, as long as one more fits, and with every token
// that the others leave: what counts is how much of the evidence is inside. A
// fact is left out where a turn that says it is inside, unless it tells a bound
// of validity; an event where everything that it rests on is inside; a turn where
// one that is inside says the same words.
//
// A turn is squeezed before it is measured: whole sentences go, words never
// change. First those that only greet, thank or praise, and questions that share
// nothing with the question asked; then, in a turn that the question does not
// rank among the first, the sentences that share nothing with the question, the
// emptiest first, as long as two thirds of what the turn tells are left. What a
// turn tells is counted in content words of its statements. A turn of which less
// is left is marked partial: it is there, but it is not counted as evidence.
//
// # Profiles
//
// Evidence is the profile above, for some 600 tokens. Detchain and Compass pack
// whole sessions (sessions.go): see Mode.
//
// # Promises
//
// Everything is computed from the view and the query, so that a pack at a basis
// is byte for byte what a memory that ends there gives (I8). Every pack is
// compiled twice and both are compared. Tokens are counted by Tokenizer over the
// whole text, headers included, and never exceed the budget. The digest is the
// SHA-256 of the canonical JSON (RFC 8785) of the pack without its digest.
package pack
