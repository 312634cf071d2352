package recent

import (
	"fmt"
	"testing"
)

// TestBound holds a map to its bound, whatever is put into it, and to what was put
// last.
func TestBound(t *testing.T) {
	var m Map[int, string]
	m.Init(640)
	for i := range 10000 {
		k := i * i % 701
		m.Put(k, fmt.Sprint(k), i%11)
		if v, ok := m.Get(k); i%11 <= 10 && (!ok || v != fmt.Sprint(k)) {
			t.Fatalf("what was just put is %q, %v", v, ok)
		}
		weight := 0
		for _, all := range []map[int]entry[string]{m.young, m.old} {
			for k, x := range all {
				weight += x.weight
				if x.value != fmt.Sprint(k) {
					t.Fatalf("key %d has %q", k, x.value)
				}
			}
		}
		if weight > 640 {
			t.Fatalf("the map weighs %d", weight)
		}
	}
}

func TestUse(t *testing.T) {
	var m Map[string, int]
	m.Put("unbound", 1, 1)
	if _, ok := m.Get("unbound"); ok {
		t.Error("a map without a bound keeps something")
	}
	m.Init(6400)
	m.Put("heavy", 1, 101)
	if _, ok := m.Get("heavy"); ok {
		t.Error("what weighs too much is kept")
	}
	m.Put("used", 1, 100)
	for i := range 1000 {
		m.Put(fmt.Sprint(i), i, 100)
		if v, ok := m.Get("used"); !ok || v != 1 {
			t.Fatalf("what is used is forgotten after %d others", i)
		}
	}
	if _, ok := m.Get("0"); ok {
		t.Error("what was not used is kept for ever")
	}
	m.Forget(func(k string) bool { return k == "used" })
	if _, ok := m.Get("used"); ok {
		t.Error("what was to be forgotten is there")
	}
	if _, ok := m.Get("999"); !ok {
		t.Error("something else was forgotten")
	}
}
