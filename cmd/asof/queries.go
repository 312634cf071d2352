package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
)

// factQuery is one look-up.
type factQuery struct {
	space string
	look  asof.Lookup
	basis basisFlags
}

// queryInput is a look-up as a line says it. Pointers tell what it says.
type queryInput struct {
	Space *string `json:"space"`
	Src   *string `json:"src"`
	Rel   *string `json:"rel"`
	Dst   *string `json:"dst"`
	At    *string `json:"at"`
	Valid *string `json:"valid"`
	View  *string `json:"view"`
	All   *bool   `json:"all"`
}

// parseQuery reads a line over what the flags say.
func parseQuery(line []byte, q factQuery) (factQuery, error) {
	var in queryInput
	if err := json.Unmarshal(line, &in, json.RejectUnknownMembers(true)); err != nil {
		return q, fmt.Errorf("%w: %v", dsl.ErrInvalid, err)
	}
	for _, s := range []struct {
		from *string
		to   *string
	}{{in.Space, &q.space}, {in.Src, &q.look.Src}, {in.Rel, &q.look.Rel}, {in.Dst, &q.look.Dst}, {in.View, &q.basis.kind}} {
		if s.from != nil {
			*s.to = *s.from
		}
	}
	if in.All != nil {
		q.look.All = *in.All
	}
	for _, m := range []struct {
		name string
		from *string
		to   *moment
	}{{"at", in.At, &q.basis.at}, {"valid", in.Valid, &q.basis.valid}} {
		if m.from == nil {
			continue
		}
		if err := m.to.Set(*m.from); err != nil {
			return q, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	if err := dsl.CheckSpace(q.space); err != nil {
		return q, err
	}
	return q, q.basis.check()
}

// answer is the answer to one look-up.
type answer struct {
	I     int             `json:"i"`
	Facts []asof.FactJSON `json:"facts"`
}

// factQueries answers a stream of look-ups in one process. Each answer is
// written out as soon as no further question waits, so that another program can
// hold a dialogue with this one.
func (a *app) factQueries(ctx context.Context, file string, flags factQuery) error {
	return a.withLines(ctx, file, func(db *asof.DB, name string, each lines) (err error) {
		var v *asof.View
		var space, at string
		defer func() {
			if v != nil {
				err = errors.Join(err, v.Close())
			}
		}()
		i := 0
		return each(func(line []byte, number int) error {
			q, err := parseQuery(line, flags)
			if err != nil {
				return fmt.Errorf("%s: line %d: %w", name, number, err)
			}
			// The view of the question before serves again where it is the same;
			// the head is asked for anew every time.
			if v == nil || space != q.space || at != q.basis.at.text || at == "" {
				if v != nil {
					if err := v.Close(); err != nil {
						return err
					}
				}
				if v, err = openView(db, q.space, q.basis.at); err != nil {
					return fmt.Errorf("%s: line %d: %w", name, number, err)
				}
				space, at = q.space, q.basis.at.text
			}
			ans := answer{I: i, Facts: []asof.FactJSON{}}
			i++
			if err := a.eachFact(v, q.look, &q.basis, func(f asof.FactJSON) error {
				ans.Facts = append(ans.Facts, f)
				return nil
			}); err != nil {
				return fmt.Errorf("%s: line %d: %w", name, number, err)
			}
			return a.line(ans)
		})
	})
}

// lines calls a function for every line of a file, as eachLine does.
type lines func(f func(line []byte, number int) error) error

// withLines opens a file of lines and the memory, and calls f with the memory, the
// name that errors give the file, and its lines.
func (a *app) withLines(ctx context.Context, file string, f func(db *asof.DB, name string, each lines) error) error {
	r, name, _, err := a.input([]string{file})
	if err != nil {
		return err
	}
	defer r.Close()
	cfg, err := a.config()
	if err != nil {
		return err
	}
	return a.with(ctx, existing, func(db *asof.DB) error {
		return f(db, name, func(g func(line []byte, number int) error) error {
			return a.eachLine(ctx, r, cfg.Ingest.MaxLineBytes, g)
		})
	})
}

// numbered is a line of input, or why there is no further one.
type numbered struct {
	text   []byte
	number int
	err    error
}

// eachLine calls f for every line of r, in order, and writes the output out
// whenever no further line is at hand. An error of f ends it.
func (a *app) eachLine(ctx context.Context, r io.Reader, max int, f func(line []byte, number int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The reader ends with its input, or at its next line once nobody listens; a
	// read that waits for ever ends with the process.
	lines := make(chan numbered, 64)
	go func() {
		defer close(lines)
		for l := asof.NewLines(r, max); ; {
			text, number, err := l.Next()
			select {
			case lines <- numbered{bytes.Clone(text), number, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		var l numbered
		select {
		case l = <-lines:
		default:
			if err := a.out.Flush(); err != nil {
				return fmt.Errorf("write the results: %w", err)
			}
			select {
			case l = <-lines:
			case <-ctx.Done():
				return fmt.Errorf("interrupted: %w", ctx.Err())
			}
		}
		switch {
		case errors.Is(l.err, io.EOF):
			return nil
		case errors.Is(l.err, dsl.ErrInvalid):
			return fmt.Errorf("line %d: %w", l.number, l.err)
		case l.err != nil:
			return fmt.Errorf("read: %w", l.err)
		}
		if err := f(l.text, l.number); err != nil {
			return err
		}
	}
}
