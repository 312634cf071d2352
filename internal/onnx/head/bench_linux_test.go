package head_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/asof-db/asof/internal/onnx/head"
)

// spent is the processor time of this process, which other programs on the machine change little.
func spent(b *testing.B) time.Duration {
	b.Helper()
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func report(b *testing.B, n int, unit string, since time.Duration) {
	cpu := (spent(b) - since).Seconds()
	b.ReportMetric(float64(n)*float64(b.N)/cpu, unit+"/cpu-s")
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), unit+"/s")
}

// BenchmarkEmbed embeds turns of 3 to 52 words.
func BenchmarkEmbed(b *testing.B) {
	texts := corpus(64)
	for _, m := range []struct {
		name string
		make func(testing.TB, int, int) head.Embedder
	}{{"all-minilm-l6-v2", minilm}, {"multilingual-e5-small", e5}} {
		for _, batch := range []int{1, 4, 16} {
			b.Run(fmt.Sprintf("model=%s/group=%d", m.name, batch), func(b *testing.B) {
				e := m.make(b, 1, batch)
				since := spent(b)
				for b.Loop() {
					if _, err := e.Embed(context.Background(), texts, head.Passage); err != nil {
						b.Fatal(err)
					}
				}
				report(b, len(texts), "docs", since)
			})
		}
	}
}

// BenchmarkScore scores pairs of a question with turns of 3 to 52 words.
func BenchmarkScore(b *testing.B) {
	passages := corpus(64)
	for _, batch := range []int{1, 4, 16} {
		b.Run(fmt.Sprintf("model=ce-minilm-lme/group=%d", batch), func(b *testing.B) {
			s := crossEncoder(b, 1, batch)
			since := spent(b)
			for b.Loop() {
				if _, err := s.Score(context.Background(), "What did Anna plant in the garden behind the house?", passages); err != nil {
					b.Fatal(err)
				}
			}
			report(b, len(passages), "pairs", since)
		})
	}
}
