package tokenize

import (
	"fmt"
	"unicode/utf8"
)

// WordPieceOptions say how a WordPiece built from a vocabulary alone reads text.
type WordPieceOptions struct {
	// KeepCase keeps case and accents, as vocabularies called cased want.
	KeepCase bool
	// Unknown is the piece that stands for a word that cannot be cut. Empty means "[UNK]". Where
	// the vocabulary lacks it, such a word gives nothing.
	Unknown string
	// Prefix marks the pieces that go on within a word. Empty means "##".
	Prefix string
	// MaxWordChars is the length in characters from which on a word is unknown without looking.
	// 0 means 100.
	MaxWordChars int
	// Special are the pieces that no text ever gives, such as "[CLS]".
	Special []string
}

// A WordPiece cuts text as BERT does: control characters dropped, Chinese characters set apart, case
// and accents folded unless they are kept, cut at spaces and around punctuation, and each word cut
// from its left into the longest pieces of the vocabulary. It never changes once made, and serves
// any number of goroutines.
type WordPiece struct {
	model   wordPieceModel
	reading bertNormalizer
}

// NewWordPiece makes a WordPiece whose piece i has the id i. Of equal pieces the last one counts.
func NewWordPiece(vocabulary []string, o WordPieceOptions) (*WordPiece, error) {
	if o.Unknown == "" {
		o.Unknown = "[UNK]"
	}
	if o.Prefix == "" {
		o.Prefix = "##"
	}
	if o.MaxWordChars == 0 {
		o.MaxWordChars = 100
	}
	keys := make([]trieKey, len(vocabulary))
	for i, p := range vocabulary {
		keys[i] = trieKey{p, int32(i)}
	}
	special := make(map[string]bool, len(o.Special))
	for _, p := range o.Special {
		special[p] = true
	}
	m, err := newWordPieceModel(keys, o.Unknown, o.Prefix, o.MaxWordChars, special)
	if err != nil {
		return nil, fmt.Errorf("tokenize: a vocabulary of word pieces: %w", err)
	}
	return &WordPiece{
		model:   m,
		reading: newBertNormalizer(true, true, !o.KeepCase, !o.KeepCase),
	}, nil
}

// UnknownID is the id given for a word that cannot be cut, -1 when there is none.
func (w *WordPiece) UnknownID() int32 { return w.model.unk }

// AppendIDs appends the ids of the text's pieces to dst, without special tokens, and returns it.
// Beyond dst it allocates nothing once warm.
func (w *WordPiece) AppendIDs(dst []int32, text string) []int32 {
	s := scratches.Get().(*scratch)
	defer s.release()
	s.cur.fill(text, 0, false)
	s.alt.reset(false)
	w.reading.apply(s.alt, s.cur)
	s.swap()
	s.whole()
	bertPreTokenizer{}.apply(s)
	s.ids, s.ends = s.ids[:0], s.ends[:0]
	for _, at := range s.words {
		w.model.cut(s, s.cur.b[at.start:at.end])
	}
	return append(dst, s.ids...)
}

// whole makes the text one word, or none when it is empty.
func (s *scratch) whole() {
	s.words = s.words[:0]
	if len(s.cur.b) > 0 {
		s.words = append(s.words, word{start: 0, end: int32(len(s.cur.b))})
	}
}

// A model cuts one word: it appends the ids of its pieces to s.ids and where they end to s.ends.
type model interface {
	cut(s *scratch, word []byte)
}

// A wordPieceModel takes the longest piece again and again.
type wordPieceModel struct {
	trie     *trie
	within   int32 // where the walk for a piece within a word begins: behind the prefix; -1: no such pieces
	unk      int32 // -1: a word that cannot be cut gives nothing
	maxChars int
}

// newWordPieceModel makes a model of the keys. What is special can be no part of a word.
func newWordPieceModel(keys []trieKey, unknown, prefix string, maxChars int, special map[string]bool) (wordPieceModel, error) {
	if maxChars < 0 {
		return wordPieceModel{}, fmt.Errorf("words of at most %d characters: the limit is 0 or more", maxChars)
	}
	m := wordPieceModel{unk: -1, maxChars: maxChars}
	pieces := make([]trieKey, 0, len(keys))
	for _, k := range keys {
		if k.key == unknown {
			m.unk = k.val
			continue
		}
		if special[k.key] {
			continue
		}
		pieces = append(pieces, k)
	}
	m.trie = newTrie(pieces)
	for _, c := range []byte(prefix) {
		next, ok := m.trie.step(m.within, c)
		if !ok {
			m.within = -1
			break
		}
		m.within = next
	}
	return m, nil
}

// cut cuts a word, which is unknown as a whole when one part of it is.
func (m wordPieceModel) cut(s *scratch, word []byte) {
	first := len(s.ids)
	if len(word) > m.maxChars && utf8.RuneCount(word) > m.maxChars {
		m.unknown(s, first, len(word))
		return
	}
	units, at := m.trie.units, root
	for start := 0; start < len(word); {
		end, id := -1, int32(-1)
		for i := start; i < len(word) && at >= 0; i++ {
			next := units[at].base ^ int32(word[i])
			u := units[next]
			if u.check != at {
				break
			}
			at = next
			if u.val >= 0 {
				end, id = i+1, u.val
			}
		}
		if end < 0 {
			m.unknown(s, first, len(word))
			return
		}
		s.ids = append(s.ids, id)
		s.ends = append(s.ends, int32(end))
		start, at = end, m.within
	}
}

// unknown puts one unknown piece in place of those from first on.
func (m wordPieceModel) unknown(s *scratch, first, end int) {
	s.ids, s.ends = s.ids[:first], s.ends[:first]
	if m.unk >= 0 {
		s.ids = append(s.ids, m.unk)
		s.ends = append(s.ends, int32(end))
	}
}
