package extract

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	alike "github.com/asof-db/asof/internal/near"
)

// AliasOf is the relation of a candidate that says that two names stand for one
// entity; it is no predicate of the registry, and becomes a LINK.
const AliasOf = string(dsl.AliasOf)

// The rules by which two names are taken for one.
const (
	// ByExact: equal after normalising, which is one entity without any link.
	ByExact = "exact"
	// ByForm: equal without titles, legal forms and points, in simplified
	// characters.
	ByForm = "form"
	// ByNickname: a short form of the other's given name.
	ByNickname = "nickname"
	// ByPart: the given name of a full name that the turn, or who speaks, has.
	ByPart = "part"
	// ByLetters: Jaro-Winkler, ByWords: the share of words in common.
	ByLetters = "letters"
	ByWords   = "words"
)

// exactAlias is option A of alias with its near match off: two spellings are one
// name when they are equal after normalising.
type exactAlias struct{}

// Version names the rule.
func (exactAlias) Version() string { return "alias.exact/1" }

// FindAliases gives each later spelling with the first one.
func (exactAlias) FindAliases(d *Document) []Alias {
	var out []Alias
	for i, m := range d.Entities {
		for _, first := range d.Entities[:min(i, 64)] {
			if first.Text == m.Text {
				break
			}
			if first.Type == m.Type && len(first.Text) == len(m.Text) && analyze.NormalizeName(first.Text) == analyze.NormalizeName(m.Text) {
				if a := (Alias{Name: m.Text, Of: first.Text, By: ByExact, Score: 1}); !slices.Contains(out, a) {
					out = append(out, a)
				}
				break
			}
		}
	}
	return out
}

// KnownName is a name that a memory knows.
type KnownName struct {
	// Name is the form first written, Type as of [Mention], empty where the memory
	// does not know it.
	Name, Type string
}

// NameMemory is a Memory that can be asked for names: near matching needs it. The
// rules of [Memory] hold.
type NameMemory interface {
	Memory
	// KnowsName tells whether an entity with this normalised name is known.
	KnowsName(name string) bool
	// NamesLike gives up to limit known names that share a word with the name or, as
	// far as the memory can tell, its first letters; those known longest first. Its
	// cost must not grow with the names that the space has.
	NamesLike(name string, limit int) []KnownName
}

// nearAlias is options A and B of alias: names are taken for known ones that they
// are near to. A name is looked at when the space meets it for the first time: a
// merge is never retroactive, and one that was undone is not made again.
type nearAlias struct {
	// jw and words are the least similarities, 0 for off; nick turns on short forms.
	jw, words float64
	nick      bool
}

// Version names the rule and its thresholds.
func (a nearAlias) Version() string {
	v := "alias.near/1"
	if a.jw > 0 {
		v += "+jw" + strconv.FormatFloat(a.jw, 'f', -1, 64)
	}
	if a.words > 0 {
		v += "+words" + strconv.FormatFloat(a.words, 'f', -1, 64)
	}
	if a.nick {
		v += "+nick"
	}
	return v
}

const (
	// maxNames bounds the names of a turn that are looked at, maxLike the known ones
	// that each is compared with, maxForms the short forms that are looked up.
	maxNames = 32
	maxLike  = 24
	maxForms = 12
)

// FindAliases gives the new names of the turn that stand for known ones, each once.
func (a nearAlias) FindAliases(d *Document) []Alias {
	out := exactAlias{}.FindAliases(d)
	memory, _ := d.Memory.(NameMemory)
	var seen []Mention
	for _, m := range d.Entities {
		if len(seen) >= maxNames {
			break
		}
		if !aliasType(m.Type) || slices.ContainsFunc(seen, func(s Mention) bool { return sameName(s.Text, m.Text) }) {
			continue
		}
		if !participant(d, m.Text) && (memory == nil || !memory.KnowsName(m.Text)) {
			if best, ok := a.known(d, memory, &m, seen); ok {
				out = append(out, best)
			}
		}
		seen = append(seen, m)
	}
	return out
}

