package num

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/golden.txt from this machine's results")

// prec is the working precision of the references: enough that their own error
// is invisible beside half a unit in the last place of a float64.
const prec = 220

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }

// refExp halves x until it is tiny, sums the series, and squares back.
func refExp(x *big.Float) *big.Float {
	const halvings = 30
	r := new(big.Float).SetPrec(prec).SetMantExp(x, -halvings)
	sum, term := bigOf(1), bigOf(1)
	for i := 1; i < 24; i++ {
		term.Mul(term, r)
		term.Quo(term, bigOf(float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// refLog refines a starting value by Newton steps on refExp.
func refLog(x float64) *big.Float {
	y := bigOf(math.Log(x)) // only a start: two cubic steps leave no trace of it
	bx := bigOf(x)
	for range 3 {
		e := refExp(y)
		num := new(big.Float).SetPrec(prec).Sub(bx, e)
		den := new(big.Float).SetPrec(prec).Add(bx, e)
		num.Quo(num, den)
		num.Mul(num, bigOf(2))
		y = new(big.Float).SetPrec(prec).Add(y, num)
	}
	return y
}

// ulps returns how far got lies from want, in units of got's last place.
func ulps(got float64, want *big.Float) float64 {
	a := math.Abs(got)
	unit := math.Nextafter(a, math.Inf(1)) - a
	d := new(big.Float).SetPrec(prec).Sub(bigOf(got), want)
	d.Quo(d, bigOf(unit))
	f, _ := d.Float64()
	return math.Abs(f)
}

func TestLogAccuracy(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	worst, at := 0.0, 0.0
	check := func(x float64) {
		if u := ulps(Log(x), refLog(x)); u > worst {
			worst, at = u, x
		}
	}
	for range 1500 {
		check(math.Float64frombits(rng.Uint64() % math.Float64bits(math.Inf(1))))
		check(math.Exp(4*rng.NormFloat64()) + 1e-9)
		check(1 + (rng.Float64()-0.5)/4)
		check(1 + math.Ldexp(rng.Float64()-0.5, -rng.Intn(50)))
	}
	if worst > 1 {
		t.Errorf("Log is off by %.3f ulp at %v (%x), want at most 1", worst, at, math.Float64bits(at))
	}
	t.Logf("worst error %.3f ulp at %v", worst, at)
}

func TestExpAccuracy(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	worst, at := 0.0, 0.0
	check := func(x float64) {
		if u := ulps(Exp(x), refExp(bigOf(x))); u > worst {
			worst, at = u, x
		}
	}
	for range 1500 {
		check(rng.Float64()*1416 - 707)
		check(rng.NormFloat64())
		check(-740 + rng.Float64()*40) // down into the subnormals
		check(math.Ldexp(rng.Float64()-0.5, -rng.Intn(60)))
	}
	if worst > 1 {
		t.Errorf("Exp is off by %.3f ulp at %v (%x), want at most 1", worst, at, math.Float64bits(at))
	}
	t.Logf("worst error %.3f ulp at %v", worst, at)
}

func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name      string
		f         func(float64) float64
		x, result float64
	}{
		{"Log", Log, 1, 0}, {"Log", Log, 0, -inf}, {"Log", Log, math.Copysign(0, -1), -inf},
		{"Log", Log, inf, inf}, {"Log", Log, -1, nan}, {"Log", Log, -inf, nan}, {"Log", Log, nan, nan},
		{"Log", Log, math.SmallestNonzeroFloat64, -744.4400719213812},
		{"Exp", Exp, 0, 1}, {"Exp", Exp, math.Copysign(0, -1), 1}, {"Exp", Exp, inf, inf}, {"Exp", Exp, -inf, 0},
		{"Exp", Exp, nan, nan}, {"Exp", Exp, 710, inf}, {"Exp", Exp, -746, 0},
		{"Exp", Exp, expMin, math.SmallestNonzeroFloat64},
		{"Exp", Exp, math.Nextafter(expMin, -inf), 0}, {"Exp", Exp, math.Nextafter(expMax, inf), inf},
		{"Exp", Exp, 1, math.E},
		{"Sigmoid", Sigmoid, 0, 0.5}, {"Sigmoid", Sigmoid, inf, 1}, {"Sigmoid", Sigmoid, -inf, 0}, {"Sigmoid", Sigmoid, nan, nan},
	} {
		got := c.f(c.x)
		if math.Float64bits(got) != math.Float64bits(c.result) && !(got != got && c.result != c.result) {
			t.Errorf("%s(%v) = %v, want %v", c.name, c.x, got, c.result)
		}
	}
	if got := Exp(expMax); math.IsInf(got, 1) || got < 1.79e308 {
		t.Errorf("Exp(%v) = %v, want just below the largest float64", float64(expMax), got)
	}
}

func TestSigmoidSymmetry(t *testing.T) {
	for _, x := range []float64{0, 1e-9, 0.25, 1, 3, 17, 36.5} {
		if d := Sigmoid(x) + Sigmoid(-x) - 1; math.Abs(d) > 0x1p-52 {
			t.Errorf("Sigmoid(%v) + Sigmoid(%v) is off one by %v", x, -x, d)
		}
	}
	if got := Sigmoid(-740); got == 0 {
		t.Error("Sigmoid(-740) = 0, want a subnormal")
	}
}

var functions = map[string]func(float64) float64{"log": Log, "exp": Exp, "sigmoid": Sigmoid}

// TestGolden compares bits, not values: it is the test that the emulated
// processor must pass too.
func TestGolden(t *testing.T) {
	const path = "testdata/golden.txt"
	if *update {
		writeGolden(t, path)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		line := sc.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 3 || functions[fields[0]] == nil {
			t.Fatalf("%s: bad line %q", path, line)
		}
		x, errX := strconv.ParseUint(fields[1], 16, 64)
		want, errW := strconv.ParseUint(fields[2], 16, 64)
		if errX != nil || errW != nil {
			t.Fatalf("%s: bad line %q", path, line)
		}
		if got := math.Float64bits(functions[fields[0]](math.Float64frombits(x))); got != want {
			t.Errorf("%s(%v): bits %016x, want %016x", fields[0], math.Float64frombits(x), got, want)
		}
		n++
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	if n < 2000 {
		t.Errorf("%s holds %d vectors, want at least 2000", path, n)
	}
}

func writeGolden(t *testing.T, path string) {
	t.Helper()
	rng := rand.New(rand.NewSource(3))
	var b strings.Builder
	b.WriteString("# function, argument bits, result bits; rewritten by go test -run Golden -update\n")
	put := func(name string, x float64) {
		fmt.Fprintf(&b, "%s %016x %016x\n", name, math.Float64bits(x), math.Float64bits(functions[name](x)))
	}
	for _, x := range []float64{0x1p-1074, 0x1p-1022, 1e-300, 0.5, 0.7071067811865475, 0.7071067811865476, 1, 1.4142135623730951, 2, 3, 10, 1e300, math.MaxFloat64} {
		put("log", x)
	}
	for _, x := range []float64{expMin, expMax, -708.5, -1, -1e-20, 0, 1e-20, 0.34657359027997264, 0.3465735902799727, 1, 709} {
		put("exp", x)
	}
	for range 350 {
		put("log", math.Float64frombits(rng.Uint64()%math.Float64bits(math.Inf(1))))
		put("log", float64(1+rng.Intn(20000))/float64(1+rng.Intn(200)))
		put("log", 1+(rng.Float64()-0.5)/4)
		put("exp", rng.Float64()*1450-742)
		put("exp", 3*rng.NormFloat64())
		put("sigmoid", 3*rng.NormFloat64())
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func FuzzExpLog(f *testing.F) {
	for _, x := range []float64{0, 1, -1, 1e-300, 700, math.Inf(1), math.NaN()} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		if y := Exp(x); y < 0 || (y != y) != (x != x) {
			t.Errorf("Exp(%v) = %v", x, y)
		}
		if y := Log(x); (y != y) != (x < 0 || x != x) {
			t.Errorf("Log(%v) = %v", x, y)
		}
		if s := Sigmoid(x); !(s >= 0 && s <= 1) && x == x {
			t.Errorf("Sigmoid(%v) = %v", x, s)
		}
		if x > -700 && x < 700 && math.Abs(x) > 1e-3 {
			if back := Log(Exp(x)); math.Abs(back-x) > 1e-12 {
				t.Errorf("Log(Exp(%v)) = %v", x, back)
			}
		}
	})
}

func BenchmarkLog(b *testing.B) {
	b.ReportAllocs()
	x, sum := 1.0, 0.0
	for b.Loop() {
		sum += Log(x)
		x += 0.37
	}
	_ = sum
}

func BenchmarkExp(b *testing.B) {
	b.ReportAllocs()
	x, sum := -3.0, 0.0
	for b.Loop() {
		sum += Exp(x)
		x += 1e-6
	}
	_ = sum
}
