package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/asof-db/asof/extract"
)

// columnA is a column of Table A; value gives ok false where there is nothing to
// measure.
type columnA struct {
	name  string
	value func(*extractScore) (v float64, ok bool)
}

// portionColumn gives a column of a portion.
func portionColumn(name string, get func(*extractScore) portion) columnA {
	return columnA{name, func(s *extractScore) (float64, bool) {
		if s == nil {
			return 0, false
		}
		p := get(s)
		return ratioOf(p.n, p.of, 0), p.of > 0
	}}
}

// countColumn gives a column of a count.
func countColumn(name string, get func(*extractScore) int) columnA {
	return columnA{name, func(s *extractScore) (float64, bool) {
		if s == nil {
			return 0, false
		}
		return float64(get(s)), true
	}}
}

// prfColumns give precision, recall and F1.
func prfColumns(name string, get func(*extractScore) *prf) []columnA {
	column := func(name string, v func(*prf) float64) columnA {
		return columnA{name, func(s *extractScore) (float64, bool) {
			if s == nil {
				return 0, false
			}
			c := get(s)
			return v(c), c.found+c.gold > 0
		}}
	}
	return []columnA{column(name+"_p", (*prf).precision), column(name+"_r", (*prf).recall), column(name+"_f1", (*prf).f1)}
}

// typeF1 is the F1 of a type of entity.
func typeF1(typ string) columnA {
	c := prfColumns(strings.ToLower(typ), func(s *extractScore) *prf {
		if c := s.types[typ]; c != nil {
			return c
		}
		return &prf{}
	})[2]
	return c
}

// columnsA are the columns of Table A.
var columnsA = slices.Concat(
	[]columnA{countColumn("turns", func(s *extractScore) int { return s.turns }),
		portionColumn("sentences", func(s *extractScore) portion { return s.sentences }),
		typeF1("PERSON"), typeF1("ORG"), typeF1("LOC")},
	prfColumns("entities", func(s *extractScore) *prf { return &s.entities }),
	[]columnA{countColumn("alias_merges", func(s *extractScore) int { return s.merges }),
		countColumn("alias_wrong", func(s *extractScore) int { return s.mergesWrong }),
		countColumn("alias_unjudged", func(s *extractScore) int { return s.unjudged }),
		countColumn("coref_right", func(s *extractScore) int { return s.corefRight }),
		countColumn("coref_wrong", func(s *extractScore) int { return s.corefWrong }),
		countColumn("coref_missed", func(s *extractScore) int { return s.corefMissed }),
		portionColumn("coref_accuracy", func(s *extractScore) portion {
			return portion{s.corefRight, s.corefRight + s.corefWrong + s.corefMissed}
		}),
		portionColumn("coref_precision", func(s *extractScore) portion { return portion{s.corefRight, s.corefRight + s.corefWrong} }),
		portionColumn("time_coverage", func(s *extractScore) portion { return portion{s.times.right, s.times.gold} }),
		portionColumn("time_value", func(s *extractScore) portion { return s.values }),
		portionColumn("time_ambiguous", func(s *extractScore) portion { return s.open })},
	prfColumns("relations", func(s *extractScore) *prf { return &s.facts }),
	[]columnA{portionColumn("relations_valid", func(s *extractScore) portion { return s.valid }),
		portionColumn("negation_recall", func(s *extractScore) portion { return s.negated }),
		portionColumn("ending_recall", func(s *extractScore) portion { return s.ended }),
		portionColumn("correction_recall", func(s *extractScore) portion { return s.corrected }),
		countColumn("asked", func(s *extractScore) int { return s.asked.of }),
		portionColumn("fell_back", func(s *extractScore) portion { return s.asked })},
)