func aliasType(typ string) bool {
	return typ == typePerson || typ == typeOrg || typ == typeLoc || typ == typeWork
}

// participant tells whether a name is that of one of the two who speak.
func participant(d *Document, name string) bool {
	return sameName(name, d.Speaker) || sameName(name, d.Listener)
}

// rival is a known name that a new one may stand for.
type rival struct {
	Alias
	// talks: it is one of the two who speak; here: the turn names it too.
	talks, here bool
}

// known gives the name that a new one stands for, if one alone is near or the
// context tells which.
func (a nearAlias) known(d *Document, memory NameMemory, m *Mention, before []Mention) (Alias, bool) {
	form := formOf(m.Text, m.Type)
	if len(form.words) == 0 || len(form.words) > 8 {
		return Alias{}, false
	}
	var rivals []rival
	apart := false // a known name that conflicts with one that is near
	try := func(k KnownName, talks, here bool) {
		if k.Type != "" && k.Type != m.Type || sameName(k.Name, m.Text) || slices.ContainsFunc(rivals, func(r rival) bool { return sameName(r.Of, k.Name) }) {
			return
		}
		other := formOf(k.Name, m.Type)
		by, score := a.compare(&form, &other, m.Type, talks)
		if by == "" {
			apart = apart || m.Type == typePerson && sharesGiven(&form, &other)
			return
		}
		switch {
		case here && (by == ByLetters || by == ByNickname) && !told(d, m, k.Name):
			apart = true // two who are named side by side
			return
		case by == ByPart && !(here && len(form.words) < len(other.words) && shortly(d, m, k.Name)) && !talks, by == ByNickname && len(form.words) != len(other.words) && !talks && !here:
			// Tom is not the Tom Cruise of another day, nor Sam Edelman our Sam.
			apart = true
			return
		}
		rivals = append(rivals, rival{Alias{m.Text, k.Name, by, score}, talks, here})
	}
	if m.Type == typePerson {
		for _, p := range [...]string{d.Speaker, d.Listener} {
			if !isAssistant(p) {
				try(KnownName{p, typePerson}, true, false)
			}
		}
	}
	for i := range before {
		try(KnownName{before[i].Text, before[i].Type}, false, true)
	}
	if memory != nil {
		names := []string{m.Text}
		if form.key() != analyze.NormalizeName(m.Text) {
			names = append(names, form.key())
		}
		if m.Type == typePerson && a.nick {
			names = append(names, nickOf[form.words[0]]...)
			names = append(names, formsOf[form.words[0]]...)
		}
		for i, n := range names {
			if i > maxForms {
				break
			}
			for _, k := range memory.NamesLike(n, maxLike) {
				try(k, false, false)
			}
		}
	}
	return choose(rivals, apart)
}

// choose gives the one that a new name stands for. Of several the context decides
// (option C): who is spoken to, then who the turn names; with none ahead they stay
// apart.
func choose(rivals []rival, apart bool) (Alias, bool) {
	best, lead := -1, false
	for i := range rivals {
		r := &rivals[i]
		switch {
		case best < 0 || r.weight() > rivals[best].weight():
			best, lead = i, true
		case r.weight() == rivals[best].weight() && !sameName(r.Of, rivals[best].Of):
			lead = false
		}
	}
	if best < 0 || !lead || apart && rivals[best].By != ByForm && !rivals[best].talks {
		return Alias{}, false
	}
	return rivals[best].Alias, true
}

func (r *rival) weight() int {
	w := 0
	if r.By == ByForm {
		w += 4
	}
	if r.talks {
		w += 2
	}
	if r.here {
		w++
	}
	return w
}

// told tells whether the words between two names say that they are one: "Robert,
// called Bob".
func told(d *Document, m *Mention, name string) bool {
	for i := range d.Entities {
		o := &d.Entities[i]
		if o.Text != name || o.End > m.Start || m.Start-o.End > 32 {
			continue
		}
		between := lower(d.Text[o.End:m.Start])
		for _, w := range []string{"aka", "a.k.a", "nicknamed", "called", "call ", "short for", "goes by", "known as", "或者叫", "又叫", "也叫", "小名"} {
			if strings.Contains(between, w) {
				return true
			}
		}
	}
	return false
}

