package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// maxAliasNodes bounds the nodes of one alias group that I7 follows.
const maxAliasNodes = 256

// aliasEdge is one LINK of nodes, or its end.
type aliasEdge struct {
	at       place
	from, to string
	open     bool
}

// aliasFunctional checks I7 over alias groups: at no position do two nodes that
// are one hold two values of a functional relation. Groups that never had more
// than one node with the relation are covered by the walk over its key.
func (c *checker) aliasFunctional() error {
	return c.rows(clKey, func(_, value []byte) error {
		r := reader{b: value}
		src := r.id()
		rel := string(r.b)
		if r.bad || !c.opt.Functional(rel) {
			return nil
		}
		nodes, edges, err := c.everAliased(src)
		if err != nil || len(nodes) < 2 {
			return err
		}
		slices.Sort(nodes)
		type row struct {
			node    string
			seq     dsl.Seq
			at      dsl.Instant
			changes []change
		}
		var rows []row
		holders := 0
		for _, n := range nodes {
			prefix := c.keys.state(n, rel)
			had := len(rows)
			err := eachRow(c.f.snap, prefix, after(prefix), func(key, value []byte) error {
				s, node, _, err := decodeStateRow(value)
				rows = append(rows, row{n, ^keySeq(key, len(prefix)+4), s.at, node.changes})
				return err
			})
			if err != nil {
				return nil // told by the walk over the state rows
			}
			if len(rows) == had {
				continue
			}
			if holders++; holders == 1 && n != src {
				return nil // the group is followed once, from its first node that has the relation
			}
		}
		if holders < 2 {
			return nil
		}
		c.count("I7", 1)
		seqs := map[dsl.Seq]bool{}
		for _, e := range edges {
			seqs[e.at.seq] = true
		}
		for _, r := range rows {
			seqs[r.seq] = true
		}
		states := map[string]*keyState{}
		told := map[string]bool{}
		for _, seq := range sortedSeqs(seqs) {
			for i := range rows {
				if rows[i].seq != seq {
					continue
				}
				s := states[rows[i].node]
				if s == nil {
					s = &keyState{}
					states[rows[i].node] = s
				}
				for j := range rows[i].changes {
					if s.fold(&rows[i].changes[j], seq, rows[i].at) != nil {
						return nil // told by the walk over the state rows
					}
				}
			}
			for _, group := range aliasGroupsAt(nodes, edges, seq) {
				c.exclusiveIn(seq, rel, group, states, told)
			}
		}
		return nil
	})
}

// exclusiveIn checks I7 between the nodes of one group at one position; told
// holds the pairs already told.
func (c *checker) exclusiveIn(seq dsl.Seq, rel string, group []string, states map[string]*keyState, told map[string]bool) {
	for i, a := range group {
		for _, b := range group[:i] {
			if states[a] == nil || states[b] == nil {
				continue
			}
			for _, x := range states[a].versions {
				for _, y := range states[b].versions {
					pair := fmt.Sprint(x.id, x.version, y.id, y.version)
					if x.archived || y.archived || !x.valid.Overlaps(y.valid) || told[pair] {
						continue
					}
					told[pair] = true
					c.fault(seq, "I7", "%s holds one value at a time, and of the aliases %s and %s fact %s version %d in %s and fact %s version %d in %s are both believed",
						rel, b, a, y.id, y.version, y.valid, x.id, x.version, x.valid)
				}
			}
		}
	}
}

