package tokenize

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A former writes text in one of Unicode's normalization forms.
//
// It does so itself, on single characters' properties: the library's own functions break long runs
// of accents with a character that is not in the text, and know later versions' decompositions.
type former struct {
	form    norm.Form // norm.NFD or norm.NFKD: which decompositions to take
	compose bool
}

// A mark is a character of a run that begins with one of class 0.
type mark struct {
	r     rune
	class uint8
	more  bool // not the first of those that came from one character
	from  int  // where that one begins in the source
}

// apply appends src in the form. A character has the span of the one that it came from, or of the
// first one where it was made of several.
func (n former) apply(dst, src *buffer) {
	var run []mark
	var before []int // where the run's characters begin in the source
	for i := 0; i < len(src.b); {
		run, before = run[:0], before[:0]
		start := i
		for i < len(src.b) {
			r, size := utf8.DecodeRune(src.b[i:])
			if len(run) > 0 && n.starts(src.b[i:], r) {
				break
			}
			before = append(before, i)
			more := false
			n.decompose(src.b[i:], r, func(d rune) {
				run = append(run, mark{r: d, class: class(d), more: more})
				more = true
			})
			i += size
			if len(run) == 1 && r < utf8.RuneSelf && (i == len(src.b) || src.b[i] < utf8.RuneSelf) {
				break // Nothing joins two of ASCII.
			}
		}
		if len(run) == 1 && run[0].r < utf8.RuneSelf && i == start+1 {
			dst.keep(src, start, i)
			continue
		}
		reorder(run)
		place(run, before)
		if n.compose {
			run = compose(run)
		}
		for _, m := range run {
			dst.put(m.r, src, m.from)
		}
	}
}

// starts says whether a run of characters that change each other can begin with r.
func (n former) starts(b []byte, r rune) bool {
	if unicode.Is(laterForms, r) {
		return true
	}
	p := norm.NFC.Properties(b)
	if n.form == norm.NFKD {
		p = norm.NFKC.Properties(b)
	}
	return p.BoundaryBefore()
}

// decompose yields the decomposition of a character in the form.
func (n former) decompose(b []byte, r rune, yield func(rune)) {
	if n.form == norm.NFKD && r >= utf8.RuneSelf && !unicode.Is(laterForms, r) && (r < hangulBase || r >= hangulEnd) {
		if d := norm.NFKD.Properties(b).Decomposition(); len(d) > 0 {
			for _, c := range string(d) {
				yield(c)
			}
			return
		}
	}
	decompose(r, yield)
}

// class is a character's canonical combining class.
func class(r rune) uint8 {
	if r < 0x300 {
		return 0
	}
	var buf [utf8.UTFMax]byte
	return norm.NFD.Properties(utf8.AppendRune(buf[:0], r)).CCC()
}

// reorder sorts each stretch of characters whose class is not 0 by class.
func reorder(run []mark) {
	for i := 0; i < len(run); {
		j := i
		for j < len(run) && run[j].class != 0 {
			j++
		}
		slices.SortStableFunc(run[i:j], func(a, b mark) int { return cmp.Compare(a.class, b.class) })
		i = max(j, i+1)
	}
}

// place says where each character came from. Those that changed places take those of the places, so
// that spans stay in order.
func place(run []mark, before []int) {
	at := -1
	for i := range run {
		if !run[i].more {
			at++
		}
		run[i].from = before[max(at, 0)]
	}
}

// compose joins characters with those of class 0 before them, as far as nothing between hinders it.
func compose(run []mark) []mark {
	out := run[:0]
	starter := -1
	for _, m := range run {
		if starter >= 0 {
			last := out[len(out)-1]
			blocked := len(out)-1 > starter && (last.class >= m.class || last.class == 0)
			if c, ok := pair(out[starter].r, m.r); ok && !blocked {
				out[starter].r = c
				continue
			}
		}
		if m.class == 0 {
			starter = len(out)
		}
		out = append(out, m)
	}
	return out
}

// pair returns the one character that two make.
func pair(a, b rune) (rune, bool) {
	var buf, to [2 * utf8.UTFMax]byte
	text := utf8.AppendRune(utf8.AppendRune(buf[:0], a), b)
	joined := norm.NFC.Append(to[:0], text...)
	r, size := utf8.DecodeRune(joined)
	return r, size == len(joined) && !unicode.Is(laterForms, r)
}
