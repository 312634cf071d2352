package eval

import (
	"fmt"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
)

// suite is how a data set is measured: what is ranked, and by which groups the
// figures are given.
type suite struct {
	dataset, title string
	// memory and memories are the words for one space and for several, unit for what
	// is ranked.
	memory, memories, unit string
	// kind is what is searched for.
	kind retrieval.Kind
	// groups are in the order of reports; main is the one of the headline figure,
	// headline the metric.
	groups         []group
	main, headline string
	// shown are the metrics of tables for people.
	shown []string
	// rubric is how answers are compared.
	rubric rubric
	// closing says how the figures are to be read.
	closing string
}

// group is a set of categories that means are given for.
type group struct {
	name, title string
	// categories are those in it; nil holds every category but the excluded ones.
	categories, without []string
	// match, where set, decides in their place.
	match func(category string) bool
}

func (g *group) holds(category string) bool {
	if g.match != nil {
		return g.match(category)
	}
	for _, c := range g.categories {
		if c == category {
			return true
		}
	}
	if g.categories != nil {
		return false
	}
	for _, c := range g.without {
		if c == category {
			return false
		}
	}
	return true
}

// abstention is the category of LongMemEval's questions that have no answer,
// whatever their type.
const abstention = "abstention"

// one is the group of one category.
func one(category, title string) group {
	return group{name: category, title: title, categories: []string{category}}
}

// suiteOf gives the suite of a data set.
func suiteOf(f Format) (*suite, error) {
	switch f {
	case LoCoMoFormat:
		return &suite{
			dataset: "locomo", title: "LoCoMo", memory: "conversation", memories: "conversations", unit: "turns", kind: retrieval.Turn,
			groups: []group{
				one("1", "1 multi-hop"), one("2", "2 temporal"), one("3", "3 open-domain"), one("4", "4 single-hop"), one("5", "5 adversarial"),
				{name: "1-4", title: "**1-4**", categories: []string{"1", "2", "3", "4"}}, {name: "all", title: "all"},
			},
			main: "1-4", headline: "recall@10",
			shown:   []string{"recall@1", "recall@5", "recall@10", "recall@20", "recall@50", "any@10", "all@10", "ndcg@10", "mrr"},
			rubric:  rubric{stems: true, dropAnd: true, parts: "1", first: "3"},
			closing: "Category 5 asks what the conversation does not answer.",
		}, nil
	case LongMemEvalFormat:
		s := &suite{
			dataset: "longmemeval", title: "LongMemEval", memory: "history", memories: "histories", unit: "sessions", kind: retrieval.Session,
			main: "all", headline: "all@10",
			shown:   []string{"all@1", "all@3", "all@5", "all@10", "all@16", "any@5", "recall@5", "recall@10", "ndcg@10", "mrr"},
			closing: "Questions of abstention have no answer in their history: they are asked and listed in questions.csv, and are in no mean.",
		}
		for _, t := range []string{"single-session-user", "single-session-assistant", "single-session-preference", "multi-session", "knowledge-update", "temporal-reasoning"} {
			s.groups = append(s.groups, one(t, t))
		}
		s.groups = append(s.groups, group{name: "all", title: "**all**", without: []string{abstention}})
		return s, nil
	case MemDailyFormat:
		s := &suite{
			dataset: "memdaily", title: "MemDaily", memory: "trajectory", memories: "trajectories", unit: "messages", kind: retrieval.Turn,
			main: "all", headline: "recall@5",
			shown:   []string{"recall@1", "recall@3", "recall@5", "recall@10", "any@5", "all@5", "ndcg@5", "ndcg@10", "mrr"},
			closing: "A category of the data set is a kind of question and what it is about; both are given.",
		}
		for _, k := range []string{"simple", "conditional", "comparative", "aggregative", "post_processing", "noisy"} {
			s.groups = append(s.groups, group{name: k, title: k, match: func(c string) bool { return strings.Contains(c, "_"+k+"_") }})
		}
		for _, k := range []string{"events", "items", "places", "roles", "hybrid"} {
			s.groups = append(s.groups, group{name: k, title: "of " + k, match: func(c string) bool { return strings.HasSuffix(c, "_"+k) }})
		}
		s.groups = append(s.groups, group{name: "all", title: "**all**"})
		return s, nil
	}
	return nil, fmt.Errorf("eval: %w: %q has no ranking to judge; locomo, longmemeval and memdaily have", dsl.ErrInvalid, f)
}
