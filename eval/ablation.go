package eval

import (
	"context"
	"errors"
	"iter"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// variant is a configuration of a run: the whole memory, or it without a part.
type variant struct {
	name   string
	config configs.Config
	// wrap changes what views give; nil leaves them.
	wrap func(*asof.DB, *asof.View) error
	// probes is how many views of each space are probed for leaks.
	probes int
	// gaps fills the gaps that the data set's questions meet, once all is taken in.
	gaps bool
	// episodes widens what a search of events reaches by their episodes.
	episodes bool
}

// ablationProbes is how many views of each space an ablation probes.
const ablationProbes = 100

// ablations gives the configuration without one part at a time. Parts that the
// memory has no switch for are taken out of the views: METRICS.md says how.
func ablations(cfg configs.Config) []variant {
	without := func(name string, change func(*configs.Config)) variant {
		v := variant{name: "-" + name, config: cfg, gaps: cfg.Triggers.Backfill, episodes: true}
		if change != nil {
			change(&v.config)
		}
		return v
	}
	bitemporal, visible := without("bitemporal", nil), without("t_visible", nil)
	bitemporal.wrap, visible.wrap = headOnly, everyEvent
	bitemporal.probes, visible.probes = ablationProbes, ablationProbes
	backfill, episode := without("backfill", func(c *configs.Config) { c.Triggers.Backfill = false }), without("episode", nil)
	backfill.gaps, episode.episodes = false, false
	return []variant{bitemporal, visible,
		without("periodic", func(c *configs.Config) { c.Triggers.Periodic = false }),
		backfill,
		without("salience", func(c *configs.Config) { c.Triggers.Salience = false }),
		episode,
	}
}

// headOnly puts the head in the place of any other view: a memory that keeps one
// state, the last.
func headOnly(db *asof.DB, v *asof.View) error {
	head, err := db.View(v.Basis().Space, asof.At{})
	if err != nil {
		return err
	}
	v.View = onlyHead{head.View, v.View}
	return nil
}

// onlyHead is the head, but closes the view that it stands for too.
type onlyHead struct {
	store.View
	of store.View
}

func (h onlyHead) Close() error { return errors.Join(h.View.Close(), h.of.Close()) }

// everyEvent shows events from the moment they are recorded, whether or not their
// evidence is complete.
func everyEvent(_ *asof.DB, v *asof.View) error {
	v.View = unhidden{v.View}
	return nil
}

type unhidden struct{ store.View }

// Events yields the version open at the basis of each event.
func (u unhidden) Events(all bool) iter.Seq2[dsl.Event, error] {
	if all {
		return u.View.Events(true)
	}
	return func(yield func(dsl.Event, error) bool) {
		for e, err := range u.View.Events(true) {
			if err == nil && e.Closed != 0 {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// EventDoc gives the content of a document as if it were visible.
func (u unhidden) EventDoc(doc int) (dsl.Event, error) {
	e, err := u.View.EventDoc(doc)
	e.Visible = min(e.Visible, e.Record.Start)
	return e, err
}

// viewScan is what probing found.
type viewScan struct{ probes, leaks, early int }

func (v *viewScan) add(x *viewScan) {
	v.probes += x.probes
	v.leaks += x.leaks
	v.early += x.early
}

// scanViews probes the space, with an adversary, under the variant's views.
func (s *spaceRun) scanViews(ctx context.Context) error {
	if s.variant.probes == 0 {
		return nil
	}
	opt := LeakOptions{Config: &s.variant.config, wrap: s.variant.wrap}
	x, err := probeSpace(ctx, s.dialogue, s.variant.probes, &opt, func() {})
	if err != nil {
		return err
	}
	s.views.probes, s.views.early = len(x.probes), x.early
	for i := range x.probes {
		if x.probes[i].before != x.probes[i].after {
			s.views.leaks++
		}
	}
	return nil
}

// AblationRow is a line of ablation.csv.
type AblationRow struct {
	Name string
	// Values has the metrics in the order of AblationMetrics, and Deltas their
	// difference from the whole configuration.
	Values, Deltas []float64
}

// ablationMetric is a figure that ablations are compared by.
type ablationMetric struct {
	name string
	of   func(*measured) float64
}

func ablationMetrics() []ablationMetric {
	return []ablationMetric{
		{"leaking_views", func(m *measured) float64 { return share(m.views.leaks, m.views.probes) }},
		{"early_events", func(m *measured) float64 { return float64(m.views.early) }},
		{"recorded_kept", func(m *measured) float64 { return m.funnel(nil).kept() }},
		{"superseded_gone", func(m *measured) float64 { return m.funnel(nil).gone() }},
		{"fact_versions", func(m *measured) float64 { return float64(m.keys.versions) }},
		{"open_facts", func(m *measured) float64 { return float64(m.keys.open) }},
		{"events", func(m *measured) float64 { return float64(m.events.events) }},
		{"event_versions", func(m *measured) float64 { return float64(m.events.versions) }},
		{"event_purity", func(m *measured) float64 { return share(m.events.pure, m.events.standing) }},
		{"facts_in_events", func(m *measured) float64 { return float64(m.events.standing) }},
		{"tokens_per_session", func(m *measured) float64 { return m.meanCost(func(c *sessionCost) int { return c.tokens }) }},
		{"strong_per_session", func(m *measured) float64 { return m.meanCost(func(c *sessionCost) int { return c.strong }) }},
		{"salient_per_session", func(m *measured) float64 { return m.meanCost(func(c *sessionCost) int { return c.salient }) }},
		{"periodic_per_session", func(m *measured) float64 { return m.meanCost(func(c *sessionCost) int { return c.periodic }) }},
		{"backfill_writes", func(m *measured) float64 { return float64(m.costs(func(c *sessionCost) int { return c.backfill })) }},
		{"backfill_candidates", func(m *measured) float64 { return float64(m.gaps.candidates) }},
		{"event_reach", func(m *measured) float64 { return share(m.reach.reached, m.reach.questions) }},
		{"episodes", func(m *measured) float64 { return float64(m.events.episodes) }},
	}
}

// AblationMetrics names the figures of an AblationRow, in order.
func AblationMetrics() []string {
	var out []string
	for _, m := range ablationMetrics() {
		out = append(out, m.name)
	}
	return out
}

func ablationRow(name string, full, m *measured) AblationRow {
	r := AblationRow{Name: name}
	for _, a := range ablationMetrics() {
		v := a.of(m)
		r.Values = append(r.Values, v)
		r.Deltas = append(r.Deltas, v-a.of(full))
	}
	return r
}
