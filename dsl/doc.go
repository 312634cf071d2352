// Package dsl is the vocabulary of asof: instants, intervals, positions, ids,
// turns, candidates, operations, fact versions, events and transactions, and
// the one canonical text that they are hashed and logged as.
//
// Everything here is a value. Nothing reads a clock, a file or the network.
//
// # Times
//
// An Instant counts microseconds since 1970-01-01T00:00:00Z. An Interval is
// half-open, [Start, End). The two ends of time are written null.
//
// # Canonical text
//
// Canonical JSON is that of RFC 8785 restricted to what asof writes: members
// sorted by name, no insignificant space, shortest numbers, no HTML escaping,
// valid UTF-8 only. Decoders refuse any other spelling of the same value, so a
// hash over the bytes is a hash over the meaning. FORMAT.md is the byte spec.
//
// # Envelopes
//
// Every string that a user wrote, or that derives from one, is a Text: an
// envelope that holds plain text today and may hold ciphertext later without a
// change of format. Identifiers (spaces, turn ids, session ids, fact ids,
// sources) are not enveloped: they must not carry personal data.
package dsl
