package neo4j

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// Report says what the graph holds.
type Report struct {
	// Position is the number of log transactions in the graph: of one space its
	// position, of several the sum of theirs.
	Position      dsl.Seq `json:"position"`
	Nodes         int     `json:"nodes"`
	Relationships int     `json:"relationships"`
	// Equal tells whether what was looked at is as it should be: for a sync, that the
	// graph is where the store is; for a verification, that every row is.
	Equal  bool          `json:"equal"`
	Spaces []SpaceReport `json:"spaces"`
}

// SpaceReport is the part of one space.
type SpaceReport struct {
	Space      string `json:"space"`
	Generation int64  `json:"generation"`
	// Position is that of the graph, Head that of the store.
	Position      dsl.Seq `json:"position"`
	Head          dsl.Seq `json:"head"`
	Nodes         int     `json:"nodes"`
	Relationships int     `json:"relationships"`
	Equal         bool    `json:"equal"`
	// Store and Graph are the digests of the rows that a verification has compared.
	Store *dsl.Hash `json:"store,omitzero"`
	Graph *dsl.Hash `json:"graph,omitzero"`
	// Differing counts the rows that differ; Differences are the first of them.
	Differing   int          `json:"differing,omitzero"`
	Differences []Difference `json:"differences,omitempty"`
	// Fault says why the space cannot be compared or is not projected.
	Fault string `json:"fault,omitzero"`
}

// Difference is a row that the graph does not hold as it should.
type Difference struct {
	// Kind is missing, extra or changed.
	Kind string `json:"kind"`
	// Table is the label or the relationship's type, with what tells it from others;
	// Key identifies the row in it.
	Table string `json:"table"`
	Key   string `json:"key"`
	// Columns are those that differ, with what the store says and what the graph
	// holds; empty unless changed.
	Columns []ColumnDifference `json:"columns,omitempty"`
}

// ColumnDifference is a property that differs.
type ColumnDifference struct {
	Column string `json:"column"`
	Store  any    `json:"store"`
	Graph  any    `json:"graph"`
}

// maxDifferences bounds the rows of a space that a report names.
const maxDifferences = 100

// Status says how far the graph is and what it holds, without looking at its rows.
func (p *Projector) Status(ctx context.Context) (Report, error) {
	var list []generation
	counts := map[*table]map[int64]int{}
	err := p.retry(ctx, func() (err error) {
		if list, err = p.current(ctx); err != nil {
			return err
		}
		var numbers []int64
		for _, g := range list {
			numbers = append(numbers, g.number)
		}
		for _, t := range tables {
			if counts[t], err = p.graph.count(ctx, t, numbers); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Report{}, p.opt.explain(err)
	}
	var out []SpaceReport
	for _, g := range list {
		s := SpaceReport{Space: g.space, Generation: g.number, Position: g.position}
		for t, by := range counts {
			if t.isNode() {
				s.Nodes += by[g.number]
			} else {
				s.Relationships += by[g.number]
			}
		}
		out = append(out, s)
	}
	return p.report(out, func(s *SpaceReport) { s.Equal = s.Position == s.Head })
}

// current gives the generations that readers see, by space.
func (p *Projector) current(ctx context.Context) (out []generation, err error) {
	list, err := p.graph.generations(ctx)
	for _, g := range list {
		if g.state == current && p.wanted(g.space) {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b generation) int { return cmp.Compare(a.space, b.space) })
	return out, err
}

// report completes the parts of spaces: those that only the store has are added,
// and all are added up.
func (p *Projector) report(list []SpaceReport, judge func(*SpaceReport)) (Report, error) {
	r := Report{Equal: true, Spaces: []SpaceReport{}}
	names, err := p.src.Spaces()
	if err != nil {
		return r, err
	}
	known := map[string]bool{}
	for _, s := range list {
		known[s.Space] = true
	}
	for _, space := range names {
		if p.wanted(space) && !known[space] {
			list = append(list, SpaceReport{Space: space})
		}
	}
	slices.SortFunc(list, func(a, b SpaceReport) int { return cmp.Compare(a.Space, b.Space) })
	for _, s := range list {
		head, err := p.src.Head(s.Space)
		if err != nil {
			return r, err
		}
		s.Head = head.Seq
		if judge(&s); p.dead[s.Space] != nil {
			s.Equal, s.Fault = false, p.dead[s.Space].Error()
		}
		r.Position += s.Position
		r.Nodes += s.Nodes
		r.Relationships += s.Relationships
		r.Equal = r.Equal && s.Equal
		r.Spaces = append(r.Spaces, s)
	}
	return r, nil
}

// verifyTries is how often a space is compared again because the projector moved
// on meanwhile.
const verifyTries = 5

// Verify compares every row that the graph holds with those that follow from the
// store at the same position. A graph that is behind the store can be equal: Head
// tells. What differs is named in the report; an error means that it could not be
// looked at.
func (p *Projector) Verify(ctx context.Context) (Report, error) {
	var list []generation
	err := p.retry(ctx, func() (err error) {
		list, err = p.current(ctx)
		return err
	})
	if err != nil {
		return Report{}, p.opt.explain(err)
	}
	var out []SpaceReport
	for _, g := range list {
		s, err := p.verifySpace(ctx, g)
		if err != nil {
			return Report{}, p.opt.explain(err)
		}
		out = append(out, s)
	}
	return p.report(out, func(s *SpaceReport) {
		if s.Generation == 0 && s.Head > 0 {
			s.Equal, s.Fault = false, "it is not in the graph; 'asof neo4j sync' brings it there"
		}
		if s.Generation == 0 && s.Head == 0 {
			s.Equal = true
		}
	})
}

// verifySpace verifies a generation, and again where it was written meanwhile.
func (p *Projector) verifySpace(ctx context.Context, g generation) (s SpaceReport, err error) {
	for range verifyTries {
		if s, err = p.verify(ctx, g); err != nil || s.Equal || s.Fault != "" {
			return s, err
		}
		list, err := p.current(ctx)
		if err != nil {
			return s, err
		}
		i := slices.IndexFunc(list, func(x generation) bool { return x.space == g.space })
		if i < 0 || list[i] == g {
			return s, nil
		}
		g = list[i]
	}
	s.Fault = "the graph was written all the while; stop the projector or verify again"
	return s, nil
}

func (p *Projector) verify(ctx context.Context, g generation) (s SpaceReport, err error) {
	s = SpaceReport{Space: g.space, Generation: g.number, Position: g.position}
	frozen, err := p.src.Freeze()
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, frozen.Close()) }()
	head, first, err := frozen.Head(g.space)
	if err != nil {
		return s, err
	}
	switch {
	case g.format != format:
		s.Fault = fmt.Sprintf("its schema is of version %d, this build's of %d; 'asof neo4j rebuild' makes it again", g.format, format)
		return s, nil
	case g.position > head.Seq:
		s.Fault = fmt.Sprintf("the graph is at %s and the store at %s: it is of another store; 'asof neo4j rebuild' makes it again", g.position, head.Seq)
		return s, nil
	case g.position > 0 && g.position < first:
		s.Fault = fmt.Sprintf("the space was dropped at %s, the graph is at %s; 'asof neo4j sync' brings it there", first, g.position)
		return s, nil
	}
	sides := p.sides(ctx, frozen, g)
	var sums [2]tally
	for i, each := range sides {
		if err := each(func(t *table, r row) error { sums[i].add(t, r); return nil }); err != nil {
			return s, err
		}
	}
	store, graph := sums[0].digest(g.space, g.position), sums[1].digest(g.space, g.position)
	s.Store, s.Graph, s.Equal = &store, &graph, store == graph
	s.Nodes, s.Relationships = sums[1].nodes, sums[1].edges
	if s.Equal {
		return s, nil
	}
	differs := func(t *table, r row) bool {
		b := bucketOf(t, r)
		return sums[0].parts[b] != sums[1].parts[b]
	}
	s.Differing, s.Differences, err = differences(sides, differs)
	return s, err
}

