package phrase

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// node is a part of a pattern before it is compiled.
type node struct {
	kind  byte // 'w' word, 's' slot, '*', '^', '$', '(' one of, ',' in turn
	word  string
	slot  Slot
	parts []node
	// open tells that '(' may take nothing.
	open bool
}

// sets are the named sets of words, by language.
var sets = map[string]map[string][]string{
	"en": {
		"be": {"am", "is", "are", "'m", "'s", "'re"}, "was": {"was", "were"}, "have": {"have", "has", "'ve", "'s"},
		"my": {"my", "our"}, "a": {"a", "an", "the", "my", "our", "some"}, "not": {"not", "n't", "never"},
	},
	"zh": {
		"be": {"是", "就是"}, "was": {"以前是", "曾经是", "原来是"}, "have": {"有", "有着"},
		"my": {"我的", "我们的", "我家的", "我"}, "a": {"一个", "一名", "一位", "个", "名", "位"}, "not": {"不", "没", "没有", "别"},
	},
}

// Parse compiles a pattern of a language, en or zh. An error says what is wrong and
// where, in characters from 1.
func Parse(lang, text string) (*Pattern, error) {
	if sets[lang] == nil {
		return nil, fmt.Errorf("%q is no language of patterns; want en or zh", lang)
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("the pattern has %d bytes; at most %d", len(text), MaxBytes)
	}
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("the pattern is not UTF-8")
	}
	r := reader{text: []rune(text), lang: lang}
	n, err := r.sequence(0, 0)
	if err != nil {
		return nil, err
	}
	p := &Pattern{}
	if err := p.compile(n); err != nil {
		return nil, err
	}
	p.cues = needed(&n)
	p.opens, _ = opening(&n)
	if len(p.cues) == 0 {
		return nil, fmt.Errorf("the pattern has no word that must stand there: it would match everywhere")
	}
	return p, nil
}

// reader reads a pattern.
type reader struct {
	text []rune
	at   int
	lang string
}

func (r *reader) fault(at int, format string, args ...any) error {
	return fmt.Errorf("at character %d: "+format, append([]any{at + 1}, args...)...)
}

// sequence reads parts until the closing mark, 0 for the end of the text, or a bar.
func (r *reader) sequence(closing rune, depth int) (node, error) {
	out := node{kind: ','}
	if depth > maxDepth {
		return out, r.fault(r.at, "brackets nest deeper than %d", maxDepth)
	}
	for r.at < len(r.text) {
		c, at := r.text[r.at], r.at
		switch c {
		case closing, '|':
			if depth == 0 {
				return out, r.fault(at, "a bar outside of brackets")
			}
			return out, nil
		case ' ':
			r.at++
		case ')', ']', '}', '>':
			return out, r.fault(at, "%q closes nothing", string(c))
		case '(', '[':
			n, err := r.choice(depth)
			if err != nil {
				return out, err
			}
			out.parts = append(out.parts, n)
		case '{', '<':
			n, err := r.named(c, depth)
			if err != nil {
				return out, err
			}
			out.parts = append(out.parts, n)
		case '*', '^', '$':
			r.at++
			out.parts = append(out.parts, node{kind: byte(c)})
		default:
			out.parts = append(out.parts, r.words()...)
		}
	}
	if closing != 0 {
		return out, r.fault(len(r.text), "%q is missing", string(closing))
	}
	return out, nil
}

// choice reads (a|b) or [a|b].
func (r *reader) choice(depth int) (node, error) {
	opening := r.text[r.at]
	closing := map[rune]rune{'(': ')', '[': ']'}[opening]
	start := r.at
	out := node{kind: '(', open: opening == '['}
	for {
		r.at++
		n, err := r.sequence(closing, depth+1)
		if err != nil {
			return out, err
		}
		if r.at >= len(r.text) {
			return out, r.fault(start, "%q is not closed", string(opening))
		}
		if len(n.parts) == 0 {
			return out, r.fault(r.at, "nothing to choose before %q", string(r.text[r.at]))
		}
		out.parts = append(out.parts, n)
		if r.text[r.at] == closing {
			r.at++
			return out, nil
		}
	}
}

