package extract

import (
	"strings"

	"github.com/asof-db/asof/internal/analyze"
)

// question is what the turn before asked of the speaker.
type question struct {
	// rel is the relation that an answer in a few words gives; empty where the
	// question asks for none.
	rel string
	// kind is the relation of a favourite by its kind, subject the event whose time
	// is asked.
	kind, subject string
	pets          bool
}

// maxQuestion bounds the bytes of the turn before that are read.
const maxQuestion = 600

// asksFor are the phrases of a question and the relation that answers it.
var asksFor = []struct{ words, rel string }{
	{"where do you live", "lives_in"}, {"where are you from", "lives_in"}, {"where are you based", "lives_in"}, {"where are you located", "lives_in"},
	{"where do you work", "works_at"}, {"who do you work for", "works_at"}, {"which company do you work", "works_at"},
	{"what do you do for", "role"}, {"what is your job", "role"}, {"what's your job", "role"}, {"what is your occupation", "role"}, {"what's your occupation", "role"}, {"what do you do?", "role"}, {"what's your profession", "role"},
	{"where do you study", "studies_at"}, {"where did you go to school", "studies_at"}, {"which university", "studies_at"}, {"which school do you", "studies_at"},
	{"your name", "name"}, {"should i call you", "name"},
	{"your email", "email"}, {"your e-mail", "email"}, {"email address", "email"}, {"your phone", "phone"}, {"your number", "phone"}, {"phone number", "phone"},
	{"what kind of music", "prefers_music"}, {"what music do you", "prefers_music"}, {"what type of music", "prefers_music"}, {"which bands", "prefers_music"},
	{"what kind of food", "prefers_food"}, {"what food do you", "prefers_food"}, {"what do you like to eat", "prefers_food"},
	{"your hobbies", "prefers_activity"}, {"any hobbies", "prefers_activity"}, {"what do you like to do", "prefers_activity"}, {"what do you enjoy doing", "prefers_activity"}, {"in your free time", "prefers_activity"}, {"in your spare time", "prefers_activity"},
	{"which app do you use", "uses"}, {"what app do you use", "uses"}, {"what do you use", "uses"}, {"which tool do you use", "uses"},
}

// questionBefore reads the question that ends the turn before, if another spoke
// it.
func (r *relater) questionBefore() question {
	d := r.d
	if len(d.Previous) == 0 {
		return question{}
	}
	last := &d.Previous[len(d.Previous)-1]
	if who, err := last.Speaker.Open(); err != nil || who != "" && analyze.NormalizeName(who) == analyze.NormalizeName(d.Speaker) {
		return question{}
	}
	text, err := last.Text.Open()
	if err != nil || text == "" {
		return question{}
	}
	text = lower(strings.TrimSpace(text[max(0, len(text)-maxQuestion):]))
	if !strings.HasSuffix(text, "?") {
		return question{}
	}
	if i := strings.LastIndexAny(text[:len(text)-1], ".!?"); i >= 0 {
		text = text[i+1:]
	}
	for _, a := range asksFor {
		if strings.Contains(text, a.words) {
			return question{rel: a.rel}
		}
	}
	if i := strings.Index(text, "favorite "); i >= 0 && strings.Contains(text[:i], "your") {
		return question{rel: "favourite", kind: favouriteKind(text[i+len("favorite "):])}
	}
	if i := strings.Index(text, "favourite "); i >= 0 && strings.Contains(text[:i], "your") {
		return question{rel: "favourite", kind: favouriteKind(text[i+len("favourite "):])}
	}
	if strings.Contains(text, "any pets") || strings.Contains(text, "have pets") || strings.Contains(text, "have a pet") {
		return question{rel: "owns", pets: true}
	}
	for _, w := range []string{"when is your ", "when's your ", "when is the ", "when's the "} {
		if i := strings.Index(text, w); i >= 0 {
			name := strings.TrimSpace(strings.TrimRight(text[i+len(w):], "?"))
			if n := strings.Count(name, " "); name != "" && n < 4 && !strings.ContainsAny(name, ",;:") {
				return question{rel: "scheduled_at", subject: name}
			}
		}
	}
	return question{}
}

// favouriteKind gives the relation of a favourite by the word that the question
// has for it.
func favouriteKind(rest string) string {
	for _, w := range strings.Fields(strings.TrimRight(rest, "?")) {
		t := token{low: w, class: classOf(w)}
		if k := kindOfWord(&t); k != "likes" {
			return k
		}
	}
	return "likes"
}

