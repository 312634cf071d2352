package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// TestNewestViewHoldsItsRows reads the newest view while transactions come in:
// who sees a head sees all of its rows. Each transaction makes one change.
func TestNewestViewHoldsItsRows(t *testing.T) {
	s := openMem(t)
	c := storetest.NewChain("n")
	tea := c.Node(dsl.Entity, "tea")
	n := 1500
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := readNewest(s); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range n {
		applyTo(t, s, c.Ops(start, storetest.Upsert(fmt.Sprint("f", i), 1, c.Node(dsl.Entity, fmt.Sprint("a", i)), "likes", tea, dsl.Always, 1)))
	}
	close(stop)
	readers.Wait()
}

func readNewest(s *store.Store) error {
	head, err := s.Head("n")
	if err != nil {
		return err
	}
	v, err := s.At("n", head.Seq)
	if err != nil {
		return err
	}
	found := 0
	for _, cerr := range v.Changes(max(head.Seq, 1) - 1) {
		err = errors.Join(err, cerr)
		found++
	}
	if err == nil && head.Seq > 0 && found != 1 {
		err = fmt.Errorf("the view at %s tells %d changes of its head, want 1", head.Seq, found)
	}
	return errors.Join(err, v.Close())
}
