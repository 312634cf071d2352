package dsl

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"unicode/utf8"
)

// scanner reads canonical text whose shape is known: it takes exactly what the
// encoder writes. Where it fails, the general decoder says why, or takes the few
// spellings of large numbers and the like that the scanner leaves to it; so the
// scanner may refuse too much, and must never accept too much.
type scanner struct {
	b   []byte
	i   int
	bad bool
}

func (s *scanner) fail() { s.bad, s.i = true, len(s.b) }

// lit takes the bytes of l.
func (s *scanner) lit(l string) {
	if !s.has(l) {
		s.fail()
		return
	}
	s.i += len(l)
}

func (s *scanner) has(l string) bool {
	return len(s.b)-s.i >= len(l) && string(s.b[s.i:s.i+len(l)]) == l
}

// object keeps the comma between members.
type object struct {
	*scanner
	some bool
}

func (s *scanner) object() object {
	s.lit("{")
	return object{scanner: s}
}

// member takes the name of a member if it comes next. name is in the form
// "name": with the quotes and the colon.
func (o *object) member(name string) bool {
	at := o.i
	if o.some {
		if !o.has(",") {
			return false
		}
		o.i++
	}
	if !o.has(name) {
		o.i = at
		return false
	}
	o.i += len(name)
	o.some = true
	return true
}

func (o *object) must(name string) {
	if !o.member(name) {
		o.fail()
	}
}

func (o *object) end() { o.lit("}") }

// list calls item for each item of a list that has at least one.
func (s *scanner) list(item func()) {
	s.lit("[")
	for {
		item()
		if s.bad || !s.has(",") {
			break
		}
		s.i++
	}
	s.lit("]")
}

// raw takes a string and gives its bytes, unescaped; they may lie in the text.
func (s *scanner) raw() []byte {
	if !s.has(`"`) {
		s.fail()
		return nil
	}
	s.i++
	start := s.i
	for ascii := true; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case c == '"':
			p := s.b[start:s.i]
			s.i++
			if !ascii && !utf8.Valid(p) {
				s.fail()
			}
			return p
		case c == '\\':
			return s.escaped(start)
		case c < 0x20:
			s.fail()
			return nil
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	s.fail()
	return nil
}

// escaped goes on with a string at its first escape.
func (s *scanner) escaped(start int) []byte {
	out := append(make([]byte, 0, s.i-start+32), s.b[start:s.i]...)
	for s.i < len(s.b) {
		c := s.b[s.i]
		switch {
		case c == '"':
			s.i++
			if !utf8.Valid(out) {
				s.fail()
			}
			return out
		case c < 0x20:
			s.fail()
			return nil
		case c != '\\':
			out = append(out, c)
			s.i++
			continue
		}
		if s.i++; s.i == len(s.b) {
			break
		}
		short := byte(0)
		switch s.b[s.i] {
		case '"', '\\':
			short = s.b[s.i]
		case 'b':
			short = '\b'
		case 't':
			short = '\t'
		case 'n':
			short = '\n'
		case 'f':
			short = '\f'
		case 'r':
			short = '\r'
		case 'u':
			if c, ok := s.control(); ok {
				out = append(out, c)
				s.i += 5
				continue
			}
			s.fail()
			return nil
		default:
			s.fail()
			return nil
		}
		out = append(out, short)
		s.i++
	}
	s.fail()
	return nil
}

// control reads u00xx of a control character that has no shorter escape.
func (s *scanner) control() (byte, bool) {
	if len(s.b)-s.i < 5 || string(s.b[s.i:s.i+4]) != "u000" && string(s.b[s.i:s.i+4]) != "u001" {
		return 0, false
	}
	c := (s.b[s.i+3] - '0') << 4
	switch d := s.b[s.i+4]; {
	case d >= '0' && d <= '9':
		c |= d - '0'
	case d >= 'a' && d <= 'f':
		c |= d - 'a' + 10
	default:
		return 0, false
	}
	switch c {
	case '\b', '\t', '\n', '\f', '\r':
		return 0, false
	}
	return c, true
}

func (s *scanner) str() string { return string(s.raw()) }

// word is str for strings that are mostly one of a few, which are not copied.
func (s *scanner) word() string {
	p := s.raw()
	switch string(p) {
	case "ops":
		return "ops"
	case "turn":
		return "turn"
	case "entity":
		return "entity"
	case "literal":
		return "literal"
	case "UPSERT_EDGE":
		return "UPSERT_EDGE"
	case "RETRO_CORRECT":
		return "RETRO_CORRECT"
	case "LINK":
		return "LINK"
	}
	return string(p)
}

// some is str for a member that is left out when it is empty.
func (s *scanner) some() string {
	p := s.raw()
	if len(p) == 0 {
		s.fail()
	}
	return string(p)
}

func (s *scanner) strings() (list []string) {
	s.list(func() { list = append(list, s.str()) })
	return list
}

// number takes a number of at most 15 digits.
func (s *scanner) number() uint64 {
	start, n := s.i, uint64(0)
	for ; s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9'; s.i++ {
		n = n*10 + uint64(s.b[s.i]-'0')
	}
	if d := s.i - start; d == 0 || d > 15 || d > 1 && s.b[start] == '0' {
		s.fail()
		return 0
	}
	return n
}

