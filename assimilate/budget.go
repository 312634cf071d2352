package assimilate

import (
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// Tokenizer names what counts tokens: one for each word that has a letter or a
// digit, one for each character of a script that does not mark its words.
const Tokenizer = "words/" + analyze.Version

// Tokens counts the tokens of a text, by Tokenizer.
func Tokens(text string) int { return analyze.Words(text) }

// factTokens counts the tokens of a version's canonical text: subject, words of
// the relation, value.
func factTokens(f *dsl.FactVersion) int {
	src, errSrc := f.SrcName.Open()
	relation, errRelation := f.Relation.Open()
	dst, errDst := f.DstName.Open()
	if errSrc != nil || errRelation != nil || errDst != nil {
		return 0 // sealed
	}
	return Tokens(store.FactText(src, f.Rel, relation, dst))
}

// summaryTokens counts the tokens of the summary that an operation writes; 0 for
// an operation that is about no event.
func summaryTokens(o *dsl.Op) int {
	if o.Kind != dsl.UpsertEvent {
		return 0
	}
	s, err := o.Summary.Open()
	if err != nil {
		return 0
	}
	return Tokens(s)
}

// allowance is what may be written in all: the budget for each session begun.
func (w *working) allowance() int { return w.opt.Budget * w.Sessions }

// room tells whether n tokens more keep to the budget.
func (w *working) room(n int) bool { return w.Tokens+n <= w.allowance() }

// keep gives the salience from which a change is written: as the budget runs
// out, from one half of it on, the threshold rises to 1, so that the most
// salient changes have what is left.
func (w *working) keep() float64 {
	all := w.allowance()
	if all <= 0 {
		return 1
	}
	used := float64(w.Tokens)/float64(all) - 0.5
	if used <= 0 {
		return w.opt.Keep
	}
	return min(1, w.opt.Keep+float64((1-w.opt.Keep)*min(1, 2*used)))
}
