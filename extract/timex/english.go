package timex

import "time"

// english is the English grammar over the tokens of one text.
type english struct {
	text string
	toks []token
	ref  time.Time // when it was said, local, in UTC clothes
	bare bool      // the whole text is one expression
	// offset is that of its zone, in minutes.
	offset int
	// tense tells of the clause at a byte whether it is told as past (-1) or to
	// come (1); nil knows nothing.
	tense func(at int) int
	now   int // the token at which the expression at hand starts
	work  int // rules tried
	depth int // how many expressions stand within each other
	// points and dates are what was read there lately.
	points, dates recent
}

// maxDepth bounds how many expressions may stand within each other ("the week
// before the day after …"), and with it the work at one place.
const maxDepth = 2

// enter goes one expression deeper and tells whether that is allowed; leave undoes
// it.
func (g *english) enter() bool {
	g.depth++
	if g.depth > maxDepth {
		g.depth--
		return false
	}
	return true
}

func (g *english) leave() { g.depth-- }

var noToken = token{kind: otherTok, n: -1}

func (g *english) tok(i int) *token {
	if i < 0 || i >= len(g.toks) {
		return &noToken
	}
	return &g.toks[i]
}

func (g *english) low(i int) string { return g.tok(i).low }

func (g *english) is(i int, c class) bool { return g.tok(i).word.class&c != 0 }

// shiftOf gives the shift of a modifier.
func (g *english) shiftOf(i int) int { return g.tok(i).word.n }

// skip gives the token after i if it is one of the words, else i.
func (g *english) skip(i int, list ...string) int {
	low := g.low(i)
	for _, w := range list {
		if low == w {
			return i + 1
		}
	}
	return i
}

// oneOf tells whether token i is one of the words.
func (g *english) oneOf(i int, list ...string) bool { return g.skip(i, list...) > i }

// reach bounds how far behind the first word of an expression its first carrier
// stands.
const reach = 7

// starts tells for each token whether a carrier or a number follows within reach.
func (g *english) starts() []bool {
	out := make([]bool, len(g.toks))
	next := len(g.toks) + reach
	for i := len(g.toks) - 1; i >= 0; i-- {
		t := &g.toks[i]
		if t.kind == numTok || t.word.class&carrier != 0 {
			next = i
		}
		out[i] = next-i < reach && g.leads(i)
	}
	return out
}

// leads tells whether an expression can start at token i.
func (g *english) leads(i int) bool {
	t := &g.toks[i]
	if t.kind == numTok || t.low == "'" {
		return true
	}
	c := t.word.class
	if t.low == "for" {
		return g.tok(i+1).kind == numTok || g.is(i+1, cardinal)
	}
	if t.low == "year" {
		return g.tok(i+1).kind == numTok
	}
	if c&lead != 0 {
		if g.oneOf(i+1, "of", "-", "around") {
			return true
		}
		return g.tok(i+1).kind == numTok || g.tok(i+1).word.class != 0 || c&carrier != 0
	}
	return c&^(carrier|plural|unitName|zoneName) != 0
}

// recent keeps what a rule read at a token, for the next rule that asks.
type recent [4]struct {
	at, now, depth, end int
	m                   meaning
}

// get gives what was kept for token i, ok tells whether it was.
func (r *recent) get(g *english, i int) (end int, m meaning, ok bool) {
	x := &r[i&3]
	if x.at == i+1 && x.now == g.now && x.depth == g.depth {
		return x.end, x.m, true
	}
	return 0, meaning{}, false
}

func (r *recent) put(g *english, i, end int, m meaning) (int, meaning) {
	x := &r[i&3]
	x.at, x.now, x.depth, x.end, x.m = i+1, g.now, g.depth, end, m
	return end, m
}

// find adds what stands in running text.
func (g *english) find(out []Match) []Match {
	starts := g.starts()
	for i := 0; i < len(g.toks); {
		if !starts[i] || i > 0 && g.toks[i].glued && g.toks[i-1].kind != markTok && g.toks[i-1].kind != otherTok {
			i++
			continue
		}
		g.now = i
		j, m := g.expression(i)
		if j <= i || !m.ok() || m.weak {
			i++
			continue
		}
		out = append(out, m.match(g.toks[i].s, g.toks[j-1].e))
		i = j
	}
	return out
}

