package eval

import (
	"encoding/binary"
	"math/bits"
	"strconv"

	"github.com/asof-db/asof/dsl"
)

// draws is a source of numbers that follow from a seed alone, the same on every
// machine and in every version of Go: SplitMix64 (G. Steele, D. Lea and C. Flood,
// Fast splittable pseudorandom number generators, OOPSLA 2014).
type draws struct{ state uint64 }

// newDraws makes the source of a space under a seed; spaces do not share one, so
// that none depends on those before it.
func newDraws(space string, seed uint64) *draws {
	h := dsl.Sum([]byte(space + "\x00" + strconv.FormatUint(seed, 10)))
	return &draws{binary.BigEndian.Uint64(h[:])}
}

func (d *draws) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// upTo gives a number from 0 to below n, which is positive. The high half of the
// product is uneven by less than n in 2⁶⁴.
func (d *draws) upTo(n int) int {
	high, _ := bits.Mul64(d.next(), uint64(n))
	return int(high)
}

// share gives a number in [0, 1).
func (d *draws) share() float64 { return float64(d.next()>>11) / (1 << 53) }

// pick gives an element of a list, or the zero value of an empty one.
func pick[T any](d *draws, list []T) (x T) {
	if len(list) > 0 {
		x = list[d.upTo(len(list))]
	}
	return x
}
