package eval

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/asof-db/asof/dsl"
)

// Conversation is one conversation of a data set with the questions asked
// about it.
type Conversation struct {
	// Space names the memory that it belongs in: LoCoMo's sample_id.
	Space string
	// Turns are in the order they are to be ingested in.
	Turns []dsl.Turn
	// Questions are in file order, all categories.
	Questions []Question
	// Observations and Happenings are what annotators noted of each session, in
	// file order; a test set may have neither.
	Observations []Observation
	Happenings   []Happening
}

// Observation is a statement that annotators drew from turns.
type Observation struct {
	// Session is the number of the session, Speaker whom it is about.
	Session       int
	Speaker, Text string
	// Turns are those that it rests on, as far as they name turns.
	Turns []string
}

// Happening is an event of a speaker's life in a session (event_summary).
type Happening struct {
	Session       int
	Speaker, Text string
}

// Question is one question of a data set.
type Question struct {
	// Index is its place in the conversation's question list, from 0, all
	// categories counted.
	Index int
	// Text is the question.
	Text string
	// Category is the data set's number for its kind. LoCoMo: 1 multi-hop,
	// 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial.
	Category int
	// Gold are the right answers as text, numbers as the file spells them;
	// mostly one, none where the file has none.
	Gold []string
	// Adversarial is the wrong answer that a question of category 5 invites.
	Adversarial string
	// Evidence are the ids of the turns that hold the answer, each once, all of
	// them turns of the conversation.
	Evidence []string
	// Repaired counts the evidence strings that had to be read leniently to
	// yield all they name.
	Repaired int
	// Dropped is what named no turn.
	Dropped []DroppedEvidence
}

// DroppedEvidence is a piece of an evidence string that named no turn.
type DroppedEvidence struct {
	// Text is the piece as the file spells it.
	Text string
	// Reason says why it was dropped.
	Reason string
}

const (
	// maxConversation bounds the JSON text of one conversation, in bytes; the
	// official ones have some 300 kB.
	maxConversation = 256 << 20
	// maxSession bounds the number in "session_N".
	maxSession = 1_000_000
	// sessionDate is how LoCoMo writes the start of a session.
	sessionDate = "3:04 pm on 2 January 2006"
	wantDate    = `a time like "1:56 pm on 8 May, 2023"`
)

// ReadLoCoMo streams the conversations of a LoCoMo file: a JSON array of them,
// or one object after another (JSONL). One conversation is in memory at a time.
// After an error there is nothing more; it is a *DataError with file, place and
// what was expected. The sequence can be walked once, as r can.
//
// Sessions come in the order of their numbers, whatever their dates: a later
// number may have an earlier date, and what arrives late is recorded late. Turn
// i of a session has the session's time plus i seconds; in a session of more
// than 60 turns the step is one minute divided by their number, because session
// times are whole minutes and no turn may reach the next one. Times are UTC, as
// the data set names no zone.
//
// An image's caption (blip_caption) becomes an attachment. The data set's
// "query" (the words that the image was searched by) and "img_url" were never
// seen by the speakers and are not read, nor are its summaries of sessions. Its
// observations and events are for measuring only.
func ReadLoCoMo(r io.Reader, name string) iter.Seq2[Conversation, error] {
	return readLoCoMo(r, name, maxConversation)
}

func readLoCoMo(r io.Reader, name string, max int64) iter.Seq2[Conversation, error] {
	return recordFormat[Conversation]{want: wantFile, key: "sample_id", own: "a sample_id of its own for every conversation",
		read: (*cursor).conversation, space: func(v *Conversation) string { return v.Space }}.stream(r, name, max)
}

const wantFile = "a LoCoMo file: a JSON array, or JSONL, of objects with sample_id, conversation and qa"

// records reads a file that is a JSON array, or one value after another: each
// with one. want says what the file should hold.
func (c *cursor) records(want string, one func() error) error {
	if c.dec.PeekKind() != '[' {
		for {
			if err := one(); err != nil {
				return err
			}
			if end, err := c.end(); end || err != nil {
				return err
			}
		}
	}
	if err := c.array(want, one); err != nil {
		return err
	}
	end, err := c.end()
	if err == nil && !end {
		err = c.bad(c.here(), "the end of the file", "there is more after the array")
	}
	return err
}

// end tells whether nothing but space is left.
func (c *cursor) end() (bool, error) {
	if c.dec.PeekKind() != 0 {
		return false, nil
	}
	_, err := c.dec.ReadToken()
	if err == io.EOF {
		return true, nil
	}
	return false, c.failed(err, "another conversation or the end of the file")
}

