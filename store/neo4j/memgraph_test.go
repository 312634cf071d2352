package neo4j

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/asof-db/asof/dsl"
)

// memGraph is a graph in memory: what the statements do, done plainly. Faults can
// be put in the way of every call.
type memGraph struct {
	mu       sync.Mutex
	list     []generation
	next     int64
	pointers map[string]int64
	data     map[int64]map[*table]map[string]row
	// fault is asked before, and with after true once more behind each commit.
	fault func(op string, after bool, b *batch) error
	// commits counts them.
	commits int
	largest int
}

func newMemGraph() *memGraph {
	return &memGraph{pointers: map[string]int64{}, data: map[int64]map[*table]map[string]row{},
		fault: func(string, bool, *batch) error { return nil }}
}

func (m *memGraph) lock(op string) (func(), error) {
	m.mu.Lock()
	if err := m.fault(op, false, nil); err != nil {
		m.mu.Unlock()
		return nil, err
	}
	return m.mu.Unlock, nil
}

func (m *memGraph) setup(context.Context) error {
	unlock, err := m.lock("setup")
	if err == nil {
		unlock()
	}
	return err
}

func (m *memGraph) close(context.Context) error { return nil }

func (m *memGraph) generations(context.Context) ([]generation, error) {
	unlock, err := m.lock("generations")
	if err != nil {
		return nil, err
	}
	defer unlock()
	return slices.Clone(m.list), nil
}

func (m *memGraph) find(number int64) *generation {
	for i := range m.list {
		if m.list[i].number == number {
			return &m.list[i]
		}
	}
	return nil
}

func (m *memGraph) begin(_ context.Context, g generation) (generation, error) {
	unlock, err := m.lock("begin")
	if err != nil {
		return g, err
	}
	defer unlock()
	for i := range m.list {
		if m.list[i].space == g.space && m.list[i].state == building {
			m.list[i].state = retired
		}
	}
	state := g.state
	m.next++
	g.number, g.format, g.episodes, g.state = m.next, format, g.position, building
	m.list = append(m.list, g)
	m.data[g.number] = map[*table]map[string]row{}
	if state == current {
		m.activated(g)
	}
	return *m.find(g.number), nil
}

func (m *memGraph) activated(g generation) {
	if old := m.find(m.pointers[g.space]); old != nil && old.number != g.number {
		old.state = retired
	}
	m.pointers[g.space] = g.number
	m.find(g.number).state = current
}

func (m *memGraph) activate(_ context.Context, g generation) error {
	unlock, err := m.lock("activate")
	if err != nil {
		return err
	}
	defer unlock()
	if x := m.find(g.number); x == nil || x.state == retired {
		return errMoved
	}
	m.activated(g)
	return nil
}

func (m *memGraph) retire(_ context.Context, g generation) error {
	unlock, err := m.lock("retire")
	if err != nil {
		return err
	}
	defer unlock()
	m.find(g.number).state = retired
	if m.pointers[g.space] == g.number {
		delete(m.pointers, g.space)
	}
	return nil
}

func (m *memGraph) remove(_ context.Context, number int64) error {
	unlock, err := m.lock("remove")
	if err != nil {
		return err
	}
	defer unlock()
	delete(m.data, number)
	m.list = slices.DeleteFunc(m.list, func(g generation) bool { return g.number == number && g.state == retired })
	return nil
}

func (m *memGraph) waiting(context.Context) (map[int64][]eventRef, error) {
	unlock, err := m.lock("waiting")
	if err != nil {
		return nil, err
	}
	defer unlock()
	out := map[int64][]eventRef{}
	for number, data := range m.data {
		for _, key := range slices.Sorted(maps.Keys(data[eventTable])) {
			if r := data[eventTable][key]; r[eventTable.column("visible_from")] == at(dsl.Forever) {
				out[number] = append(out[number], eventRef{r[2].(string), uint32(r[3].(int64))})
			}
		}
	}
	return out, nil
}

