package store

import (
	"encoding/binary"
	"math"
)

// Dot products are summed in a fixed order: eight sums of every eighth product,
// then the sums in pairs. Products are rounded before they are added, so every
// processor gives the same bits: where there is AVX2, its eight lanes are the
// eight sums (dot_amd64.s), and elsewhere they are taken one by one.
//
// dot multiplies a vector of float32 in little-endian bytes with another.
func dot(row []byte, q []float32) float32 {
	var sums [8]float32
	n := min(len(q), len(row)/4) &^ 7
	if n > 0 {
		sumLanes(row[:4*n], q[:n], &sums)
	}
	for i, x := range q[n:] {
		sums[i] += float32(float32At(row, n+i) * x)
	}
	return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

// sumLanesPlain adds to each sum the products of every eighth element; both
// vectors are a multiple of eight long.
func sumLanesPlain(row []byte, q []float32, sums *[8]float32) {
	s0, s1, s2, s3, s4, s5, s6, s7 := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]
	for len(q) >= 8 && len(row) >= 32 {
		r, x := (*[32]byte)(row), (*[8]float32)(q) // of known lengths: no bounds to check
		s0 += float32(math.Float32frombits(binary.LittleEndian.Uint32(r[0:4])) * x[0])
		s1 += float32(math.Float32frombits(binary.LittleEndian.Uint32(r[4:8])) * x[1])
		s2 += float32(math.Float32frombits(binary.LittleEndian.Uint32(r[8:12])) * x[2])
		s3 += float32(math.Float32frombits(binary.LittleEndian.Uint32(r[12:16])) * x[3])
		s4 += float32(math.Float32frombits(binary.LittleEndian.Uint32(r[16:20])) * x[4])
		s5 += float32(math.Float32frombits(binary.LittleEndian.Uint32(r[20:24])) * x[5])
		s6 += float32(math.Float32frombits(binary.LittleEndian.Uint32(r[24:28])) * x[6])
		s7 += float32(math.Float32frombits(binary.LittleEndian.Uint32(r[28:32])) * x[7])
		row, q = row[32:], q[8:]
	}
	*sums = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
}

func float32At(b []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
}

// dot8 multiplies vectors of signed bytes: whole numbers, so the order is of no
// matter. Vectors of maxDim stay far within 32 bits.
func dot8(a, b []byte) int32 {
	b = b[:len(a)]
	n := len(a) &^ 31
	sum := int32(0)
	if n > 0 {
		sum = sum8(a[:n], b[:n])
	}
	for i := n; i < len(a); i++ {
		sum += int32(int8(a[i])) * int32(int8(b[i]))
	}
	return sum
}

// sum8Plain is dot8 of vectors of one length that is a multiple of 32.
func sum8Plain(a, b []byte) int32 {
	var s0, s1, s2, s3 int32
	for len(a) >= 8 && len(b) >= 8 {
		x, y := (*[8]byte)(a), (*[8]byte)(b)
		s0 += int32(int8(x[0]))*int32(int8(y[0])) + int32(int8(x[4]))*int32(int8(y[4]))
		s1 += int32(int8(x[1]))*int32(int8(y[1])) + int32(int8(x[5]))*int32(int8(y[5]))
		s2 += int32(int8(x[2]))*int32(int8(y[2])) + int32(int8(x[6]))*int32(int8(y[6]))
		s3 += int32(int8(x[3]))*int32(int8(y[3])) + int32(int8(x[7]))*int32(int8(y[7]))
		a, b = a[8:], b[8:]
	}
	return s0 + s1 + s2 + s3
}

// quantized is a vector in signed bytes: scale × bytes is near it.
type quantized struct {
	scale float32
	// rest is at least the length of what scale × bytes lacks of the vector, norm
	// at least its own length.
	rest, norm float32
	bytes      []byte
}

// quantize fits a vector to the bytes from -127 to 127.
func quantize(v []float32) quantized {
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	q := quantized{scale: most / 127, bytes: make([]byte, len(v))}
	rest, norm := 0.0, 0.0
	for i, x := range v {
		n := 0.0
		if q.scale > 0 {
			n = min(max(math.Round(float64(x)/float64(q.scale)), -127), 127)
		}
		q.bytes[i] = byte(int8(n))
		near := float64(float64(q.scale) * n)
		d := float64(x) - near
		rest += float64(d * d)
		norm += float64(near * near)
	}
	q.rest, q.norm = upper(math.Sqrt(rest)), upper(math.Sqrt(norm))
	return q
}

// upper rounds up to a float32.
func upper(x float64) float32 {
	f := float32(float64(x * (1 + 1e-12)))
	for float64(f) < x {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	return f
}

// bounds gives an interval that dot of the two vectors lies in, from their bytes
// alone.
func (q *quantized) bounds(v *quantized) (lo, hi float64) {
	near := float64(float64(float64(q.scale)*float64(v.scale)) * float64(dot8(q.bytes, v.bytes)))
	qLength, vLength := float64(q.norm)+float64(q.rest), float64(v.norm)+float64(v.rest)
	off := float64(qLength*float64(v.rest)) + float64(float64(q.rest)*float64(v.norm))
	// And what float32 loses in as many additions as the vectors are long.
	off += float64(float64(qLength*vLength) * (float64(len(q.bytes)+8) / (1 << 23)))
	off = float64(off * (1 + 1e-9))
	return near - off, near + off
}