// write writes the files of the run.
func (s *ExtractSummary) write(dir *folder, info *DataInfo, m *ManifestOptions) error {
	for _, f := range []struct {
		name  string
		write func(*outFile)
	}{
		{"table_a.csv", s.writeTable}, {"turns.csv", s.writeTurns}, {"relations.csv", s.writeRelations},
		{"reliability.csv", s.writeReliability}, {"summary.md", func(o *outFile) { s.writeSummary(o, info) }},
	} {
		o, err := dir.create(f.name)
		if err != nil {
			return err
		}
		f.write(o)
	}
	run := 0
	for i := range s.Rows {
		if s.Rows[i].score != nil && s.Rows[i].Lang == "all" {
			run++
		}
	}
	return writeRunManifest(dir, "extract", m, info, map[string]int{"turns": s.Turns, "setups_run": run})
}

// writeTable writes Table A: one line a setup and language.
func (s *ExtractSummary) writeTable(o *outFile) {
	head := []string{"module", "option", "lang", "status"}
	for _, c := range columnsA {
		head = append(head, c.name)
	}
	record(o, head...)
	for i := range s.Rows {
		r := &s.Rows[i]
		line := []string{r.Module, r.Option, r.Lang, r.status()}
		for _, c := range columnsA {
			text := ""
			if v, ok := c.value(r.score); ok {
				text = number(v)
			}
			line = append(line, text)
		}
		record(o, line...)
	}
}

// status is run, or why not.
func (r *RowA) status() string {
	if r.Why != "" {
		return "not run: " + r.Why
	}
	return "run"
}

// turnLine is the line of turns.csv of a turn that was scored alone.
func (s *extractScore) turnLine(setup *ExtractSetup, g *goldLine, r *extract.Result) []string {
	line := []string{setup.Module, setup.Option, g.ID, g.Lang}
	for _, n := range []int{s.entities.right, s.entities.found, s.entities.gold, s.times.right, s.times.found, s.times.gold, s.values.n,
		s.facts.right, s.facts.found, s.facts.gold, s.corefRight, s.corefWrong, s.corefMissed, s.sentences.n, s.merges} {
		line = append(line, strconv.Itoa(n))
	}
	var answers []string
	for i := range r.Answers {
		a := &r.Answers[i]
		answers = append(answers, a.Stage+"."+a.Option+":"+string(a.Fate))
	}
	return append(line, strings.Join(answers, " "))
}

// writeTurns writes one line a setup and turn.
func (s *ExtractSummary) writeTurns(o *outFile) {
	record(o, "module", "option", "id", "lang", "entities_right", "entities_found", "entities_gold", "times_covered", "times_found", "times_gold",
		"times_value", "facts_right", "facts_found", "facts_gold", "coref_right", "coref_wrong", "coref_missed", "sentences_right", "aliases", "answers")
	for _, line := range s.turns {
		record(o, line...)
	}
}

// writeRelations writes one line a setup and relation, over all languages.
func (s *ExtractSummary) writeRelations(o *outFile) {
	record(o, "module", "option", "relation", "precision", "recall", "f1", "right", "found", "gold")
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.score == nil || r.Lang != "all" {
			continue
		}
		for _, rel := range sortedNames(r.score.rels) {
			c := r.score.rels[rel]
			// A fact is counted as found under its own relation, and as right under the gold's.
			record(o, r.Module, r.Option, rel, number(c.precision()), number(c.recall()), number(c.f1()), strconv.Itoa(c.right), strconv.Itoa(c.found), strconv.Itoa(c.gold))
		}
	}
}