func (m *memGraph) rows(_ context.Context, t *table, number int64, f func(row) error) error {
	unlock, err := m.lock("rows")
	if err != nil {
		return err
	}
	data := slices.Collect(maps.Values(m.data[number][t]))
	unlock()
	for _, r := range data {
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

func (m *memGraph) count(_ context.Context, t *table, numbers []int64) (map[int64]int, error) {
	out := map[int64]int{}
	for _, n := range numbers {
		out[n] = len(m.data[n][t])
	}
	return out, nil
}

func (m *memGraph) episodes(_ context.Context, g generation, nodes, contains []row) error {
	unlock, err := m.lock("episodes")
	if err != nil {
		return err
	}
	defer unlock()
	x := m.find(g.number)
	if x == nil || x.position != g.position {
		return errMoved
	}
	x.episodes = g.position
	delete(m.data[g.number], episodeTable)
	delete(m.data[g.number], containsTable)
	for _, r := range nodes {
		m.put(episodeTable, r)
	}
	for _, r := range contains {
		m.put(containsTable, r)
	}
	return nil
}

// put adds a row, or completes a stub.
func (m *memGraph) put(t *table, r row) {
	data := m.data[r[0].(int64)]
	if data[t] == nil {
		data[t] = map[string]row{}
	}
	key := t.key(r)
	if _, ok := data[t][key]; ok && !t.merge {
		panic(fmt.Sprintf("%s %s is made twice", t.title(), key))
	}
	data[t][key] = slices.Clone(r)
}

// stub makes an end of a relationship where it is missing.
func (m *memGraph) stub(t *table, number int64, space string, key ...any) {
	r := append(row{number, space}, key...)
	for len(r) < len(t.columns) {
		r = append(r, nil)
	}
	if _, ok := m.data[number][t][t.key(r)]; !ok {
		m.put(t, r)
	}
}

func (m *memGraph) set(t *table, number any, key string, values map[string]any) {
	r, ok := m.data[number.(int64)][t][key]
	if !ok {
		panic(fmt.Sprintf("%s %s is changed and not there", t.title(), key))
	}
	for name, v := range values {
		r[t.column(name)] = v
	}
}

func (m *memGraph) commit(_ context.Context, b *batch) (w written, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault("commit", false, b); err != nil {
		return w, err
	}
	for _, k := range b.marks {
		if x := m.find(k.generation); x == nil || x.position != k.from || x.state == retired {
			return w, errMoved
		}
	}
	for _, k := range b.marks {
		x := m.find(k.generation)
		x.position, x.time, x.entry = k.to, k.time, k.entry.String()
	}
	m.commits++
	m.largest = max(m.largest, b.weight)
	for _, c := range b.changes {
		m.write(c)
	}
	return w, m.fault("commit", true, b)
}

func (m *memGraph) write(c *changes) {
	for _, t := range tables {
		for _, r := range c.rows[t] {
			m.put(t, r)
			number, space := r[0].(int64), r[1].(string)
			switch t {
			case evidenceTable:
				m.stub(turnTable, number, space, r[2])
				m.stub(anchorTable, number, space, r[3])
			case witnessTable:
				m.stub(turnTable, number, space, r[2])
			case includesTable:
				m.stub(anchorTable, number, space, r[4])
			}
		}
	}
	for _, r := range c.facts {
		m.set(factTable, r[0], fmt.Sprint(r[2], "/", r[3]), r[4].(map[string]any))
	}
	for _, r := range c.steps {
		key := fmt.Sprint(r[2], "/", r[3])
		old := m.data[r[0].(int64)][factTable][key]
		steps, _ := old[factTable.column("confidence_steps")].([]any)
		from, _ := old[factTable.column("confidence_from")].([]any)
		m.set(factTable, r[0], key, map[string]any{
			"confidence_steps": slices.Concat(steps, r[4].([]any)), "confidence_from": slices.Concat(from, r[5].([]any))})
	}
	for _, r := range c.turns {
		m.set(turnTable, r[0], r[2].(string), map[string]any{"replaced_by": r[3], "replaced_from": r[4]})
	}
	for _, r := range c.forgets {
		ends := evidenceTable.column("record_to")
		for _, e := range m.data[r[0].(int64)][evidenceTable] {
			opened, op := e[5].(int64), e[6].(int64)
			if e[2] == r[2] && e[3] == r[3] && e[4] == r[4] && e[ends] == at(dsl.Forever) &&
				(opened < r[5].(int64) || opened == r[5].(int64) && op < r[6].(int64)) {
				e[ends] = r[7]
			}
		}
	}
	for _, r := range c.endings {
		m.set(eventTable, r[0], fmt.Sprint(r[2], "/", r[3]), map[string]any{"closed": r[4], "record_to": r[5]})
	}
	for _, r := range c.sights {
		m.set(eventTable, r[0], fmt.Sprint(r[2], "/", r[3]), map[string]any{"visible_from": r[4]})
	}
	for _, l := range c.links {
		m.link(l)
	}
}

func (m *memGraph) link(l linkChange) {
	t, r := l.table, slices.Clone(l.row)
	number, ends, id := r[0].(int64), t.column("record_to"), t.column("id")
	if t == tiedTable {
		m.stub(eventTable, number, r[1].(string), r[2], r[3])
		m.stub(eventTable, number, r[1].(string), r[4], r[5])
	}
	for _, open := range m.data[number][t] {
		if open[id] == r[id] && open[ends] == at(dsl.Forever) {
			if l.retract {
				open[ends] = r[t.column("record_from")]
			}
			return
		}
	}
	if !l.retract {
		m.put(t, r)
	}
}
