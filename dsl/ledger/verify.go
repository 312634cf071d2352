package ledger

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"sync"
)

// verifier checks block files before the embedded broker reads them. The broker cuts a block off on disk at the first
// record that it cannot read, when it loads it; what lies behind the damage would then be gone, and with it the
// place of the damage. Each block that was there when the log was opened is checked once, before the first read that needs it.
type verifier struct {
	blocks string
	stream string

	mu    sync.Mutex // guards the spans
	spans []blockSpan
}

// blockSpan is a block file that was there when the log was opened.
type blockSpan struct {
	index   int
	first   uint64 // sequence of its first record, by its first bytes; they are checked with the rest
	checked bool
}

// newVerifier makes a verifier for the blocks of list, of which those from the place checked on were checked already.
func newVerifier(blocks, stream string, list []blockFile, checked int) (*verifier, error) {
	v := &verifier{blocks: blocks, stream: stream, spans: make([]blockSpan, len(list))}
	for i, blk := range list {
		v.spans[i] = blockSpan{index: blk.index, checked: i >= checked}
		first, err := firstSequence(v.path(i))
		if err != nil {
			return nil, err
		}
		v.spans[i].first = first
	}
	return v, nil
}

func (v *verifier) path(i int) string { return filepath.Join(v.blocks, blockName(v.spans[i].index)) }

// firstSequence reads the sequence that a block's first record claims, 0 when the block has none.
func firstSequence(path string) (uint64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var head [12]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return 0, nil //nolint:nilerr // an empty or cut block: the check of the block says so
	}
	return binary.LittleEndian.Uint64(head[4:]), nil
}

// check looks at the blocks that hold the sequences [from, to] unless it did so before. It names file and byte of what is wrong.
func (v *verifier) check(from, to uint64) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	start, end := 0, len(v.spans)
	if v.rising() {
		start = max(0, sort.Search(end, func(i int) bool { return v.spans[i].first > from })-1)
		end = sort.Search(end, func(i int) bool { return v.spans[i].first > to })
	}
	for i := start; i < end; i++ {
		if v.spans[i].checked {
			continue
		}
		if err := v.checkBlock(i); err != nil {
			return err
		}
		v.spans[i].checked = true
	}
	return nil
}

// rising says whether the blocks claim sequences that a log can have; if not, one of them is damaged, and all are looked at.
func (v *verifier) rising() bool {
	for i := range v.spans {
		if i == 0 && v.spans[i].first != 1 || i > 0 && v.spans[i].first <= v.spans[i-1].first {
			return false
		}
	}
	return true
}

func (v *verifier) checkBlock(i int) error {
	buf, err := os.ReadFile(v.path(i))
	if err != nil {
		return fmt.Errorf("read the log's block: %w", err)
	}
	next := uint64(1) // a block must go on where the one before it ends; that one's end is checked against our start
	if i > 0 {
		next = v.spans[i].first
	}
	good, after, fault := walkBlock(buf, v.stream, v.spans[i].index, next)
	if fault == nil && i+1 < len(v.spans) && after != v.spans[i+1].first {
		fault = fmt.Errorf("%w: the block ends before message %d, the next one begins with %d", ErrGap, after, v.spans[i+1].first)
	}
	if fault != nil {
		return blockFault(v.path(i), good, fault)
	}
	return nil
}

// blockFault is the error for a damaged place in a block file.
func blockFault(path string, at int, fault error) error {
	return fmt.Errorf("%s, byte %d: %w; nothing was changed: put this file back from a copy, or export the log up to there "+
		"and import that into a new one", path, at, fault)
}
