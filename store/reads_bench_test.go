package store_test

import (
	"fmt"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// BenchmarkReads measures the reads in both times at a store of 10 versions a key:
// those about the last thousand changes, about one key, about one node, and the
// span over the whole space, which reads every key.
func BenchmarkReads(b *testing.B) {
	for _, n := range []int{1e4, 1e5} {
		s, srcs, _, end := benchStore(b, n)
		head, err := s.Head("bench")
		if err != nil {
			b.Fatal(err)
		}
		v, err := s.At("bench", head.Seq)
		if err != nil {
			b.Fatal(err)
		}
		defer v.Close()
		before, err := s.At("bench", head.Seq-100)
		if err != nil {
			b.Fatal(err)
		}
		defer before.Close()
		then := before.Basis().Time
		one := store.FactQuery{Src: srcs[:1], Rel: "lives_in"}
		last := dsl.Interval{Start: then, End: end + dsl.Day}
		fail := func(err error) {
			if err != nil {
				b.Fatal(err)
			}
		}
		run := func(name string, read func() int) {
			b.Run(fmt.Sprintf("%s/facts=%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				found := 0
				for b.Loop() {
					found = read()
				}
				b.ReportMetric(float64(found), "found")
			})
		}
		run("NetDifference of the last 100", func() (found int) {
			for _, err := range store.NetDifference(before, v, store.FactQuery{}) {
				fail(err)
				found++
			}
			return found
		})
		run("NoLonger in the last 100", func() (found int) {
			for _, err := range store.NoLonger(v, store.FactQuery{}, then) {
				fail(err)
				found++
			}
			return found
		})
		run("Became of a key", func() (found int) {
			for _, err := range store.Became(v, one, dsl.Interval{Start: dsl.MinInstant, End: end}) {
				fail(err)
				found++
			}
			return found
		})
		run("Became in a space", func() (found int) {
			for _, err := range store.Became(v, store.FactQuery{}, last) {
				fail(err)
				found++
			}
			return found
		})
		run("Planes of a key", func() (found int) {
			for p, err := range store.Planes(v, one) {
				fail(err)
				found += len(p.Rectangles)
			}
			return found
		})
		run("Neighbours", func() (found int) {
			for _, err := range store.Neighbours(v, store.NeighbourQuery{Node: srcs[0], Depth: 2, Fanout: 4}) {
				fail(err)
				found++
			}
			return found
		})
	}
}