// shortBytes is how far behind a full name its given name stands for it.
const shortBytes = 400

// shortly tells whether a given name stands alone, soon after the full name, with
// no other person between: "Anna Berg … Anna".
func shortly(d *Document, m *Mention, full string) bool {
	if standing := names[lower(m.Text)] == typePerson || givenKinds[lower(m.Text)] != 0; !standing {
		return false
	}
	if words := strings.Fields(lower(full)); lexicon[words[len(words)-1]] != 0 {
		return false // Justin Guitar is no surname
	}
	if next := d.tokenAt(m.End); next < len(d.tokens) {
		if t := &d.tokens[next]; t.kind == wordToken && t.upper || t.start < m.End {
			return false // Henry VIII
		}
	}
	if k := d.tokenAt(m.Start); k >= len(d.tokens) || d.tokens[k].start != m.Start || d.tokens[k].end < m.End || d.tokens[k].end > m.End && d.Text[m.End] != '\'' {
		return false
	}
	last := -1
	for i := range d.Entities {
		o := &d.Entities[i]
		if o.Start >= m.Start {
			break
		}
		if o.Type == typePerson {
			last = i
		}
	}
	return last >= 0 && sameName(d.Entities[last].Text, full) && m.Start-d.Entities[last].End <= shortBytes
}

// sharesGiven tells whether two names of persons begin with one given name.
func sharesGiven(a, b *nameForm) bool {
	return len(a.words) > 0 && len(b.words) > 0 && (a.words[0] == b.words[0] || nicknames(a.words[0], b.words[0]))
}

// compare tells by which rule two names are one, and how alike they are; no rule
// where they are two. talks tells that the second is of one who speaks.
func (a nearAlias) compare(x, y *nameForm, typ string, talks bool) (by string, score float64) {
	if len(y.words) == 0 || x.title != "" && y.title != "" && x.title != y.title && titleGender[x.title] != titleGender[y.title] {
		return "", 0
	}
	kx, ky := x.key(), y.key()
	if kx == ky {
		return ByForm, 1
	}
	if digitsOf(kx) != digitsOf(ky) {
		return "", 0
	}
	if typ == typePerson {
		if by, score := a.person(x, y, talks); by != "" {
			return by, score
		}
	}
	if x.han || y.han {
		return "", 0
	}
	if a.jw > 0 && len(x.words) == len(y.words) && typo(x, y) {
		if s := alike.JaroWinkler(kx, ky); s >= a.jw {
			return ByLetters, s
		}
	}
	if a.words > 0 && len(x.words) > 1 && len(y.words) > 1 && onlyWeakDiffer(x.words, y.words) {
		if s := alike.TokenSet(strongWords(x.words), strongWords(y.words)); s >= a.words {
			return ByWords, s
		}
	}
	return "", 0
}

var titleGender = map[string]byte{"mr": 'm', "sir": 'm', "mrs": 'f', "ms": 'f', "miss": 'f', "madam": 'f'}

// person compares the parts of names of persons. Surnames that both have must be
// equal, and given names equal or forms of one another.
func (a nearAlias) person(x, y *nameForm, talks bool) (by string, score float64) {
	if x.han || y.han {
		return "", 0
	}
	gx, gy := x.words[0], y.words[0]
	nx, ny := len(x.words), len(y.words)
	if nx > 1 && ny > 1 && x.words[nx-1] != y.words[ny-1] {
		return "", 0
	}
	switch {
	case gx == gy && (nx == 1 || ny == 1) && (a.words > 0 || a.nick) && (x.title == "" && y.title == ""):
		return ByPart, 0.9
	case a.nick && nicknames(gx, gy) && (nx == 1 || ny == 1 || nx == ny):
		return ByNickname, 0.9
	case a.nick && talks && nx == 1 && utf8.RuneCountInString(gx) >= 3 && len(gx) < len(gy) && strings.HasPrefix(gy, gx) && nickOf[gx] == nil && givenKinds[gx] == 0:
		return ByNickname, 0.85
	}
	return "", 0
}

