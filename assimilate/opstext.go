package assimilate

import (
	"fmt"
	"strconv"

	"github.com/asof-db/asof/dsl"
)

// OpsHash names the content of a list of operations, with its record time and
// the caller's name of it: the SHA-256 of the canonical JSON of the three. A
// value that has no such text is refused with dsl.ErrInvalid.
func OpsHash(at dsl.Instant, ops []OpRequest, ref string) (dsl.Hash, error) {
	if b, ok := opsText(at, ops, ref); ok {
		return dsl.Sum(b), nil
	}
	b, err := plainOpsText(at, ops, ref)
	if err != nil {
		return dsl.Hash{}, fmt.Errorf("%w: %v", dsl.ErrInvalid, err)
	}
	return dsl.Sum(b), nil
}

// plainOpsText gives the text by the general encoder: the measure of opsText.
func plainOpsText(at dsl.Instant, ops []OpRequest, ref string) ([]byte, error) {
	return dsl.Canonical(struct {
		At  dsl.Instant
		Ops []OpRequest
		Ref string
	}{at, ops, ref})
}

// opsPrinter writes the text of operations whose shape is known; it gives up on
// what has none, and on numbers that need an exponent.
type opsPrinter struct {
	b   []byte
	bad bool
}

func opsText(at dsl.Instant, ops []OpRequest, ref string) ([]byte, bool) {
	if !at.Finite() {
		return nil, false
	}
	p := &opsPrinter{b: make([]byte, 0, 64+len(ref)+512*len(ops))}
	p.lit(`{"At":"`)
	p.b = at.AppendText(p.b)
	p.lit(`","Ops":[`)
	for i := range ops {
		if i > 0 {
			p.lit(",")
		}
		p.op(&ops[i])
	}
	p.lit(`],"Ref":`)
	p.quote(ref)
	p.lit("}")
	return p.b, !p.bad
}

func (p *opsPrinter) lit(s string) { p.b = append(p.b, s...) }

func (p *opsPrinter) quote(s string) {
	var ok bool
	p.b, ok = dsl.AppendQuoted(p.b, s)
	p.bad = p.bad || !ok
}

func (p *opsPrinter) str(name, s string) {
	p.lit(name)
	p.quote(s)
}

func (p *opsPrinter) interval(name string, v *dsl.Interval) {
	p.lit(name)
	var ok bool
	p.b, ok = dsl.AppendInterval(p.b, v)
	p.bad = p.bad || !ok
}

func (p *opsPrinter) list(name string, list []string) {
	p.lit(name)
	for i, s := range list {
		if i > 0 {
			p.lit(",")
		}
		p.quote(s)
	}
	p.lit("]")
}

func (p *opsPrinter) op(r *OpRequest) {
	p.str(`{"Op":`, string(r.Op))
	p.str(`,"ID":`, r.ID)
	p.lit(`,"Version":`)
	p.b = strconv.AppendUint(p.b, uint64(r.Version), 10)
	p.str(`,"Src":`, r.Src)
	p.str(`,"Rel":`, r.Rel)
	p.str(`,"Dst":`, r.Dst)
	p.str(`,"Relation":`, r.Relation)
	p.interval(`,"Valid":`, r.Valid)
	if r.Portion != nil {
		p.interval(`,"Portion":`, r.Portion)
	}
	p.str(`,"Source":`, r.Source)
	p.list(`,"Evidence":[`, r.Evidence)
	p.lit(`,"Confidence":`)
	if r.Confidence == nil {
		p.lit("null")
	} else {
		var ok bool
		p.b, ok = dsl.AppendNumber(p.b, *r.Confidence)
		p.bad = p.bad || !ok
	}
	p.lit(`,"Retract":`)
	p.b = strconv.AppendBool(p.b, r.Retract)
	p.str(`,"Agent":`, r.Agent)
	p.str(`,"Reason":`, r.Reason)
	p.str(`,"Link":`, string(r.Link))
	p.str(`,"From":`, r.From)
	p.str(`,"To":`, r.To)
	p.str(`,"Summary":`, r.Summary)
	p.interval(`,"Span":`, r.Span)
	p.lit(`,"Participants":[`)
	for i := range r.Participants {
		if i > 0 {
			p.lit(",")
		}
		p.str(`{"Entity":`, r.Participants[i].Entity)
		p.str(`,"Role":`, r.Participants[i].Role)
		p.lit("}")
	}
	p.lit("]")
	p.list(`,"Includes":[`, r.Includes)
	p.str(`,"Status":`, r.Status)
	p.lit("}")
}
