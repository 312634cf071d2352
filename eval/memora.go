package eval

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/asof-db/asof/dsl"
)

// Persona is one persona of Memora: what it and its assistant said, what the
// data set says that each session states, changes or takes back, and the
// questions asked at the end.
type Persona struct {
	// Space names the memory that it belongs in: the persona.
	Space string
	// Turns are in the order they are to be ingested in. A turn's id is
	// "<session_id>:<turn>", its session the session_id, both as the data set
	// numbers them.
	Turns []dsl.Turn
	// Changes are in the order of the sessions.
	Changes []ValueChange
	// Questions are in file order; none where the questions' file is not there.
	Questions []PersonaQuestion
}

// PersonaQuestion is one question about a persona.
type PersonaQuestion struct {
	// ID is the data set's question_id, Kind its group: remembering, reasoning or
	// recommending.
	ID, Kind string
	// Text is the question, Date the day that it is asked on, 0 if not given.
	Text string
	Date dsl.Instant
	// Evidence are the sessions that hold the answer, each once, in file order.
	Evidence []string
	// Forgotten are the values that a right answer no longer has.
	Forgotten []ForgottenValue
	// Checks are what a right answer is held against.
	Checks []MemoryCheck
}

// ForgottenValue is a value that was taken back, and the session that did so.
type ForgottenValue struct{ Text, Session string }

// MemoryCheck is a yes-or-no question about an answer.
type MemoryCheck struct {
	ID, Text string
	// Present tells whether yes is right (memory_presence) or no
	// (forgetting_absence).
	Present bool
}

const (
	wantMemora  = "a Memora file: a tar of persona/conversations/session_*.json, or JSON or JSONL of such sessions, each an object with persona, session_id, date and conversation"
	wantSession = "a session: an object with persona, session_id, date and conversation"
	wantDay     = `a date like "2025-06-01"`
	// maxMemoraTurn bounds the number of a session or of a turn.
	maxMemoraTurn = 100_000_000
)

// ReadMemora streams the personas of a Memora data set: a tar of its folders, or
// its session files one after another or in a JSON array. The files of a persona
// have to follow one another, in any order; one persona is in memory at a time.
// After an error there is nothing more; it is a *DataError with file, place and
// what was expected. The sequence can be walked once, as r can.
//
// Sessions come in the order of their session_id, whatever their dates. Memora
// gives only the day of a session: the k-th session of a day, from 1, starts k
// minutes after midnight UTC, so that the view at a midnight holds the days
// before it and nothing of the new one; turn i of it has i seconds more, in
// smaller steps where a day or a session would overflow. Speakers keep the data
// set's names, user_agent and ai_agent.
//
// In a tar only *.json files are read; those of conversations/ have to be
// sessions, others are questions or are passed over.
func ReadMemora(r io.Reader, name string) iter.Seq2[Persona, error] {
	return readMemora(r, name, maxConversation)
}

func readMemora(r io.Reader, name string, max int64) iter.Seq2[Persona, error] {
	return func(yield func(Persona, error) bool) {
		m := &memoraReader{max: max, seen: map[string]bool{}, yield: func(p Persona) bool { return yield(p, nil) }}
		if err := m.read(r, name); err != nil && err != errStopped {
			yield(Persona{}, err)
		}
	}
}

// memoraReader gathers the files of one persona.
type memoraReader struct {
	max   int64
	yield func(Persona) bool
	// seen are the personas that came, the one under way included.
	seen    map[string]bool
	persona *rawPersona
}

// rawPersona is a persona as its files come.
type rawPersona struct {
	name      string
	sessions  map[int]*rawDay
	questions []PersonaQuestion
	hasAsked  bool
}

// rawDay is a session of Memora; the data set gives only its day.
type rawDay struct {
	id      int
	at      place
	file    string
	day     dsl.Instant
	turns   []numberedTurn
	details memoraDetails
}

type numberedTurn struct {
	n      int
	shared bool
	turn   dsl.Turn
}

