package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
)

const space = "w1"

// reads answers W1's questions from views.
type reads struct {
	view func(t int64) (store.View, error)
	head func() (store.View, error)
}

// number gives W1's number of a version, which is kept in its source.
func number(f *dsl.FactVersion) (int64, error) {
	n, err := strconv.ParseInt(f.Source, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("fact %s: %w", f.ID, err)
	}
	return n, nil
}

func node(name string) string { return dsl.NodeID(space, dsl.Entity, name) }

func (r reads) point(q query) (a answer, err error) {
	v, err := r.view(q.T)
	if err != nil {
		return a, err
	}
	defer v.Close()
	at := dsl.Instant(q.V)
	for f, err := range v.Facts(store.FactQuery{Src: []string{q.Src}, Rel: q.Rel, Valid: &at}) {
		if err != nil {
			return a, err
		}
		if a.Dst, err = f.DstName.Open(); err != nil {
			return a, err
		}
		if a.Seq, err = number(&f); err != nil {
			return a, err
		}
	}
	return a, nil
}

func (r reads) history(q query) (a answer, err error) {
	v, err := r.head()
	if err != nil {
		return a, err
	}
	defer v.Close()
	for f, err := range v.Facts(store.FactQuery{Src: []string{q.Src}, All: true}) {
		if err != nil {
			return a, err
		}
		if err := a.add(&f); err != nil {
			return a, err
		}
		if f.Closed != 0 {
			a.Closed++
		}
	}
	return a, nil
}

func (r reads) snapshot(q query) (a answer, err error) {
	v, err := r.view(q.T)
	if err != nil {
		return a, err
	}
	defer v.Close()
	at := dsl.Instant(q.V)
	for f, err := range v.Facts(store.FactQuery{Valid: &at}) {
		if err != nil {
			return a, err
		}
		if err := a.add(&f); err != nil {
			return a, err
		}
	}
	return a, nil
}

func (a *answer) add(f *dsl.FactVersion) error {
	n, err := number(f)
	a.N, a.Sum = a.N+1, a.Sum+n
	return err
}

// peer is what takes W1's operations and answers its questions. A write is one
// acknowledged batch.
type peer interface {
	write(batch []op) error
	reads() reads
	// rel gives the name that a relation is kept under.
	rel(string) string
	close() error
}

// library is asof as a program uses it: log, decisions and store.
type library struct {
	db  *asof.DB
	dir string
}

func openLibrary(dir string) (*library, error) {
	db, err := asof.Open(context.Background(), asof.Options{Dir: dir})
	return &library{db, dir}, err
}

func item(space string, o *op) asof.Item {
	r := assimilate.OpRequest{Op: dsl.UpsertEdge, ID: o.fact, Src: o.Src, Rel: o.Rel, Dst: o.Dst, Source: strconv.FormatInt(o.Seq, 10)}
	if o.Closes != 0 {
		r = assimilate.OpRequest{Op: dsl.RetroCorrectOp, ID: o.fact, Version: o.version - 1, Dst: o.Dst, Source: r.Source}
	}
	v := o.valid()
	r.Valid = &v
	return asof.Item{Space: space, At: dsl.Instant(o.Record), Ops: []assimilate.OpRequest{r}}
}

func (l *library) write(batch []op) error {
	items := make([]asof.Item, len(batch))
	for i := range batch {
		items[i] = item(space, &batch[i])
	}
	_, err := l.db.Ingest(context.Background(), items)
	return err
}

func (l *library) reads() reads {
	return reads{
		view: func(t int64) (store.View, error) { return l.db.View(space, asof.AtTime(dsl.Instant(t))) },
		head: func() (store.View, error) { return l.db.View(space, asof.At{}) },
	}
}

func (l *library) rel(r string) string { return extract.DefaultRegistry().Canonical(r) }

func (l *library) close() error { return l.db.Close() }

// rebuild deletes the store's folder and has it made again from the log.
func (l *library) rebuild() (took, cpu time.Duration, err error) {
	if err := l.db.Close(); err != nil {
		return 0, 0, err
	}
	if err := os.RemoveAll(filepath.Join(l.dir, "store")); err != nil {
		return 0, 0, err
	}
	start, before := time.Now(), cpuTime()
	l.db, err = asof.Open(context.Background(), asof.Options{Dir: l.dir})
	return time.Since(start), cpuTime() - before, err
}

// bare is the store alone, as the library drives it, without a log: what it
// acknowledges is not durable.
type bare struct {
	s     *store.Store
	chain chain
}

func openBare(dir string) (*bare, error) {
	s, err := store.Open(store.Options{Dir: filepath.Join(dir, "store")})
	return &bare{s: s, chain: chain{nodes: map[string]bool{}}}, err
}

func (b *bare) write(batch []op) error {
	st, err := b.s.Stage()
	if err != nil {
		return err
	}
	for i := range batch {
		tx, hash, err := b.chain.next(&batch[i])
		if err == nil {
			err = st.Apply(tx, hash)
		}
		if err != nil {
			return errors.Join(err, st.Discard())
		}
	}
	return st.Commit()
}

func (b *bare) reads() reads {
	return reads{
		view: func(t int64) (store.View, error) { return b.s.AtTime(space, dsl.Instant(t)) },
		head: func() (store.View, error) { return b.s.AtTime(space, dsl.Forever) },
	}
}

func (b *bare) rel(r string) string { return r }

func (b *bare) close() error { return b.s.Close() }

// chain makes transactions of operations, without decisions.
type chain struct {
	seq      dsl.Seq
	prev     dsl.Hash
	settings dsl.Hash
	nodes    map[string]bool
}

func (c *chain) next(o *op) (*dsl.Tx, dsl.Hash, error) {
	c.seq++
	tx := &dsl.Tx{Kind: dsl.TxOps, Seq: c.seq, Prev: c.prev, Space: space, Time: dsl.Instant(o.Record), Version: dsl.FormatVersion}
	if c.seq == 1 {
		tx.Settings = &dsl.Settings{Analyzer: "bench", Config: []byte(`{}`), Registry: []byte(`{}`)}
		h, err := tx.Settings.Hash()
		if err != nil {
			return nil, h, err
		}
		c.settings = h
	}
	tx.SettingsHash, tx.OpsHash = c.settings, dsl.Sum(strconv.AppendInt(nil, o.Seq, 10))
	for _, name := range []string{o.Src, o.Dst} {
		if !c.nodes[name] {
			c.nodes[name] = true
			tx.Nodes = append(tx.Nodes, dsl.Node{ID: node(name), Kind: dsl.Entity, Name: dsl.Plain(name)})
		}
	}
	valid := o.valid()
	x := dsl.Op{Kind: dsl.UpsertEdge, ID: o.fact, Version: 1, Src: node(o.Src), Rel: o.Rel, Dst: node(o.Dst), Valid: &valid,
		Confidence: 1, Source: strconv.FormatInt(o.Seq, 10)}
	if o.Closes != 0 {
		x.Kind, x.Src, x.Rel, x.Version, x.Next = dsl.RetroCorrectOp, "", "", o.version-1, o.version
	}
	tx.Operations = []dsl.Op{x}
	b, err := tx.Encode()
	c.prev = dsl.Sum(b)
	return tx, c.prev, err
}
