// Package ledger is the log of asof: an append-only, partitioned log of opaque transactions on NATS JetStream, embedded
// or external, and the same in memory for tests.
package ledger
