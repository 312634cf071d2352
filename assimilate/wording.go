package assimilate

import (
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/internal/analyze"
)

// wording is a value taken apart, so that two that name one thing in other words
// can be told: "books about modernism" and "reading about modernism".
type wording struct {
	// core are the terms that tell which thing it is, in order, each once; head is
	// the one that tells what it is, empty where a name or a clause does.
	core []string
	head string
	// sorts are the kinds of work, food, … that the words for its sort name.
	sorts uint16
	// clause tells that a clause describes the thing: "books that deal with war".
	clause bool
	// han tells that core holds one Chinese text.
	han bool
}

// Sorts of things. A value without one may be of any.
const (
	printed uint16 = 1 << iota
	screened
	sounded
	eaten
	drunk
	played
	weathered
	visited
	painted
)

// sortWords are the words for sorts of things: they do not tell which one it is.
// Those of 0 name no sort.
var sortWords = sortTable(map[uint16]string{
	printed:   "book books novel novels reading read reads author authors writer writers writing story stories fiction prose literature essays poem poems poetry",
	screened:  "movie movies film films watching watch show shows series acting actor actors actress actresses director directors performance performances cinema tv",
	sounded:   "music song songs album albums band bands listening listen singing singer singers musician musicians sound sounds tune tunes track tracks concerts genre genres",
	eaten:     "food foods eating eat dish dishes cuisine meal meals snacks",
	drunk:     "drinking drink drinks beverage beverages",
	played:    "playing play game games sport sports",
	weathered: "climate climates weather",
	visited:   "visiting visit traveling travelling travel trip trips region regions destination destinations place places",
	painted:   "painting paintings art artwork photography",
	0:         "work works style styles thing things stuff one ones idea kind kinds topic topics theme themes subject subjects app account subscription membership website service new old own favorite favourite current little big",
})

// describing are verbs of a clause that says what a work is about.
var describing = termSet("focus focuses tackle tackles delve delves deal deals explore explores cover covers discuss discusses involve involves feature features include includes revolve revolves center centers talk talks are is have has")

// hanSorts are the Chinese words that wrap a value, before and behind it.
var (
	hanBefore = map[string]uint16{"看": 0, "读": printed, "阅读": printed, "听": sounded, "喝": drunk, "吃": eaten, "玩": played, "打": played, "弹": sounded, "逛": 0, "去": visited, "学": 0, "做": 0, "练": 0, "用": 0}
	hanBehind = map[string]uint16{"的歌": sounded, "的歌曲": sounded, "的音乐": sounded, "音乐": sounded, "的专辑": sounded, "的电影": screened, "电影": screened, "的片子": screened, "的剧": screened, "的演技": screened,
		"的书": printed, "的小说": printed, "小说": printed, "的作品": 0, "的文章": printed, "的故事": printed, "的食物": eaten, "的菜": eaten, "的东西": 0, "的风格": 0, "的节目": screened, "账号": 0, "会员": 0, "软件": 0, "应用": 0}
	hanMeasures = []string{"一只", "一条", "一台", "一部", "一辆", "一个", "一套", "一把", "一架", "一款", "一张", "两只", "两条", "那辆", "那台", "那只", "这辆", "旧", "新", "我的"}
)

// shared makes terms. It keeps those it made, whoever asks.
var shared analyze.Analyzer

func sortTable(by map[uint16]string) map[string]uint16 {
	a := &shared
	out := map[string]uint16{}
	for sort, list := range by {
		for _, w := range strings.Fields(list) {
			for _, t := range a.Terms(nil, w) {
				out[t] |= sort
			}
		}
	}
	return out
}

func termSet(list string) map[string]bool {
	a := &shared
	out := map[string]bool{}
	for _, t := range a.Terms(nil, list) {
		out[t] = true
	}
	return out
}

