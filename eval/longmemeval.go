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

// History is one question of LongMemEval with the chats that it is asked about.
type History struct {
	// Space names the memory that it belongs in: the question_id.
	Space string
	// Turns are in the order they are to be ingested in: by date of the session,
	// of equal dates by occurrence. A turn's id is
	// "<occurrence>:<session id>:<turn index>", its session
	// "<occurrence>:<session id>".
	Turns []dsl.Turn
	// Sessions are in the order of the file, so that the place in this list is the
	// occurrence.
	Sessions []HistorySession
	// Type is the question_type, Text the question, Asked its date.
	Type, Text string
	Asked      dsl.Instant
	// Answer is the right answer as text, a number as the file spells it.
	Answer string
	// Abstention tells that the history holds no answer (question ids that end in
	// "_abs").
	Abstention bool
	// Gold are the occurrences of the sessions that hold the answer, rising, and
	// GoldTurns the turns that the file marks in them. A question of abstention has
	// neither, although the file names sessions that mislead.
	Gold      []int
	GoldTurns []string
	// Dropped are ids of answer sessions that the history does not hold.
	Dropped []DroppedEvidence
}

// HistorySession is one chat of a history.
type HistorySession struct {
	// ID is the data set's session id, which a history may hold more than once.
	ID string
	// Name is "<occurrence>:<session id>", which it holds once.
	Name string
	Date dsl.Instant
	// Turns counts the chat's turns.
	Turns int
}

const (
	wantLongMemEval = "a LongMemEval file: a JSON array, or JSONL, of objects with question_id, question_type, question, question_date, haystack_session_ids, haystack_dates, haystack_sessions and answer_session_ids"
	wantHistoryDate = `a time like "2023/05/20 (Sat) 02:21"`
	wantChat        = "a turn: an object with role and content"
	// historyDate is how LongMemEval writes a time, without the day of the week.
	historyDate = "2006/01/02 15:04"
	// abstentionSuffix ends the ids of questions that have no answer.
	abstentionSuffix = "_abs"
)

// ReadLongMemEval streams the questions of a LongMemEval file, oracle or S: a
// JSON array of them, or one object after another (JSONL). One history is in
// memory at a time. After an error there is nothing more; it is a *DataError
// with file, place and what was expected. The sequence can be walked once, as r
// can.
//
// The file's sessions are in no order of time; some histories hold a session id
// twice, and some sessions, answers among them, are dated after the question.
// All are taken in. Turn i of a session has the session's time plus i seconds;
// in a session of more than 60 turns the step is one minute divided by their
// number, because session times are whole minutes. Times are UTC, as the data
// set names no zone. Oracle and S date the same sessions differently, so they
// are different memories under the same names.
func ReadLongMemEval(r io.Reader, name string) iter.Seq2[History, error] {
	return readLongMemEval(r, name, maxConversation)
}

func readLongMemEval(r io.Reader, name string, max int64) iter.Seq2[History, error] {
	return recordFormat[History]{want: wantLongMemEval, key: "question_id", own: "a question_id of its own for every question",
		read: (*cursor).history, space: func(v *History) string { return v.Space }}.stream(r, name, max)
}

// rawHistory is a question as its file orders it: three parallel lists.
type rawHistory struct {
	History
	outline
	asked                string
	ids, dates, evidence []string
	chats                [][]rawChat
	idsAt, datesAt       place
	chatsAt, askedAt     place
	hasIDs, hasDates     bool
	hasChats, hasAnswers bool
}

type rawChat struct {
	turn   dsl.Turn // without id, session and time
	answer bool
}

// history reads one question; its lists come in any order, so they are put
// together at the end.
func (c *cursor) history() (History, error) {
	var raw rawHistory
	err := c.object(wantLongMemEval, func(key string) (err error) {
		raw.enter(c)
		switch key {
		case "question_id":
			raw.Space, err = c.spaceName("the question's id, a string")
		case "question_type":
			raw.Type, err = c.str("the question's type, a string")
		case "question":
			raw.Text, err = c.str("the question, a string")
		case "answer":
			raw.Answer, err = c.answer()
		case "question_date":
			raw.askedAt = c.here()
			raw.asked, err = c.str(wantHistoryDate)
		case "haystack_session_ids":
			raw.hasIDs, raw.idsAt = true, c.here()
			raw.ids, err = c.scalars("an array of session ids")
		case "haystack_dates":
			raw.hasDates, raw.datesAt = true, c.here()
			raw.dates, err = c.scalars("an array of dates, " + wantHistoryDate)
		case "haystack_sessions":
			raw.hasChats, raw.chatsAt = true, c.here()
			err = c.array("an array of sessions", func() error { return c.chat(&raw) })
		case "answer_session_ids":
			raw.hasAnswers = true
			raw.evidence, err = c.scalars("an array of session ids")
		default:
			err = raw.other(c, key)
		}
		return err
	})
	if err != nil {
		return History{}, err
	}
	missing := ""
	switch {
	case raw.Space == "":
		missing = "no question_id"
	case raw.Text == "":
		missing = "no question"
	case !raw.hasChats || !raw.hasIDs || !raw.hasDates:
		missing = "not all of haystack_session_ids, haystack_dates and haystack_sessions"
	case !raw.hasAnswers:
		missing = "no answer_session_ids"
	case raw.asked == "":
		missing = "no question_date"
	}
	if missing != "" {
		return History{}, raw.lacks(c, wantLongMemEval, missing)
	}
	return c.resolveHistory(&raw)
}

