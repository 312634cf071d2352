package tagger

// Places of a character in its word.
const (
	alone = iota
	begins
	inside
	ends
)

// wordAt is what the Chinese features know of a token beside itself.
type wordAt struct {
	// place and class are those of the word that the token is in, hash its hash,
	// first and last its tokens.
	place, class uint8
	hash         uint64
	first, last  int
	// list is the kind of a listed place or brand that holds the token.
	list uint8
	// name is 1 or 2 where a surname and as many characters of given names start.
	name           uint8
	surname, given bool
	suffix         bool
}

// Classes of tokens that are no Chinese words; those of words lie below.
const (
	classGiven = 32 + iota
	classUpper
	classLower
	classNumber
	classMark
)

var suffixes = func() map[rune]bool {
	m := map[rune]bool{}
	for _, r := range "省市区县镇乡村街路道湖山河江海岛寺庙桥塔楼园院馆厅店场站城宫门港校司团社部局所队厂行" {
		m[r] = true
	}
	return m
}()

// chinese prepares the features of a text with Chinese characters.
type chinese struct {
	text  string
	toks  []tok
	words []wordAt
	lists *lists
	cost  []int32
	next  []int32
}

// activeZh marks the tokens that can belong to a name in a Chinese text.
func activeZh(toks []tok, active []bool) {
	for i := range toks {
		switch t := &toks[i]; {
		case t.kind == han, t.kind == word:
			active[i] = true
		case t.kind == number:
			active[i] = i > 0 && toks[i-1].kind != mark
		default:
			active[i] = (t.next == '·' || t.next == '&' || t.next == '-' || t.next == '+') && i > 0 && active[i-1]
		}
	}
}

func (c *chinese) reset(text string, toks []tok, l *lists) {
	c.text, c.toks, c.lists = text, toks, l
	c.words = append(c.words[:0], make([]wordAt, len(toks))...)
	for i := 0; i < len(toks); {
		j := i
		for j < len(toks) && toks[j].kind == han && (j == i || !toks[j].space) {
			j++
		}
		if j > i {
			c.segment(i, j)
			i = j
			continue
		}
		w := &c.words[i]
		w.first, w.last, w.hash = i, i, toks[i].low
		switch t := &toks[i]; {
		case t.kind == word && l.english(t.form)&listGiven != 0:
			w.class = classGiven
		case t.kind == word && t.initial:
			w.class = classUpper
		case t.kind == word:
			w.class = classLower
		case t.kind == number:
			w.class, w.hash = classNumber, 0
		default:
			w.class = classMark
		}
		i++
	}
	c.marks()
	for i := range c.words {
		w := &c.words[i]
		w.suffix = suffixes[toks[i].next]
		if w.surname && i+1 < len(toks) && c.words[i+1].given {
			w.name = 1
			if i+2 < len(toks) && c.words[i+2].given {
				w.name = 2
			}
		}
	}
}

// segment splits the characters [a, b) into the likeliest words and notes the
// places and brands among them.
func (c *chinese) segment(a, b int) {
	n := b - a
	c.cost = append(c.cost[:0], make([]int32, n+1)...)
	c.next = append(c.next[:0], make([]int32, n+1)...)
	for i := n - 1; i >= 0; i-- {
		c.cost[i], c.next[i] = c.cost[i+1]+unknownCost, int32(i+1)
		h := uint64(seed)
		long := 0
		for j := i; j < min(n, i+longestZh); j++ {
			h = hashRune(h, c.toks[a+j].next)
			r := c.lists.zh.find(nameKey(h))
			if r == nil {
				continue
			}
			if j == i {
				c.words[a+i].surname, c.words[a+i].given = r[2]&zhSurname != 0, r[2]&zhGiven != 0
			}
			if r[2]&zhWord != 0 {
				if v := c.cost[j+1] + int32(uint8(r[0])); v < c.cost[i] {
					c.cost[i], c.next[i] = v, int32(j+1)
				}
			}
			if r[2]&(zhPlace|zhBrand) != 0 && j > i {
				long = (j-i+1)<<2 | int(r[2]&(zhPlace|zhBrand))
			}
		}
		if k := long >> 2; k > 0 {
			for x := range k {
				at := uint8(inside)
				switch x {
				case 0:
					at = begins
				case k - 1:
					at = ends
				}
				c.words[a+i+x].list = at<<2 | uint8(long&3)
			}
		}
	}
	for i := 0; i < n; {
		j := int(c.next[i])
		h := uint64(seed)
		for k := i; k < j; k++ {
			h = hashRune(h, c.toks[a+k].next)
		}
		class := uint8(unknownWord)
		if r := c.lists.zh.find(nameKey(h)); r != nil && r[2]&zhWord != 0 {
			class = uint8(r[1])
		}
		for k := i; k < j; k++ {
			w := &c.words[a+k]
			w.class, w.hash, w.first, w.last = class, h, a+i, a+j-1
			switch {
			case j == i+1:
				w.place = alone
			case k == i:
				w.place = begins
			case k == j-1:
				w.place = ends
			default:
				w.place = inside
			}
		}
		i = j
	}
}

