// Package neo4j projects the store into Neo4j: the graph that people look at and
// query with Cypher. It is a projection and never a source. It can be dropped,
// built again and verified, and nothing in asof reads from it.
//
// SCHEMA.md describes nodes, relationships and properties, with queries.
//
// # How it follows
//
// The projector reads the log in order, message by message, up to what the store
// has applied (I5 of package store), folds the transactions of each space into
// rows, and writes the rows of many spaces in one Neo4j transaction, by UNWIND.
// What a row needs to know of earlier transactions (the subject of a fact that is
// corrected, the confidence before a further witness) it reads from the store's
// view at the position before the batch, so the projector keeps nothing in memory
// between batches but positions. The store knows nothing of it: a slow or dead
// Neo4j never holds an ingest up.
//
// # What holds
//
//	N1  The position of a space is written in the transaction that writes its
//	    rows, by compare-and-set: a batch is in the graph whole or not at all, and
//	    once. A second projector is harmless.
//	N2  A batch ends between log transactions, so the graph of a space is always
//	    that of one position.
//	N3  After any error nothing is taken for granted: all positions are read again
//	    in a new session, and the log is read from there. A commit whose answer was
//	    lost is found done, or is done again.
//	N4  A reader that starts at (:Projection) sees one generation. A rebuild fills
//	    another beside it and changes the pointer once that has caught up; so does
//	    the drop of a space.
//	N5  What concerns one space's rows stops that space and no other.
//	N6  Verify computes every row from the store and from the graph on its own and
//	    compares their digests; where these differ it names the rows.
//
// # Generations
//
// A generation is one copy of one space's graph. Its number is unique in the
// database; every node and relationship carries it, beside the space's name. Its
// node (:Generation) holds the position and the state: building, current or
// retired. Retired ones are removed in small transactions.
package neo4j
