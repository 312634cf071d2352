package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/extract/tagger"
)

// taggerBias holds the tagger back on titles of works, which it finds in too many
// capitals, in steps of the tagger's scale.
var taggerBias = tagger.Bias{0, 0, 0, -10}

// leastMargin is by how much a name of the tagger must score above none, and
// leastTitle by how much a title outside quotes. A name that the memory knows
// needs none of it.
const (
	leastMargin = 10
	leastTitle  = 20
)

// sureMargin is the margin from which a name holds for the whole turn; longTurn
// the length in bytes from which a turn is not looked through for it again.
const (
	sureMargin = 40
	longTurn   = 4 << 10
)

// tagged adds to the mentions of the rules, which are in order, those of the
// tagger that lie beside them all: rules and lists overrule it.
func (f *finder) tagged(rules []Mention) []Mention {
	rules = f.noModels(rules)
	f.spans = tagger.Tag(f.spans[:0], f.d.Text, taggerBias)
	if len(f.spans) == 0 {
		return rules
	}
	out := make([]Mention, 0, len(rules)+len(f.spans))
	sure := false
	for _, s := range f.spans {
		for len(rules) > 0 && rules[0].End <= s.Start {
			out, rules = append(out, rules[0]), rules[1:]
		}
		if len(rules) > 0 && rules[0].Start < s.End {
			// A name inside a quoted title is part of it.
			if s.Type != typeWork || rules[0].End > s.End || !f.inQuotes(s) || rules[0].Type == typeWork {
				continue
			}
			for len(rules) > 0 && rules[0].End <= s.End {
				rules = rules[1:]
			}
			if len(rules) > 0 && rules[0].Start < s.End {
				continue
			}
		}
		if m, ok := f.tidy(s); ok {
			out = append(out, m)
			sure = sure || s.Margin >= sureMargin
		}
	}
	out = append(out, rules...)
	if sure && len(f.d.Text) < longTurn {
		out = f.again(out)
	}
	return out
}

// inQuotes tells whether a name fills a pair of quotes or stars.
func (f *finder) inQuotes(s tagger.Span) bool {
	text := f.d.Text
	if s.Start == 0 || s.End == len(text) {
		return false
	}
	open, _ := utf8.DecodeLastRuneInString(text[:s.Start])
	shut := firstRune(strings.TrimLeft(text[s.End:], ",.!?"))
	return strings.ContainsRune("\"“'‘*", open) && strings.ContainsRune("\"”'’*", shut)
}

// tidy checks a name of the tagger, and brings its edges and type in line with
// what the rules hold.
func (f *finder) tidy(s tagger.Span) (Mention, bool) {
	m := Mention{f.d.Text[s.Start:s.End], s.Start, s.End, s.Type}
	known := ""
	if f.d.Memory != nil {
		known, _ = f.d.Memory.EntityType(m.Text)
	}
	if known == "" {
		known = f.known[lower(m.Text)]
	}
	switch {
	case known != "":
		m.Type = known
	case s.Margin < leastMargin || s.Type == typeWork && s.Margin < leastTitle && !f.inQuotes(s):
		return m, false
	}
	if isHan(firstRune(m.Text)) {
		return f.tidyHan(m)
	}
	return f.tidyLatin(m)
}

// articles open a name that is a work's alone.
var articles = wordSet("the a an")

// noNames are words in capitals that name no entity: techniques, titles, peoples
// and the like.
var noNames = wordSet("ai cs it tv pc ui ux diy lgbtq ml nlp hr pt ceo cto cfo vp faq gps id pr seo bbq ram cpu gpu ssd usb vr ar di ok pto cv bmi api sql html css pdf python java javascript ruby internet wi-fi wifi bluetooth god lord mom dad grandma grandpa mum adhd ptsd covid covid-19 zen iq rpg fps rgb tls dns url kpi roi")

// placeHeads end the names of places too, beside those of the lexicon.
var placeHeads = wordSet("dam station quarter district harbor harbour desert glacier lighthouse bridge")

