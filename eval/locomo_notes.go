package eval

import (
	"strconv"
	"strings"
)

// notesBySession walks an object of sessions, each an object of speakers; key
// gives a session's number between prefix and suffix, and what else the objects
// hold is passed over.
func (c *cursor) notesBySession(prefix, suffix string, each func(session int, speaker string) error) error {
	if c.dec.PeekKind() == 'n' {
		return c.skip()
	}
	return c.object("an object of "+prefix+"1"+suffix+", …", func(key string) error {
		number, ok := strings.CutPrefix(key, prefix)
		number, end := strings.CutSuffix(number, suffix)
		n, err := strconv.Atoi(number)
		if !ok || !end || err != nil || c.dec.PeekKind() != '{' {
			return c.skip()
		}
		return c.object("an object of speakers", func(speaker string) error {
			if c.dec.PeekKind() != '[' {
				return c.skip() // a date
			}
			return each(n, speaker)
		})
	})
}

// observations reads the member "observation": pairs of a statement and the
// turns it rests on.
func (c *cursor) observations(raw *rawConversation) error {
	return c.notesBySession("session_", "_observation", func(session int, speaker string) error {
		return c.array("an array of observations", func() error {
			if c.dec.PeekKind() != '[' {
				return c.skip()
			}
			o := Observation{Session: session, Speaker: speaker}
			i := 0
			err := c.array("an observation: a statement and its turns", func() (err error) {
				switch i++; i {
				case 1:
					o.Text, err = c.scalar("a statement")
				case 2:
					o.Turns, err = c.scalars("turn ids")
				default:
					err = c.skip()
				}
				return err
			})
			raw.observations = append(raw.observations, o)
			return err
		})
	})
}

// happenings reads the member "event_summary".
func (c *cursor) happenings(raw *rawConversation) error {
	return c.notesBySession("events_session_", "", func(session int, speaker string) error {
		return c.array("an array of events", func() error {
			if k := c.dec.PeekKind(); k == '{' || k == '[' {
				return c.skip()
			}
			text, err := c.scalar("an event, a string")
			raw.happenings = append(raw.happenings, Happening{session, speaker, text})
			return err
		})
	})
}
