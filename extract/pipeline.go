package extract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/asof-db/asof/dsl"
)

// Config chooses the option of each stage. The field comments name the keys of
// the configuration; DefaultConfig gives the built-in profile's values.
type Config struct {
	// PreprocessRule is preprocess.rule (option A); it must be set.
	PreprocessRule bool
	// PreprocessTinySeg is preprocess.tiny_seg (option B).
	PreprocessTinySeg bool
	// NERMode is ner.mode: "A", "B", "B'" or "C".
	NERMode string
	// AliasJW and AliasTokenSet are alias.jw and alias.token_set; 0 is off.
	AliasJW, AliasTokenSet float64
	// AliasNickname is alias.nickname: short forms of given names.
	AliasNickname bool
	// CorefMode is coref.mode: "off", "A", "B" or "A+C".
	CorefMode string
	// TimeRule is time.rule (option A); without it no time is found.
	TimeRule bool
	// TimeSUTime and TimeLLM are time.sutime and time.llm_low_conf.
	TimeSUTime, TimeLLM bool
	// RelationMode is relation.mode: "A", "A+B" or "C".
	RelationMode string
	// RelationParse is relation.parse: dependency paths over a server's parse.
	RelationParse bool
	// Registry holds the predicates; nil means DefaultRegistry.
	Registry *Registry
	// Parts are what options beyond A work with.
	Parts Parts
}

// DefaultConfig is option A throughout.
func DefaultConfig() Config {
	return Config{PreprocessRule: true, NERMode: "A", CorefMode: "A", TimeRule: true, RelationMode: "A"}
}

// Splitter finds sentences: bytes, half-open, in order, not overlapping.
type Splitter interface {
	Version() string
	Split(d *Document) []dsl.Span
}

// EntityFinder finds the names in a turn, in order of their place.
type EntityFinder interface {
	Version() string
	ExtractEntities(d *Document) []Mention
}

// AliasFinder tells which names of the turn stand for one entity.
type AliasFinder interface {
	Version() string
	FindAliases(d *Document) []Alias
}

// CorefResolver tells whom pronouns mean.
type CorefResolver interface {
	Version() string
	ResolveCoref(d *Document) []Coref
}

// TimeFinder finds time expressions, in order of their place.
type TimeFinder interface {
	Version() string
	FindTimes(d *Document) []TimeExpr
}

// RelationFinder proposes candidates, in order of their place.
type RelationFinder interface {
	Version() string
	ExtractRelations(d *Document) []Relation
}

// Memory is what the space knows at the position before the turn. An
// implementation must be safe for the calls of one Extract and must answer the
// same within it.
type Memory interface {
	// EntityType gives the type of a name seen before, matched by normalised
	// name, Event for that of something planned; ok is false where it is unknown.
	EntityType(name string) (typ string, ok bool)
}

// Context is all that an extraction depends on.
type Context struct {
	// Turn is the turn to read.
	Turn dsl.Turn
	// Previous are the last turns by position, the nearest last.
	Previous []dsl.Turn
	// Memory may be nil.
	Memory Memory
	// Waiting ends the waiting for models and servers; nil never does. What it cuts off
	// counts as an option that failed.
	Waiting context.Context
	// Done is told the name of each stage as it ends (StageNames), in the goroutine
	// of Extract; nil for nobody. It is for measuring and changes nothing.
	Done func(stage string)
}

var stageNames = [...]string{"preprocess", "ner", "alias", "coref", "time", "relation"}

// StageNames gives the stages of a pipeline in order, by the sections of the
// configuration that choose them.
func StageNames() []string { return slices.Clone(stageNames[:]) }

// done tells that a stage has ended.
func (c *Context) done(stage int) {
	if c.Done != nil {
		c.Done(stageNames[stage])
	}
}

// Mention is a name in the text.
type Mention struct {
	Text       string
	Start, End int
	// Type is PERSON, ORG, LOC, WORK, EMAIL, URL, PHONE, MONEY or HANDLE.
	Type string
}

