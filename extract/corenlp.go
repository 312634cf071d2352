package extract

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/asof-db/asof/internal/corenlp"
)

// The options that ask a CoreNLP server (option B of the plan): ner.mode B', coref.mode
// B, time.sutime and relation.parse. Each runs the rules first and asks the server only
// where they have no answer: a word in capitals that no name covers, a pronoun that stands
// for nobody yet, a word of time that no expression covers, a verb of a relation in a
// sentence that gave no candidate of it. The server knows English alone, so a turn without
// such words in Latin letters asks nothing. What fails, or comes too late, leaves the rules' result and
// is counted (Answered).
//
// What came of it is in the log as candidates, those of dependency paths with Source
// "corenlp"; a replay asks nobody.

// Parser reads English text as a CoreNLP server does; *corenlp.Client is one. It has to be
// safe for concurrent use.
type Parser interface {
	// Version names the server's program and release, as versions and the log do.
	Version() string
	// Annotate reads a text that is said on a day, given as 2020-01-15, to a depth.
	Annotate(ctx context.Context, text, date string, d corenlp.Depth) (*corenlp.Document, error)
}

// optionServer names the server's option where answers are counted.
const optionServer = "B"

// serverReading is what a server made of a turn, asked at most once a turn and depth: of
// the turn alone, and of the turn with those before it.
type serverReading struct {
	alone, within readOnce
	// before is what was read before the turn for within.
	before string
}

// readOnce is an answer or the reason why there is none.
type readOnce struct {
	asked bool
	depth corenlp.Depth
	doc   *corenlp.Document
	err   error
}

// ask reads the text, unless it was read as deep before.
func (o *readOnce) ask(d *Document, p Parser, text string, depth corenlp.Depth) (*corenlp.Document, error) {
	if !o.asked || o.depth < depth && o.err == nil {
		o.asked, o.depth = true, depth
		o.doc, o.err = p.Annotate(d.Waiting(), text, d.Local.Format("2006-01-02"), depth)
		o.err = serverError(o.err)
	}
	return o.doc, o.err
}

// serverError has an error of the server count as what it is.
func serverError(err error) error {
	for _, x := range []struct{ of, as error }{{corenlp.ErrTooLong, ErrTooLong}, {corenlp.ErrMalformed, ErrMalformed}} {
		if errors.Is(err, x.of) {
			return fmt.Errorf("%w: %w", x.as, err)
		}
	}
	return err
}

// server is a Parser and how deep it is asked about a turn alone. Stages embed it.
type server struct {
	parser Parser
	depth  corenlp.Depth
}

// read has the server read the turn, and counts the answer for a stage.
func (s server) read(d *Document, stage string) (*corenlp.Document, bool) {
	doc, err := d.server.alone.ask(d, s.parser, d.Text, s.depth)
	d.Answered(stage, optionServer, s.parser.Version(), err)
	return doc, err == nil
}

// blankLine ends a sentence for the server, whatever stands before it.
const blankLine = "\n\n"

// contextBytes bounds what is read before a turn for its pronouns.
const contextBytes = 2000

// readWithin has the server read the turn after the turns before it, and gives the byte
// where the turn begins in what it read.
func (s server) readWithin(d *Document, stage string, turns int) (doc *corenlp.Document, from int, ok bool) {
	if !d.server.within.asked {
		var before strings.Builder
		for _, p := range d.Previous[max(0, len(d.Previous)-turns):] {
			if text, err := p.Text.Open(); err == nil && text != "" && before.Len()+len(text) <= contextBytes {
				before.WriteString(text)
				before.WriteString(blankLine)
			}
		}
		d.server.before = before.String()
	}
	doc, err := d.server.within.ask(d, s.parser, d.server.before+d.Text, corenlp.Chains)
	d.Answered(stage, optionServer, s.parser.Version(), err)
	return doc, len(d.server.before), err == nil
}

// wantsParser notes that a key's option asks a CoreNLP server, and tells whether there
// is one.
func (a *assembly) wantsParser(key, value string) bool {
	if a.Parts.Parser == nil {
		a.missing(key, value, "a CoreNLP server", "start one with deploy/corenlp/server.sh start and name it by corenlp.url")
		return false
	}
	return true
}

// server gives what a stage asks. Every stage reads a turn to the same depth, so that it
// is read once.
func (a *assembly) server() server {
	s := server{a.Parts.Parser, corenlp.Names}
	if a.RelationParse {
		s.depth = corenlp.Relations
	}
	return s
}

// by gives the version of a stage that asks the server after the rules.
func (s server) by(rules, name string) string {
	return rules + "+" + name + "@" + s.parser.Version()
}

// latinText tells whether a text has words for a reader of English, and not mostly
// characters of another script.
func latinText(toks []token) bool {
	words, han := 0, 0
	for i := range toks {
		switch toks[i].kind {
		case wordToken:
			words++
		case hanToken:
			han += (toks[i].end - toks[i].start) / 3
		}
	}
	return words > han
}
