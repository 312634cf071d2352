package asof

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// GapRequest is a gap that a query reported: a search came back empty, a reader
// abstained, or what was found contradicts itself in time.
type GapRequest struct {
	Kind  dsl.GapKind
	Query string
}

// Backfilled says what became of a gap.
type Backfilled struct {
	Space string      `json:"space"`
	Gap   dsl.Hash    `json:"gap"`
	Kind  dsl.GapKind `json:"kind"`
	Query string      `json:"query"`
	// Fate is new, or duplicate where the gap was filled before: nothing changed.
	Fate Fate `json:"fate"`
	// Position is that of the transaction that filled it, now or then.
	Position dsl.Seq `json:"position"`
	// Missing says what the memory lacked: entity, relation, time.
	Missing []string `json:"missing"`
	// From and To bound the turns that were read again, [From, To), counted from 1.
	From int `json:"from"`
	To   int `json:"to"`
	// Candidates counts what was found, Facts and Events the versions opened.
	Candidates int `json:"candidates"`
	Facts      int `json:"facts"`
	Events     int `json:"events"`
}

// Backfill reads the last turns of a space again for gaps that queries reported:
// it extracts with a wider context than at ingest, takes what fits the query,
// candidates that wait among it, and assimilates it with the turn that each comes
// from as evidence. It works on the head, and is recorded at its own time: no
// earlier view changes. A gap is filled once; the same again is a duplicate.
// triggers.backfill must be on.
func (db *DB) Backfill(ctx context.Context, space string, gaps ...GapRequest) ([]Backfilled, error) {
	if !db.cfg.Triggers.Backfill {
		return nil, fmt.Errorf("asof: backfill: %w: triggers.backfill is off; set it to true", dsl.ErrInvalid)
	}
	var out []Backfilled
	for i := range gaps {
		g := &gaps[i]
		receipts, err := db.Ingest(ctx, []Item{{Space: space, Gap: g}})
		if err != nil {
			return out, fmt.Errorf("asof: backfill: %w", err)
		}
		r := &receipts[0]
		b := Backfilled{Space: space, Gap: dsl.GapID(space, g.Kind, g.Query), Kind: g.Kind, Query: g.Query, Fate: r.Fate, Position: r.Seq,
			Missing: []string{}, Facts: r.Facts, Events: r.Events}
		if r.Filled != nil {
			b.From, b.To, b.Candidates = r.Filled.From, r.Filled.To, r.Candidates
			b.Missing = append(b.Missing, r.Filled.Missing...)
		}
		out = append(out, b)
	}
	return out, nil
}

// validate checks a gap by itself.
func (g *GapRequest) validate() error {
	if !slices.Contains(dsl.GapKinds, g.Kind) {
		return fmt.Errorf("%w: kind %q of a gap is none of empty, abstention, conflict", dsl.ErrInvalid, g.Kind)
	}
	if analyze.NormalizeName(g.Query) == "" {
		return fmt.Errorf("%w: a gap needs the query that fell short", dsl.ErrInvalid)
	}
	return dsl.CheckText("query", g.Query)
}

// backfill fills a transaction with what the last turns say about a gap.
func (b *builder) backfill(tx *dsl.Tx, view store.View, next dsl.Instant, it *Item) (Receipt, error) {
	g := it.Gap
	id := dsl.GapID(it.Space, g.Kind, g.Query)
	if seq, err := view.Known(store.GapKey(id)); err != nil || seq != 0 {
		return Receipt{Seq: seq, Fate: Duplicate}, err
	}
	pos, err := view.PositionAt(view.Basis().Seq)
	if errors.Is(err, dsl.ErrNotFound) || err == nil && pos.Turns == 0 {
		return Receipt{}, fmt.Errorf("%w: space %q has no turns to read again", dsl.ErrNotFound, it.Space)
	}
	if err != nil {
		return Receipt{}, err
	}
	at, err := b.askedTime(g.Query, pos.Time)
	if err != nil {
		return Receipt{}, err
	}
	ask, err := assimilate.AskOf(view, b.db.engine.registry, g.Query, at)
	if err != nil {
		return Receipt{}, err
	}
	tx.Kind, tx.Time, tx.Extractor = dsl.TxBackfill, next, b.db.engine.pipeline.Version()
	tx.Gap = &dsl.Gap{ID: id, Kind: g.Kind, Query: dsl.Plain(g.Query), Missing: ask.Missing,
		From: max(1, int(pos.Turns)-b.db.cfg.Triggers.BackfillKTurns+1), To: int(pos.Turns) + 1}
	if tx.Candidates, err = b.readAgain(view, &ask, tx.Gap); err != nil {
		return Receipt{}, err
	}
	if b.db.cfg.Backfill.LLM {
		more, err := b.askModel(view, &ask, tx.Gap, tx.Candidates)
		if err != nil {
			return Receipt{}, err
		}
		if len(more) > 0 {
			tx.Candidates = append(tx.Candidates, more...)
			tx.Extractor += "+" + b.agent()
		}
	}
	if tx.CandidatesHash, err = dsl.CandidatesHash(tx.Candidates); err != nil {
		return Receipt{}, fmt.Errorf("%w: %v", dsl.ErrInvalid, err)
	}
	return Receipt{Filled: tx.Gap, Candidates: len(tx.Candidates)}, b.assimilate(view, tx)
}

