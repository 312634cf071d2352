package eval

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/asof-db/asof/dsl"
)

// Trajectory is one trajectory of MemDaily: what a user told an assistant on
// some days, and the questions asked about it.
type Trajectory struct {
	// Space names the memory that it belongs in: the trajectory's id.
	Space string
	// Kind is the group of the data set that it belongs to, such as
	// "01_simple_events": the id without the number.
	Kind string
	// Turns are in the order they are to be ingested in, that of the file. A turn's
	// id is the message's number (mid), its session that of the first message of a
	// run without a pause of more than half an hour.
	Turns []dsl.Turn
	// Questions are in file order.
	Questions []TrajectoryQuestion
}

// TrajectoryQuestion is one question about a trajectory.
type TrajectoryQuestion struct {
	// Index is its place in the list, from 0.
	Index int
	// Text is the question, Asked when it is asked.
	Text  string
	Asked dsl.Instant
	// Gold is the right answer as text, HasGold whether there is one: some
	// questions of the data set were never written ("[ERRORQ]") and have null.
	Gold    string
	HasGold bool
	// Choices are the answers to choose from by letter, Choice the right letter.
	Choices map[string]string
	Choice  string
	// Evidence are the ids of the messages that hold the answer, each once;
	// Dropped are those that the trajectory does not have.
	Evidence []string
	Dropped  []DroppedEvidence
}

const (
	wantMemDaily     = "a MemDaily file: JSONL, or a JSON array, of objects with id, message_list and question_list"
	wantMessage      = "a message: an object with mid, message and time"
	wantMessageTime  = `a time like "2024年04月01日 周一 08:33"`
	wantDailyAsk     = "a question: an object with question, target_step_id and time"
	messageTime      = "2006年01月02日 15:04"
	trajectorySpeaks = "user"
	trajectoryHears  = "assistant"
)

// ReadMemDaily streams the trajectories of a MemDaily file: one object after
// another (JSONL), or a JSON array of them. One trajectory is in memory at a
// time. After an error there is nothing more; it is a *DataError with file,
// place and what was expected. The sequence can be walked once, as r can.
//
// Messages come in the order of the file, which is that of their numbers and not
// always that of their times: what arrives late is recorded late. The user
// speaks. The data set has no sessions; a pause of more than half an hour ends
// one, as is usual where nothing else does, and most messages stand alone. The
// place of a message, the same throughout a trajectory, is not said by anybody
// and is not read. Times are UTC, as the data set names no zone.
func ReadMemDaily(r io.Reader, name string) iter.Seq2[Trajectory, error] {
	return readMemDaily(r, name, maxConversation)
}

func readMemDaily(r io.Reader, name string, max int64) iter.Seq2[Trajectory, error] {
	return recordFormat[Trajectory]{want: wantMemDaily, key: "id", own: "an id of its own for every trajectory",
		read: (*cursor).trajectory, space: func(v *Trajectory) string { return v.Space }}.stream(r, name, max)
}

// trajectory reads one trajectory.
func (c *cursor) trajectory() (Trajectory, error) {
	var v Trajectory
	var o outline
	var targets [][]string // by question; they may come before the messages do
	hasMessages, hasQuestions := false, false
	err := c.object(wantMemDaily, func(key string) (err error) {
		o.enter(c)
		switch key {
		case "id":
			v.Space, err = c.spaceName("the trajectory's id, a string")
		case "message_list":
			hasMessages = true
			at := c.here()
			err = c.array("an array of messages", func() error { return c.message(&v, at) })
		case "question_list":
			hasQuestions = true
			at := c.here()
			err = c.array("an array of questions", func() error {
				t, err := c.dailyQuestion(&v, at)
				targets = append(targets, t)
				return err
			})
		default:
			err = o.other(c, key)
		}
		return err
	})
	if err != nil {
		return Trajectory{}, err
	}
	missing := ""
	switch {
	case v.Space == "":
		missing = "no id"
	case !hasMessages || len(v.Turns) == 0:
		missing = "no message in message_list"
	case !hasQuestions:
		missing = "no question_list"
	}
	if missing != "" {
		return Trajectory{}, o.lacks(c, wantMemDaily, missing)
	}
	v.Kind = v.Space
	if i := strings.LastIndexByte(v.Space, '/'); i > 0 {
		v.Kind = v.Space[:i]
	}
	held := map[string]bool{}
	for _, t := range v.Turns {
		held[t.ID] = true
	}
	for i, ids := range targets {
		q := &v.Questions[i]
		for _, id := range ids {
			switch {
			case !held[id]:
				q.Dropped = append(q.Dropped, DroppedEvidence{id, reasonNoMessage})
			case !slices.Contains(q.Evidence, id):
				q.Evidence = append(q.Evidence, id)
			}
		}
	}
	return v, nil
}

