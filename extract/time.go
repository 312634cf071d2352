package extract

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract/timex"
)

// ruleTimes is option A of time: the conversational grammars of this package over
// one turn, and the calendar's of package timex for what they leave.
type ruleTimes struct{}

// Version names the grammars.
func (ruleTimes) Version() string { return "time.rule/3" }

// timeHit is what a grammar found: bytes [start, end).
type timeHit struct {
	start, end int
	value, typ string
	// calendar is what package timex found there, nil for a hit of ours.
	calendar *timex.Match
	// ends are the hits of ours at the two ends of a range of the calendar's.
	ends []timeHit
}

// FindTimes reads a turn that is one expression as an entry of a calendar. In
// running text the conversational grammars have the first word: where they and the
// calendar's overlap, theirs stands unless the calendar's joins more parts and
// covers it. Of two of one grammar the longer, then the earlier stands.
func (ruleTimes) FindTimes(d *Document) []TimeExpr {
	o := timex.Options{Ref: d.Local, Tense: d.tenseAt()}
	theirs, whole := d.calendar(o)
	if whole {
		return []TimeExpr{calendarTime(d, &theirs[0])}
	}
	g := english{d: d}
	hits := g.find(nil)
	hits = chinese{d: d}.find(hits)
	sortHits(hits)
	hits = longest(hits)
	hits = withCalendar(hits, theirs, d.question)
	// A time in a title or a name is part of it.
	hits = slices.DeleteFunc(hits, func(h timeHit) bool { return inTitle(d.Entities, h.start) || d.inName(&h) })
	sameMonth(d.Text, hits)
	return expressions(d, hits)
}

// calendar gives what package timex finds, and whether the whole text is one
// expression, which a question never is.
func (d *Document) calendar(o timex.Options) ([]timex.Match, bool) {
	if d.question {
		return timex.Find(d.Text, o), false
	}
	return timex.Read(d.Text, o)
}

// expressions makes the result of hits.
func expressions(d *Document, hits []timeHit) []TimeExpr {
	if len(hits) == 0 {
		return nil
	}
	out := make([]TimeExpr, len(hits))
	for i := range hits {
		h := &hits[i]
		if h.calendar != nil {
			out[i] = calendarTime(d, h.calendar)
			out[i].ends = expressions(d, h.ends)
			continue
		}
		out[i] = TimeExpr{Text: d.Text[h.start:h.end], Start: h.start, End: h.end, Value: h.value, Type: h.typ}
		out[i].From, out[i].To, _ = calendarSpan(h.value, d.Local.Location())
	}
	return out
}

// apart gives the expressions with each range as its two ends, which is how
// relations read "from … to".
func apart(all []TimeExpr) []TimeExpr {
	if !slices.ContainsFunc(all, func(t TimeExpr) bool { return len(t.ends) > 0 }) {
		return all
	}
	var out []TimeExpr
	for _, t := range all {
		if len(t.ends) > 0 {
			out = append(out, t.ends...)
			continue
		}
		out = append(out, t)
	}
	return out
}

// calendarTime makes an expression of what package timex found.
func calendarTime(d *Document, m *timex.Match) TimeExpr {
	t := TimeExpr{Text: d.Text[m.Start:m.End], Start: m.Start, End: m.End, Value: m.Value, Type: m.Type, Grain: m.Grain, Ambiguous: m.Ambiguous}
	if !m.From.IsZero() {
		t.From, t.To = inZone(m.From, d.Local.Location()), inZone(m.To, d.Local.Location())
	}
	return t
}

// inZone puts a clock face into a zone.
func inZone(t time.Time, loc *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, loc)
}