// answer reads an answer, which need not be a string: a number stays as it is
// spelled, a list becomes its parts with commas between them.
func (c *cursor) answer() (string, error) {
	parts, err := c.scalars("an answer: a string, a number or a list of them")
	return strings.Join(parts, ", "), err
}

// chat reads one session.
func (c *cursor) chat(raw *rawHistory) error {
	at := c.within(raw.chatsAt, len(raw.chats))
	var chat []rawChat
	err := c.array("a session: an array of turns", func() error {
		t := rawChat{}
		var role, text string
		hasText := false
		err := c.object(wantChat, func(key string) (err error) {
			switch key {
			case "role":
				role, err = c.str("who spoke: user or assistant")
			case "content":
				hasText = true
				text, err = c.scalar("what was said, a string")
			case "has_answer":
				var b string
				b, err = c.scalar("true or false")
				t.answer = b == "true"
			default:
				err = c.skip()
			}
			return err
		})
		if err != nil {
			return err
		}
		turnAt := c.within(at, len(chat))
		if !hasText {
			return c.bad(turnAt, wantChat, "the turn has no content")
		}
		t.turn.Speaker, t.turn.Text = dsl.Plain(strings.TrimSpace(role)), dsl.Plain(text)
		t.turn.Listener = dsl.Plain(listener([2]string{"user", "assistant"}, t.turn.Speaker.String()))
		// The id is filled in with the session; all else is checked here, where the
		// place is known.
		t.turn.ID = "0"
		if err := t.turn.Validate(); err != nil {
			return c.bad(turnAt, wantChat, "%v", err)
		}
		chat = append(chat, t)
		return nil
	})
	raw.chats = append(raw.chats, chat)
	return err
}

// resolveHistory dates and addresses the turns, orders the sessions by time and
// looks up the evidence.
func (c *cursor) resolveHistory(raw *rawHistory) (History, error) {
	v := raw.History
	v.Abstention = strings.HasSuffix(v.Space, abstentionSuffix)
	for _, list := range []struct {
		name string
		n    int
		at   place
	}{{"haystack_session_ids", len(raw.ids), raw.idsAt}, {"haystack_dates", len(raw.dates), raw.datesAt}} {
		if list.n != len(raw.chats) {
			return History{}, c.bad(list.at, "one for every session", "%s has %d elements, haystack_sessions %d", list.name, list.n, len(raw.chats))
		}
	}
	if len(raw.chats) == 0 {
		return History{}, c.bad(raw.chatsAt, "at least one session", "there is no session")
	}
	var err error
	if v.Asked, err = parseHistoryDate(raw.asked); err != nil {
		return History{}, c.bad(raw.askedAt, wantHistoryDate, "%v", err)
	}
	order := make([]int, len(raw.chats))
	held := map[string]bool{}
	for i := range raw.chats {
		s := HistorySession{ID: raw.ids[i], Name: strconv.Itoa(i) + ":" + raw.ids[i], Turns: len(raw.chats[i])}
		if s.Date, err = parseHistoryDate(raw.dates[i]); err != nil {
			at := raw.datesAt
			at.key += "/" + strconv.Itoa(i)
			return History{}, c.bad(at, wantHistoryDate, "%v", err)
		}
		v.Sessions = append(v.Sessions, s)
		order[i] = i
		held[s.ID] = true
		if !v.Abstention && slices.Contains(raw.evidence, s.ID) {
			v.Gold = append(v.Gold, i)
		}
	}
	for _, id := range raw.evidence {
		if !held[id] {
			v.Dropped = append(v.Dropped, DroppedEvidence{id, reasonNoSession})
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v.Sessions[a].Date, v.Sessions[b].Date) })
	for _, i := range order {
		if err := c.resolveChat(raw, &v, i); err != nil {
			return History{}, err
		}
	}
	return v, nil
}

// resolveChat gives the turns of session i their ids and times.
func (c *cursor) resolveChat(raw *rawHistory, v *History, i int) error {
	s, chat := &v.Sessions[i], raw.chats[i]
	step := dsl.Second
	if n := dsl.Instant(len(chat)); n > 60 {
		step = 60 * dsl.Second / n
	}
	for j := range chat {
		t := chat[j].turn
		t.ID, t.Session, t.TS = fmt.Sprintf("%s:%d", s.Name, j), s.Name, s.Date+dsl.Instant(j)*step
		if err := t.Validate(); err != nil {
			at := raw.idsAt
			at.key += "/" + strconv.Itoa(i)
			return c.bad(at, "a session id that can be part of a turn's id", "%v", err)
		}
		if chat[j].answer && slices.Contains(v.Gold, i) {
			v.GoldTurns = append(v.GoldTurns, t.ID)
		}
		v.Turns = append(v.Turns, t)
	}
	return nil
}

// parseHistoryDate reads LongMemEval's way of writing a time, as UTC. The day of
// the week says nothing that the date does not.
func parseHistoryDate(s string) (dsl.Instant, error) {
	clean := s
	if from, to := strings.IndexByte(s, '('), strings.IndexByte(s, ')'); from >= 0 && to > from {
		clean = s[:from] + s[to+1:]
	}
	t, err := time.Parse(historyDate, strings.Join(strings.Fields(clean), " "))
	if err != nil {
		return 0, fmt.Errorf("%q is not a time that can be read", shorten(s))
	}
	at := dsl.FromTime(t)
	if !at.Finite() {
		return 0, fmt.Errorf("%q is outside years 1 to 9999", shorten(s))
	}
	return at, nil
}