// message reads one message.
func (c *cursor) message(v *Trajectory, at place) error {
	t := dsl.Turn{Speaker: dsl.Plain(trajectorySpeaks), Listener: dsl.Plain(trajectoryHears)}
	hasText := false
	var text, when string
	err := c.object(wantMessage, func(key string) (err error) {
		switch key {
		case "mid":
			t.ID, err = c.scalar("the message's number")
		case "message":
			hasText = true
			text, err = c.str("what was said, a string")
		case "time":
			when, err = c.str(wantMessageTime)
		default:
			err = c.skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	at = c.within(at, len(v.Turns))
	switch {
	case t.ID == "":
		return c.bad(at, wantMessage, "the message has no mid")
	case !hasText:
		return c.bad(at, wantMessage, "the message has no text")
	case slices.ContainsFunc(v.Turns, func(u dsl.Turn) bool { return u.ID == t.ID }):
		return c.bad(at, "a mid of its own for every message", "the mid %q was there before", shorten(t.ID))
	}
	if t.TS, err = parseMessageTime(when); err != nil {
		at.key += "/time"
		return c.bad(at, wantMessageTime, "%v", err)
	}
	t.Session = t.ID
	if n := len(v.Turns); n > 0 {
		if last := &v.Turns[n-1]; max(t.TS-last.TS, last.TS-t.TS) <= messagePause {
			t.Session = last.Session
		}
	}
	t.Text = dsl.Plain(text)
	if err := t.Validate(); err != nil {
		return c.bad(at, wantMessage, "%v", err)
	}
	v.Turns = append(v.Turns, t)
	return nil
}

// dailyQuestion reads one question; what it is about waits for the messages.
func (c *cursor) dailyQuestion(v *Trajectory, at place) ([]string, error) {
	q := TrajectoryQuestion{Index: len(v.Questions)}
	var targets []string
	var when string
	err := c.object(wantDailyAsk, func(key string) (err error) {
		switch key {
		case "question":
			q.Text, err = c.str("the question, a string")
		case "answer":
			q.HasGold = c.dec.PeekKind() != 'n'
			q.Gold, err = c.answer()
		case "target_step_id":
			targets, err = c.scalars("an array of numbers of messages")
		case "choices":
			err = c.choices(&q)
		case "ground_truth":
			q.Choice, err = c.scalar("the letter of the right choice")
		case "time":
			when, err = c.str(wantMessageTime)
		default:
			err = c.skip()
		}
		return err
	})
	if err != nil {
		return targets, err
	}
	at = c.within(at, q.Index)
	if q.Text == "" {
		return targets, c.bad(at, wantDailyAsk, "the question has no text")
	}
	if err := dsl.CheckText("question", q.Text); err != nil {
		return targets, c.bad(at, wantDailyAsk, "%v", err)
	}
	if q.Asked, err = parseMessageTime(when); err != nil {
		at.key += "/time"
		return targets, c.bad(at, wantMessageTime, "%v", err)
	}
	v.Questions = append(v.Questions, q)
	return targets, nil
}

// choices reads the answers to choose from; a question that was never written
// has a word in their place.
func (c *cursor) choices(q *TrajectoryQuestion) error {
	if c.dec.PeekKind() != '{' {
		return c.skip()
	}
	q.Choices = map[string]string{}
	return c.object("an object of answers by letter", func(letter string) error {
		text, err := c.answer()
		q.Choices[letter] = text
		return err
	})
}

// messagePause is the longest pause within a session.
const messagePause = 30 * 60 * dsl.Second

// parseMessageTime reads MemDaily's way of writing a time, as UTC. The day of the
// week says nothing that the date does not.
func parseMessageTime(s string) (dsl.Instant, error) {
	var kept []string
	for _, w := range strings.Fields(s) {
		if !strings.HasPrefix(w, "周") && !strings.HasPrefix(w, "星期") {
			kept = append(kept, w)
		}
	}
	t, err := time.Parse(messageTime, strings.Join(kept, " "))
	if err != nil {
		return 0, fmt.Errorf("%q is not a time that can be read", shorten(s))
	}
	at := dsl.FromTime(t)
	if !at.Finite() {
		return 0, fmt.Errorf("%q is outside years 1 to 9999", shorten(s))
	}
	return at, nil
}
