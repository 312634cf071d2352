package eval

import (
	"cmp"
	"slices"
	"strings"
)

// laidSpan is a span at its place in a text, in code points, half-open. A span without
// a place has Start -1.
type laidSpan struct {
	MarkedSpan
	from, to int
}

// runeText is a text by code points.
type runeText []rune

// at gives the part of the text in [from, to), and whether it is one.
func (t runeText) at(from, to int) (string, bool) {
	if from < 0 || from >= to || to > len(t) {
		return "", false
	}
	return string(t[from:to]), true
}

// placesOf gives where a part stands in a text, whole words first, then in order.
func (t runeText) placesOf(part string) [][2]int {
	p := []rune(part)
	if len(p) == 0 {
		return nil
	}
	word := func(i int) bool {
		return t[i] < 0x80 && (t[i] >= '0' && t[i] <= '9' || t[i] >= 'a' && t[i] <= 'z' || t[i] >= 'A' && t[i] <= 'Z')
	}
	inside := func(s, e int) bool {
		return s > 0 && word(s-1) && word(s) || e < len(t) && word(e) && word(e-1)
	}
	var whole, within [][2]int
	for i := 0; i+len(p) <= len(t); i++ {
		if !slices.Equal([]rune(t[i:i+len(p)]), p) {
			continue
		}
		if inside(i, i+len(p)) {
			within = append(within, [2]int{i, i + len(p)})
		} else {
			whole = append(whole, [2]int{i, i + len(p)})
		}
	}
	return append(whole, within...)
}

// lay gives spans without places theirs: the longest first, whole words first, not inside
// a longer one where there is another place, from left to right.
func lay(text runeText, spans []MarkedSpan) []laidSpan {
	order := slices.Clone(spans)
	slices.SortStableFunc(order, func(a, b MarkedSpan) int { return cmp.Compare(len([]rune(b.Text)), len([]rune(a.Text))) })
	out := make([]laidSpan, 0, len(order))
	for _, s := range order {
		best := [2]int{-1, -1}
		for _, p := range text.placesOf(s.Text) {
			if slices.ContainsFunc(out, func(x laidSpan) bool { return x.from == p[0] && x.to == p[1] }) {
				continue
			}
			if slices.ContainsFunc(out, func(x laidSpan) bool { return x.from <= p[0] && p[1] <= x.to }) {
				if best[0] < 0 {
					best = p
				}
				continue
			}
			best = p
			break
		}
		out = append(out, laidSpan{s, best[0], best[1]})
	}
	return out
}

// placed checks the places of found spans: one whose place does not give its text has
// none.
func placed(text runeText, spans []MarkedSpan) []laidSpan {
	out := make([]laidSpan, len(spans))
	for i, s := range spans {
		out[i] = laidSpan{s, -1, -1}
		if s.Start == nil || s.End == nil {
			continue
		}
		if got, ok := text.at(*s.Start, *s.End); ok && got == s.Text {
			out[i].from, out[i].to = *s.Start, *s.End
		}
	}
	return out
}

// matchSpans pairs found spans with those of the gold by key, one to one. It gives for
// each of the gold whether it was found, and the found ones that are wrong: those at no
// place, those at a place that was found before, and those whose key the gold does not
// have. A further place of what the gold lists is neither right nor wrong.
func matchSpans(gold []MarkedSpan, found []laidSpan, key func(MarkedSpan) string) (hit []bool, wrong []MarkedSpan) {
	hit = make([]bool, len(gold))
	seen := map[[2]int]bool{}
	for _, f := range found {
		at := [2]int{f.from, f.to}
		if f.from < 0 || seen[at] {
			wrong = append(wrong, f.MarkedSpan)
			continue
		}
		seen[at] = true
		k, listed, paired := key(f.MarkedSpan), false, false
		for i := range gold {
			if key(gold[i]) != k {
				continue
			}
			listed = true
			if !hit[i] {
				hit[i], paired = true, true
				break
			}
		}
		if !paired && !listed {
			wrong = append(wrong, f.MarkedSpan)
		}
	}
	return hit, wrong
}

// overlapPair is a span of the gold with one that was found over it.
type overlapPair struct{ gold, found int }

