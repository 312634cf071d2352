package reader

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/retrieval/question"
)

// What a sentence has to say of a question to answer it: a share of its telling
// terms, by weight. near is how close to the best sentence another has to come to be
// read beside it, and further is how far from it what was said of somebody else may
// stand before the question counts as one about him.
const (
	enough  = 0.34
	near    = 0.7
	further = 0.55
	// looked is how many sentences are looked at for a value of the kind asked for.
	looked = 8
)

// Read implements Reader.
func (e Extractive) Read(_ context.Context, in Input) (Answer, error) {
	if e.Pipeline == nil {
		p, err := extract.New(extract.DefaultConfig())
		if err != nil {
			return Answer{}, fmt.Errorf("reader: %w", err)
		}
		e.Pipeline = p
	}
	r := take(in, e.Pipeline)
	a := r.answer()
	a.Read = in.Pack.Tokens
	if a.Evidence == nil {
		a.Evidence = []string{}
	}
	return a, nil
}

// answer chooses among the ways of answering by what is asked for.
func (r *reading) answer() Answer {
	if len(r.sentences) == 0 {
		return abstain(Empty, r.lang)
	}
	if a, ok := r.between(); ok {
		return a
	}
	best := &r.sentences[0]
	// A question of function words alone asks for nothing that can be looked up.
	if len(r.terms) == 0 || best.coverage < enough {
		return abstain(Unsaid, r.lang)
	}
	if reason, other := r.ofAnother(); other {
		return abstain(reason, r.lang)
	}
	if a, ok := r.fromFacts(); ok {
		return a
	}
	switch {
	case r.asked.Kind == question.When:
		return r.when()
	case r.asked.Kind == question.Count:
		return r.count()
	case r.asked.Kind == question.YesNo:
		return r.yesNo()
	case r.asked.Kind == question.Who:
		return r.entity("PERSON")
	case r.asked.Kind == question.Where:
		return r.entity("LOC", "ORG")
	case r.asked.Listing:
		return r.list()
	}
	return r.span(r.best(near)...)
}

// best gives the sentences that come close to the first, best first; what was said
// last comes first where the newest is asked for.
func (r *reading) best(share float64) (out []*sentence) {
	for i := range r.sentences {
		s := &r.sentences[i]
		if i >= looked || s.score < share*r.sentences[0].score {
			break
		}
		out = append(out, s)
	}
	if r.asked.Order == question.Newest {
		slices.SortStableFunc(out, newestFirst)
	}
	return out
}

// newestFirst orders sentences by when they were said, the last first.
func newestFirst(a, b *sentence) int { return cmp.Compare(b.said, a.said) }

// ofAnother tells that what is asked of was said by and of somebody whom the
// question does not name, while it names one of those who speak.
func (r *reading) ofAnother() (Reason, bool) {
	if len(r.named) != 1 || len(r.terms) == 0 {
		return "", false
	}
	own, other := 0.0, 0.0
	for i := range r.sentences {
		s := &r.sentences[i]
		if r.about(s) {
			own = max(own, s.coverage)
		} else {
			other = max(other, s.coverage)
		}
	}
	switch {
	case own < further*other:
		return OtherSubject, true
	case own < enough:
		return Unsaid, true
	}
	return "", false
}

// found makes an answer of a text and the sentences that it rests on.
func (r *reading) found(text string, from ...*sentence) Answer {
	a := Answer{Text: strings.TrimSpace(text)}
	for _, s := range from {
		for _, id := range s.evidence {
			if !slices.Contains(a.Evidence, id) {
				a.Evidence = append(a.Evidence, id)
			}
		}
	}
	return a
}

// relations are words of questions that ask for the value of a relation, as the
// analyzer gives them, by the predicate.
var relations = map[string][]string{
	"lives_in": {"live", "住", "住在"}, "works_at": {"work", "compani", "employ", "工作", "公司"}, "studies_at": {"studi", "school", "univers", "colleg", "上学", "学校", "大学"},
	"persona.role": {"job", "occup", "profess", "work", "职业", "工作"}, "persona.name": {"name", "名字"},
	"has_contact.email": {"email", "邮箱", "邮件"}, "has_contact.phone": {"phone", "number", "电话", "号码"},
	"prefers.food": {"food", "eat", "dish", "菜", "食物"}, "prefers.music": {"music", "song", "band", "音乐", "歌曲"}, "prefers.activity": {"hobbi", "activ", "爱好", "活动"},
	"owns": {"pet", "own", "car", "宠物"}, "related_to": {"sister", "brother", "mother", "father", "wife", "husband", "son", "daughter", "friend", "妻子", "丈夫", "儿子", "女儿", "朋友"},
}

