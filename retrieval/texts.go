package retrieval

import (
	"strings"
	"sync"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/internal/recent"
	"github.com/asof-db/asof/internal/static"
	"github.com/asof-db/asof/retrieval/rerank"
	"github.com/asof-db/asof/store"
)

// Texts remembers what the texts of turns show without being asked anything, and
// the terms of words near another. What it gives is a function of the text alone,
// so it changes how fast a search answers and nothing else. Its zero value is
// ready to use and may be shared by goroutines; it holds some tens of megabytes
// at most.
type Texts struct {
	once  sync.Once // gives the maps their bounds
	texts recent.Map[saying, *shown]
	near  recent.Map[string, []nearWord]
}

const (
	// textsKept and nearKept bound what is remembered, in bytes of memory, about.
	textsKept = 32 << 20
	nearKept  = 4 << 20
	// textCost is what a text takes beside its own bytes, textRatio how often its
	// own bytes, with its terms; nearCost what a near word takes.
	textCost, textRatio = 256, 4
	nearCost            = 96
)

func (t *Texts) init() {
	t.once.Do(func() {
		t.texts.Init(textsKept)
		t.near.Init(nearKept)
	})
}

// saying names what a turn shows: by its text, or, where there is more to it, by its
// hash.
type saying struct {
	text string
	hash dsl.Hash
}

// shown is what a text shows. It never changes.
type shown struct {
	text string // as it is shown
	// asking is the share that stands in questions; asks tells that it ends with one.
	asking float64
	asks   bool
	traits rerank.Traits

	once sync.Once
	wordsOf
}

// wordsOf is what the terms of a text show.
type wordsOf struct {
	// terms are those of the first phraseBytes, and bits a byte of a hash of each.
	terms []string
	bits  []byte
	// dated and counted tell that one of all terms says when, or how many.
	dated, counted bool
}

// of gives what a turn shows.
func (t *Texts) of(turn *store.Turn) *shown {
	key := saying{text: turn.Text.String()}
	if len(turn.Attachments) > 0 {
		if key = (saying{hash: turn.Hash}); key.hash == (dsl.Hash{}) {
			return show(&turn.Turn) // a turn of no store
		}
	}
	t.init()
	if x, ok := t.texts.Get(key); ok {
		return x
	}
	x := show(&turn.Turn)
	t.texts.Put(key, x, textCost+textRatio*len(x.text))
	return x
}

// show reads what a turn shows.
func show(turn *dsl.Turn) *shown {
	said, text := turn.Text.String(), turnText(*turn)
	trimmed := strings.TrimSpace(said)
	return &shown{text: text, traits: rerank.ReadText(text),
		asking: asking(said), asks: strings.HasSuffix(trimmed, "?") || strings.HasSuffix(trimmed, "？")}
}

// words gives what the terms of a text show.
func (x *shown) words(a *analyze.Analyzer) *wordsOf {
	x.once.Do(func() {
		terms := a.Terms(nil, x.text)
		for _, t := range terms {
			x.dated = x.dated || dated(t)
			x.counted = x.counted || counted(t)
		}
		if len(x.text) > phraseBytes {
			terms = a.Terms(terms[:0], x.text[:phraseBytes])
		}
		x.terms = append(make([]string, 0, len(terms)), terms...)
		x.bits = make([]byte, len(terms))
		for i, t := range terms {
			x.bits[i] = bitOf(t)
		}
	})
	return &x.wordsOf
}

// bitOf gives a byte of a hash of a term: equal terms have equal ones.
func bitOf(term string) byte {
	h := uint32(2166136261)
	for i := range len(term) {
		h = (h ^ uint32(term[i])) * 16777619
	}
	return byte(h ^ h>>8 ^ h>>16)
}

// nearWord is the terms of a word near another that are no stop words.
type nearWord struct {
	terms  []string
	cosine float64
}

// nearTo gives the words that are nearest to an English word of small letters,
// best first.
func (t *Texts) nearTo(a *analyze.Analyzer, word string) []nearWord {
	if len(word) > analyze.MaxTermBytes {
		return nil // the table has no such word
	}
	t.init()
	list, ok := t.near.Get(word)
	if ok {
		return list
	}
	for _, n := range static.Near(word) {
		x := nearWord{cosine: n.Cosine}
		for _, term := range a.Terms(nil, n.Word) {
			if !analyze.Stop(term) {
				x.terms = append(x.terms, term)
			}
		}
		list = append(list, x)
	}
	t.near.Put(strings.Clone(word), list, nearCost*(1+len(list)))
	return list
}
