package extract

import (
	"slices"
	"strings"

	"github.com/asof-db/asof/internal/corenlp"
)

// serverTimes is option B of time: the grammar, and SUTime where the grammar has nothing.
type serverTimes struct {
	server
	rules TimeFinder // nil where the grammar is off
}

// Version names the grammar and the server.
func (s serverTimes) Version() string {
	rules := "time.none"
	if s.rules != nil {
		rules = s.rules.Version()
	}
	return s.by(rules, "time.server/1")
}

// FindTimes gives the time expressions in order of their place, none overlapping.
func (s serverTimes) FindTimes(d *Document) []TimeExpr {
	var found []TimeExpr
	if s.rules != nil {
		found = s.rules.FindTimes(d)
	}
	if !untimed(d, found) {
		return found
	}
	doc, ok := s.read(d, "time")
	if !ok {
		return found
	}
	n := len(found)
	for i := range doc.Times {
		t := &doc.Times[i]
		if timed(found, t.Start, t.End) || inTitle(d.Entities, t.Start) || overlaps(d.Entities, t.Start, t.End) {
			continue
		}
		if e, ok := serverTime(d, t); ok {
			found = append(found, e)
		}
	}
	if len(found) > n {
		slices.SortStableFunc(found, func(a, b TimeExpr) int { return a.Start - b.Start })
	}
	return found
}

// timed tells whether an expression shares a byte with [start, end).
func timed(all []TimeExpr, start, end int) bool {
	for i := range all {
		if all[i].Start < end && start < all[i].End {
			return true
		}
	}
	return false
}

// timeClasses are the classes of words that stand in a time expression.
const timeClasses = monthWord | weekdayWord | weekdaysWord | unitWord | seasonWord

// serverTimeWords are others. Those for no time in particular ("now", "recently") are not here:
// the grammar knows all of them that mean something.
var serverTimeWords = wordSet("today tonight tomorrow yesterday overnight midnight noon fortnight decade decades century centuries quarter semester easter christmas thanksgiving halloween hanukkah ramadan new-year daily weekly monthly yearly annually nightly hourly biweekly o'clock am pm a.m p.m")

// untimed tells whether the turn, being English, has a word of time that no expression
// covers.
func untimed(d *Document, found []TimeExpr) bool {
	if !latinText(d.tokens) {
		return false
	}
	for i := range d.tokens {
		if t := &d.tokens[i]; serverTimeWord(t) && !timed(found, t.start, t.end) && !overlaps(d.Entities, t.start, t.end) {
			return true
		}
	}
	return false
}

// serverTimeWord tells whether a word may be of a time expression. Mere numbers are the
// grammar's matter.
func serverTimeWord(t *token) bool {
	return t.kind == wordToken && (t.class&timeClasses != 0 || serverTimeWords[t.low])
}

// serverTime gives the server's time expression as ours; ok is false where its value is
// not standard, or where it is a mere unit, such as "the day".
func serverTime(d *Document, t *corenlp.Time) (TimeExpr, bool) {
	e := TimeExpr{Text: d.Text[t.Start:t.End], Start: t.Start, End: t.End, Value: t.Value, Type: t.Type}
	if strings.ContainsAny(e.Text, "\n\r") || d.quoted(t.Start) || t.End < len(d.Text) && strings.IndexByte("/-", d.Text[t.End]) >= 0 {
		return e, false // "May" of "May/22" is cut out of a date
	}
	var ok bool
	switch t.Type {
	case typeDate, typeTime:
		e.From, e.To, ok = calendarSpan(t.Value, d.Local.Location())
		ok = ok || openTime(t.Value)
	case typeDuration:
		ok = standardDuration(t.Value)
	case typeSet:
		ok = standardDuration(t.Value) || strings.HasPrefix(t.Value, "XXXX-") && len(t.Value) <= len("XXXX-WXX-7TNI")
	}
	if !ok {
		return e, false
	}
	words, named, alone := 0, false, false
	for i := d.tokenAt(t.Start); i < len(d.tokens) && d.tokens[i].start < t.End; i++ {
		w := &d.tokens[i]
		named = named || serverTimeWord(w)
		alone = alone || serverTimeWord(w) && w.class&(unitWord|seasonWord) == 0
		if !emptyWords[w.low] && w.kind != punctToken {
			words++
		}
	}
	return e, named && (alone || words > 1)
}

// emptyWords make no time of a bare unit: "the day", "about a week", "a great summer".
var emptyWords = wordSet("a an the my your our his her their about around of in on at for that big great good nice long whole entire wonderful lovely beautiful busy quiet rough tough hard crazy")

// openTime tells whether a value is a time of day on no day, such as T06:30 or TMO.
func openTime(v string) bool {
	clock, ok := strings.CutPrefix(v, "T")
	if _, part := dayParts[clock]; ok && part {
		return true
	}
	return ok && len(clock) == len("06:30") && isDigit(clock[0]) && isDigit(clock[1]) && clock[2] == ':' && isDigit(clock[3]) && isDigit(clock[4])
}

// standardDuration tells whether a value is a plain duration: P4Y, P2W, PT3H, P1Y6M.
func standardDuration(v string) bool {
	rest, ok := strings.CutPrefix(v, "P")
	rest = strings.TrimPrefix(rest, "T")
	if !ok || rest == "" || len(rest) > 12 {
		return false
	}
	digits := 0
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case isDigit(c):
			digits++
		case digits > 0 && strings.IndexByte("YMWDHS", c) >= 0:
			digits = 0
		default:
			return false
		}
	}
	return digits == 0
}
