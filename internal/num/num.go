// Package num computes the elementary functions that scores depend on, with
// the same bits on every processor.
//
// Go's math.Log and math.Exp are written in assembly on some processors and
// not on others, and the compiler may fuse a product and a sum into one
// rounding where the processor has such an instruction. Either changes last
// bits, a last bit changes a score, and a score is part of an answer that must
// be asked for again byte for byte. So everything here uses only IEEE 754
// additions, subtractions, multiplications, divisions and bit moves, and every
// product that meets a sum is rounded first by an explicit float64 conversion,
// which the language specification forbids a compiler to look through.
//
// Golden vectors in testdata hold the bits; qemu.sh checks them on arm64.
package num

import "math"

const (
	// ln2Hi is ln 2 cut to 33 significant bits, so that its product with any
	// exponent of a float64 (11 bits) is exact; ln2Lo is what was cut off.
	ln2Hi = 0x1.62e42feep-1
	ln2Lo = math.Ln2 - ln2Hi

	// expMax is the largest argument whose exponential is finite, and expMin
	// the least one whose exponential does not round to zero.
	expMax = 0x1.62e42fefa39efp+9
	expMin = -0x1.74910d52d3051p+9

	sqrtHalf = math.Sqrt2 / 2

	mantissaBits = 52
	mantissaMask = 1<<mantissaBits - 1
	exponentBias = 1023
)

// Log returns the natural logarithm of x, within one unit in the last place.
//
// Log(+Inf) is +Inf, Log(0) is -Inf, and Log of a negative number or of NaN is
// NaN.
func Log(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	// x = 2^k * (1+f) with 1+f in [sqrt(1/2), sqrt(2)), all of it exact.
	k := 0
	if x < 0x1p-1022 {
		x *= 0x1p52
		k = -52
	}
	bits := math.Float64bits(x)
	k += int(bits>>mantissaBits) - (exponentBias - 1)
	m := math.Float64frombits(bits&mantissaMask | (exponentBias-1)<<mantissaBits) // in [1/2, 1)
	if m < sqrtHalf {
		m *= 2
		k--
	}
	f := m - 1

	// With s = f/(2+f), log(1+f) = 2s + 2s^3/3 + 2s^5/5 + ... = 2s + sR.
	// Because 2s = f - f^2/2 + s*f^2/2, the same sum is
	// f - (f^2/2 - s*(f^2/2 + R)): its leading term f carries no rounding
	// error, and what is subtracted is small, so its errors hardly count.
	s := f / (2 + f)
	z := float64(s * s)
	r := 2.0 / 25
	r = float64(r*z) + 2.0/23
	r = float64(r*z) + 2.0/21
	r = float64(r*z) + 2.0/19
	r = float64(r*z) + 2.0/17
	r = float64(r*z) + 2.0/15
	r = float64(r*z) + 2.0/13
	r = float64(r*z) + 2.0/11
	r = float64(r*z) + 2.0/9
	r = float64(r*z) + 2.0/7
	r = float64(r*z) + 2.0/5
	r = float64(r*z) + 2.0/3
	r = float64(r * z)
	half := float64(0.5 * float64(f*f))
	rest := float64(s * (half + r))
	if k == 0 {
		return f - (half - rest)
	}
	e := float64(k)
	return float64(e*ln2Hi) - ((half - (rest + float64(e*ln2Lo))) - f)
}

// Exp returns e to the power x, within one unit in the last place.
//
// Exp(+Inf) is +Inf, Exp(-Inf) is 0, Exp(NaN) is NaN; results too large for a
// float64 are +Inf and results too small are 0.
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > expMax:
		return math.Inf(1)
	case x < expMin:
		return 0
	}
	// x = k*ln2 + (hi - lo), the remainder at most ln2/2 in size.
	k := int(float64(x*(1/math.Ln2)) + math.Copysign(0.5, x))
	e := float64(k)
	hi := x - float64(e*ln2Hi)
	lo := float64(e * ln2Lo)
	r := hi - lo

	// exp(r) = 1 + r + r^2 * (1/2! + r/3! + ... + r^12/14!); the term left
	// out is below 2^-62.
	p := 1.0 / 87178291200
	p = float64(p*r) + 1.0/6227020800
	p = float64(p*r) + 1.0/479001600
	p = float64(p*r) + 1.0/39916800
	p = float64(p*r) + 1.0/3628800
	p = float64(p*r) + 1.0/362880
	p = float64(p*r) + 1.0/40320
	p = float64(p*r) + 1.0/5040
	p = float64(p*r) + 1.0/720
	p = float64(p*r) + 1.0/120
	p = float64(p*r) + 1.0/24
	p = float64(p*r) + 1.0/6
	p = float64(p*r) + 1.0/2
	tail := float64(float64(r*r) * p)
	// 1 + (hi + tail), carrying what either sum rounds away into the last one.
	tail -= lo
	sum := hi + tail
	lost := tail - (sum - hi)
	y := 1 + sum
	lost += sum - (y - 1)
	return math.Ldexp(y+lost, k)
}

// Sigmoid returns 1/(1+e^-x), the logistic function, within a few units in the
// last place. Sigmoid(NaN) is NaN.
func Sigmoid(x float64) float64 {
	if x < 0 {
		// The form below would divide by an infinity long before the result
		// underflows; this one keeps its precision to the end.
		e := Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + Exp(-x))
}
