package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/asof-db/asof/dsl"
)

// op is one line of ops.jsonl: a fact version, and the one that it closes.
type op struct {
	Seq    int64  `json:"seq"`
	Record int64  `json:"record_us"`
	Src    string `json:"src"`
	Rel    string `json:"rel"`
	Dst    string `json:"dst"`
	From   int64  `json:"valid_from_us"`
	To     *int64 `json:"valid_to_us"`
	Closes int64  `json:"closes"`

	// fact and version name what the op opens: a correction opens the next
	// version of the fact that it closes.
	fact    string
	version uint32
}

func (o *op) valid() dsl.Interval {
	v := dsl.Since(dsl.Instant(o.From))
	if o.To != nil {
		v.End = dsl.Instant(*o.To)
	}
	return v
}

type query struct {
	Kind, Src, Rel string
	T, V           int64
}

type answer struct {
	Seq    int64
	Dst    string
	N, Sum int64
	Closed int64
}

// workload is W1: operations, questions and their right answers.
type workload struct {
	ops     []op
	queries []query
	want    []answer
}

func readWorkload(dir string) (*workload, error) {
	w := new(workload)
	err := errors.Join(readLines(filepath.Join(dir, "ops.jsonl"), &w.ops), readLines(filepath.Join(dir, "queries.jsonl"), &w.queries),
		readLines(filepath.Join(dir, "expected.jsonl"), &w.want))
	if err == nil && len(w.queries) != len(w.want) {
		err = fmt.Errorf("%s: %d queries, %d answers", dir, len(w.queries), len(w.want))
	}
	for i := range w.ops {
		o := &w.ops[i]
		o.fact, o.version = fmt.Sprint("f", o.Seq), 1
		if o.Closes != 0 {
			old := &w.ops[o.Closes-1]
			o.fact, o.version = old.fact, old.version+1
		}
	}
	return w, err
}

func readLines[T any](path string, all *[]T) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for dec := json.NewDecoder(bufio.NewReaderSize(f, 1<<20)); dec.More(); {
		var x T
		if err := dec.Decode(&x); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		*all = append(*all, x)
	}
	return nil
}
