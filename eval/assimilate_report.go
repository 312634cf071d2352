package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/asof-db/asof/dsl"
)

// writeAssimilate writes the files of the run.
func writeAssimilate(dir *folder, s *AssimilateSummary, m *measured, opt *AssimilateOptions) error {
	info, err := opt.Manifest.dataInfo()
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		write func(*outFile)
		skip  bool
	}{
		{"table_b.csv", m.writeTable, false},
		{"rules.csv", m.writeRules, false},
		{"sessions.csv", m.writeSessions, false},
		{"funnel.csv", m.writeFunnel, len(m.values) == 0},
		{"metrics.csv", func(o *outFile) { writeRows(o, s.Rows) }, false},
		{"ablation.csv", s.writeAblations, len(s.Ablations) == 0},
		{latencyFile, func(o *outFile) { m.writeLatency(o, opt.Clock != nil) }, false},
		{"summary.md", func(o *outFile) { s.writeSummary(o, m, info) }, false},
	} {
		if f.skip {
			continue
		}
		o, err := dir.create(f.name)
		if err != nil {
			return err
		}
		f.write(o)
	}
	counts := map[string]int{"spaces": s.Spaces, "turns": s.Turns, "sessions": len(m.sessions), "candidates": s.Candidates,
		"fact_versions": m.keys.versions, "event_versions": m.events.versions, "values": len(m.values)}
	return writeRunManifest(dir, "assimilate "+string(s.Format), &opt.Manifest, info, counts)
}

// writeTable writes Table B: the decisions by predicate.
func (m *measured) writeTable(o *outFile) {
	head := []string{"predicate", "candidates"}
	for _, a := range actions() {
		head = append(head, string(a))
	}
	record(o, append(head, "versions", "duplicate_reduction")...)
	line := func(name string, c *actionCounts) {
		fields := []string{name, strconv.Itoa(c.candidates)}
		for _, a := range actions() {
			fields = append(fields, strconv.Itoa(c.of(a)))
		}
		record(o, append(fields, strconv.Itoa(c.versions), number(c.reduction()))...)
	}
	for _, rel := range m.table.rels() {
		line(rel, m.table[rel])
	}
	line("all", m.table.total())
}

// writeRules writes how often each rule decided.
func (m *measured) writeRules(o *outFile) {
	record(o, "rule", "decisions")
	names := make([]string, 0, len(m.rules))
	for r := range m.rules {
		names = append(names, r)
	}
	slices.Sort(names)
	for _, r := range names {
		record(o, r, strconv.Itoa(m.rules[r]))
	}
}

// writeSessions writes what each session cost; sorted by tokens it is their CDF.
func (m *measured) writeSessions(o *outFile) {
	record(o, "space", "session", "turns", "candidates", "fact_versions", "event_versions", "tokens", "strong", "salience", "periodic", "backfill", "withheld", "archived")
	for i := range m.sessions {
		c := &m.sessions[i]
		line := []string{c.space, c.session}
		for _, n := range []int{c.turns, c.candidates, c.facts, c.events, c.tokens, c.strong, c.salient, c.periodic, c.backfill, c.withheld, c.archived} {
			line = append(line, strconv.Itoa(n))
		}
		record(o, line...)
	}
}

// writeFunnel writes one line a value that is superseded or deleted.
func (m *measured) writeFunnel(o *outFile) {
	record(o, "space", "session", "kind", "class", "slot", "old", "new", "stated", "change_stated", "extracted", "change_extracted", "asserted", "again",
		"asserted_after", "asserted_at_head", "recorded_kept", "found_before", "found_at_head")
	for i := range m.values {
		x := &m.values[i]
		c := &x.change
		line := []string{x.space, c.Session, string(c.Kind), c.Class, c.Slot, c.Old.spelled(), c.New.spelled()}
		for _, b := range []bool{x.stated, x.changeStated, x.extracted, x.changeExtracted, x.asserted, x.again, x.after, x.head, x.recorded, x.found, x.leftover} {
			line = append(line, strconv.FormatBool(b))
		}
		record(o, line...)
	}
}

// spelled gives a value with its stance.
func (v Value) spelled() string {
	if v.Dislike {
		return v.Text + " (disliked)"
	}
	return v.Text
}

// writeRows writes metrics.csv.
func writeRows(o *outFile, rows []Row) {
	record(o, "metric", "category", "n", "value")
	for _, r := range rows {
		record(o, r.Metric, r.Category, strconv.Itoa(r.N), number(r.Value))
	}
}

// writeAblations writes one line a configuration: each metric and, for all but
// the whole configuration, its difference.
func (s *AssimilateSummary) writeAblations(o *outFile) {
	head := []string{"configuration"}
	for _, name := range AblationMetrics() {
		head = append(head, name, "delta_"+name)
	}
	record(o, head...)
	for _, r := range s.Ablations {
		line := []string{r.Name}
		for i := range r.Values {
			line = append(line, number(r.Values[i]), number(r.Deltas[i]))
		}
		record(o, line...)
	}
}

// writeLatency writes how long each space took to take in; without a clock only
// the head line.
func (m *measured) writeLatency(o *outFile, timed bool) {
	record(o, "space", "turns", "candidates", "milliseconds")
	if !timed {
		return
	}
	for _, l := range m.latency {
		record(o, l.space, strconv.Itoa(l.turns), strconv.Itoa(l.decisions), strconv.FormatFloat(float64(l.took.Microseconds())/1000, 'f', 3, 64))
	}
}