// matchOverlaps pairs spans that share a character, one to one: preferred pairs first,
// then the longest overlap, then by place.
func matchOverlaps(gold, found []laidSpan, prefer func(g, f MarkedSpan) bool) []overlapPair {
	type option struct {
		overlapPair
		other  bool
		shared int
	}
	var all []option
	for i, g := range gold {
		for j, f := range found {
			if f.from < 0 {
				continue
			}
			if n := min(g.to, f.to) - max(g.from, f.from); n > 0 {
				all = append(all, option{overlapPair{i, j}, !prefer(g.MarkedSpan, f.MarkedSpan), n})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b option) int {
		if a.other != b.other {
			if b.other {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(gold[a.gold].from, gold[b.gold].from),
			cmp.Compare(found[a.found].from, found[b.found].from), cmp.Compare(a.gold, b.gold), cmp.Compare(a.found, b.found))
	})
	var out []overlapPair
	for _, o := range all {
		if !slices.ContainsFunc(out, func(p overlapPair) bool { return p.gold == o.gold || p.found == o.found }) {
			out = append(out, o.overlapPair)
		}
	}
	return out
}

// judgedFact is a fact as facts are compared.
type judgedFact struct {
	src, rel, dst, mode, relation string
	from, to                      string
}

// eventRels are the relations whose subject is an event, which is only "a short noun
// phrase".
var eventRels = map[string]bool{"scheduled_at": true, "located_at": true}

// shortRels are the names of the gold for those of the registry.
var shortRels = map[string]string{"persona.name": "name", "persona.role": "role", "has_contact.email": "email", "has_contact.phone": "phone",
	"scheduled_for.datetime": "scheduled_at", "scheduled_for.location": "located_at", "prefers.food": "prefers_food",
	"prefers.music": "prefers_music", "prefers.activity": "prefers_activity"}

// judged gives a fact as it is compared; the speaker is "user" by any name.
func judged(f *MarkedFact, speaker string) judgedFact {
	j := judgedFact{rel: cmp.Or(shortRels[f.Rel], f.Rel), dst: f.Dst, relation: plainValue(f.Relation),
		mode: cmp.Or(f.Polarity, "+") + cmp.Or(f.Change, "assert"), from: timexKey(orEmpty(f.ValidFrom)), to: timexKey(orEmpty(f.ValidTo))}
	head, tail, of := strings.Cut(f.Src, "/")
	if head = plainValue(head); head == plainValue(speaker) {
		head = "user"
	}
	if j.src = head; of {
		j.src += "/" + plainValue(tail)
	}
	return j
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// sameFact tells whether a found fact is one of the gold.
func sameFact(g, f *judgedFact) bool {
	if g.rel != f.rel || g.mode != f.mode || g.rel == "related_to" && g.relation != f.relation {
		return false
	}
	if g.src != f.src {
		a, b := valueTokens(g.src), valueTokens(f.src)
		if !eventRels[g.rel] || !holdsTokens(a, b) && !holdsTokens(b, a) {
			return false
		}
	}
	switch g.rel {
	case "scheduled_at":
		return timexKey(g.dst) == timexKey(f.dst)
	case "phone":
		return onlyDigits(g.dst) == onlyDigits(f.dst)
	}
	return plainValue(g.dst) == plainValue(f.dst)
}

// pairFacts pairs as many facts as can be, one to one, and gives for each of the gold the
// found one, or -1.
func pairFacts(gold, found []judgedFact) []int {
	owner := make([]int, len(found))
	for j := range owner {
		owner[j] = -1
	}
	var grow func(i int, seen []bool) bool
	grow = func(i int, seen []bool) bool {
		for j := range found {
			if seen[j] || !sameFact(&gold[i], &found[j]) {
				continue
			}
			seen[j] = true
			if owner[j] < 0 || grow(owner[j], seen) {
				owner[j] = i
				return true
			}
		}
		return false
	}
	out := make([]int, len(gold))
	for i := range gold {
		out[i] = -1
		grow(i, make([]bool, len(found)))
	}
	for j, i := range owner {
		if i >= 0 {
			out[i] = j
		}
	}
	return out
}