// answer reads a first sentence that answers the question before in a few words:
// "Boston, since 2019."
func (s *sentenceEn) answer(q question) {
	if q.rel == "" || s.low(s.from) == "it" || s.low(s.from) == "that" || s.low(s.from) == "they" {
		return
	}
	k := s.from
	for k < s.to && (s.is(k, leadWord|advWord) || s.tok(k).kind == punctToken && s.low(k) != "\"" && s.low(k) != "“" || s.low(k) == "mine" || s.low(k) == "is" || s.low(k) == "be" || s.low(k) == "would" || s.low(k) == "probably" || s.low(k) == "mostly" || s.low(k) == "um" || s.low(k) == "mainly") {
		if s.low(k) == "n't" || s.low(k) == "no" || s.low(k) == "nope" {
			return
		}
		k++
	}
	if m := s.mentionAt(s.tok(k).start); m != nil && m.Text == s.d.Listener && s.low(k+1) == "," {
		k += 2
	}
	if k >= s.to || s.to-k > 24 || s.d.quoted(s.tok(k).start) {
		return
	}
	sub := subjectEn{s.d.Speaker, k, k, true, false}
	g := verbGroup{verb: k, perfect: true}
	switch q.rel {
	case "lives_in":
		if w := s.low(k); w == "in" || w == "from" || w == "near" {
			k++
		}
		if a, b, ok := s.locAt(k); ok && s.ends(b) {
			s.place(sub, g, "lives_in", a, b, likely, s.statedIn(k, b))
		}
	case "works_at", "studies_at":
		if w := s.low(k); w == "at" || w == "for" {
			k++
		}
		if a, b, _, ok := s.employer(k); ok && s.ends(b) {
			s.place(sub, g, q.rel, a, b, likely, s.statedIn(k, b))
		}
	case "role":
		if w := s.low(k); w == "a" || w == "an" {
			k++
		}
		if p, ok := s.rolePhrase(k); ok && (s.ends(p.end) || s.low(p.end) == "at") {
			s.place(sub, g, "role", p.start, p.end, likely, validity{})
			s.roleAt(sub, verbGroup{verb: k}, p)
		}
	case "name":
		if e := s.properEnd(k); e > k && e-k <= 3 && s.ends(e) && !s.is(k, commonWord) {
			s.place(sub, g, "name", k, e, likely, validity{})
		}
	case "email", "phone":
		for j := k; j < s.to; j++ {
			m := s.mentionAt(s.tok(j).start)
			if m != nil && (m.Type == typeEmail && q.rel == "email" || m.Type == typePhone && q.rel == "phone") {
				s.emit(claim{src: s.d.Speaker, rel: q.rel, dst: m.Text, start: m.Start, end: m.End, confidence: likely})
				return
			}
			if s.is(j, kinWord) {
				return
			}
		}
	case "owns":
		if w := s.low(k); w == "a" || w == "an" || s.is(k, numberWord) || s.tok(k).kind == numToken {
			s.ownedList(sub, g, k, "have", true, validity{})
		}
	case "scheduled_at":
		if w := s.low(k); w == "on" || w == "at" || w == "in" || w == "next" || w == "this" {
			if s.timeAt(s.tok(k).start) == nil {
				k++
			}
		}
		if t := s.timeAt(s.tok(k).start); t != nil && s.future(t) {
			a, b := s.span(k, s.d.tokenAt(t.End))
			s.emit(claim{src: q.subject, rel: "scheduled_at", dst: t.Value, start: a, end: b, confidence: likely})
		}
	case "uses":
		s.usedList(sub, verbGroup{verb: k, be: true}, k, false)
	default:
		s.answerTaste(sub, q, k)
	}
}

// answerTaste reads the values of an answer to a question for tastes.
func (s *sentenceEn) answerTaste(sub subjectEn, q question, k int) {
	if s.low(k) == "the" || s.is(k, possWord) || s.low(k) == "i" || s.low(k) == "we" {
		return
	}
	for n := 0; n < 6; n++ {
		p, ok := s.tasted(k)
		if !ok || n == 0 && !s.ends(p.resume()) && s.low(p.resume()) != "and" && s.low(p.resume()) != "," {
			return
		}
		if s.isGerund(p.start) != (q.rel == "prefers_activity") && q.rel != "favourite" && !s.is(p.end-1, activityWord|pastimeWord|musicWord|tuneWord|foodWord|edibleWord) {
			return
		}
		if p.kind = q.kind; q.rel != "favourite" {
			p.kind = q.rel
		}
		s.emitTaste(sub, p, "likes", false, false)
		k = p.resume()
		if s.low(k) == "," && s.low(k+1) == "and" {
			k++
		}
		if w := s.low(k); w != "," && w != "and" || !s.listItem(k+1, p) {
			return
		}
		k++
	}
}

// ends tells whether the words of an answer may end at token k.
func (s *sentenceEn) ends(k int) bool {
	if s.stopsAt(k) {
		return true
	}
	switch s.low(k) {
	case "since", "for", "because", "but", "and", "now", "mostly", "mainly", "usually", "too", "right":
		return true
	}
	return s.timeAt(s.tok(k).start) != nil
}

// statedIn gives the validity that the words of an answer state.
func (s *sentenceEn) statedIn(k, b int) validity {
	if s.low(b) == "," {
		b++
	}
	if s.low(b) != "since" {
		return validity{}
	}
	if t := s.timeAt(s.tok(b + 1).start); t != nil {
		return validity{}.since(t)
	}
	return validity{}
}

// Verbs that open a sentence whose subject, the speaker, is left out.
var openers = wordSet("bought adopted moved started joined quit sold love hate loved purchased switched been got")

// elided reads a sentence without its subject: "Just adopted a kitten!", "Love
// hiking".
func (s *sentenceEn) elided() {
	k := s.from
	for k < s.to && k < s.from+8 && (s.is(k, leadWord|advWord) || s.tok(k).kind == punctToken || s.low(k) == "have" || s.timeAt(s.tok(k).start) != nil || s.only(k)) {
		k++
	}
	if k >= s.to || !openers[s.low(k)] || s.d.quoted(s.tok(k).start) || k > s.from && s.low(k-1) == "and" {
		return
	}
	if w := s.low(k); (w == "love" || w == "hate") && !s.isGerund(k+1) && s.tok(k+1).class&(foodWord|musicWord|activityWord|thingWord|edibleWord|pastimeWord) == 0 {
		return
	}
	s.predicate(subjectEn{s.d.Speaker, k, k, true, false})
}

// only tells whether token k is the listener's name, called at the start.
func (s *sentenceEn) only(k int) bool {
	m := s.mentionAt(s.tok(k).start)
	return m != nil && m.Type == typePerson && (s.low(k+1) == "," || s.low(k+1) == "!")
}
