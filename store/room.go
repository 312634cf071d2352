package store

import (
	"github.com/cockroachdb/pebble/v2"
)

// maxL0 is how many sorted runs level 0 may have before the writer waits for
// them to be merged: a read looks at each.
const maxL0 = 12

// room keeps the writer from running ahead of Pebble's flushes and compactions.
// It belongs to the writer, but for made.
type room struct {
	db    *pebble.DB
	disk  *disk
	limit int64
	since int64 // bytes committed since there was room
	wake  chan struct{}
}

func (r *room) init(d *disk, memtable int64) {
	r.disk, r.limit, r.wake = d, memtable, make(chan struct{}, 1)
}

// made says that a flush or a compaction has ended. It does not wait.
func (r *room) made() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// wait returns when n more bytes may be committed, or with what has stopped the
// disk. It looks at Pebble's own figures once every half memtable.
func (r *room) wait(n int) error {
	if err := r.disk.failure(); err != nil {
		return err
	}
	if r.since += int64(n); r.since < r.limit/2 {
		return nil
	}
	for {
		m := r.db.Metrics()
		if int64(m.MemTable.Size) <= 2*r.limit && int(m.Levels[0].Sublevels) < maxL0 {
			r.since = 0
			return nil
		}
		select {
		case <-r.wake:
		case <-r.disk.stopped:
			return r.disk.failure()
		}
	}
}
