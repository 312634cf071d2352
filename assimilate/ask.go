package assimilate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// What a query can lack: the failure templates of a backfill.
const (
	MissingEntity   = "entity"
	MissingRelation = "relation"
	MissingTime     = "time"
)

// Ask is what a query asks for, as far as templates tell, and what of it the
// memory lacks.
type Ask struct {
	// names are the normalised runs of words of the query that a name could be.
	// known are those that an entity has.
	names, known map[string]bool
	// Entities are the entities that it names, with their aliases, in order of id.
	Entities []string
	// Rels are the relations that its words speak of, in the order of the registry.
	Rels []string
	// Missing is what the memory lacks: MissingEntity where it knows nobody that the
	// query names; else MissingRelation where it has nothing of these relations
	// about them; else MissingTime where it has, but not for the stated time.
	Missing []string
}

// cues are words, in English and Chinese, that ask for a relation. A word of
// letters stands for all that begin with it.
var cues = map[string][]string{
	"persona.name":           {"name", "called", "名字", "叫什么", "姓名"},
	"persona.role":           {"role", "profession", "occupation", "job", "living", "career", "职业", "职位", "做什么"},
	"lives_in":               {"live", "living", "home", "city", "reside", "moved", "address", "住", "家在", "搬"},
	"works_at":               {"work", "job", "employ", "company", "office", "工作", "上班", "公司", "单位"},
	"studies_at":             {"study", "studies", "studied", "school", "university", "college", "major", "学校", "大学", "上学", "读书", "就读"},
	"has_contact.email":      {"email", "mail", "contact", "reach", "邮箱", "邮件", "联系"},
	"has_contact.phone":      {"phone", "number", "call", "contact", "reach", "电话", "手机", "号码", "联系"},
	"scheduled_for.datetime": {"when", "date", "time", "schedul", "appoint", "plan", "什么时候", "几点", "时间", "日期", "哪天", "安排"},
	"scheduled_for.location": {"where", "place", "location", "venue", "哪里", "地点", "在哪", "哪儿"},
	"prefers.food":           {"food", "eat", "dish", "cuisine", "meal", "favorite", "favourite", "吃", "菜", "食物", "美食"},
	"prefers.music":          {"music", "song", "band", "listen", "favorite", "favourite", "音乐", "歌", "乐队"},
	"prefers.activity":       {"hobby", "hobbies", "activit", "sport", "free", "favorite", "favourite", "爱好", "活动", "运动"},
	"likes":                  {"like", "enjoy", "love", "fan", "favorite", "favourite", "喜欢", "爱"},
	"dislikes":               {"dislike", "hate", "讨厌", "不喜欢"},
	"related_to":             {"sister", "brother", "mother", "father", "parent", "friend", "wife", "husband", "son", "daughter", "relat", "family", "partner", "colleague", "boss", "姐", "妹", "哥", "弟", "妈", "爸", "父", "母", "朋友", "妻", "丈夫", "儿子", "女儿", "同事", "老板", "关系"},
	"owns":                   {"own", "have", "has", "pet", "dog", "cat", "car", "有什么", "拥有", "养", "宠物"},
	"uses":                   {"use", "using", "app", "tool", "device", "用", "使用", "软件"},
}

// asksFor tells whether the query's words ask for a relation: by a cue, or by a
// word of a predicate's name or phrase that the user added.
func asksFor(p *extract.Predicate, words []string, text string) bool {
	list, ok := cues[p.Name]
	if !ok {
		for _, s := range append([]string{p.Name, p.Phrase}, p.Synonyms...) {
			for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
				if len(w) > 3 || w[0] >= 0x80 {
					list = append(list, w)
				}
			}
		}
	}
	return slices.ContainsFunc(list, func(cue string) bool {
		if cue[0] >= 0x80 {
			return strings.Contains(text, cue)
		}
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, cue) })
	})
}

// The longest name that is looked for, in words, and in characters of a script
// that does not mark its words.
const (
	nameWords = 5
	nameRunes = 8
)