// Alias says that a name of the turn stands for another, of the turn or of the
// space.
type Alias struct {
	Name, Of string
	// By is the rule, one of ByExact and its siblings.
	By string
	// Score in (0, 1] is how alike they are.
	Score float64
}

// Coref is a pronoun and what it stands for.
type Coref struct {
	Text       string
	Start, End int
	// RefersTo is a name, or the noun phrase of the text without its article.
	RefersTo string
	// Subject is what a fact calls the referent, "Mia" or "Anna/sister": empty for
	// things, and where another referent comes close.
	Subject string
}

// TimeExpr is a time expression.
type TimeExpr struct {
	Text       string
	Start, End int
	// Value is a TIMEX3 value, Type DATE, TIME, DURATION or SET.
	Value, Type string
	// From and To are the local interval [From, To) in the turn's zone that it
	// denotes; both zero where it denotes none (durations, sets, references).
	From, To time.Time
	// Grain is the unit in which it was said ("day", "week", "month"), empty for
	// none. Ambiguous tells that something was left open (which Friday, which
	// year, which half of the day) and filled in.
	Grain     string
	Ambiguous bool

	// ends are the two ends of a range, as the conversational grammar has them.
	ends []TimeExpr
}

// OnCalendar tells whether the expression denotes an interval.
func (t *TimeExpr) OnCalendar() bool { return !t.From.IsZero() }

// Interval gives [From, To) in UTC; ok is false where there is none.
func (t *TimeExpr) Interval() (v dsl.Interval, ok bool) {
	if !t.OnCalendar() {
		return dsl.Interval{}, false
	}
	v = dsl.Interval{Start: dsl.FromTime(t.From), End: dsl.FromTime(t.To)}
	return v, v.Start.Finite() && v.End.Finite() && v.Valid()
}

// Stated is the valid time as the text gives it: TIMEX3 values, empty where it
// gives none.
type Stated struct {
	From, To string
}

// Relation is a candidate with the valid time as it was said.
type Relation struct {
	dsl.Candidate
	Stated Stated
	// Rule names the text pattern that found it, "en/lives_in/3"; empty for the
	// patterns in code.
	Rule string
	// Level is how sure the pattern itself is, before that was measured.
	Level float64
}

// Result is what was found in a turn.
type Result struct {
	// ID is the turn's.
	ID         string
	Sentences  []dsl.Span
	Entities   []Mention
	Aliases    []Alias
	Corefs     []Coref
	Times      []TimeExpr
	Candidates []dsl.Candidate
	// Stated has one entry for each candidate.
	Stated []Stated
	// Answers tell what became of the options beyond the rules that were asked, in
	// order. They are no part of what was found.
	Answers []Answer

	text     string
	registry *Registry
}

// Document is a turn on its way through the stages. A stage may read all of it
// and changes nothing; what became of an option it tells by Answered.
type Document struct {
	// Text is the turn's text; Speaker and Listener are names or empty.
	Text, Speaker, Listener string
	// Local is when it was said, in its own zone; TS the same as an instant.
	Local time.Time
	TS    dsl.Instant
	// Previous are the turns before it, the nearest last.
	Previous []dsl.Turn
	// Memory may be nil.
	Memory   Memory
	Registry *Registry

	Sentences []dsl.Span
	Entities  []Mention
	Aliases   []Alias
	Corefs    []Coref
	Times     []TimeExpr

	tokens []token
	quotes []dsl.Span
	// allTimes are the times as they were found; Times are those that the relations
	// read.
	allTimes []TimeExpr

	waiting context.Context
	answers []Answer
	server  serverReading
	// question tells that the text is one to the memory, whose times keep the
	// spans that its reader expects.
	question bool
}

