package store

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// stateWalk is one key on its way through its state rows, oldest first.
type stateWalk struct {
	prefix   []byte // class, subject, relation
	src, rel string
	known    bool
	state    keyState
	broken   bool
}

// states walks the state rows from the oldest of each key to the newest: their
// changes are taken as found, whole states and the rule of when one is due are
// checked against the fold, and so is I7 within a key.
func (c *checker) states() (err error) {
	lo := c.keys.class(clState)
	it, err := c.f.snap.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: after(lo)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	var w stateWalk
	for ok := it.Last(); ok; ok = it.Prev() {
		if err := c.tick(); err != nil {
			return err
		}
		key := c.bare(it.Key())
		if !wellFormed(key) {
			continue
		}
		if len(w.prefix) == 0 || !bytes.Equal(w.prefix, key[:25]) {
			w = stateWalk{prefix: bytes.Clone(key[:25])}
			if c.once {
				c.count("I7", 1)
			}
		}
		c.stateRow(&w, ^keySeq(key, 25), bytes.Clone(it.Value()))
	}
	return it.Error()
}

// stateRow takes one row of a key.
func (c *checker) stateRow(w *stateWalk, seq dsl.Seq, value []byte) {
	inside := c.win.slot(seq) != nil
	if !inside && !c.once {
		w.known = true // its first row was met in an earlier window
		return
	}
	note := func(format string, args ...any) {
		if c.once && !w.broken {
			c.fault(seq, "state", "the state row of %x "+format, append([]any{w.prefix[1:]}, args...)...)
		}
		w.broken = true
	}
	row, err := decodeStateRow(seq, value, false)
	r := &row.rest
	if err != nil || r.bad {
		note("does not decode")
		return
	}
	var changes []change
	for range r.count(2) {
		ch := r.change(row.at)
		if r.bad {
			break
		}
		changes = append(changes, ch)
		if ch.kind == chOpen && !w.known {
			c.keyOf(w, &ch.entry)
		}
		c.found(seq, appendChange(appendU64(bytes.Clone(w.prefix), ^uint64(seq)), &ch, 0), nil)
		if c.once && !w.broken {
			if err := w.state.fold(&ch, seq, row.at); err != nil {
				note("cannot be folded: %v", err)
			}
			w.state.since++
		}
	}
	if r.done("state") != nil {
		note("does not decode")
	} else if again := appendStateRow(nil, row.at, changes, row.whole, row.hasWhole); !bytes.Equal(again, value) {
		note("is not written as this build writes it")
	}
	if inside {
		if s := c.win.slot(seq); s.present && s.time != row.at {
			c.fault(seq, "I3", "a state row was recorded at %s, its position at %s", row.at, s.time)
		}
	}
	if !c.once || w.broken {
		return
	}
	c.count("state", 1)
	if due := w.state.due(); due != row.hasWhole {
		note("holds the whole state: %t; by the rule: %t", row.hasWhole, due)
	}
	if row.hasWhole {
		w.state.since = 0
		if !bytes.Equal(encodeEntries(row.whole), encodeEntries(w.state.versions)) {
			note("holds another whole state than its changes give")
		}
	}
	if w.known && c.opt.Functional(w.rel) {
		c.exclusive(seq, w.rel, w.state.versions)
	}
}

func encodeEntries(list []entry) []byte {
	var b []byte
	for i := range list {
		b = appendEntry(b, &list[i], 0)
	}
	return b
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

// exclusive checks I7 among the versions open at a position.
func (c *checker) exclusive(seq dsl.Seq, rel string, versions []entry) {
	held := slices.DeleteFunc(slices.Clone(versions), func(e entry) bool { return e.archived || e.valid.Empty() })
	slices.SortStableFunc(held, func(a, b entry) int { return cmp.Compare(a.valid.Start, b.valid.Start) })
	for i := 1; i < len(held); i++ {
		a, b := &held[i-1], &held[i]
		if !a.valid.Overlaps(b.valid) {
			continue
		}
		if max(a.opened, b.opened) == seq { // told where it arises, not at every later row
			c.fault(seq, "I7", "%s holds one value at a time, and fact %s version %d in %s and fact %s version %d in %s are both believed",
				rel, a.id, a.version, a.valid, b.id, b.version, b.valid)
		}
		if b.valid.End < a.valid.End {
			held[i-1], held[i] = held[i], held[i-1] // the one that reaches further meets the next
		}
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
