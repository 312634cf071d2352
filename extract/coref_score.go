package extract

// The weights of a referent's score, set by hand on turns of people's own.
const (
	perSentence  = 7  // for each sentence between
	perTurn      = 8  // for each turn between
	subjectScore = 8  // the subject of its clause
	objectScore  = 5  // an object of it
	ownerScore   = 4  // a possessive
	nameScore    = 11 // a name, for "it"
	againScore   = 2  // each time that it was mentioned before, up to three
	sameRole     = 3  // subject for subject, object for object
	wantedScore  = 10 // what the words around the pronoun ask for
	weakCost     = 5  // a bare noun, or one that the lists do not know
	thingMany    = 6  // things for "they", where people would do
	perToken     = 64 // bytes of distance that cost one point

	// needsNoLook is the score from which the turns before are not read;
	// leastThing the least that "it" is given for, leastPerson the same of people.
	needsNoLook = 2
	leastThing  = -14
	leastPerson = -40
	// sureLead is by how much the best must lead for a fact to be built on it.
	sureLead = 5
	// noScore is that of nothing.
	noScore = -1000
)

// best gives the referent with the highest score, the later of equals, with its
// score and that of the next one; -1 where none agrees.
func (r *resolver) best(list []referent, p *pronoun) (at, score, second int) {
	at, score, second = -1, noScore, noScore
	for k := range list {
		s, ok := r.score(&list[k], p)
		switch {
		case !ok:
		case s >= score:
			at, score, second = k, s, score
		case s > second:
			second = s
		}
	}
	return at, score, second
}

// score says how well a referent fits a pronoun; ok is false where it cannot.
func (r *resolver) score(m *referent, p *pronoun) (s int, ok bool) {
	if m.kinds&p.kinds == 0 || r.barred(m, p) {
		return 0, false
	}
	apart := r.sentence - m.sentence
	s = -perSentence * min(apart, 4)
	if apart > 4 {
		s -= 2 * (apart - 4)
	}
	s -= perTurn * m.back
	switch m.role {
	case subjectRole:
		s += subjectScore
	case objectRole:
		s += objectScore
	case ownerRole:
		s += ownerScore
	}
	if m.role == p.role && m.role >= objectRole {
		s += sameRole
	}
	s += againScore * min(m.count-1, 3)
	if apart == 0 {
		s -= (p.start - m.end) / perToken
	}
	if m.weak {
		s -= weakCost
	}
	switch p.kinds {
	case asIt:
		if m.kinds&hasName != 0 {
			s += nameScore
		}
		if m.kinds&anAnimal != 0 {
			s -= 4
		}
	case asThey:
		if m.kinds&(aPerson|anAnimal) == 0 {
			s -= thingMany
		}
		if m.kinds&isMany != 0 {
			s += 4
		}
	default:
		if m.kinds&hasName != 0 {
			s += 3
		}
		if m.kinds&anAnimal != 0 {
			s -= 3
		}
	}
	if p.wants != 0 {
		if m.kinds&p.wants != 0 {
			s += wantedScore
		} else if m.kinds&(aWork|aPlace|anOrg) != 0 || p.wants == anEvent {
			s -= wantedScore
		}
	}
	return s, true
}

// barred tells whether a pronoun cannot stand for a word of its own clause: an
// object is not the subject or another object beside it, but "himself" is.
func (r *resolver) barred(m *referent, p *pronoun) bool {
	same := m.back == 0 && m.sentence == r.sentence && m.clause == r.clause
	switch {
	case p.reflexive:
		return !same || m.role != subjectRole
	case p.owner, p.role == subjectRole:
		return false
	}
	return same && m.role >= objectRole
}
