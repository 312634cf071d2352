package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// stateWalk is one key with its state rows.
type stateWalk struct {
	prefix   []byte // class, subject, relation
	src, rel string
	known    bool
	rows     []foundRow
}

// foundRow is a state row as it was found.
type foundRow struct {
	node  uint32
	seq   dsl.Seq
	value []byte
}

// states walks the state rows, key by key. Their changes are taken as found.
// Once, the tree of the key is grown again from them, and every row must be the
// one that this build writes; I7 within the key is checked on the way. The rows
// of one key are held in memory while it is checked.
func (c *checker) states() (err error) {
	lo := c.keys.class(clState)
	it, err := c.f.snap.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: after(lo)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	var w stateWalk
	for ok := it.First(); ok; ok = it.Next() {
		if err := c.tick(); err != nil {
			return err
		}
		key := c.bare(it.Key())
		if !wellFormed(key) {
			continue
		}
		if !bytes.Equal(w.prefix, key[:25]) {
			if err := c.stateKey(&w); err != nil {
				return err
			}
			w = stateWalk{prefix: bytes.Clone(key[:25])}
		}
		f := foundRow{binary.BigEndian.Uint32(key[25:]), ^keySeq(key, 29), nil}
		if c.once || c.win.slot(f.seq) != nil {
			f.value = bytes.Clone(it.Value())
		}
		w.rows = append(w.rows, f)
	}
	return errors.Join(c.stateKey(&w), it.Error())
}

// stateKey takes the rows of one key, oldest first.
func (c *checker) stateKey(w *stateWalk) error {
	if len(w.rows) == 0 {
		return nil
	}
	slices.SortFunc(w.rows, func(a, b foundRow) int { return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.node, b.node)) })
	if w.rows[0].value == nil {
		w.known = true // its first row was met in an earlier window
	}
	regrown := regrownTree{tree: &keyTree{shape: c.f.shadow.shape, nodes: map[uint32]*treeNode{0: {leaf: true}}, next: 1}, spots: map[dsl.VersionRef]spot{}}
	if c.once {
		c.count("I7", 1)
	} else {
		regrown.broken = true
	}
	for len(w.rows) > 0 {
		n := 1
		for n < len(w.rows) && w.rows[n].seq == w.rows[0].seq {
			n++
		}
		if err := c.tick(); err != nil {
			return err
		}
		if w.rows[0].value != nil {
			c.statesAt(w, &regrown, w.rows[:n])
		}
		w.rows = w.rows[n:]
	}
	return nil
}

// statesAt takes the rows that one position wrote of a key.
func (c *checker) statesAt(w *stateWalk, t *regrownTree, rows []foundRow) {
	seq := rows[0].seq
	note := func(format string, args ...any) {
		if c.once && !t.broken {
			c.fault(seq, "state", "the state row of %x "+format, append([]any{w.prefix[1:]}, args...)...)
		}
		t.broken = true
	}
	var at dsl.Instant
	for _, f := range rows {
		row, n, _, err := decodeStateRow(f.value)
		for i := range n.changes {
			ch := &n.changes[i]
			if ch.kind == chOpen && !w.known {
				c.keyOf(w, &ch.entry)
			}
			c.found(seq, appendChange(appendU64(bytes.Clone(w.prefix), ^uint64(seq)), ch, 0), nil)
			if !t.broken {
				if err := t.put(ch); err != nil {
					note("cannot be folded: %v", err)
				}
			}
		}
		if err != nil {
			note("does not decode")
			continue
		}
		at = row.at
		if s := c.win.slot(seq); s != nil && s.present && s.time != row.at {
			c.fault(seq, "I3", "a state row was recorded at %s, its position at %s", row.at, s.time)
		}
	}
	if t.broken {
		return
	}
	c.count("state", len(rows))
	want := map[uint32][]byte{}
	err := t.tree.settle(&rowWriter{at: at, set: func(node uint32, row []byte) error {
		want[node] = row
		return nil
	}})
	if err != nil {
		note("cannot be folded: %v", err)
		return
	}
	for _, f := range rows {
		if !bytes.Equal(f.value, want[f.node]) {
			note("of node %d is not the one that its changes give", f.node)
			return
		}
		delete(want, f.node)
	}
	if len(want) > 0 {
		note("of node %d is missing", slices.Min(slices.Collect(maps.Keys(want))))
		return
	}
	if w.known && c.opt.Functional(w.rel) {
		c.exclusive(seq, w.rel, t)
	}
	t.opened = t.opened[:0]
}

// regrownTree is the tree of a key as check grows it again.
type regrownTree struct {
	tree *keyTree
	// spots are those of the versions that were opened.
	spots map[dsl.VersionRef]spot
	// opened are the versions that the position under way opened.
	opened []dsl.VersionRef
	broken bool
}

