package extract

import (
	_ "embed"
	"strings"
)

// class is a set of word classes.
type class uint64

// The classes of lexicon/en.txt, in its words.
const (
	monthWord class = 1 << iota
	weekdayWord
	weekdaysWord
	unitWord
	numberWord
	seasonWord
	daypartWord
	detWord
	possWord
	advWord
	auxWord
	modalWord
	negWord
	leadWord
	boundaryWord
	kinWord
	petWord
	ownWord
	occupationWord
	orgNoun
	orgHead
	locHead
	eventNoun
	activityWord
	foodWord
	musicWord
	thingWord
	evaluativeWord
	commonWord
	// The classes of lexicon/wordnet.txt, wide lists that only the patterns of
	// the relations ask, and a few of lexicon/en.txt.
	goodsWord
	edibleWord
	pastimeWord
	tuneWord
	careerWord
	breedWord
	toolWord
	platformWord
	kindWord
	occasionWord
	// cueWord is of the words by which the text patterns are found; a token keeps it
	// apart from its classes.
	cueWord
)

// wideWords are the classes whose words may well be names.
const wideWords = goodsWord | edibleWord | pastimeWord | tuneWord | careerWord | breedWord | toolWord | platformWord | kindWord | occasionWord

var classNames = map[string]class{
	"month": monthWord, "weekday": weekdayWord, "weekdays": weekdaysWord, "unit": unitWord, "number": numberWord,
	"season": seasonWord, "daypart": daypartWord, "det": detWord, "poss": possWord, "adv": advWord, "aux": auxWord,
	"modal": modalWord, "neg": negWord, "lead": leadWord, "boundary": boundaryWord, "kin": kinWord, "pet": petWord,
	"own": ownWord, "occupation": occupationWord, "orgnoun": orgNoun, "orghead": orgHead, "lochead": locHead,
	"event": eventNoun, "activity": activityWord, "food": foodWord, "music": musicWord, "thing": thingWord,
	"evaluative": evaluativeWord, "common": commonWord,
	"goods": goodsWord, "edible": edibleWord, "pastime": pastimeWord, "tune": tuneWord, "career": careerWord, "breed": breedWord,
	"tool": toolWord, "platform": platformWord, "kind": kindWord, "occasion": occasionWord,
}

//go:embed lexicon/wordnet.txt
var wordnetText string

//go:embed lexicon/en.txt
var lexiconText string

//go:embed lexicon/names.txt
var namesText string

//go:embed lexicon/famous.txt
var famousText string

// lexicon gives the classes of a word in lower case; names the types of a name
// in lower case, longestName the words of the longest.
var (
	lexicon            = withCues(readLexicon(lexiconText, wordnetText), rulesEn)
	names, longestName = readNames(famousText, namesText)
	numberWords        = numbered("number", 0)
	monthNumber        = numbered("month", 1)
	weekdayNumber      = numbered("weekday", 1)
)

// lines gives the "key: rest" lines of a list, without its comments.
func lines(text string, each func(key, rest string)) {
	for line := range strings.Lines(text) {
		if key, rest, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && key[0] != '#' {
			each(key, rest)
		}
	}
}

// readLexicon reads the word classes; the second list holds singulars alone.
func readLexicon(text, singulars string) map[string]class {
	m := make(map[string]class, 16<<10)
	lines(text, func(key, rest string) {
		for _, w := range strings.Fields(rest) {
			m[w] |= classNames[key]
		}
	})
	lines(singulars, func(key, rest string) {
		for _, w := range strings.Fields(rest) {
			m[w] |= classNames[key]
			m[plural(w)] |= classNames[key]
		}
	})
	return m
}

// withCues marks the words by which the text patterns are found.
func withCues(m map[string]class, r *rules) map[string]class {
	for w := range r.byCue {
		m[w] |= cueWord
	}
	return m
}

// plural gives the regular plural of a noun.
func plural(w string) string {
	last, before := w[len(w)-1], byte(0)
	if len(w) > 1 {
		before = w[len(w)-2]
	}
	switch {
	case last == 'y' && strings.IndexByte("aeiou", before) < 0:
		return w[:len(w)-1] + "ies"
	case last == 's' || last == 'x' || last == 'z' || last == 'h' && (before == 's' || before == 'c'):
		return w + "es"
	}
	return w + "s"
}

// readNames reads lists of names; a later list overrules an earlier one.
func readNames(texts ...string) (map[string]string, int) {
	m, longest := make(map[string]string, 4<<10), 1
	for _, text := range texts {
		lines(text, func(key, rest string) {
			typ := map[string]string{"given": typePerson, "loc": typeLoc, "org": typeOrg, "work": typeWork}[key]
			for n := range strings.SplitSeq(rest, ", ") {
				m[n] = typ
				longest = max(longest, strings.Count(n, " ")+strings.Count(n, "'")+strings.Count(n, ":")+1)
			}
		})
	}
	return m, min(longest, 6)
}

// numbered gives the words of a class with their place in it, counted from
// base. The number words past twenty count in tens.
func numbered(name string, base int) map[string]int {
	m := map[string]int{}
	lines(lexiconText, func(key, rest string) {
		if key != name {
			return
		}
		for i, w := range strings.Fields(rest) {
			n := i + base
			if name == "number" && n > 20 {
				n = (n - 18) * 10
			}
			m[w] = n
		}
	})
	for short, full := range map[string]string{"jan": "january", "feb": "february", "mar": "march", "apr": "april", "jun": "june",
		"jul": "july", "aug": "august", "sep": "september", "sept": "september", "oct": "october", "nov": "november", "dec": "december"} {
		if n, ok := m[full]; ok {
			m[short] = n
		}
	}
	return m
}

// wordSet makes a set of the words of a line.
func wordSet(line string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(line) {
		m[w] = true
	}
	return m
}
