package store

import (
	"slices"
	"sync"

	"github.com/asof-db/asof/dsl"
)

// timesBlock is how many positions one block of cached record times covers, and
// timesCached how many record times are cached at most, over all spaces: 8 MiB.
const (
	timesBlock  = 4096
	timesCached = 1 << 20
)

// timesCache holds record times by position, so that a view at a record time
// needs no seek to find its position. What it holds never changes; what it has
// no room for is read from the rows.
type timesCache struct {
	mu     sync.Mutex // guards what follows
	spaces map[string]*spaceTimes
	held   int
	// refused counts the lookups for which there was no room; after many the
	// cache begins anew, for others may be asked for now.
	refused int
}

// spaceTimes are the record times of one space.
type spaceTimes struct {
	// first are those of positions 1, 1+timesBlock, …
	first  []dsl.Instant
	blocks map[int][]dsl.Instant
}

// lookup gives the last position recorded at or before t, of a space whose head
// it is given. read gives the record times of consecutive positions.
func (c *timesCache) lookup(space string, head dsl.Seq, t dsl.Instant, read func(from, n dsl.Seq) ([]dsl.Instant, error)) (seq dsl.Seq, at dsl.Instant, ok bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.spaces[space]
	if s == nil {
		s = &spaceTimes{blocks: map[int][]dsl.Instant{}}
		if c.spaces == nil {
			c.spaces = map[string]*spaceTimes{}
		}
		c.spaces[space] = s
	}
	for next := dsl.Seq(len(s.first))*timesBlock + 1; next <= head; next += timesBlock {
		list, err := read(next, 1)
		if err != nil {
			return 0, 0, false, err
		}
		s.first = append(s.first, list...)
		c.held += len(list)
	}
	i, exact := slices.BinarySearch(s.first, t)
	if exact {
		return dsl.Seq(i)*timesBlock + 1, t, true, nil
	}
	if i--; i < 0 {
		return 0, dsl.Beginning, true, nil
	}
	from := dsl.Seq(i) * timesBlock
	want := int(min(head-from, timesBlock))
	if block := s.blocks[i]; len(block) < want {
		if c.held+want-len(block) > timesCached {
			if c.refused++; c.refused > timesBlock {
				c.spaces, c.held, c.refused = nil, 0, 0
			}
			return 0, 0, false, nil
		}
		more, err := read(from+1+dsl.Seq(len(block)), dsl.Seq(want-len(block)))
		if err != nil {
			return 0, 0, false, err
		}
		s.blocks[i] = append(block, more...)
		c.held += len(more)
	}
	block := s.blocks[i][:want]
	j, exact := slices.BinarySearch(block, t)
	if !exact {
		j--
	}
	return from + dsl.Seq(j) + 1, block[j], true, nil
}

// drop forgets the times of a space.
func (c *timesCache) drop(space string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.spaces[space]; s != nil {
		c.held -= len(s.first)
		for _, b := range s.blocks {
			c.held -= len(b)
		}
		delete(c.spaces, space)
	}
}
