package extract

import "time"

// Times gives the time expressions of a text, in order of their place, by the
// same grammars as a turn's: local is when it was said, in its own zone. Names
// are not looked for, so a time in the title of a work counts as one. Each end of
// a shift or range ("two weeks before May 3") is an expression of its own.
func Times(text string, local time.Time) []TimeExpr {
	d := &Document{Text: text, Local: local, tokens: tokenize(text), question: true}
	d.quotes = quoteRanges(d.tokens)
	d.Sentences = ruleSplitter{}.Split(d)
	return ruleTimes{}.FindTimes(d)
}
