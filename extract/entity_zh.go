package extract

import (
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"
)

//go:embed lexicon/zh.txt
var zhText string

// zhLists are the lists of lexicon/zh.txt.
var zhLists = readZhLists(zhText)

func readZhLists(text string) map[string][]string {
	m := map[string][]string{}
	lines(text, func(key, rest string) { m[key] = strings.Fields(rest) })
	return m
}

// zhIndex finds which word of a list starts at a place by its first character:
// the longest one wins.
type zhIndex map[rune][]string

func newZhIndex(words []string) zhIndex {
	m := zhIndex{}
	for _, w := range words {
		r := firstRune(w)
		at := len(m[r])
		for at > 0 && len(m[r][at-1]) < len(w) {
			at--
		}
		m[r] = append(m[r][:at:at], append([]string{w}, m[r][at:]...)...)
	}
	return m
}

// prefix gives the longest word of the list that s starts with.
func (x zhIndex) prefix(s string) string {
	for _, w := range x[firstRune(s)] {
		if strings.HasPrefix(s, w) {
			return w
		}
	}
	return ""
}

var (
	zhPlaces = newZhIndex(zhLists["place"])
	zhBrands = newZhIndex(zhLists["brand"])
	// zhMakers are brands, and words that are one only before a product.
	zhMakers = newZhIndex(append(slices.Clone(zhLists["brand"]), zhLists["maker"]...))
	zhKin    = newZhIndex(zhLists["kin"])
	zhJobs   = newZhIndex(zhLists["job"])
)

const zhSurnames = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"

// chinese finds names in Chinese characters.
func (f *finder) chinese() {
	d := f.d
	for _, p := range []string{d.Speaker, d.Listener} {
		if !isAssistant(p) && isHan(firstRune(p)) && utf8.RuneCountInString(p) >= 2 {
			f.everywhere(p, typePerson)
		}
	}
	for i := range d.tokens {
		t := &d.tokens[i]
		if t.kind == hanToken && !f.used[i] {
			f.hanRun(t.start, t.end)
		}
	}
	for _, c := range zhClauses(d) {
		for _, m := range zhNamesIn(d.Text, c) {
			f.add(m.Start, m.End, m.Type)
		}
	}
}

// everywhere adds every place of a name.
func (f *finder) everywhere(name, typ string) {
	for at := 0; ; {
		i := strings.Index(f.d.Text[at:], name)
		if i < 0 {
			return
		}
		f.add(at+i, at+i+len(name), typ)
		at += i + len(name)
	}
}

// hanRun finds listed places and brands in a run of characters. Two places that
// touch are one: 广东深圳.
func (f *finder) hanRun(start, end int) {
	text := f.d.Text
	for i := start; i < end; {
		run := text[i:end]
		if w := zhPlaces.prefix(run); w != "" {
			j := i + len(w)
			for {
				if more := zhPlaces.prefix(text[j:end]); more != "" {
					j += len(more)
					continue
				}
				break
			}
			for _, s := range []string{"市", "省"} {
				if strings.HasPrefix(text[j:end], s) {
					j += len(s)
				}
			}
			if !placeGoesOn(text[j:end]) && !eventGoesOn(text[j:end]) {
				f.add(i, j, typeLoc)
			}
			i = j
			continue
		}
		if w := zhBrands.prefix(run); w != "" {
			// A brand inside the name of a model is none.
			if next := i + len(w); next != end || next >= len(text) || text[next] >= 0x80 || !isAlnum(rune(text[next])) {
				f.add(i, i+len(w), typeOrg)
			}
			i += len(w)
			continue
		}
		_, n := utf8.DecodeRuneInString(run)
		i += n
	}
}

// placeGoesOn tells whether the place is only the start of a longer name, of an
// institution or a people.
func placeGoesOn(rest string) bool {
	head := rest[:min(len(rest), 3*8)]
	for _, s := range zhLists["orgend"] {
		if k := strings.Index(head, s); k >= 0 && !strings.ContainsAny(head[:k], "的了在有是和与去到、") {
			return true
		}
	}
	for _, s := range []string{"话", "语", "菜", "人民公园", "大学"} {
		if strings.HasPrefix(rest, s) {
			return true
		}
	}
	return false
}

// eventGoesOn tells whether a place only opens the name of an event.
func eventGoesOn(rest string) bool {
	head := rest[:min(len(rest), 3*14)]
	for _, s := range zhLists["eventend"] {
		if k := strings.Index(head, s); k >= 0 && !strings.ContainsAny(head[:k], "的了在有是和与去到、") {
			return true
		}
	}
	return false
}

// zhClause is a piece of text between Chinese or English marks: bytes.
type zhClause struct {
	start, end int
	// question tells that its sentence is one, fresh that it opens a sentence.
	question, fresh bool
}

