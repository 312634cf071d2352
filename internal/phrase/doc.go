// Package phrase is the small language of text patterns by which a relation is found
// in what people say. A pattern is one line:
//
//	{src} (is|am|are) allergic to {dst}
//	{src}对{dst}过敏
//
//	word      itself, in any case; in Chinese a run of characters
//	(a|b c)   one of several
//	[a|b]     one of several, or nothing
//	<name>    a named set of words: <be>, <have>, <my>, <a>, <not>
//	*         at most three further words (Chinese: six characters) of the clause
//	^ and $   the start and the end of a clause
//	{name}    a slot, which takes a value; {name:kind} one of a kind
//
// Nothing repeats without bound and slots stand outside of brackets: so a pattern is a
// finite graph. [Pattern.Match] walks it from one
// place and remembers where it has been, and looks no further than a fixed number of
// places ahead; the cost of a text is linear in its length times the size of the
// pattern, whatever either holds.
//
// What a word, a clause's end and the value of a slot are is the caller's to say
// ([Text]).
package phrase