// holidays open the name of a day.
var holidays = wordSet("christmas thanksgiving halloween easter hanukkah diwali ramadan valentine valentine's mother's father's veterans memorial labor independence earth boxing cinco")

// counted are words that a number follows.
var counted = wordSet("option step tip day week phase chapter unit level part round season episode")

// eventHeads end the names of events, groupNouns are kinds of group.
var (
	eventHeads = wordSet("bowl championship championships cup festival fest marathon conference summit expo fair awards tournament olympics gala hackathon retreat webinar")
	groupNouns = wordSet("group club team band company app brand charity organization organisation choir store shop startup website")
)

// demonyms are endings of words for peoples and their ways.
var demonyms = []string{"ican", "alian", "nese", "anese", "tine", "ish", "nch"}

// tidyLatin checks a name in Latin letters.
func (f *finder) tidyLatin(m Mention) (Mention, bool) {
	toks := f.d.tokens
	a := f.d.tokenAt(m.Start)
	b := a
	for b < len(toks) && toks[b].end <= m.End {
		b++
	}
	if b == a {
		return m, true
	}
	if b > a+1 && toks[a].kind == wordToken && articles[toks[a].low] && (m.Type != typeWork || !toks[a].upper || toks[b-1].class&locHead != 0) {
		a++
	}
	first, last := &toks[a], &toks[b-1]
	quoted := a > 0 && strings.ContainsAny(toks[a-1].low, "\"“'‘*") && toks[a-1].kind == punctToken
	if b-a > 1 && !quoted {
		switch {
		case m.Type != typePerson && m.Type != typeLoc && (last.class&locHead != 0 || placeHeads[last.low]):
			m.Type = typeLoc
		case m.Type == typePerson && last.class&orgHead != 0:
			m.Type = typeOrg
		}
	}
	if b-a == 1 && !quoted {
		if noNames[first.low] || first.class&(monthWord|weekdayWord|weekdaysWord|seasonWord) != 0 || holidays[first.low] {
			return m, false
		}
	}
	if m.Type != typePerson && !quoted && demonym(last.low) {
		return m, false
	}
	if m.Type == typeWork && quoted && f.groupBefore(a-1) {
		m.Type = typeOrg
	}
	if m.Type != typeWork && (holidays[first.low] && b-a > 1 || last.class&weekdayWord != 0 || counted[first.low] && last.kind == numToken) {
		return m, false
	}
	if m.Type != typeWork && b-a > 1 && (m.Type != typePerson && last.class&eventNoun != 0 || eventHeads[last.low]) ||
		m.Type != typeWork && b < len(toks) && toks[b].upper && toks[b].space && !toks[b].line && eventHeads[toks[b].low] {
		return m, false
	}
	m.Start, m.End = first.start, last.end
	m.Text = f.d.Text[m.Start:m.End]
	return m, m.Type != typeOrg || !f.model(b)
}

// demonym tells whether a word is one for a people and no listed name.
func demonym(low string) bool {
	for _, e := range demonyms {
		if len(low) > len(e)+2 && strings.HasSuffix(low, e) && names[low] == "" {
			return true
		}
	}
	return false
}

// groupBefore tells whether the words before token i, an opening mark, say that
// what follows is the name of a group: "our club, 'X'", "a band called 'X'".
func (f *finder) groupBefore(i int) bool {
	toks := f.d.tokens
	for k := i - 1; k >= 0 && k >= i-4; k-- {
		switch low := toks[k].low; {
		case groupNouns[low]:
			return true
		case low != "called" && low != "named" && low != "," && low != "is" && low != "as":
			return false
		}
	}
	return false
}

// model tells whether a name that ends before token b opens the name of a model:
// words in capitals or with digits follow it, one of them with a digit.
func (f *finder) model(b int) bool {
	toks := f.d.tokens
	for i := b; i < min(len(toks), b+4); i++ {
		t := &toks[i]
		digit := strings.ContainsAny(t.low, "0123456789")
		if t.kind == punctToken || t.kind == hanToken || t.line || !t.upper && !digit || t.class&(monthWord|weekdayWord) != 0 || t.low == "i" {
			return false
		}
		if digit {
			return i > b || t.kind == wordToken
		}
	}
	return false
}

