package timex

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cockroachdb/datadriven"
)

// ref is a Wednesday.
var ref = time.Date(2023, 5, 10, 14, 0, 0, 0, time.UTC)

// shown gives a match as the tests have it.
func shown(m *Match) string {
	s := m.Value + " " + m.Type
	if m.Grain != "" {
		s += " " + m.Grain
	}
	if m.OnCalendar() {
		s += " [" + m.From.Format("2006-01-02T15:04:05") + ", " + m.To.Format("2006-01-02T15:04:05") + ")"
	}
	if m.Ambiguous {
		s += " ambiguous"
	}
	return strings.ReplaceAll(s, ":00)", ")")
}

// TestReading reads lines of our own: "whole" each as one expression, "find" each
// as running text.
func TestReading(t *testing.T) {
	for _, path := range []string{"testdata/en.txt", "testdata/zh.txt"} {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			for line := range strings.Lines(d.Input) {
				line = strings.TrimSuffix(line, "\n")
				out.WriteString(line + "\n")
				if d.Cmd == "whole" {
					if m, ok := Whole(line, ref); ok {
						out.WriteString("    " + shown(&m) + "\n")
					} else {
						out.WriteString("    none\n")
					}
					continue
				}
				for _, m := range Find(line, Options{Ref: ref}) {
					out.WriteString("    <" + line[m.Start:m.End] + "> " + shown(&m) + "\n")
				}
			}
			return out.String()
		})
	}
}

// TestTense checks that a day without its year goes to the side that the tense
// says.
func TestTense(t *testing.T) {
	for tense, want := range map[int]string{-1: "2022-11-03", 0: "2023-11-03", 1: "2023-11-03"} {
		got := Find("on November 3rd", Options{Ref: ref, Tense: func(int) int { return tense }})
		if len(got) != 1 || got[0].Value != want || !got[0].Ambiguous {
			t.Errorf("tense %d: %+v, want %s", tense, got, want)
		}
	}
	for tense, want := range map[int]string{-1: "2023-02-03", 1: "2024-02-03"} {
		got := Find("on February 3rd", Options{Ref: ref, Tense: func(int) int { return tense }})
		if len(got) != 1 || got[0].Value != want {
			t.Errorf("tense %d: %+v, want %s", tense, got, want)
		}
	}
}

// TestFeasts checks moveable feasts against their published days.
func TestFeasts(t *testing.T) {
	for text, want := range map[string]string{
		"easter 2024": "2024-03-31", "orthodox easter 2024": "2024-05-05", "good friday 2025": "2025-04-18", "thanksgiving 2024": "2024-11-28",
		"memorial day 2024": "2024-05-27", "labor day 2023": "2023-09-04", "chinese new year 2024": "2024-02-10", "rosh hashanah 2024": "2024-10-03/2024-10-04",
		"yom kippur 2023": "2023-09-25", "diwali 2023": "2023-11-12", "holi 2024": "2024-03-25", "2025年春节": "2025-01-29", "2024年中秋节": "2024-09-17",
		"2023年端午节": "2023-06-22", "2024年清明": "2024-04-04", "2024年冬至": "2024-12-21", "2020年农历闰四月初一": "2020-05-23", "2033年农历闰十一月初一": "2033-12-22",
	} {
		if m, ok := Whole(text, ref); !ok || m.Value != want {
			t.Errorf("%s: %q, want %q", text, m.Value, want)
		}
	}
}

// TestZones checks that a time in another zone is told in the one of its speaker.
func TestZones(t *testing.T) {
	berlin := time.FixedZone("", 7200)
	m, ok := Whole("Friday 9 am PST", time.Date(2023, 5, 10, 14, 0, 0, 0, berlin))
	if !ok || m.Value != "2023-05-12T19:00" {
		t.Errorf("%+v", m)
	}
}

// FuzzFind checks that no text makes the grammars panic, and that what they find
// lies in order inside the text, at the borders of characters where the text has
// any, and is the same the second time.
func FuzzFind(f *testing.F) {
	for _, s := range hostile {
		f.Add(s + s + s)
	}
	for _, s := range []string{"from 3 to 5pm on the first Monday of May", "两年前的夏天", "下下周三下午两点半到四点", "2023-05-10T14:00:00Z", "1/2/3/4/5", "'98 '99", "\xff\xfe年", "12:60 25:00 99月99日"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, at := range []time.Time{ref, time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9998, 12, 31, 23, 59, 59, 0, time.UTC)} {
			got := Find(s, Options{Ref: at})
			again := Find(s, Options{Ref: at})
			end := 0
			for i, m := range got {
				if m.Start < end || m.End <= m.Start || m.End > len(s) || m.Value == "" || m.Type == "" || m != again[i] {
					t.Fatalf("%q: %+v", s, got)
				}
				if utf8.ValidString(s) && !utf8.ValidString(s[m.Start:m.End]) {
					t.Fatalf("%q: %+v cuts a character", s, m)
				}
				if m.OnCalendar() && m.To.Before(m.From) {
					t.Fatalf("%q: %+v ends before it starts", s, m)
				}
				end = m.End
			}
			if m, ok := Whole(s, at); ok && (m.Value == "" || m.OnCalendar() && m.To.Before(m.From)) {
				t.Fatalf("%q: %+v", s, m)
			}
		}
	})
}