// writeSummary writes the page for people.
func (s *AssimilateSummary) writeSummary(o *outFile, m *measured, info *DataInfo) {
	fmt.Fprintf(o, "# Assimilation: %s\n\n", s.Format)
	if info != nil {
		fmt.Fprintf(o, "Data: `%s`, SHA-256 `%s`. ", info.Name, info.SHA256)
	}
	fmt.Fprintf(o, "%d spaces, %d sessions, %d turns, %d candidates. Definitions in eval/METRICS.md, every figure in metrics.csv.\n", s.Spaces, len(m.sessions), s.Turns, s.Candidates)

	fmt.Fprintf(o, "\n## Decisions (Table B)\n\n| predicate | candidates |")
	for _, a := range actions() {
		fmt.Fprintf(o, " %s |", a)
	}
	fmt.Fprintf(o, " duplicate writes saved |\n|---|---:|%s---:|\n", strings.Repeat("---:|", len(actions())))
	line := func(name string, c *actionCounts) {
		fmt.Fprintf(o, "| %s | %d |", name, c.candidates)
		for _, a := range actions() {
			fmt.Fprintf(o, " %d |", c.of(a))
		}
		fmt.Fprintf(o, " %.4f |\n", c.reduction())
	}
	for _, rel := range m.table.rels() {
		line(rel, m.table[rel])
	}
	total := m.table.total()
	line("**all**", total)
	k, e := &m.keys, &m.events
	fmt.Fprintf(o, "\n- Duplicate writes saved: %d of %d (SKIP among all but HOLD and NONE); versions left open that say what another says: %d of %d.\n", total.of(dsl.Skip), total.proposed(), k.duplicates, k.open)
	fmt.Fprintf(o, "- I7: %d violations in %d pairs of versions of %d functional keys (%d versions of %d facts scanned).\n", k.violations, k.pairs, k.keys, k.versions, k.facts)

	fmt.Fprintf(o, "\n## Layer 2\n\n- Events visible at the head: %d (%d versions in all).\n", e.events, e.versions)
	fmt.Fprintf(o, "- Purity: %.4f of %d facts that stand in them; by annotators' happenings %.4f of %d mapped evidence turns (%.4f of %d in events with several); %d of %d evidence turns have an observation.\n",
		share(e.pure, e.standing), e.standing, share(e.main, e.mapped), e.mapped, share(e.manyMain, e.many), e.many, e.cited, e.observed)
	fmt.Fprintf(o, "- Evidence closure complete: %.4f of %d versions.\n", share(e.closed, e.versions), e.versions)
	fmt.Fprintf(o, "\n| a session | mean | p50 | p90 | p95 | most |\n|---|---:|---:|---:|---:|---:|\n")
	for _, c := range []struct {
		name string
		of   func(*sessionCost) int
	}{{"tokens written", tokensOf}, {"strong writes", strongOf}, {"salience writes", salientOf}, {"periodic writes", periodicOf}, {"event versions", eventsOf}} {
		fmt.Fprintf(o, "| %s |", c.name)
		for i, r := range m.costRows("", c.of) {
			if i == 0 {
				fmt.Fprintf(o, " %.2f |", r.Value)
			} else {
				fmt.Fprintf(o, " %.0f |", r.Value)
			}
		}
		fmt.Fprintln(o)
	}
	if keys := m.layer2.keys(); len(keys) > 0 {
		fmt.Fprintf(o, "\n| trigger | action | decisions |\n|---|---|---:|\n")
		for _, key := range keys {
			fmt.Fprintf(o, "| %s | %s | %d |\n", key[0], key[1], m.layer2.by[key])
		}
	}
	m.summariseValues(o)
	s.summariseAblations(o)
}

// summariseValues writes what became of superseded and deleted values.
func (m *measured) summariseValues(o *outFile) {
	if len(m.values) == 0 {
		return
	}
	fmt.Fprintf(o, "\n## Values that are updated or deleted\n\nEach stage among those that passed the one before.\n\n")
	fmt.Fprintf(o, "| | values | stated | value extracted | change extracted | assimilated | answered |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, g := range m.groups() {
		f := m.funnel(g.match)
		fmt.Fprintf(o, "| %s | %d | %d | %d | %d | %d | %d |\n", g.name, f.values, f.stated, f.extracted, f.changed, f.assimilated, f.answered)
	}
	fmt.Fprintf(o, "\n| | asserted before | no longer at the head | of those whose change was extracted | earlier view still gives |\n|---|---:|---:|---:|---:|\n")
	for _, g := range m.groups() {
		f := m.funnel(g.match)
		fmt.Fprintf(o, "| %s | %d | %d of %d (%.4f) | %d of %d (%.4f) | %d of %d (%.4f) |\n", g.name, f.asserted, f.due-f.left, f.due, f.gone(),
			f.dueFound-f.leftFound, f.dueFound, share(f.dueFound-f.leftFound, f.dueFound), f.recorded, f.asserted, f.kept())
	}
	f := m.funnel(nil)
	fmt.Fprintf(o, "\nLeft out of the head's figures because a later session states the value again: %d. Stated, but changed in words that are not the value's: %d.\n", f.again, f.unsaid)
}

// summariseAblations writes what is different without a part.
func (s *AssimilateSummary) summariseAblations(o *outFile) {
	if len(s.Ablations) == 0 {
		return
	}
	fmt.Fprintf(o, "\n## Ablations\n\n| |")
	for _, r := range s.Ablations {
		fmt.Fprintf(o, " %s |", r.Name)
	}
	fmt.Fprintf(o, "\n|---|%s\n", strings.Repeat("---:|", len(s.Ablations)))
	for i, name := range AblationMetrics() {
		fmt.Fprintf(o, "| %s |", name)
		for _, r := range s.Ablations {
			fmt.Fprintf(o, " %s |", strconv.FormatFloat(r.Values[i], 'g', 4, 64))
		}
		fmt.Fprintln(o)
	}
}
