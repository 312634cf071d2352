package retrieval

import (
	"errors"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
)

// entityTerms is of how many terms in a row a name is looked for.
const entityTerms = 4

// entities raises the weight of the terms by which the question names an entity,
// but for those of speakers, and gives what each term counts in a fact.
func (s *searcher) entities() ([]float64, error) {
	fact := make([]float64, len(s.plan.terms))
	for i := range fact {
		if fact[i] = 1; i >= s.own {
			fact[i] = s.weight[i]
		}
	}
	if s.opt.Entity == 0 {
		return fact, nil
	}
	text := s.plan.text
	tokens := s.analyzer.Tokens(nil, text)
	raised := map[string]bool{}
	for i := range tokens {
		for j := i; j < min(i+entityTerms, len(tokens)); j++ {
			name := text[tokens[i].Start:tokens[j].End]
			_, err := s.view.Node(dsl.NodeID(s.plan.basis.Space, dsl.Entity, name))
			if errors.Is(err, dsl.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			for _, t := range tokens[i : j+1] {
				raised[t.Term] = true
			}
		}
	}
	for i, term := range s.plan.terms {
		if raised[term] && s.weight[i] == 1 {
			s.weight[i] = 1 + s.opt.Entity
			fact[i] = s.weight[i]
		}
	}
	return fact, nil
}

// pair is two terms side by side.
type pair [2]string

// pairs gives the different pairs of neighbouring terms of a text that telling
// accepts.
func pairs(a *analyze.Analyzer, text string, telling func(string) bool) map[pair]bool {
	found := map[pair]bool{}
	terms := a.Terms(nil, text)
	for i := 1; i < len(terms); i++ {
		if p := (pair{terms[i-1], terms[i]}); telling(p[0]) && telling(p[1]) {
			found[p] = true
		}
	}
	return found
}

// phrases scores turns anew by how many of the question's pairs they say, and
// puts them in order.
func (s *searcher) phrases(found []candidate) error {
	telling := func(term string) bool { return slices.Contains(s.plan.terms, term) }
	asked := pairs(s.analyzer, s.plan.text, telling)
	if len(asked) == 0 {
		return nil
	}
	for i := range found {
		turn, err := s.turn(found[i].doc)
		if err != nil {
			return err
		}
		said := 0
		for p := range pairs(s.analyzer, turnText(turn.Turn), telling) {
			if asked[p] {
				said++
			}
		}
		raise := 1 + float64(s.opt.Phrase*(float64(said)/float64(len(asked))))
		found[i].score = float64(found[i].score*raise) / (1 + s.opt.Phrase)
	}
	slices.SortFunc(found, bestFirst)
	return nil
}