// marks notes what stands inside title marks and quotation marks.
func (c *chinese) marks() {
	open, base := -1, uint8(0)
	for i := range c.toks {
		switch c.toks[i].next {
		case '《':
			open, base = i, 1
		case '「', '『', '“':
			open, base = i, 3
		case '》', '」', '』', '”':
			if open >= 0 && i-open <= 40 {
				for k := open + 1; k < i; k++ {
					c.toks[k].quote = base
				}
				if open+1 < i {
					c.toks[open+1].quote = base + 1
				}
			}
			open = -1
		}
	}
}

// char is a token as its neighbours see it.
func (c *chinese) char(i int) uint64 {
	switch {
	case i < 0 || i >= len(c.toks):
		return 1
	case c.toks[i].kind == number:
		return 2
	}
	return c.toks[i].low
}

func (w *wordAt) kind() uint64 { return uint64(w.place)<<8 | uint64(w.class) }

// features appends the keys of token i's features.
func (c *chinese) features(dst []uint32, i int) []uint32 {
	n := len(c.toks)
	w := &c.words[i]
	ch, before, after := c.char(i), c.char(i-1), c.char(i+1)
	dst = append(dst, key(1, 0), key(2, ch), key(3, w.kind()), key(4, w.hash),
		key(5, c.char(i-2)), key(6, before), key(7, after), key(8, c.char(i+2)),
		key(9, pair(before, ch)), key(10, pair(ch, after)), key(11, pair(before, after)))
	if i > 0 {
		p := &c.words[i-1]
		dst = append(dst, key(12, p.kind()), key(13, p.hash))
		if p.list != 0 {
			dst = append(dst, key(14, uint64(p.list)))
		}
	}
	if i+1 < n {
		p := &c.words[i+1]
		dst = append(dst, key(15, p.kind()), key(16, p.hash))
		if p.list != 0 {
			dst = append(dst, key(17, uint64(p.list)))
		}
	}
	if w.first > 0 {
		dst = append(dst, key(18, c.words[w.first-1].hash), key(19, pair(c.words[w.first-1].hash, w.kind())))
	}
	if w.last+1 < n {
		p := &c.words[w.last+1]
		dst = append(dst, key(20, p.hash), key(21, p.kind()), key(22, pair(p.hash, w.kind())))
	}
	if w.list != 0 {
		dst = append(dst, key(23, uint64(w.list)), key(24, pair(uint64(w.list), w.kind())))
	}
	if w.surname {
		dst = append(dst, key(25, 0))
	}
	if w.given {
		dst = append(dst, key(26, 0))
	}
	if w.name != 0 {
		dst = append(dst, key(27, uint64(w.name)), key(28, pair(uint64(w.name), uint64(w.place))), key(29, c.char(i+int(w.name)+1)))
	}
	if i > 0 && c.words[i-1].name != 0 {
		dst = append(dst, key(30, pair(uint64(c.words[i-1].name), uint64(w.place))))
	}
	if i > 1 && c.words[i-2].name == 2 {
		dst = append(dst, key(31, uint64(w.place)))
	}
	if w.suffix {
		dst = append(dst, key(32, ch))
	}
	for d := 1; d <= 3; d++ {
		if i+d < n && c.words[i+d].suffix {
			dst = append(dst, key(32+uint64(d), c.char(i+d)))
		}
	}
	if q := c.toks[i].quote; q != 0 {
		dst = append(dst, key(36, uint64(q)))
	}
	return dst
}
