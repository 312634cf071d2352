package events

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
)

// maxName bounds a name in a summary, in characters.
const maxName = 48

// clause is one thing that a summary says.
type clause struct {
	// subject begins the text, where it does; head is all before the value of a
	// plain assertion. What a clause shares with the one before is not said twice.
	subject, head string
	text          string
}

// shown gives a name as a summary shows it.
func shown(t dsl.Text) (string, error) {
	s, err := t.Open()
	if err != nil || utf8.RuneCountInString(s) <= maxName {
		return s, err
	}
	return string([]rune(s)[:maxName-1]) + "…", nil
}

// telling is how a clause tells of a fact.
type telling byte

const (
	asserts telling = iota
	replaces
	ends
	corrects
	withdraws
)

// tell gives the clause for a fact; was is the value before, where how speaks of
// one.
func (b *builder) tell(f, was *dsl.FactVersion, how telling, l language) (c clause, err error) {
	s, err := shown(f.SrcName)
	if err != nil {
		return c, err
	}
	o, err := shown(f.DstName)
	if err != nil {
		return c, err
	}
	r, err := shown(f.Relation)
	if err != nil {
		return c, err
	}
	w := ""
	if was != nil {
		if w, err = shown(was.DstName); err != nil {
			return c, err
		}
	}
	said, err := b.source(f)
	if err != nil {
		return c, err
	}
	fm := formOf(b.opt.Registry, l, f.Rel, r != "")
	pattern, when := fm.assert, f.Valid
	switch how {
	case replaces:
		pattern = fm.replace
	case corrects:
		pattern = fm.correct
	case ends:
		pattern, when = fm.end, dsl.Interval{Start: said.TS, End: f.Valid.End}
		if when.End == b.now() {
			when.End = dsl.Forever // it ended as it was said
		}
	}
	fill := func(pattern string) string {
		return strings.NewReplacer("{s}", s, "{o}", o, "{w}", w, "{r}", r).Replace(pattern)
	}
	tail := ""
	if how != withdraws {
		tail = period(when, said.TS, said.Local().Location(), l)
		if how == ends && l == english && tail != "" {
			tail = " (" + tail[1:] + ")"
		}
	}
	c.text = fill(pattern) + tail
	switch {
	case how == withdraws && l == chinese:
		c.text = "不属实：" + c.text
	case how == withdraws:
		c.text = "not so: " + c.text
	case strings.HasPrefix(pattern, "{s} ") || l == chinese && strings.HasPrefix(pattern, "{s}") && !strings.HasPrefix(pattern, "{s}的"):
		c.subject = s
		if head, ok := strings.CutSuffix(pattern, "{o}"); ok && how == asserts && tail == "" {
			c.head = fill(head)
		}
	}
	return c, nil
}

// join gives the summary of clauses: the first, and as many more as fit.
func join(list []clause, l language, words int) string {
	var out strings.Builder
	value, same, other := ", ", ", ", "; "
	if l == chinese {
		value, same, other = "、", "，", "；"
	}
	for i, c := range list {
		if i == 0 {
			out.WriteString(c.text)
			continue
		}
		text, sep, before := c.text, other, list[i-1]
		switch {
		case c.head != "" && c.head == before.head:
			text, sep = strings.TrimPrefix(text, c.head), value
		case c.subject != "" && c.subject == before.subject:
			text, sep = strings.TrimPrefix(strings.TrimPrefix(text, c.subject), " "), same
		}
		if analyze.Words(out.String())+analyze.Words(text) > words {
			left := strconv.Itoa(len(list) - i)
			if l == chinese {
				return out.String() + "；另有" + left + "项"
			}
			return out.String() + "; " + left + " more"
		}
		out.WriteString(sep)
		out.WriteString(text)
	}
	return out.String()
}

// A Draft is an event that a Summarizer may word.
type Draft struct {
	// ID and Version name the event version.
	ID      string
	Version uint32
	// Template is the summary that holds if there is none better.
	Template string
	// Chinese tells the language of the template.
	Chinese bool
	// Turn is the turn that the transaction is about; zero for none.
	Turn dsl.Turn
	// Facts are the facts that the summary tells of.
	Facts []dsl.FactVersion
	// Words bounds the summary.
	Words int
}

// A Summarizer words summaries, such as by a language model. It changes nothing
// but the summary. An error leaves the template.
type Summarizer interface {
	Summarize(Draft) (string, error)
}

// Recorded gives the summaries that a transaction records, so that its events
// can be built again without asking anyone: the same bytes, fallbacks included.
func Recorded(ops []dsl.Op) Summarizer {
	r := recorded{}
	for i := range ops {
		if op := &ops[i]; op.Kind == dsl.UpsertEvent {
			r[dsl.VersionRef{ID: op.ID, Version: op.Version}] = op.Summary
		}
	}
	return r
}

type recorded map[dsl.VersionRef]dsl.Text

// Summarize implements Summarizer.
func (r recorded) Summarize(d Draft) (string, error) {
	t, ok := r[dsl.VersionRef{ID: d.ID, Version: d.Version}]
	if !ok {
		return "", fmt.Errorf("event %s version %d: %w", d.ID, d.Version, dsl.ErrNotFound)
	}
	return t.Open()
}

// checkSummary refuses what a Summarizer must not give.
func checkSummary(s string, d *Draft) error {
	if strings.TrimSpace(s) == "" {
		return fmt.Errorf("%w: the summary is empty", dsl.ErrInvalid)
	}
	if err := dsl.CheckText("summary", s); err != nil {
		return err
	}
	if n := analyze.Words(s); n > max(d.Words, analyze.Words(d.Template)) {
		return fmt.Errorf("%w: the summary has %d words, at most %d are allowed", dsl.ErrInvalid, n, max(d.Words, analyze.Words(d.Template)))
	}
	return nil
}
