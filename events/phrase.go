package events

import (
	"strings"
	"unicode"

	"github.com/asof-db/asof/extract"
)

// language is a language that summaries are written in.
type language byte

const (
	english language = iota
	chinese
)

// languageOf tells by the script: Chinese where a text has at least a third as
// many Han characters as Latin letters.
func languageOf(text string) language {
	han, latin := 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.Is(unicode.Latin, r):
			latin++
		}
	}
	if han > 0 && 3*han >= latin {
		return chinese
	}
	return english
}

// form has the templates of a predicate in one language. {s} is the subject, {o}
// the value, {w} the value before, {r} the relation of a related_to.
type form struct{ assert, replace, end, correct string }

// formOf gives the templates of a predicate: its own, or those made from its
// phrase in the registry.
func formOf(r *extract.Registry, l language, rel string, qualified bool) form {
	if qualified {
		rel += "/relation"
	}
	if l == chinese {
		if f, ok := formsZh[rel]; ok {
			return f
		}
		p := r.Phrase(strings.TrimSuffix(rel, "/relation"))
		if qualified {
			p += "（{r}）"
		}
		return form{
			"{s}：" + p + "{o}",
			"{s}：现在" + p + "{o}，不再是{w}",
			"{s}：不再" + p + "{o}",
			"{s}：" + p + "{o}，不是{w}",
		}
	}
	if f, ok := formsEn[rel]; ok {
		return f
	}
	p := r.Phrase(strings.TrimSuffix(rel, "/relation"))
	if qualified {
		p += " ({r})"
	}
	// "is no longer named", but "no longer lives in".
	verb, rest := "", p
	for _, be := range []string{"is ", "are ", "was ", "has been "} {
		if after, ok := strings.CutPrefix(p, be); ok {
			verb, rest = be, after
			break
		}
	}
	return form{
		"{s} " + p + " {o}",
		"{s} " + verb + "now " + rest + " {o}, no longer {w}",
		"{s} " + verb + "no longer " + rest + " {o}",
		"{s} " + p + " {o}, not {w}",
	}
}

// formsEn has the English templates that a phrase between subject and value
// cannot make.
var formsEn = map[string]form{
	"scheduled_for.datetime": {"{s} is on {o}", "{s} is now on {o}, not {w}", "{s} is no longer on {o}", "{s} is on {o}, not {w}"},
	"scheduled_for.location": {"{s} is at {o}", "{s} is now at {o}, not {w}", "{s} is no longer at {o}", "{s} is at {o}, not {w}"},
	"related_to/relation": {"{o} is {s}'s {r}", "{o} is now {s}'s {r}, no longer {w}", "{o} is no longer {s}'s {r}",
		"{o} is {s}'s {r}, not {w}"},
	"has_contact.email": {"{s}'s e-mail is {o}", "{s}'s e-mail is now {o}, no longer {w}", "{s}'s e-mail is no longer {o}",
		"{s}'s e-mail is {o}, not {w}"},
	"has_contact.phone": {"{s}'s phone is {o}", "{s}'s phone is now {o}, no longer {w}", "{s}'s phone is no longer {o}",
		"{s}'s phone is {o}, not {w}"},
	"prefers.food":     {"{s} likes {o}", "{s} now likes {o}, no longer {w}", "{s} no longer likes {o}", "{s} likes {o}, not {w}"},
	"prefers.music":    {"{s} likes {o}", "{s} now likes {o}, no longer {w}", "{s} no longer likes {o}", "{s} likes {o}, not {w}"},
	"prefers.activity": {"{s} likes {o}", "{s} now likes {o}, no longer {w}", "{s} no longer likes {o}", "{s} likes {o}, not {w}"},
}

// formsZh has the Chinese templates of the built-in predicates.
var formsZh = map[string]form{
	"persona.name":           {"{s}叫{o}", "{s}现在叫{o}，不再叫{w}", "{s}不再叫{o}", "{s}叫{o}，不叫{w}"},
	"persona.role":           {"{s}是{o}", "{s}现在是{o}，不再是{w}", "{s}不再是{o}", "{s}是{o}，不是{w}"},
	"lives_in":               {"{s}住在{o}", "{s}现在住在{o}，不再住在{w}", "{s}不再住在{o}", "{s}住在{o}，不是{w}"},
	"works_at":               {"{s}在{o}工作", "{s}现在在{o}工作，不再在{w}", "{s}不再在{o}工作", "{s}在{o}工作，不是{w}"},
	"studies_at":             {"{s}在{o}上学", "{s}现在在{o}上学，不再在{w}", "{s}不再在{o}上学", "{s}在{o}上学，不是{w}"},
	"has_contact.email":      {"{s}的邮箱是{o}", "{s}的邮箱改为{o}，不再是{w}", "{s}的邮箱不再是{o}", "{s}的邮箱是{o}，不是{w}"},
	"has_contact.phone":      {"{s}的电话是{o}", "{s}的电话改为{o}，不再是{w}", "{s}的电话不再是{o}", "{s}的电话是{o}，不是{w}"},
	"scheduled_for.datetime": {"{s}定于{o}", "{s}改到{o}，不再是{w}", "{s}不再定于{o}", "{s}定于{o}，不是{w}"},
	"scheduled_for.location": {"{s}的地点是{o}", "{s}的地点改到{o}，不再是{w}", "{s}的地点不再是{o}", "{s}的地点是{o}，不是{w}"},
	"prefers.food":           {"{s}喜欢{o}", "{s}现在喜欢{o}，不再喜欢{w}", "{s}不再喜欢{o}", "{s}喜欢{o}，不是{w}"},
	"prefers.music":          {"{s}喜欢{o}", "{s}现在喜欢{o}，不再喜欢{w}", "{s}不再喜欢{o}", "{s}喜欢{o}，不是{w}"},
	"prefers.activity":       {"{s}喜欢{o}", "{s}现在喜欢{o}，不再喜欢{w}", "{s}不再喜欢{o}", "{s}喜欢{o}，不是{w}"},
	"likes":                  {"{s}喜欢{o}", "{s}现在喜欢{o}，不再喜欢{w}", "{s}不再喜欢{o}", "{s}喜欢{o}，不是{w}"},
	"dislikes":               {"{s}讨厌{o}", "{s}现在讨厌{o}，不再讨厌{w}", "{s}不再讨厌{o}", "{s}讨厌{o}，不是{w}"},
	"related_to":             {"{s}和{o}有关系", "{s}现在和{o}有关系，不再和{w}", "{s}和{o}不再有关系", "{s}和{o}有关系，不是{w}"},
	"related_to/relation":    {"{o}是{s}的{r}", "{o}现在是{s}的{r}，不再是{w}", "{o}不再是{s}的{r}", "{o}是{s}的{r}，不是{w}"},
	"owns":                   {"{s}有{o}", "{s}现在有{o}，不再有{w}", "{s}不再有{o}", "{s}有{o}，不是{w}"},
	"uses":                   {"{s}用{o}", "{s}现在用{o}，不再用{w}", "{s}不再用{o}", "{s}用{o}，不是{w}"},
}