// whole reads all tokens as one expression. Words that only lead to it or trail
// it ("on", "around", "please") are passed over.
func (g *english) whole() (meaning, bool) {
	// A sentence has more words that say no time.
	strange := 0
	for i := range g.toks {
		if t := &g.toks[i]; t.kind == otherTok || t.kind == wordTok && t.word.class == 0 {
			if strange++; strange > 3 {
				return meaning{}, false
			}
		}
	}
	for i := 0; i < len(g.toks) && i < 4; i++ {
		g.now = i
		if j, m := g.expression(i); m.ok() && g.trails(j) {
			return m, true
		}
		if !g.oneOf(i, "on", "at", "in", "the", "around", "about", "for", "approximately", "during", "over", "within", "a", "of", "just", "circa", "-", "sometimes", "sometime") {
			break
		}
	}
	return meaning{}, false
}

// trails tells whether nothing but what may follow an expression is left.
func (g *english) trails(j int) bool {
	for ; j < len(g.toks); j++ {
		if g.tok(j).kind == markTok && !g.oneOf(j, "/", "%", "$") || g.oneOf(j, "approximately", "sharp", "exactly", "or", "so", "ish") {
			continue
		}
		return false
	}
	return true
}

// expression reads the longest expression that starts at token i.
func (g *english) expression(i int) (end int, m meaning) {
	g.work++
	for _, rule := range [...]func(*english, int) (int, meaning){(*english).sets, (*english).ranges, (*english).opens, (*english).shifted, (*english).point, (*english).lasts} {
		if e, x := rule(g, i); x.ok() && e > end {
			end, m = e, x
		}
	}
	return end, m
}

// point reads a date, a time of day, or both in either order: "Tuesday, Jan 15,
// 1:00 PM", "3pm tomorrow", "first Monday evening of next month".
func (g *english) point(i int) (int, meaning) {
	if e, m, ok := g.points.get(g, i); ok {
		return e, m
	}
	e, m := g.readPoint(i)
	return g.points.put(g, i, e, m)
}

func (g *english) readPoint(i int) (int, meaning) {
	g.work++
	var d, c, p meaning
	end, j, parts := 0, i, 0
	for parts < 5 {
		k := j
		if parts > 0 {
			k = g.joint(j)
		}
		e, x := g.timeOfDay(k, parts > 0 && (k > j || d.ok() || p.ok()))
		if d.weekday > 0 && g.tok(k).kind == numTok && g.tok(k).n > 12 && e == k+1 { // "Monday 21" is a day
			x = meaning{}
		}
		if d.ok() && d.grain != dayGrain && d.part == "" {
			x = meaning{}
		}
		if x.ok() && (x.kind == clock && !c.ok() || x.kind == dayPart && !p.ok()) {
			if x.kind == dayPart {
				p = x
			} else {
				c = x
			}
			end, j = e, e
			parts++
			continue
		}
		if c.weak && parts == 1 && g.low(k) == "of" {
			break
		}
		if e, x := g.datePart(k); x.ok() && x.part != "" && x.kind == moment && !p.ok() && (!d.ok() || d.weekday > 0) { // "this morning", "last night"
			p, d = x, dayOf(midnight(x.a))
			d.value, d.part = "", ""
			if x.part == "NI" && x.a.Hour() < 6 {
				d = dayOf(midnight(x.a))
			}
			end, j = e, e
			parts++
			continue
		} else if x.ok() {
			joined, fits := g.joinDates(d, x)
			if !fits {
				break
			}
			d = joined
			end, j = e, e
			parts++
			continue
		}
		break
	}
	if parts == 0 {
		return 0, meaning{}
	}
	m := g.compose(d, c, p)
	if parts == 1 && c.weak {
		m.weak = true
	} else if !c.ok() && !p.weak && !d.weak {
		m.weak = false
	}
	return g.zone(end, m)
}

// joint passes over what may stand between a date and a time of day.
func (g *english) joint(j int) int {
	k := g.skip(j, ",", "-", "(")
	if k = g.skip(k, ")"); k > j {
		k = g.skip(k, "-", ",")
	}
	if g.oneOf(k, "later", "earlier") && g.low(k+1) == "than" {
		return k + 2
	}
	if g.oneOf(k, "after", "before", "until", "since", "till") && k == j {
		return k + 1
	}
	if g.oneOf(k, "on", "at", "@", "in", "around", "about", "of", "for", "by", "approximately", "late", "early", "during", "when", "from") {
		k++
		k = g.skip(k, "around", "about", "approximately", "late", "early", "the")
	}
	if g.low(k) == "the" && !g.is(k+1, ordinal) {
		if e, _ := g.nth(k + 1); e == 0 {
			k++
		}
	}
	return k
}