// named reads {slot:kind} or <set>.
func (r *reader) named(opening rune, depth int) (node, error) {
	closing := map[rune]rune{'{': '}', '<': '>'}[opening]
	start := r.at
	end := slices.Index(r.text[start:], closing)
	if end < 0 {
		return node{}, r.fault(start, "%q is not closed", string(opening))
	}
	name := string(r.text[start+1 : start+end])
	r.at = start + end + 1
	if opening == '<' {
		words, ok := sets[r.lang][name]
		if !ok {
			return node{}, r.fault(start, "<%s> is no set of words; want one of %s", name, strings.Join(slices.Sorted(maps.Keys(sets[r.lang])), ", "))
		}
		out := node{kind: '('}
		for _, w := range words {
			out.parts = append(out.parts, node{kind: 'w', word: w})
		}
		return out, nil
	}
	if depth > 0 {
		return node{}, r.fault(start, "a slot in brackets; slots stand outside of them")
	}
	name, kind, _ := strings.Cut(name, ":")
	if !plainWord(name) || kind != "" && !plainWord(kind) {
		return node{}, r.fault(start, "a slot is {name} or {name:kind}, in small letters")
	}
	return node{kind: 's', slot: Slot{name, kind}}, nil
}

func plainWord(s string) bool {
	for _, c := range s {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return s != ""
}

// words reads the words up to the next mark of the language.
func (r *reader) words() []node {
	start := r.at
	for r.at < len(r.text) && !strings.ContainsRune(" ()[]{}<>|*^$", r.text[r.at]) {
		r.at++
	}
	s := strings.ToLower(strings.ReplaceAll(string(r.text[start:r.at]), "’", "'"))
	if r.lang == "zh" {
		return []node{{kind: 'w', word: s}}
	}
	var out []node
	for _, w := range englishWords(s) {
		out = append(out, node{kind: 'w', word: w})
	}
	return out
}

// englishWords splits a word where a tokenizer of English does: "don't" is "do" and
// "n't", "part-time" three words.
func englishWords(s string) []string {
	var out []string
	for s != "" {
		i := strings.IndexAny(s, "-,;:!.'")
		switch {
		case i < 0:
			return append(out, s)
		case s[i] == '\'' && i > 0 && strings.HasSuffix(s, "n't") && i == len(s)-2:
			switch head := s[:i-1]; head {
			case "":
			case "ca":
				out = append(out, "can")
			case "wo":
				out = append(out, "will")
			default:
				out = append(out, head)
			}
			return append(out, "n't")
		case s[i] == '\'':
			if i > 0 {
				out = append(out, s[:i])
			}
			return append(out, s[i:])
		case i > 0:
			out = append(out, s[:i])
			s = s[i:]
		default:
			out = append(out, s[:1])
			s = s[1:]
		}
	}
	return out
}

// compile turns a pattern's parts into steps.
func (p *Pattern) compile(n node) error {
	slot := false
	for _, part := range n.parts {
		switch part.kind {
		case 's':
			if slot {
				p.touching = part.slot.Name
			}
			if p.Slot(part.slot.Name) >= 0 {
				return fmt.Errorf("{%s} stands there twice", part.slot.Name)
			}
			if len(p.slots) == 8 {
				return fmt.Errorf("more than 8 slots")
			}
			p.slots = append(p.slots, part.slot)
			slot = true
		case 'w':
			slot = false
		case '(':
			slot = slot && part.open
		}
	}
	next := 0
	p.emit(&n, &next)
	p.steps = append(p.steps, step{op: opMatch})
	if len(p.steps) > MaxSteps {
		return fmt.Errorf("the pattern has %d steps; at most %d", len(p.steps), MaxSteps)
	}
	return nil
}

// emit adds the steps of a node; slot is the next slot's place.
func (p *Pattern) emit(n *node, slot *int) {
	here := func() int { return len(p.steps) }
	add := func(s step) int {
		s.next = here() + 1
		p.steps = append(p.steps, s)
		return here() - 1
	}
	if len(p.steps) > MaxSteps {
		return
	}
	switch n.kind {
	case 'w':
		add(step{op: opWords, words: []string{n.word}})
	case 's':
		add(step{op: opSlot, slot: *slot})
		*slot++
	case '^':
		add(step{op: opStart})
	case '$':
		add(step{op: opEnd})
	case '*':
		var splits []int
		for range gapWords {
			splits = append(splits, add(step{op: opSplit}))
			add(step{op: opSkip})
		}
		// The shortest first.
		for _, i := range splits {
			p.steps[i].next, p.steps[i].other = here(), i+1
		}
	case ',':
		for i := range n.parts {
			p.emit(&n.parts[i], slot)
		}
	case '(':
		if words, ok := n.plain(); ok && !n.open {
			add(step{op: opWords, words: words})
			return
		}
		var leave []int
		last := -1
		for i := range n.parts {
			last = add(step{op: opSplit})
			p.emit(&n.parts[i], slot)
			leave = append(leave, add(step{op: opSplit}))
			p.steps[last].other = here()
		}
		if !n.open {
			// Nothing else may stand there: the last choice is no choice.
			p.steps[last].other = last + 1
		}
		for _, i := range leave {
			p.steps[i].next, p.steps[i].other = here(), here()
		}
	}
}

// plain gives the words of a choice whose parts are each one word.
func (n *node) plain() ([]string, bool) {
	var out []string
	for _, part := range n.parts {
		for part.kind == ',' && len(part.parts) == 1 {
			part = part.parts[0]
		}
		if part.kind != 'w' {
			return nil, false
		}
		out = append(out, part.word)
	}
	return out, true
}

// needed gives words of which every match of the node holds one, those of the part
// whose shortest word is longest; nil where there is no such part.
func needed(n *node) []string {
	switch n.kind {
	case 'w':
		return []string{n.word}
	case '(':
		if n.open {
			return nil
		}
		var all []string
		for i := range n.parts {
			w := needed(&n.parts[i])
			if w == nil {
				return nil
			}
			all = append(all, w...)
		}
		return all
	}
	var best []string
	for i := range n.parts {
		if w := needed(&n.parts[i]); w != nil && rarity(w) > 0 && (best == nil || rarity(w) > rarity(best)) {
			best = w
		}
	}
	return best
}

// opening gives the words that a match of the node may start with, nil where it may
// start otherwise, and whether the node may take nothing.
func opening(n *node) (words []string, empty bool) {
	switch n.kind {
	case 'w':
		return []string{n.word}, false
	case '(':
		for i := range n.parts {
			w, e := opening(&n.parts[i])
			if w == nil || e {
				return nil, true
			}
			words = append(words, w...)
		}
		return words, n.open
	case ',':
		for i := range n.parts {
			w, e := opening(&n.parts[i])
			if w == nil {
				return nil, true
			}
			if words = append(words, w...); !e {
				return words, false
			}
		}
		return nil, true
	}
	return nil, true
}

// common are words that stand in every second sentence.
var common = wordSet("a an the i my our me we it is am are was were be been 's 'm 're 've have has had do does did not n't to of in on at for with from and but or so that this up out off about by as you your no now just all get got go going over 是 的 了 我 在 不 有 就 也 都 我的")

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// rarity tells how well a set of words picks sentences: by its shortest word, common
// words least, few before many.
func rarity(words []string) int {
	least := 1 << 20
	for _, w := range words {
		n := 8 * min(utf8.RuneCountInString(w), 6)
		if strings.ContainsAny(w[:1], ",;:!.-'") {
			n = 0 // a mark picks nothing
		}
		if common[w] {
			n = 8
		}
		least = min(least, n)
	}
	return least - min(len(words), 7)
}
