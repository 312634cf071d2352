package reader

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/internal/num"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/pack"
	"github.com/asof-db/asof/retrieval/question"
)

// sentence is a piece of the pack that may hold an answer: a sentence of a turn, or
// a fact.
type sentence struct {
	text    string
	terms   map[string]bool
	speaker string
	turn    string
	said    dsl.Instant
	zone    string
	// whole are the terms of the turn.
	whole map[string]bool
	// rank is that of the item, from 1.
	rank     int
	entities []extract.Mention
	times    []extract.TimeExpr
	// base is where the sentence starts in the text of its turn.
	base int
	// fact is what a fact says; nil for a sentence of a turn. active tells that it
	// holds at the instant of the pack.
	fact     *pack.Triple
	valid    dsl.Interval
	evidence []string
	active   bool

	// score is how much of the question it says.
	score, coverage float64
}

// reading is a pack and a question, taken apart.
type reading struct {
	in       Input
	asked    question.Analysis
	lang     string
	analyzer analyze.Analyzer
	// terms are the telling terms of the question without the names of speakers,
	// weight what each counts in the pack.
	terms  []string
	weight map[string]float64
	// named are the speakers of the pack that the question names, normalised.
	named     []string
	sentences []sentence
}

// take takes a pack apart and orders its sentences by how much of the question
// they say, best first.
func take(in Input, p *extract.Pipeline) *reading {
	r := &reading{in: in, asked: in.question(), lang: in.Pack.Lang, weight: map[string]float64{}}
	seen := map[string]bool{}
	for i := range in.Pack.Items {
		it := &in.Pack.Items[i]
		if it.Fact != nil && it.Kind == retrieval.Fact {
			r.takeFact(it)
		}
		for j := range it.Said {
			if s := &it.Said[j]; !seen[s.ID] {
				seen[s.ID] = true
				r.takeTurn(s, it.Rank, p)
			}
		}
	}
	r.readQuestion()
	for i := range r.sentences {
		r.rate(&r.sentences[i])
	}
	slices.SortStableFunc(r.sentences, func(a, b sentence) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.rank, b.rank), cmp.Compare(b.said, a.said), strings.Compare(a.turn, b.turn), cmp.Compare(a.base, b.base))
	})
	return r
}

func (r *reading) termSet(texts ...string) map[string]bool {
	set := map[string]bool{}
	for _, text := range texts {
		for _, t := range r.analyzer.Terms(nil, text) {
			set[t] = true
		}
	}
	return set
}

func (r *reading) takeFact(it *pack.Item) {
	f := it.Fact
	s := sentence{text: it.Text, fact: f, rank: it.Rank, valid: it.Valid, evidence: it.Evidence, active: it.ActiveAt != nil, said: it.Record.Start,
		terms: r.termSet(strings.NewReplacer("_", " ", ".", " ").Replace(f.Rel), f.Relation, f.Dst, it.Text), speaker: f.Src}
	if len(it.Evidence) > 0 {
		s.turn = it.Evidence[0]
	}
	s.whole = s.terms
	r.sentences = append(r.sentences, s)
}

func (r *reading) takeTurn(s *pack.Said, rank int, p *extract.Pipeline) {
	turn := dsl.Turn{ID: s.ID, Speaker: dsl.Plain(s.Speaker), TS: s.At, Zone: s.Zone, Text: dsl.Plain(s.Text)}
	found := p.Extract(extract.Context{Turn: turn})
	whole := r.termSet(s.Text)
	for _, span := range found.Sentences {
		x := sentence{text: s.Text[span.Start:span.End], speaker: s.Speaker, turn: s.ID, said: s.At, zone: s.Zone, rank: rank, base: span.Start,
			whole: whole, evidence: []string{s.ID}}
		x.terms = r.termSet(x.text)
		for _, m := range found.Entities {
			if m.Start >= span.Start && m.End <= span.End {
				x.entities = append(x.entities, m)
			}
		}
		for _, t := range found.Times {
			if t.Start >= span.Start && t.End <= span.End {
				x.times = append(x.times, t)
			}
		}
		r.sentences = append(r.sentences, x)
	}
}

