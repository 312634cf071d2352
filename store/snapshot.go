package store

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
)

// snapshot is the View of the Pebble store. It needs no Pebble snapshot: rows
// are never overwritten, every row belongs to a position, and reads stop at the
// basis.
type snapshot struct {
	s     *Store
	r     pebble.Reader
	stage *Stage // nil for a view of what is committed
	space string
	keys  keySpace

	life      dsl.Seq // the position of the space's last drop
	basisSeq  dsl.Seq
	basisTime dsl.Instant
	timeKnown bool

	mu     sync.Mutex // guards what follows
	pos    *positionRow
	closed bool
}

func newSnapshot(s *Store, r pebble.Reader, space string, seq dsl.Seq, st *Stage) *snapshot {
	return &snapshot{s: s, r: r, stage: st, space: space, keys: keysOfHash(s.caches.hash8(space)), basisSeq: seq}
}

// lent is an iterator on loan: over all spaces for a view of what is committed,
// over the stage's rows for a view of a stage.
type lent struct {
	*pebble.Iterator
	epoch uint64
}

// iter lends an iterator; put gives it back. Its user stops at the end of the
// prefix that it seeks.
func (v *snapshot) iter() (lent, error) {
	v.mu.Lock()
	closed := v.closed
	v.mu.Unlock()
	if closed {
		return lent{}, fmt.Errorf("store: view: %w", dsl.ErrClosed)
	}
	if v.stage == nil {
		it, epoch, err := v.s.iters.take()
		return lent{it, epoch}, err
	}
	p := v.keys.prefix[:]
	it, err := v.r.NewIter(&pebble.IterOptions{LowerBound: p, UpperBound: after(p)})
	if err != nil {
		return lent{}, fmt.Errorf("store: view: %w", err)
	}
	return lent{Iterator: it}, nil
}

// put takes an iterator back. What it read was checked by its user; the error
// of closing one that is not kept says nothing more.
func (v *snapshot) put(it lent) {
	if v.stage == nil {
		_ = v.s.iters.put(it.Iterator, it.epoch)
		return
	}
	_ = it.Close()
}

// Close implements View.
func (v *snapshot) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	return nil
}

// positionBefore gives the last position recorded at or before t, of a space
// whose head is known.
func (v *snapshot) positionBefore(t dsl.Instant, h *head) (dsl.Seq, dsl.Instant, error) {
	switch {
	case h.Seq == 0:
		return 0, dsl.Beginning, nil
	case t >= h.Time:
		return h.Seq, h.Time, nil
	case h.dropped != 0: // the cache counts from position 1
		return v.lastBefore(t, h)
	}
	seq, at, ok, err := v.s.caches.times.lookup(v.space, h.Seq, t, v.recordTimes)
	if err != nil || !ok { // no room, or the space was dropped meanwhile
		return v.lastBefore(t, h)
	}
	return seq, at, nil
}

// recordTimes reads the record times of n positions.
func (v *snapshot) recordTimes(from, n dsl.Seq) ([]dsl.Instant, error) {
	list := make([]dsl.Instant, 0, n)
	lo := v.keys.seq(clPosition, from)
	err := v.scanRange(lo, v.keys.seq(clPosition, from+n), func(key, value []byte) (bool, error) {
		r := reader{b: value}
		at := r.time()
		if want := from + dsl.Seq(len(list)); r.bad || len(key) != len(lo) || keySeq(key, len(lo)-8) != want {
			return false, fmt.Errorf("%w: position %s of %q", dsl.ErrCorrupt, want, v.space)
		}
		list = append(list, at)
		return true, nil
	})
	if err == nil && len(list) < int(n) {
		err = fmt.Errorf("store: %w: the positions of %q end at %s", dsl.ErrCorrupt, v.space, from+dsl.Seq(len(list)))
	}
	return list, err
}

// lastBefore is positionBefore by the position rows themselves: record times rise.
func (v *snapshot) lastBefore(t dsl.Instant, h *head) (dsl.Seq, dsl.Instant, error) {
	lo, hi, last := max(h.dropped, 1), h.Seq+1, dsl.Beginning // the first position behind t lies in [lo, hi]
	for lo < hi {
		mid := lo + (hi-lo)/2
		at, err := v.recordTimes(mid, 1)
		if err != nil {
			return 0, 0, err
		}
		if at[0] <= t {
			lo, last = mid+1, at[0]
		} else {
			hi = mid
		}
	}
	if last == dsl.Beginning {
		return 0, last, nil
	}
	return lo - 1, last, nil
}

