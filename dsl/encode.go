package dsl

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"unicode/utf8"
)

// printer writes canonical text of values whose shape is known. What it does not
// write (settings, numbers that need an exponent, values that have no text) it
// gives up on, and the general encoder is asked.
type printer struct {
	b   []byte
	bad bool
}

func (p *printer) lit(s string) { p.b = append(p.b, s...) }

// printed is an object on its way out: it knows whether a comma is due.
type printed struct {
	*printer
	some bool
}

func (p *printer) object() printed {
	p.b = append(p.b, '{')
	return printed{printer: p}
}

// member writes the name of a member, which is in the form "name":.
func (o *printed) member(name string) {
	if o.some {
		o.b = append(o.b, ',')
	}
	o.some = true
	o.lit(name)
}

func (o *printed) end() { o.b = append(o.b, '}') }

// str, text, and so on write a member; those that begin with "some" leave it out
// when it has nothing to say.

func (o *printed) str(name, s string) {
	o.member(name)
	o.quote(s)
}

func (o *printed) someStr(name, s string) {
	if s != "" {
		o.str(name, s)
	}
}

func (o *printed) text(name string, t Text) {
	o.member(name)
	if t.key == "" {
		o.lit(`{"p":`)
		o.quote(t.plain)
	} else {
		o.lit(`{"c":"`)
		o.b = base64.StdEncoding.AppendEncode(o.b, []byte(t.cipher))
		o.lit(`","k":`)
		o.quote(t.key)
	}
	o.b = append(o.b, '}')
}

func (o *printed) someText(name string, t Text) {
	if !t.IsZero() {
		o.text(name, t)
	}
}

func (o *printed) hash(name string, h Hash) {
	o.member(name)
	o.b = append(o.b, '"')
	o.b = append(hex.AppendEncode(o.b, h[:]), '"')
}

func (o *printed) someHash(name string, h Hash) {
	if !h.IsZero() {
		o.hash(name, h)
	}
}

func (o *printed) uint(name string, n uint64) {
	o.member(name)
	o.b = strconv.AppendUint(o.b, n, 10)
}

func (o *printed) someUint(name string, n uint32) {
	if n != 0 {
		o.uint(name, uint64(n))
	}
}

func (o *printed) int(name string, n int) {
	o.member(name)
	o.b = strconv.AppendInt(o.b, int64(n), 10)
}

func (o *printed) float(name string, f float64) {
	o.member(name)
	o.number(f)
}

func (p *printer) number(f float64) {
	if f != 0 && !(f >= 1e-6 && f < 1e21) || f == 0 && math.Signbit(f) {
		p.bad = true
		return
	}
	p.b = strconv.AppendFloat(p.b, f, 'f', -1, 64)
}

func (o *printed) someFloat(name string, f float64) {
	if f != 0 || math.Signbit(f) {
		o.float(name, f)
	}
}

func (o *printed) instant(name string, i Instant) {
	o.member(name)
	if !i.Finite() {
		o.bad = true
		return
	}
	o.when(i)
}

func (o *printed) someInterval(name string, v *Interval) {
	if v == nil {
		return
	}
	o.member(name)
	o.interval(*v)
}

func (p *printer) interval(v Interval) {
	p.b = append(p.b, '[')
	p.bound(v.Start, Beginning)
	p.b = append(p.b, ',')
	p.bound(v.End, Forever)
	p.b = append(p.b, ']')
}

// bound writes one end of an interval; end is the end of time that fits it.
func (p *printer) bound(i, end Instant) {
	switch {
	case i == end:
		p.lit("null")
	case !i.Finite():
		p.bad = true
	default:
		p.when(i)
	}
}

func (p *printer) when(i Instant) {
	p.b = append(p.b, '"')
	p.b = append(i.AppendText(p.b), '"')
}

func (o *printed) someStrings(name string, list []string) {
	if len(list) == 0 {
		return
	}
	o.member(name)
	for i, s := range list {
		o.sep(i)
		o.quote(s)
	}
	o.b = append(o.b, ']')
}

// sep opens a list at its first item and writes a comma before the others.
func (p *printer) sep(i int) {
	c := byte(',')
	if i == 0 {
		c = '['
	}
	p.b = append(p.b, c)
}

