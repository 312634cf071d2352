package extract

// opens tells whether a clause that asserts may start at token i: what stands
// before it in the sentence is a clause end, only words that lead in, or what
// takes a clause as a fact ("I noticed that …", "how much …").
func (s *sentenceEn) opens(i int) bool {
	for k, n := i-1, 0; n < 10; k, n = k-1, n+1 {
		if k < s.from {
			return true
		}
		t := s.tok(k)
		if t.kind == punctToken {
			return s.marksClause(k)
		}
		if t.low == "and" && s.is(k-1, kinWord) && s.low(k-2) == "my" {
			k -= 2 // "my wife and I"
			continue
		}
		if t.low == "that" || factVerbs[t.low] {
			return s.holdsFact(k)
		}
		if t.low == "much" && s.low(k-1) == "how" || t.low == "why" && k > s.from {
			// "it reminds me how much I like tea", not "Who knows how much I like tea"
			return !s.others(k - 1)
		}
		if t.low == "as" && (s.low(k-1) == "," || s.is(k-1, advWord) || k == s.from) {
			return true
		}
		if s.is(k, boundaryWord) && t.low != "since" {
			return !(t.low == "and" && s.is(k-1, kinWord))
		}
		if s.is(k, leadWord|advWord) || t.low == "since" || t.low == "course" || t.low == "of" && s.low(k+1) == "course" {
			continue
		}
		if e := s.timeAt(t.start); e != nil {
			continue
		}
		if (t.low == "after" || t.low == "for" || t.low == "in" || t.low == "by") && s.timeAt(s.tok(k+1).start) != nil && s.onlyLead(k) {
			continue // "After ten years I left …"
		}
		if (t.low == "meant" || t.low == "mean") && s.low(k-1) == "i" {
			k--
			continue
		}
		if m := s.mentionAt(t.start); m != nil && m.Type == typePerson && s.low(k-1) != "with" && s.onlyLead(k) {
			continue // "Olivia I love …", "Hey Olivia I love …"
		}
		return t.kind == hanToken
	}
	return false
}

// marksClause tells whether the mark at k may stand before a clause.
func (s *sentenceEn) marksClause(k int) bool {
	switch t := s.tok(k); t.low {
	case ",", ":":
		// "She said, I …" is reported; "What can I say, I …" is not.
		return !reportVerbs[s.low(k-1)] || !s.others(k-1)
	case ";", "–", "—", "(", ")", "…", "...", "!", ".", "*":
		return true
	case "-":
		return t.space
	case "\"", "”", "'", "’":
		// After a title, not in a quotation.
		m := s.mentionAt(s.tok(k - 1).start)
		return m != nil && m.Type == typeWork
	}
	return false
}

// onlyLead tells whether nothing but words that lead in stands before token k.
func (s *sentenceEn) onlyLead(k int) bool {
	for j := k - 1; j >= s.from; j-- {
		if !s.is(j, leadWord) && s.low(j) != "," || k-j > 5 {
			return false
		}
	}
	return true
}

var reportVerbs = wordSet("said says say told tells tell asked asks thinks think thought wrote writes goes replied joked added claims claimed")

// factVerbs take a clause as a fact when the speaker is their subject.
var factVerbs = wordSet("realize realized realizing realise realised notice noticed noticing know knew mention mentioned mentioning forgot remember remembered remembering admit admitted admitting say saying confess discovered discover found find learned figured see noted glad happy fact lucky grateful thankful proud sad sorry excited sure thing truth shows means meant reflect")

// holdsFact tells whether the clause after token k, "that" or such a verb, is
// told as a fact by the speaker.
func (s *sentenceEn) holdsFact(k int) bool {
	if s.low(k) == "that" {
		k--
		if s.low(k) == "," {
			k--
		}
		for s.is(k, advWord) || s.low(k) == "out" || s.low(k) == "myself" {
			k--
		}
	}
	if !factVerbs[s.low(k)] {
		return false
	}
	return !s.others(k)
}

// others tells whether the clause up to token k has another subject than the
// speaker, or is denied: what it holds is then not the speaker's word.
func (s *sentenceEn) others(k int) bool {
	for j, n := k, 0; n < 10; j, n = j-1, n+1 {
		t := s.tok(j)
		if j < s.from || t.kind == punctToken {
			return false
		}
		switch t.low {
		case "he", "she", "they", "who", "nobody", "everyone", "people", "someone", "anyone":
			return true
		case "not", "n't", "never", "if", "whether", "doubt":
			return true
		case "i", "we":
			return false
		case "my", "our":
			return s.is(j+1, kinWord)
		}
		if m := s.mentionAt(t.start); m != nil && m.Type == typePerson && m.Text != s.d.Listener || s.is(j, kinWord) {
			return true
		}
	}
	return false
}

// asked gives the token where the asking part of a sentence that ends with a
// question mark starts, and whether something that is asserted stands before
// it: "I have a Canon camera, do you know a lens for it?".
func (s *sentenceEn) asked() (at int, ok bool) {
	for i := s.from; i < s.to; i++ {
		if !s.onset(i) {
			continue
		}
		if i == s.from || s.onlyLead(i) {
			return i, false
		}
		p := s.tok(i - 1)
		if p.kind == punctToken && p.low != "'" && p.low != "\"" && !(p.low == "-" && !p.space) {
			return i - 1, true
		}
		switch p.low {
		case "and", "but", "so":
			return i - 1, true
		}
	}
	return s.from, false
}

// onset tells whether a question starts at token i: a verb before its subject, a
// question word, or "I was wondering if".
func (s *sentenceEn) onset(i int) bool {
	w, n := s.low(i), s.low(i+1)
	switch w {
	case "do", "does", "did", "can", "could", "would", "will", "should", "have", "has", "had", "is", "are", "am", "was", "were", "may", "might":
		if n == "n't" {
			n = s.low(i + 2)
		}
		switch n {
		case "you", "i", "we", "they", "there", "it", "that", "this", "these", "those", "he", "she", "anyone", "the", "my", "your", "any", "people":
			return true
		}
		return s.tok(i+1).upper && s.mentionAt(s.tok(i+1).start) != nil && w != "had" && w != "have"
	case "what", "how", "where", "which", "who", "why", "when":
		p := s.tok(i - 1)
		return i == s.from || p.kind == punctToken || p.low == "so" || (p.low == "and" || p.low == "but") && (s.is(i+1, auxWord) || s.low(i+1) == "about" || s.low(i+2) == "do" || s.low(i+2) == "should")
	case "any", "wondering", "anything":
		return i == s.from || s.tok(i-1).kind == punctToken || s.low(i-1) == "and" && w == "any"
	case "i", "we":
		// "and I was wondering if", "I'm curious"
		for j := i + 1; j < i+5; j++ {
			switch s.low(j) {
			case "wondering", "wonder", "curious":
				return true
			case "was", "'m", "am", "were", "just", "also", "'ve", "been", "re", "'re", "are":
				continue
			}
			return false
		}
	}
	return false
}
