package tagger

// The connectors that a name may hold between its capitals.
var connectors = func() map[uint64]bool {
	m := map[uint64]bool{}
	for _, w := range []string{"of", "the", "and", "de", "la", "le", "for", "in", "on", "at", "a", "an", "to", "von", "van", "del", "du", "&", "'s",
		"'", "-", ".", "with", "from", "by", ":", ",", "!", "or", "el", "bin", "al", "i"} {
		m[hashLower(seed, w)] = true
	}
	return m
}()

var pronounI = hashLower(seed, "i")

// maxGap is how many tokens may stand between two capitals of a name.
const maxGap = 3

// activeEn marks the tokens that can belong to an English name: those with a
// capital, numbers behind them, and connectors between. The tagger leaves all
// others out.
func activeEn(toks []tok, active []bool) {
	last := -1 // the last token with a capital
	for i := range toks {
		t := &toks[i]
		on := t.kind == word && t.upper && t.low != pronounI
		if on && t.first && t.flags&isCommon != 0 && t.flags&^isCommon == 0 && !(i+1 < len(toks) && toks[i+1].upper && !toks[i+1].first) {
			on = false
		}
		if !on && t.kind == number && t.space && i > 0 && active[i-1] && last == i-1 {
			on = true
		}
		active[i] = on
		if !on {
			continue
		}
		if last >= 0 && i-last > 1 && i-last <= maxGap+1 {
			ok := toks[last].quote == t.quote || t.quote == 1
			for k := last + 1; k <= i; k++ {
				ok = ok && (!toks[k].first || t.quote == 1) && (k == i || connectors[toks[k].low])
			}
			if ok {
				for k := last + 1; k < i; k++ {
					active[k] = true
				}
			}
		}
		last = i
	}
}

// quotes marks tokens inside double or single quotes or stars.
func quotes(toks []tok) {
	open, want := -1, rune(0)
	for i := range toks {
		c := toks[i].next
		if toks[i].kind != mark || toks[i].end-toks[i].start > 3 {
			continue
		}
		switch c {
		case '"', '“', '”', '*', '\'', '‘', '’':
		default:
			continue
		}
		tight := i+1 < len(toks) && !toks[i+1].space
		if open >= 0 && c == want && !toks[i].space && i-open <= 14 {
			for k := open + 1; k < i; k++ {
				toks[k].quote = 1
			}
			if open+1 < i {
				toks[open+1].quote = 2
			}
			open = -1
			continue
		}
		if (i == 0 || toks[i].space || toks[i-1].kind == mark) && tight && (open < 0 || c == '"' || c == '“' || i-open > 14) {
			open, want = i, c
			switch c {
			case '“':
				want = '”'
			case '‘':
				want = '’'
			}
		}
	}
}

// smallWords is a small set of hashes that errs on the side of membership.
type smallWords [64]uint64

func (s *smallWords) add(h uint64)      { h = mix(h); s[h>>6&63] |= 1 << (h & 63) }
func (s *smallWords) has(h uint64) bool { h = mix(h); return s[h>>6&63]>>(h&63)&1 != 0 }

// english prepares the features of an English text.
type english struct {
	text  string
	toks  []tok
	small smallWords
}

func newEnglish(text string, toks []tok, l *lists) *english {
	l.flag(toks)
	quotes(toks)
	e := &english{text: text, toks: toks}
	for i := range toks {
		if toks[i].kind == word && !toks[i].upper {
			e.small.add(toks[i].low)
		}
	}
	return e
}

// form is the word as the context sees it: its shape where it is a capital one.
func (t *tok) open() uint64 {
	if t.initial {
		return t.shape
	}
	return t.low
}

// features appends the keys of token i's features.
func (e *english) features(dst []uint32, i int) []uint32 {
	t := &e.toks[i]
	dst = append(dst, key(1, 0), key(2, t.low), key(3, t.form), key(4, t.shape))
	s := e.text[t.start:min(t.end, t.start+maxWord)]
	for k := 1; k <= 4; k++ {
		if len(s) > k {
			dst = append(dst, key(4+uint64(k), hashLower(seed, s[:k])), key(8+uint64(k), hashLower(seed, s[len(s)-k:])))
		}
	}
	first := uint64(0)
	if t.first {
		first = 1
		dst = append(dst, key(13, 0), key(14, t.shape))
	}
	if t.quote != 0 {
		dst = append(dst, key(15, uint64(t.quote)), key(16, pair(uint64(t.quote), t.shape)))
	}
	if len(s) > 1 && e.small.has(t.low) {
		dst = append(dst, key(17, first))
	}
	where := t.shape
	if t.first {
		where = 7
	}
	if t.flags == 0 && t.initial {
		dst = append(dst, key(18, first))
	}
	dst = append(dst, key(19, pair(uint64(t.flags), where)))
	for f := t.flags; f != 0; f &= f - 1 {
		dst = append(dst, key(20, uint64(f&-f)), key(21, pair(uint64(f&-f), where)))
	}
	for k, d := range [...]int{-2, -1, 1, 2} {
		c := uint64(k) * 4
		j := i + d
		if j < 0 || j >= len(e.toks) || d > 0 && e.toks[j].first && e.toks[j].start > 0 && j > 0 && e.toks[j-1].kind != mark {
			dst = append(dst, key(22+c, 0))
			continue
		}
		n := &e.toks[j]
		dst = append(dst, key(22+c, n.low))
		if d == -1 || d == 1 {
			w := e.text[n.start:min(n.end, n.start+maxWord)]
			dst = append(dst, key(23+c, n.shape), key(24+c, hashLower(seed, w[max(0, len(w)-3):])))
			for f := n.flags &^ isCommon; f != 0; f &= f - 1 {
				dst = append(dst, key(25+c, uint64(f&-f)))
			}
		}
	}
	own := t.low
	if t.initial {
		own = t.shape
	}
	if i > 0 {
		dst = append(dst, key(40, pair(e.toks[i-1].low, own)))
		if t.initial && i > 1 {
			dst = append(dst, key(41, pair(e.toks[i-2].low, e.toks[i-1].low)), key(42, pair(e.toks[i-2].open(), e.toks[i-1].open())))
		}
	}
	if i+1 < len(e.toks) {
		dst = append(dst, key(43, pair(own, e.toks[i+1].low)))
		if t.initial && i+2 < len(e.toks) {
			dst = append(dst, key(44, pair(e.toks[i+1].open(), e.toks[i+2].open())))
		}
	}
	if t.initial {
		for k := max(0, i-6); k < i-2; k++ {
			if e.toks[k].kind == word && !e.toks[k].upper {
				dst = append(dst, key(45, e.toks[k].low))
			}
		}
		for k := i + 3; k < min(len(e.toks), i+5); k++ {
			if e.toks[k].kind == word && !e.toks[k].upper {
				dst = append(dst, key(46, e.toks[k].low))
			}
		}
	}
	return dst
}
