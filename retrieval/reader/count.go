package reader

import (
	"slices"
	"strconv"
	"strings"

	"github.com/asof-db/asof/retrieval/question"
)

// numerals are numbers as words.
var numerals = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100, "once": 1, "twice": 2, "thrice": 3, "dozen": 12, "couple": 2}

// numeralsZH are the same in Chinese, before a measure word.
var numeralsZH = map[rune]int{'一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9, '十': 10}

// count answers how many or how much: with the number that the best sentences state
// of what is counted, what was said last first; a length of time or a sum where
// that is asked for; else with how many different things they name.
func (r *reading) count() Answer {
	list := r.best(near)
	low := strings.ToLower(r.in.Pack.Query)
	switch {
	case strings.Contains(low, "how long") || strings.Contains(low, "多久") || strings.Contains(low, "多长时间"):
		for _, s := range list {
			for _, t := range s.times {
				if t.Type == "DURATION" {
					return r.found(strings.TrimSpace(t.Text), s)
				}
			}
		}
	case strings.Contains(low, "how much") || strings.Contains(low, "多少钱"):
		for _, s := range list {
			for _, m := range s.entities {
				if m.Type == "MONEY" {
					return r.found(m.Text, s)
				}
			}
		}
	}
	counted := r.counted()
	stated := slices.Clone(list)
	slices.SortStableFunc(stated, newestFirst)
	for _, near := range []bool{true, false} {
		for _, s := range stated {
			if n, ok := r.number(s, counted, near); ok {
				return r.found(n, s)
			}
		}
	}
	named := r.list()
	if named.Abstained {
		return abstain(NoValue, r.lang)
	}
	n := strings.Count(named.Text, word(r.lang, ", ", "、")) + 1
	named.Text = strconv.Itoa(n)
	return named
}

// counted gives the terms that follow "how many" in the question.
func (r *reading) counted() (terms []string) {
	text := r.in.Pack.Query
	low := strings.ToLower(text)
	for _, opening := range []string{"how many", "how much", "how often", "多少", "几"} {
		if at := strings.Index(low, opening); at >= 0 && len(low) == len(text) {
			for i, t := range r.analyzer.Terms(nil, text[at+len(opening):]) {
				if question.Stop(t) && len(terms) > 0 || i > 3 {
					break
				}
				if !question.Stop(t) {
					terms = append(terms, t)
				}
			}
			return terms
		}
	}
	return nil
}

// number finds a number in a sentence: with what is counted within three words
// after it where near is asked for, else any that is no part of a date.
func (r *reading) number(s *sentence, counted []string, near bool) (string, bool) {
	if s.fact != nil {
		return "", false
	}
	tokens := r.analyzer.Tokens(nil, s.text)
	for i, t := range tokens {
		raw := strings.ToLower(s.text[t.Start:t.End])
		n, isWord := numerals[raw]
		if !isWord {
			var err error
			if n, err = strconv.Atoi(strings.ReplaceAll(raw, ",", "")); err != nil {
				continue
			}
		}
		if s.inTime(t.Start) {
			continue
		}
		if !near {
			if isWord && n == 1 { // "one of them", "that one"
				continue
			}
			return strconv.Itoa(n), true
		}
		for j := i + 1; j < len(tokens) && j <= i+3; j++ {
			if slices.Contains(counted, tokens[j].Term) {
				return strconv.Itoa(n), true
			}
		}
	}
	if r.lang == "zh" {
		return r.numberZH(s)
	}
	return "", false
}

// numberZH finds a Chinese numeral before a measure word.
func (r *reading) numberZH(s *sentence) (string, bool) {
	chars := []rune(s.text)
	for i, c := range chars {
		if n, ok := numeralsZH[c]; ok && i+1 < len(chars) && strings.ContainsRune("个只条本部位次种张件家双盆口支辆台", chars[i+1]) {
			return strconv.Itoa(n), true
		}
	}
	return "", false
}

// inTime tells whether a byte of the sentence is in a time expression.
func (s *sentence) inTime(at int) bool {
	for _, t := range s.times {
		if at+s.base >= t.Start && at+s.base < t.End {
			return true
		}
	}
	return false
}