// fromFacts answers from the facts of the pack where the question asks for the
// value of a relation that they have: the values that hold, of a functional one the
// last.
func (r *reading) fromFacts() (Answer, bool) {
	switch r.asked.Kind {
	case question.When, question.Count, question.YesNo, question.Why:
		return Answer{}, false
	}
	var values []string
	var from []*sentence
	for i := range r.sentences {
		s := &r.sentences[i]
		if s.fact == nil || !s.active || len(r.named) > 0 && !r.about(s) {
			continue
		}
		asks := false
		for _, w := range relations[s.fact.Rel] {
			asks = asks || slices.Contains(r.terms, w)
		}
		// What else the question says has to be in the fact: "which food of Anna's
		// childhood" is not asked of what she likes now.
		if !asks || s.coverage < enough || len(r.terms) > 2 && s.coverage < near {
			continue
		}
		if slices.Contains(values, s.fact.Dst) {
			continue
		}
		if s.fact.Functional && len(values) > 0 {
			if s.valid.Start > from[0].valid.Start {
				values[0], from[0] = s.fact.Dst, s
			}
			continue
		}
		values, from = append(values, s.fact.Dst), append(from, s)
	}
	if len(values) == 0 {
		return Answer{}, false
	}
	return r.found(join(values, r.lang), from...), true
}

// join lists values.
func join(values []string, lang string) string {
	return strings.Join(values, word(lang, ", ", "、"))
}

// yesNo answers by whether the best sentence denies what the question says.
func (r *reading) yesNo() Answer {
	s := r.best(near)[0]
	if len(r.terms) == 0 || s.coverage < near {
		return abstain(Unsaid, r.lang)
	}
	if denies(s.text) != denies(r.in.Pack.Query) {
		return r.found(word(r.lang, "No", "没有"), s)
	}
	return r.found(word(r.lang, "Yes", "是的"), s)
}

// denials are words that deny a clause.
var denials = map[string]bool{"not": true, "never": true, "no": true, "none": true, "nobody": true, "nothing": true, "neither": true, "nor": true, "cannot": true,
	"without": true, "haven": true, "hasn": true, "hadn": true, "don": true, "doesn": true, "didn": true, "isn": true, "aren": true, "wasn": true, "weren": true,
	"won": true, "wouldn": true, "couldn": true, "shouldn": true}

// denies tells whether a text denies: an odd number of denials.
func denies(text string) bool {
	n := 0
	list := words(text)
	for i, w := range list {
		if denials[w] && (w != "no" || i > 0) { // "No, I like it" answers somebody
			n++
		}
	}
	for _, w := range []string{"不是", "没有", "从不", "从未", "不再", "没去", "不喜欢", "不会", "不能"} {
		n += strings.Count(text, w)
	}
	return n%2 == 1
}

// entity answers with the first name of a type that the best sentences have and
// the question has not.
func (r *reading) entity(types ...string) Answer {
	for _, want := range types {
		for _, s := range r.best(near) {
			if s.fact != nil {
				continue
			}
			for _, m := range s.entities {
				if m.Type == want && !r.asks(m.Text) {
					if r.asked.Listing {
						return r.list(types...)
					}
					return r.found(m.Text, s)
				}
			}
		}
	}
	return r.span(r.best(near)...)
}

// asks tells whether the question has all words of a text.
func (r *reading) asks(text string) bool {
	own := r.termSet(r.in.Pack.Query)
	for t := range r.termSet(text) {
		if !own[t] {
			return false
		}
	}
	return true
}

// list answers with what the best sentences name, each once: names of the types
// where some are given, else names of any kind, else what each says.
func (r *reading) list(types ...string) Answer {
	var values []string
	var from []*sentence
	add := func(v string, s *sentence) {
		v = strings.TrimSpace(v)
		if v == "" || slices.ContainsFunc(values, func(x string) bool { return strings.EqualFold(x, v) }) {
			return
		}
		values, from = append(values, v), append(from, s)
	}
	for _, s := range r.best(near) {
		if s.fact != nil {
			add(s.fact.Dst, s)
			continue
		}
		named := false
		for _, m := range s.entities {
			if (len(types) == 0 && m.Type != "MONEY" || slices.Contains(types, m.Type)) && !r.asks(m.Text) && !r.speaks(m.Text) {
				add(m.Text, s)
				named = true
			}
		}
		if !named && len(types) == 0 {
			add(r.cut(s), s)
		}
	}
	if len(values) == 0 {
		return abstain(NoValue, r.lang)
	}
	return r.found(join(values[:min(len(values), 6)], r.lang), from...)
}

// speaks tells whether a name is that of somebody who speaks in the pack.
func (r *reading) speaks(name string) bool {
	for i := range r.sentences {
		if r.sentences[i].speaker != "" && names(name, strings.ToLower(r.sentences[i].speaker)) {
			return true
		}
	}
	return false
}