// side goes over the rows of one side.
type side func(func(*table, row) error) error

// sides are the rows of a generation as the store has them, and as the graph has.
func (p *Projector) sides(ctx context.Context, frozen *store.Frozen, g generation) [2]side {
	return [2]side{
		func(f func(*table, row) error) error { return rowsOf(ctx, frozen, g, p.opt.Episodes, f) },
		func(f func(*table, row) error) error {
			for _, t := range tables {
				if (t == episodeTable || t == containsTable) && p.opt.Episodes == nil {
					continue
				}
				if err := p.graph.rows(ctx, t, g.number, func(r row) error { return f(t, r) }); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// differences names the rows that two sides do not hold alike, of those in question.
func differences(sides [2]side, question func(*table, row) bool) (n int, out []Difference, err error) {
	type place struct {
		table *table
		key   string
	}
	var rows [2]map[place][]row
	for i, each := range sides {
		rows[i] = map[place][]row{}
		err := each(func(t *table, r row) error {
			if question(t, r) {
				at := place{t, t.key(r)}
				rows[i][at] = append(rows[i][at], r)
			}
			return nil
		})
		if err != nil {
			return 0, nil, err
		}
	}
	all := map[place]bool{}
	for _, side := range rows {
		for at := range side {
			all[at] = true
		}
	}
	order := slices.SortedFunc(maps.Keys(all), func(a, b place) int {
		return cmp.Or(cmp.Compare(slices.Index(tables, a.table), slices.Index(tables, b.table)), cmp.Compare(a.key, b.key))
	})
	note := func(d Difference) {
		if n++; len(out) < maxDifferences {
			out = append(out, d)
		}
	}
	for _, at := range order {
		is, has := rows[0][at], rows[1][at]
		for i := range max(len(is), len(has)) {
			d := Difference{Table: at.table.title(), Key: at.key}
			switch {
			case i >= len(is):
				d.Kind = "extra"
			case i >= len(has):
				d.Kind = "missing"
			default:
				d.Kind, d.Columns = "changed", columnsOf(at.table, is[i], has[i])
				if len(d.Columns) == 0 {
					continue
				}
			}
			note(d)
		}
	}
	return n, out, nil
}

// columnsOf gives the columns in which two rows differ.
func columnsOf(t *table, is, has row) (out []ColumnDifference) {
	for i := 1; i < len(t.columns); i++ {
		if string(appendValue(nil, is[i])) != string(appendValue(nil, has[i])) {
			out = append(out, ColumnDifference{t.columns[i], is[i], has[i]})
		}
	}
	return out
}