// wordingOf takes a value apart.
func wordingOf(value string) wording {
	name := analyze.NormalizeName(value)
	for _, r := range name {
		if r >= 0x4E00 && r <= 0x9FFF {
			return hanWording(name)
		}
	}
	var w wording
	// What follows "named" is a name: the thing is what stands before it.
	head, _, named := strings.Cut(name, " named ")
	a := &shared
	seen := map[string]bool{}
	for i, word := range strings.Fields(name) {
		if i > 0 && (word == "that" || word == "which" || word == "who") {
			w.clause = true
		}
		for _, t := range a.Terms(nil, word) {
			t = decade(t)
			switch sort, is := sortWords[t]; {
			case analyze.Stop(t):
			case is:
				w.sorts |= sort
			case w.clause && describing[t]:
			case !seen[t]:
				seen[t] = true
				w.core = append(w.core, t)
			}
		}
	}
	fields := strings.Fields(head)
	if named || len(fields) > 0 && !strings.ContainsAny(name, "0123456789") {
		if i := headAt(fields); i >= 0 {
			if terms := a.Terms(nil, fields[i]); len(terms) == 1 {
				w.head = terms[0]
			}
		}
	}
	return w
}

// headAt gives the word that tells what a phrase is: the last before a
// preposition.
func headAt(words []string) int {
	for i, w := range words {
		switch w {
		case "of", "with", "for", "from", "in", "on", "by", "about", "that", "which", "at":
			return i - 1
		}
	}
	return len(words) - 1
}

// decade gives "1980s" for "80s".
func decade(t string) string {
	if len(t) == 3 && t[0] >= '2' && t[0] <= '9' && t[1] == '0' && t[2] == 's' {
		return "19" + t
	}
	return t
}

// hanWording takes a Chinese value apart: what is left without the verb before
// and the word for its sort behind.
func hanWording(name string) wording {
	w := wording{han: true}
	name = strings.ReplaceAll(name, " ", "")
	if i := strings.Index(name, "叫"); i > 0 {
		name = name[:i] // a dog and its name
	}
	for _, m := range hanMeasures {
		if rest, ok := strings.CutPrefix(name, m); ok && rest != "" {
			name = rest
		}
	}
	whole := name
	for n := min(2, utf8.RuneCountInString(name)-1); n > 0; n-- {
		k := cutRunes(name, n)
		if sort, ok := hanBefore[name[:k]]; ok {
			w.sorts |= sort
			name = name[k:]
			break
		}
	}
	longest := ""
	for tail := range hanBehind {
		if len(tail) > len(longest) && len(tail) < len(name) && strings.HasSuffix(name, tail) {
			longest = tail
		}
	}
	if longest != "" {
		w.sorts |= hanBehind[longest]
		name = strings.TrimSuffix(name, longest)
	}
	w.core, w.head = []string{name}, whole
	return w
}

func cutRunes(s string, n int) int {
	k := 0
	for ; n > 0; n-- {
		_, size := utf8.DecodeRuneInString(s[k:])
		k += size
	}
	return k
}

// same tells whether two values name one thing: the same terms but for those of
// its sort, and no sort that the other contradicts.
func (w *wording) same(o *wording) bool {
	if len(w.core) == 0 || len(o.core) == 0 || w.han != o.han || w.sorts != 0 && o.sorts != 0 && w.sorts&o.sorts == 0 {
		return false
	}
	if w.clause != o.clause {
		// Of a clause, what it is about counts, if it is the better part of it.
		few, many := w, o
		if w.clause {
			few, many = o, w
		}
		return len(few.core)*2 >= len(many.core) && few.within(many)
	}
	return len(w.core) == len(o.core) && w.within(o)
}

// within tells whether every term of the core is one of the other's.
func (w *wording) within(o *wording) bool {
	for _, t := range w.core {
		found := false
		for _, u := range o.core {
			found = found || t == u
		}
		if !found {
			return false
		}
	}
	return true
}

// denotes tells whether w, said of a thing already known, can mean o: the same
// head, and nothing that o has not. "the bike" denotes a red mountain bike, not a
// bike rack.
func (w *wording) denotes(o *wording) bool {
	if len(w.core) == 0 || w.han != o.han {
		return false
	}
	if w.han {
		return strings.HasSuffix(o.core[0], w.core[0])
	}
	return w.head != "" && w.head == o.head && w.within(o)
}