// readQuestion finds the telling terms of the question, what each counts, and the
// speakers that it names.
func (r *reading) readQuestion() {
	text := r.in.Pack.Query
	speakers := map[string]bool{}
	drop := map[string]bool{}
	for i := range r.sentences {
		name := analyze.NormalizeName(r.sentences[i].speaker)
		if name == "" || speakers[name] {
			continue
		}
		speakers[name] = true
		if !names(text, name) {
			continue
		}
		r.named = append(r.named, name)
		for t := range r.termSet(name) {
			drop[t] = true
		}
	}
	slices.Sort(r.named)
	for _, t := range r.analyzer.Tokens(nil, r.blank(text)) {
		inTime := slices.ContainsFunc(r.asked.Times, func(x question.Time) bool { return t.Start >= x.Start && t.Start < x.End })
		if !inTime && !question.Stop(t.Term) && !asking[t.Term] && !drop[t.Term] && !slices.Contains(r.terms, t.Term) {
			r.terms = append(r.terms, t.Term)
		}
	}
	for _, t := range r.terms {
		n := 0
		for i := range r.sentences {
			if r.sentences[i].terms[t] {
				n++
			}
		}
		r.weight[t] = num.Log(1 + float64(len(r.sentences)+1)/float64(n+1))
	}
}

// blank gives a text, byte for byte in place, without the Chinese words that ask and
// the Chinese names of those who speak: pairs of characters across their borders are
// no words.
func (r *reading) blank(text string) string {
	list := slices.Clone(askingZH)
	for _, n := range r.named {
		if len(list) > 0 && unicode.Is(unicode.Han, []rune(n)[0]) {
			list = append(list, n)
		}
	}
	for _, w := range list {
		text = strings.ReplaceAll(text, w, strings.Repeat(" ", len(w)))
	}
	return text
}

// askingZH are words of Chinese questions, the longer ones first.
var askingZH = []string{"什么时候", "为什么", "什么时间", "什么地方", "哪一天", "有没有", "是不是", "多少", "多久", "哪里", "哪儿", "哪些", "哪个", "什么", "怎么", "几个", "何时", "谁", "的", "了", "吗", "呢", "？"}

// asking are words that say that something is asked, as the analyzer gives them.
var asking = map[string]bool{"kind": true, "type": true, "mani": true, "much": true, "long": true, "often": true, "name": true, "date": true,
	"什么": true, "多少": true, "哪里": true, "时候": true, "哪个": true, "哪些": true, "为什": true, "怎么": true, "几个": true}

// Parts of the score of a sentence beside the share of the question that it says:
// what the rest of its turn says counts ofTurn, being said by who is named bySpeaker,
// the rank of its item at most byRank, and a time that the question names byTime.
const (
	ofTurn    = 0.5
	bySpeaker = 0.15
	byRank    = 0.4
	byTime    = 0.2
)

// rate scores a sentence.
func (r *reading) rate(s *sentence) {
	total, own, around := 0.0, 0.0, 0.0
	for _, t := range r.terms {
		w := r.weight[t]
		total += w
		switch {
		case s.terms[t]:
			own += w
		case s.whole[t]:
			around += w
		}
	}
	if total > 0 {
		s.coverage = (own + float64(ofTurn*around)) / total
	}
	s.score = s.coverage + byRank*2/float64(1+max(s.rank, 1))
	for _, t := range r.asked.Times {
		in := t.Interval
		if s.said >= in.Start && (in.End == dsl.Forever || s.said < in.End+dsl.Day) || s.fact == nil && s.within(in) {
			s.score += byTime
			break
		}
	}
	switch {
	case len(r.named) == 0:
	case r.about(s):
		s.score += bySpeaker
	default:
		s.score -= bySpeaker
	}
	// A question says nothing, whoever asks it.
	if trimmed := strings.TrimSpace(s.text); strings.HasSuffix(trimmed, "?") || strings.HasSuffix(trimmed, "？") {
		s.score *= 0.5
	}
}

// within tells whether a sentence names a time that meets an interval.
func (s *sentence) within(in dsl.Interval) bool {
	for i := range s.times {
		if v, ok := s.times[i].Interval(); ok && v.Start < in.End && in.Start < v.End {
			return true
		}
	}
	return false
}

// about tells whether a sentence is by or about somebody that the question names.
func (r *reading) about(s *sentence) bool {
	name := analyze.NormalizeName(s.speaker)
	for _, n := range r.named {
		if n == name || names(s.text, n) {
			return true
		}
	}
	return false
}

// names tells whether a text has a person's name, or the first word of it, as
// words of its own; name is normalised.
func names(text, name string) bool {
	first, _, _ := strings.Cut(name, " ")
	if strings.IndexFunc(first, func(c rune) bool { return unicode.Is(unicode.Han, c) }) >= 0 {
		return strings.Contains(analyze.NormalizeName(text), name)
	}
	return slices.Contains(words(text), first)
}

// words gives the words of a text, normalised, in order.
func words(text string) []string {
	return strings.FieldsFunc(analyze.NormalizeName(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}

// local gives the calendar time at which a turn was said, in its own zone.
func (s *sentence) local() time.Time {
	turn := dsl.Turn{TS: s.said, Zone: s.zone}
	return turn.Local()
}
