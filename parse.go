package asof

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
)

// ParseOptions say how input lines are read.
type ParseOptions struct {
	// Space is the space of lines that name none.
	Space string
	// Zone is the zone of times that name none, as dsl.ParseZone takes it; empty
	// is UTC.
	Zone string
	// Registry gives the kinds of values; nil is the built-in one.
	Registry *extract.Registry
}

// Parsed is one input line.
type Parsed struct {
	Item
	// Tx joins lines of operations into one transaction; empty stands alone.
	Tx string
	// HasAt tells whether the line of operations gave its record time.
	HasAt bool
	// Zoneless tells that a time named no zone and Zone was taken.
	Zoneless bool
	// Ignored names members of a turn that asof does not know.
	Ignored []string
}

// parser reads one line.
type parser struct {
	opt ParseOptions
	loc *time.Location
	out Parsed
}

// ParseLine reads one line of the format. Every fault wraps dsl.ErrInvalid and
// says what is wrong and where.
func ParseLine(format Format, line []byte, opt ParseOptions) (Parsed, error) {
	loc, err := dsl.ParseZone(opt.Zone)
	if err != nil {
		return Parsed{}, err
	}
	if opt.Registry == nil {
		opt.Registry = extract.DefaultRegistry()
	}
	p := &parser{opt: opt, loc: loc}
	switch format {
	case FormatTurns:
		err = p.turnLine(line)
	case FormatCandidates:
		err = p.candidatesLine(line)
	case FormatOps:
		err = p.opLine(line)
	default:
		err = fmt.Errorf("%w: format %q is none of turns, candidates, ops", dsl.ErrInvalid, format)
	}
	if err != nil {
		return Parsed{}, err
	}
	if p.out.Space == "" {
		p.out.Space = opt.Space
	}
	return p.out, dsl.CheckSpace(p.out.Space)
}

