package pack

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

// Tokenizer names what counts the tokens of a pack: one for each word that has a
// letter or a digit, one for each character of a script that does not mark its
// words.
const Tokenizer = assimilate.Tokenizer

// Version names the way packs are compiled. It changes whenever any pack could.
const Version = "pack/1"

// DefaultBudget is how many tokens an evidence pack has at most.
const DefaultBudget = 600

// ErrUnstable marks a pack of which two compilations differ: a defect.
var ErrUnstable = errors.New("compiled twice, the pack differs")

// Mode says how a pack is made.
type Mode string

// The modes. Evidence chooses events, facts and turns for a small budget.
// Detchain keeps the first sessions verbatim and fills the rest with sessions in
// the order of a cross-encoder, squeezed. Compass shows each of its sessions up
// to a number of characters.
const (
	Evidence Mode = "evidence"
	Detchain Mode = "detchain"
	Compass  Mode = "compass"
)

// The stages of a pack beside those of the searches that it makes: what the
// searches found is read, and the text is compiled (twice).
const (
	StageGather  = "gather"
	StageCompile = "compile"
)

// Options say how a pack is compiled. The zero value is the default.
type Options struct {
	// Search is what the entry works with. Its Done is told of the stages of the
	// pack as well.
	Search retrieval.Options
	// Mode is the way of packing; "" stands for Evidence.
	Mode Mode
	// Budget is the most tokens of the text; 0 stands for DefaultBudget, and for
	// 40,000 in the modes that pack sessions.
	Budget int
	// Stats adds a line of statistics where candidates were left out.
	Stats bool
	// Active says in the text of a fact that does not hold at the instant of the
	// pack that it does not, and in that of an event how many of its facts hold.
	Active bool
	// Lang is the language of the few words that a pack adds, "en" or "zh"; ""
	// stands for that of the question.
	Lang string
	// Registry knows the predicates; nil stands for the built-in one.
	Registry *extract.Registry
	// Sessions shape the modes that pack sessions.
	Sessions SessionOptions
	// Basis is the JSON that names what the pack is computed from.
	Basis jsontext.Value
	// Config is the hash of the configuration, Models the hashes of the models
	// that took part, by role: both for the receipt.
	Config dsl.Hash
	Models map[string]string
}

// check fills in defaults and refuses what makes no sense.
func (o *Options) check() error {
	if o.Mode == "" {
		o.Mode = Evidence
	}
	switch {
	case o.Mode != Evidence && o.Mode != Detchain && o.Mode != Compass:
		return fmt.Errorf("%w: mode %q, want evidence, detchain or compass", dsl.ErrInvalid, o.Mode)
	case o.Lang != "" && o.Lang != "en" && o.Lang != "zh":
		return fmt.Errorf("%w: language %q, want en or zh", dsl.ErrInvalid, o.Lang)
	case o.Budget < 0:
		return fmt.Errorf("%w: a budget of %d tokens, want at least 1", dsl.ErrInvalid, o.Budget)
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
		if o.Mode != Evidence {
			o.Budget = sessionBudget
		}
	}
	if o.Search.Analyzer == nil {
		o.Search.Analyzer = new(analyze.Analyzer)
	}
	if o.Registry == nil {
		o.Registry = extract.DefaultRegistry()
	}
	return o.Sessions.check()
}

// Item is one piece of a pack, in the JSON of INTERFACE.md.
type Item struct {
	Kind retrieval.Kind `json:"kind"`
	// ID is that of the event, the fact, the first of the turns, or the session.
	ID string `json:"id"`
	// Valid is when it held in the world, Record when the memory held it.
	Valid  dsl.Interval `json:"valid"`
	Record dsl.Interval `json:"record"`
	// ActiveAt is the instant that the pack was asked for if the item holds at it,
	// else null.
	ActiveAt *dsl.Instant `json:"active_at"`
	// ActiveFacts counts, for an event, the facts of it that hold at the instant.
	ActiveFacts *int `json:"active_fact_count,omitzero"`
	// Evidence are the ids of the turns that it rests on.
	Evidence []string `json:"evidence_id"`
	// Partial are those of Evidence of whose telling words less than two thirds are
	// in Text.
	Partial []string `json:"partial,omitzero"`
	// Rank is the best rank that the search gave to anything in it, Score its score.
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
	// Session is that of the turns.
	Session string `json:"session,omitzero"`
	// Fact is what a fact says, so that a scaffold needs nothing but the pack.
	Fact *Triple `json:"fact,omitzero"`
	// Said are the turns that Text is made of.
	Said []Said `json:"said,omitzero"`
	// Text is the part of the pack's text that shows it.
	Text string `json:"text"`
}

// Triple is what a fact says.
type Triple struct {
	Src        string  `json:"src"`
	Rel        string  `json:"rel"`
	Relation   string  `json:"relation,omitzero"`
	Dst        string  `json:"dst"`
	Functional bool    `json:"functional"`
	Confidence float64 `json:"confidence"`
}

// Said is what is left of a turn in a pack.
type Said struct {
	ID      string      `json:"id"`
	Speaker string      `json:"speaker"`
	At      dsl.Instant `json:"at"`
	Zone    string      `json:"zone,omitzero"`
	Text    string      `json:"text"`
}