// sortedNames gives the keys of counts in order.
func sortedNames(counts map[string]*prf) []string {
	out := make([]string, 0, len(counts))
	for k := range counts {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// writeReliability writes how often facts of a confidence are right: one line a setup and
// bin, over all languages.
func (s *ExtractSummary) writeReliability(o *outFile) {
	record(o, "module", "option", "from", "to", "facts", "confidence", "right", "precision")
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.score == nil || r.Lang != "all" {
			continue
		}
		for b, c := range r.score.confidence {
			if c.of == 0 {
				continue
			}
			record(o, r.Module, r.Option, number(float64(b)/bins), number(float64(b+1)/bins), strconv.Itoa(c.of),
				number(r.score.confidenceOf(b)), strconv.Itoa(c.n), number(ratioOf(c.n, c.of, 0)))
		}
	}
}

// shownA are the columns of Table A that each module is judged by.
var shownA = []struct {
	module  string
	columns []string
}{
	{Profile, []string{"entities_f1", "relations_p", "relations_r", "time_coverage", "time_value", "coref_accuracy", "sentences"}},
	{"preprocess", []string{"sentences"}},
	{"ner", []string{"person_f1", "org_f1", "loc_f1", "entities_p", "entities_r", "entities_f1"}},
	{"alias", []string{"alias_merges", "alias_wrong", "alias_unjudged"}},
	{"coref", []string{"coref_right", "coref_wrong", "coref_missed", "coref_accuracy"}},
	{"time", []string{"time_coverage", "time_value", "time_ambiguous"}},
	{"relation", []string{"relations_p", "relations_r", "relations_f1", "negation_recall", "ending_recall", "correction_recall"}},
}

// writeSummary writes summary.md, the page for people.
func (s *ExtractSummary) writeSummary(o *outFile, info *DataInfo) {
	fmt.Fprint(o, "# Extraction (Table A)\n\n")
	if info != nil {
		fmt.Fprintf(o, "Data: `%s`, SHA-256 `%s`. ", info.Name, info.SHA256)
	}
	fmt.Fprintf(o, "%d turns with what people marked in them. Each option is measured with all other modules at option A. Every column is in table_a.csv, every turn in turns.csv, every relation in relations.csv; definitions in eval/METRICS.md.\n", s.Turns)
	for _, shown := range shownA {
		fmt.Fprintf(o, "\n## %s\n\n| option | language | %s | asked | fell back |\n|---|---|%s---:|---:|\n", shown.module, strings.Join(shown.columns, " | "), strings.Repeat("---:|", len(shown.columns)))
		for i := range s.Rows {
			if s.Rows[i].Module == shown.module {
				s.Rows[i].line(o, slices.Concat(shown.columns, []string{"asked", "fell_back"}))
			}
		}
	}
	s.writeBins(o)
}

// line writes a line of the page.
func (r *RowA) line(o *outFile, columns []string) {
	fmt.Fprintf(o, "| %s | %s |", r.Option, r.Lang)
	if r.score == nil {
		fmt.Fprintf(o, " %s |%s\n", r.status(), strings.Repeat(" |", len(columns)-1))
		return
	}
	for _, name := range columns {
		i := slices.IndexFunc(columnsA, func(c columnA) bool { return c.name == name })
		v, ok := columnsA[i].value(r.score)
		switch {
		case !ok:
			fmt.Fprint(o, " |")
		case v == float64(int(v)) && (strings.HasPrefix(name, "alias") || strings.HasPrefix(name, "coref_") && name != "coref_accuracy" || name == "asked"):
			fmt.Fprintf(o, " %d |", int(v))
		default:
			fmt.Fprintf(o, " %.3f |", v)
		}
	}
	fmt.Fprintln(o)
}

// writeBins writes how often facts of a confidence are right, under the configuration as
// it is.
func (s *ExtractSummary) writeBins(o *outFile) {
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.Module != Profile || r.Lang != "all" || r.score == nil {
			continue
		}
		fmt.Fprint(o, "\n## Confidence of facts, as configured\n\n| confidence | facts | mean | right |\n|---|---:|---:|---:|\n")
		for b, c := range r.score.confidence {
			if c.of > 0 {
				fmt.Fprintf(o, "| [%.2f, %.2f) | %d | %.3f | %.3f |\n", float64(b)/bins, float64(b+1)/bins, c.of, r.score.confidenceOf(b), ratioOf(c.n, c.of, 0))
			}
		}
	}
}
