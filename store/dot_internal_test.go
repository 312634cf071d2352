package store

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// TestDotBits holds the sums of this processor to the plain ones, bit for bit,
// over lengths with and without a rest, huge, tiny and subnormal products, and
// rows that lie anywhere.
func TestDotBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n, off := 1+r.IntN(130), r.IntN(9)
		row, q := make([]byte, off+4*n)[off:], make([]float32, n)
		for i := range q {
			scale := math.Ldexp(1, r.IntN(250)-125)
			binary.LittleEndian.PutUint32(row[4*i:], math.Float32bits(float32(r.NormFloat64())))
			q[i] = float32(r.NormFloat64() * scale)
		}
		var want, got [8]float32
		for i := range want {
			want[i] = float32(r.NormFloat64())
		}
		got = want
		if m := n &^ 7; m > 0 {
			sumLanesPlain(row[:4*m], q[:m], &want)
			sumLanes(row[:4*m], q[:m], &got)
		}
		if want != got {
			t.Fatalf("%d elements: sums %v, want %v", n, got, want)
		}
		if m := n &^ 31; m > 0 {
			a, b := make([]byte, off+m)[off:], make([]byte, m)
			for i := range a {
				a[i], b[i] = byte(r.IntN(256)), byte(r.IntN(256))
			}
			if got, want := sum8(a, b), sum8Plain(a, b); got != want {
				t.Fatalf("%d bytes: %d, want %d", m, got, want)
			}
		}
	}
}

func BenchmarkDot(b *testing.B) {
	const dim = 384
	row, q, bytes := make([]byte, 4*dim), make([]float32, dim), make([]byte, dim)
	var sums [8]float32
	var sum int32
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"float32", func() { sumLanes(row, q, &sums) }},
		{"float32 plain", func() { sumLanesPlain(row, q, &sums) }},
		{"bytes", func() { sum += sum8(bytes, bytes) }},
		{"bytes plain", func() { sum += sum8Plain(bytes, bytes) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.run()
			}
		})
	}
}
