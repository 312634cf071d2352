package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// Gen makes random valid transactions of one space: every kind of transaction,
// operation and link, with ids and names that are hard on keys, times that are
// hard on bounds, and events that name what is recorded only later.
type Gen struct {
	*Chain
	// draw gives a number in [0, n); all that Gen does follows from its answers.
	draw   func(n int) int
	facts  []*genFact
	events []*genEvent
	links  []dsl.Op
	turns  int
	asked  Probes
	config int
}

type genFact struct {
	id, src, rel string
	last         uint32
	open         []genVersion
}

type genVersion struct {
	number uint32
	dst    string
	valid  dsl.Interval
}

type genEvent struct {
	id   string
	last uint32
}

// NewGen gives a generator for an empty space.
func NewGen(space string, draw func(n int) int) *Gen {
	return &Gen{Chain: NewChain(space), draw: draw, asked: Probes{Rels: rels, Terms: []string{"fox", "北京", "move"}}}
}

// Probes gives all ids and keys that the transactions so far hold or speak of.
func (g *Gen) Probes() Probes {
	p := g.asked
	for i := range g.turns + 3 {
		p.Turns = append(slices.Clip(p.Turns), turnID(i))
	}
	p.Nodes, p.Facts, p.Events = distinct(p.Nodes), distinct(p.Facts), distinct(p.Events)
	p.Names = distinct(names)
	return p
}

// epoch is where generated time begins.
const epoch dsl.Instant = 1_700_000_000_000_000