// AskOf takes a query apart. at is the time that it speaks of, nil for none. The
// work grows with the query, not with the memory.
func AskOf(view store.View, registry *extract.Registry, query string, at *dsl.Interval) (Ask, error) {
	a := Ask{names: map[string]bool{}, known: map[string]bool{}}
	text := strings.ToLower(query)
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	a.spell(query)
	space := view.Basis().Space
	for name := range a.names { // the order does not matter: the ids are sorted
		id := dsl.NodeID(space, dsl.Entity, name)
		_, err := view.Node(id)
		if errors.Is(err, dsl.ErrNotFound) {
			continue
		}
		if err != nil {
			return a, fmt.Errorf("assimilate: ask: node %s: %w", id, err)
		}
		a.known[name] = true
		group, err := view.Aliases(id)
		if err != nil {
			return a, fmt.Errorf("assimilate: ask: aliases of %s: %w", id, err)
		}
		a.Entities = append(a.Entities, group...)
	}
	slices.Sort(a.Entities)
	a.Entities = slices.Compact(a.Entities)
	for _, p := range registry.List() {
		if asksFor(&p, words, text) {
			a.Rels = append(a.Rels, p.Name)
		}
	}
	return a, a.lack(view, at)
}

// lack finds what the memory does not have.
func (a *Ask) lack(view store.View, at *dsl.Interval) error {
	if len(a.Entities) == 0 {
		a.Missing = []string{MissingEntity}
		return nil
	}
	some, then := false, at == nil
	for _, rel := range a.Rels {
		for f, err := range view.Facts(store.FactQuery{Src: a.Entities, Rel: rel}) {
			if err != nil {
				return fmt.Errorf("assimilate: ask: facts of %s: %w", rel, err)
			}
			if some = true; at == nil {
				break
			}
			if f.Valid.Overlaps(*at) {
				then = true
				break
			}
		}
	}
	switch {
	case !some:
		a.Missing = []string{MissingRelation}
	case !then:
		a.Missing = []string{MissingTime}
	}
	return nil
}

// spell notes every run of words that could be a name.
func (a *Ask) spell(query string) {
	type piece struct {
		text string
		solo bool // a character of a script that does not mark its words
	}
	var list []piece
	word := ""
	flush := func() {
		if word != "" {
			list = append(list, piece{text: word})
			word = ""
		}
	}
	for _, r := range query {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			flush()
			list = append(list, piece{string(r), true})
		case unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("-_.@+&", r):
			word += string(r)
		default:
			flush()
		}
	}
	flush()
	for i := range list {
		name := ""
		for j := i; j < len(list); j++ {
			if list[j].solo != list[i].solo || list[i].solo && j-i >= nameRunes || !list[i].solo && j-i >= nameWords {
				break
			}
			if name != "" && !list[i].solo {
				name += " "
			}
			name += list[j].text
			for _, s := range []string{name, strings.TrimRight(name, ".-_")} {
				if n := analyze.NormalizeName(s); n != "" && !(i == j && analyze.Stop(n)) {
					a.names[n] = true
				}
			}
		}
	}
}

// Fits tells whether a candidate says something of what the query asks for: it
// is about an entity that the query names and of a relation that it asks for,
// where it names or asks for any.
func (a *Ask) Fits(space string, registry *extract.Registry, c *dsl.Candidate) bool {
	rel := len(a.Rels) == 0 || slices.Contains(a.Rels, registry.Canonical(c.Rel))
	about := false
	for _, t := range []dsl.Text{c.Src, c.Dst} {
		name, err := t.Open()
		if err != nil {
			continue
		}
		if a.names[analyze.NormalizeName(name)] || slices.Contains(a.Entities, dsl.NodeID(space, dsl.Entity, name)) {
			about = true
		}
	}
	if len(a.Entities) == 0 && !about { // the query names nobody whom the memory knows
		return rel && len(a.Rels) > 0
	}
	return about && rel
}

// Names tells whether a text names an entity that the query names.
func (a *Ask) Names(text string) bool {
	other := Ask{names: map[string]bool{}}
	other.spell(text)
	for name := range other.names {
		if a.known[name] {
			return true
		}
	}
	return false
}

// Held gives the candidates that wait and fit, in the order they came, each with
// the turn that it comes from.
func (a *Ask) Held(view store.View, registry *extract.Registry) ([]dsl.Candidate, error) {
	m, err := view.Memory()
	if err != nil {
		return nil, fmt.Errorf("assimilate: ask: %w", err)
	}
	var out []dsl.Candidate
	for _, h := range m.Held {
		c, err := view.Held(h.Ref())
		if err != nil {
			return nil, fmt.Errorf("assimilate: ask: %w", err)
		}
		if a.Fits(view.Basis().Space, registry, &c.Candidate) {
			c.Candidate.Turn = c.By
			out = append(out, c.Candidate)
		}
	}
	return out, nil
}
