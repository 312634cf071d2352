package lint

import (
	"go/ast"
	"strings"
)

// Reasons that several names share.
const (
	whyClock   = "below cmd no one looks at the wall clock: take the time as a value or a clock as an option"
	whyElapsed = "a decision by elapsed time replays differently: let the caller's context end the wait"
	whyRandom  = "the same log must give the same bytes: derive ids from content, take a seed's numbers as values"
	whyEnv     = "settings come in through options; cmd reads the environment"
	whyPrint   = "results are returned and logs go to the logger that came in; cmd prints"
	whyBits    = "it gives other bits on another processor: use internal/num"
)

// name is a name of a package.
type name struct{ path, name string }

// banned are the names that no file below cmd uses, with the reason.
var banned = func() map[name]string {
	out := map[name]string{}
	for _, b := range []struct{ path, names, why string }{
		{"time", "Now Since Until", whyClock},
		{"time", "Sleep After AfterFunc Tick NewTicker NewTimer", whyElapsed},
		{"context", "WithTimeout WithTimeoutCause WithDeadline WithDeadlineCause", whyElapsed},
		{"os", "Getenv LookupEnv Environ ExpandEnv UserHomeDir UserConfigDir UserCacheDir", whyEnv},
		{"os", "Exit Stdin Stdout Stderr", whyPrint},
		{"fmt", "Print Printf Println", whyPrint},
		{"github.com/google/uuid", "New NewString NewRandom NewRandomFromReader NewUUID NewV6 NewV7", whyRandom},
	} {
		for n := range strings.FieldsSeq(b.names) {
			out[name{b.path, n}] = b.why
		}
	}
	return out
}()

// bannedImports are the packages that no file below cmd imports.
var bannedImports = map[string]string{
	"math/rand":    whyRandom,
	"math/rand/v2": whyRandom,
	"crypto/rand":  whyRandom,
	"hash/maphash": whyRandom,
	"log":          whyPrint,
}

// excepted are the names that one package may use all the same, with the reason.
var excepted = map[string]map[name]string{
	"dsl/ledger": {
		{"context", "WithTimeout"}: "a broker that does not answer must not hang the caller; what it had answered is the same",
		{"time", "NewTimer"}:       "waiting before the next try decides nothing that is written",
	},
}

// checkClock finds what would make two runs differ: the clock, randomness, the environment.
func checkClock(t *Tree) []Fault {
	var faults []Fault
	for _, f := range t.belowCmd() {
		for _, spec := range f.AST.Imports {
			importPath, local := importName(spec)
			if why := bannedImports[importPath]; why != "" {
				faults = append(faults, f.at(spec, "imports %s: %s", importPath, why))
			}
			if local == "." {
				faults = append(faults, f.at(spec, "imports %s with a dot: no reader and no rule sees whose names these are", importPath))
			}
		}
		f.uses(func(importPath, n string, at ast.Node) {
			why := banned[name{importPath, n}]
			if why != "" && excepted[f.Dir][name{importPath, n}] == "" {
				faults = append(faults, f.at(at, "uses %s.%s: %s", importPath, n, why))
			}
		})
	}
	return faults
}

// inexact are the functions of package math whose last bits Go leaves to the processor, by assembly
// or by fused operations in their bodies. The others below are exact by definition.
const inexact = " Acos Acosh Asin Asinh Atan Atan2 Atanh Cbrt Cos Cosh Erf Erfc Erfcinv Erfinv Exp Exp2 Expm1 FMA Gamma" +
	" Hypot J0 J1 Jn Lgamma Log Log10 Log1p Log2 Logb Pow Sin Sincos Sinh Tan Tanh Y0 Y1 Yn "

// checkMath finds the functions of package math that are not the same everywhere.
func checkMath(t *Tree) []Fault {
	var faults []Fault
	for _, f := range t.belowCmd() {
		if f.Dir == "internal/num" {
			continue // It is the replacement.
		}
		f.uses(func(importPath, n string, at ast.Node) {
			if importPath == "math" && strings.Contains(inexact, " "+n+" ") {
				faults = append(faults, f.at(at, "uses math.%s: %s", n, whyBits))
			}
		})
	}
	return faults
}
