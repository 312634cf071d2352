package extract

// The weights of a referent's score, set by hand on turns of people's own.
const (
	perSentence  = 7  // for each sentence between
	perTurn      = 8  // for each turn between
	subjectScore = 8  // the subject of its clause
	objectScore  = 5  // an object of it
	ownerScore   = 4  // a possessive
	nameScore    = 11 // a name, for "it"
	asideScore   = 2  // the name of a place or a firm after a preposition, for "it"
	againScore   = 2  // each time that it was mentioned before, up to three
	sameRole     = 3  // subject for subject, object for object
	wantedScore  = 10 // what the words around the pronoun ask for
	weakCost     = 5  // a bare noun, or one that the lists do not know
	freshScore   = 7  // what "a" brought in in the same sentence, for "it"
	leansCost    = 12 // a name that lets expect the other pronoun
	besideScore  = 20 // the pronoun takes up the word before it: 王思琪她
	peopleScore  = 8  // people for "they", before things
	perToken     = 64 // bytes of distance that cost one point

	// needsNoLook is the score from which the turns before are not read.
	needsNoLook = 2
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
	if m.kinds&p.kinds == 0 || r.barred(m, p) || p.wants == anEvent && m.kinds&(aPlace|anOrg) != 0 {
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
	if m.leans&asPronoun != 0 && m.leans&p.kinds == 0 {
		s -= leansCost
	}
	if m.fresh && apart == 0 && m.count == 1 && m.kinds&hasName == 0 && p.kinds == asIt {
		s += freshScore
	}
	if m.end == p.start && m.back == 0 {
		s += besideScore
	}
	switch p.kinds {
	case asIt:
		switch {
		case m.kinds&hasName == 0:
		case m.weak:
			s += nameScore / 2
		case m.role == obliqueRole && m.count == 1 && m.kinds&(aPlace|anOrg) != 0:
			s += asideScore
		default:
			s += nameScore
		}
		if m.kinds&anAnimal != 0 {
			s -= 4
		}
	case asThey:
		if m.kinds&(aPerson|anAnimal) != 0 {
			s += peopleScore
		} else if s -= 4; m.kinds&isMany == 0 {
			s -= peopleScore
		}
		if m.kinds&isMany != 0 {
			s += 2
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
	return s, s >= least(m, p)
}

// least gives the score that a referent must reach for a pronoun: people and names
// stay in mind longer than things.
func least(m *referent, p *pronoun) int {
	switch {
	case p.kinds&(asHe|asShe) != 0, m.kinds&(aPerson|anAnimal) != 0:
		return -60
	case m.kinds&hasName != 0 && !m.weak:
		return -20
	case m.weak && m.kinds&isMany == 0:
		return -2
	}
	return -9
}

// barred tells whether a pronoun cannot stand for a word of its own clause: an
// object is not the subject or another object beside it, but "himself" is.
func (r *resolver) barred(m *referent, p *pronoun) bool {
	if m.back > 0 || m.sentence != r.sentence {
		return p.reflexive
	}
	subject := m.role == subjectRole && m.clause >= r.subject
	switch {
	case p.reflexive:
		return !subject
	case p.owner, p.role == subjectRole:
		return false
	}
	return subject || m.role == objectRole && m.clause == r.clause
}
