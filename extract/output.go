package extract

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/asof-db/asof/dsl"
)

// The object that `asof extract` prints, as INTERFACE.md has it. Offsets are
// code points, half-open.
type (
	outputLine struct {
		ID        string         `json:"id"`
		Entities  []outputEntity `json:"entities"`
		Times     []outputTime   `json:"times"`
		Facts     []outputFact   `json:"facts"`
		Corefs    []outputCoref  `json:"corefs"`
		Sentences int            `json:"sentences"`
	}
	outputEntity struct {
		Text  string `json:"text"`
		Start int    `json:"start"`
		End   int    `json:"end"`
		Type  string `json:"type"`
	}
	outputTime struct {
		Text  string  `json:"text"`
		Start int     `json:"start"`
		End   int     `json:"end"`
		Value string  `json:"value"`
		Type  string  `json:"type"`
		From  *string `json:"from"`
		To    *string `json:"to"`
	}
	outputFact struct {
		Src        string  `json:"src"`
		Rel        string  `json:"rel"`
		Dst        string  `json:"dst"`
		Relation   string  `json:"relation,omitzero"`
		Polarity   string  `json:"polarity"`
		Change     string  `json:"change"`
		Corrects   string  `json:"corrects,omitzero"`
		ValidFrom  *string `json:"valid_from"`
		ValidTo    *string `json:"valid_to"`
		Confidence float64 `json:"confidence"`
		Start      int     `json:"start"`
		End        int     `json:"end"`
	}
	outputCoref struct {
		Text     string `json:"text"`
		Start    int    `json:"start"`
		End      int    `json:"end"`
		RefersTo string `json:"refers_to"`
	}
)

// localLayout is how a local time without a zone is printed and read.
const localLayout = "2006-01-02T15:04:05"

// runeCounter turns rising or falling byte offsets into code points in steps.
type runeCounter struct {
	text  string
	at, n int
}

func (c *runeCounter) rune(at int) int {
	switch {
	case at >= c.at:
		c.n += utf8.RuneCountInString(c.text[c.at:at])
	default:
		c.n -= utf8.RuneCountInString(c.text[at:c.at])
	}
	c.at = at
	return c.n
}

// JSON gives the result as one line without its end, in the form of INTERFACE.md;
// relations carry their short names. It fails on invalid UTF-8.
func (r Result) JSON() ([]byte, error) {
	out := outputLine{ID: r.ID, Entities: []outputEntity{}, Times: []outputTime{}, Facts: []outputFact{}, Corefs: []outputCoref{}, Sentences: len(r.Sentences)}
	at := runeCounter{text: r.text}
	for _, m := range r.Entities {
		out.Entities = append(out.Entities, outputEntity{m.Text, at.rune(m.Start), at.rune(m.End), m.Type})
	}
	for _, t := range r.Times {
		o := outputTime{Text: t.Text, Start: at.rune(t.Start), End: at.rune(t.End), Value: t.Value, Type: t.Type}
		if t.OnCalendar() {
			o.From, o.To = text(t.From.Format(localLayout)), text(t.To.Format(localLayout))
		}
		out.Times = append(out.Times, o)
	}
	for _, c := range r.Corefs {
		out.Corefs = append(out.Corefs, outputCoref{c.Text, at.rune(c.Start), at.rune(c.End), c.RefersTo})
	}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		rel := c.Rel
		if p, ok := r.registry.Lookup(c.Rel); ok && p.Short != "" {
			rel = p.Short
		}
		out.Facts = append(out.Facts, outputFact{
			Src: c.Src.String(), Rel: rel, Dst: c.Dst.String(), Relation: c.Relation.String(), Polarity: string(c.Polarity),
			Change: string(c.Change), Corrects: c.Corrects.String(), ValidFrom: text(r.Stated[i].From), ValidTo: text(r.Stated[i].To),
			Confidence: c.Confidence, Start: at.rune(c.Span.Start), End: at.rune(c.Span.End),
		})
	}
	b, err := json.Marshal(&out)
	if err != nil {
		return nil, fmt.Errorf("extract: output of turn %q: %w", r.ID, err)
	}
	return b, nil
}