// rawConversation is a conversation as its file orders it.
type rawConversation struct {
	space     string
	speakers  [2]string
	sessions  map[int]*rawSession
	questions []rawQuestion
	// observations have their turns as raw evidence strings.
	observations []Observation
	happenings   []Happening
}

type rawSession struct {
	turns  []dsl.Turn // without listener and time
	at     place
	date   string
	dateAt place
}

type rawQuestion struct {
	Question
	raw []string // the evidence strings
}

// conversation reads one conversation. The questions come before the turns that
// their evidence names, so what refers to something is resolved at the end.
func (c *cursor) conversation() (Conversation, error) {
	raw := rawConversation{sessions: map[int]*rawSession{}}
	var o outline
	err := c.object(wantFile, func(key string) (err error) {
		o.enter(c)
		switch key {
		case "sample_id":
			raw.space, err = c.spaceName("the conversation's id, a string")
		case "conversation":
			err = c.sessions(&raw)
		case "observation":
			err = c.observations(&raw)
		case "event_summary":
			err = c.happenings(&raw)
		case "qa":
			at := c.here()
			err = c.array("an array of questions", func() error { return c.question(&raw, at) })
		default:
			err = o.other(c, key)
		}
		return err
	})
	if err != nil {
		return Conversation{}, err
	}
	missing := ""
	switch {
	case raw.space == "":
		missing = "no sample_id"
	case len(raw.sessions) == 0:
		missing = "no conversation with a session in it"
	}
	if missing != "" {
		return Conversation{}, o.lacks(c, wantFile, missing)
	}
	return c.resolve(&raw)
}

