package model_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/model"
	"github.com/asof-db/asof/store/storetest"
)

// applier runs the model through the suite that it is the measure of: this
// tests the suite, and that a view answers the same each time.
type applier struct {
	log map[string][]*dsl.Tx
	m   map[string]*model.Model
}

func (a *applier) space(name string) *model.Model {
	if a.m[name] == nil {
		a.m[name] = model.New(name)
	}
	return a.m[name]
}

func (a *applier) Apply(txs ...*dsl.Tx) error {
	for i, tx := range txs {
		if err := a.space(tx.Space).Apply(tx, storetest.Entry(tx)); err != nil {
			for _, done := range txs[:i] {
				log := a.log[done.Space]
				a.log[done.Space] = log[:len(log)-1]
			}
			return errors.Join(err, a.Reopen())
		}
		a.log[tx.Space] = append(a.log[tx.Space], tx)
	}
	return nil
}

func (a *applier) At(space string, seq dsl.Seq) (store.View, error) {
	m, dropped := a.space(space), dsl.Seq(0)
	for _, tx := range a.log[space] {
		if tx.Kind == dsl.TxDrop {
			dropped = tx.Seq
		}
	}
	if seq > m.Head() || seq > 0 && seq < dropped {
		return nil, fmt.Errorf("position %s: %w", seq, dsl.ErrNotFound)
	}
	return m.At(seq), nil
}

func (a *applier) AtTime(space string, t dsl.Instant) (store.View, error) {
	return a.space(space).AtTime(t), nil
}

func (a *applier) Reopen() error {
	a.m = map[string]*model.Model{}
	for name, log := range a.log {
		for _, tx := range log {
			if err := a.space(name).Apply(tx, storetest.Entry(tx)); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Applier {
		a := &applier{log: map[string][]*dsl.Tx{}}
		if err := a.Reopen(); err != nil {
			t.Fatal(err)
		}
		return a
	})
}

// TestMain runs as few random sequences as the tests of store do.
func TestMain(m *testing.M) {
	if os.Getenv("ASOF_LONG") == "" {
		if err := flag.Set("rapid.checks", "40"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}