func (s *scanner) small() int {
	n := s.number()
	if n > math.MaxInt32 {
		s.fail()
	}
	return int(n)
}

func (s *scanner) u32() uint32 {
	n := s.number()
	if n > math.MaxUint32 {
		s.fail()
	}
	return uint32(n)
}

// someU32 is u32 for a member that is left out when it is 0.
func (s *scanner) someU32() uint32 {
	n := s.u32()
	if n == 0 {
		s.fail()
	}
	return n
}

// float takes a number in [0, 1] that is 0, or no smaller than 1e-6.
func (s *scanner) float() float64 {
	start := s.i
	for s.i < len(s.b) && (s.b[s.i] >= '0' && s.b[s.i] <= '9' || s.b[s.i] == '.') {
		s.i++
	}
	p := s.b[start:s.i]
	switch string(p) {
	case "0":
		return 0
	case "1":
		return 1
	}
	f, err := strconv.ParseFloat(string(p), 64)
	if err != nil || f < 1e-6 || f >= 1 {
		s.fail()
		return 0
	}
	var again [32]byte
	if string(strconv.AppendFloat(again[:0], f, 'f', -1, 64)) != string(p) {
		s.fail()
	}
	return f
}

func (s *scanner) hash() (h Hash) {
	if len(s.b)-s.i < 2*len(h)+2 || s.b[s.i] != '"' || s.b[s.i+2*len(h)+1] != '"' {
		s.fail()
		return h
	}
	p := s.b[s.i+1 : s.i+1+2*len(h)]
	for _, c := range p {
		if c >= 'A' && c <= 'F' {
			s.fail()
			return h
		}
	}
	if _, err := hex.Decode(h[:], p); err != nil {
		s.fail()
		return h
	}
	s.i += 2*len(h) + 2
	return h
}

func (s *scanner) someHash() Hash {
	h := s.hash()
	if h.IsZero() {
		s.fail()
	}
	return h
}

func (s *scanner) text() (t Text) {
	if s.has(`{"p":`) {
		s.i += len(`{"p":`)
		t.plain = s.str()
		s.lit("}")
		return t
	}
	s.lit(`{"c":`)
	raw, err := base64.StdEncoding.Strict().DecodeString(s.str())
	if err != nil || s.bad {
		s.fail()
		return t
	}
	if base64.StdEncoding.EncodeToString(raw) != string(s.b[s.i-base64.StdEncoding.EncodedLen(len(raw))-1:s.i-1]) {
		s.fail()
	}
	t.cipher = string(raw)
	s.lit(`,"k":`)
	t.key = s.some()
	s.lit("}")
	return t
}

func (s *scanner) someText() Text {
	t := s.text()
	if t.IsZero() {
		s.fail()
	}
	return t
}

// instant takes "YYYY-MM-DDThh:mm:ss", a fraction of one to six digits that
// does not end in 0, and "Z".
func (s *scanner) instant() Instant {
	if !s.has(`"`) {
		s.fail()
		return 0
	}
	p := s.b[s.i+1:]
	if len(p) < 21 || p[4] != '-' || p[7] != '-' || p[10] != 'T' || p[13] != ':' || p[16] != ':' {
		s.fail()
		return 0
	}
	two := func(i int) int {
		a, b := p[i]-'0', p[i+1]-'0'
		if a > 9 || b > 9 {
			return 1 << 20 // beyond every bound below
		}
		return int(a)*10 + int(b)
	}
	year, month, day := two(0)*100+two(2), two(5), two(8)
	hour, minute, second := two(11), two(14), two(17)
	if year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59 {
		s.fail()
		return 0
	}
	i, micros := 19, int64(0)
	if p[i] == '.' {
		unit := int64(100_000)
		for i++; i < len(p) && p[i] >= '0' && p[i] <= '9' && unit > 0; i++ {
			micros += int64(p[i]-'0') * unit
			unit /= 10
		}
		if i == 20 || p[i-1] == '0' {
			s.fail()
			return 0
		}
	}
	if len(p)-i < 2 || p[i] != 'Z' || p[i+1] != '"' {
		s.fail()
		return 0
	}
	s.i += 1 + i + 2
	seconds := (daysBefore(year, month)+int64(day)-1)*86_400 + int64(hour)*3600 + int64(minute)*60 + int64(second)
	return MinInstant + Instant(seconds*1e6+micros)
}

func leap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func daysIn(year, month int) int {
	switch month {
	case 2:
		if leap(year) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// cumulative counts the days of a common year before each month.
var cumulative = [13]int64{0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334}

// daysBefore counts the days from 1 January of year 1 to the first of a month.
func daysBefore(year, month int) int64 {
	y := int64(year - 1)
	d := y*365 + y/4 - y/100 + y/400 + cumulative[month]
	if month > 2 && leap(year) {
		d++
	}
	return d
}

func (s *scanner) interval() *Interval {
	v := &Interval{Beginning, Forever}
	s.lit("[")
	if s.has("null") {
		s.i += 4
	} else {
		v.Start = s.instant()
	}
	s.lit(",")
	if s.has("null") {
		s.i += 4
	} else {
		v.End = s.instant()
	}
	s.lit("]")
	return v
}
