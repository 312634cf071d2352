package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Checkpoint makes a copy of the store as it stands in a folder that must not be
// there yet, in the store's file system, and gives the last log message that the
// copy has applied. The copy is a store: it can be opened. Tables, which never
// change, are linked where the file system can, so it costs little; what was
// written last is written out and copied. Writes wait meanwhile.
func (s *Store) Checkpoint(dir string) (applied uint64, err error) {
	s.writer.Lock()
	defer s.writer.Unlock()
	for _, check := range []func() error{s.live, s.Stopped, s.writable} {
		if err := check(); err != nil {
			return 0, err
		}
	}
	if applied, err = s.Applied(); err != nil {
		return 0, err
	}
	if err := s.db.Checkpoint(dir, pebble.WithFlushedWAL()); err != nil {
		return 0, fmt.Errorf("store: checkpoint in %s: %w", dir, err)
	}
	return applied, s.Stopped()
}
