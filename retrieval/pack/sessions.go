package pack

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/rerank"
)

// sessionBudget is how many tokens a pack of sessions has at most.
const sessionBudget = 40000

// SessionOptions shape the modes that pack sessions. The zero value stands for 16
// sessions of a pool of 50, of which the first 10 are verbatim.
type SessionOptions struct {
	// Most is the most sessions, Verbatim how many of the first of the entry nothing
	// is left out of; in the mode Compass there are none.
	Most, Verbatim int
	// Pool is how many sessions the entry hands on, Added how many expansion adds to
	// them at most, in the mode Detchain.
	Pool, Added int
	// Chars is the most characters of a session that is not verbatim; 0 sets no bound.
	Chars int
	// Angles asks the question in the ways of Rewriter too, by rules where that is
	// nil, and takes the best score of a session.
	Angles   bool
	Rewriter Rewriter
	// Scorer orders the sessions, as a cross-encoder does; nil keeps the order of the
	// entry.
	Scorer rerank.Scorer
}

// SessionsOf gives the options that a mode is known by: Detchain 16 sessions, ten of
// them verbatim; Compass 15 of 3,500 characters, asked from three angles.
func SessionsOf(mode Mode) SessionOptions {
	if mode == Compass {
		return SessionOptions{Most: 15, Pool: 50, Chars: 3500, Angles: true}
	}
	return SessionOptions{Most: 16, Verbatim: 10, Pool: 50, Added: 8}
}

// check fills in defaults and refuses what makes no sense.
func (o *SessionOptions) check() error {
	if o.Most == 0 && o.Verbatim == 0 {
		o.Verbatim, o.Added = 10, cmp.Or(o.Added, 8)
	}
	o.Most, o.Pool = cmp.Or(o.Most, 16), cmp.Or(o.Pool, 50)
	if o.Rewriter == nil {
		o.Rewriter = Rules{}
	}
	if o.Most < 1 || o.Verbatim < 0 || o.Pool < 1 || o.Added < 0 || o.Chars < 0 {
		return fmt.Errorf("%w: %d sessions of a pool of %d and %d added, %d of them verbatim, %d characters each", dsl.ErrInvalid, o.Most, o.Pool, o.Added, o.Verbatim, o.Chars)
	}
	return nil
}

// SessionReceipt says where the sessions of a pack came from.
type SessionReceipt struct {
	// Pool are the sessions that the entry found, best first; Expansion those that
	// only expansion added after them: through turns, facts and events.
	Pool      []string `json:"pool"`
	Expansion []string `json:"expansion"`
	// Verbatim is how many of the first items nothing was left out of.
	Verbatim int `json:"verbatim"`
	// Order is what ordered the others: "cross-encoder" or "entry".
	Order string `json:"order"`
	// Angles are the wordings that the question was asked in beside its own.
	Angles []string `json:"angles"`
}

// Orders of the sessions that are not verbatim.
const (
	ByEntry        = "entry"
	ByCrossEncoder = "cross-encoder"
)

// sessionsFound is all that a pack of sessions is compiled from.
type sessionsFound struct {
	found
	sessions []sessionFound // the pool, then what expansion added
	angles   []string
	order    []int // of sessions, best first
	scored   bool
}

// sessionFound is a session with its turns in the view.
type sessionFound struct {
	hit      retrieval.Hit
	turns    []turnFound
	expanded bool
}

// compile chooses the sessions and writes them.
func (f *sessionsFound) compile(opt *Options) *Pack {
	so := &opt.Sessions
	receipt := &SessionReceipt{Pool: []string{}, Expansion: []string{}, Order: ByEntry, Angles: ordered(f.angles)}
	for i := range f.sessions {
		if s := &f.sessions[i]; s.expanded {
			receipt.Expansion = append(receipt.Expansion, s.hit.ID)
		} else {
			receipt.Pool = append(receipt.Pool, s.hit.ID)
		}
	}
	if f.scored {
		receipt.Order = ByCrossEncoder
	}
	verbatim := min(so.Verbatim, so.Most, len(receipt.Pool))
	if opt.Mode == Compass {
		verbatim = 0
	}
	var picks []int
	for i := range verbatim {
		picks = append(picks, i)
	}
	for _, i := range f.order {
		if len(picks) < so.Most && (i >= verbatim || verbatim == 0) {
			picks = append(picks, i)
		}
	}
	w := &sessionWriter{f: f, opt: opt, squeezer: newSqueezer(opt.Search.Analyzer, f.query)}
	for _, i := range picks {
		for j := range f.sessions[i].turns {
			w.squeezer.know(&f.sessions[i].turns[j].Turn.Turn)
		}
	}
	items := make([]Item, len(picks))
	tokens := make([]int, len(picks))
	total := 0
	for n, i := range picks {
		items[n] = w.item(&f.sessions[i], n < verbatim)
		tokens[n] = assimilate.Tokens(items[n].Text)
		total += tokens[n]
	}
	leftOut := len(f.sessions) - len(picks)
	for total > opt.Budget && len(picks) > 0 {
		n := weakestPick(f, picks, verbatim)
		total -= tokens[n]
		picks, items, tokens = slices.Delete(picks, n, n+1), slices.Delete(items, n, n+1), slices.Delete(tokens, n, n+1)
		verbatim = min(verbatim, len(picks))
		leftOut++
	}
	receipt.Verbatim = verbatim
	p := &Pack{Query: f.query, Lang: opt.Lang, Basis: opt.Basis, Result: f.result, Items: items, Receipt: opt.receipt(len(f.sessions), leftOut, 0)}
	p.Receipt.Sessions = receipt
	if f.known {
		at := f.at
		p.At = &at
	}
	var lines []string
	for i := range items {
		lines = append(lines, items[i].Text)
	}
	p.Text = strings.Join(lines, "\n")
	return p
}

