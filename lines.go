package asof

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/asof-db/asof/dsl"
)

// Lines reads an input line by line in bounded memory. Blank lines are counted
// and passed over; a byte order mark and carriage returns are taken off.
type Lines struct {
	r      *bufio.Reader
	max    int
	number int
}

// NewLines reads r; a line of more than max bytes, its end not counted, is
// reported and passed over.
func NewLines(r io.Reader, max int) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, 64<<10), max: max}
}

// Next gives the next line and its number, counted from 1. The slice is valid
// until the next call. At the end it returns io.EOF. A line that is too long is
// an error that wraps dsl.ErrInvalid with the first part of the line in text;
// the call after it goes on with the next line.
func (l *Lines) Next() (text []byte, number int, err error) {
	for {
		line, err := l.r.ReadSlice('\n')
		if err == nil || (errors.Is(err, io.EOF) && len(line) > 0) {
			l.number++
			if line = l.trim(line); len(line) > 0 {
				return line, l.number, nil
			}
			if err == nil {
				continue
			}
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, l.number, err
		}
		return l.long(line)
	}
}

// long collects a line that does not fit the buffer.
func (l *Lines) long(first []byte) ([]byte, int, error) {
	all := bytes.Clone(first)
	size := len(all)
	for {
		part, err := l.r.ReadSlice('\n')
		size += len(part)
		if len(all) <= l.max+2 {
			all = append(all, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, l.number, err
		}
		l.number++
		line := l.trim(all)
		if len(line) > l.max {
			return line[:min(len(line), 4096)], l.number, fmt.Errorf("%w: the line has %d bytes, at most %d are allowed", dsl.ErrInvalid, size, l.max)
		}
		return line, l.number, nil
	}
}

func (l *Lines) trim(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if l.number == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	return line
}
