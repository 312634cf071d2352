package retrieval

import (
	"errors"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/internal/num"
	"github.com/asof-db/asof/retrieval/question"
)

const (
	// speakerBoost is what the score of a turn is multiplied by when the question
	// names its speaker.
	speakerBoost = 2
	// nameWeight is the weight of a term of the question that belongs to a
	// speaker's name.
	nameWeight = 0.3
	// maxParts bounds how many questions of one text are looked for.
	maxParts = 4
	// nearWords is how many near words a word of the question adds at most, and
	// maxNearTerms how many all of them. A word that more than one in nearRare turns
	// holds adds nothing but noise.
	nearWords    = 8
	maxNearTerms = 32
	nearRare     = 12
	// maxAliasTerms bounds the terms that other names add to a question.
	maxAliasTerms = 16
)

// readQuestion reads the question of the plan.
func (s *searcher) readQuestion() error {
	s.read = &reading{cues: &s.opt.Cues}
	if s.opt.Cues == (Cues{}) {
		return nil
	}
	asked := s.plan.asked
	if !asked.Finite() {
		asked = s.plan.basis.Time
	}
	var failed error
	s.read.Analysis = question.Analyze(s.plan.text, asked.Time(), func(name string) (question.Entity, bool) {
		e, err := s.entity(name)
		failed = errors.Join(failed, err)
		return e, e.Speaker || len(e.Names) > 0
	})
	return failed
}

// entity tells what the view knows of a name.
func (s *searcher) entity(name string) (e question.Entity, err error) {
	var in []uint32 // speakers whose name has all terms
	for i, term := range s.analyzer.Terms(nil, name) {
		if analyze.Stop(term) {
			return e, nil
		}
		speakers, err := s.index.Speakers(term)
		if err != nil {
			return e, err
		}
		if i == 0 {
			in = slices.Clone(speakers)
		} else {
			in = slices.DeleteFunc(in, func(n uint32) bool { return !slices.Contains(speakers, n) })
		}
	}
	e.Speaker = len(in) > 0
	id := dsl.NodeID(s.plan.basis.Space, dsl.Entity, name)
	if _, err := s.view.Node(id); err != nil {
		if errors.Is(err, dsl.ErrNotFound) {
			err = nil
		}
		return e, err
	}
	group, err := s.view.Aliases(id)
	if err != nil {
		return e, err
	}
	e.Names = append(e.Names, name)
	for _, other := range group {
		if other == id {
			continue
		}
		node, err := s.view.Node(other)
		if err != nil {
			return e, err
		}
		if alias, err := node.Name.Open(); err == nil {
			e.Names = append(e.Names, alias)
		}
	}
	return e, nil
}

// parts gives a searcher for each of several questions in one text.
func (s *searcher) parts() (parts []*searcher) {
	if !s.opt.Cues.Parts || len(s.read.Parts) < 2 {
		return nil
	}
	for _, span := range s.read.Parts[:min(len(s.read.Parts), maxParts)] {
		p := *s.plan
		p.text = s.plan.text[span.Start:span.End]
		if p.terms = queryTerms(s.analyzer, p.text); len(p.terms) > 0 {
			parts = append(parts, &searcher{view: s.view, plan: &p, index: s.index, analyzer: s.analyzer, opt: s.opt, unkept: s.unkept})
		}
	}
	return parts
}

// contextWeight gives what a term counts in the turns after its own.
func (s *searcher) contextWeight() uint32 {
	if s.opt.Cues.Alone && s.index.Stats().Speakers <= 1 {
		return 0
	}
	return uint32(s.opt.Context)
}

