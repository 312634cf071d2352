package store

import "time"

// Settle flushes the memtable and waits until nothing is compacted any more.
func Settle(s *Store) error {
	if err := s.db.Flush(); err != nil {
		return err
	}
	for quiet := 0; quiet < 5; time.Sleep(2 * time.Millisecond) {
		if quiet++; s.db.Metrics().Compact.NumInProgress > 0 {
			quiet = 0
		}
	}
	return nil
}
