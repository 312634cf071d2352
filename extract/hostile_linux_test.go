package extract

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/asof-db/asof/dsl"
)

// hostile are texts that a careless pattern reads again and again, each by what is
// repeated.
var hostile = []struct{ name, unit string }{
	{"letter", "a"}, {"capital", "A"}, {"capital words", "Ab "}, {"digit", "1"}, {"digits", "12 "}, {"dates", "1/1 "}, {"dashes", "1-"},
	{"open brackets", "("}, {"brackets", "()"}, {"nested", "[(「"}, {"han", "中"}, {"han digits", "二十"}, {"han years", "年"}, {"surnames", "王"},
	{"combining", "\u0301"}, {"combined", "e\u0301"}, {"joiners", "\u200d"}, {"at", "@"}, {"handles", "@a "}, {"mail", "a@"}, {"mails", "a@b.c "}, {"points", "."},
	{"pointed", "a."}, {"initials", "A. "}, {"quotes", "\""}, {"quoted", "\"a "}, {"open quotes", "“"}, {"titles", "《"}, {"apostrophes", "'"}, {"contractions", "n't "},
	{"slashes", "/"}, {"urls", "http://"}, {"spaces", " "}, {"lines", "\n"}, {"lists", "1. a\n"}, {"emoji", "😀"}, {"invalid", "\xff"}, {"half", "\xe4\xb8"},
	{"pronouns", "she "}, {"他", "他"}, {"names", "Maria "}, {"name and pronoun", "Maria she "}, {"names zh", "王芳他"}, {"I moved", "I moved to Boston and "}, {"I like", "I like x, "},
	{"my sister", "my sister's "}, {"not", "not "}, {"no longer", "no longer "}, {"time", "next Monday "}, {"ago", "ago "}, {"last", "last "}, {"two", "two weeks "},
	{"and", "and "}, {"commas", ", "}, {"semicolons", "；"}, {"zh facts", "我喜欢"}, {"zh moved", "我搬到了"}, {"zh weekday", "下下周"}, {"zh last", "上上"}, {"phone", "+1 555 "},
	{"money", "$1,"}, {"stars", "*"}, {"hash", "#"}, {"question", "?"}, {"full stop", "。"}, {"tabs", "\t"}, {"nul", "\x01"}, {"the", "the "}, {"of", "of "}, {"ellipsis", "…"},
}

// ofUnits gives a text of a size, of one unit.
func ofUnits(unit string, size int) string { return strings.Repeat(unit, size/len(unit)) }

// hostileTurn makes a turn of any bytes.
func hostileTurn(text string) dsl.Turn {
	return dsl.Turn{ID: "t", Speaker: dsl.Plain("Anna"), Listener: dsl.Plain("Ben"), Text: dsl.Plain(text), TS: 1_683_727_200_000_000}
}

// spentNow is the processor time of this process in nanoseconds, which other programs on
// the machine change little.
func spentNow(b *testing.B) int64 {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return r.Utime.Nano() + r.Stime.Nano()
}

// BenchmarkHostile reads long texts of one unit: the processor time for a byte must not
// grow with the length.
func BenchmarkHostile(b *testing.B) {
	p := newPipeline(b)
	for _, h := range hostile {
		for _, size := range []int{1 << 15, 1 << 18} {
			b.Run(fmt.Sprintf("unit=%s/bytes=%d", strings.ReplaceAll(h.name, " ", "_"), size), func(b *testing.B) {
				ctx := Context{Turn: hostileTurn(ofUnits(h.unit, size))}
				since := spentNow(b)
				for b.Loop() {
					p.Extract(ctx)
				}
				b.ReportMetric(float64(spentNow(b)-since)/float64(b.N)/float64(size), "cpu-ns/B")
			})
		}
	}
}
