package configs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/phrase"
)

// Predicate is a relation that a user adds to the built-in registry. Clashes with built-in names are
// the registry's to find; everything that the list alone shows is found here.
type Predicate struct {
	// Name is the relation as facts carry it: lower-case words of a-z, 0-9 and _, dots between.
	Name string `yaml:"name"`
	// Functional says that at most one value holds at a time.
	Functional bool `yaml:"functional,omitempty"`
	// Domain is the kind of node that the subject is: entity, which a file may leave out.
	Domain string `yaml:"domain"`
	// Range is the kind of node that the value is: entity, which a file may leave out, literal or
	// time.
	Range string `yaml:"range"`
	// Phrase stands between subject and value where a fact is shown as text: "lives in". Empty
	// means the name's words.
	Phrase string `yaml:"phrase,omitempty"`
	// Inverse is the name of the relation seen from the object; empty means none.
	Inverse string `yaml:"inverse,omitempty"`
	// Opposites are relations, built in or of the list, that cannot hold of the same subject and value
	// at the same time: asserting one ends the other. One of two may name the other; it goes both ways.
	Opposites []string `yaml:"opposites,omitempty"`
	// Synonyms are further names under which the relation may come in.
	Synonyms []string `yaml:"synonyms,omitempty"`
	// Text gives, per language (en, zh), the patterns by which extraction finds the relation in a
	// turn: words with {src}, who it is about, and {dst}, the value, in the language of package
	// internal/phrase. "{src} (am|is|are) allergic to {dst}", "end: {src} [have] outgrew {dst}",
	// "{src}对{dst}过敏"; words alone stand between the two.
	Text map[string][]string `yaml:"text,omitempty"`
}

// The kinds of node that a predicate joins, as the log spells them.
const (
	entityNode  = string(dsl.Entity)
	literalNode = string(dsl.Literal)
	timeNode    = string(dsl.TimeInstant)
)

// Bounds of a predicate list. They keep a configuration, which goes whole into the log, small.
const (
	maxPredicates    = 256
	maxNameBytes     = 64
	maxListEntries   = 64
	maxPhraseBytes   = 256
	predicatesKey    = "predicates"
	predicateNameTip = "want lower-case words of a-z, 0-9 and _, dots between, such as has_contact.email"
)

// validatePredicates returns the faults of a predicate list, in its order.
func validatePredicates(list []Predicate) []Fault {
	var faults []Fault
	add := func(path, format string, args ...any) {
		faults = append(faults, Fault{Path: path, Message: fmt.Sprintf(format, args...)})
	}
	if len(list) > maxPredicates {
		add(predicatesKey, "%d predicates; at most %d", len(list), maxPredicates)
		list = list[:maxPredicates]
	}
	taken := map[string]string{}
	name := func(path, s string) {
		if !validPredicateName(s) {
			add(path, "%q is no predicate name; %s, at most %d bytes", s, predicateNameTip, maxNameBytes)
			return
		}
		if before, ok := taken[s]; ok {
			add(path, "%q is already the name at %s", s, before)
			return
		}
		taken[s] = path
	}
	for i, p := range list {
		at := fmt.Sprintf("%s[%d]", predicatesKey, i)
		name(at+".name", p.Name)
		if p.Domain != entityNode {
			add(at+".domain", "%q cannot be a subject; want %s", p.Domain, entityNode)
		}
		if ranges := []string{entityNode, literalNode, timeNode}; !slices.Contains(ranges, p.Range) {
			add(at+".range", "%q cannot be a value; want %s", p.Range, strings.Join(ranges, ", "))
		}
		if p.Phrase != "" {
			if why := badPhrase(p.Phrase); why != "" {
				add(at+".phrase", "%s", why)
			}
		}
		if len(p.Synonyms) > maxListEntries {
			add(at+".synonyms", "%d entries; at most %d", len(p.Synonyms), maxListEntries)
		} else {
			for j, s := range p.Synonyms {
				name(fmt.Sprintf("%s.synonyms[%d]", at, j), s)
			}
		}
		faults = append(faults, validateOpposites(at+".opposites", p)...)
		faults = append(faults, validatePhrases(at+".text", p.Text)...)
	}
	return append(faults, validateInverses(list)...)
}