// weakestPick gives what goes first where a pack is too long: the last session
// that expansion added, else the last of all.
func weakestPick(f *sessionsFound, picks []int, verbatim int) int {
	for n := len(picks) - 1; n >= verbatim; n-- {
		if f.sessions[picks[n]].expanded {
			return n
		}
	}
	return len(picks) - 1
}

// sessionWriter writes sessions.
type sessionWriter struct {
	f        *sessionsFound
	opt      *Options
	squeezer *squeezer
}

// shownTurn is a turn on its way into a session's text.
type shownTurn struct {
	*turnFound
	shortened
	line  string
	asked int
	kept  bool
}

// item makes the item of a session.
func (w *sessionWriter) item(s *sessionFound, verbatim bool) Item {
	most := w.opt.Sessions.Chars
	if verbatim {
		most = 0
	}
	var list []shownTurn
	for i := range s.turns {
		t := &s.turns[i]
		x := shownTurn{turnFound: t, kept: true}
		if verbatim {
			x.shortened = shortened{text: w.squeezer.whole(&t.Turn.Turn), whole: true}
		} else {
			tokens := w.opt.Budget
			if most > 0 {
				tokens = max(1, most/turnChars)
			}
			x.shortened = w.squeezer.squeeze(&t.Turn.Turn, true, tokens)
		}
		if x.text == "" {
			continue
		}
		x.line = spoken(t.Speaker.String(), x.text)
		x.asked = w.squeezer.shared(x.text)
		list = append(list, x)
	}
	head := ""
	if len(list) > 0 {
		head = headingOf(&list[0].Turn.Turn).line()
	}
	if most > 0 {
		keepChars(list, most-utf8.RuneCountInString(head))
	}
	it := Item{Kind: retrieval.Session, ID: s.hit.ID, Session: s.hit.ID, Rank: s.hit.Rank, Score: s.hit.Score,
		Valid: s.hit.Valid, Record: s.hit.Record, Evidence: []string{}, ActiveAt: w.f.activeAt(s.hit.Valid)}
	lines := []string{head}
	for i := range list {
		x := &list[i]
		if !x.kept {
			continue
		}
		it.Evidence = append(it.Evidence, x.ID)
		if !x.whole {
			it.Partial = append(it.Partial, x.ID)
		}
		it.Said = append(it.Said, Said{ID: x.ID, Speaker: x.Speaker.String(), At: x.TS, Zone: x.Zone, Text: x.text})
		lines = append(lines, x.line)
	}
	it.Text = strings.Join(lines, "\n")
	return it
}

// turnChars is how many characters of the bound of a session stand for one token
// that a single turn of it may have.
const turnChars = 12

// keepChars keeps turns of a session up to a number of characters: those that
// share most with the question first, among equals the earlier.
func keepChars(list []shownTurn, most int) {
	order := make([]int, len(list))
	for i := range order {
		order[i], list[i].kept = i, false
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(list[j].asked, list[i].asked) })
	for n, i := range order {
		size := utf8.RuneCountInString(list[i].line) + 1
		if n == 0 && size > most { // one sentence alone is longer
			list[i].line = cut(list[i].line, most)
			list[i].text, list[i].whole = cut(list[i].text, most), false
			size = most
		}
		if size <= most {
			list[i].kept = true
			most -= size
		}
	}
}

// cut gives at most n characters of a text, whole words where there is one.
func cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	end := 0
	for range n {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	if space := strings.LastIndexByte(text[:end], ' '); space > end/2 {
		end = space
	}
	return text[:end]
}
