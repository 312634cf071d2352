package extract

import (
	_ "embed"
	"strings"
)

//go:embed lexicon/given.txt
var givenText string

//go:embed lexicon/person.txt
var personText string

// kinds is the set of pronouns that may stand for something, and what it is.
type kinds uint16

// The pronouns "he", "she", "it" and "they", and what the referent is: a person,
// an animal, something with a name of its own, several.
const (
	asHe kinds = 1 << iota
	asShe
	asIt
	asThey
	aPerson
	anAnimal
	hasName
	isMany
	// What a named thing is, for a verb or a noun that tells what it wants.
	aWork
	aPlace
	anOrg
	anEvent
)

// asPronoun is the part of a set that pronouns are matched by.
const asPronoun = asHe | asShe | asIt | asThey

// givenKinds gives the pronoun of a given name of one gender, nounKinds the kinds
// of a noun for people or animals; both in lower case.
var givenKinds, nounKinds = readGiven(), readPersons()

func readGiven() map[string]kinds {
	m := make(map[string]kinds, 6<<10)
	lines(givenText, func(key, rest string) {
		k := map[string]kinds{"male": asHe, "female": asShe}[key]
		for n := range strings.FieldsSeq(rest) {
			m[n] |= k
		}
	})
	return m
}

func readPersons() map[string]kinds {
	m := make(map[string]kinds, 512)
	lines(personText, func(key, rest string) {
		k := map[string]kinds{
			"male": asHe | aPerson, "female": asShe | aPerson, "person": asHe | asShe | asThey | aPerson,
			"thing": asIt, "animal": asHe | asShe | asIt | anAnimal, "people": asThey | aPerson | isMany,
		}[key]
		for w := range strings.FieldsSeq(rest) {
			m[w] = k
			if k&isMany == 0 {
				if p := plural(w); m[p] == 0 {
					m[p] = asThey | isMany | k&(aPerson|anAnimal)
				}
			}
		}
	})
	return m
}

// nounOf gives the kinds of a common noun, 0 for a word that is not known as one.
func nounOf(t *token) kinds {
	if k := nounKinds[t.low]; k != 0 {
		return k
	}
	if strings.HasSuffix(t.low, "man") && len(t.low) > 5 && t.class&(careerWord|occupationWord) != 0 {
		return asHe | aPerson
	}
	switch {
	case t.class&(occupationWord|careerWord|kinWord) != 0:
		if isPlural(t.low) {
			return asThey | aPerson | isMany
		}
		return asHe | asShe | asThey | aPerson
	case t.class&(petWord|breedWord) != 0:
		if isPlural(t.low) {
			return asThey | anAnimal | isMany
		}
		return asHe | asShe | asIt | anAnimal
	case t.class&(ownWord|goodsWord|toolWord|kindWord|occasionWord|eventNoun|thingWord|foodWord|edibleWord|activityWord|pastimeWord|musicWord|tuneWord|orgNoun|orgHead|locHead|platformWord) != 0:
		if isPlural(t.low) {
			return asThey | isMany
		}
		if t.class&(orgNoun|orgHead) != 0 {
			return asIt | asThey
		}
		if t.class&(occasionWord|eventNoun) != 0 {
			return asIt | anEvent
		}
		return asIt
	}
	return 0
}

// isPlural tells whether a noun has the form of a plural.
func isPlural(w string) bool {
	return len(w) > 3 && w[len(w)-1] == 's' && w[len(w)-2] != 's' && w[len(w)-2] != 'u' && w[len(w)-2] != 'i' && !singularS[w]
}

var singularS = wordSet("news series species bus gas lens yoga mathematics physics economics athletics gymnastics politics canvas christmas business class chess tennis process gps xbox glasses always perhaps headquarters")

// pronounEn is a third-person pronoun: whom it may stand for and its case.
type pronounEn struct {
	kinds kinds
	// subject, reflexive and owner: "he", "himself", "his"; "her" may be an owner
	// or an object.
	subject, reflexive, owner bool
}

var pronounsEn = map[string]pronounEn{
	"he": {kinds: asHe, subject: true}, "him": {kinds: asHe}, "his": {kinds: asHe, owner: true}, "himself": {kinds: asHe, reflexive: true},
	"she": {kinds: asShe, subject: true}, "her": {kinds: asShe, owner: true}, "hers": {kinds: asShe, owner: true}, "herself": {kinds: asShe, reflexive: true},
	"it": {kinds: asIt, subject: true}, "its": {kinds: asIt, owner: true}, "itself": {kinds: asIt, reflexive: true},
	"they": {kinds: asThey, subject: true}, "them": {kinds: asThey}, "their": {kinds: asThey, owner: true}, "theirs": {kinds: asThey, owner: true},
	"themselves": {kinds: asThey, reflexive: true}, "themself": {kinds: asThey, reflexive: true},
}