// weigh weighs the question's terms, those of other names of what it names added,
// and gives what the turns of each speaker are raised by: nil where the question
// names none. A speaker is named by any term of the name that is no stop word.
func (s *searcher) weigh() (raises []float64, err error) {
	p := s.plan
	s.own = len(p.terms)
	s.weight = make([]float64, len(p.terms))
	raise := func(speakers []uint32, factor float64) {
		for _, n := range speakers {
			if raises == nil {
				raises = slices.Repeat([]float64{1}, s.index.Stats().Speakers)
			}
			raises[n] = max(raises[n], factor)
		}
	}
	roles := map[string]question.Role{}
	if s.opt.Cues.About > 0 {
		for _, t := range s.analyzer.Tokens(nil, p.text) {
			role := question.Either
			for _, n := range s.read.Names {
				if n.Start <= t.Start && t.Start < n.End {
					role = n.Role
				}
			}
			if before, seen := roles[t.Term]; !seen || before == question.About {
				roles[t.Term] = role
			}
		}
	}
	var aside map[string]bool
	if s.opt.Cues.Parts {
		aside = asideTerms(s.analyzer, p.text, &s.read.Analysis)
	}
	for i, term := range p.terms {
		s.weight[i] = 1
		if aside[term] {
			s.weight[i] = asideWeight
		}
		if analyze.Stop(term) {
			continue
		}
		speakers, err := s.index.Speakers(term)
		if err != nil {
			return nil, err
		}
		if len(speakers) == 0 {
			continue
		}
		s.weight[i] = nameWeight
		if roles[term] == question.About {
			raise(speakers, s.opt.Cues.About)
		} else {
			raise(speakers, s.opt.Speaker)
		}
	}
	if s.opt.Cues.Alias > 0 {
		if err := s.aliases(raise); err != nil {
			return nil, err
		}
	}
	if s.opt.Cues.Near > 0 {
		if err := s.near(p.text, aside); err != nil {
			return nil, err
		}
	}
	return raises, nil
}

// near adds words of the view that mean nearly what a word of the question does:
// they count the less, the less alike they are and the rarer they are beside it.
func (s *searcher) near(text string, aside map[string]bool) error {
	p := s.plan
	terms := slices.Clip(p.terms)
	docs := s.index.Stats().Docs
	rarity := func(df int) float64 { return num.Log(float64(docs+1) / (float64(df) + 0.5)) }
	for _, token := range s.analyzer.Tokens(nil, text) {
		at := slices.Index(p.terms, token.Term)
		if at < 0 || s.weight[at] != 1 || aside[token.Term] || analyze.Stop(token.Term) {
			continue
		}
		list, err := s.index.Term(token.Term)
		if err != nil {
			return err
		}
		own, added := rarity(list.Count()), 0
		for _, n := range s.opt.Texts.nearTo(s.analyzer, strings.ToLower(text[token.Start:token.End])) {
			if added == nearWords || len(terms) >= len(p.terms)+maxNearTerms {
				break
			}
			for _, term := range n.terms {
				if slices.Contains(terms, term) {
					continue
				}
				list, err := s.index.Term(term)
				if err != nil {
					return err
				}
				df := list.Count()
				if df == 0 || df*nearRare > docs {
					continue
				}
				added++
				terms = append(terms, term)
				s.weight = append(s.weight, float64(float64(s.opt.Cues.Near*n.cosine)*min(1, own/rarity(df))))
			}
		}
	}
	more := *p
	more.terms = terms
	s.plan = &more
	return nil
}

// aliases adds the terms of other names of what the question names.
func (s *searcher) aliases(raise func([]uint32, float64)) error {
	p := s.plan
	terms := slices.Clip(p.terms)
	for _, n := range s.read.Names {
		for _, alias := range n.Aliases {
			for _, term := range s.analyzer.Terms(nil, alias) {
				if slices.Contains(terms, term) || analyze.Stop(term) || len(terms) >= len(p.terms)+maxAliasTerms {
					continue
				}
				weight := s.opt.Cues.Alias
				speakers, err := s.index.Speakers(term)
				if err != nil {
					return err
				}
				if len(speakers) > 0 {
					weight = nameWeight
					if n.Role == question.About && s.opt.Cues.About > 0 {
						raise(speakers, s.opt.Cues.About)
					} else {
						raise(speakers, s.opt.Speaker)
					}
				}
				terms, s.weight = append(terms, term), append(s.weight, weight)
			}
		}
	}
	// The plan is shared with what shows the question's own terms.
	more := *p
	more.terms = terms
	s.plan = &more
	return nil
}
