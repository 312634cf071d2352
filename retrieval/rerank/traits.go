package rerank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// readBytes is how much of a text is looked at for traits, in bytes.
const readBytes = 2 << 10

// Wants is what a question asks for, and of whom.
type Wants struct {
	// Time, Number, Name: the question asks when, how many, who or where.
	Time, Number, Name bool
	// Asker: it speaks of the one who asks. Assistant: it says "you".
	Asker, Assistant bool
}

// Traits are what a text shows without being understood.
type Traits struct {
	// Time: it names a time. Number: it has a number.
	Time, Number bool
	// Names counts words that are written as names, up to 3.
	Names int
	// Self: it speaks of its speaker. Asks: it ends with a question.
	Self, Asks bool
}

// class is what a word may say; a word can be of several.
type class uint8

const (
	isTime class = 1 << iota
	isNumber
	isSelf
	isYou
)

var words = classes(map[class]string{
	isTime: `yesterday today tonight tomorrow last next ago week weeks weekend weekends month year monday tuesday wednesday
		thursday friday saturday sunday january february march april may june july august september october november december
		morning evening recently since`,
	isNumber: `two three four five six seven eight nine ten once twice couple few several dozen`,
	isSelf:   `i my me mine i'm i've i'd i'll we our`,
	isYou:    `you your yours you're you've`,
})

func classes(lists map[class]string) map[string]class {
	m := map[string]class{}
	for c, list := range lists {
		for _, w := range strings.Fields(list) {
			m[w] |= c
		}
	}
	return m
}

// Chinese runs of text have no words to look up; these are looked for as they are.
var (
	hanTimes   = []string{"昨天", "今天", "明天", "昨晚", "今晚", "上周", "下周", "这周", "本周", "周末", "上个月", "下个月", "去年", "明年", "星期", "礼拜"}
	hanUnits   = "年月日号点周"
	hanCounted = "个次年月天周岁人位本件张块元小分种条"
	hanDigits  = "一二两三四五六七八九十百千0123456789"
)

// ReadText gives the traits of a text.
func ReadText(text string) Traits {
	var t Traits
	trimmed := strings.TrimRightFunc(text, unicode.IsSpace)
	t.Asks = strings.HasSuffix(trimmed, "?") || strings.HasSuffix(trimmed, "？")
	text = clip(text)
	han := eachWord(text, func(word string, c class, begins bool) {
		t.Time = t.Time || c&isTime != 0 || year(word)
		t.Number = t.Number || c&isNumber != 0 || word[0] >= '0' && word[0] <= '9'
		t.Self = t.Self || c&isSelf != 0
		if !begins && t.Names < 3 && len(word) > 1 && word[0] >= 'A' && word[0] <= 'Z' && word[1] >= 'a' && word[1] <= 'z' {
			t.Names++
		}
	})
	if !han {
		return t
	}
	t.Self = t.Self || strings.Contains(text, "我")
	t.Time = t.Time || containsAny(text, hanTimes) || counted(text, hanUnits)
	t.Number = t.Number || counted(text, hanCounted)
	return t
}

// ReadQuestion gives what a question asks for.
func ReadQuestion(text string) Wants {
	var w Wants
	text = clip(text)
	before := ""
	han := eachWord(text, func(word string, c class, _ bool) {
		w.Asker = w.Asker || c&isSelf != 0 && !strings.EqualFold(word, "we") && !strings.EqualFold(word, "our")
		w.Assistant = w.Assistant || c&isYou != 0
		low := lower(word)
		switch {
		case low == "when", before == "how" && low == "long",
			(before == "what" || before == "which") && (low == "date" || low == "day" || low == "month" || low == "week" || low == "year" || low == "time"):
			w.Time = true
		case before == "how" && (low == "many" || low == "much" || low == "old" || low == "often"), before == "number" && low == "of":
			w.Number = true
		case low == "who", low == "whom", low == "where":
			w.Name = true
		}
		before = low
	})
	if !han {
		return w
	}
	w.Asker = w.Asker || strings.Contains(text, "我")
	w.Assistant = w.Assistant || strings.Contains(text, "你")
	w.Time = w.Time || containsAny(text, []string{"几号", "什么时候", "何时", "时间", "几点", "多久", "哪天", "哪一天", "日期", "多长", "哪年", "哪一年", "几月"})
	w.Number = w.Number || containsAny(text, []string{"多少", "几个", "几次", "几岁", "几人", "几位", "总共", "一共"})
	w.Name = w.Name || containsAny(text, []string{"谁", "哪里", "哪儿", "地点", "什么地方"})
	return w
}

// clip gives the part of a text that is looked at, cut between characters.
func clip(text string) string {
	if len(text) <= readBytes {
		return text
	}
	n := readBytes
	for n > readBytes-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// lower makes ASCII letters small.
func lower(word string) string {
	for i := range len(word) {
		if word[i] >= 'A' && word[i] <= 'Z' {
			return strings.ToLower(word)
		}
	}
	return word
}

// eachWord gives the words in Latin letters and digits of a text, with what they
// say and whether they begin a sentence, and tells whether the text has other
// letters.
func eachWord(text string, visit func(word string, c class, begins bool)) (other bool) {
	begins := true
	var small [16]byte
	for i := 0; i < len(text); {
		if b := text[i]; !letter(b) {
			other = other || b >= utf8.RuneSelf
			if b == '.' || b == '!' || b == '?' || b == '\n' {
				begins = true
			}
			i++
			continue
		}
		j := i
		for j < len(text) && (letter(text[j]) || text[j] == '\'' && j+1 < len(text) && letter(text[j+1])) {
			j++
		}
		var c class
		if j-i <= len(small) {
			for k := i; k < j; k++ {
				b := text[k]
				if b >= 'A' && b <= 'Z' {
					b += 'a' - 'A'
				}
				small[k-i] = b
			}
			c = words[string(small[:j-i])]
		}
		visit(text[i:j], c, begins)
		begins, i = false, j
	}
	return other
}

func letter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// year tells whether a word is a number of four digits.
func year(word string) bool {
	if len(word) != 4 {
		return false
	}
	for i := range len(word) {
		if word[i] < '0' || word[i] > '9' {
			return false
		}
	}
	return true
}

func containsAny(text string, list []string) bool {
	for _, s := range list {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// counted tells whether a number stands before one of the units.
func counted(text, units string) bool {
	digit := false
	for _, r := range text {
		if digit && strings.ContainsRune(units, r) {
			return true
		}
		digit = strings.ContainsRune(hanDigits, r)
	}
	return false
}
