package eval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/rerank"
)

// RankedQuestion is a question with the turns that a search finds for it, before
// they are ordered anew, and what the ranker of signals knows of them.
type RankedQuestion struct {
	QID, Category string
	rerank.Example
	// Gold counts the turns that hold the answer, those that were not found
	// included.
	Gold int
}

// RankExamples takes every dialogue into a memory of its own and asks its
// questions at the head, for depth turns each. Questions without a turn that holds
// the answer are left out, and so are LoCoMo's adversarial ones and LongMemEval's
// abstentions. What holds the answer is what the data set marks: LoCoMo's evidence,
// LongMemEval's turns with has_answer, MemDaily's target_step_id, and of Memora's
// evidence sessions the turns that share a memory.
func RankExamples(ctx context.Context, in iter.Seq2[Dialogue, error], cfg configs.Config, depth, workers int) ([]RankedQuestion, error) {
	var all []RankedQuestion
	err := inOrder(ctx, workers, in, func(ctx context.Context, d Dialogue) (_ []RankedQuestion, err error) {
		questions := turnQuestions(&d)
		if len(questions) == 0 {
			return nil, nil
		}
		db, err := newMemory(ctx, cfg, &d)
		if err != nil {
			return nil, fmt.Errorf("eval: space %s: %w", d.Space, err)
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		v, err := db.View(d.Space, asof.At{})
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, v.Close()) }()
		var out []RankedQuestion
		for i := range questions {
			x, err := rankQuestion(ctx, v, &questions[i], depth)
			if err != nil {
				return nil, fmt.Errorf("eval: question %s: %w", questions[i].qid, err)
			}
			out = append(out, x)
		}
		return out, nil
	}, func(out []RankedQuestion) error {
		all = append(all, out...)
		return nil
	})
	return all, err
}

func rankQuestion(ctx context.Context, v *asof.View, q *posed, depth int) (RankedQuestion, error) {
	found, err := v.RankSignals(ctx, retrieval.Query{Text: q.text, K: depth})
	if err != nil {
		return RankedQuestion{}, err
	}
	x := RankedQuestion{QID: q.qid, Category: q.category, Gold: len(q.gold)}
	for _, s := range found {
		x.Prior = append(x.Prior, s.Prior)
		x.Signals = append(x.Signals, s.Signals)
		x.Right = append(x.Right, slices.Contains(q.gold, s.Turn))
	}
	return x, nil
}

// turnQuestions gives the questions of a dialogue that turns answer.
func turnQuestions(d *Dialogue) []posed {
	var all []posed
	add := func(qid, text, category string, gold []string) {
		if len(gold) > 0 {
			all = append(all, posed{qid: d.Space + "/" + qid, text: text, category: category, gold: gold})
		}
	}
	switch {
	case d.Conversation != nil:
		const adversarial = 5
		for _, q := range d.Conversation.Questions {
			if q.Category != adversarial {
				add(fmt.Sprint(q.Index), q.Text, fmt.Sprint(q.Category), q.Evidence)
			}
		}
	case d.Trajectory != nil:
		for _, q := range d.Trajectory.Questions {
			add(fmt.Sprint(q.Index), q.Text, d.Trajectory.Kind, q.Evidence)
		}
	case d.History != nil:
		if !d.History.Abstention {
			add("0", d.History.Text, d.History.Type, d.History.GoldTurns)
		}
	case d.Persona != nil:
		shared := map[string][]string{}
		for _, c := range d.Persona.Changes {
			shared[c.Session] = c.Shared
		}
		for _, q := range d.Persona.Questions {
			var gold []string
			for _, s := range q.Evidence {
				gold = append(gold, shared[s]...)
			}
			add(q.ID, q.Text, q.Kind, gold)
		}
	}
	return all
}

// RankFigures are what an order of the turns that were found is worth.
type RankFigures struct {
	Questions                 int
	Recall5, Recall10, NDCG10 float64
}

// Figures measures the order that weights give, or, for nil, the order that the
// turns came in.
func Figures(questions []RankedQuestion, w *rerank.Weights) RankFigures {
	f := RankFigures{Questions: len(questions)}
	for i := range questions {
		q := &questions[i]
		order := make([]int, len(q.Prior))
		for k := range order {
			order[k] = k
		}
		if w != nil {
			order = rerank.Rank(q.Prior, q.Signals, w)
		}
		var ranks []int
		for place, k := range order {
			if q.Right[k] {
				ranks = append(ranks, place+1)
			}
		}
		scores := scoreRanks(q.Gold, ranks)
		for k, name := range MetricNames() {
			switch name {
			case "recall@5":
				f.Recall5 += scores[k] / float64(len(questions))
			case "recall@10":
				f.Recall10 += scores[k] / float64(len(questions))
			case "ndcg@10":
				f.NDCG10 += scores[k] / float64(len(questions))
			}
		}
	}
	return f
}