// zhClauses gives the clauses that hold a Chinese character.
func zhClauses(d *Document) []zhClause {
	var out []zhClause
	begin, han := -1, false
	first := 0 // of the clauses of the sentence at hand
	flush := func(end int) {
		if begin >= 0 && han {
			out = append(out, zhClause{start: begin, end: end, fresh: len(out) == first})
		}
		begin, han = -1, false
	}
	for i := range d.tokens {
		t := &d.tokens[i]
		if t.line {
			flush(t.start)
			first = len(out)
		}
		if t.kind == punctToken {
			switch firstRune(t.low) {
			case '，', ',', '；', ';', '：', ':', '—', '～', '~':
				flush(t.start)
				continue
			case '。', '！', '!', '.', '…':
				flush(t.start)
				first = len(out)
				continue
			case '？', '?':
				flush(t.start)
				// The clause before the mark asks; what stands before it may be stated.
				if first < len(out) {
					out[len(out)-1].question = true
				}
				first = len(out)
				continue
			}
		}
		if begin < 0 {
			begin = t.start
		}
		han = han || t.kind == hanToken
	}
	flush(len(d.Text))
	return out
}

// zhNamesIn finds persons, institutions and places that a clause introduces.
func zhNamesIn(text string, c zhClause) []Mention {
	var out []Mention
	s := text[c.start:c.end]
	add := func(from, to int, typ string) {
		if from < to {
			out = append(out, Mention{s[from:to], c.start + from, c.start + to, typ})
		}
	}
	// 周小兰是我的姑姑; 我姑姑叫周小兰; 我姑姑的名字是周小兰.
	if i := strings.Index(s, "是我"); i > 0 && zhPersonName(s[:i]) {
		add(0, i, typePerson)
	}
	if i := strings.Index(s, "的名字就是"); i > 0 && zhPersonName(s[:i]) {
		add(0, i, typePerson)
	}
	if _, at, name := zhNaming(s); name != "" {
		add(at, at+len(name), typePerson)
	}
	// 单位叫X公司; 单位名称是X; 在X银行工作.
	if i := strings.Index(s, "单位"); i >= 0 {
		if rest, ok := cutAny(s[i+len("单位"):], "叫", "名称是", "名称叫", "是", "的名称是"); ok && zhInstitution(rest) {
			add(len(s)-len(rest), len(s), typeOrg)
		}
	}
	if i := strings.Index(s, "在"); i >= 0 {
		for _, v := range []string{"工作", "上班", "任职", "读书", "上学", "实习"} {
			if j := strings.Index(s[i:], v); j > len("在") && zhInstitution(s[i+len("在"):i+j]) {
				add(i+len("在"), i+j, typeOrg)
				break
			}
		}
	}
	// 我住在银杏花园.
	for _, v := range []string{"住在", "我住的", "我们这"} {
		i := strings.Index(s, v)
		if i < 0 {
			continue
		}
		rest := s[i+len(v):]
		for _, tail := range []string{"小区", "花园", "公寓"} {
			if k := strings.Index(rest, tail); k > 0 && k <= 3*5 && !strings.ContainsAny(rest[:k], "的那这个") {
				add(i+len(v), i+len(v)+k+len(tail), typeLoc)
			}
		}
	}
	return out
}

// cutAny cuts the first of the prefixes that s has.
func cutAny(s string, prefixes ...string) (string, bool) {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p); ok {
			return rest, true
		}
	}
	return s, false
}

// zhPersonName tells whether s is a surname and one or two characters.
func zhPersonName(s string) bool {
	n := utf8.RuneCountInString(s)
	if n < 2 || n > 3 || !strings.ContainsRune(zhSurnames, firstRune(s)) {
		return false
	}
	for _, r := range s {
		if !isHan(r) || strings.ContainsRune("的了是在有很都不我你他她它这那谁就也们", r) {
			return false
		}
	}
	return zhKin.prefix(s) != s
}

// zhNaming finds a naming: whom it names (the text before the naming word, as in
// 我, 我妈妈), where the name starts and the name.
func zhNaming(s string) (who string, at int, name string) {
	for _, v := range []string{"的名字叫做", "的名字叫", "的名字就是", "的名字是", "名字叫", "名字是", "名叫", "叫做", "叫"} {
		i := strings.Index(s, v)
		if i < 0 {
			continue
		}
		rest := s[i+len(v):]
		n := 0
		for n < len(rest) {
			r, w := utf8.DecodeRuneInString(rest[n:])
			if !isHan(r) && !isAlnum(r) && r != ' ' && r != '·' || r == utf8.RuneError {
				break
			}
			n += w
		}
		name = strings.TrimSpace(rest[:n])
		if zhPersonName(name) || name != "" && len(name) <= 30 && firstRune(name) < 0x80 && strings.ToUpper(name[:1]) == name[:1] && !isDigit(name[0]) && latinOnly(name) {
			return s[:i], i + len(v), name
		}
		return "", 0, ""
	}
	return "", 0, ""
}

func latinOnly(s string) bool {
	for _, r := range s {
		if isHan(r) {
			return false
		}
	}
	return true
}

// zhInstitution tells whether s names an institution: some characters and an
// ending of the list.
func zhInstitution(s string) bool {
	if n := utf8.RuneCountInString(s); n < 3 || n > 16 {
		return false
	}
	for _, bad := range []string{"的", "了", "这", "那", "哪", "我", "你", "他", "她", "一个", "一家", "一所"} {
		if strings.Contains(s, bad) {
			return false
		}
	}
	for _, e := range zhLists["orgend"] {
		if strings.HasSuffix(s, e) && len(s) > len(e) {
			return true
		}
	}
	return false
}