// joinDates makes one date of two that stand together: a weekday and a day, a
// week and its day, a day told twice.
func (g *english) joinDates(d, x meaning) (meaning, bool) {
	if !d.ok() {
		return x, true
	}
	if d.kind != date || x.kind != date {
		return d, false
	}
	for first := true; ; first = false {
		switch {
		case d.weekday > 0 && x.grain == week && !x.narrow: // "Wednesday of next week"
			out := dayOf(x.a.AddDate(0, 0, d.weekday-1))
			out.rich = true
			return out, true
		case d.weekday > 0 && x.monthDay > 0 && first: // "Monday the 21st"
			out := g.weekdayOn(d.weekday, x.monthDay)
			out.rich = true
			return out, true
		case d.weekday > 0 && x.grain == dayGrain && x.weekday == 0:
			out := x
			if x.yearless { // the year in which the days agree
				for _, n := range [...]int{0, -12, 12} {
					if t := addMonths(x.a, n); weekdayOf(t) == d.weekday && t.Day() == x.a.Day() {
						out = dayOf(t)
						break
					}
				}
				out.yearless = true
			}
			out.rich = true
			return out, true
		}
		if !first {
			return x, false
		}
		d, x = x, d
	}
}

// weekdayOn gives the nearest day, this month's first, that is weekday wd and the
// n-th of its month.
func (g *english) weekdayOn(wd, n int) meaning {
	first := ymd(g.ref.Year(), int(g.ref.Month()), 1)
	months := [...]int{0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, 8, 9, 10, 11}
	for i, k := range months {
		if g.bare { // what is to come
			k = i
		}
		t := addMonths(first, k)
		if n <= daysIn(t.Year(), int(t.Month())) {
			if t = t.AddDate(0, 0, n-1); weekdayOf(t) == wd && (!g.bare || !t.Before(midnight(g.ref))) {
				return dayOf(t)
			}
		}
	}
	return g.monthDayDate(n)
}

// compose makes one meaning of a date, a clock time and a part of the day.
func (g *english) compose(d, c, p meaning) meaning {
	if c.ok() && p.ok() && c.kind == clock {
		c = c.towards(p.part)
		c.rich, c.weak = true, false
	}
	switch {
	case c.ok() && d.kind == moment: // "now"
		return d
	case c.ok() && d.ok():
		if d.grain == week || d.grain >= weekend {
			return meaning{}
		}
		if c.half && g.bare { // the next such hour
			if c.sec < 12*3600 && !at(d.a, c).a.After(g.ref) && midnight(d.a).Equal(midnight(g.ref)) {
				c.sec += 12 * 3600
			}
		}
		day := d.a
		if !g.bare && d.weekday == weekdayOf(g.ref) && !at(g.ref, c).a.Before(g.ref) { // today's is still to come
			day = midnight(g.ref)
		}
		if p.part == "NI" && c.sec < 5*3600 && p.kind == moment && p.narrow {
			day = d.a.AddDate(0, 0, 1)
		}
		out := at(day, c)
		out.yearless = d.yearless
		return out
	case c.ok():
		if c.half && g.bare && c.sec < 12*3600 && at(g.ref, c).a.Before(g.ref) && at(g.ref, c).a.Add(12*time.Hour).After(g.ref) {
			c.sec += 12 * 3600
		}
		return c
	case p.ok() && d.ok():
		if p.kind == moment && p.part != "" && p.narrow {
			return p
		}
		if d.grain != dayGrain {
			return meaning{}
		}
		out := onDay(d.a, p.part)
		out.rich, out.yearless = true, d.yearless
		out.weak = p.kind == moment && p.weak
		return out
	case p.ok():
		return p
	}
	return d
}

// zone reads the name of a time zone after a time of day and moves the time to
// the one in which it was said.
func (g *english) zone(i int, m meaning) (int, meaning) {
	k := g.skip(i, "(")
	if !g.bare || !g.is(k, zoneName) || m.kind != clock && (m.kind != moment || m.part != "") || k+2 < len(g.toks) {
		return i, m
	}
	move := g.offset - g.tok(k).word.n
	if m.kind == clock {
		m.sec = ((m.sec+60*move)%86400 + 86400) % 86400
		m.half = false
		if m.secs > 0 {
			m.value = clockText(m.sec, minute) + "/" + clockText((m.sec+int(m.secs))%86400, minute)
		}
	} else {
		m.a, m.b, m.value = m.a.Add(time.Duration(move)*time.Minute), m.b.Add(time.Duration(move)*time.Minute), ""
	}
	return g.skip(k+1, ")"), m
}
