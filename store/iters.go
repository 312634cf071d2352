package store

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// idleIterators bounds the iterators that are kept for the next read.
const idleIterators = 16

// iterators lends iterators over the committed rows of all spaces. Making one
// costs more than a seek, so they are kept; a commit drops those that are idle,
// since they would not see it and would hold files that are gone.
type iterators struct {
	db pebble.Reader

	mu     sync.Mutex // guards what follows
	epoch  uint64
	idle   []*pebble.Iterator
	closed bool
}

// take lends an iterator that sees everything committed so far. The epoch goes
// back with it.
func (p *iterators) take() (*pebble.Iterator, uint64, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, 0, fmt.Errorf("store: %w", dsl.ErrClosed)
	}
	epoch := p.epoch
	if n := len(p.idle); n > 0 {
		it := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return it, epoch, nil
	}
	p.mu.Unlock()
	it, err := p.db.NewIter(&pebble.IterOptions{LowerBound: []byte{tableData}, UpperBound: []byte{tableData + 1}})
	if err != nil {
		return nil, 0, fmt.Errorf("store: iterator: %w", err)
	}
	return it, epoch, nil
}

// put takes an iterator back.
func (p *iterators) put(it *pebble.Iterator, epoch uint64) error {
	p.mu.Lock()
	if !p.closed && epoch == p.epoch && len(p.idle) < idleIterators {
		p.idle = append(p.idle, it)
		p.mu.Unlock()
		return nil
	}
	p.mu.Unlock()
	return it.Close()
}

// renew drops what is idle; the next take sees what was just committed.
func (p *iterators) renew(closed bool) error {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.epoch++
	p.closed = p.closed || closed
	p.mu.Unlock()
	var errs []error
	for _, it := range idle {
		errs = append(errs, it.Close())
	}
	return errors.Join(errs...)
}
