package dsl

// This file reads what layer 2 adds to an entry.

// someSmall is small for a member that is left out when it is 0.
func (s *scanner) someSmall() int {
	n := s.small()
	if n == 0 {
		s.fail()
	}
	return n
}

func (s *scanner) ints() (list []int) {
	s.list(func() { list = append(list, s.small()) })
	return list
}

func (s *scanner) refs() (list []VersionRef) {
	s.list(func() {
		var r VersionRef
		o := s.object()
		o.must(`"id":`)
		r.ID = s.str()
		o.must(`"version":`)
		r.Version = s.u32()
		o.end()
		list = append(list, r)
	})
	return list
}

func (s *scanner) gap() *Gap {
	g := new(Gap)
	o := s.object()
	o.must(`"from":`)
	g.From = s.small()
	o.must(`"id":`)
	g.ID = s.hash()
	o.must(`"kind":`)
	g.Kind = GapKind(s.str())
	if o.member(`"missing":`) {
		g.Missing = s.strings()
	}
	o.must(`"query":`)
	g.Query = s.text()
	o.must(`"to":`)
	g.To = s.small()
	o.end()
	return g
}

func (s *scanner) trigger() (d TriggerDecision) {
	o := s.object()
	o.must(`"action":`)
	d.Action = TriggerAction(s.str())
	if o.member(`"facts":`) {
		d.Facts = s.refs()
	}
	if o.member(`"features":`) {
		s.list(func() {
			var f Feature
			o := s.object()
			o.must(`"name":`)
			f.Name = s.str()
			o.must(`"value":`)
			f.Value = s.float()
			o.end()
			d.Features = append(d.Features, f)
		})
	}
	if o.member(`"held":`) {
		d.Held = new(HeldRef)
		o := s.object()
		o.must(`"candidate":`)
		d.Held.Candidate = s.small()
		o.must(`"position":`)
		d.Held.Position = Seq(s.number())
		o.end()
	}
	if o.member(`"operations":`) {
		d.Operations = s.ints()
	}
	o.must(`"reason":`)
	d.Reason = s.text()
	if o.member(`"salience":`) {
		if d.Salience = s.float(); d.Salience == 0 {
			s.fail()
		}
	}
	if o.member(`"tokens":`) {
		d.Tokens = s.someSmall()
	}
	o.must(`"trigger":`)
	d.Trigger = Trigger(s.str())
	o.end()
	return d
}

// scanMemory is scanTx for a working memory alone.
func scanMemory(b []byte) (m *Memory, ok bool) {
	s := &scanner{b: b}
	m = s.memory()
	return m, !s.bad && s.i == len(b)
}

func (s *scanner) memory() *Memory {
	m := new(Memory)
	o := s.object()
	if o.member(`"held":`) {
		s.list(func() {
			var h Held
			o := s.object()
			o.must(`"candidate":`)
			h.Candidate = s.small()
			o.must(`"position":`)
			h.Position = Seq(s.number())
			o.must(`"turn":`)
			h.Turn = s.small()
			o.end()
			m.Held = append(m.Held, h)
		})
	}
	if o.member(`"pending":`) {
		s.list(func() {
			var p Pending
			o := s.object()
			o.must(`"fact":`)
			p.Fact = s.str()
			o.must(`"salience":`)
			p.Salience = s.float()
			o.must(`"turn":`)
			p.Turn = s.small()
			o.must(`"version":`)
			p.Version = s.u32()
			o.end()
			m.Pending = append(m.Pending, p)
		})
	}
	if o.member(`"periodic":`) {
		m.Periodic = s.someSmall()
	}
	if o.member(`"session":`) {
		m.Session = s.some()
	}
	o.must(`"sessions":`)
	m.Sessions = s.small()
	o.must(`"since":`)
	m.Since = s.small()
	if o.member(`"strong":`) {
		m.Strong = s.someSmall()
	}
	if o.member(`"tokens":`) {
		m.Tokens = s.someSmall()
	}
	if o.member(`"written":`) {
		m.Written = s.someSmall()
	}
	o.end()
	return m
}
