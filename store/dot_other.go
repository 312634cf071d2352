//go:build !amd64

package store

func sumLanes(row []byte, q []float32, sums *[8]float32) { sumLanesPlain(row, q, sums) }

func sum8(a, b []byte) int32 { return sum8Plain(a, b) }
