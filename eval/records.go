package eval

import (
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/asof-db/asof/dsl"
)

// errStopped ends the walk when the consumer wants no more.
var errStopped = errors.New("stopped by the consumer")

// recordFormat is what the files of a data set have in common: a JSON array of
// records, or one after another (JSONL), each a memory of its own.
type recordFormat[T any] struct {
	// want says what the file should hold.
	want string
	// key is that of a record's id, which names its space; own says that every
	// record should have another.
	key, own string
	read     func(*cursor) (T, error)
	space    func(*T) string
}

// stream walks the records of a file, one in memory at a time. A record longer
// than max bytes is refused, and so is an id that was there before.
func (f recordFormat[T]) stream(r io.Reader, name string, max int64) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		c := newCursor(r, name, max)
		spaces := map[string]bool{}
		err := c.records(f.want, func() error {
			c.limit.left = c.limit.max
			v, err := f.read(c)
			if err != nil {
				return err
			}
			space := f.space(&v)
			if spaces[space] {
				return c.bad(c.here(), f.own, "%s %q was there before", f.key, space)
			}
			spaces[space] = true
			if !yield(v, nil) {
				return errStopped
			}
			c.record++
			return nil
		})
		if err != nil && err != errStopped {
			var none T
			yield(none, err)
		}
	}
}

// outline is what is known of a record's object whatever its members: where it
// starts, and the first of those that no one asked for, which tell a file of
// another kind.
type outline struct {
	start   place
	started bool
	others  []string
}

// enter notes where the record starts; it is called at each of its keys, for only
// inside it does the decoder say where the object is.
func (o *outline) enter(c *cursor) {
	if !o.started {
		o.started, o.start = true, c.here()
		o.start.key = o.start.key[:strings.LastIndexByte(o.start.key, '/')]
	}
}

// other passes over the value of a key that the format does not have.
func (o *outline) other(c *cursor, key string) error {
	if len(o.others) < 8 {
		o.others = append(o.others, strconv.QuoteToASCII(shorten(key)))
	}
	return c.skip()
}

// lacks is the error of a record without something that it needs.
func (o *outline) lacks(c *cursor, want, missing string) error {
	if len(o.others) > 0 {
		missing += ", but " + strings.Join(o.others, ", ")
	}
	return c.bad(o.start, want, "the object has %s", missing)
}

// spaceName reads the id of a record, which names its space.
func (c *cursor) spaceName(want string) (string, error) {
	name, err := c.scalar(want)
	if err == nil {
		if e := dsl.CheckSpace(name); e != nil {
			err = c.bad(c.here(), want, "%v", e)
		}
	}
	return name, err
}