// position gives the position row of the basis; the zero row for an empty view.
func (v *snapshot) position() (positionRow, error) {
	v.mu.Lock()
	p := v.pos
	v.mu.Unlock()
	if p != nil {
		return *p, nil
	}
	row, err := v.positionAt(v.basisSeq)
	if err != nil {
		return row, err
	}
	v.mu.Lock()
	v.pos = &row
	v.mu.Unlock()
	return row, nil
}

func (v *snapshot) positionAt(seq dsl.Seq) (positionRow, error) {
	if seq == 0 {
		return positionRow{Position: Position{Time: dsl.Beginning}}, nil
	}
	if v.stage != nil {
		if h, ok := v.stage.heads[v.space]; ok && h.Seq == seq {
			h.Digest = h.acc.digest(h.Seq)
			return h.positionRow, nil
		}
	}
	value, ok, err := get(v.r, v.keys.seq(clPosition, seq))
	if err != nil {
		return positionRow{}, err
	}
	if !ok {
		return positionRow{}, fmt.Errorf("store: %w: position %s of %q", dsl.ErrNotFound, seq, v.space)
	}
	p, err := decodePosition(seq, value)
	if err != nil {
		return p, fmt.Errorf("store: position %s of %q: %w", seq, v.space, err)
	}
	return p, nil
}

// Basis implements View. A basis that cannot be read has zero settings; every
// other method of the view then reports the error.
func (v *snapshot) Basis() Basis {
	b := Basis{Space: v.space, Seq: v.basisSeq, Time: v.basisTime}
	p, err := v.position()
	if err == nil {
		b.Time, b.Settings = p.Time, p.Settings
	}
	return b
}

// Digest implements View.
func (v *snapshot) Digest() (dsl.Hash, error) {
	p, err := v.position()
	if err != nil {
		return dsl.Hash{}, err
	}
	return p.acc.digest(p.Seq), nil
}

// PositionAt implements View.
func (v *snapshot) PositionAt(seq dsl.Seq) (Position, error) {
	if seq == 0 || seq > v.basisSeq {
		return Position{}, fmt.Errorf("store: %w: position %s", dsl.ErrNotFound, seq)
	}
	p, err := v.positionAt(seq)
	return p.Position, err
}

// SettingsAt implements View.
func (v *snapshot) SettingsAt(h dsl.Hash) (*dsl.Settings, error) {
	text, err := v.settingsText(h)
	if err != nil {
		return nil, err
	}
	s := new(dsl.Settings)
	if err := dsl.Decode(text, s); err != nil {
		return nil, fmt.Errorf("store: settings %s: %w", h, err)
	}
	return s, nil
}

func (v *snapshot) settingsText(h dsl.Hash) ([]byte, error) {
	value, ok, err := get(v.r, v.keys.hash(clSettings, h))
	if err != nil {
		return nil, err
	}
	r := reader{b: value}
	if seq := dsl.Seq(r.uvar()); !ok || seq > v.basisSeq {
		return nil, fmt.Errorf("store: %w: settings %s", dsl.ErrNotFound, h)
	}
	return r.b, nil
}

// Node implements View.
func (v *snapshot) Node(id string) (dsl.Node, error) {
	missing := func() (dsl.Node, error) {
		return dsl.Node{}, fmt.Errorf("store: %w: node %s", dsl.ErrNotFound, id)
	}
	n, ok := v.s.caches.node(v.space, id, v.life)
	if !ok {
		value, found, err := get(v.r, v.keys.id(clNode, id))
		if err != nil {
			return dsl.Node{}, err
		}
		if !found {
			return missing()
		}
		if n, err = decodeNode(value); err != nil {
			return dsl.Node{}, fmt.Errorf("store: node %s: %w", id, err)
		}
		if v.stage == nil || n.seq <= v.stage.committed(v.space) {
			v.s.caches.putNode(v.space, n, v.life)
		}
	}
	if n.seq > v.basisSeq || n.ID != id {
		return missing()
	}
	return n.Node, nil
}

// NodesNamed implements View.
func (v *snapshot) NodesNamed(name string) ([]dsl.Node, error) {
	var out []dsl.Node
	for _, kind := range dsl.NodeKinds {
		n, err := v.Node(dsl.NodeID(v.space, kind, name))
		switch {
		case errors.Is(err, dsl.ErrNotFound):
		case err != nil:
			return nil, err
		default:
			out = append(out, n)
		}
	}
	return out, nil
}

