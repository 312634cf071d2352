package tokenize

import (
	"fmt"
	"math"
	"unicode"
	"unicode/utf8"
)

// A Piece is a piece of a Unigram vocabulary with its score, a natural logarithm of a probability.
type Piece struct {
	Text  string
	Score float64
}

// UnigramOptions say how a Unigram built from pieces alone reads text.
type UnigramOptions struct {
	// Unknown is the piece given for a run of characters that no piece covers. Empty means that
	// such a run gives nothing.
	Unknown string
	// Metaspace cuts text at white space and writes U+2581 before each word, as SentencePiece does
	// in its vocabularies. Without it text is taken as it stands, spaces and all.
	Metaspace bool
	// Special are the pieces that no text ever gives, such as "</s>".
	Special []string
}

// A Unigram cuts text into the pieces whose scores sum highest. It never changes once made, and
// serves any number of goroutines.
type Unigram struct {
	model     unigramModel
	metaspace bool
}

// NewUnigram makes a Unigram whose piece i has the id i. Of equal pieces the last one counts. It
// normalises nothing.
func NewUnigram(pieces []Piece, o UnigramOptions) (*Unigram, error) {
	unk := -1
	special := make(map[string]bool, len(o.Special))
	for _, p := range o.Special {
		special[p] = true
	}
	if o.Unknown != "" {
		for i, p := range pieces {
			if p.Text == o.Unknown {
				unk = i
			}
		}
		if unk < 0 {
			return nil, fmt.Errorf("tokenize: the pieces of a Unigram lack the unknown piece %q", o.Unknown)
		}
	}
	m, err := newUnigramModel(pieces, unk, false, special)
	if err != nil {
		return nil, fmt.Errorf("tokenize: the pieces of a Unigram: %w", err)
	}
	return &Unigram{model: m, metaspace: o.Metaspace}, nil
}

// UnknownID is the id given for what no piece covers, -1 when there is none.
func (u *Unigram) UnknownID() int32 { return u.model.unk }

// AppendIDs appends the ids of the text's pieces to dst, without special tokens, and returns it.
// Beyond dst it allocates nothing once warm.
func (u *Unigram) AppendIDs(dst []int32, text string) []int32 {
	s := scratches.Get().(*scratch)
	defer s.release()
	s.cur.fill(text, 0, false)
	s.whole()
	if u.metaspace {
		whitespaceSplit{}.apply(s)
		metaspace{mark: '▁', prepend: prependAlways, split: true}.apply(s)
	}
	s.ids, s.ends = s.ids[:0], s.ends[:0]
	for _, at := range s.words {
		u.model.cut(s, s.cur.b[at.start:at.end])
	}
	return append(dst, s.ids...)
}

// unknownPenalty is how much worse than the worst piece a character is that no piece covers.
const unknownPenalty = 10

// A unigramModel finds the best path through a word.
type unigramModel struct {
	trie     *trie
	scores   []float64
	unk      int32 // -1: what no piece covers gives nothing
	unkScore float64
	single   bool        // scores are summed in 32 bits, as SentencePiece itself sums them
	bytes    *[256]int32 // the pieces of single bytes that stand for what is unknown, nil for none
}

// A node is the best path to a place: its score, where its last piece begins and which one it is.
// start is -1 where nothing leads there.
type node struct {
	score float64
	start int32
	id    int32
}

