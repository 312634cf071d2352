package extract

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/suite"
)

// The noise filter is option B of relation: a logistic model over features that can be
// read, which keeps a candidate of option A or drops it. Its weights are whole numbers,
// thousandths of a logit, in lexicon/filter.txt; cmd/filtertrain writes them.

//go:embed lexicon/filter.txt
var filterText string

var filterWeights = readFilter(filterText)

// biasFeature is the feature that every candidate has.
const biasFeature = "bias"

func readFilter(text string) map[string]int {
	m := map[string]int{}
	lines(text, func(feature, weight string) {
		if n, err := strconv.Atoi(weight); err == nil {
			m[feature] = n
		}
	})
	return m
}

// filteredRelations drops candidates that the model takes for noise. Those of the
// predicates of the configuration are kept: nothing is known of them.
type filteredRelations struct {
	inner RelationFinder
}

// Version names the filter and what it filters.
func (f filteredRelations) Version() string { return f.inner.Version() + "+filter/1" }

// ExtractRelations gives the candidates that are kept, in order.
func (f filteredRelations) ExtractRelations(d *Document) []Relation {
	return slices.DeleteFunc(f.inner.ExtractRelations(d), func(r Relation) bool {
		return builtin(d.Registry, &r) && NoiseScore(NoiseFeatures(d, &r)) < 0
	})
}

// builtin tells whether the relation of a candidate is one of DESIGN §5.
func builtin(reg *Registry, r *Relation) bool {
	return valueKind[shortName(reg, r.Rel)] != ""
}

// shortName gives the name by which extract prints a relation.
func shortName(reg *Registry, rel string) string {
	if p, ok := reg.Lookup(rel); ok && p.Short != "" {
		return p.Short
	}
	return rel
}

// NoiseScore gives the logit, in thousandths, that a candidate of these features is
// right.
func NoiseScore(features []string) int {
	sum := 0
	for _, f := range features {
		sum += filterWeights[f]
	}
	return sum
}

// cueWords are words of a sentence that often make a candidate noise, by what they are.
var cueWords = map[string]map[string]bool{
	"hedge":  wordSet("maybe perhaps might could would possibly probably thinking considering wonder wondering hope wish hopefully should if unless"),
	"report": wordSet("said says told tells asked claims reportedly according announced wrote"),
	"other":  wordSet("he she they his her their who him them"),
	"irony":  wordSet("lol haha lmao rt sarcasm joke kidding"),
}

// zhCueWords are the same for Chinese.
var zhCueWords = map[string][]string{
	"hedge": {"想", "可能", "也许", "如果", "要是", "希望", "考虑", "打算"}, "report": {"说", "听说", "据", "表示", "报道"}, "other": {"他", "她", "它"}, "irony": {"哈哈", "呵呵"},
}

// NoiseFeatures gives what the noise filter sees of a candidate: its relation and rule,
// the cues of its sentence, and the shape of its subject and value. The order is fixed.
func NoiseFeatures(d *Document, r *Relation) []string {
	rel := shortName(d.Registry, r.Rel)
	out := []string{biasFeature, "rel=" + rel, "change=" + string(r.Change), "rel.change=" + rel + "/" + string(r.Change)}
	if r.Polarity == dsl.Negative {
		out = append(out, "denied", "denied="+rel)
	}
	if r.Rule == "" {
		out = append(out, "rule=code/"+rel, "rule=code")
	} else {
		out = append(out, "rule="+r.Rule, "rule=list")
	}
	out = append(out, "sure="+strconv.Itoa(int(r.Level*20))) // in twentieths
	out = append(out, subjectFeature(d, r))
	out = append(out, valueFeatures(d, r, rel)...)
	return append(out, sentenceFeatures(d, r)...)
}

