package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/extract/tagger"
	"github.com/asof-db/asof/internal/analyze"
)

// The types of mention.
const (
	typePerson = "PERSON"
	typeOrg    = "ORG"
	typeLoc    = "LOC"
	typeWork   = "WORK"
	typeEmail  = "EMAIL"
	typeURL    = "URL"
	typePhone  = "PHONE"
	typeMoney  = "MONEY"
	typeHandle = "HANDLE"
)

// ruleEntities is option A of ner: addresses and numbers by pattern, names by
// capitalisation, place, context, short lists and the two who speak, and where
// these are silent by the tagger.
type ruleEntities struct{}

// Version names the rules, lists and weights.
func (ruleEntities) Version() string { return "ner.rule/4" }

// ExtractEntities gives the mentions in order of their place, none overlapping.
func (ruleEntities) ExtractEntities(d *Document) []Mention {
	f := finder{d: d, used: make([]bool, len(d.tokens))}
	f.patterns()
	f.titles()
	f.latin()
	f.chinese()
	sortMentions(f.out)
	kept := f.out[:0]
	for _, m := range f.out {
		if n := len(kept); n > 0 && kept[n-1].End > m.Start {
			continue
		}
		kept = append(kept, m)
	}
	return f.tagged(kept)
}

// sortMentions sorts by place, the longest first.
func sortMentions(list []Mention) {
	slices.SortStableFunc(list, func(a, b Mention) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
}

// finder collects the mentions of one turn.
type finder struct {
	d *Document
	// used marks tokens that a mention took.
	used []bool
	out  []Mention
	// known types names found earlier in the turn, by their lower-case form.
	known map[string]string
	// spans are the tagger's.
	spans []tagger.Span
}

func (f *finder) add(start, end int, typ string) {
	if start < end {
		f.out = append(f.out, Mention{f.d.Text[start:end], start, end, typ})
	}
}

// take marks tokens [a, b) and adds them as one mention.
func (f *finder) take(a, b int, typ string) {
	for i := a; i < b; i++ {
		f.used[i] = true
	}
	f.add(f.d.tokens[a].start, f.d.tokens[b-1].end, typ)
}

// isAssistant tells whether a participant's name is a part in the talk and not a
// name.
func isAssistant(name string) bool {
	switch analyze.NormalizeName(name) {
	case "", "user", "assistant", "ai", "system", "bot", "用户", "助手", "系统", "机器人":
		return true
	}
	return false
}

// patterns finds what its form alone gives away.
func (f *finder) patterns() {
	toks := f.d.tokens
	for i := 0; i < len(toks); i++ {
		t := &toks[i]
		switch t.kind {
		case wordToken:
			if b := f.initials(i); b > 0 {
				a := i
				if i > 0 && toks[i-1].upper && !toks[i].line && names[toks[i-1].low] == typePerson {
					a-- // George R.R. Martin
				}
				f.take(a, b, typePerson)
				i = b - 1
			}
		case emailToken:
			f.take(i, i+1, typeEmail)
		case urlToken:
			f.take(i, i+1, typeURL)
		case handleToken:
			f.take(i, i+1, typeHandle)
		case numToken:
			if f.used[i] {
				continue
			}
			if a, b := f.money(i); b > 0 {
				f.take(a, b, typeMoney)
			} else if b := f.phone(i); b > 0 {
				a := i
				if a > 0 && (toks[a-1].low == "+" || toks[a-1].low == "(") {
					a--
				}
				f.take(a, b, typePhone)
			}
		}
	}
}

// initials gives the token after a name that starts at token i with two initials or
// more and goes on with a surname, "J.R.R. Tolkien", or 0.
func (f *finder) initials(i int) int {
	toks := f.d.tokens
	k, n := i, 0
	for ; k+1 < len(toks) && n < 4 && toks[k].kind == wordToken && toks[k].upper && toks[k].end-toks[k].start == 1 && toks[k+1].low == "." && !toks[k+1].space; k += 2 {
		if n > 0 && toks[k].line {
			return 0
		}
		n++
	}
	if n < 2 || k >= len(toks) || toks[k].kind != wordToken || !toks[k].upper || toks[k].end-toks[k].start < 3 || toks[k].line || toks[k].class&(commonWord|monthWord|weekdayWord) != 0 {
		return 0
	}
	k++
	if k < len(toks) && toks[k].kind == wordToken && toks[k].upper && toks[k].class&commonWord == 0 && k+1 < len(toks) && toks[k+1].kind != wordToken {
		k++ // a double surname
	}
	return k
}

var currencyWords = wordSet("dollars dollar bucks euros euro usd eur gbp rmb yuan")
var magnitudes = wordSet("k m b bn million billion thousand hundred trillion")

// money gives the tokens of an amount whose number is token i.
func (f *finder) money(i int) (a, b int) {
	toks := f.d.tokens
	a, b = i, i+1
	sign := i > 0 && strings.ContainsRune("$€£¥￥", firstRune(toks[i-1].low)) && toks[i-1].kind == punctToken
	if sign {
		a--
	}
	if b < len(toks) && magnitudes[toks[b].low] && (toks[b].space || len(toks[b].low) <= 2) {
		b++
	}
	if sign {
		return a, b
	}
	if b < len(toks) && toks[b].kind == wordToken && currencyWords[toks[b].low] {
		return a, b + 1
	}
	return 0, 0
}

// phone gives the token after a telephone number that starts at token i, or 0.
func (f *finder) phone(i int) int {
	toks := f.d.tokens
	if i > 0 && !toks[i].space && (toks[i-1].kind == wordToken || toks[i-1].low == "-" || toks[i-1].low == "/" || toks[i-1].low == ".") {
		return 0
	}
	first := toks[i].low
	if strings.ContainsAny(first, ",") {
		return 0
	}
	plus := i > 0 && toks[i-1].low == "+"
	digits := strings.Count(first, "") - 1
	if len(first) == 11 && first[0] == '1' && first[1] >= '3' && !strings.Contains(first, ".") {
		return i + 1
	}
	groups, j := 1, i+1
	var sizes [8]int
	sizes[0] = digits
	for j < len(toks) && groups < len(sizes) {
		k := j
		if s := toks[k].low; s == "-" || s == ")" || s == "(" {
			k++
		}
		if k >= len(toks) || toks[k].kind != numToken || toks[k].line || k == j && !toks[k].space || strings.Contains(toks[k].low, ",") {
			break
		}
		sizes[groups] = len(toks[k].low)
		digits += len(toks[k].low)
		groups++
		j = k + 1
	}
	switch {
	case plus && digits >= 9 && digits <= 15:
		return j
	case groups == 3 && sizes[0] == 3 && sizes[1] == 3 && sizes[2] == 4:
		return j
	case groups == 2 && first[0] == '0' && sizes[0] <= 4 && sizes[1] >= 7 && sizes[1] <= 8:
		return j
	case groups == 4 && sizes[0] <= 3 && sizes[1] == 3 && sizes[2] == 3 && sizes[3] == 4:
		return j
	}
	return 0
}

// workCues are words that say that a quoted name is a title.
var workCues = wordSet("book books novel novels memoir movie movies film films show shows series song songs album track game games podcast episode documentary play poem painting read reads reading watch watched watching listening author sequel anime musical soundtrack by")

// titles finds the titles of works: in Chinese title marks always, in quotes
// where they are in title case and a word nearby says what they are.
func (f *finder) titles() {
	text := f.d.Text
	for at := 0; ; {
		i := strings.Index(text[at:], "《")
		if i < 0 {
			break
		}
		start := at + i + len("《")
		end := strings.IndexAny(text[start:min(len(text), start+200)], "》\n《")
		if end > 0 && strings.HasPrefix(text[start+end:], "》") {
			f.mark(start, start+end, typeWork)
		}
		at = start
	}
	toks := f.d.tokens
	for i := 0; i+2 < len(toks); i++ {
		q := firstRune(toks[i].low)
		if toks[i].kind != punctToken || q != '"' && q != '“' && q != '*' && !(q == '\'' && (i == 0 || toks[i].space)) || toks[i+1].space {
			continue
		}
		shut := map[rune]string{'"': "\"", '“': "”", '*': "*", '\'': "'"}[q]
		j := i + 1
		for j < len(toks) && j < i+14 && toks[j].low != shut && toks[j].low != "”" && !toks[j].line {
			j++
		}
		if j >= len(toks) || j >= i+14 || toks[j].low != shut && toks[j].low != "”" || toks[j].line || j == i+1 {
			continue
		}
		end := j
		for end > i+1 && (toks[end-1].low == "," || toks[end-1].low == "." || toks[end-1].low == ";") {
			end--
		}
		if end > i+1 && titleCase(toks[i+1:end]) && f.workNear(i, j) {
			f.take(i+1, end, typeWork)
		}
		i = j
	}
}

// mark adds bytes [start, end) and marks the tokens in them.
func (f *finder) mark(start, end int, typ string) {
	for i := f.d.tokenAt(start); i < len(f.d.tokens) && f.d.tokens[i].start < end; i++ {
		f.used[i] = true
	}
	f.add(start, end, typ)
}

// titleCase tells whether the words read as a title.
func titleCase(toks []token) bool {
	n := 0
	for i := range toks {
		t := &toks[i]
		switch {
		case t.kind == hanToken:
			return false
		case t.kind == punctToken:
			if t.low == "?" {
				return false
			}
		case t.kind != wordToken || t.upper:
			n++
		case i == 0 || len(t.low) > 4:
			return false
		}
	}
	return n > 0
}

// workNear looks for a cue in the tokens around a quotation.
func (f *finder) workNear(open, shut int) bool {
	toks := f.d.tokens
	for i := max(0, open-8); i < open; i++ {
		if workCues[toks[i].low] {
			return true
		}
	}
	for i := shut + 1; i < min(len(toks), shut+6); i++ {
		if workCues[toks[i].low] {
			return true
		}
	}
	return false
}

// latin finds names in Latin letters.
func (f *finder) latin() {
	f.known = map[string]string{}
	for _, p := range []string{f.d.Speaker, f.d.Listener} {
		if !isAssistant(p) {
			low := lower(p)
			f.known[low] = typePerson
			if first, _, ok := strings.Cut(low, " "); ok && len(first) > 1 {
				f.known[first] = typePerson
			}
			if len(low) >= 6 && !strings.Contains(low, " ") && low[0] < 0x80 && classOf(low[:3]) == 0 {
				f.known[low[:3]] = typePerson // Oli for Olivia
			}
		}
	}
	toks := f.d.tokens
	for i := 0; i < len(toks); {
		if f.used[i] || toks[i].kind != wordToken || !toks[i].upper {
			i++
			continue
		}
		j := f.nameEnd(i)
		if toks[i].low == "university" && j+1 < len(toks) && toks[j].low == "," && toks[j+1].upper && f.listed(j+1) == 1 && names[toks[j+1].low] == typeLoc {
			j += 2
		}
		if typ := f.typeOf(i, j); typ != "" {
			low := lower(f.d.Text[toks[i].start:toks[j-1].end])
			f.known[low] = typ
			if typ == typePerson && j > i+1 {
				f.known[toks[i].low] = typ
			}
			f.take(i, j, typ)
		}
		i = j
	}
	// A name typed once stays typed: a look back at what came before.
	for i := range toks {
		if t := &toks[i]; !f.used[i] && t.kind == wordToken && t.upper && t.class == 0 {
			if typ := f.known[t.low]; typ != "" {
				f.take(i, i+1, typ)
			}
		}
	}
}

// nameEnd gives the end of the capitalised words that start at i: with "of",
// "&" and hyphens between, without a listed name's neighbours.
func (f *finder) nameEnd(i int) int {
	toks := f.d.tokens
	if n := f.listed(i); n > 0 && !(toks[i].low == "st") {
		if i+n < len(toks) && toks[i+n].upper && toks[i+n].class&(locHead|orgHead) != 0 {
			return i + n + 1
		}
		if n > 1 || names[toks[i].low] != typePerson {
			return i + n
		}
	}
	j := i + 1
	for j < len(toks) && j < i+8 && !f.used[j] && !toks[j].line {
		t := &toks[j]
		switch {
		case t.kind == wordToken && t.upper && t.space && t.low != "i" && t.class&(monthWord|weekdayWord) == 0:
		case t.kind == wordToken && t.upper && toks[j-1].low == "-" && !t.space:
		case (t.low == "of" || t.low == "&" || t.low == "and" && orgBefore(toks, i, j)) && j+1 < len(toks) && toks[j+1].upper && toks[j+1].kind == wordToken && toks[j+1].low != "i":
		case t.low == "-" && !t.space && j+1 < len(toks) && toks[j+1].upper && !toks[j+1].space:
		case t.low == "." && len(toks[j-1].low) == 1 && toks[j-1].upper && j+1 < len(toks) && toks[j+1].upper && toks[j-1].low != "i":
		case t.kind == wordToken && t.upper && toks[j-1].low == "." && t.low != "i":
		case t.low == "." && toks[j-1].low == "st" && j+1 < len(toks) && toks[j+1].upper:
		case t.low == "'s" && j+1 < len(toks) && toks[j+1].upper && toks[j+1].class&(locHead|orgHead) != 0:
		default:
			return j
		}
		j++
	}
	return j
}

// orgBefore tells whether tokens [i, j) name an organisation whose name may go
// on with "and".
func orgBefore(toks []token, i, j int) bool { return j > i && toks[j-1].class&orgHead != 0 }

// listed gives the number of tokens of the longest listed name at i.
func (f *finder) listed(i int) int {
	toks := f.d.tokens
	best := 0
	for n := min(longestName, len(toks)-i); n > 0; n-- {
		if n > 1 && (!toks[i+n-1].upper || toks[i+n-1].kind != wordToken) {
			continue
		}
		key := lower(f.d.Text[toks[i].start:toks[i+n-1].end])
		if _, ok := names[key]; ok {
			best = n
			break
		}
		if _, ok := f.known[key]; ok {
			best = n
			break
		}
	}
	return best
}

// sentenceStart tells whether token i opens a sentence or a quotation.
func (f *finder) sentenceStart(i int) bool {
	if i == 0 || f.d.tokens[i].line {
		return true
	}
	p := &f.d.tokens[i-1]
	if p.kind != punctToken {
		return p.kind == hanToken
	}
	switch firstRune(p.low) {
	case ',', '-', '(', '&', '/', '+', '，', '、', '（':
		return false
	}
	return !(p.low == "." && i > 1 && abbreviations[f.d.tokens[i-2].low])
}

// typeOf gives the type of the name in tokens [i, j), or nothing where it is
// none or none that the rules know: an entity of a wrong type is worse than a
// missed one.
func (f *finder) typeOf(i, j int) string {
	toks := f.d.tokens
	key := lower(f.d.Text[toks[i].start:toks[j-1].end])
	if typ := f.known[key]; typ != "" {
		return typ
	}
	if f.d.Memory != nil {
		if typ, ok := f.d.Memory.EntityType(f.d.Text[toks[i].start:toks[j-1].end]); ok && typ != Event {
			return typ
		}
	}
	if typ := names[key]; typ != "" && toks[i].class&(monthWord|weekdayWord) == 0 {
		if !(f.sentenceStart(i) && toks[i].class&commonWord != 0) {
			return typ
		}
	}
	last := &toks[j-1]
	multi := j > i+1
	start := f.sentenceStart(i)
	if toks[i].class&(monthWord|weekdayWord|seasonWord|weekdaysWord) != 0 && !multi {
		return ""
	}
	if toks[i].class&commonWord != 0 && (start || !multi) {
		return ""
	}
	if start && (toks[i].class&^(commonWord|ownWord|wideWords) != 0 || lowerElsewhere(toks, i)) && !multi {
		return ""
	}
	if multi && (!start || toks[i].class&commonWord == 0) {
		switch {
		case last.class&orgHead != 0 || toks[i].low == "university":
			return typeOrg
		case last.class&locHead != 0, toks[i].low == "lake" || toks[i].low == "mount":
			return typeLoc
		}
	}
	if allCaps(f.d.Text[toks[i].start:last.end]) && !multi && len(toks[i].low) > 1 && start {
		return ""
	}
	if i > 0 {
		p := &toks[i-1]
		switch {
		case p.class&(kinWord|petWord) != 0 || p.low == "," && i > 1 && toks[i-2].class&(kinWord|petWord) != 0 && i > 2 && (toks[i-3].class&possWord != 0 || i > 3 && toks[i-4].class&possWord != 0):
			return typePerson
		case p.low == "named" || p.low == "called" && i > 1 && toks[i-2].class&(kinWord|petWord) != 0:
			return typePerson
		case p.low == "." && i > 1 && titleWords[toks[i-2].low] || titleWords[p.low]:
			return typePerson
		}
	}
	if names[toks[i].low] == typePerson && multi && toks[i].kind == wordToken && j-i <= 3 && !start {
		return typePerson
	}
	if names[toks[i].low] == typePerson && multi && j-i == 2 {
		return typePerson
	}
	if start && !multi {
		return ""
	}
	// The words around it.
	next := ""
	if j < len(toks) {
		next = toks[j].low
	}
	prev := ""
	if i > 0 {
		prev = toks[i-1].low
	}
	switch next {
	case "said", "says", "told", "asked", "thinks", "loves":
		return typePerson
	case "app", "website", "account", "platform", "subscription":
		return typeOrg
	}
	verb := ""
	if i > 1 {
		verb = toks[i-2].low
	}
	switch prev {
	case "in":
		if livingVerbs[verb] {
			return typeLoc
		}
	case "to":
		if movingVerbs[verb] {
			return typeLoc
		}
	case "at", "for":
		if workingVerbs[verb] {
			return typeOrg
		}
	}
	return ""
}

var (
	titleWords   = wordSet("dr mr mrs ms prof professor doctor uncle aunt")
	livingVerbs  = wordSet("live lives lived living born based reside resides residing settled")
	movingVerbs  = wordSet("move moved moving relocated travel traveled travelled flew flying went trip back")
	workingVerbs = wordSet("work works worked working job position internship intern employed")
)

// lowerElsewhere tells whether the word stands in lower case a few tokens away:
// then its capital is that of the sentence.
func lowerElsewhere(toks []token, i int) bool {
	for k := max(0, i-60); k < min(len(toks), i+60); k++ {
		if k != i && !toks[k].upper && toks[k].low == toks[i].low {
			return true
		}
	}
	return false
}

func allCaps(s string) bool {
	return s == strings.ToUpper(s) && utf8.RuneCountInString(s) > 1
}
