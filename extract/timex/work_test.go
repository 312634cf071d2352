package timex

import (
	"strings"
	"testing"
	"time"
)

// hostile are pieces that, repeated, start many expressions and end none, or nest
// them.
var hostile = []string{
	"a", "1", " ", "(", "12", "1,", "1.", "1:", "1/", "1-", "12:30", "é", "e\u0301", "\u0301", "\xff", "the ", "in ", "last ", "next ", "every ", "from 3 to ", "between ",
	"monday ", "may ", "3 ", "third ", "twenty ", "hundred and ", "week of ", "the week of ", "end of ", "the end of the ", "1 day before ", "the day after ", "monday before ",
	"2 weeks after ", "half past ", "quarter to ", "first monday of ", "at ", "a year and ", "5 minutes to ", "now - ", "may - ", "christmas ", "night of ", "3pm - ", "tomorrow at ",
	"一", "十", "年", "月", "日", "第", "前", "后", "个", "半", "周", "每", "从", "到", "三天前", "二〇", "上上", "从三月到", "三天后的", "农历", "初", "1年", "12月", "春节前", "最后一个", "两年前的", "每周",
	"差五分", "世纪", "星期", "大年初", "1-2-", "今天到", "一二", "万", "2018年前", "每年农历", "（", "点",
}

// TestWorkIsLinear checks by counting rules, not by the clock, that twice the text
// is at most twice the work.
func TestWorkIsLinear(t *testing.T) {
	o := Options{Ref: time.Date(2023, 5, 10, 14, 0, 0, 0, time.UTC)}
	const n = 1 << 13
	for _, piece := range hostile {
		text := strings.Repeat(piece, n/len(piece))
		one, two := Work(text, o), Work(text+text, o)
		if two > 2*one+one/10+500 {
			t.Errorf("%q: %d rules for %d bytes, %d for %d", piece, one, len(text), two, 2*len(text))
		}
		if one > 600*n/len(piece)+600 {
			t.Errorf("%q: %d rules for %d bytes", piece, one, len(text))
		}
	}
}

// TestHostileMebibyte reads a mebibyte of each; a rule with more than linear cost
// would not come to an end.
func TestHostileMebibyte(t *testing.T) {
	o := Options{Ref: time.Date(2023, 5, 10, 14, 0, 0, 0, time.UTC)}
	for _, piece := range []string{"a", "1", "一", "(", "\u0301", " ", "in ", "1 day before "} {
		Find(strings.Repeat(piece, 1<<20/len(piece)), o)
	}
}
