package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/extract"
)

// ExtractSetup is a line of Table A: one module under one option, all others by rules.
type ExtractSetup struct {
	// Module is the section of the configuration, Option the plan's letter and what it
	// stands for.
	Module, Option string
	// Config is the configuration that it runs under.
	Config configs.Config
	// missing says why this build cannot run it; empty where it can.
	missing string
}

// Profile is the module of the setup that runs a configuration as it is.
const Profile = "profile"

// ExtractSetups gives the setups of Table A: the configuration as it is, and each option
// of each module with all other modules at option A. Models, servers and thresholds are
// those of the configuration.
func ExtractSetups(cfg configs.Config) []ExtractSetup {
	plain := cfg
	plain.Preprocess.Rule, plain.Preprocess.TinySeg = true, false
	plain.NER.Mode, plain.Coref.Mode, plain.Relation.Mode, plain.Relation.Parse = configs.ModeA, configs.ModeA, configs.ModeA, false
	plain.Alias = configs.Alias{JW: configs.Off, TokenSet: configs.Off}
	plain.Time = configs.Time{Rule: true}
	out := []ExtractSetup{{Module: Profile, Option: "as configured", Config: cfg}}
	add := func(module, option string, change func(*configs.Config)) {
		s := ExtractSetup{Module: module, Option: option, Config: plain}
		change(&s.Config)
		for _, f := range s.Config.Validate() {
			if strings.HasPrefix(f.Path, module+".") {
				s.missing = f.Path + ": " + f.Message
			}
		}
		out = append(out, s)
	}
	add("preprocess", "A rules", func(*configs.Config) {})
	add("preprocess", "B network", func(c *configs.Config) { c.Preprocess.TinySeg = true })
	add("ner", "A rules and tagger", func(*configs.Config) {})
	add("ner", "B network", func(c *configs.Config) { c.NER.Mode = configs.ModeB })
	add("ner", "B network, Chinese alone", func(c *configs.Config) { c.NER.Mode, c.NER.Model = configs.ModeB, configs.ModeOff })
	add("ner", "B' server", func(c *configs.Config) { c.NER.Mode = configs.ModeBPrime })
	add("ner", "C language model", func(c *configs.Config) { c.NER.Mode = configs.ModeC })
	add("alias", "A exact", func(*configs.Config) {})
	add("alias", "A Jaro-Winkler .92", func(c *configs.Config) { c.Alias.JW = 0.92 })
	add("alias", "B token set .8", func(c *configs.Config) { c.Alias.JW, c.Alias.TokenSet = 0.92, 0.8 })
	add("alias", "B and nicknames", func(c *configs.Config) { c.Alias = configs.Alias{JW: 0.92, TokenSet: 0.8, Nickname: true} })
	add("coref", "A nearest subject", func(*configs.Config) {})
	add("coref", "B server", func(c *configs.Config) { c.Coref.Mode = configs.ModeB })
	add("coref", "A+C votes of a language model", func(c *configs.Config) { c.Coref.Mode = configs.ModeAC })
	add("time", "A grammar", func(*configs.Config) {})
	add("time", "B server", func(c *configs.Config) { c.Time.SUTime = true })
	add("time", "C language model", func(c *configs.Config) { c.Time.LLMLowConf = true })
	add("relation", "A patterns", func(*configs.Config) {})
	add("relation", "A and parses of a server", func(c *configs.Config) { c.Relation.Parse = true })
	add("relation", "A+B filter", func(c *configs.Config) { c.Relation.Mode = configs.ModeAB })
	add("relation", "C language model", func(c *configs.Config) { c.Relation.Mode = configs.ModeC })
	return out
}

// ExtractOptions say how extraction is measured.
type ExtractOptions struct {
	Manifest ManifestOptions
	// Setups are the lines of Table A, the configuration as it is first.
	Setups []ExtractSetup
	// Open opens the extractor of a configuration, with the models and servers that it
	// names; its error says why a setup is not run.
	Open func(configs.Config) (*asof.Extractor, error)
	// MaxLine bounds a line of the gold in bytes.
	MaxLine int
	// Progress is told of each setup as it begins; nil for nobody.
	Progress func(setup string)
}

// RowA is a line of Table A for one language.
type RowA struct {
	Module, Option, Lang string
	// Why says why it was not run; empty where it was.
	Why   string
	score *extractScore
}

