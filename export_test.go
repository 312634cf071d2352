package asof

import "github.com/cockroachdb/pebble/v2/vfs"

// WithStoreFS gives options under which the store lies in another file system.
func WithStoreFS(o Options, fs vfs.FS) Options {
	o.storeFS = fs
	return o
}
