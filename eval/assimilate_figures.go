package eval

import (
	"slices"
	"strconv"

	"github.com/asof-db/asof/dsl"
)

// funnelCounts are the stages that values which are superseded or deleted pass,
// each counted among those that passed the one before; and what becomes of all
// that were asserted.
type funnelCounts struct {
	values, stated, extracted, changed, assimilated, answered int
	// asserted counts the values that the memory asserted before the change,
	// recorded those of them that the earlier view still gives.
	asserted, recorded int
	// due are those asserted that nothing states again, left those of them that the
	// head still asserts; dueFound and leftFound only where extraction found the
	// change.
	due, left, dueFound, leftFound int
	// again and unsaid explain losses: stated anew later; changed in other words
	// than the value's.
	again, unsaid int
}

// kept is the share of asserted values that the as-recorded view still gives.
func (f *funnelCounts) kept() float64 { return share(f.recorded, f.asserted) }

// gone is the share of asserted values that the head no longer asserts.
func (f *funnelCounts) gone() float64 { return share(f.due-f.left, f.due) }

// funnel counts the fates that match, all if match is nil.
func (m *measured) funnel(match func(*valueFate) bool) *funnelCounts {
	f := &funnelCounts{}
	count := func(n *int, is bool) bool {
		if is {
			*n++
		}
		return is
	}
	for i := range m.values {
		x := &m.values[i]
		if match != nil && !match(x) {
			continue
		}
		f.values++
		if count(&f.stated, x.stated) && count(&f.extracted, x.extracted) && count(&f.changed, x.changeExtracted) &&
			count(&f.assimilated, x.asserted && !x.after) {
			count(&f.answered, x.recorded && x.found && (x.again || !x.leftover))
		}
		count(&f.unsaid, x.stated && !x.changeStated)
		if !count(&f.asserted, x.asserted) {
			continue
		}
		count(&f.recorded, x.recorded)
		if count(&f.again, x.again) {
			continue
		}
		f.due++
		count(&f.left, x.head)
		if count(&f.dueFound, x.changeExtracted) {
			count(&f.leftFound, x.head)
		}
	}
	return f
}

// costs sums a cost over the sessions.
func (m *measured) costs(of func(*sessionCost) int) int {
	n := 0
	for i := range m.sessions {
		n += of(&m.sessions[i])
	}
	return n
}

func (m *measured) meanCost(of func(*sessionCost) int) float64 {
	return share(m.costs(of), len(m.sessions))
}

// sortedCosts gives a cost of every session, rising.
func (m *measured) sortedCosts(of func(*sessionCost) int) []int {
	var list []int
	for i := range m.sessions {
		list = append(list, of(&m.sessions[i]))
	}
	slices.Sort(list)
	return list
}

// costRows gives mean, percentiles (nearest rank) and maximum of a cost.
func (m *measured) costRows(name string, of func(*sessionCost) int) []Row {
	list := m.sortedCosts(of)
	n := len(list)
	out := []Row{{name, "mean", n, m.meanCost(of)}}
	for _, p := range []int{50, 90, 95, 100} {
		if n > 0 {
			out = append(out, Row{name, "p" + strconv.Itoa(p), n, float64(list[(n*p+99)/100-1])})
		}
	}
	return out
}

// The costs of a session that have bounds.
func tokensOf(c *sessionCost) int   { return c.tokens }
func strongOf(c *sessionCost) int   { return c.strong }
func salientOf(c *sessionCost) int  { return c.salient }
func periodicOf(c *sessionCost) int { return c.periodic }
func eventsOf(c *sessionCost) int   { return c.events }