// text gives a pointer to s, nil for the empty string.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// inputLine is a line of `asof extract`: a turn, and the text before it if given.
// Members that it does not name are ignored, so that a labelled file can be read.
type inputLine struct {
	Space    string `json:"space"`
	ID       string `json:"id"`
	Session  string `json:"session"`
	Speaker  string `json:"speaker"`
	Listener string `json:"listener"`
	TS       string `json:"ts"`
	Text     string `json:"text"`
	Prev     string `json:"prev"`
	suiteLine
}

// ExtractLine reads one line of turn JSON and gives the line to print, without
// its end. zone is that of a time that names none; empty is UTC. A fault of the
// line wraps dsl.ErrInvalid and says what is missing or wrong.
func (p *Pipeline) ExtractLine(line []byte, zone string) ([]byte, error) {
	ctx, err := parseLine(line, zone)
	if err != nil {
		return nil, fmt.Errorf("extract: %w", err)
	}
	return p.Extract(ctx).JSON()
}

func parseLine(line []byte, zone string) (Context, error) {
	ctx, _, err := parseSpaced(line, zone)
	return ctx, err
}

// parseSpaced reads a line and gives its space too.
func parseSpaced(line []byte, zone string) (Context, string, error) {
	var in inputLine
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return Context{}, "", fmt.Errorf("%w: the line is not a JSON object", dsl.ErrInvalid)
	}
	if err := json.Unmarshal(line, &in, jsontext.AllowDuplicateNames(false)); err != nil {
		return Context{}, "", fmt.Errorf("%w: the line is not a turn: %v", dsl.ErrInvalid, err)
	}
	if in.TS == "" && (in.Ref != "" || len(in.Base) > 0) { // a text of a time suite
		ts, err := in.ts()
		if err != nil {
			return Context{}, "", fmt.Errorf("turn %q: %w", in.ID, err)
		}
		in.TS = ts
		if in.Speaker == "" {
			in.Speaker = suiteSpeaker
		}
	}
	for _, f := range []struct{ name, value string }{{"id", in.ID}, {"speaker", in.Speaker}, {"ts", in.TS}} {
		if f.value == "" {
			return Context{}, "", fmt.Errorf("%w: turn %q: %q is missing or empty", dsl.ErrInvalid, in.ID, f.name)
		}
	}
	turn := dsl.Turn{
		ID: in.ID, Session: in.Session, Speaker: dsl.Plain(in.Speaker), Listener: dsl.Plain(in.Listener), Text: dsl.Plain(in.Text),
	}
	at, own, err := ParseTime(in.TS, zone)
	if err != nil {
		return Context{}, "", fmt.Errorf("turn %q: %w", in.ID, err)
	}
	turn.TS, turn.Zone = at, own
	if err := turn.Validate(); err != nil {
		return Context{}, "", fmt.Errorf("turn %q: %w", in.ID, err)
	}
	ctx := Context{Turn: turn}
	if in.Prev != "" {
		// "Maria: That's great" names who spoke.
		speaker, said := in.Listener, in.Prev
		if who, rest, ok := strings.Cut(in.Prev, ": "); ok && (who == in.Listener || who == in.Speaker) {
			speaker, said = who, rest
		}
		ctx.Previous = []dsl.Turn{{ID: "prev", Speaker: dsl.Plain(speaker), Text: dsl.Plain(said), TS: at, Zone: own}}
	}
	return ctx, in.Space, nil
}

// ParseTime reads a turn's time: RFC 3339, or a local time or date without a
// zone, read in the given one (empty is UTC). It gives the zone that belongs to
// the turn: the offset that was written, else the one given.
func ParseTime(s, zone string) (dsl.Instant, string, error) {
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		own := t.Format("-07:00")
		if strings.HasSuffix(s, "Z") || own == "+00:00" {
			own = ""
		}
		return dsl.FromTime(t), own, nil
	}
	loc, err := dsl.ParseZone(zone)
	if err != nil {
		return 0, "", err
	}
	for _, layout := range []string{localLayout + ".999999999", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, loc); err == nil {
			return dsl.FromTime(t), zone, nil
		}
	}
	return 0, "", fmt.Errorf("%w: ts %q is no time (write 2023-05-08T14:00:00Z, or leave out the zone)", dsl.ErrInvalid, s[:min(len(s), 64)])
}