// ExtractSummary is what an extraction was measured at.
type ExtractSummary struct {
	Turns int
	// Rows are Table A, by setup, then by language in the order of the gold, "all" last.
	Rows []RowA
	// turns holds the lines of turns.csv.
	turns [][]string
}

// Figures are those of Table A, by the names of its columns.
func (r *RowA) Figures() map[string]float64 {
	out := map[string]float64{}
	for _, c := range columnsA {
		if v, ok := c.value(r.score); ok {
			out[c.name] = v
		}
	}
	return out
}

// RunExtract measures extraction on a gold file and writes Table A into a folder.
func RunExtract(ctx context.Context, data *Data, name, out string, opt ExtractOptions) (ExtractSummary, error) {
	var sum ExtractSummary
	gold, err := readGold(data, name, opt.MaxLine)
	if err != nil {
		return sum, err
	}
	sum.Turns = len(gold)
	info, err := opt.Manifest.dataInfo()
	if err != nil {
		return sum, err
	}
	for i := range opt.Setups {
		if opt.Progress != nil {
			opt.Progress(opt.Setups[i].Module + " " + opt.Setups[i].Option)
		}
		if err := sum.setup(ctx, gold, &opt.Setups[i], opt.Open); err != nil {
			return sum, err
		}
	}
	dir, err := newFolder(out)
	if err != nil {
		return sum, err
	}
	defer dir.discard()
	if err := sum.write(dir, info, &opt.Manifest); err != nil {
		return sum, err
	}
	return sum, dir.publish()
}

// setup measures one setup, or says why it cannot run.
func (s *ExtractSummary) setup(ctx context.Context, gold []goldLine, setup *ExtractSetup, open func(configs.Config) (*asof.Extractor, error)) (err error) {
	row := RowA{Module: setup.Module, Option: setup.Option, Lang: "all", Why: setup.missing}
	if row.Why == "" {
		x, oerr := open(setup.Config)
		if oerr == nil {
			defer func() {
				if cerr := x.Close(); err == nil {
					err = cerr
				}
			}()
			return s.measure(ctx, gold, setup, x)
		}
		row.Why = oerr.Error()
		if dir := setup.Config.Models.Dir; dir != "" {
			row.Why = strings.ReplaceAll(row.Why, dir, "MODELS") // the same on every machine
		}
	}
	s.Rows = append(s.Rows, row)
	return nil
}

// measure reads the gold's turns in their order, as `asof extract` does, and scores what
// comes out.
func (s *ExtractSummary) measure(ctx context.Context, gold []goldLine, setup *ExtractSetup, x *asof.Extractor) error {
	kinds := kindsOf(gold)
	scores := map[string]*extractScore{"all": newExtractScore()}
	var langs []string
	reading := x.NewReading(setup.Config.Timezone)
	reading.Waiting = ctx
	for i := range gold {
		if err := ctx.Err(); err != nil {
			return err
		}
		g := &gold[i]
		if scores[g.Lang] == nil {
			scores[g.Lang] = newExtractScore()
			langs = append(langs, g.Lang)
		}
		result, err := reading.Result(g.line)
		if err != nil {
			return fmt.Errorf("eval: turn %q: %w", g.ID, err)
		}
		found, err := printed(&result)
		if err != nil {
			return err
		}
		one := newExtractScore()
		one.add(&g.MarkedTurn, found)
		one.addResult(&result, kinds)
		for _, sc := range []*extractScore{scores[g.Lang], scores["all"]} {
			sc.add(&g.MarkedTurn, found)
			sc.addResult(&result, kinds)
		}
		s.turns = append(s.turns, one.turnLine(setup, g, &result))
	}
	slices.Sort(langs)
	for _, lang := range append(langs, "all") {
		row := RowA{Module: setup.Module, Option: setup.Option, Lang: lang, score: scores[lang]}
		if asked := row.score.asked; asked.of > 0 && asked.n == asked.of {
			row.Why, row.score = fmt.Sprintf("it was asked about %d turns and gave no answer of use", asked.of), nil
		}
		s.Rows = append(s.Rows, row)
	}
	return nil
}

// printed reads what `asof extract` prints of a result.
func printed(r *extract.Result) (*MarkedTurn, error) {
	line, err := r.JSON()
	if err != nil {
		return nil, err
	}
	found := &MarkedTurn{}
	if err := json.Unmarshal(line, found); err != nil {
		return nil, fmt.Errorf("eval: what was extracted from turn %q: %w", r.ID, err)
	}
	return found, nil
}
