package store_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// w1Like gives n transactions of one operation each, alike those of workload W1:
// 1,000 subjects of which few are spoken of often, ten functional relations, 20 %
// corrections, a quarter of what is new backfilled into the past.
func w1Like(tb testing.TB, n int) (txs []*dsl.Tx, entries []dsl.Hash) {
	tb.Helper()
	const space, subjects, relations, day = "w1", 1000, 10, dsl.Instant(86_400_000_000)
	rng := rand.New(rand.NewSource(1))
	weights := make([]float64, subjects)
	sum := 0.0
	for i := range weights { // 1 / k^0.75
		sum += 1 / (math.Sqrt(float64(i+1)) * math.Sqrt(math.Sqrt(float64(i+1))))
		weights[i] = sum
	}
	type live struct {
		valid   dsl.Interval
		fact    string
		version uint32
		order   int
	}
	visible := map[[2]int][]live{}
	now, corrections := dsl.Instant(1_672_531_200_000_000), 0
	begin := now - 1000*day
	gap := float64(1000*day) / float64(n)
	c := storetest.NewChain(space)
	for len(txs) < n {
		src, _ := slices.BinarySearch(weights, rng.Float64()*sum)
		key := [2]int{src, rng.Intn(relations)}
		rel := fmt.Sprint("relation_", key[1])
		list := visible[key]
		if now += dsl.Instant(1 + rng.Intn(900)); rng.Float64() < 0.7 {
			now += dsl.Instant(rng.ExpFloat64() * gap)
		}
		x := live{order: len(txs), fact: fmt.Sprint("f", len(txs)+1), version: 1}
		var op dsl.Op
		dst := c.Node(dsl.Entity, fmt.Sprintf("v%04d", rng.Intn(5000)))
		subject := c.Node(dsl.Entity, fmt.Sprintf("e%04d", src))
		if len(list) > 0 && float64(corrections) < 0.2*float64(len(txs)) {
			i, old := 0, live{order: -1}
			for j, l := range list {
				if l.order > old.order {
					i, old = j, l
				}
			}
			x.fact, x.version, x.valid = old.fact, old.version+1, old.valid
			if x.valid.End == dsl.Forever {
				x.valid.End = max(old.valid.Start+1, now)
			} else {
				x.valid.Start += (x.valid.End - x.valid.Start) / 3
			}
			op = storetest.Correct(old.fact, old.version, x.version, dst, x.valid, 1)
			visible[key], corrections = slices.Delete(list, i, i+1), corrections+1
		} else {
			x.valid = dsl.Interval{Start: now - dsl.Instant(rng.ExpFloat64()*float64(2*day)), End: dsl.Forever}
			if len(list) > 0 {
				first, last := list[0], list[len(list)-1]
				switch {
				case rng.Float64() < 0.25 && first.valid.Start > begin+1000:
					x.valid.Start = begin + dsl.Instant(rng.Int63n(int64(first.valid.Start-begin-1)))
					x.valid.End = x.valid.Start + 1 + dsl.Instant(rng.Int63n(int64(first.valid.Start-x.valid.Start)))
				case last.valid.End == dsl.Forever:
					continue
				default:
					x.valid.Start = max(x.valid.Start, last.valid.End)
				}
			}
			if x.valid.End == dsl.Forever && rng.Float64() > 0.3 {
				x.valid.End = x.valid.Start + 1 + dsl.Instant(rng.ExpFloat64()*float64(120*day))
			}
			op = storetest.Upsert(x.fact, 1, subject, rel, dst, x.valid, 1)
		}
		op.Source = strconv.Itoa(len(txs) + 1)
		i, _ := slices.BinarySearchFunc(visible[key], x, func(a, b live) int { return cmp.Compare(a.valid.Start, b.valid.Start) })
		visible[key] = slices.Insert(visible[key], i, x)
		tx := c.Ops(now, op)
		txs, entries = append(txs, tx), append(entries, storetest.Entry(tx))
	}
	return txs, entries
}

// spent is the processor time of this process, or of this thread alone.
func spent(tb testing.TB, who int) time.Duration {
	tb.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(who, &r); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

const thread = 1 // RUSAGE_THREAD

// BenchmarkWrite applies W1, a log message for each 256 operations, in groups of
// 1,024 as writers do, and in full groups as a rebuild does. It says what an
// operation costs in processor time: where it is applied and committed, and in
// all, with garbage, flushes and compactions.
func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{1e4, 1e5} {
		txs, entries := w1Like(b, n)
		for _, group := range []string{"1024", "full"} {
			b.Run(fmt.Sprintf("versions=%d/group=%s", n, group), func(b *testing.B) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				var c writeCost
				for b.Loop() {
					c.run(b, txs, entries, group == "full")
				}
				per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / float64(n*b.N) }
				b.ReportMetric(per(c.apply), "apply-µs/op")
				b.ReportMetric(per(c.commit), "commit-µs/op")
				b.ReportMetric(per(c.all), "all-µs/op")
				b.ReportMetric(c.rows/float64(n), "rows/op")
				b.ReportMetric(c.disk/float64(n), "disk-B/op")
			})
		}
	}
}

// writeCost sums up what writing costs.
type writeCost struct {
	apply, commit, all time.Duration
	rows, disk         float64
}

func (c *writeCost) run(b *testing.B, txs []*dsl.Tx, entries []dsl.Hash, full bool) {
	s, err := store.Open(store.Options{Dir: filepath.Join(b.TempDir(), "s")})
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	before := spent(b, syscall.RUSAGE_SELF)
	for i := 0; i < len(txs); {
		st, err := s.Stage()
		if err != nil {
			b.Fatal(err)
		}
		t0 := spent(b, thread)
		for n := 0; i < len(txs) && (full && !st.Full() || !full && n < 1024); n++ {
			if err := st.Apply(txs[i], entries[i]); err != nil {
				b.Fatal(err)
			}
			if err := st.Placed("w1", txs[i].Seq, uint64(i/256+1)); err != nil {
				b.Fatal(err)
			}
			i++
		}
		t1 := spent(b, thread)
		if err := st.Commit(); err != nil {
			b.Fatal(err)
		}
		c.apply, c.commit = c.apply+t1-t0, c.commit+spent(b, thread)-t1
	}
	if err := store.Settle(s); err != nil {
		b.Fatal(err)
	}
	c.all += spent(b, syscall.RUSAGE_SELF) - before
	if c.rows == 0 {
		list, err := store.RawRows(s, "w1")
		if err != nil {
			b.Fatal(err)
		}
		size, err := store.DiskBytes(s)
		if err != nil {
			b.Fatal(err)
		}
		c.rows, c.disk = float64(len(list)), float64(size)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}