// memoraFile is one file of the data set: a session or a persona's questions.
type memoraFile struct {
	persona   string
	session   *rawDay
	questions []PersonaQuestion
	isAsked   bool
}

// file takes what one file, or one object of a stream, holds.
func (m *memoraReader) file(c *cursor, f *memoraFile, at place) error {
	if f.persona == "" {
		return c.bad(at, wantMemora, "the object names no persona")
	}
	if err := dsl.CheckSpace(f.persona); err != nil {
		return c.bad(at, "the persona's name", "%v", err)
	}
	if m.persona == nil || m.persona.name != f.persona {
		if m.seen[f.persona] {
			return c.bad(at, "the files of a persona one after another (tar --sort=name makes them so)", "persona %q came before, and another since", f.persona)
		}
		if err := m.flush(c); err != nil {
			return err
		}
		m.seen[f.persona] = true
		m.persona = &rawPersona{name: f.persona, sessions: map[int]*rawDay{}}
	}
	p := m.persona
	if f.isAsked {
		if p.hasAsked {
			return c.bad(at, "one file of questions a persona", "persona %q has questions already", p.name)
		}
		p.hasAsked, p.questions = true, f.questions
		return nil
	}
	s := f.session
	if other := p.sessions[s.id]; other != nil {
		return c.bad(at, "a session_id of its own for every session of a persona", "session %d of %q was there before, in %s", s.id, p.name, other.file)
	}
	p.sessions[s.id] = s
	return nil
}

// flush hands on the persona that is complete.
func (m *memoraReader) flush(c *cursor) error {
	p := m.persona
	if p == nil {
		return nil
	}
	m.persona = nil
	if len(p.sessions) == 0 {
		return c.bad(place{}, wantMemora, "persona %q has questions but no session", p.name)
	}
	v, err := p.resolve(c)
	if err != nil {
		return err
	}
	if !m.yield(v) {
		return errStopped
	}
	c.record++
	return nil
}

// resolve orders the sessions and gives every turn its time.
func (p *rawPersona) resolve(c *cursor) (Persona, error) {
	v := Persona{Space: p.name, Questions: p.questions}
	sessions := make([]*rawDay, 0, len(p.sessions))
	perDay := map[dsl.Instant]dsl.Instant{}
	for _, s := range p.sessions {
		sessions = append(sessions, s)
		perDay[s.day]++
	}
	slices.SortFunc(sessions, func(a, b *rawDay) int { return cmp.Compare(a.id, b.id) })
	rank := map[dsl.Instant]dsl.Instant{}
	for _, s := range sessions {
		rank[s.day]++
		step := min(60*dsl.Second, dsl.Day/(perDay[s.day]+1))
		start := s.day + rank[s.day]*step
		if n := dsl.Instant(len(s.turns)); n > 0 {
			step = min(dsl.Second, step/n)
		}
		for i := range s.turns {
			t := &s.turns[i]
			t.turn.TS = start + dsl.Instant(i)*step
			if err := t.turn.Validate(); err != nil {
				return Persona{}, &DataError{File: s.file, Offset: s.at.offset, Record: c.record, Key: s.at.key, Err: err, Want: wantSession}
			}
			v.Turns = append(v.Turns, t.turn)
		}
		changes, err := s.changes()
		if err != nil {
			return Persona{}, &DataError{File: s.file, Offset: s.at.offset, Record: c.record, Key: s.at.key + "/operation_details", Err: err, Want: wantDetails}
		}
		v.Changes = append(v.Changes, changes...)
	}
	v.Changes = fillOld(v.Changes)
	return v, nil
}