// subjectFeature tells what kind of subject a candidate has.
func subjectFeature(d *Document, r *Relation) string {
	switch src := r.Src.String(); {
	case src == d.Speaker:
		return "src=self"
	case src == d.Listener:
		return "src=listener"
	case strings.HasPrefix(src, d.Speaker+"/"):
		return "src=relative"
	case r.Rel == "scheduled_for.datetime" || r.Rel == "scheduled_for.location":
		return "src=event"
	}
	return "src=named"
}

// valueFeatures tell of the shape of the value.
func valueFeatures(d *Document, r *Relation, rel string) []string {
	dst := r.Dst.String()
	var out []string
	if len(strings.Fields(dst)) > 6 || isHan(firstRune(dst)) && utf8.RuneCountInString(dst) > 10 {
		out = append(out, "dst.long")
	}
	if strings.ContainsAny(dst, "#@/:&;…") && rel != "email" && rel != "phone" {
		out = append(out, "dst.marks")
	}
	typ := "none"
	for i := range d.Entities {
		if d.Entities[i].Text == dst {
			typ = d.Entities[i].Type
		}
	}
	out = append(out, "dst.name="+typ)
	if words := strings.Fields(lower(dst)); len(words) > 0 {
		last := words[len(words)-1]
		switch c := classOf(last); {
		case isHan(firstRune(last)):
		case c == 0:
		case c&(commonWord|advWord|auxWord|leadWord) != 0:
			out = append(out, "dst.head=function")
		}
		if refused[words[0]] || stopWords[words[0]] {
			out = append(out, "dst.first=function")
		}
	}
	return out
}

// sentenceFeatures tell of the sentence and the turn that a candidate stands in.
func sentenceFeatures(d *Document, r *Relation) []string {
	var out []string
	from, to := 0, len(d.Text)
	for _, s := range d.Sentences {
		if r.Span != nil && s.Start <= r.Span.Start && r.Span.Start < s.End {
			from, to = s.Start, s.End
		}
	}
	text := d.Text[from:to]
	if strings.ContainsAny(text, "?？") {
		out = append(out, "asks")
	}
	if strings.ContainsAny(text, "\"“”「」") {
		out = append(out, "quotes")
	}
	if strings.Contains(text, "http") || strings.ContainsAny(text, "#@") {
		out = append(out, "web")
	}
	seen := map[string]bool{}
	self, n := strings.ContainsRune(text, '我'), 0
	for k := d.tokenAt(from); k < len(d.tokens) && d.tokens[k].start < to && n < 80; k++ {
		t := &d.tokens[k]
		n++
		self = self || t.low == "i" || t.low == "my" || t.low == "we" || t.low == "our"
		for name, words := range cueWords {
			seen[name] = seen[name] || words[t.low]
		}
	}
	for name, words := range zhCueWords {
		for _, w := range words {
			seen[name] = seen[name] || strings.Contains(text, w)
		}
	}
	for _, name := range []string{"hedge", "irony", "other", "report"} {
		if seen[name] {
			out = append(out, "cue="+name)
		}
	}
	if !self {
		out = append(out, "noself")
	}
	return out
}

// Judged is a candidate with what the noise filter sees of it.
type Judged struct {
	Relation
	Features []string
}

// Judge gives the candidates of a turn with their features, before any filter, for
// training and measuring one.
func (p *Pipeline) Judge(ctx Context) []Judged {
	d := p.read(&ctx)
	if d == nil {
		return nil
	}
	finder := p.relation
	if f, ok := finder.(filteredRelations); ok {
		finder = f.inner
	}
	var out []Judged
	for _, r := range finder.ExtractRelations(d) {
		out = append(out, Judged{r, NoiseFeatures(d, &r)})
	}
	return out
}

// FactOf gives a candidate in the form of the suites of statements.
func FactOf(c *dsl.Candidate, reg *Registry) suite.Fact {
	return suite.Fact{
		Src: c.Src.String(), Rel: shortName(reg, c.Rel), Dst: c.Dst.String(), Relation: c.Relation.String(), Change: string(c.Change),
		Negative: c.Polarity == dsl.Negative,
	}
}