// validateOpposites finds opposites that are no other predicate's name. Whether the registry has them is
// the registry's to say.
func validateOpposites(path string, p Predicate) []Fault {
	if len(p.Opposites) > maxListEntries {
		return []Fault{{Path: path, Message: fmt.Sprintf("%d entries; at most %d", len(p.Opposites), maxListEntries)}}
	}
	var faults []Fault
	for i, o := range p.Opposites {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case !validPredicateName(o):
			faults = append(faults, Fault{Path: at, Message: fmt.Sprintf("%q is no predicate name; %s", o, predicateNameTip)})
		case o == p.Name || slices.Contains(p.Synonyms, o):
			faults = append(faults, Fault{Path: at, Message: fmt.Sprintf("%q is the predicate itself; want another", o)})
		}
	}
	return faults
}

// validateInverses holds an inverse to what it promises: it is no relation's synonym, and where it
// is itself in the list and names an inverse, that one is the relation it came from.
func validateInverses(list []Predicate) []Fault {
	var faults []Fault
	byName := map[string]Predicate{}
	for _, p := range list {
		byName[p.Name] = p
	}
	for i, p := range list {
		path := fmt.Sprintf("%s[%d].inverse", predicatesKey, i)
		switch other, listed := byName[p.Inverse]; {
		case p.Inverse == "":
		case !validPredicateName(p.Inverse):
			faults = append(faults, Fault{Path: path, Message: fmt.Sprintf("%q is no predicate name; %s", p.Inverse, predicateNameTip)})
		case listed && other.Inverse != "" && other.Inverse != p.Name:
			faults = append(faults, Fault{Path: path, Message: fmt.Sprintf(
				"%q has itself the inverse %q; inverses go both ways", p.Inverse, other.Inverse)})
		}
	}
	return faults
}

// validatePhrases returns the faults of a predicate's text, languages in byte order.
func validatePhrases(path string, text map[string][]string) []Fault {
	var faults []Fault
	for _, lang := range slices.Sorted(maps.Keys(text)) {
		at := path + "." + lang
		if !slices.Contains(languages, lang) {
			faults = append(faults, Fault{Path: at, Message: fmt.Sprintf("%q is no language here; want en or zh", lang)})
			continue
		}
		if len(text[lang]) > maxListEntries {
			faults = append(faults, Fault{Path: at, Message: fmt.Sprintf("%d entries; at most %d", len(text[lang]), maxListEntries)})
			continue
		}
		for j, text := range text[lang] {
			why := badPhrase(text)
			if why == "" {
				if _, err := phrase.ParseStatement(lang, text); err != nil {
					why = fmt.Sprintf("%q: %v", text, err)
				}
			}
			if why != "" {
				faults = append(faults, Fault{Path: fmt.Sprintf("%s[%d]", at, j), Message: why})
			}
		}
	}
	return faults
}

var languages = []string{"en", "zh"}

// badPhrase says what is wrong with a phrase, or "".
func badPhrase(s string) string {
	switch {
	case strings.TrimSpace(s) == "":
		return "the phrase is empty"
	case len(s) > maxPhraseBytes:
		return fmt.Sprintf("%d bytes; at most %d", len(s), maxPhraseBytes)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, breaksLine):
		return "the phrase holds control characters or line breaks"
	}
	return ""
}

// breaksLine reports whether r is a control character or one of Unicode's own line ends.
func breaksLine(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp)
}

// validPredicateName reports whether s is lower-case words of a-z, 0-9 and _ with dots between, each
// word beginning with a letter.
func validPredicateName(s string) bool {
	if s == "" || len(s) > maxNameBytes {
		return false
	}
	for word := range strings.SplitSeq(s, ".") {
		if word == "" || word[0] < 'a' || word[0] > 'z' {
			return false
		}
		for i := range len(word) {
			if c := word[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
				return false
			}
		}
	}
	return true
}