// typo tells whether two names of as many words differ by a slip of letters: one
// letter, or two in a long name, in one word, and neither spelling is a name or a
// word of its own.
func typo(x, y *nameForm) bool {
	at := -1
	for i := range x.words {
		if x.words[i] != y.words[i] {
			if at >= 0 {
				return false
			}
			at = i
		}
	}
	a, b := x.words[at], y.words[at]
	n := min(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	if n < 5 || firstRune(a) != firstRune(b) || standsAlone(a) && standsAlone(b) || strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s") {
		return false
	}
	if ga, gb := givenKinds[a]&asPronoun, givenKinds[b]&asPronoun; ga != 0 && gb != 0 && ga != gb {
		return false
	}
	// A given name and the same with a vowel at its end are two people's: Juliana.
	if long, short := a, b; len(long) != len(short) {
		if len(long) < len(short) {
			long, short = short, long
		}
		if rest, ok := strings.CutPrefix(long, short); ok && strings.Trim(rest, "aeiouy") == "" {
			return false
		}
	}
	d := edits(a, b)
	return d == 1 || d == 2 && n >= 9
}

// standsAlone tells whether a word is one that the lists know.
func standsAlone(w string) bool {
	_, listed := names[w]
	return listed || givenKinds[w] != 0 || lexicon[w] != 0 || len(formsOf[w]) > 0
}

// edits gives the number of letters to change, add, drop or swap between two words
// of up to 64 letters; 3 for more.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 || len(y) > 64 || len(x)-len(y) > 2 || len(y)-len(x) > 2 {
		return 3
	}
	var rows [3][66]int
	for j := range len(y) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		row, up, upup := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(up[j]+1, row[j-1]+1, up[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], upup[j-2]+1)
			}
		}
	}
	return min(rows[len(x)%3][len(y)], 3)
}

// onlyWeakDiffer tells whether two names differ in articles and the like alone,
// or in the order of their words.
func onlyWeakDiffer(x, y []string) bool {
	for _, pair := range [2][2][]string{{x, y}, {y, x}} {
		for _, w := range pair[0] {
			if !weakWords[w] && !slices.Contains(pair[1], w) {
				return false
			}
		}
	}
	return true
}

// strongWords gives a name without articles and the like.
func strongWords(words []string) string {
	strong := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return weakWords[w] })
	return strings.Join(strong, " ")
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// Links gives the aliases of a result as candidates: of names that its other
// candidates speak of, for the others are no entities yet.
func (r *Result) Links() []dsl.Candidate {
	var out []dsl.Candidate
	for i := range r.Aliases {
		a := &r.Aliases[i]
		if a.By == ByExact || !r.speaksOf(a.Name) {
			continue
		}
		c := dsl.Candidate{
			Change: dsl.Assert, Confidence: a.Score, Dst: dsl.Plain(a.Of), DstKind: dsl.Entity, Polarity: dsl.Positive,
			Rel: AliasOf, Source: "alias." + a.By, Src: dsl.Plain(a.Name),
		}
		if c.Validate() == nil {
			out = append(out, c)
		}
	}
	return out
}

// speaksOf tells whether a candidate has the name as its subject or its value.
func (r *Result) speaksOf(name string) bool {
	for i := range r.Candidates {
		c := &r.Candidates[i]
		src, _ := c.Src.Open()
		dst, _ := c.Dst.Open()
		if sameName(src, name) || c.DstKind == dsl.Entity && sameName(dst, name) {
			return true
		}
	}
	return false
}

// All gives what a transaction records of a result: the links between names, then
// the candidates.
func (r *Result) All() []dsl.Candidate {
	if links := r.Links(); len(links) > 0 {
		return append(links, r.Candidates...)
	}
	return r.Candidates
}