func sortedSeqs(m map[dsl.Seq]bool) []dsl.Seq {
	list := make([]dsl.Seq, 0, len(m))
	for s := range m {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

// everAliased gives the nodes that were ever tied to one, by whatever chain,
// and every link among them, in order.
func (c *checker) everAliased(id string) (nodes []string, edges []aliasEdge, err error) {
	nodes = []string{id}
	for i := 0; i < len(nodes) && len(nodes) <= maxAliasNodes; i++ {
		node, prefix := nodes[i], c.keys.id(clAlias, nodes[i])
		err := eachRow(c.f.snap, prefix, after(prefix), func(key, value []byte) error {
			r := reader{b: value}
			other, flags := r.id(), r.byte()
			if r.done("alias") != nil {
				return nil
			}
			e := aliasEdge{at: place{keySeq(key, len(prefix)), int(binary.BigEndian.Uint16(key[len(prefix)+8:]))}, from: node, to: other, open: flags&1 == 0}
			if flags&2 != 0 {
				e.from, e.to = other, node
			}
			edges = append(edges, e)
			if !slices.Contains(nodes, other) {
				nodes = append(nodes, other)
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	sortEdges(edges)
	return nodes, edges, nil
}

func sortEdges(edges []aliasEdge) {
	slices.SortStableFunc(edges, func(a, b aliasEdge) int {
		switch {
		case a.at.before(b.at):
			return -1
		case b.at.before(a.at):
			return 1
		}
		return 0
	})
}

// aliasGroupsAt gives the groups of nodes that the links recorded up to a
// position tie together, each sorted.
func aliasGroupsAt(nodes []string, edges []aliasEdge, seq dsl.Seq) [][]string {
	open := map[[2]string]bool{}
	for _, e := range edges {
		if e.at.seq <= seq {
			open[[2]string{e.from, e.to}] = e.open
		}
	}
	root := map[string]string{}
	var find func(n string) string
	find = func(n string) string {
		if p, ok := root[n]; ok && p != n {
			return find(p)
		}
		return n
	}
	for pair, is := range open {
		if a, b := find(pair[0]), find(pair[1]); is && a != b {
			root[max(a, b)] = min(a, b) // the least node is the root, whatever the order
		}
	}
	groups := map[string][]string{}
	for _, n := range nodes {
		groups[find(n)] = append(groups[find(n)], n)
	}
	var out [][]string
	for _, n := range nodes {
		if g := groups[n]; g != nil {
			out = append(out, sorted(g))
		}
	}
	return out
}

// aliasGroups checks I10: at sampled positions the alias groups of sampled
// nodes are those that the links recorded up to there make.
func (c *checker) aliasGroups() error {
	picked := sample[string]{n: 8 * c.opt.Samples}
	err := c.rows(clAlias, func(_, value []byte) error {
		r := reader{b: value}
		if id := r.id(); !r.bad {
			picked.add(c.draw([]byte(id)), id)
		}
		return nil
	})
	if err != nil || len(picked.list) == 0 {
		return err
	}
	nodes, edges, whole, err := c.linked(picked.list)
	if err != nil || !whole {
		return err
	}
	for _, seq := range c.positions() {
		groups := map[string][]string{}
		for _, g := range aliasGroupsAt(nodes, edges, seq) {
			for _, n := range g {
				groups[n] = g
			}
		}
		v := c.f.at(c.space, seq)
		for _, id := range picked.list {
			c.count("I10", 1)
			got, err := v.Aliases(id)
			if want := groups[id]; err != nil || !slices.Equal(got, want) {
				c.fault(seq, "I10", "the alias group of %s reads %v; the links recorded up to here make it %v (%v)", id, got, want, err)
			}
		}
		if err := v.Close(); err != nil {
			return err
		}
	}
	return nil
}

// linked gathers from the link rows every alias link that nodes are tied by, by
// whatever chain. whole is false where there are too many.
func (c *checker) linked(start []string) (nodes []string, edges []aliasEdge, whole bool, err error) {
	const most = 1 << 14
	in := map[string]bool{}
	for _, n := range start {
		in[n] = true
	}
	for grown := true; grown; {
		grown, edges = false, edges[:0]
		err := c.rows(clLink, func(key, value []byte) error {
			l, err := decodeLink(value)
			if err != nil || l.kind != dsl.AliasOf || !in[l.from] && !in[l.to] || len(in) > most {
				return nil
			}
			if !in[l.from] || !in[l.to] {
				in[l.from], in[l.to], grown = true, true, true
			}
			edges = append(edges, aliasEdge{at: place{keySeq(key, 17), int(binary.BigEndian.Uint16(key[25:]))}, from: l.from, to: l.to, open: !l.retract})
			return nil
		})
		if err != nil || len(in) > most {
			return nil, nil, false, err
		}
	}
	for n := range in {
		nodes = append(nodes, n)
	}
	sortEdges(edges)
	return sorted(nodes), edges, true, nil
}

// events checks I9: an event version is visible exactly from the record time at
// which all that it rests on is recorded, by the positions of those rows, and
// never before an earlier version; as the basis moves on, that time never falls.
func (c *checker) events() error {
	head := c.f.at(c.space, c.head)
	defer head.Close()
	picked := sample[string]{n: 8 * c.opt.Samples}
	err := c.rows(clEvent, func(_, value []byte) error {
		e, err := decodeEvent(value)
		if err != nil || e.Version != 1 {
			return nil
		}
		picked.add(c.draw([]byte(e.ID)), e.ID)
		_, err = c.visibility(head, e.ID)
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range picked.list {
		var last []dsl.Instant
		for _, seq := range c.positions() {
			v := c.f.at(c.space, seq)
			now, err := c.visibility(v, id)
			if err := errors.Join(err, v.Close()); err != nil {
				return err
			}
			for i, t := range now {
				if i < len(last) && last[i] != dsl.Forever && t < last[i] {
					c.fault(seq, "I9", "version %d of event %s is visible from %s, and in an earlier view from %s", i+1, id, t, last[i])
				}
			}
			last = now
		}
	}
	return nil
}

// visibility gives from when the versions of an event are visible in a view.
func (c *checker) visibility(v *snapshot, id string) ([]dsl.Instant, error) {
	versions, err := v.Event(id)
	if errors.Is(err, dsl.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		c.fault(v.basisSeq, "rows", "reading event %s: %v", id, err)
		return nil, c.ctx.Err()
	}
	var out []dsl.Instant
	floor := dsl.Beginning
	for i := range versions {
		e := &versions[i]
		c.count("I9", 1)
		if e.Version != uint32(i+1) || i > 0 && e.Opened < versions[i-1].Opened {
			c.fault(e.Opened, "I9", "version %d of event %s follows version %d", e.Version, id, i)
		}
		want, by := c.complete(v.basisSeq, e)
		if want != dsl.Forever {
			want = max(want, floor)
			floor = want
		}
		switch {
		case e.Visible < want:
			c.fault(e.Opened, "I9", "version %d of event %s is visible from %s, before what it rests on: %s at %s", e.Version, id, e.Visible, by, want)
		case e.Visible > want:
			c.fault(e.Opened, "I9", "version %d of event %s is visible from %s; it was complete at %s", e.Version, id, e.Visible, want)
		}
		out = append(out, e.Visible)
	}
	return out, c.ctx.Err()
}

// complete gives the record time of the last position at which something was
// recorded that an event version rests on, and what; Forever while something is
// not recorded.
func (c *checker) complete(basis dsl.Seq, e *dsl.Event) (at dsl.Instant, by string) {
	last, by := e.Opened, "the version itself"
	later := func(seq dsl.Seq, ok bool, what, id string) bool {
		if !ok || seq > basis {
			last, by = dsl.MaxSeq+1, what+" "+id
			return false
		}
		if seq > last {
			last, by = seq, what+" "+id
		}
		return true
	}
	for _, id := range e.Includes {
		row, ok, err := firstVersion(c.f.snap, c.keys.id(clVersion, id))
		if !later(row.opened, ok && err == nil, "fact", id) {
			return dsl.Forever, by
		}
	}
	for _, id := range e.Evidence {
		value, ok := c.get(c.keys.id(clTurnID, id))
		doc, w := binary.Uvarint(value)
		if ok = ok && w > 0; ok {
			value, ok = c.get(appendU32(c.keys.class(clTurn), uint32(doc)))
		}
		r := reader{b: value}
		seq := dsl.Seq(r.uvar())
		if !later(seq, ok && !r.bad, "turn", id) {
			return dsl.Forever, by
		}
	}
	return c.timeOf(last), by
}