// newUnigramModel makes a model of the pieces. What is special is found in no text.
func newUnigramModel(pieces []Piece, unk int, byteFallback bool, special map[string]bool) (unigramModel, error) {
	if len(pieces) > math.MaxInt32 {
		return unigramModel{}, fmt.Errorf("%d of them: too many for ids of 32 bits", len(pieces))
	}
	if unk >= len(pieces) {
		return unigramModel{}, fmt.Errorf("the unknown piece is number %d of %d", unk, len(pieces))
	}
	m := unigramModel{scores: make([]float64, len(pieces)), unk: int32(unk)}
	var isByte map[int32]bool
	if byteFallback {
		m.bytes = bytePieces(pieces)
		isByte = make(map[int32]bool, len(m.bytes))
		for _, id := range m.bytes {
			isByte[id] = true
		}
	}
	keys := make([]trieKey, 0, len(pieces))
	worst := 0.0
	for i, p := range pieces {
		if math.IsNaN(p.Score) || math.IsInf(p.Score, 0) {
			return unigramModel{}, fmt.Errorf("piece %d, %q, has the score %v", i, p.Text, p.Score)
		}
		m.scores[i] = p.Score
		if i == 0 || p.Score < worst {
			worst = p.Score
		}
		if i != unk && !special[p.Text] && !isByte[int32(i)] {
			keys = append(keys, trieKey{p.Text, int32(i)})
		}
	}
	m.unkScore = worst - unknownPenalty
	m.trie = newTrie(keys)
	return m, nil
}

// bytePieces finds the pieces <0x00> to <0xFF>, -1 for one that is not there.
func bytePieces(pieces []Piece) *[256]int32 {
	names := make(map[string]int, 256)
	var ids [256]int32
	for i := range ids {
		ids[i] = -1
		names[fmt.Sprintf("<0x%02X>", i)] = i
	}
	for i, p := range pieces {
		if b, ok := names[p.Text]; ok {
			ids[b] = int32(i)
		}
	}
	return &ids
}

// cut finds the best path and appends its pieces. Of paths with equal scores the one found first
// stays. A run of unknown characters is one piece.
func (m unigramModel) cut(s *scratch, word []byte) {
	nodes := s.nodes[:0]
	for range len(word) + 1 {
		nodes = append(nodes, node{start: -1})
	}
	s.nodes = nodes
	units := m.trie.units
	for at := 0; at < len(word); {
		size := 1
		if word[at] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(word[at:])
		}
		till := nodes[at].score
		single := false
		n := root
		for i := at; i < len(word); i++ {
			next := units[n].base ^ int32(word[i])
			u := units[next]
			if u.check != n {
				break
			}
			n = next
			if u.val < 0 {
				continue
			}
			single = single || i+1 == at+size
			to := &nodes[i+1]
			if score := m.sum(m.scores[u.val], till); to.start < 0 || score > to.score {
				*to = node{score, int32(at), u.val}
			}
		}
		if !single {
			to := &nodes[at+size]
			if score := m.sum(m.unkScore, till); to.start < 0 || score > to.score {
				*to = node{score, int32(at), -1}
			}
		}
		at += size
	}
	path := s.path[:0]
	for end := int32(len(word)); end > 0; end = nodes[end].start {
		path = append(path, end)
	}
	s.path = path
	for i := len(path) - 1; i >= 0; i-- {
		end := path[i]
		if id := nodes[end].id; id >= 0 {
			s.ids = append(s.ids, id)
			s.ends = append(s.ends, end)
			continue
		}
		begin := nodes[end].start
		for i > 0 && nodes[path[i-1]].id < 0 {
			i--
			end = path[i]
		}
		m.unknown(s, word[begin:end], end)
	}
}

// sum adds a piece's score to that of the path before it.
func (m unigramModel) sum(score, till float64) float64 {
	if m.single {
		return float64(float32(score + till))
	}
	return score + till
}

// unknown appends what stands for a run of unknown characters that ends at end: its bytes when all
// of them have pieces, which then all end there, or else the unknown piece.
func (m unigramModel) unknown(s *scratch, run []byte, end int32) {
	if m.bytes != nil {
		first := len(s.ids)
		for _, c := range run {
			if m.bytes[c] < 0 {
				break
			}
			s.ids = append(s.ids, m.bytes[c])
			s.ends = append(s.ends, end)
		}
		if len(s.ids)-first == len(run) {
			return
		}
		s.ids, s.ends = s.ids[:first], s.ends[:first]
	}
	if m.unk >= 0 {
		s.ids = append(s.ids, m.unk)
		s.ends = append(s.ends, end)
	}
}

// isSpace says whether a character is white space in Unicode's sense.
func isSpace(r rune) bool { return unicode.IsSpace(r) }
