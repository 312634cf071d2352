package store

// FlushSoon makes the store write its memtable to a table, and waits for it unless
// the disk stops.
func FlushSoon(s *Store) error {
	done, err := s.db.AsyncFlush()
	if err != nil {
		return err
	}
	select {
	case <-done:
	case <-s.disk.stopped:
	}
	return nil
}
