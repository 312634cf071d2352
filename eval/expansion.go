package eval

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/retrieval"
)

// poolSizes are how many turns the search hands on before expansion adds to them.
var poolSizes = []int{10, 20, 50, 100}

// expansionStudy tells which gold turns only the expansion finds, behind pools of
// several sizes, and which a search that goes as much deeper instead.
type expansionStudy struct {
	profile, plain *asof.Profile
	most           int
	lines          []expansionLine
	file           *outFile
}

// expansionLine is what was found for a question behind one pool.
type expansionLine struct {
	qid, category string
	pool          int
	// gold counts the gold turns, found those in the pool, only those that expansion
	// alone added, deeper those that as many further hits of the search have.
	gold, found, only, deeper int
	// added counts what was added, sources the gold turns by source: one may have
	// several.
	added   int
	sources map[string]int
	// took is with expansion, without the search alone.
	took, without latency
}

func newExpansionStudy(cfg configs.Config) (*expansionStudy, error) {
	p, err := asof.NewProfile(cfg)
	if err != nil {
		return nil, err
	}
	plain := p.Ranking(func(o *retrieval.Options) { o.Expansion = retrieval.Expansion{} })
	return &expansionStudy{profile: p, plain: plain, most: cfg.Retrieval.Expansion.Most}, nil
}

func (s *expansionStudy) close() error { return s.profile.Close() }

func (s *expansionStudy) begin(dir *folder) (err error) {
	s.file, err = dir.create("expansion.csv")
	if err == nil {
		record(s.file, "qid", "category", "pool", "gold", "in_pool", "only_expansion", "by_depth_instead", "added", "sources")
	}
	return err
}

func (s *expansionStudy) ask(ctx context.Context, v *asof.View, r *run, x *exam, at int, _ *answer) (any, error) {
	q := &x.questions[at]
	if len(q.turns) == 0 {
		return []expansionLine(nil), nil
	}
	query := asof.SearchQuery{Text: q.text, Kinds: []retrieval.Kind{retrieval.Turn}, Asked: q.at, K: poolSizes[len(poolSizes)-1] + s.most}
	deep, err := v.SearchUnder(ctx, query, s.plain)
	if err != nil {
		return nil, err
	}
	var lines []expansionLine
	for _, pool := range poolSizes {
		l := expansionLine{qid: q.qid, category: q.category, pool: pool, gold: len(q.turns), sources: map[string]int{}}
		query.K, query.More = pool, s.most
		var found asof.SearchResult
		err := r.timed(&l.took, func() (err error) {
			found, err = v.SearchUnder(ctx, query, s.profile)
			return err
		})
		if err != nil {
			return nil, err
		}
		if err := r.timed(&l.without, func() error {
			_, err := v.SearchUnder(ctx, query, s.plain)
			return err
		}); err != nil {
			return nil, err
		}
		l.count(q, &found, &deep)
		lines = append(lines, l)
	}
	return lines, nil
}

// count counts the gold turns of a question among what was found.
func (l *expansionLine) count(q *posed, found, deep *asof.SearchResult) {
	for i := range found.Hits {
		h := &found.Hits[i]
		gold := slices.Contains(q.turns, h.ID)
		switch {
		case h.Added == 0 && gold:
			l.found++
		case h.Added > 0:
			l.added++
			if !gold {
				continue
			}
			l.only++
			for _, p := range h.Why {
				if p.Rank > 0 {
					l.sources[p.Channel]++
				}
			}
		}
	}
	from := min(len(found.Hits)-l.added, len(deep.Hits))
	for _, h := range deep.Hits[from:min(from+l.added, len(deep.Hits))] {
		if slices.Contains(q.turns, h.ID) {
			l.deeper++
		}
	}
}

func (s *expansionStudy) record(_ *posed, found any) {
	for _, l := range found.([]expansionLine) {
		s.lines = append(s.lines, l)
		record(s.file, l.qid, l.category, strconv.Itoa(l.pool), strconv.Itoa(l.gold), strconv.Itoa(l.found), strconv.Itoa(l.only),
			strconv.Itoa(l.deeper), strconv.Itoa(l.added), sourceCounts(l.sources))
	}
}

// sourceCounts shows counts by source, in the order of their names.
func sourceCounts(by map[string]int) string {
	var names, parts []string
	for name := range by {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%s %d", strings.TrimPrefix(name, "added: "), by[name]))
	}
	return strings.Join(parts, ", ")
}

// poolRow is the sum over questions behind one pool.
type poolRow struct {
	expansionLine
	questions      int
	took, without  []latency
	complete, more int // questions with all gold in the pool, and with what was added
}

// rows sums up by pool.
func (s *expansionStudy) rows(main *group) (rows []poolRow) {
	for _, pool := range poolSizes {
		row := poolRow{expansionLine: expansionLine{pool: pool, sources: map[string]int{}}}
		for i := range s.lines {
			l := &s.lines[i]
			if l.pool != pool || !main.holds(l.category) {
				continue
			}
			row.questions++
			row.gold += l.gold
			row.found += l.found
			row.only += l.only
			row.deeper += l.deeper
			row.added += l.added
			if l.found == l.gold {
				row.complete++
			}
			if l.found+l.only == l.gold {
				row.more++
			}
			for name, n := range l.sources {
				row.sources[name] += n
			}
			row.took, row.without = append(row.took, l.took), append(row.without, l.without)
		}
		rows = append(rows, row)
	}
	return rows
}

func (s *expansionStudy) finish(dir *folder, main *group) error {
	o, err := dir.create("figs/latency-expansion.csv")
	if err != nil {
		return err
	}
	record(o, "pool", "p50_ms", "p95_ms", "cpu_p50_ms", "cpu_p95_ms", "without_p50_ms", "without_p95_ms", "without_cpu_p50_ms", "without_cpu_p95_ms")
	for _, row := range s.rows(main) {
		line := []string{strconv.Itoa(row.pool)}
		for _, list := range [][]latency{row.took, row.without} {
			for _, of := range []func(latency) time.Duration{wall, cpu} {
				p50, p95 := percentiles(list, of)
				line = append(line, milliseconds(p50), milliseconds(p95))
			}
		}
		record(o, line...)
	}
	s.lines = slices.DeleteFunc(s.lines, func(l expansionLine) bool { return !main.holds(l.category) })
	return nil
}

func (s *expansionStudy) summary(o *outFile) {
	fmt.Fprintf(o, "\n## Expansion\n\nGold turns that only the expansion finds, behind the best turns of the search, and how many a search finds that goes as much deeper instead. At most %d turns are added. By question in expansion.csv; its cost in figs/latency-expansion.csv.\n\n", s.most)
	fmt.Fprint(o, "| pool | gold turns | in the pool | only by expansion | as much deeper instead | added per question | questions with all in the pool | with what was added | by source |\n|---:|---:|---:|---:|---:|---:|---:|---:|---|\n")
	all := group{name: "all"}
	for _, row := range s.rows(&all) {
		n := max(row.questions, 1)
		fmt.Fprintf(o, "| %d | %d | %d | %d | %d | %.1f | %d of %d | %d | %s |\n", row.pool, row.gold, row.found, row.only, row.deeper,
			float64(row.added)/float64(n), row.complete, row.questions, row.more, sourceCounts(row.sources))
	}
}