// memoraObject reads one session or one persona's questions.
func (c *cursor) memoraObject() (*memoraFile, place, error) {
	o := outline{start: c.here()} // of an object without a key
	f := &memoraFile{}
	s := &rawDay{id: -1, file: c.file}
	var hasDay, hasTurns bool
	err := c.object(wantMemora, func(key string) (err error) {
		o.enter(c)
		switch key {
		case "persona":
			f.persona, err = c.str("the persona's name")
		case "session_id":
			s.id, err = c.count("a session's number")
		case "date":
			s.day, err = c.day()
			hasDay = true
		case "operation_details":
			err = c.details(&s.details)
		case "operation":
			s.details.operation, err = c.scalar("add, update, delete or null")
		case "session_type":
			s.details.kind, err = c.scalar("the session's type, a string")
		case "conversation":
			hasTurns = true
			turns := c.here()
			err = c.array("an array of turns", func() error { return c.memoraTurn(s, turns) })
		case "questions":
			f.isAsked = true
			err = c.personaQuestions(f)
		default:
			err = o.other(c, key)
		}
		return err
	})
	if err != nil {
		return nil, o.start, err
	}
	if f.isAsked && !hasTurns {
		return f, o.start, nil
	}
	missing := ""
	switch {
	case !hasTurns:
		missing = "no conversation"
	case s.id < 0:
		missing = "no session_id"
	case !hasDay:
		missing = "no date"
	}
	if missing != "" {
		return nil, o.start, o.lacks(c, wantSession, missing)
	}
	slices.SortFunc(s.turns, func(a, b numberedTurn) int { return cmp.Compare(a.n, b.n) })
	for i := range s.turns {
		if i > 0 && s.turns[i].n == s.turns[i-1].n {
			return nil, o.start, c.bad(o.start, "a number of its own for every turn of a session", "turn %d of session %d comes twice", s.turns[i].n, s.id)
		}
		t := &s.turns[i].turn
		t.Session = strconv.Itoa(s.id)
		t.ID = fmt.Sprintf("%d:%d", s.id, s.turns[i].n)
	}
	s.at = o.start
	f.session = s
	return f, o.start, nil
}

// count reads a whole number that is not negative, also one that is spelled as
// a string.
func (c *cursor) count(want string) (int, error) {
	at := c.here()
	s, err := c.scalar(want)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > maxMemoraTurn {
		return 0, c.bad(at, want, "%q is not a number from 0 to %d", shorten(s), maxMemoraTurn)
	}
	return n, nil
}

// day reads a date as its first instant, UTC.
func (c *cursor) day() (dsl.Instant, error) {
	at := c.here()
	s, err := c.str(wantDay)
	if err != nil {
		return 0, err
	}
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || !dsl.FromTime(t).Finite() {
		return 0, c.bad(at, wantDay, "%q is not a date", shorten(s))
	}
	return dsl.FromTime(t), nil
}

// memoraTurn reads one utterance of the array; its session is known only later.
func (c *cursor) memoraTurn(s *rawDay, turns place) error {
	const want = "a turn: an object with turn, speaker and message"
	t := numberedTurn{n: -1}
	hasText := false
	var text string
	err := c.object(want, func(key string) (err error) {
		switch key {
		case "turn":
			t.n, err = c.count("a turn's number")
		case "speaker":
			var name string
			name, err = c.str("the speaker's name")
			t.turn.Speaker = dsl.Plain(strings.TrimSpace(name))
		case "message":
			hasText = true
			text, err = c.str("what was said, a string")
		case "share_memory":
			var b string
			b, err = c.scalar("true or false")
			t.shared = b == "true"
		default:
			err = c.skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	at := c.within(turns, len(s.turns))
	switch {
	case t.n < 0:
		return c.bad(at, want, "turn %d of the session has no number", len(s.turns))
	case !hasText:
		return c.bad(at, want, "turn %d has no message", t.n)
	}
	switch t.turn.Speaker.String() {
	case "user_agent":
		t.turn.Listener = dsl.Plain("ai_agent")
	case "ai_agent":
		t.turn.Listener = dsl.Plain("user_agent")
	}
	t.turn.Text = dsl.Plain(text)
	// The id is filled in with the session; all else is checked here, where the
	// place is known.
	t.turn.ID = "0"
	if err := t.turn.Validate(); err != nil {
		return c.bad(at, want, "%v", err)
	}
	s.turns = append(s.turns, t)
	return nil
}