// askedTime gives the time that a query asked at a record time speaks of, nil
// for none.
func (b *builder) askedTime(query string, at dsl.Instant) (*dsl.Interval, error) {
	r := b.db.engine.plain.Extract(extract.Context{Turn: dsl.Turn{ID: "query", Speaker: dsl.Plain("query"), Text: dsl.Plain(query), TS: at}})
	for i := range r.Times {
		if v, ok := r.Times[i].Interval(); ok {
			return &v, nil
		}
	}
	return nil, nil
}

// maxRefound bounds what one gap finds.
const maxRefound = 64

// readAgain gives what waits and fits the gap, then what its turns say with a
// wider context: that the space knows names now which it did not know then, and
// that a pronoun may stand for someone named further back. What a turn is
// evidence of already, whatever became of it, is not said by it again.
func (b *builder) readAgain(view store.View, ask *assimilate.Ask, gap *dsl.Gap) ([]dsl.Candidate, error) {
	e := b.db.engine
	out, err := ask.Held(view, e.registry)
	if err != nil {
		return nil, err
	}
	// The turns before the first are context.
	from := max(0, gap.From-1-b.db.cfg.Memory.STMWindow)
	var turns []store.Turn
	for t, err := range view.Turns(from) {
		if err != nil {
			return nil, err
		}
		turns = append(turns, t)
	}
	known := spaceMemory{view: view, space: view.Basis().Space}
	for i := range turns {
		t := &turns[i]
		if t.Doc+1 < gap.From || t.ReplacedBy != "" {
			continue
		}
		said, err := view.FactsByEvidence(t.ID)
		if err != nil {
			return nil, err
		}
		for _, previous := range contexts(turns[:i], ask) {
			for _, c := range b.extract(extract.Context{Turn: t.Turn, Previous: previous, Memory: &known}).Candidates {
				c.Turn = t.ID
				if len(out) < maxRefound && ask.Fits(known.space, e.registry, &c) && !among(out, &c) && !evident(said, known.space, e.registry, &c) {
					out = append(out, c)
				}
			}
		}
	}
	return out, known.err
}

// contexts gives the contexts that a turn is read in: the turns before it, and
// the same with the last one that names whom the gap asks about moved to the end.
func contexts(before []store.Turn, ask *assimilate.Ask) [][]dsl.Turn {
	var plain []dsl.Turn
	named := -1
	for i := range before {
		if before[i].ReplacedBy != "" {
			continue
		}
		if text, err := before[i].Text.Open(); err == nil && ask.Names(text) {
			named = len(plain)
		}
		plain = append(plain, before[i].Turn)
	}
	if named < 0 || named == len(plain)-1 {
		return [][]dsl.Turn{plain}
	}
	return [][]dsl.Turn{plain, append(slices.Delete(slices.Clone(plain), named, named+1), plain[named])}
}

// among tells whether a candidate is in a list, whatever its confidence.
func among(list []dsl.Candidate, c *dsl.Candidate) bool {
	return slices.ContainsFunc(list, func(x dsl.Candidate) bool {
		return x.Turn == c.Turn && x.Rel == c.Rel && x.Change == c.Change && x.Polarity == c.Polarity && x.Src == c.Src && x.Dst == c.Dst
	})
}

// evident tells whether a turn is evidence of what a candidate says of it.
func evident(said []dsl.FactVersion, space string, r *extract.Registry, c *dsl.Candidate) bool {
	src, err := c.Src.Open()
	if err != nil {
		return true
	}
	dst, err := c.Dst.Open()
	if err != nil {
		return true
	}
	a, b, rel := dsl.NodeID(space, dsl.Entity, src), dsl.NodeID(space, c.DstKind, dst), r.Canonical(c.Rel)
	return slices.ContainsFunc(said, func(f dsl.FactVersion) bool { return f.Src == a && f.Dst == b && f.Rel == rel })
}

// spaceMemory tells the extractor what the space knows of a name.
type spaceMemory struct {
	view  store.View
	space string
	err   error
}

// entityTypes are the types of subject and value of the relations that tell them.
var entityTypes = []struct {
	rel      string
	src, dst string
}{
	{"lives_in", "PERSON", "LOC"}, {"works_at", "PERSON", "ORG"}, {"studies_at", "PERSON", "ORG"}, {"related_to", "PERSON", "PERSON"},
	{"persona.role", "PERSON", ""}, {"likes", "PERSON", ""}, {"owns", "PERSON", ""},
	{"scheduled_for.datetime", extract.Event, ""},
}

// EntityType implements extract.Memory.
func (m *spaceMemory) EntityType(name string) (typ string, ok bool) {
	if m.err != nil {
		return "", false
	}
	id := dsl.NodeID(m.space, dsl.Entity, name)
	if _, err := m.view.Node(id); err != nil {
		if !errors.Is(err, dsl.ErrNotFound) {
			m.err = err
		}
		return "", false
	}
	for _, x := range entityTypes {
		for _, q := range []struct {
			typ string
			store.FactQuery
		}{{x.src, store.FactQuery{Src: []string{id}, Rel: x.rel}}, {x.dst, store.FactQuery{Dst: []string{id}, Rel: x.rel}}} {
			if q.typ == "" {
				continue
			}
			for _, err := range m.view.Facts(q.FactQuery) {
				if err != nil {
					m.err = err
					return "", false
				}
				return q.typ, true
			}
		}
	}
	return "", false
}
