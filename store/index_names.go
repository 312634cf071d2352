package store

import (
	"fmt"
	"slices"
	"sync"

	"github.com/asof-db/asof/dsl"
)

// speakers finds the speakers of a space by a term of their name. It only grows,
// so a view uses the numbers that it knows.
type speakers struct {
	mu     sync.Mutex // guards what follows
	count  int
	byTerm map[string][]uint32
}

// named gives the speakers of a view whose name has the term, in order.
func (s *speakers) named(x *indexReader, term string) ([]uint32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count < x.stats.Speakers {
		names, err := x.speakerNames(s.count)
		if err != nil {
			return nil, err
		}
		var terms []string
		for _, name := range names {
			terms = x.v.s.reading.Terms(terms[:0], name)
			for _, t := range terms {
				if list := s.byTerm[t]; len(list) == 0 || list[len(list)-1] != uint32(s.count) {
					s.byTerm[t] = append(list, uint32(s.count))
				}
			}
			s.count++
		}
	}
	list := s.byTerm[term]
	n, _ := slices.BinarySearch(list, uint32(x.stats.Speakers))
	return list[:n:n], nil
}

// speakerNames reads the names of the view's speakers from one on.
func (x *indexReader) speakerNames(from int) (names []string, err error) {
	if from >= x.stats.Speakers {
		return nil, nil
	}
	err = x.scan(x.v.keys.name(nameSpeaker, uint32(from)), x.v.keys.name(nameSpeaker, uint32(x.stats.Speakers)), func(_, value []byte) error {
		names = append(names, string(value))
		return nil
	})
	if err == nil && len(names) != x.stats.Speakers-from {
		err = fmt.Errorf("%w: %d speakers are missing", dsl.ErrCorrupt, x.stats.Speakers-from-len(names))
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return names, nil
}
