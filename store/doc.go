// Package store keeps the fold of the log in Pebble and answers questions about
// any past state of it, exactly.
//
// # Model
//
// A space is a sequence of transactions. The store applies each as one batch:
// nodes, fact versions, closings, links, events, the turn, the postings of the
// text index, the position row (record time, chain hash, digest, document
// counts). Batches are not synced: the log is the truth, and after a crash the
// store is a prefix of it that catches up (see Assumptions).
//
// Nothing is overwritten. A version is written once; closing it writes another
// key. Every row belongs to a position, and a view at position n reads only
// rows of positions ≤ n: that is all there is to time travel, and it holds for
// facts, events, statistics and postings alike. Only the rows of the text index
// are replaced, by fewer that say the same (DESIGN.md). Record time rises strictly with
// position, so a view at record time t is the view at the last position whose
// record time is ≤ t.
//
// # Invariants
//
//	I1  Intervals are half-open and start ≤ end.
//	I2  Two versions of one fact never overlap in both times.
//	I3  Record time rises strictly as position rises.
//	I4  store = fold(log up to the applied position).
//	I5  Every projection's position ≤ the applied position.
//	I6  Same log and configuration: same digest.
//	I7  For a functional relation at most one version per (src, rel) that is not
//	    archived holds at any (t, v).
//	I8  A view at t over any longer log equals the view at t over the log up to
//	    t: facts, events, scores, packs.
//	I9  t_visible never falls, and no event is visible before its evidence.
//	I10 An alias merge recorded after t does not exist at t.
//
// # Assumptions
//
// A Pebble batch is atomic. After a crash the store holds a prefix of the
// batches in commit order (Pebble's write-ahead log is one file in order). The
// applied position is in the same batch as the rows it speaks of.
//
// # A failing disk
//
// The first write to the store's files that fails stops the store (ErrStopped):
// nothing more reaches the disk, which is then as after a crash, and reads go on
// from memory and the tables that are there (see disk). Tables that cannot be
// read are dsl.ErrCorrupt with the file. A manifest that lost its end, or a
// write-ahead log that is gone, is found at Open by the seal (see FORMAT.md).
package store