// Receipt says how a pack was made.
type Receipt struct {
	// Version is that of the compiler; Config the hash of the configuration.
	Version string            `json:"version"`
	Config  dsl.Hash          `json:"config"`
	Models  map[string]string `json:"models"`
	Mode    Mode              `json:"mode"`
	Budget  int               `json:"budget"`
	// Candidates counts what the search found, LeftOut what did not fit, Repeated
	// what was left out because a kept item says it.
	Candidates int `json:"candidates"`
	LeftOut    int `json:"left_out"`
	Repeated   int `json:"repeated"`
	// Sessions says where the sessions of a session pack came from.
	Sessions *SessionReceipt `json:"sessions,omitzero"`
}

// Pack is a compiled evidence pack, in the JSON of INTERFACE.md.
type Pack struct {
	Basis     jsontext.Value `json:"basis"`
	Digest    dsl.Hash       `json:"digest"`
	Tokens    int            `json:"tokens"`
	Tokenizer string         `json:"tokenizer"`
	Query     string         `json:"query"`
	Lang      string         `json:"lang"`
	// At is the instant that the items are held against: the instant of valid time
	// that was asked for, else the record time of the view; null in an empty view.
	At      *dsl.Instant `json:"at"`
	Items   []Item       `json:"items"`
	Text    string       `json:"text"`
	Receipt Receipt      `json:"receipt"`

	// Result is the search that the pack was made from.
	Result retrieval.Result `json:"-"`
}

// TurnIDs gives the turns whose text is in the pack, each once, in the order of
// the items: partial ones are left out.
func (p *Pack) TurnIDs() []string {
	var ids []string
	seen := map[string]bool{}
	for i := range p.Items {
		it := &p.Items[i]
		for _, s := range it.Said {
			if !seen[s.ID] && !contains(it.Partial, s.ID) {
				seen[s.ID] = true
				ids = append(ids, s.ID)
			}
		}
	}
	return ids
}

// SessionNames gives the sessions that the pack shows something of, each once.
func (p *Pack) SessionNames() []string {
	var names []string
	for i := range p.Items {
		if it := &p.Items[i]; len(it.Said) > 0 && !contains(names, it.Session) {
			names = append(names, it.Session)
		}
	}
	return names
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// Compile makes the pack of a question from a view. The query's K and Kinds are
// not looked at. It returns an error that wraps dsl.ErrInvalid for what makes no
// sense, ErrUnstable if two compilations differ, and the context's error when that
// ends first.
func Compile(ctx context.Context, v store.View, q retrieval.Query, opt Options) (*Pack, error) {
	p, err := compile(ctx, v, q, opt)
	if err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return p, nil
}

func compile(ctx context.Context, v store.View, q retrieval.Query, opt Options) (*Pack, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	if opt.Lang == "" {
		opt.Lang = language(q.Text)
	}
	var make func() (*Pack, error)
	if opt.Mode == Evidence {
		found, err := gather(ctx, v, q, &opt)
		if err != nil {
			return nil, err
		}
		make = func() (*Pack, error) { return found.compile(&opt), nil }
	} else {
		found, err := gatherSessions(ctx, v, q, &opt)
		if err != nil {
			return nil, err
		}
		make = func() (*Pack, error) { return found.compile(&opt), nil }
	}
	done := func(stage string) {
		if opt.Search.Done != nil {
			opt.Search.Done(stage)
		}
	}
	done(StageGather)
	first, err := make()
	if err != nil {
		return nil, err
	}
	again, err := make()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(first.seal(), again.seal()); err != nil {
		return nil, err
	}
	if first.Digest != again.Digest {
		return nil, fmt.Errorf("%w: %s, then %s", ErrUnstable, first.Digest, again.Digest)
	}
	done(StageCompile)
	return first, nil
}

// seal counts the tokens and computes the digest.
func (p *Pack) seal() error {
	p.Tokens, p.Tokenizer = assimilate.Tokens(p.Text), Tokenizer
	if p.Basis == nil {
		p.Basis = jsontext.Value("null")
	}
	sum, err := p.sum()
	p.Digest = sum
	return err
}

// Verify tells whether the digest is that of the pack, and the tokens those of
// its text.
func (p *Pack) Verify() error {
	if n := assimilate.Tokens(p.Text); n != p.Tokens || p.Tokenizer != Tokenizer {
		return fmt.Errorf("pack: %w: the text has %d tokens by %s, the pack says %d by %s", dsl.ErrCorrupt, n, Tokenizer, p.Tokens, p.Tokenizer)
	}
	sum, err := p.sum()
	if err == nil && sum != p.Digest {
		err = fmt.Errorf("%w: the digest is %s, the pack says %s", dsl.ErrCorrupt, sum, p.Digest)
	}
	if err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	return nil
}

// sum gives the SHA-256 of the canonical JSON of the pack without its digest.
func (p *Pack) sum() (dsl.Hash, error) {
	b, err := json.Marshal(p, json.Deterministic(true))
	if err != nil {
		return dsl.Hash{}, err
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(b, &members); err != nil {
		return dsl.Hash{}, err
	}
	delete(members, "digest")
	if b, err = json.Marshal(members, json.Deterministic(true)); err != nil {
		return dsl.Hash{}, err
	}
	if b, err = dsl.CanonicalValue(b); err != nil {
		return dsl.Hash{}, err
	}
	return dsl.Sum(b), nil
}