// AppendQuoted appends a string as canonical JSON; ok is false where it has
// none, because it is not valid UTF-8.
func AppendQuoted(b []byte, s string) (_ []byte, ok bool) {
	p := printer{b: b}
	p.quote(s)
	return p.b, !p.bad
}

// AppendInterval appends an interval as canonical JSON, null for none; ok is
// false where an end is no time.
func AppendInterval(b []byte, v *Interval) (_ []byte, ok bool) {
	if v == nil {
		return append(b, "null"...), true
	}
	p := printer{b: b}
	p.interval(*v)
	return p.b, !p.bad
}

// AppendNumber appends a number as canonical JSON; ok is false for those that
// need an exponent, and what is no number.
func AppendNumber(b []byte, f float64) (_ []byte, ok bool) {
	p := printer{b: b}
	p.number(f)
	return p.b, !p.bad
}

const hexDigits = "0123456789abcdef"

// quote writes a string.
func (p *printer) quote(s string) {
	p.b = append(p.b, '"')
	done := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			if c >= utf8.RuneSelf {
				r, n := utf8.DecodeRuneInString(s[i:])
				if r == utf8.RuneError && n == 1 {
					p.bad = true
					return
				}
				i += n - 1
			}
			continue
		}
		p.b = append(p.b, s[done:i]...)
		done = i + 1
		p.b = append(p.b, '\\')
		switch c {
		case '"', '\\':
			p.b = append(p.b, c)
		case '\b':
			p.b = append(p.b, 'b')
		case '\t':
			p.b = append(p.b, 't')
		case '\n':
			p.b = append(p.b, 'n')
		case '\f':
			p.b = append(p.b, 'f')
		case '\r':
			p.b = append(p.b, 'r')
		default:
			p.b = append(p.b, 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	p.b = append(p.b, s[done:]...)
	p.b = append(p.b, '"')
}

// print gives the canonical text of the values that it knows; ok is false for
// all others.
func print(v any) (b []byte, ok bool) {
	var p printer
	switch x := v.(type) {
	case *Tx:
		p.b = make([]byte, 0, 1024)
		p.tx(x)
	case *Turn:
		if x == nil {
			return nil, false
		}
		p.b = make([]byte, 0, 512)
		p.turn(x)
	case *Memory:
		if x == nil {
			return nil, false
		}
		p.memory(x)
	case []Candidate:
		if len(x) == 0 {
			return []byte("[]"), true
		}
		p.candidates(x)
	default:
		return nil, false
	}
	return p.b, !p.bad
}

func (p *printer) tx(tx *Tx) {
	if tx == nil || tx.Settings != nil {
		p.bad = true
		return
	}
	o := p.object()
	if len(tx.Candidates) > 0 {
		o.member(`"candidates":`)
		p.candidates(tx.Candidates)
	}
	o.someHash(`"candidates_hash":`, tx.CandidatesHash)
	if len(tx.Decisions) > 0 {
		o.member(`"decisions":`)
		for i := range tx.Decisions {
			p.sep(i)
			p.decision(&tx.Decisions[i])
		}
		p.b = append(p.b, ']')
	}
	o.someStr(`"extractor":`, tx.Extractor)
	if tx.Gap != nil {
		o.member(`"gap":`)
		p.gap(tx.Gap)
	}
	o.str(`"kind":`, string(tx.Kind))
	if tx.Memory != nil {
		o.member(`"memory":`)
		p.memory(tx.Memory)
	}
	if len(tx.Nodes) > 0 {
		o.member(`"nodes":`)
		for i := range tx.Nodes {
			n := &tx.Nodes[i]
			p.sep(i)
			o := p.object()
			o.str(`"id":`, n.ID)
			o.str(`"kind":`, string(n.Kind))
			o.text(`"name":`, n.Name)
			o.end()
		}
		p.b = append(p.b, ']')
	}
	if len(tx.Operations) > 0 {
		o.member(`"operations":`)
		for i := range tx.Operations {
			p.sep(i)
			p.op(&tx.Operations[i])
		}
		p.b = append(p.b, ']')
	}
	o.someHash(`"ops_hash":`, tx.OpsHash)
	o.seq(`"position":`, tx.Seq)
	o.hash(`"prev":`, tx.Prev)
	o.someStr(`"ref":`, tx.Ref)
	o.hash(`"settings_hash":`, tx.SettingsHash)
	o.str(`"space":`, tx.Space)
	o.instant(`"time":`, tx.Time)
	if len(tx.Triggers) > 0 {
		o.member(`"triggers":`)
		for i := range tx.Triggers {
			p.sep(i)
			p.trigger(&tx.Triggers[i])
		}
		p.b = append(p.b, ']')
	}
	if tx.Turn != nil {
		o.member(`"turn":`)
		p.turn(tx.Turn)
	}
	o.someHash(`"turn_hash":`, tx.TurnHash)
	o.someStr(`"turn_id":`, tx.TurnID)
	o.int(`"v":`, tx.Version)
	o.end()
}

func (p *printer) turn(t *Turn) {
	o := p.object()
	if len(t.Attachments) > 0 {
		o.member(`"attachments":`)
		for i := range t.Attachments {
			p.sep(i)
			o := p.object()
			o.str(`"kind":`, t.Attachments[i].Kind)
			o.text(`"text":`, t.Attachments[i].Text)
			o.end()
		}
		p.b = append(p.b, ']')
	}
	o.str(`"id":`, t.ID)
	o.someText(`"listener":`, t.Listener)
	o.someStr(`"replaces":`, t.Replaces)
	o.someStr(`"session":`, t.Session)
	o.text(`"speaker":`, t.Speaker)
	o.text(`"text":`, t.Text)
	o.instant(`"ts":`, t.TS)
	o.someStr(`"zone":`, t.Zone)
	o.end()
}

func (p *printer) candidates(list []Candidate) {
	for i := range list {
		c := &list[i]
		p.sep(i)
		o := p.object()
		o.str(`"change":`, string(c.Change))
		o.float(`"confidence":`, c.Confidence)
		o.someText(`"corrects":`, c.Corrects)
		o.text(`"dst":`, c.Dst)
		o.str(`"dst_kind":`, string(c.DstKind))
		o.str(`"polarity":`, string(c.Polarity))
		o.str(`"rel":`, c.Rel)
		o.someText(`"relation":`, c.Relation)
		o.someStr(`"source":`, c.Source)
		if c.Span != nil {
			o.member(`"span":`)
			o := p.object()
			o.int(`"end":`, c.Span.End)
			o.int(`"start":`, c.Span.Start)
			o.end()
		}
		o.text(`"src":`, c.Src)
		o.someStr(`"turn":`, c.Turn)
		o.someInterval(`"valid":`, c.Valid)
		o.end()
	}
	p.b = append(p.b, ']')
}

func (p *printer) decision(d *Decision) {
	o := p.object()
	o.str(`"action":`, string(d.Action))
	o.int(`"candidate":`, d.Candidate)
	o.someInts(`"operations":`, d.Operations)
	o.someRefs(`"read":`, d.Read)
	o.text(`"reason":`, d.Reason)
	o.str(`"rule":`, d.Rule)
	o.end()
}

func (p *printer) op(x *Op) {
	o := p.object()
	o.someStr(`"agent":`, x.Agent)
	o.someFloat(`"confidence":`, x.Confidence)
	o.someStr(`"dst":`, x.Dst)
	o.someStrings(`"evidence_id":`, x.Evidence)
	o.someStr(`"from":`, x.From)
	o.str(`"id":`, x.ID)
	o.someStrings(`"includes_fact":`, x.Includes)
	o.someStr(`"kind":`, string(x.Link))
	o.someUint(`"next":`, x.Next)
	o.str(`"op":`, string(x.Kind))
	if len(x.Participants) > 0 {
		o.member(`"participants":`)
		for i := range x.Participants {
			p.sep(i)
			o := p.object()
			o.str(`"entity":`, x.Participants[i].Entity)
			o.someText(`"role":`, x.Participants[i].Role)
			o.end()
		}
		p.b = append(p.b, ']')
	}
	o.someText(`"reason":`, x.Reason)
	o.someStr(`"rel":`, x.Rel)
	o.someText(`"relation":`, x.Relation)
	if x.Retract {
		o.member(`"retract":`)
		p.lit("true")
	}
	o.someStr(`"source":`, x.Source)
	o.someStr(`"src":`, x.Src)
	o.someStr(`"status":`, x.Status)
	o.someText(`"summary":`, x.Summary)
	o.someInterval(`"time_span":`, x.Span)
	o.someStr(`"to":`, x.To)
	o.someInterval(`"valid":`, x.Valid)
	o.someUint(`"version":`, x.Version)
	o.end()
}
