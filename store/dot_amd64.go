package store

import "golang.org/x/sys/cpu"

// wide tells whether the processor and the system have AVX2. Neither answer
// changes a bit of any sum.
var wide = cpu.X86.HasAVX2

func sumLanes(row []byte, q []float32, sums *[8]float32) {
	if !wide {
		sumLanesPlain(row, q, sums)
		return
	}
	sumLanesWide(&row[0], &q[0], len(q)/8, sums)
}

func sum8(a, b []byte) int32 {
	if !wide {
		return sum8Plain(a, b)
	}
	return sum8Wide(&a[0], &b[0], len(a)/32)
}

// sumLanesWide is sumLanesPlain over blocks of eight elements, at least one. It
// multiplies, rounds and then adds: there is no fused instruction in it.
//
//go:noescape
func sumLanesWide(row *byte, q *float32, blocks int, sums *[8]float32)

// sum8Wide is sum8Plain over blocks of 32 bytes, at least one.
//
//go:noescape
func sum8Wide(a, b *byte, blocks int) int32