func (t *regrownTree) put(ch *change) error {
	ref := dsl.VersionRef{ID: ch.id, Version: ch.version}
	if ch.kind == chOpen {
		ref = dsl.VersionRef{ID: ch.entry.id, Version: ch.entry.version}
		t.spots[ref] = ch.entry.spot()
		t.opened = append(t.opened, ref)
	}
	at, ok := t.spots[ref]
	if !ok {
		return fmt.Errorf("%w: fact %s version %d was never opened", dsl.ErrCorrupt, ref.ID, ref.Version)
	}
	return t.tree.put(ch, at, func(id uint32) (*treeNode, error) {
		return nil, fmt.Errorf("%w: it has no node %d", dsl.ErrCorrupt, id)
	})
}

// overlapping calls f with the versions below a node that may overlap v.
func (t *regrownTree) overlapping(id uint32, v dsl.Interval, f func(*entry)) {
	n := t.tree.nodes[id]
	for i := range n.entries {
		f(&n.entries[i])
	}
	for i, k := range n.kids {
		if i > 0 && k.from.start >= v.End {
			break
		}
		if i+1 == len(n.kids) || n.kids[i+1].from.start > v.Start || k.reach > v.Start {
			t.overlapping(k.node, v, f)
		}
	}
}

// keyOf finds the subject and relation of a key by the first version that it
// opens, and tells the rows by which the key is found.
func (c *checker) keyOf(w *stateWalk, e *entry) {
	w.known = true
	value, _ := c.get(c.keys.idVersion(clVersion, e.id, e.version))
	v, err := decodeVersion(value)
	if err != nil || !bytes.Equal(c.bare(c.keys.state(v.src, v.rel)), w.prefix) {
		c.fault(e.opened, "state", "the key %x opens with version %d of fact %s, which is of another key or missing", w.prefix[1:], e.version, e.id)
		w.known = false
		return
	}
	w.src, w.rel = v.src, v.rel
	c.told(e.opened, c.bare(c.keys.seqOp(clKey, e.opened, e.op)), append(appendID(nil, v.src), v.rel...))
	c.told(e.opened, c.bare(c.keys.idSeqOp(clRel, v.src, e.opened, e.op)), []byte(v.rel))
}

// exclusive checks I7: what a position opened must overlap nothing that is open.
func (c *checker) exclusive(seq dsl.Seq, rel string, t *regrownTree) {
	told := map[[2]dsl.VersionRef]bool{}
	for _, ref := range t.opened {
		leaf, err := t.tree.leafFor(t.spots[ref], nil, false)
		if err != nil {
			continue // it was just put there
		}
		i, open := leaf.find(t.spots[ref])
		if !open || leaf.entries[i].archived {
			continue
		}
		x := &leaf.entries[i]
		t.overlapping(0, x.valid, func(y *entry) {
			if y.archived || y == x || !x.valid.Overlaps(y.valid) {
				return
			}
			a, b := y, x
			if x.spot().compare(y.spot()) < 0 {
				a, b = x, y
			}
			pair := [2]dsl.VersionRef{{ID: a.id, Version: a.version}, {ID: b.id, Version: b.version}}
			if told[pair] {
				return
			}
			told[pair] = true
			c.fault(seq, "I7", "%s holds one value at a time, and fact %s version %d in %s and fact %s version %d in %s are both believed",
				rel, a.id, a.version, a.valid, b.id, b.version, b.valid)
		})
	}
}

// sampledKeys is how many keys are read back for each sampled position.
const sampledKeys = 16

// sampledKey is a key whose logical rows are gathered.
type sampledKey struct {
	src, rel string
	versions []versionRow
	events   []stateEvent
}

// stateEvent is one change of a key as the logical rows tell it.
type stateEvent struct {
	at     place
	time   dsl.Instant
	second bool // the opening half of a RETRO_CORRECT
	change change
}

