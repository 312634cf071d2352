package dsl

// txText is a transaction with the hashes of the parts of its text.
type txText struct {
	tx               Tx
	turn, candidates Hash
}

// scanTx reads a transaction; ok is false where the general decoder must say
// what it thinks of the text. Settings, which are rare, are left to it.
func scanTx(b []byte, x *txText) (ok bool) {
	s := &scanner{b: b}
	tx := &x.tx
	o := s.object()
	if o.member(`"candidates":`) {
		start := s.i
		s.list(func() { tx.Candidates = append(tx.Candidates, s.candidate()) })
		x.candidates = Sum(b[start:s.i])
	}
	if o.member(`"candidates_hash":`) {
		tx.CandidatesHash = s.someHash()
	}
	if o.member(`"decisions":`) {
		s.list(func() { tx.Decisions = append(tx.Decisions, s.decision()) })
	}
	if o.member(`"extractor":`) {
		tx.Extractor = s.some()
	}
	if o.member(`"gap":`) {
		tx.Gap = s.gap()
	}
	o.must(`"kind":`)
	tx.Kind = TxKind(s.word())
	if o.member(`"memory":`) {
		tx.Memory = s.memory()
	}
	if o.member(`"nodes":`) {
		s.list(func() { tx.Nodes = append(tx.Nodes, s.node()) })
	}
	if o.member(`"operations":`) {
		s.list(func() { tx.Operations = append(tx.Operations, s.op()) })
	}
	if o.member(`"ops_hash":`) {
		tx.OpsHash = s.someHash()
	}
	o.must(`"position":`)
	tx.Seq = Seq(s.number())
	o.must(`"prev":`)
	tx.Prev = s.hash()
	if o.member(`"ref":`) {
		tx.Ref = s.some()
	}
	o.must(`"settings_hash":`)
	tx.SettingsHash = s.hash()
	o.must(`"space":`)
	tx.Space = s.str()
	o.must(`"time":`)
	tx.Time = s.instant()
	if o.member(`"triggers":`) {
		s.list(func() { tx.Triggers = append(tx.Triggers, s.trigger()) })
	}
	if o.member(`"turn":`) {
		start := s.i
		tx.Turn = new(Turn)
		s.turn(tx.Turn)
		x.turn = Sum(b[start:s.i])
	}
	if o.member(`"turn_hash":`) {
		tx.TurnHash = s.someHash()
	}
	if o.member(`"turn_id":`) {
		tx.TurnID = s.some()
	}
	o.must(`"v":`)
	tx.Version = s.small()
	o.end()
	return !s.bad && s.i == len(b)
}

// scanTurn is scanTx for a turn alone.
func scanTurn(b []byte, t *Turn) (ok bool) {
	s := &scanner{b: b}
	s.turn(t)
	return !s.bad && s.i == len(b)
}

func (s *scanner) turn(t *Turn) {
	o := s.object()
	if o.member(`"attachments":`) {
		s.list(func() {
			var a Attachment
			o := s.object()
			o.must(`"kind":`)
			a.Kind = s.str()
			o.must(`"text":`)
			a.Text = s.text()
			o.end()
			t.Attachments = append(t.Attachments, a)
		})
	}
	o.must(`"id":`)
	t.ID = s.str()
	if o.member(`"listener":`) {
		t.Listener = s.someText()
	}
	if o.member(`"replaces":`) {
		t.Replaces = s.some()
	}
	if o.member(`"session":`) {
		t.Session = s.some()
	}
	o.must(`"speaker":`)
	t.Speaker = s.text()
	o.must(`"text":`)
	t.Text = s.text()
	o.must(`"ts":`)
	t.TS = s.instant()
	if o.member(`"zone":`) {
		t.Zone = s.some()
	}
	o.end()
}

