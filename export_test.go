package asof

import (
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/store"
)

// WithStoreFS gives options under which the store lies in another file system.
func WithStoreFS(o Options, fs vfs.FS) Options {
	o.storeFS = fs
	return o
}

// VectorsKept gives how many documents of a field have a vector in the store.
func (db *DB) VectorsKept(space string, f store.Field) (int, error) {
	return db.store.VectorCoverage(space, db.engine.ranking.Dense[0].Encoder.Model().Name, f)
}
