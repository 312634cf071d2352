package neo4j

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestDenied comes with a wrong password, and with none.
func TestDenied(t *testing.T) {
	o := serverOptions(t)
	if o.Password == "" {
		t.Skip("the server asks for no password: ASOF_TEST_NEO4J_PASSWORD is not set")
	}
	m := newMemory(t)
	for _, word := range []string{"wrong", ""} {
		o := o
		if o.Password = word; word == "" {
			o.User = ""
		}
		_, err := Open(context.Background(), m, o)
		if !errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), "ASOF_NEO4J_PASSWORD") {
			t.Errorf("password %q: %v", word, err)
		}
	}
	o.Database = "nosuch"
	if _, err := Open(context.Background(), m, o); !errors.Is(err, ErrServer) || !strings.Contains(err.Error(), `there is no database "nosuch"`) {
		t.Errorf("another database: %v", err)
	}
}

// TestLargeBatch writes much in one transaction, where the same things are made,
// taken back and made again.
func TestLargeBatch(t *testing.T) {
	o := serverOptions(t)
	o.Rows = 100000
	for seed := range uint64(3) {
		m := newMemory(t)
		p := fresh(t, m, o)
		g := newGens(seed+60, "large")
		for range 150 {
			g.step(t, m)
		}
		if err := p.Sync(context.Background()); err != nil {
			t.Fatal(err)
		}
		mustVerify(t, p)
		if err := p.Drop(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRandom projects random spaces, in steps, with drops, and verifies every row.
func TestRandom(t *testing.T) {
	o := serverOptions(t)
	ctx := context.Background()
	for seed := range uint64(3) {
		m := newMemory(t)
		p := fresh(t, m, o)
		g := newGens(seed, "default", "空间", "s/2")
		for i := range 60 {
			g.step(t, m)
			if i%20 == 19 {
				if err := p.Sync(ctx); err != nil {
					t.Fatal(err)
				}
				mustVerify(t, p)
			}
		}
		m.add(t, g.list[0].Drop())
		g.step(t, m)
		if err := p.Sync(ctx); err != nil {
			t.Fatal(err)
		}
		mustVerify(t, p)
		for range 10 {
			g.step(t, m)
		}
		if err := p.Rebuild(ctx); err != nil {
			t.Fatal(err)
		}
		r := mustVerify(t, p)
		t.Logf("seed %d: %d nodes, %d relationships", seed, r.Nodes, r.Relationships)
		if err := p.Drop(ctx); err != nil {
			t.Fatal(err)
		}
	}
}