var (
	long  = strings.Repeat("长id/", 50) // 300 bytes
	names = []string{
		"Anna", "ANNA", "anna ", "安娜", "José", "Jose", "St. Mary’s", `"quoted" \ back`, "🦊", "北京", "Berlin",
		"a", "ab", "a b", "+49 30 1234", "2023-05-08", long,
	}
	rels     = []string{"lives_in", "likes", "owns", "related_to", "scheduled_for.datetime"}
	sessions = []string{"", "s1", "s 2", "会话", "s1/"}
	texts    = []string{
		"", "I moved to Berlin last week.", "The quick brown fox, the fox!", "我上周搬到了北京。", "我 moved 到 Berlin 了 🦊",
		"tab\tand\nnewline \x01", "…", strings.Repeat("again and again ", 20),
	}
	factIDs  = []string{"a", "ab", "a/b", "事实", long, "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "f"}
	eventIDs = []string{"e", "e1", "事件", long, "ee"}
	kinds    = []dsl.NodeKind{dsl.Entity, dsl.Entity, dsl.Literal, dsl.TimeInstant, dsl.Mention, dsl.Document}
	levels   = []float64{0, 0.1, 1.0 / 3, 0.5, 0.9, 1}
)

func pick[T any](g *Gen, list []T) T { return list[g.draw(len(list))] }

// oneIn tells true in one of n cases.
func (g *Gen) oneIn(n int) bool { return g.draw(n) == n-1 }

func turnID(i int) string {
	switch i % 7 {
	case 3:
		return fmt.Sprintf("轮次 %d", i)
	case 5:
		return fmt.Sprintf("%s%d", long, i)
	}
	return fmt.Sprintf("t%d", i)
}

// Next makes the next transaction.
func (g *Gen) Next() *dsl.Tx {
	if g.oneIn(12) {
		g.config++
		g.Configure(fmt.Sprintf(`{"n":%d}`, g.config))
	}
	_, last := g.Head()
	at := max(last, epoch) + g.step()
	g.layer2()
	kind := g.draw(11)
	if g.turns == 0 {
		kind = kind % 8
	}
	switch {
	case kind < 6:
		turn := g.turn(at)
		tx := g.Turn(turn, g.operations(turn.ID)...)
		g.key(store.CandidatesKey(turn.ID, tx.CandidatesHash))
		return tx
	case kind < 8:
		tx := g.Ops(at, g.operations("")...)
		g.key(store.OpsKey(tx.OpsHash))
		return tx
	case kind == 10:
		id := turnID(g.draw(g.turns))
		g.config++ // no two gaps are the same
		c := dsl.Candidate{Change: dsl.Assert, Confidence: pick(g, levels), Polarity: dsl.Positive, Rel: pick(g, rels),
			Src: dsl.Plain(pick(g, names)), Dst: dsl.Plain(pick(g, names)), DstKind: dsl.Entity}
		tx := g.Backfill(at, fmt.Sprint("gap ", g.config), id, c, g.operations(id)...)
		g.key(store.GapKey(tx.Gap.ID))
		return tx
	default:
		id := turnID(g.draw(g.turns))
		g.config++ // no two sets of candidates are the same
		c := dsl.Candidate{
			Change: dsl.Assert, Confidence: pick(g, levels), Polarity: dsl.Positive, Rel: pick(g, rels),
			Src: dsl.Plain(pick(g, names)), Dst: dsl.Plain(fmt.Sprint("candidate ", g.config)), DstKind: dsl.Entity,
		}
		tx := g.Candidates(at, id, c, g.operations(id)...)
		g.key(store.CandidatesKey(id, tx.CandidatesHash))
		return tx
	}
}

// Drop drops the space. What Next makes then takes up the same ids again.
func (g *Gen) Drop() *dsl.Tx {
	g.facts, g.events, g.links, g.turns = nil, nil, nil, 0
	return g.Chain.Drop()
}

func (g *Gen) key(k dsl.Hash) { g.asked.Keys = append(g.asked.Keys, k) }

// step is how much later the next transaction is: often the least there is.
func (g *Gen) step() dsl.Instant {
	return []dsl.Instant{1, 1, 2, dsl.Second, dsl.Day, 40 * dsl.Day}[g.draw(6)]
}

// turn makes a turn, said at the given time or, now and then, long before it.
func (g *Gen) turn(at dsl.Instant) dsl.Turn {
	t := dsl.Turn{
		ID: turnID(g.turns), Session: pick(g, sessions), Speaker: dsl.Plain(pick(g, names)),
		Text: dsl.Plain(pick(g, texts)), TS: at,
	}
	switch g.draw(5) {
	case 0:
		t.TS = at - 90*dsl.Day // late
	case 1:
		t.Listener, t.Zone = dsl.Plain(pick(g, names)), "+08:00"
	case 2:
		for range g.draw(3) {
			t.Attachments = append(t.Attachments, dsl.Attachment{Kind: "image", Text: dsl.Plain(pick(g, texts))})
		}
	case 3:
		if g.turns > 0 {
			t.Replaces = turnID(g.draw(g.turns))
		}
	}
	g.turns++
	return t
}

// operations makes a few operations of a transaction about a turn, or about
// none.
func (g *Gen) operations(turn string) []dsl.Op {
	var ops []dsl.Op
	for range g.draw(6) {
		op, ok := g.operation(turn, len(ops))
		if !ok {
			continue
		}
		switch g.draw(6) {
		case 0:
			op.Reason = dsl.Plain("because " + pick(g, names))
		case 1:
			op.Reason = dsl.Sealed("key-1", []byte{byte(g.draw(256)), 0, 0xff})
		case 2:
			op.Agent = "agent"
		}
		ops = append(ops, op)
	}
	return ops
}

func (g *Gen) operation(turn string, index int) (dsl.Op, bool) {
	switch g.draw(12) {
	case 0, 1, 2, 3:
		return g.upsert(turn, index)
	case 4, 5, 6:
		return g.correct(turn)
	case 7:
		if len(g.facts) == 0 {
			return dsl.Op{}, false
		}
		return Archive(pick(g, g.facts).id), true
	case 8:
		return g.event(index), true
	case 9, 10:
		return g.evidence(turn)
	default:
		return g.link(), true
	}
}

func (g *Gen) node() string {
	id := g.Node(pick(g, kinds), pick(g, names))
	g.asked.Nodes = append(g.asked.Nodes, id)
	return id
}

// moment gives a time that collides with others.
func (g *Gen) moment() dsl.Instant {
	at := epoch + dsl.Instant(g.draw(6))*30*dsl.Day
	return at + []dsl.Instant{0, 0, 0, -1, 1}[g.draw(5)]
}

func (g *Gen) interval() dsl.Interval {
	a, b := g.moment(), g.moment()
	switch g.draw(6) {
	case 0:
		a = dsl.Beginning
	case 1, 2, 3:
		b = dsl.Forever
	case 4:
		a, b = dsl.MinInstant, dsl.MaxInstant
	}
	return dsl.Interval{Start: min(a, b), End: max(a, b)}
}

// upsert opens another fact, or another version of one where no open version
// holds at the same time (I2).
func (g *Gen) upsert(turn string, index int) (dsl.Op, bool) {
	seq, _ := g.Head()
	id := dsl.FactID(g.Space, seq+1, index)
	if g.oneIn(3) {
		id = pick(g, factIDs)
	}
	g.asked.Facts = append(g.asked.Facts, id)
	i := slices.IndexFunc(g.facts, func(f *genFact) bool { return f.id == id })
	if i < 0 {
		i = len(g.facts)
		g.facts = append(g.facts, &genFact{id: id, src: g.node(), rel: pick(g, rels)})
	}
	f := g.facts[i]
	valid := g.interval()
	if slices.ContainsFunc(f.open, func(v genVersion) bool { return v.valid.Overlaps(valid) }) {
		return dsl.Op{}, false
	}
	op := Upsert(id, f.last+1, f.src, f.rel, g.node(), valid, pick(g, levels), g.witnesses(turn)...)
	if f.rel == "related_to" {
		op.Relation = dsl.Plain("sister")
	}
	f.last++
	f.open = append(f.open, genVersion{f.last, op.Dst, valid})
	return op, true
}

// correct closes an open version, sometimes with a successor that keeps most of
// it.
func (g *Gen) correct(turn string) (dsl.Op, bool) {
	var open []*genFact
	for _, f := range g.facts {
		if len(f.open) > 0 {
			open = append(open, f)
		}
	}
	if len(open) == 0 {
		return dsl.Op{}, false
	}
	f := pick(g, open)
	i := g.draw(len(f.open))
	old := f.open[i]
	f.open = slices.Delete(f.open, i, i+1)
	if g.oneIn(4) {
		return Retract(f.id, old.number), true
	}
	next := genVersion{f.last + 1, old.dst, old.valid}
	switch g.draw(4) {
	case 0:
		next.dst = g.node()
	case 1:
		next.valid.End = max(next.valid.Start, min(next.valid.End, g.moment()))
	case 2:
		next.valid = g.interval()
	}
	if slices.ContainsFunc(f.open, func(v genVersion) bool { return v.valid.Overlaps(next.valid) }) {
		return Retract(f.id, old.number), true
	}
	op := Correct(f.id, old.number, next.number, next.dst, next.valid, pick(g, levels), g.witnesses(turn)...)
	if f.rel == "related_to" && !g.oneIn(3) {
		op.Relation = dsl.Plain("sister")
	}
	f.last++
	f.open = append(f.open, next)
	return op, true
}

// witnesses gives a few distinct turns: the present one, earlier ones, and some
// not recorded yet.
func (g *Gen) witnesses(turn string) []string {
	var ids []string
	if turn != "" && !g.oneIn(3) {
		ids = append(ids, turn)
	}
	for range g.draw(3) {
		if id := turnID(g.draw(g.turns + 2)); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (g *Gen) event(index int) dsl.Op {
	seq, _ := g.Head()
	id := dsl.EventID(g.Space, seq+1, index)
	if g.oneIn(2) {
		id = pick(g, eventIDs)
	}
	g.asked.Events = append(g.asked.Events, id)
	i := slices.IndexFunc(g.events, func(e *genEvent) bool { return e.id == id })
	if i < 0 {
		i = len(g.events)
		g.events = append(g.events, &genEvent{id: id})
	}
	g.events[i].last++
	var includes []string
	for range g.draw(3) {
		fact := pick(g, factIDs) // perhaps not opened yet
		if len(g.facts) > 0 && g.oneIn(2) {
			fact = pick(g, g.facts).id
		}
		includes = append(includes, fact)
	}
	op := Event(id, g.events[i].last, pick(g, texts), g.interval(), distinct(includes), g.witnesses(""))
	if len(op.Includes) == 0 {
		op.Includes = nil
	}
	for range g.draw(3) {
		op.Participants = append(op.Participants, dsl.Participant{Entity: g.node(), Role: dsl.Plain(pick(g, texts))})
	}
	op.Status = []string{"", "planned", "done"}[g.draw(3)]
	return op
}

func (g *Gen) evidence(turn string) (dsl.Op, bool) {
	if len(g.facts) == 0 {
		return dsl.Op{}, false
	}
	if turn == "" || g.oneIn(2) {
		turn = turnID(g.draw(g.turns + 1))
	}
	op := Evidence(g.Space, turn, pick(g, g.facts).id, pick(g, levels))
	if g.oneIn(3) {
		op = Unlink(op)
		op.Confidence = pick(g, levels) // what is left of the fact's
	}
	return op, true
}

// link makes a link of nodes or events, makes one again, or closes one.
func (g *Gen) link() dsl.Op {
	if n := len(g.links); n > 0 && !g.oneIn(3) {
		op := g.links[g.draw(n)]
		if g.oneIn(2) {
			return op
		}
		return Unlink(op)
	}
	var op dsl.Op
	switch g.draw(6) {
	case 0:
		op = LinkOp(g.Space, dsl.MentionLink, g.node(), g.node())
	case 1:
		op = LinkOp(g.Space, dsl.EventLink, pick(g, eventIDs), pick(g, eventIDs))
	default:
		op = LinkOp(g.Space, dsl.AliasOf, g.node(), g.node())
	}
	g.links = append(g.links, op)
	return op
}