// sampleStates folds a sample of keys from the logical rows alone and compares
// with what views read at sampled positions.
func (c *checker) sampleStates() error {
	picked := sample[*sampledKey]{n: sampledKeys * c.opt.Samples}
	err := c.rows(clKey, func(key, value []byte) error {
		r := reader{b: value}
		if k := (&sampledKey{src: r.id()}); !r.bad {
			k.rel = string(r.b)
			picked.add(c.draw(value), k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	byKey := map[[2]string]*sampledKey{}
	for _, k := range picked.list {
		byKey[[2]string{k.src, k.rel}] = k
	}
	byFact := map[string]*sampledKey{}
	err = c.rows(clVersion, func(_, value []byte) error {
		v, err := decodeVersion(value)
		if k := byKey[[2]string{v.src, v.rel}]; err == nil && k != nil {
			k.versions = append(k.versions, v)
			byFact[v.id] = k
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, k := range picked.list {
		if err := c.gather(k); err != nil {
			return err
		}
	}
	times := map[dsl.Seq]dsl.Instant{}
	err = c.rows(clLink, func(key, value []byte) error {
		l, err := decodeLink(value)
		k := byFact[l.to]
		if err != nil || l.kind != dsl.EvidenceLink || k == nil {
			return nil
		}
		at := place{keySeq(key, 17), int(key[25])<<8 | int(key[26])}
		if _, ok := times[at.seq]; !ok {
			times[at.seq] = c.timeOf(at.seq)
		}
		ch := change{kind: chEvidence, id: l.to, turn: l.from, confidence: l.confidence}
		if l.retract {
			ch.kind = chForget
		}
		k.events = append(k.events, stateEvent{at: at, time: times[at.seq], change: ch})
		return nil
	})
	if err != nil {
		return err
	}
	for _, seq := range c.positions() {
		for _, k := range picked.list {
			if err := c.ctx.Err(); err != nil {
				return err
			}
			c.compareState(k, seq)
		}
	}
	return nil
}

// timeOf gives the record time of a position, Forever if it cannot be read.
func (c *checker) timeOf(seq dsl.Seq) dsl.Instant {
	value, _ := c.get(c.keys.seq(clPosition, seq))
	p, err := decodePosition(seq, value)
	if err != nil {
		return dsl.Forever
	}
	return p.Time
}

// gather reads the closings and archives of the facts of a key.
func (c *checker) gather(k *sampledKey) error {
	seen := map[string]bool{}
	for _, v := range k.versions {
		k.events = append(k.events, stateEvent{at: place{v.opened, v.op}, time: v.openedAt, second: true, change: change{kind: chOpen, entry: v.entry}})
		if value, ok := c.get(c.keys.idVersion(clClosing, v.id, v.version)); ok {
			if cl, err := decodeClosing(value); err == nil {
				k.events = append(k.events, stateEvent{at: place{cl.seq, cl.op}, time: cl.at, change: change{kind: chClose, id: v.id, version: v.version}})
			}
		}
		if seen[v.id] {
			continue
		}
		seen[v.id] = true
		prefix := c.keys.id(clArchive, v.id)
		err := eachRow(c.f.snap, prefix, after(prefix), func(key, value []byte) error {
			if a, err := decodeClosing(value); err == nil {
				k.events = append(k.events, stateEvent{at: place{a.seq, a.op}, time: a.at, change: change{kind: chArchive, id: v.id}})
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// compareState compares the fold of a key with what the view at a position
// reads.
func (c *checker) compareState(k *sampledKey, seq dsl.Seq) {
	slices.SortFunc(k.events, func(a, b stateEvent) int {
		switch {
		case a.at.before(b.at):
			return -1
		case b.at.before(a.at):
			return 1
		case a.second == b.second:
			return 0
		case a.second:
			return 1
		}
		return -1
	})
	want := keyState{whole: true}
	for i := range k.events {
		if e := &k.events[i]; e.at.seq <= seq {
			if err := want.fold(&e.change, e.at.seq, e.time); err != nil {
				c.fault(e.at.seq, "state", "the logical rows of (%s, %s) cannot be folded: %v", k.src, k.rel, err)
				return
			}
		}
	}
	v := c.f.at(c.space, seq)
	defer v.Close()
	c.count("state", 1)
	i, open := 0, 0
	for got, err := range v.Facts(FactQuery{Src: []string{k.src}, Rel: k.rel, All: true}) {
		if err != nil {
			c.fault(seq, "state", "reading (%s, %s): %v", k.src, k.rel, err)
			return
		}
		if i >= len(want.versions) || !c.shows(v, k, &want.versions[i], &got) {
			c.fault(seq, "state", "(%s, %s) reads fact %s version %d, %s, where the logical rows tell another", k.src, k.rel, got.ID, got.Version, got.Status)
			return
		}
		if i++; got.Status == dsl.StatusOpen {
			open++
		}
	}
	if i != len(want.versions) {
		c.fault(seq, "state", "(%s, %s) reads %d versions, the logical rows tell %d", k.src, k.rel, i, len(want.versions))
	}
	for got, err := range v.Facts(FactQuery{Src: []string{k.src}, Rel: k.rel}) {
		j := slices.IndexFunc(want.versions, func(e entry) bool { return e.id == got.ID && e.version == got.Version })
		if err != nil || j < 0 || got.Status != dsl.StatusOpen || !c.shows(v, k, &want.versions[j], &got) {
			c.fault(seq, "state", "(%s, %s) reads fact %s version %d as open, the logical rows tell another (%v)", k.src, k.rel, got.ID, got.Version, err)
			return
		}
		open--
	}
	if open != 0 {
		c.fault(seq, "state", "(%s, %s) reads %d open versions too few", k.src, k.rel, open)
	}
}

// shows tells whether a read shows an entry as it is.
func (c *checker) shows(v *snapshot, k *sampledKey, e *entry, got *dsl.FactVersion) bool {
	want, err := v.factVersion(k.src, k.rel, e)
	return err == nil && got.ID == want.ID && got.Version == want.Version && got.Src == want.Src && got.Dst == want.Dst && got.Rel == want.Rel &&
		got.Relation == want.Relation && got.Valid == want.Valid && got.Record == want.Record && got.Opened == want.Opened &&
		got.Closed == want.Closed && got.Status == want.Status && got.Confidence == want.Confidence && got.Source == want.Source &&
		slices.Equal(got.Evidence, want.Evidence)
}
