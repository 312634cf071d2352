package tagger

import (
	"slices"
	"sync"
)

// Span is a name: bytes [Start, End) of the text.
type Span struct {
	Start, End int
	// Type is one of Types.
	Type string
	// Margin is by how much the name scores above none, in steps of Scale to the
	// unit of a log-probability.
	Margin int
}

// Bias lowers or raises the score of every beginning of a name of the types of
// Types, in steps of Scale.
type Bias [len(Types)]int32

// scratch is the working memory of one call.
type scratch struct {
	toks   []tok
	active []bool
	keys   []uint32
	scores [][Labels]int32
	back   [][Labels]uint8
	labels []uint8
	zh     chinese
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// largest is the number of tokens past which working memory is not kept.
const largest = 4096

// longestRun bounds the tokens in a row that are read as language: more of them
// without a mark or an ordinary word between are none.
const longestRun = 512

// Tag appends the names in a text to dst, in order and not overlapping. A text
// with a Chinese character is tagged by the Chinese model. Tag may be called
// concurrently; its first call decodes the model.
func Tag(dst []Span, text string, bias Bias) []Span {
	s := scratches.Get().(*scratch)
	dst = s.tag(dst, text, bias)
	if len(s.toks) <= largest {
		scratches.Put(s)
	}
	return dst
}

// prepare tokenizes a text, marks the active tokens and gives the function that
// appends the features of a token; nil where no token is active.
func (s *scratch) prepare(text string) (features func(dst []uint32, i int) []uint32, zh bool) {
	s.toks = tokenize(s.toks[:0], text)
	s.active = append(s.active[:0], make([]bool, len(s.toks))...)
	zh = slices.ContainsFunc(s.toks, func(t tok) bool { return t.kind == han })
	if zh {
		activeZh(s.toks, s.active)
		s.zh.reset(text, s.toks, loadLists())
		return s.zh.features, true
	}
	if !slices.ContainsFunc(s.toks, func(t tok) bool { return t.upper && t.low != pronounI }) {
		return nil, false
	}
	e := newEnglish(text, s.toks, loadLists())
	activeEn(s.toks, s.active)
	if !slices.Contains(s.active, true) {
		return nil, false
	}
	return e.features, false
}

func (s *scratch) tag(dst []Span, text string, bias Bias) []Span {
	features, zh := s.prepare(text)
	if features == nil {
		return dst
	}
	m := enModel
	if zh {
		m = zhModel
	}
	from := len(dst)
	dst = s.decode(dst, m(), features, bias)
	if zh {
		s.doubt(dst[from:])
	}
	return dst
}

// ordinaryDoubt is what a person's name loses that is an ordinary word.
const ordinaryDoubt = 6 * Scale

// doubt lowers the margin of Chinese persons whose name is an ordinary word of the
// list: 陶艺 is a surname and a character of given names, and pottery.
func (s *scratch) doubt(spans []Span) {
	i := 0
	for k := range spans {
		for s.toks[i].start < spans[k].Start {
			i++
		}
		w := &s.zh.words[i]
		if spans[k].Type == Types[0] && w.first == i && s.toks[w.last].end == spans[k].End && w.class > lastNameClass && w.class < unknownWord {
			spans[k].Margin -= ordinaryDoubt
		}
	}
}

// decode tags each run of active tokens.
func (s *scratch) decode(dst []Span, m *model, features func([]uint32, int) []uint32, bias Bias) []Span {
	for a := 0; a < len(s.toks); {
		if !s.active[a] {
			a++
			continue
		}
		b := a
		for b < len(s.toks) && s.active[b] {
			b++
		}
		end := b
		if end-a > longestRun {
			a = end
			continue
		}
		s.scores = s.scores[:0]
		for b = a; b < end; b++ {
			s.keys = features(s.keys[:0], b)
			var row [Labels]int32
			for _, k := range s.keys {
				if w := m.features.find(k); w != nil {
					for l, v := range w {
						row[l+1] += int32(v)
					}
				}
			}
			for t, v := range bias {
				row[2*t+1] += v
			}
			s.scores = append(s.scores, row)
		}
		n := b - a
		s.back = append(s.back[:0], make([][Labels]uint8, n)...)
		s.labels = append(s.labels[:0], make([]uint8, n)...)
		m.viterbi(s.scores, s.back, s.labels)
		for i := 0; i < n; {
			l := s.labels[i]
			j := i + 1
			if l == 0 {
				i = j
				continue
			}
			for j < n && s.labels[j] == l+1 {
				j++
			}
			dst = append(dst, Span{s.toks[a+i].start, s.toks[a+j-1].end, Types[(l-1)/2], m.margin(s.scores, s.labels, i, j)})
			i = j
		}
		a = b
	}
	return dst
}