// noModels drops the firms in names of models, and takes the plus sign into names
// such as Disney+.
func (f *finder) noModels(rules []Mention) []Mention {
	kept := rules[:0]
	for _, m := range rules {
		if m.Type == typeOrg && !isHan(firstRune(m.Text)) {
			b := f.d.tokenAt(m.End)
			if f.model(b) {
				continue
			}
			if b < len(f.d.tokens) && f.d.tokens[b].start == m.End && f.d.tokens[b].low == "+" {
				m.End++
				m.Text = f.d.Text[m.Start:m.End]
			}
		}
		kept = append(kept, m)
	}
	return kept
}

// zhNoName are characters that stand in no person's name.
const zhNoName = "了吗呢吧啊哦很太真成我你他她的是在把切"

// tidyHan checks a name in Chinese characters.
func (f *finder) tidyHan(m Mention) (Mention, bool) {
	switch m.Type {
	case typePerson:
		if next := f.d.Text[m.End:]; next != "" && next[0] < 0x80 && isAlnum(rune(next[0])) {
			return m, false // a brand before a model
		}
		if strings.ContainsAny(m.Text, zhNoName) && !strings.Contains(m.Text, "·") || len(m.Text) > 3*4 && !strings.Contains(m.Text, "·") {
			return m, false
		}
		// 拍张照 is a photograph.
		if before, _ := utf8.DecodeLastRuneInString(f.d.Text[:m.Start]); strings.HasPrefix(m.Text, "张") && strings.ContainsRune("拍一几两这那每半", before) {
			return m, false
		}
	case typeWork:
		if m.Start < 3 || !strings.ContainsAny(f.d.Text[m.Start-3:m.Start], "《「『“") {
			return m, false
		}
	case typeLoc, typeOrg:
		if eventGoesOn(f.d.Text[m.End:]) {
			return m, false
		}
		if m.Type == typeLoc && zhInstitution(m.Text) && !zhVisited(m.Text) {
			m.Type = typeOrg
		}
		if m.Type == typeOrg && zhVisited(m.Text) && !workedAt(f.d.Text[max(0, m.Start-24):min(len(f.d.Text), m.End+12)]) {
			m.Type = typeLoc
		}
	}
	return m, len(m.Text) > 3
}

// zhVisited tells whether a name is that of a place that one visits.
func zhVisited(name string) bool {
	for _, s := range []string{"医院", "博物馆", "图书馆", "公园", "小区", "花园", "美术馆", "体育馆"} {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

// workedAt tells whether a text speaks of someone's work.
func workedAt(text string) bool {
	for _, s := range []string{"单位", "工作", "上班", "任职", "就职", "实习"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// again adds the further places of the names that were found: of persons, and of
// others that are more than a word.
func (f *finder) again(found []Mention) []Mention {
	var more []Mention
	text := f.d.Text
	for i := range found {
		m := &found[i]
		if len(m.Text) < 3 || m.Type != typePerson && !strings.Contains(m.Text, " ") {
			continue
		}
		for at := m.End; ; {
			k := strings.Index(text[at:], m.Text)
			if k < 0 {
				break
			}
			s := at + k
			at = s + len(m.Text)
			if !isHan(firstRune(m.Text)) {
				if t := f.d.tokenAt(s); t >= len(f.d.tokens) || f.d.tokens[t].start != s || f.d.tokens[max(0, f.d.tokenAt(at)-1)].end != at {
					continue
				}
			}
			if free(found, s, at) && free(more, s, at) {
				more = append(more, Mention{m.Text, s, at, m.Type})
			}
		}
	}
	if len(more) == 0 {
		return found
	}
	found = append(found, more...)
	sortMentions(found)
	return found
}

// free tells whether no mention lies in bytes [start, end).
func free(list []Mention, start, end int) bool {
	for i := range list {
		if list[i].Start < end && start < list[i].End {
			return false
		}
	}
	return true
}