// sortHits orders hits by place, the longer first.
func sortHits(hits []timeHit) {
	slices.SortStableFunc(hits, func(a, b timeHit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
}

// longest keeps of overlapping hits the longer, then the earlier.
func longest(hits []timeHit) []timeHit {
	kept := hits[:0]
	for _, h := range hits {
		if n := len(kept); n > 0 && kept[n-1].end > h.start {
			if kept[n-1].end-kept[n-1].start < h.end-h.start {
				kept[n-1] = h
			}
			continue
		}
		kept = append(kept, h)
	}
	return kept
}

// withCalendar adds the calendar's hits to ours: those where we have none, and
// those that read better what they cover of ours, unless only gaps are to be
// filled.
func withCalendar(ours []timeHit, theirs []timex.Match, gaps bool) []timeHit {
	if len(theirs) == 0 {
		return ours
	}
	out := make([]timeHit, 0, len(ours)+len(theirs))
	for i := range theirs {
		m := &theirs[i]
		covers, n := true, 0
		for len(ours) > 0 && ours[0].end <= m.Start {
			out, ours = append(out, ours[0]), ours[1:]
		}
		for n < len(ours) && ours[n].start < m.End {
			covers = covers && m.Start <= ours[n].start && ours[n].end <= m.End
			n++
		}
		switch {
		case n == 0 || !gaps && covers && better(m, ours[:n]):
			h := timeHit{start: m.Start, end: m.End, calendar: m}
			if n == 2 && ours[0].typ == typeDate && ours[1].typ == typeDate && strings.Contains(m.Value, "/") {
				h.ends = slices.Clone(ours[:2])
			}
			out, ours = append(out, h), ours[n:]
		case !gaps && n == 1 && ours[0].typ == typeDuration && m.Type == typeDuration && ours[0].start == m.Start && ours[0].end == m.End:
			ours[0].calendar = m // "the last two months" is an interval too
			m.Value = ours[0].value
		}
	}
	return append(out, ours...)
}

// better tells whether the calendar's reading of a stretch stands against the
// hits of ours that it covers: when it joins several parts, and when it is longer
// and says when, how often or how long more exactly.
func better(m *timex.Match, ours []timeHit) bool {
	first := &ours[0]
	longer := len(ours) > 1 || m.End > first.end || m.Start < first.start && first.start-m.Start != len("the ")
	switch {
	case m.Rich:
		return longer || len(m.Value) > len(ours[0].value)
	case !longer:
		return false
	case m.Type == typeDuration:
		return len(ours) == 1 && ours[0].typ == typeDuration && !m.Ambiguous
	}
	return m.Type == typeSet || m.OnCalendar() || m.Type == typeTime
}

// tenseAt gives what tells of the sentence at a byte whether it is told as past
// (-1) or as to come (1).
func (d *Document) tenseAt() func(at int) int {
	last, of := -1, 0
	return func(at int) int {
		i, found := slices.BinarySearchFunc(d.Sentences, at, func(s dsl.Span, at int) int { return cmp.Compare(s.Start, at) })
		if !found {
			i--
		}
		if i < 0 {
			return 0
		}
		if i != last {
			a, b := d.tokenAt(d.Sentences[i].Start), d.tokenAt(d.Sentences[i].End)
			last, of = i, map[tense]int{pastTense: -1, futureTense: 1}[tenseOf(d.tokens, a, min(b, a+200))]
		}
		return of
	}
}

// inTitle tells whether the byte stands in the title of a work.
func inTitle(all []Mention, at int) bool {
	i, found := slices.BinarySearchFunc(all, at, func(m Mention, at int) int { return cmp.Compare(m.Start, at) })
	if !found {
		i--
	}
	return i >= 0 && i < len(all) && all[i].Type == typeWork && at < all[i].End
}

// inName tells whether a hit is part of a name in capitals: "the Summer Solstice
// Market", "Turbocharged Tuesdays" in quotes.
func (d *Document) inName(h *timeHit) bool {
	i := d.tokenAt(h.start)
	if i >= len(d.tokens) {
		return false
	}
	for i+1 < len(d.tokens) && d.tokens[i].low == "the" {
		i++
	}
	t := &d.tokens[i]
	if t.class&seasonWord != 0 && t.upper && i+1 < len(d.tokens) && t.end == h.end {
		next := &d.tokens[i+1]
		return next.upper && next.space && !next.line
	}
	k, found := slices.BinarySearchFunc(d.quotes, h.start, func(q dsl.Span, at int) int { return cmp.Compare(q.Start, at) })
	if !found {
		k--
	}
	if k < 0 || d.quotes[k].End < h.end {
		return false
	}
	// In quotes, and every longer word there has a capital.
	words := 0
	for j := d.tokenAt(d.quotes[k].Start); j < len(d.tokens) && d.tokens[j].start < d.quotes[k].End; j++ {
		if q := &d.tokens[j]; q.kind == wordToken {
			if words++; words > 6 || len(q.low) > 3 && !q.upper {
				return false
			}
		}
	}
	return words > 1
}

// sameMonth places a day that names no month ("the 12th") in the month that was
// named last before it.
func sameMonth(text string, hits []timeHit) {
	month := ""
	for i := range hits {
		h := &hits[i]
		value := h.value
		if h.calendar != nil {
			value = h.calendar.Value
		}
		switch said := lower(text[h.start:h.end]); {
		case len(value) < len("2006-01") || value[4] != '-' || !isDigit(value[5]):
		case len(value) == len("2006-01-02") && dayOnly(said):
			if v := month + value[7:]; month != "" {
				if _, _, ok := calendarSpan(v, time.UTC); ok {
					h.value, h.typ, h.calendar = v, typeDate, nil
				}
			}
		case namesMonth(said):
			month = value[:7]
		}
	}
}

// dayOnly tells whether an expression is a day without its month: "the 12th".
func dayOnly(said string) bool {
	said = strings.TrimPrefix(said, "the ")
	n := len(strings.TrimLeft(said, "0123456789"))
	return n == 2 && n < len(said) && len(said) <= 4
}

// namesMonth tells whether an expression has the name of a month.
func namesMonth(said string) bool {
	for w := range strings.FieldsSeq(said) {
		if monthNumber[strings.Trim(w, ",.")] > 0 {
			return true
		}
	}
	return false
}

// tense is what a sentence says about when.
type tense uint8

const (
	noTense tense = iota
	pastTense
	futureTense
)

// pastForms are past verb forms that "-ed" does not show.
var pastForms = wordSet("was were had did went got bought came saw met made took told said gave found felt left lost won ate wrote read ran began started sold spent built caught taught thought brought drove flew grew knew fell heard held kept led paid sent slept spoke stood wore been gone done seen finished visited passed")

// futureWords make a sentence speak of what is to come.
var futureWords = wordSet("will 'll gonna going tomorrow upcoming plan planning scheduled next hoping looking coming deadline due until")

// movedWords say that a plan has another time.
var movedWords = wordSet("moved changed rescheduled postponed pushed shifted scheduled set delayed brought updated move reschedule postpone push change shift bring")

// movesPlan tells whether the word at i, one of movedWords, gives a plan another
// time: "was moved (back) to", "moved the call to".
func movesPlan(toks []token, i, b int) bool {
	k := i + 1
	switch prev := toks[max(i-1, 0)].low; {
	case i > 0 && (prev == "was" || prev == "been" || prev == "got" || prev == "is" || prev == "be" || prev == "were"):
	case k < b && (toks[k].low == "the" || toks[k].low == "my" || toks[k].low == "our"):
		event := false
		for n := 0; n < 6 && k < b && !(event && toks[k].class&(eventNoun|occasionWord) == 0); n, k = n+1, k+1 {
			event = event || n > 0 && toks[k].class&(eventNoun|occasionWord) != 0
		}
		if !event {
			return false
		}
	default:
		return false
	}
	if k < b && (toks[k].low == "back" || toks[k].low == "forward" || toks[k].low == "up" || toks[k].kind == punctToken) {
		k++
	}
	return k < b && (toks[k].low == "to" || toks[k].low == "for" || toks[k].low == "until")
}

// beingWords make an "-ed" word after them a state, not a past: "I'm a bit
// concerned".
var beingWords = wordSet("am 'm is 's are 're be being feel feeling feels so very really quite bit pretty too super get getting more")

// feeling tells whether the "-ed" word at i says what someone feels or is now.
func feeling(toks []token, i, a int) bool {
	return toks[i].low == "excited" || toks[i].low == "interested" || i > a && beingWords[toks[i-1].low]
}

// tenseOf gives the tense of tokens [a, b). That a plan gets another time decides,
// then the first clear sign, past
// before future, so "I met her Friday and we'll talk" is past.
func tenseOf(toks []token, a, b int) tense {
	for i := a; i < b; i++ {
		if movedWords[toks[i].low] && movesPlan(toks[:b], i, b) {
			return futureTense
		}
	}
	future := false
	for i := a; i < b; i++ {
		t := &toks[i]
		if t.kind != wordToken {
			continue
		}
		if i+1 < b && t.low == "was" && (toks[i+1].low == "wondering" || toks[i+1].low == "thinking" || toks[i+1].low == "hoping") {
			continue // polite, not past
		}
		switch {
		case pastForms[t.low] || len(t.low) > 4 && strings.HasSuffix(t.low, "ed") && !futureWords[t.low] && t.low != "need" && !feeling(toks, i, a):
			return pastTense
		case futureWords[t.low]:
			future = true
		}
	}
	if future {
		return futureTense
	}
	return noTense
}

// Past is the TIMEX3 value of a time that is over and not told. It is the value of
// an ending that does not say what ended: of an appointment that was called off
// without its date.
const Past = "PAST_REF"

// Event is what a Memory answers for the name of something planned, which is no
// name of an entity.
const Event = "EVENT"