// Aliases implements View.
func (v *snapshot) Aliases(id string) ([]string, error) {
	group := []string{id}
	for i := 0; i < len(group); i++ {
		next, err := v.aliasEnds(group[i])
		if err != nil {
			return nil, err
		}
		for _, n := range next {
			if !slices.Contains(group, n) {
				group = append(group, n)
			}
		}
	}
	return sorted(group), nil
}

// aliasEnds gives the nodes tied to one by an alias link open at the basis. A
// link has a direction: the two directions between two nodes are two links.
func (v *snapshot) aliasEnds(id string) ([]string, error) {
	prefix := v.keys.id(clAlias, id)
	type end struct {
		other string
		open  bool
	}
	var ends []end
	err := v.scan(prefix, func(key, value []byte) (bool, error) {
		if keySeq(key, len(prefix)) > v.basisSeq {
			return false, nil
		}
		r := reader{b: value}
		other, flags := r.id(), r.byte()
		if err := r.done("alias"); err != nil {
			return false, err
		}
		key2 := other + string(rune('0'+flags>>1))
		i := slices.IndexFunc(ends, func(e end) bool { return e.other == key2 })
		if i < 0 {
			i, ends = len(ends), append(ends, end{other: key2})
		}
		ends[i].open = flags&1 == 0
		return true, nil
	})
	var out []string
	for _, e := range ends {
		if id := e.other[:len(e.other)-1]; e.open && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, err
}

// scan calls f with each row under the prefix, in order, until f returns false.
func (v *snapshot) scan(prefix []byte, f func(key, value []byte) (bool, error)) error {
	if o, ok := v.scanned(prefix); ok {
		if err := o.scan(prefix, f); err != nil {
			return fmt.Errorf("store: %w", err)
		}
		return nil
	}
	return v.scanRange(prefix, after(prefix), f)
}

func (v *snapshot) scanRange(lo, hi []byte, f func(key, value []byte) (bool, error)) error {
	it, err := v.iter()
	if err != nil {
		return err
	}
	defer v.put(it)
	for ok := it.SeekGE(lo); ok && string(it.Key()) < string(hi); ok = it.Next() {
		more, err := f(it.Key(), it.Value())
		if err != nil {
			return fmt.Errorf("store: %w", err)
		}
		if !more {
			return nil
		}
	}
	return it.Error()
}

// Turn implements View.
func (v *snapshot) Turn(id string) (Turn, error) {
	missing := fmt.Errorf("store: %w: turn %q", dsl.ErrNotFound, id)
	doc, ok, err := v.turnNumber(id)
	if err != nil {
		return Turn{}, err
	}
	if !ok {
		return Turn{}, missing
	}
	return v.turnAt(int(doc))
}

func (v *snapshot) turnAt(doc int) (Turn, error) {
	t, err := v.recorded(doc)
	if err != nil {
		return t, err
	}
	return v.withReplaced(t)
}

func readTurn(r pebble.Reader, k *keySpace, doc int) (Turn, error) {
	value, ok, err := get(r, appendU32(k.class(clTurn), uint32(doc)))
	if err != nil {
		return Turn{}, err
	}
	if !ok {
		return Turn{}, fmt.Errorf("store: %w: turn number %d is missing", dsl.ErrCorrupt, doc)
	}
	t, err := decodeTurn(doc, value)
	if err != nil {
		return t, fmt.Errorf("store: %w", err)
	}
	return t, nil
}

// Turns implements View.
func (v *snapshot) Turns(from int) iter.Seq2[Turn, error] {
	return func(yield func(Turn, error) bool) {
		pos, err := v.position()
		if err != nil {
			yield(Turn{}, err)
			return
		}
		for doc := max(from, 0); uint64(doc) < pos.Turns; doc++ {
			t, err := v.turnAt(doc)
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// Known implements View.
func (v *snapshot) Known(key dsl.Hash) (dsl.Seq, error) {
	value, ok, err := get(v.r, v.keys.known(key))
	if err != nil || !ok {
		return 0, err
	}
	r := reader{b: value}
	seq := dsl.Seq(r.uvar())
	if seq > v.basisSeq {
		return 0, nil
	}
	return seq, nil
}