// rows gives every metric.
func (m *measured) rows() []Row {
	t := m.table.total()
	out := []Row{{"candidates", "all", t.candidates, float64(t.candidates)}}
	for _, a := range actions() {
		out = append(out, Row{"decisions", string(a), t.candidates, share(t.of(a), t.candidates)})
	}
	e := &m.events
	out = append(out,
		Row{"duplicate_reduction", "all", t.proposed(), t.reduction()},
		Row{"duplicates_left", "all", m.keys.open, float64(m.keys.duplicates)},
		Row{"i7_violations", "all", m.keys.pairs, float64(m.keys.violations)},
		Row{"functional_keys", "all", m.keys.facts, float64(m.keys.keys)},
		Row{"fact_versions", "all", m.keys.facts, float64(m.keys.versions)},
		Row{"open_facts", "all", m.keys.versions, float64(m.keys.open)},
		Row{"events", "all", e.versions, float64(e.events)},
		Row{"event_purity", "all", e.standing, share(e.pure, e.standing)},
		Row{"event_purity_gold", "all", e.mapped, share(e.main, e.mapped)},
		Row{"event_purity_gold", "several turns", e.many, share(e.manyMain, e.many)},
		Row{"event_closure", "all", e.versions, share(e.closed, e.versions)},
		Row{"evidence_observed", "all", e.observed, share(e.cited, e.observed)},
	)
	out = append(out, m.costRows("tokens_per_session", tokensOf)...)
	out = append(out, m.costRows("strong_per_session", strongOf)...)
	out = append(out, m.costRows("salient_per_session", salientOf)...)
	out = append(out, m.costRows("periodic_per_session", periodicOf)...)
	out = append(out, m.costRows("events_per_session", eventsOf)...)
	for _, k := range m.layer2.keys() {
		out = append(out, Row{"layer2", k[0] + " " + k[1], m.layer2.all(), float64(m.layer2.by[k])})
	}
	if len(m.values) > 0 {
		for _, g := range m.groups() {
			out = append(out, funnelRows(g.name, m.funnel(g.match))...)
		}
	}
	return out
}

// keys gives the triggers and actions that came about, in the order of dsl.
func (l *layer2Counts) keys() [][2]string {
	var out [][2]string
	for _, t := range dsl.Triggers {
		for _, a := range dsl.TriggerActions {
			if k := [2]string{string(t), string(a)}; l.by[k] > 0 {
				out = append(out, k)
			}
		}
	}
	return out
}

// all counts all decisions of layer 2.
func (l *layer2Counts) all() int {
	n := 0
	for _, x := range l.by {
		n += x
	}
	return n
}

// valueGroup is a group of values that figures are given for.
type valueGroup struct {
	name  string
	match func(*valueFate) bool
}

// groups gives all values, those updated, those deleted, and those of each class.
func (m *measured) groups() []valueGroup {
	out := []valueGroup{{"all", nil},
		{"update", func(x *valueFate) bool { return x.change.Kind == ValueUpdated }},
		{"delete", func(x *valueFate) bool { return x.change.Kind == ValueDeleted }}}
	var classes []string
	for i := range m.values {
		classes = append(classes, m.values[i].change.Class)
	}
	slices.Sort(classes)
	for _, c := range slices.Compact(classes) {
		out = append(out, valueGroup{c, func(x *valueFate) bool { return x.change.Class == c }})
	}
	return out
}

func funnelRows(group string, f *funnelCounts) []Row {
	return []Row{
		{"funnel_stated", group, f.values, share(f.stated, f.values)},
		{"funnel_extracted", group, f.stated, share(f.extracted, f.stated)},
		{"funnel_change_extracted", group, f.extracted, share(f.changed, f.extracted)},
		{"funnel_assimilated", group, f.changed, share(f.assimilated, f.changed)},
		{"funnel_answered", group, f.assimilated, share(f.answered, f.assimilated)},
		{"superseded_gone", group, f.due, f.gone()},
		{"superseded_gone_extracted", group, f.dueFound, share(f.dueFound-f.leftFound, f.dueFound)},
		{"recorded_kept", group, f.asserted, f.kept()},
	}
}
