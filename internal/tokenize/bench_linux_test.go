package tokenize

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// spent is the processor time of the process so far.
func spent(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// report adds megabytes a second of processor time: the clock tells of neighbours too.
func report(b *testing.B, size int, since time.Duration) {
	b.ReportMetric(float64(size)*float64(b.N)/1e6/(spent(b)-since).Seconds(), "MB/cpu-s")
}

// BenchmarkEncode cuts the shared texts: ids alone as the static table does, and all that Encode
// gives.
func BenchmarkEncode(b *testing.B) {
	var texts []string
	sharedJSON(b, "texts.json.zst", &texts)
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	for _, name := range []string{"bert", "xlmr_old", "xlmr_new", "t5"} {
		tok, err := Load(sharedFile(b, name+".tokenizer.json.zst"))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("file=%s/ids", name), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			var dst []int32
			since := spent(b)
			for b.Loop() {
				for _, text := range texts {
					dst = tok.AppendIDs(dst[:0], text)
				}
			}
			report(b, size, since)
		})
		b.Run(fmt.Sprintf("file=%s/all", name), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			since := spent(b)
			for b.Loop() {
				for _, text := range texts {
					if _, err := tok.Encode(text, Options{}); err != nil {
						b.Fatal(err)
					}
				}
			}
			report(b, size, since)
		})
	}
}

// BenchmarkLoad reads the files.
func BenchmarkLoad(b *testing.B) {
	for _, name := range []string{"bert", "xlmr_new"} {
		data := sharedFile(b, name+".tokenizer.json.zst")
		b.Run("file="+name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			since := spent(b)
			for b.Loop() {
				if _, err := Load(data); err != nil {
					b.Fatal(err)
				}
			}
			report(b, len(data), since)
		})
	}
}
