package eval

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/retrieval/pack"
)

// chainStudy tells what became of the sessions that hold an answer on the way into
// packs of sessions, and which questions got scaffolds.
type chainStudy struct {
	mode, model string
	lines       []chainLine
	file        *outFile
}

// chainLine is what became of one question.
type chainLine struct {
	scored   bool
	gold     int
	coverage pack.Coverage
	// pool, added and packed count sessions of the entry, of the expansion and of
	// the pack.
	pool, added, packed int
	tokens              int
	order               string
	scaffolds           []string
	contradiction       bool
}

// What the report of the chain says it reached with its own models.
const (
	paperQuestions = 470
	paperPool      = 468
	paperOnly      = 10
	paperPacks     = 462
)

func newChainStudy(cfg configs.Config) *chainStudy {
	s := &chainStudy{mode: cfg.Pack.Mode, model: "none"}
	if cfg.Rerank.Mode == configs.RerankCrossEncoder || cfg.Rerank.Mode == configs.RerankMonoT5 {
		s.model = cfg.Rerank.Model
	}
	return s
}

func (*chainStudy) close() error { return nil }

func (s *chainStudy) begin(dir *folder) (err error) {
	s.file, err = dir.create("chain.csv")
	if err == nil {
		record(s.file, "qid", "category", "gold_sessions", "pool", "added", "packed", "pool_complete", "only_expansion", "pack_complete",
			"verbatim_complete", "tokens", "order", "scaffolds", "contradiction")
	}
	return err
}

func (s *chainStudy) ask(_ context.Context, v *asof.View, _ *run, x *exam, at int, a *answer) (any, error) {
	q, p := &x.questions[at], a.pack.compiled
	l := chainLine{scored: len(q.sessions) > 0, gold: len(q.sessions), coverage: p.Covers(q.sessions), packed: len(p.Items), tokens: p.Tokens}
	if r := p.Receipt.Sessions; r != nil {
		l.pool, l.added, l.order = len(r.Pool), len(r.Expansion), r.Order
	}
	e, err := v.Scaffolds(p, nil)
	if err != nil {
		return nil, fmt.Errorf("scaffolds: %w", err)
	}
	l.contradiction = e.Contradiction != ""
	for _, x := range e.Scaffolds {
		l.scaffolds = append(l.scaffolds, string(x.Kind))
	}
	return l, nil
}

func (s *chainStudy) record(q *posed, found any) {
	l := found.(chainLine)
	s.lines = append(s.lines, l)
	record(s.file, q.qid, q.category, strconv.Itoa(l.gold), strconv.Itoa(l.pool), strconv.Itoa(l.added), strconv.Itoa(l.packed),
		strconv.FormatBool(l.coverage.Pool), strings.Join(l.coverage.OnlyExpansion, " "), strconv.FormatBool(l.coverage.Pack),
		strconv.FormatBool(l.coverage.Verbatim), strconv.Itoa(l.tokens), l.order, strings.Join(l.scaffolds, " "), strconv.FormatBool(l.contradiction))
}

func (*chainStudy) finish(*folder, *group) error { return nil }

func (s *chainStudy) summary(o *outFile) {
	var questions, pool, only, onlyIn, complete, verbatim, tokens, poolSize, added, packed int
	with, contradictions := 0, 0
	kinds := map[string]int{}
	order := ""
	for i := range s.lines {
		l := &s.lines[i]
		order = l.order
		tokens, poolSize, added, packed = tokens+l.tokens, poolSize+l.pool, added+l.added, packed+l.packed
		if len(l.scaffolds) > 0 {
			with++
		}
		if l.contradiction {
			contradictions++
		}
		for _, k := range l.scaffolds {
			kinds[k]++
		}
		if !l.scored {
			continue
		}
		questions++
		for _, c := range []struct {
			ok bool
			n  *int
		}{{l.coverage.Pool, &pool}, {l.coverage.Pack, &complete}, {l.coverage.Verbatim, &verbatim}, {len(l.coverage.OnlyExpansion) > 0, &onlyIn}} {
			if c.ok {
				*c.n++
			}
		}
		only += len(l.coverage.OnlyExpansion)
	}
	n := float64(max(len(s.lines), 1))
	paper := func(k int) string {
		if s.mode != configs.PackDetchain {
			return ""
		}
		return fmt.Sprintf(" (the paper: %d of %d)", k, paperQuestions)
	}
	fmt.Fprintf(o, "\n## Packs of sessions: %s\n\nBy question in chain.csv. Model that orders the sessions: %s; the order was that of %s. Models run in fp32 here", s.mode, s.model, order)
	if s.mode == configs.PackDetchain {
		fmt.Fprint(o, "; the paper reranked in fp16, so its scores are not ours")
	}
	fmt.Fprint(o, ".\n\n")
	fmt.Fprintf(o, "- Pool complete: %d of %d questions with gold sessions%s; %.1f sessions of the entry and %.1f of the expansion on average.\n", pool, questions, paper(paperPool), float64(poolSize)/n, float64(added)/n)
	fmt.Fprintf(o, "- Gold sessions that only expansion found: %d, in %d questions", only, onlyIn)
	if s.mode == configs.PackDetchain {
		fmt.Fprintf(o, " (the paper: %d)", paperOnly)
	}
	fmt.Fprintf(o, ".\n- Gold-complete packs: %d of %d%s; all gold in the verbatim part: %d. %.1f sessions and %.0f tokens on average.\n", complete, questions, paper(paperPacks), verbatim, float64(packed)/n, float64(tokens)/n)
	var names, parts []string
	for k := range kinds {
		names = append(names, k)
	}
	slices.Sort(names)
	for _, k := range names {
		parts = append(parts, fmt.Sprintf("%s %d", k, kinds[k]))
	}
	fmt.Fprintf(o, "- Questions that got scaffolds: %d of %d", with, len(s.lines))
	if len(parts) > 0 {
		fmt.Fprintf(o, " (%s)", strings.Join(parts, ", "))
	}
	fmt.Fprintf(o, "; packs that contradict themselves and got none: %d.\n", contradictions)
}