// quoted tells whether the byte stands in a quotation.
func (d *Document) quoted(at int) bool {
	lo, hi := 0, len(d.quotes)
	for lo < hi {
		if m := (lo + hi) / 2; d.quotes[m].End <= at {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo < len(d.quotes) && d.quotes[lo].Start <= at
}

// tokenAt gives the index of the first token that starts at or after the byte.
func (d *Document) tokenAt(at int) int {
	lo, hi := 0, len(d.tokens)
	for lo < hi {
		if m := (lo + hi) / 2; d.tokens[m].start < at {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// Pipeline extracts under one configuration. It may be used concurrently.
type Pipeline struct {
	split    Splitter
	entities EntityFinder
	alias    AliasFinder
	coref    CorefResolver
	times    TimeFinder
	relation RelationFinder
	registry *Registry
	version  string
}

// New assembles a pipeline. It returns every fault of the configuration at
// once: one that wraps ErrMissingPart names an option whose part is not among c.Parts, one
// that wraps dsl.ErrInvalid a value that no build has; each names the key.
func New(c Config) (*Pipeline, error) {
	a := &assembly{Config: c}
	p := &Pipeline{registry: c.Registry}
	if p.registry == nil {
		p.registry = DefaultRegistry()
	}
	p.split = a.splitter()
	p.entities = a.entityFinder()
	p.alias = a.aliasFinder()
	p.coref = a.corefResolver()
	p.times = a.timeFinder()
	p.relation = a.relationFinder()
	if err := errors.Join(a.errs...); err != nil {
		return nil, err
	}
	parts := []string{"rule/1", p.split.Version(), p.entities.Version(), p.alias.Version()}
	if p.coref != nil {
		parts = append(parts, p.coref.Version())
	}
	if p.times != nil {
		parts = append(parts, p.times.Version())
	}
	p.version = strings.Join(append(parts, p.relation.Version()), " ")
	return p, nil
}

// splitter chooses by preprocess.
func (a *assembly) splitter() Splitter {
	if !a.PreprocessRule && !a.PreprocessTinySeg {
		a.errs = append(a.errs, fmt.Errorf("%w: extract: preprocess.rule: no sentence splitter is switched on", dsl.ErrInvalid))
	}
	if a.PreprocessTinySeg {
		return a.modelSplitter()
	}
	return ruleSplitter{}
}

// entityFinder chooses by ner.
func (a *assembly) entityFinder() EntityFinder {
	a.mode("ner.mode", a.NERMode, "A", "B", "B'", "C")
	switch a.NERMode {
	case "B":
		return a.modelEntities()
	case "B'":
		if a.wantsParser("ner.mode", "B'") {
			return serverEntities{a.server(), ruleEntities{}}
		}
	case "C":
		if a.wantsModel("ner.mode", "C") {
			return askedEntities{asked{a.Parts.Model}, a.cheaperEntities()}
		}
	}
	return ruleEntities{}
}

// aliasFinder chooses by alias.
func (a *assembly) aliasFinder() AliasFinder {
	for _, x := range []struct {
		key string
		v   float64
	}{{"alias.jw", a.AliasJW}, {"alias.token_set", a.AliasTokenSet}} {
		if !(x.v >= 0 && x.v <= 1) {
			a.errs = append(a.errs, fmt.Errorf("%w: extract: %s: %v is not in [0, 1]", dsl.ErrInvalid, x.key, x.v))
		}
	}
	if a.AliasJW != 0 || a.AliasTokenSet != 0 || a.AliasNickname {
		return nearAlias{jw: a.AliasJW, words: a.AliasTokenSet, nick: a.AliasNickname}
	}
	return exactAlias{}
}

// corefResolver chooses by coref; nil where it is off.
func (a *assembly) corefResolver() CorefResolver {
	a.mode("coref.mode", a.CorefMode, "A", "off", "B", "A+C")
	switch a.CorefMode {
	case "off":
		return nil
	case "B":
		if a.wantsParser("coref.mode", "B") {
			return serverCoref{a.server(), nearestCoref{}}
		}
	case "A+C":
		var second CorefResolver
		if a.Parts.Parser != nil {
			second = serverCoref{a.server(), nearestCoref{}}
		}
		return a.votedCoref(nearestCoref{}, second)
	}
	return nearestCoref{}
}

// timeFinder chooses by time; nil where nothing looks for times.
func (a *assembly) timeFinder() TimeFinder {
	var times TimeFinder
	if a.TimeRule {
		times = ruleTimes{}
	}
	if a.TimeSUTime && a.wantsParser("time.sutime", "true") {
		times = serverTimes{a.server(), times}
	}
	if a.TimeLLM {
		times = a.askedTimes(times)
	}
	return times
}

// relationFinder chooses by relation.
func (a *assembly) relationFinder() RelationFinder {
	a.mode("relation.mode", a.RelationMode, "A", "A+B", "C")
	var found RelationFinder = ruleRelations{}
	if a.RelationParse && a.wantsParser("relation.parse", "true") {
		found = parsedRelations{a.server(), found}
	}
	switch a.RelationMode {
	case "A+B":
		found = filteredRelations{found}
	case "C":
		found = a.askedRelations(found)
	}
	return found
}

// Version names the pipeline and each of its stages; two pipelines of one
// version give the same result for the same context.
func (p *Pipeline) Version() string { return p.version }

// Registry gives the predicates that the pipeline uses.
func (p *Pipeline) Registry() *Registry { return p.registry }

// document opens a turn for the stages; nil where its text is sealed.
func (p *Pipeline) document(ctx *Context) *Document {
	text, err := ctx.Turn.Text.Open()
	if err != nil {
		return nil
	}
	speaker, _ := ctx.Turn.Speaker.Open()
	listener, _ := ctx.Turn.Listener.Open()
	d := &Document{
		Text: text, Speaker: speaker, Listener: listener, Local: ctx.Turn.Local(), TS: ctx.Turn.TS,
		Previous: ctx.Previous, Memory: ctx.Memory, Registry: p.registry, tokens: tokenize(text),
		waiting: ctx.Waiting,
	}
	d.quotes = quoteRanges(d.tokens)
	return d
}

// Extract reads a turn. It is a pure function of its context and of what models and
// servers answer; a turn whose text is sealed gives nothing.
func (p *Pipeline) Extract(ctx Context) Result {
	d := p.read(&ctx)
	if d == nil {
		return Result{ID: ctx.Turn.ID, registry: p.registry}
	}
	r := Result{
		ID: ctx.Turn.ID, Sentences: d.Sentences, Entities: d.Entities, Aliases: d.Aliases, Corefs: d.Corefs,
		Times: d.allTimes, text: d.Text, registry: p.registry,
	}
	for _, rel := range p.relation.ExtractRelations(d) {
		// A candidate that the log would refuse (a name cut out of invalid UTF-8)
		// must not stop the turn.
		if rel.Candidate.Validate() != nil {
			continue
		}
		r.Candidates = append(r.Candidates, rel.Candidate)
		r.Stated = append(r.Stated, rel.Stated)
	}
	r.Answers = d.answers
	ctx.done(5)
	return r
}

// read runs the stages before the relations; nil where the turn's text is sealed.
func (p *Pipeline) read(ctx *Context) *Document {
	d := p.document(ctx)
	if d == nil {
		return nil
	}
	d.Sentences = p.split.Split(d)
	ctx.done(0)
	d.Entities = p.entities.ExtractEntities(d)
	ctx.done(1)
	d.Aliases = p.alias.FindAliases(d)
	ctx.done(2)
	if p.coref != nil {
		d.Corefs = p.coref.ResolveCoref(d)
		ctx.done(3)
	}
	if p.times != nil {
		d.Times = p.times.FindTimes(d)
		ctx.done(4)
	}
	d.allTimes = d.Times
	d.Times = apart(d.allTimes)
	return d
}