func (s *scanner) candidate() (c Candidate) {
	o := s.object()
	o.must(`"change":`)
	c.Change = Change(s.word())
	o.must(`"confidence":`)
	c.Confidence = s.float()
	if o.member(`"corrects":`) {
		c.Corrects = s.someText()
	}
	o.must(`"dst":`)
	c.Dst = s.text()
	o.must(`"dst_kind":`)
	c.DstKind = NodeKind(s.word())
	o.must(`"polarity":`)
	c.Polarity = Polarity(s.word())
	o.must(`"rel":`)
	c.Rel = s.str()
	if o.member(`"relation":`) {
		c.Relation = s.someText()
	}
	if o.member(`"source":`) {
		c.Source = s.some()
	}
	if o.member(`"span":`) {
		c.Span = new(Span)
		o := s.object()
		o.must(`"end":`)
		c.Span.End = s.small()
		o.must(`"start":`)
		c.Span.Start = s.small()
		o.end()
	}
	o.must(`"src":`)
	c.Src = s.text()
	if o.member(`"turn":`) {
		c.Turn = s.some()
	}
	if o.member(`"valid":`) {
		c.Valid = s.interval()
	}
	o.end()
	return c
}

func (s *scanner) decision() (d Decision) {
	o := s.object()
	o.must(`"action":`)
	d.Action = Action(s.word())
	o.must(`"candidate":`)
	d.Candidate = s.small()
	if o.member(`"operations":`) {
		d.Operations = s.ints()
	}
	if o.member(`"read":`) {
		d.Read = s.refs()
	}
	o.must(`"reason":`)
	d.Reason = s.text()
	o.must(`"rule":`)
	d.Rule = s.str()
	o.end()
	return d
}

func (s *scanner) node() (n Node) {
	o := s.object()
	o.must(`"id":`)
	n.ID = s.str()
	o.must(`"kind":`)
	n.Kind = NodeKind(s.word())
	o.must(`"name":`)
	n.Name = s.text()
	o.end()
	return n
}

func (s *scanner) op() (x Op) {
	o := s.object()
	if o.member(`"agent":`) {
		x.Agent = s.some()
	}
	if o.member(`"confidence":`) {
		if x.Confidence = s.float(); x.Confidence == 0 {
			s.fail()
		}
	}
	if o.member(`"dst":`) {
		x.Dst = s.some()
	}
	if o.member(`"evidence_id":`) {
		x.Evidence = s.strings()
	}
	if o.member(`"from":`) {
		x.From = s.some()
	}
	o.must(`"id":`)
	x.ID = s.str()
	if o.member(`"includes_fact":`) {
		x.Includes = s.strings()
	}
	if o.member(`"kind":`) {
		x.Link = LinkKind(s.some())
	}
	if o.member(`"next":`) {
		x.Next = s.someU32()
	}
	o.must(`"op":`)
	x.Kind = OpKind(s.word())
	if o.member(`"participants":`) {
		s.list(func() {
			var p Participant
			o := s.object()
			o.must(`"entity":`)
			p.Entity = s.str()
			if o.member(`"role":`) {
				p.Role = s.someText()
			}
			o.end()
			x.Participants = append(x.Participants, p)
		})
	}
	if o.member(`"reason":`) {
		x.Reason = s.someText()
	}
	if o.member(`"rel":`) {
		x.Rel = s.some()
	}
	if o.member(`"relation":`) {
		x.Relation = s.someText()
	}
	if o.member(`"retract":`) {
		s.lit("true")
		x.Retract = true
	}
	if o.member(`"source":`) {
		x.Source = s.some()
	}
	if o.member(`"src":`) {
		x.Src = s.some()
	}
	if o.member(`"status":`) {
		x.Status = s.some()
	}
	if o.member(`"summary":`) {
		x.Summary = s.someText()
	}
	if o.member(`"time_span":`) {
		x.Span = s.interval()
	}
	if o.member(`"to":`) {
		x.To = s.some()
	}
	if o.member(`"valid":`) {
		x.Valid = s.interval()
	}
	if o.member(`"version":`) {
		x.Version = s.someU32()
	}
	o.end()
	return x
}
