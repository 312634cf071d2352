package scaffold

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/asof-db/asof/internal/analyze"
)

// counted gives the terms of what a question counts: the words right after "how
// many", or, where these only say what is being counted in (times, days), the
// telling words of the rest.
func (r *reading) counted() []string {
	text := r.p.Query
	low := strings.ToLower(text)
	rest := text
	for _, opening := range []string{"how many", "how much", "number of", "how often", "how long"} {
		if at := strings.Index(low, opening); at >= 0 && len(low) == len(text) {
			rest = text[at+len(opening):]
			break
		}
	}
	for _, opening := range countingZH {
		if at := strings.Index(text, opening); at >= 0 {
			rest = text[at+len(opening):]
			break
		}
	}
	names := map[string]bool{}
	for i := range r.mentions {
		for _, t := range r.analyzer.Terms(nil, r.mentions[i].turn.Speaker) {
			names[t] = true
		}
	}
	var noun, all []string
	open := true
	for _, t := range r.analyzer.Terms(nil, rest) {
		switch {
		case names[t]:
			open = false
		case analyze.Stop(t):
			open = open && len(noun) == 0
		case units[t]:
			open = false
		default:
			all = append(all, t)
			if open {
				noun = append(noun, t)
			}
		}
	}
	if len(noun) > 0 {
		return noun[len(noun)-1:] // the head of "red running shoes" is its last word
	}
	return all
}

var countingZH = []string{"多少次", "多少个", "多少", "几次", "几个", "几只", "几本", "几部", "几位", "几种", "几条"}

// units are words that count something else; analysed terms.
var units = map[string]bool{"time": true, "day": true, "week": true, "month": true, "year": true, "hour": true, "differ": true, "total": true}

// count lists the sentences that name what is counted, one a line, and the numbers
// that were stated of it.
func (r *reading) count() ([]Line, error) {
	terms := r.counted()
	if len(terms) == 0 {
		return nil, nil
	}
	type number struct {
		n    int
		have bool
		m    *mention
	}
	var numbers []number
	var lines []Line
	days := map[string]bool{}
	for i := range r.mentions {
		m := &r.mentions[i]
		said := r.analyzer.Terms(nil, m.text)
		shared := 0
		for _, t := range terms {
			if slices.Contains(said, t) {
				shared++
			}
		}
		if 2*shared < len(terms) || shared == 0 || strings.HasSuffix(m.text, "?") || strings.HasSuffix(m.text, "？") {
			continue
		}
		days[when(m.clock)] = true
		lines = append(lines, Line{Text: fmt.Sprintf("%d. %s: %s", len(lines)+1, when(m.clock), spoken(m)), Valid: m.clock.in, Evidence: []string{m.turn.ID}})
		if n, ok := statedNumber(said, terms); ok && !strings.HasPrefix(m.text, "(") { // a caption states nothing
			numbers = append(numbers, number{n, slices.ContainsFunc(strings.Fields(strings.ToLower(m.text)), func(w string) bool { return having[w] }), m})
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}
	for i := range numbers {
		for j := range i {
			x, y := &numbers[j], &numbers[i]
			if _, same := newer(x.m.clock, y.m.clock); same && x.have && y.have && x.n != y.n && x.m.turn.Speaker == y.m.turn.Speaker &&
				!x.m.clock.stated && !y.m.clock.stated {
				return nil, contradiction([]string{x.m.turn.ID, y.m.turn.ID}, "%s states %d and %d of %q on one day", x.m.turn.Speaker, x.n, y.n, strings.Join(terms, " "))
			}
		}
	}
	slices.SortStableFunc(numbers, func(x, y number) int { return cmp.Compare(y.m.turn.At, x.m.turn.At) })
	for i := range numbers {
		x := &numbers[i]
		lines = append(lines, Line{Text: fmt.Sprintf(r.word("stated on %s: %d", "%s 所述：%d"), x.m.turn.At.Time().Format("2006-01-02"), x.n), Valid: x.m.clock.in, Evidence: []string{x.m.turn.ID}})
	}
	all := []string{}
	for _, l := range lines {
		all = append(all, l.Evidence...)
	}
	sentences := len(lines) - len(numbers)
	return append(lines, Line{Text: fmt.Sprintf(r.word("mentions: %d, at different times: %d", "提及 %d 处，不同时间 %d 个"), sentences, len(days)), Valid: lines[0].Valid, Evidence: unique(all)}), nil
}

// having are verbs that state how many there are.
var having = map[string]bool{"have": true, "has": true, "own": true, "owns": true, "i've": true, "are": true, "got": true}

// statedNumber gives the number that stands before a counted term, at most two
// terms away.
func statedNumber(said, terms []string) (int, bool) {
	for i, t := range said {
		if !slices.Contains(terms, t) {
			continue
		}
		for j := i - 1; j >= max(0, i-2); j-- {
			if n, ok := numberWords[said[j]]; ok {
				return n, true
			}
			if n, err := strconv.Atoi(said[j]); err == nil && n >= 0 && n < 1_000_000 {
				return n, true
			}
		}
	}
	return 0, false
}

// numberWords are numbers in words, as the analysis gives them.
var numberWords = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelv": 12, "twenti": 20}
