package pack

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
)

func TestSqueeze(t *testing.T) {
	for _, c := range []struct {
		question, text string
		deep           bool
		most           int
		want           string
		whole          bool
	}{
		{"", "Hey Ben! Great to see you. I bought a red bicycle. How about you?", false, 99, "I bought a red bicycle.", true},
		{"when did you see Ben", "Hey Ben! Great to see you. I bought a red bicycle.", false, 99, "Great to see you. I bought a red bicycle.", true},
		{"", "Wow, thanks!", false, 99, "Wow, thanks!", true},
		{"", "Wow, thanks!", true, 99, "", false},
		{"bicycle", "Do you still ride that red bicycle to work?", true, 99, "Do you still ride that red bicycle to work?", true},
		// Deep: what shares nothing goes while two thirds stay.
		{"bicycle", "I bought a red racing bicycle in the shop of Marta. We had soup.", true, 99, "I bought a red racing bicycle in the shop of Marta.", true},
		{"bicycle", "I bought a bicycle. Marta sold old furniture, lamps and carpets.", true, 99, "I bought a bicycle. Marta sold old furniture, lamps and carpets.", true},
		// A bound is kept even if less than that is left, and then it shows.
		{"bicycle", "I bought a bicycle. Marta sold old furniture, lamps and carpets.", true, 5, "I bought a bicycle.", false},
		{"", "你好！谢谢你。我昨天买了一辆红色的自行车。你呢？", false, 99, "我昨天买了一辆红色的自行车。", true},
	} {
		s := newSqueezer(new(analyze.Analyzer), c.question)
		turn := dsl.Turn{Speaker: dsl.Plain("Ana"), Listener: dsl.Plain("Ben"), Text: dsl.Plain(c.text)}
		if got := s.squeeze(&turn, c.deep, c.most); got.text != c.want || c.want != "" && got.whole != c.whole {
			t.Errorf("%q for %q: %q, whole %v; want %q, %v", c.text, c.question, got.text, got.whole, c.want, c.whole)
		}
	}
}

func TestCaption(t *testing.T) {
	s := newSqueezer(new(analyze.Analyzer), "")
	turn := dsl.Turn{Speaker: dsl.Plain("Ana"), Text: dsl.Plain("Look at this!"), Attachments: []dsl.Attachment{{Kind: "image", Text: dsl.Plain("A photo of a\nred bicycle")}}}
	if got := s.squeeze(&turn, true, 99).text; got != "(image: a red bicycle)" {
		t.Errorf("%q", got)
	}
	if got := s.whole(&turn); got != "Look at this! (image: A photo of a red bicycle)" {
		t.Errorf("whole: %q", got)
	}
}

func TestCut(t *testing.T) {
	for _, text := range []string{"", "one two three four", "一二三四五六七八", strings.Repeat("x", 40)} {
		for n := range 45 {
			got := cut(text, n)
			if utf8.RuneCountInString(got) > n || !strings.HasPrefix(text, got) || !utf8.ValidString(got) || n >= utf8.RuneCountInString(text) && got != text {
				t.Errorf("cut(%q, %d) = %q", text, n, got)
			}
		}
	}
	if got := cut("one two three four", 9); got != "one two" {
		t.Errorf("%q", got)
	}
}

func TestPhatic(t *testing.T) {
	var a analyze.Analyzer
	for _, text := range []string{"Wow, that's awesome!", "Thanks so much, really appreciate it.", "谢谢你", "太好了"} {
		for _, term := range a.Terms(nil, text) {
			if !phatic(term) {
				t.Errorf("%q of %q tells something", term, text)
			}
		}
	}
	for _, text := range []string{"divorced", "bicycle", "Sweden", "自行车"} {
		for _, term := range a.Terms(nil, text) {
			if phatic(term) {
				t.Errorf("%q of %q tells nothing", term, text)
			}
		}
	}
}