func shorten(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// sessions reads the member "conversation".
func (c *cursor) sessions(raw *rawConversation) error {
	session := func(n int) *rawSession {
		if raw.sessions[n] == nil {
			raw.sessions[n] = &rawSession{}
		}
		return raw.sessions[n]
	}
	err := c.object("an object with speaker_a, speaker_b, session_1_date_time, session_1, …", func(key string) (err error) {
		if key == "speaker_a" || key == "speaker_b" {
			name, err := c.str("a speaker's name")
			raw.speakers[key[len(key)-1]-'a'] = strings.TrimSpace(name)
			return err
		}
		number, isSession := strings.CutPrefix(key, "session_")
		number, isDate := strings.CutSuffix(number, "_date_time")
		n, err := strconv.Atoi(number)
		switch {
		case !isSession || err != nil:
			return c.skip() // nothing that was said, such as a summary
		case strconv.Itoa(n) != number || n < 0 || n > maxSession:
			return c.bad(c.here(), "session_1, session_2, …", "%q is not how a session is named", shorten(key))
		}
		s := session(n)
		switch null := c.dec.PeekKind() == 'n'; {
		case null:
			err = c.skip()
		case isDate:
			s.dateAt = c.here()
			s.date, err = c.str(wantDate)
		default:
			s.at = c.here()
			err = c.array("an array of turns", func() error { return c.turn(s, key) })
		}
		return err
	})
	// Some files date sessions that they do not have.
	for n, s := range raw.sessions {
		if len(s.turns) == 0 {
			delete(raw.sessions, n)
		}
	}
	return err
}

// turn reads one utterance of a session.
func (c *cursor) turn(s *rawSession, session string) error {
	t := dsl.Turn{Session: session}
	var text, caption string
	var hasText bool
	err := c.object("a turn: an object with speaker, dia_id and text", func(key string) (err error) {
		switch key {
		case "dia_id":
			t.ID, err = c.str(`a turn id like "D1:3"`)
		case "speaker":
			var name string
			name, err = c.str("the speaker's name")
			t.Speaker = dsl.Plain(strings.TrimSpace(name))
		case "text":
			hasText = true
			text, err = c.str("what was said, a string")
		case "blip_caption":
			caption, err = c.scalar("the image's caption, a string")
		default:
			err = c.skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	at := c.within(s.at, len(s.turns))
	if caption != "" {
		t.Attachments = []dsl.Attachment{{Kind: "image", Text: dsl.Plain(caption)}}
	}
	if !hasText && caption == "" {
		return c.bad(at, "a turn: an object with speaker, dia_id and text", "the turn has no text")
	}
	t.Text = dsl.Plain(text)
	if err := t.Validate(); err != nil {
		return c.bad(at, "a turn: an object with speaker, dia_id and text", "%v", err)
	}
	s.turns = append(s.turns, t)
	return nil
}

// question reads one question; its evidence waits for the turns.
func (c *cursor) question(raw *rawConversation, at place) error {
	const want = "a question: an object with question, category (1 to 5), answer and evidence"
	q := rawQuestion{Question: Question{Index: len(raw.questions)}}
	err := c.object(want, func(key string) (err error) {
		switch key {
		case "question":
			q.Text, err = c.str("the question, a string")
		case "category":
			var s string
			s, err = c.scalar("a category, 1 to 5")
			q.Category, _ = strconv.Atoi(s)
		case "answer":
			q.Gold, err = c.scalars("an answer: a string or a number")
		case "adversarial_answer":
			q.Adversarial, err = c.scalar("an answer: a string or a number")
		case "evidence":
			q.raw, err = c.scalars("an array of turn ids")
		default:
			err = c.skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	at = c.within(at, q.Index)
	if q.Text == "" {
		return c.bad(at, want, "the question has no text")
	}
	if err := dsl.CheckText("question", q.Text); err != nil {
		return c.bad(at, want, "%v", err)
	}
	if q.Category < 1 || q.Category > 5 {
		return c.bad(at, want, "the category is missing or not 1 to 5")
	}
	raw.questions = append(raw.questions, q)
	return nil
}

// resolve orders the sessions, dates and addresses the turns and looks up the
// evidence.
func (c *cursor) resolve(raw *rawConversation) (Conversation, error) {
	v := Conversation{Space: raw.space}
	var numbers []int
	total := 0
	for n, s := range raw.sessions {
		numbers = append(numbers, n)
		total += len(s.turns)
	}
	slices.Sort(numbers)
	v.Turns = make([]dsl.Turn, 0, total)
	ids := make(map[string]bool, total)
	for _, n := range numbers {
		s := raw.sessions[n]
		if s.date == "" {
			return Conversation{}, c.bad(s.at, fmt.Sprintf("session_%d_date_time, %s", n, wantDate), "session_%d has turns but no date", n)
		}
		start, err := parseSessionDate(s.date)
		if err != nil {
			return Conversation{}, c.bad(s.dateAt, wantDate, "%v", err)
		}
		step := dsl.Second
		if n := dsl.Instant(len(s.turns)); n > 60 {
			step = 60 * dsl.Second / n
		}
		for i, t := range s.turns {
			if ids[t.ID] {
				at := s.at
				at.key += "/" + strconv.Itoa(i)
				return Conversation{}, c.bad(at, "a dia_id of its own for every turn", "the turn id %q was there before", t.ID)
			}
			ids[t.ID] = true
			t.TS = start + dsl.Instant(i)*step
			t.Listener = dsl.Plain(listener(raw.speakers, t.Speaker.String()))
			if err := t.Validate(); err != nil {
				return Conversation{}, c.bad(s.at, "speaker_a and speaker_b, the names of two people", "%v", err)
			}
			v.Turns = append(v.Turns, t)
		}
	}
	for _, q := range raw.questions {
		q.resolveEvidence(q.raw, ids)
		v.Questions = append(v.Questions, q.Question)
	}
	for _, o := range raw.observations {
		var q Question
		q.resolveEvidence(o.Turns, ids)
		o.Turns = q.Evidence
		v.Observations = append(v.Observations, o)
	}
	v.Happenings = raw.happenings
	return v, nil
}

// within is the place of element i, just read, of an array.
func (c *cursor) within(array place, i int) place {
	return place{c.here().offset, array.key + "/" + strconv.Itoa(i)}
}

// listener gives the other of two speakers; nobody when the speaker is neither.
func listener(speakers [2]string, speaker string) string {
	switch speaker {
	case speakers[0]:
		return speakers[1]
	case speakers[1]:
		return speakers[0]
	}
	return ""
}

// parseSessionDate reads LoCoMo's way of writing a time, as UTC. Case, commas
// and the amount of space do not matter.
func parseSessionDate(s string) (dsl.Instant, error) {
	clean := strings.Join(strings.Fields(strings.ReplaceAll(strings.ToLower(s), ",", " ")), " ")
	t, err := time.Parse(sessionDate, clean)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time that can be read", shorten(s))
	}
	at := dsl.FromTime(t)
	if !at.Finite() {
		return 0, fmt.Errorf("%q is outside years 1 to 9999", shorten(s))
	}
	return at, nil
}
