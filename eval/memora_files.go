package eval

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
)

// read reads a tar or a stream of JSON objects, whichever it is.
func (m *memoraReader) read(r io.Reader, name string) error {
	b := bufio.NewReaderSize(r, 4096)
	head, _ := b.Peek(blockSize)
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) == blockSize && (len(text) == 0 || text[0] != '{' && text[0] != '[') {
		return m.archive(b, name)
	}
	c := newCursor(b, name, m.max)
	if err := m.objects(c); err != nil {
		return err
	}
	if len(m.seen) == 0 {
		return c.bad(place{}, wantMemora, "there is no session in it")
	}
	return m.flush(c)
}

// objects reads the objects of a JSON array, or one after another.
func (m *memoraReader) objects(c *cursor) error {
	one := func() error {
		c.limit.left = c.limit.max
		f, at, err := c.memoraObject()
		if err != nil {
			return err
		}
		return m.file(c, f, at)
	}
	return c.records(wantMemora, one)
}

// blockSize is that of a tar.
const blockSize = 512

// blocks remembers whether the last whole block read was empty: a tar ends with
// two such blocks, so one that was cut between two files shows.
type blocks struct {
	r    io.Reader
	n    int64
	used bool // something but zeros in the block under way
	last bool // the last whole block was empty
}

func (b *blocks) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	for _, x := range p[:n] {
		b.used = b.used || x != 0
		if b.n++; b.n%blockSize == 0 {
			b.last, b.used = !b.used, false
		}
	}
	return n, err
}

// archive reads the files of a tar.
func (m *memoraReader) archive(r io.Reader, name string) error {
	b := &blocks{r: r}
	t := tar.NewReader(b)
	var c *cursor
	record := func() int {
		if c == nil {
			return 0
		}
		return c.record
	}
	fail := func(err error, in string) error {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w: the tar ends in the middle of a file: %w", dsl.ErrInvalid, err)
		} else if errors.Is(err, tar.ErrHeader) {
			err = fmt.Errorf("%w: neither JSON nor a tar: %w", dsl.ErrInvalid, err)
		}
		return &DataError{File: in, Offset: b.n, Record: record(), Err: err, Want: wantMemora}
	}
	last := name
	for {
		h, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fail(err, last)
		}
		last = name + ": " + h.Name
		base := path.Base(h.Name)
		if h.Typeflag != tar.TypeReg || !strings.HasSuffix(base, ".json") || strings.HasPrefix(base, ".") {
			continue
		}
		next := newCursor(t, last, m.max)
		next.record = record()
		c = next
		if err := m.packed(c, path.Base(path.Dir(h.Name)) == "conversations"); err != nil {
			return err
		}
	}
	if !b.last {
		return fail(fmt.Errorf("%w: the tar lacks its end: it was cut after this file", dsl.ErrInvalid), last)
	}
	if len(m.seen) == 0 {
		return fail(fmt.Errorf("%w: there is no session in it", dsl.ErrInvalid), name)
	}
	return m.flush(c)
}

// packed reads one file of a tar. One that has to be no session may be
// something else, which is passed over.
func (m *memoraReader) packed(c *cursor, isSession bool) error {
	if !isSession && c.dec.PeekKind() != '{' {
		return c.skip()
	}
	f, at, err := c.memoraObject()
	var fault *DataError
	if !isSession && errors.As(err, &fault) && fault.Want == wantSession && fault.Key == at.key {
		return nil // an object, but neither session nor questions
	}
	if err != nil {
		return err
	}
	if err := m.file(c, f, at); err != nil {
		return err
	}
	end, err := c.end()
	if err == nil && !end {
		err = c.bad(c.here(), "one object a file", "there is more after it")
	}
	return err
}

// personaQuestions reads the member "questions": lists of questions by kind.
func (c *cursor) personaQuestions(f *memoraFile) error {
	return c.object("an object with remembering, reasoning, recommending", func(kind string) error {
		return c.array("an array of questions", func() error {
			q := PersonaQuestion{Kind: kind}
			err := c.personaQuestion(&q)
			f.questions = append(f.questions, q)
			return err
		})
	})
}

func (c *cursor) personaQuestion(q *PersonaQuestion) error {
	const want = "a question: an object with question_id, question and evaluation"
	at := c.here()
	err := c.object(want, func(key string) (err error) {
		switch key {
		case "question_id":
			q.ID, err = c.scalar("the question's id")
		case "question":
			q.Text, err = c.str("the question, a string")
		case "question_date":
			q.Date, err = c.day()
		case "memory_evidence":
			err = c.sessionsWithin(&q.Evidence, 0)
		case "forgetting_evidence":
			err = c.forgotten(q)
		case "evaluation":
			err = c.checks(q)
		default:
			err = c.skip()
		}
		return err
	})
	if err == nil && q.Text == "" {
		err = c.bad(at, want, "the question has no text")
	}
	return err
}

// maxDepth bounds how deep evidence may nest.
const maxDepth = 32

// sessionsWithin gathers every session_id inside a value, each once.
func (c *cursor) sessionsWithin(ids *[]string, depth int) error {
	if depth > maxDepth {
		return c.bad(c.here(), "evidence", "it is nested more than %d deep", maxDepth)
	}
	switch c.dec.PeekKind() {
	case '{':
		return c.object("evidence", func(key string) error {
			if key != "session_id" {
				return c.sessionsWithin(ids, depth+1)
			}
			list, err := c.scalars("a session's number")
			for _, id := range list {
				if !slices.Contains(*ids, id) {
					*ids = append(*ids, id)
				}
			}
			return err
		})
	case '[':
		return c.array("evidence", func() error { return c.sessionsWithin(ids, depth+1) })
	}
	return c.skip()
}

func (c *cursor) forgotten(q *PersonaQuestion) error {
	return c.object("an object with forgotten_items", func(key string) error {
		if key != "forgotten_items" {
			return c.skip()
		}
		return c.array("an array of values", func() error {
			var v ForgottenValue
			err := c.object("a value: an object with value and session_id", func(key string) (err error) {
				switch key {
				case "value":
					v.Text, err = c.scalar("the value: a string or a number")
				case "session_id":
					v.Session, err = c.scalar("a session's number")
				default:
					err = c.skip()
				}
				return err
			})
			q.Forgotten = append(q.Forgotten, v)
			return err
		})
	})
}

func (c *cursor) checks(q *PersonaQuestion) error {
	return c.object("an object with evaluation_questions", func(key string) error {
		if key != "evaluation_questions" {
			return c.skip()
		}
		return c.array("an array of checks", func() error {
			var k MemoryCheck
			at := c.here()
			known := false
			err := c.object("a check: an object with evaluation_question and evaluation_type", func(key string) (err error) {
				switch key {
				case "evaluation_question_id":
					k.ID, err = c.scalar("the check's id")
				case "evaluation_question":
					k.Text, err = c.str("the check, a string")
				case "evaluation_type":
					var kind string
					kind, err = c.str("memory_presence or forgetting_absence")
					k.Present = kind == "memory_presence"
					known = k.Present || kind == "forgetting_absence"
				default:
					err = c.skip()
				}
				return err
			})
			if err == nil && !known {
				err = c.bad(at, "an evaluation_type: memory_presence or forgetting_absence", "the check has another or none")
			}
			q.Checks = append(q.Checks, k)
			return err
		})
	})
}
