package pack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/rerank"
	"github.com/asof-db/asof/store"
)

// gatherSessions finds the sessions of a pack and reads their turns.
func gatherSessions(ctx context.Context, v store.View, q retrieval.Query, opt *Options) (*sessionsFound, error) {
	f := &sessionsFound{found: found{query: q.Text}}
	q.K, q.Kinds = opt.Sessions.Pool, []retrieval.Kind{retrieval.Session}
	result, err := retrieval.Search(ctx, v, q, opt.Search)
	if err != nil {
		return nil, err
	}
	f.result = result
	f.at, f.known = instantOf(&result)
	hits := slices.Clone(result.Hits)
	if opt.Sessions.Angles {
		if hits, err = f.ask(ctx, v, q, opt, hits); err != nil {
			return nil, err
		}
	}
	for _, h := range hits {
		f.sessions = append(f.sessions, sessionFound{hit: h})
	}
	if opt.Mode == Detchain {
		if err := f.expand(ctx, v, q, opt); err != nil {
			return nil, err
		}
	}
	if err := f.read(ctx, v); err != nil {
		return nil, err
	}
	return f, f.rank(ctx, opt.Sessions.Scorer)
}

// ask searches by the other wordings of the question and gives each session the
// best of its scores.
func (f *sessionsFound) ask(ctx context.Context, v store.View, q retrieval.Query, opt *Options, hits []retrieval.Hit) ([]retrieval.Hit, error) {
	angles, err := opt.Sessions.Rewriter.Angles(ctx, q.Text, angleCount)
	if err != nil {
		return nil, fmt.Errorf("angles: %w", err)
	}
	f.angles = angles
	best := map[string]int{}
	for i := range hits {
		best[hits[i].ID] = i
	}
	for _, angle := range angles {
		other := q
		other.Text = angle
		r, err := retrieval.Search(ctx, v, other, opt.Search)
		if err != nil {
			return nil, err
		}
		for _, h := range r.Hits {
			i, ok := best[h.ID]
			switch {
			case !ok:
				best[h.ID] = len(hits)
				hits = append(hits, h)
			case h.Score > hits[i].Score:
				hits[i] = h
			}
		}
	}
	slices.SortStableFunc(hits, func(x, y retrieval.Hit) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), strings.Compare(x.ID, y.ID))
	})
	hits = hits[:min(len(hits), opt.Sessions.Pool)]
	for i := range hits {
		hits[i].Rank = i + 1
	}
	return hits, nil
}

// expand adds sessions that the entry lacks and that turns, facts or events which
// were found lie in, those that the expansion of the search added last, up to the
// bound; it never reorders what was there.
func (f *sessionsFound) expand(ctx context.Context, v store.View, q retrieval.Query, opt *Options) error {
	there := map[string]bool{}
	for i := range f.sessions {
		there[f.sessions[i].hit.ID] = true
	}
	most := len(f.sessions) + opt.Sessions.Added
	q.K, q.More, q.Kinds = pool, opt.Search.Expansion.Most, []retrieval.Kind{retrieval.Turn, retrieval.Fact, retrieval.Event}
	r, err := retrieval.Search(ctx, v, q, opt.Search)
	if err != nil {
		return err
	}
	for _, h := range r.Hits {
		for _, id := range h.Turns {
			turn, err := v.Turn(id)
			if errors.Is(err, dsl.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if !there[turn.Session] && len(f.sessions) < most {
				there[turn.Session] = true
				f.sessions = append(f.sessions, sessionFound{expanded: true, hit: retrieval.Hit{Kind: retrieval.Session, ID: turn.Session,
					Session: turn.Session, Rank: len(f.sessions) + 1, Score: h.Score}})
			}
		}
	}
	return nil
}

// read reads the turns of the sessions: those that stand and were said by the
// instant asked for.
func (f *sessionsFound) read(ctx context.Context, v store.View) (err error) {
	index, err := v.Index(store.TurnField)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	at := map[string]int{}
	for i := range f.sessions {
		at[f.sessions[i].hit.ID] = i
	}
	for n := range index.Stats().Sessions {
		name, err := index.Session(uint32(n))
		if err != nil {
			return err
		}
		i, ok := at[name]
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s := &f.sessions[i]
		members, err := index.Members(uint32(n))
		if err != nil {
			return err
		}
		start, record := dsl.Forever, dsl.Forever
		for _, doc := range members {
			turn, err := v.TurnDoc(int(doc))
			if err != nil {
				return err
			}
			if turn.ReplacedBy != "" || f.result.Valid != nil && turn.TS > *f.result.Valid {
				continue
			}
			start, record = min(start, turn.TS), min(record, turn.Record)
			s.turns = append(s.turns, turnFound{Turn: turn, rank: s.hit.Rank, score: s.hit.Score})
		}
		if len(s.turns) > 0 {
			s.hit.Valid, s.hit.Record = dsl.Since(start), dsl.Since(record)
		}
	}
	f.sessions = slices.DeleteFunc(f.sessions, func(s sessionFound) bool { return len(s.turns) == 0 })
	return nil
}

// chunkTokens is how long a passage is that a cross-encoder scores.
const chunkTokens = 180

// rank orders the sessions by the best of the scores of their passages, equal ones
// as the entry did; without a scorer as the entry did.
func (f *sessionsFound) rank(ctx context.Context, scorer rerank.Scorer) error {
	f.order = make([]int, len(f.sessions))
	for i := range f.order {
		f.order[i] = i
	}
	if scorer == nil || len(f.sessions) == 0 {
		return nil
	}
	best := make([]float64, len(f.sessions))
	for i := range f.sessions {
		passages := f.sessions[i].passages()
		scores, err := rerank.ScoreAll(ctx, scorer, f.query, passages)
		if err != nil {
			return fmt.Errorf("order of the sessions: %w", err)
		}
		best[i] = slices.Max(scores)
	}
	f.scored = true
	slices.SortStableFunc(f.order, func(i, j int) int { return cmp.Compare(best[j], best[i]) })
	return nil
}

// passages cuts a session into passages of whole turns.
func (s *sessionFound) passages() []string {
	var out []string
	var lines []string
	tokens := 0
	for i := range s.turns {
		t := &s.turns[i]
		line := spoken(t.Speaker.String(), oneLine(t.Text.String()))
		n := assimilate.Tokens(line)
		if tokens > 0 && tokens+n > chunkTokens {
			out = append(out, strings.Join(lines, "\n"))
			lines, tokens = nil, 0
		}
		lines, tokens = append(lines, line), tokens+n
	}
	return append(out, strings.Join(lines, "\n"))
}
