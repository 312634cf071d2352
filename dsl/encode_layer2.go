package dsl

import "strconv"

// This file writes what layer 2 adds to an entry.

func (o *printed) someInt(name string, n int) {
	if n != 0 {
		o.int(name, n)
	}
}

// seq writes a position.
func (o *printed) seq(name string, s Seq) {
	if s > MaxSeq {
		o.bad = true
	}
	o.uint(name, uint64(s))
}

func (o *printed) someInts(name string, list []int) {
	if len(list) == 0 {
		return
	}
	o.member(name)
	for i, n := range list {
		o.sep(i)
		o.b = strconv.AppendInt(o.b, int64(n), 10)
	}
	o.b = append(o.b, ']')
}

func (o *printed) someRefs(name string, list []VersionRef) {
	if len(list) == 0 {
		return
	}
	o.member(name)
	for i, r := range list {
		o.sep(i)
		x := o.object()
		x.str(`"id":`, r.ID)
		x.uint(`"version":`, uint64(r.Version))
		x.end()
	}
	o.b = append(o.b, ']')
}

func (p *printer) gap(g *Gap) {
	o := p.object()
	o.int(`"from":`, g.From)
	o.hash(`"id":`, g.ID)
	o.str(`"kind":`, string(g.Kind))
	o.someStrings(`"missing":`, g.Missing)
	o.text(`"query":`, g.Query)
	o.int(`"to":`, g.To)
	o.end()
}

func (p *printer) trigger(d *TriggerDecision) {
	o := p.object()
	o.str(`"action":`, string(d.Action))
	o.someRefs(`"facts":`, d.Facts)
	if len(d.Features) > 0 {
		o.member(`"features":`)
		for i, f := range d.Features {
			p.sep(i)
			o := p.object()
			o.str(`"name":`, f.Name)
			o.float(`"value":`, f.Value)
			o.end()
		}
		p.b = append(p.b, ']')
	}
	if d.Held != nil {
		o.member(`"held":`)
		o := p.object()
		o.int(`"candidate":`, d.Held.Candidate)
		o.seq(`"position":`, d.Held.Position)
		o.end()
	}
	o.someInts(`"operations":`, d.Operations)
	o.text(`"reason":`, d.Reason)
	o.someFloat(`"salience":`, d.Salience)
	o.someInt(`"tokens":`, d.Tokens)
	o.str(`"trigger":`, string(d.Trigger))
	o.end()
}

func (p *printer) memory(m *Memory) {
	o := p.object()
	if len(m.Held) > 0 {
		o.member(`"held":`)
		for i, h := range m.Held {
			p.sep(i)
			o := p.object()
			o.int(`"candidate":`, h.Candidate)
			o.seq(`"position":`, h.Position)
			o.int(`"turn":`, h.Turn)
			o.end()
		}
		p.b = append(p.b, ']')
	}
	if len(m.Pending) > 0 {
		o.member(`"pending":`)
		for i := range m.Pending {
			x := &m.Pending[i]
			p.sep(i)
			o := p.object()
			o.str(`"fact":`, x.Fact)
			o.float(`"salience":`, x.Salience)
			o.int(`"turn":`, x.Turn)
			o.uint(`"version":`, uint64(x.Version))
			o.end()
		}
		p.b = append(p.b, ']')
	}
	o.someInt(`"periodic":`, m.Periodic)
	o.someStr(`"session":`, m.Session)
	o.int(`"sessions":`, m.Sessions)
	o.int(`"since":`, m.Since)
	o.someInt(`"strong":`, m.Strong)
	o.someInt(`"tokens":`, m.Tokens)
	o.someInt(`"written":`, m.Written)
	o.end()
}