// unmarshal reads strict JSON; unknown members are refused.
func unmarshal(line []byte, v any, opts ...json.Options) error {
	if err := json.Unmarshal(line, v, opts...); err != nil {
		return fmt.Errorf("%w: %s", dsl.ErrInvalid, strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

var strict = json.RejectUnknownMembers(true)

// turnInput is a turn as users write it.
type turnInput struct {
	Space       string            `json:"space"`
	ID          *string           `json:"id"`
	Session     string            `json:"session"`
	Speaker     *string           `json:"speaker"`
	Listener    string            `json:"listener"`
	TS          *string           `json:"ts"`
	Text        *string           `json:"text"`
	Replaces    string            `json:"replaces"`
	Attachments []attachmentInput `json:"attachments"`
	// Unknown holds all other members.
	Unknown jsontext.Value `json:",embed"`
}

type attachmentInput struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

func (p *parser) turnLine(line []byte) error {
	var in turnInput
	if err := unmarshal(line, &in); err != nil {
		return err
	}
	p.out.Space = in.Space
	t, err := p.turn(&in)
	p.out.Turn = t
	return err
}

func (p *parser) turn(in *turnInput) (*dsl.Turn, error) {
	for _, f := range []struct {
		name  string
		value *string
	}{{"id", in.ID}, {"speaker", in.Speaker}, {"ts", in.TS}, {"text", in.Text}} {
		if f.value == nil {
			return nil, fmt.Errorf("%w: the turn lacks %q", dsl.ErrInvalid, f.name)
		}
	}
	ts, zone, named, err := ParseTime(*in.TS, p.loc)
	if err != nil {
		return nil, fmt.Errorf("ts: %w", err)
	}
	if !named {
		p.out.Zoneless = true
		if p.loc != time.UTC {
			zone = p.opt.Zone
		}
	}
	t := &dsl.Turn{ID: *in.ID, Session: in.Session, Speaker: dsl.Plain(*in.Speaker), Listener: dsl.Plain(in.Listener),
		TS: ts, Zone: zone, Text: dsl.Plain(*in.Text), Replaces: in.Replaces}
	for _, a := range in.Attachments {
		t.Attachments = append(t.Attachments, dsl.Attachment{Kind: a.Kind, Text: dsl.Plain(a.Text)})
	}
	if err := p.unknown(in.Unknown); err != nil {
		return nil, err
	}
	return t, t.Validate()
}

// unknown notes the names of members that are not of the format.
func (p *parser) unknown(v jsontext.Value) error {
	if len(v) == 0 {
		return nil
	}
	var m map[string]jsontext.Value
	if err := unmarshal(v, &m); err != nil {
		return err
	}
	for name := range m {
		p.out.Ignored = append(p.out.Ignored, name)
	}
	slices.Sort(p.out.Ignored)
	return nil
}

// bounds reads an interval of two times, either of which may be null.
func (p *parser) bounds(what string, in []*string) (*dsl.Interval, error) {
	if in == nil {
		return nil, nil
	}
	if len(in) != 2 {
		return nil, fmt.Errorf("%w: %s is not a list of two times", dsl.ErrInvalid, what)
	}
	v := dsl.Always
	for i, to := range []*dsl.Instant{&v.Start, &v.End} {
		if in[i] == nil {
			continue
		}
		t, _, named, err := ParseTime(*in[i], p.loc)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		p.out.Zoneless = p.out.Zoneless || !named
		*to = t
	}
	if !v.Valid() {
		return nil, fmt.Errorf("%w: %s %s starts after it ends (I1)", dsl.ErrInvalid, what, v)
	}
	return &v, nil
}

type candidatesInput struct {
	Space      string           `json:"space"`
	Turn       *turnInput       `json:"turn"`
	TurnID     string           `json:"turn_id"`
	Candidates []candidateInput `json:"candidates"`
}

type candidateInput struct {
	Src        string       `json:"src"`
	Rel        string       `json:"rel"`
	Dst        string       `json:"dst"`
	Relation   string       `json:"relation"`
	Polarity   dsl.Polarity `json:"polarity"`
	Change     dsl.Change   `json:"change"`
	Corrects   string       `json:"corrects"`
	Valid      []*string    `json:"valid"`
	Confidence *float64     `json:"confidence"`
	Source     string       `json:"source"`
}

func (p *parser) candidatesLine(line []byte) error {
	var in candidatesInput
	if err := unmarshal(line, &in, strict); err != nil {
		return err
	}
	p.out.Space = in.Space
	if (in.Turn == nil) == (in.TurnID == "") {
		return fmt.Errorf("%w: give either \"turn\" or \"turn_id\"", dsl.ErrInvalid)
	}
	if in.Candidates == nil {
		return fmt.Errorf("%w: the line lacks \"candidates\" (an empty list is fine)", dsl.ErrInvalid)
	}
	if in.Turn != nil {
		if p.out.Space == "" {
			p.out.Space = in.Turn.Space
		} else if in.Turn.Space != "" && in.Turn.Space != p.out.Space {
			return fmt.Errorf("%w: the line is for space %q, its turn for %q", dsl.ErrInvalid, p.out.Space, in.Turn.Space)
		}
		t, err := p.turn(in.Turn)
		if err != nil {
			return fmt.Errorf("turn: %w", err)
		}
		p.out.Turn = t
	}
	p.out.TurnID = in.TurnID
	p.out.Candidates = []dsl.Candidate{}
	for i := range in.Candidates {
		c, err := p.candidate(&in.Candidates[i])
		if err != nil {
			return fmt.Errorf("candidate %d: %w", i, err)
		}
		p.out.Candidates = append(p.out.Candidates, c)
	}
	return nil
}

func (p *parser) candidate(in *candidateInput) (dsl.Candidate, error) {
	valid, err := p.bounds("valid", in.Valid)
	if err != nil {
		return dsl.Candidate{}, err
	}
	c := dsl.Candidate{Src: dsl.Plain(in.Src), Rel: p.opt.Registry.Canonical(in.Rel), Dst: dsl.Plain(in.Dst),
		DstKind: p.opt.Registry.DstKind(in.Rel), Relation: dsl.Plain(in.Relation), Polarity: dsl.Positive, Change: dsl.Assert,
		Corrects: dsl.Plain(in.Corrects), Valid: valid, Confidence: 1, Source: in.Source}
	if in.Polarity != "" {
		c.Polarity = in.Polarity
	}
	if in.Change != "" {
		c.Change = in.Change
	}
	if in.Confidence != nil {
		c.Confidence = *in.Confidence
	}
	return c, c.Validate()
}

type opInput struct {
	Space        string             `json:"space"`
	At           *string            `json:"at"`
	Tx           *txLabel           `json:"tx"`
	Op           dsl.OpKind         `json:"op"`
	ID           string             `json:"id"`
	Version      uint32             `json:"version"`
	Src          string             `json:"src"`
	Rel          string             `json:"rel"`
	Dst          string             `json:"dst"`
	Relation     string             `json:"relation"`
	Valid        []*string          `json:"valid"`
	Portion      []*string          `json:"portion"`
	Source       string             `json:"source"`
	Evidence     []string           `json:"evidence_id"`
	Confidence   *float64           `json:"confidence"`
	Retract      bool               `json:"retract"`
	Agent        string             `json:"agent"`
	Reason       string             `json:"reason"`
	Kind         dsl.LinkKind       `json:"kind"`
	From         string             `json:"from"`
	To           string             `json:"to"`
	Summary      string             `json:"summary"`
	Span         []*string          `json:"time_span"`
	Participants []participantInput `json:"participants"`
	Includes     []string           `json:"includes_fact"`
	Status       string             `json:"status"`
}

type participantInput struct {
	Entity string `json:"entity"`
	Role   string `json:"role"`
}

// txLabel is a caller's name of a transaction: a string or a number.
type txLabel string

func (t *txLabel) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	tok, err := d.ReadToken()
	if err != nil {
		return err
	}
	if k := tok.Kind(); k != '"' && k != '0' {
		return fmt.Errorf("tx is a string or a number")
	}
	*t = txLabel(tok.String())
	return nil
}

func (p *parser) opLine(line []byte) error {
	var in opInput
	if err := unmarshal(line, &in, strict); err != nil {
		return err
	}
	p.out.Space = in.Space
	if in.Tx != nil {
		p.out.Tx = string(*in.Tx)
		if err := dsl.CheckID("tx", p.out.Tx); err != nil {
			return err
		}
		p.out.Ref = p.out.Tx
	}
	switch {
	case in.At != nil:
		at, _, named, err := ParseTime(*in.At, p.loc)
		if err != nil {
			return fmt.Errorf("at: %w", err)
		}
		p.out.At, p.out.HasAt, p.out.Zoneless = at, true, !named
	case in.Tx == nil:
		return fmt.Errorf("%w: the operation lacks \"at\", its record time", dsl.ErrInvalid)
	}
	valid, err := p.bounds("valid", in.Valid)
	if err != nil {
		return err
	}
	portion, err := p.bounds("portion", in.Portion)
	if err != nil {
		return err
	}
	span, err := p.bounds("time_span", in.Span)
	if err != nil {
		return err
	}
	o := assimilate.OpRequest{Op: in.Op, ID: in.ID, Version: in.Version, Src: in.Src, Rel: in.Rel, Dst: in.Dst,
		Relation: in.Relation, Valid: valid, Portion: portion, Source: in.Source, Evidence: in.Evidence, Confidence: in.Confidence,
		Retract: in.Retract, Agent: in.Agent, Reason: in.Reason, Link: in.Kind, From: in.From, To: in.To,
		Summary: in.Summary, Span: span, Includes: in.Includes, Status: in.Status}
	for _, q := range in.Participants {
		o.Participants = append(o.Participants, assimilate.ParticipantRequest{Entity: q.Entity, Role: q.Role})
	}
	p.out.Ops = []assimilate.OpRequest{o}
	return nil
}

// waiting is a line as it lies in the intake.
type waiting struct {
	Line  jsontext.Value `json:"line"`
	Space string         `json:"space"`
	Zone  string         `json:"zone"`
}

func encodeParsed(_ Format, line []byte, p ParseOptions) ([]byte, error) {
	return dsl.Canonical(waiting{Line: line, Space: p.Space, Zone: p.Zone})
}

func decodeParsed(format Format, data []byte, registry *extract.Registry) (Item, error) {
	var w waiting
	if err := unmarshal(data, &w, strict); err != nil {
		return Item{}, err
	}
	p, err := ParseLine(format, w.Line, ParseOptions{Space: w.Space, Zone: w.Zone, Registry: registry})
	return p.Item, err
}
