// Package asof is long-term memory for conversational agents: an event-sourced,
// bitemporal knowledge graph. Turns stream in, facts come out, and any past
// state can be asked for again, byte for byte.
//
// Open a folder, Ingest turns, take a View at any record time or position, ask
// it for facts, histories and search results. The log is the truth: Replay
// rebuilds everything from it and Audit makes every decision again.
//
// A DB may be used by many goroutines. It writes through one, which groups what
// waits so that many turns share one sync of the disk.
package asof
