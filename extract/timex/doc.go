// Package timex reads time expressions, English and Chinese, as a calendar reads
// them: dates in all their orders and scripts, clock times, parts of the day,
// shifts ("two days after Christmas", 半年之后), ranges, durations and sets.
//
// [Whole] reads a text that is one expression and nothing else, an entry of a
// form or a bare answer. There the shortest forms count ("15/2", "at 3", 五一),
// and what is left open is taken as the nearest that is to come. [Find] looks for
// expressions in running text, where only forms count that hardly mean anything
// else; the conversational grammar of package extract has the first word there.
//
// # Method
//
// A text is cut into tokens, each with what a table of words knows of it. At a
// token that can start an expression the grammar descends by hand-written rules,
// each of which reads a bounded number of tokens, and no rule is tried twice at
// one place for more than a bounded number of callers; a token that no time word
// follows closely starts nothing. So the work is linear in the length of the text
// whatever it holds; [Work] counts it for the tests.
//
// # Values
//
// A value is a TIMEX3 value, or A/B for an interval from A through B, ".." for an
// open side. From and To say the local interval [From, To) outright; where a value
// has no finer form ("early March" is 2013-03) they are the narrower of the two.
// A clock time without a date has a value such as T15:30 and no interval. What is
// left open (the half of the day, the year) is filled in and marked Ambiguous.
//
// Moveable feasts are computed: those after Easter and the Hebrew calendar by
// arithmetic, lunar ones from the table almanac.txt, which almanac.py writes by
// computing new moons and solar terms.
package timex
