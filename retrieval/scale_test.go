package retrieval

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
	"github.com/asof-db/asof/store/storetest"
)

// zipfLog makes turns of 15 to 34 words, drawn like words of a language: few are
// frequent, most are rare. Sessions have 25 turns, two people speak.
type zipfLog struct {
	*storetest.Chain
	rng  *rand.Rand
	zipf *rand.Zipf
	n    int
	text int // bytes
}

func newZipfLog() *zipfLog {
	rng := rand.New(rand.NewSource(1))
	return &zipfLog{Chain: storetest.NewChain(testSpace), rng: rng, zipf: rand.NewZipf(rng, 1.1, 4, 200_000)}
}

func (l *zipfLog) next() *dsl.Tx {
	words := make([]string, 15+l.rng.Intn(20))
	for i := range words {
		words[i] = fmt.Sprint("w", l.zipf.Uint64())
	}
	text := strings.Join(words, " ")
	l.text += len(text)
	i := l.n
	l.n++
	return l.Turn(dsl.Turn{
		ID: fmt.Sprintf("t%07d", i), Session: fmt.Sprint("s", i/25), Speaker: dsl.Plain([]string{"Mina", "Joost"}[i%2]),
		Text: dsl.Plain(text), TS: minute(i),
	})
}

// fill applies turns up to number n and gives the processor time that the store
// took.
func (l *zipfLog) fill(b *testing.B, s *store.Store, n int) (took time.Duration) {
	b.Helper()
	for l.n < n {
		var txs []*dsl.Tx
		var entries []dsl.Hash
		for range min(500, n-l.n) {
			tx := l.next()
			txs, entries = append(txs, tx), append(entries, storetest.Entry(tx))
		}
		begin := cpu(b, ofProcess)
		st, err := s.Stage()
		if err != nil {
			b.Fatal(err)
		}
		for i, tx := range txs {
			if err := st.Apply(tx, entries[i]); err != nil {
				b.Fatal(err)
			}
		}
		if err := st.Commit(); err != nil {
			b.Fatal(err)
		}
		took += cpu(b, ofProcess) - begin
	}
	return took
}

// The clocks count processor time, so that what else a machine does is not
// measured: of the whole process, background work included, or of one thread.
const (
	ofProcess = unix.CLOCK_PROCESS_CPUTIME_ID
	ofThread  = unix.CLOCK_THREAD_CPUTIME_ID
)

func cpu(b *testing.B, clock int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

// scaleQuestion is of eight words, from the most frequent ones on, and name a
// speaker.
func scaleQuestion(i int) string {
	return fmt.Sprintf("what did Mina say about w%d w%d w%d w%d w%d w%d w%d", i%3, i%11, i%40, i%97, i%333, i%997, i%4001)
}

func sizes() []int {
	if os.Getenv("ASOF_LONG") != "" {
		return []int{6_000, 60_000, 100_000, 600_000, 1_000_000}
	}
	return []int{6_000, 60_000, 100_000}
}

// BenchmarkScale builds one log as long as it gets and, at each length, asks
// questions at its head and at the view of the first 6,000 turns.
func BenchmarkScale(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "s")
	s, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { s.Close() }()
	log := newZipfLog()
	var took time.Duration
	for _, n := range sizes() {
		took += log.fill(b, s, n)
		b.Logf("turns=%d: %.0f turns a second of processor time, %d bytes of text a turn", n, float64(n)/took.Seconds(), log.text/n)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		if s, err = store.Open(store.Options{Dir: dir}); err != nil {
			b.Fatal(err)
		}
		for _, at := range slices.Compact([]int{6_000, n}) {
			for _, kinds := range [][]Kind{{Turn}, {Session}} {
				b.Run(fmt.Sprintf("turns=%d/view=%d/kind=%s", n, at, kinds[0]), func(b *testing.B) {
					b.ReportAllocs()
					runtime.LockOSThread()
					defer runtime.UnlockOSThread()
					var each []time.Duration
					for i := 0; b.Loop(); i++ {
						begin := cpu(b, ofThread)
						v, err := s.At(testSpace, dsl.Seq(at))
						if err != nil {
							b.Fatal(err)
						}
						if _, err := Search(context.Background(), v, Query{Text: scaleQuestion(i), K: 10, Kinds: kinds}, Options{Analyzer: &shared}); err != nil {
							b.Fatal(err)
						}
						if err := v.Close(); err != nil {
							b.Fatal(err)
						}
						each = append(each, cpu(b, ofThread)-begin)
					}
					slices.Sort(each)
					b.ReportMetric(float64(each[len(each)/2].Microseconds()), "p50-cpu-µs")
					b.ReportMetric(float64(each[len(each)*95/100].Microseconds()), "p95-cpu-µs")
				})
			}
		}
	}
}
