package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
)

// Fault is something that is wrong in a store, with its place.
type Fault struct {
	Space string `json:"space"`
	// Position is that of the transaction whose rows are wrong; 0 where no one
	// position is.
	Position dsl.Seq `json:"position"`
	// Kind is the invariant that is broken, I1 to I10, or what else is: digest
	// (logical rows are not those that the position row was written with), counts
	// (its counters), state (the state rows of a key), index (another derived
	// row), rows (a row that does not decode or lies under a wrong key), format,
	// or more (faults that are not listed).
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// CheckReport says what a check looked at and what it found.
type CheckReport struct {
	// Checked counts, by kind of fault, the things that were held against it:
	// intervals for I1, versions for I2, positions for I3, I5, digest and counts,
	// keys for I7, event versions for I9, alias groups for I10, and rows.
	Checked map[string]int `json:"checked"`
	Faults  []Fault        `json:"faults"`
}

// OK tells whether no fault was found.
func (r *CheckReport) OK() bool { return len(r.Faults) == 0 }

// MaxFaults is how many faults of one space a report lists; the rest is counted
// in one of kind more.
const MaxFaults = 100

// CheckOptions say how thoroughly a check looks. The zero value has defaults.
type CheckOptions struct {
	// Seed picks the samples: the same seed picks the same ones.
	Seed uint64
	// Samples is how many positions of a space are read back and compared, over
	// 16 keys and 8 alias groups for each (default 4).
	Samples int
	// Functional tells whether a relation holds one value per subject (I7); nil
	// means that none does.
	Functional func(rel string) bool
	// Window is how many positions are checked in one pass over the rows of a
	// space (default 131,072). Memory is about 400 bytes for each.
	Window int
}

func (o *CheckOptions) ensureDefaults() {
	if o.Samples <= 0 {
		o.Samples = 4
	}
	if o.Functional == nil {
		o.Functional = func(string) bool { return false }
	}
	if o.Window <= 0 {
		o.Window = 1 << 17
	}
}

// Check verifies a space, or all where the name is empty, as it stands when the
// check begins; writes go on meanwhile. It proves the logical rows by their set
// hash at every position and every derived row by making it again from the
// logical ones, postings of all documents included; what reads give is compared
// at seeded samples. I4, I6 and I8 need the log and are not checked here. What
// it finds is in the report; an error means that it could not look. Memory is
// bounded by the window, the longest history of one key or fact, and the largest
// alias group (of which I7 follows maxAliasNodes nodes).
func (s *Store) Check(ctx context.Context, space string, opt CheckOptions) (CheckReport, error) {
	f, err := s.Freeze()
	if err != nil {
		return CheckReport{}, err
	}
	rep, err := f.Check(ctx, space, opt)
	return rep, errors.Join(err, f.Close())
}

// Frozen is a store as it stood at one moment. It must be closed: Store.Close
// waits for it.
type Frozen struct {
	// shadow has caches of its own, so that what is read is what is stored.
	shadow *Store
	snap   *pebble.Snapshot
	thaw   func()
}

// Freeze holds on to what is committed now.
func (s *Store) Freeze() (*Frozen, error) {
	s.frozen.RLock()
	if err := s.live(); err != nil {
		s.frozen.RUnlock()
		return nil, fmt.Errorf("store: freeze: %w", err)
	}
	f := &Frozen{shadow: &Store{shape: s.shape, db: s.db}, snap: s.db.NewSnapshot(), thaw: sync.OnceFunc(s.frozen.RUnlock)}
	f.shadow.caches.init()
	f.shadow.iters.db = f.snap
	return f, nil
}

// Close lets go of the moment. It is called once.
func (f *Frozen) Close() error {
	defer f.thaw()
	if err := errors.Join(f.shadow.iters.renew(true), f.snap.Close()); err != nil {
		return fmt.Errorf("store: frozen: %w", err)
	}
	return nil
}

// Spaces gives the names of all spaces, sorted.
func (f *Frozen) Spaces() ([]string, error) {
	var names []string
	err := eachRow(f.snap, []byte{tableSpace}, []byte{tableSpace + 1}, func(_, value []byte) error {
		names = append(names, string(value))
		return nil
	})
	return sorted(names), err
}

// Head gives the last position of a space and the first that is in a view; both
// are 0 if there is none.
func (f *Frozen) Head(space string) (head Position, first dsl.Seq, err error) {
	h, err := readHead(f.snap, space)
	if err != nil || h.Seq == 0 {
		return h.Position, 0, err
	}
	return h.Position, max(h.dropped, 1), nil
}

// Applied gives the stream sequence of the last log message that was applied
// whole, 0 for none.
func (f *Frozen) Applied() (uint64, error) { return readApplied(f.snap) }

// At gives the view of a space at a position between those that Head gives. It
// must be closed before f.
func (f *Frozen) At(space string, seq dsl.Seq) View { return f.at(space, seq) }

func (f *Frozen) at(space string, seq dsl.Seq) *snapshot {
	return newSnapshot(f.shadow, f.snap, space, seq, nil)
}

// Check is Store.Check on the frozen store.
func (f *Frozen) Check(ctx context.Context, space string, opt CheckOptions) (CheckReport, error) {
	opt.ensureDefaults()
	rep := CheckReport{Checked: map[string]int{}, Faults: []Fault{}}
	applied, err := f.checkMeta(&rep)
	if err != nil {
		return rep, fmt.Errorf("store: check: %w", err)
	}
	names, err := f.Spaces()
	if err == nil && space == "" {
		err = f.checkNamed(names, &rep)
	}
	if err != nil {
		return rep, fmt.Errorf("store: check: %w", err)
	}
	listed := names
	if space != "" {
		names = []string{space}
	}
	for _, name := range names {
		c := &checker{ctx: ctx, f: f, opt: opt, space: name, keys: spaceKeys(name), applied: applied, listed: slices.Contains(listed, name),
			rep: &CheckReport{Checked: rep.Checked}}
		c.lately.init(1 << 10)
		if err := c.run(); err != nil {
			return rep, fmt.Errorf("store: check %q: %w", name, err)
		}
		rep.Faults = append(rep.Faults, c.settle()...)
	}
	return rep, nil
}

// checkMeta checks the store-wide rows and gives the last log message applied.
func (f *Frozen) checkMeta(rep *CheckReport) (applied uint64, err error) {
	fault := func(format string, args ...any) {
		rep.Faults = append(rep.Faults, Fault{Kind: "format", Message: fmt.Sprintf(format, args...)})
	}
	rep.Checked["format"]++
	want := append(appendU32(nil, FormatVersion), analyze.Version...)
	if v, _, err := get(f.snap, keyFormat); err != nil {
		return 0, err
	} else if string(v) != string(want) {
		fault("the format row holds %x, this build writes %x", v, want)
	}
	v, ok, err := get(f.snap, keyApplied)
	if err != nil {
		return 0, err
	}
	if ok && len(v) != 8 {
		fault("the row of the last log message applied has %d bytes, not 8", len(v))
	} else if ok {
		applied = binary.BigEndian.Uint64(v)
	}
	err = eachRow(f.snap, []byte{tableSpace}, []byte{tableSpace + 1}, func(key, value []byte) error {
		if h := hash8(string(value)); string(key[1:]) != string(h[:]) {
			fault("the space %q lies under the key %x of another", value, key)
		}
		return nil
	})
	return applied, err
}

// checkNamed finds rows of spaces that have no name.
func (f *Frozen) checkNamed(names []string, rep *CheckReport) (err error) {
	known := map[keySpace]bool{}
	for _, n := range names {
		known[spaceKeys(n)] = true
	}
	it, err := f.snap.NewIter(&pebble.IterOptions{LowerBound: []byte{tableData}, UpperBound: []byte{tableData + 1}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; {
		var k keySpace
		copy(k.prefix[:], it.Key())
		if !known[k] {
			rep.Faults = append(rep.Faults, Fault{Kind: "rows", Message: fmt.Sprintf("there are rows of a space under %x, which has no name", k.prefix[1:])})
		}
		ok = it.SeekGE(after(k.prefix[:]))
	}
	return it.Error()
}

// eachRow calls f with the rows of [lo, hi), which it must not keep.
func eachRow(r pebble.Reader, lo, hi []byte, f func(key, value []byte) error) (err error) {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: hi})
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		if err := f(it.Key(), it.Value()); err != nil {
			return err
		}
	}
	return it.Error()
}

// checker checks one space.
type checker struct {
	ctx     context.Context
	f       *Frozen
	opt     CheckOptions
	space   string
	keys    keySpace
	applied uint64
	rep     *CheckReport
	// unlisted counts faults beyond MaxFaults; malformed the keys of a wrong
	// length, which no read may meet.
	unlisted, malformed int
	// mute is set while rows are walked again only to name a difference.
	mute bool
	// listed tells whether the store knows the space by name.
	listed bool

	first, head dsl.Seq
	// factsSealed is how many documents of facts lie in segments.
	factsSealed int
	// once is set in the first pass over the rows, for what needs one only.
	once     bool
	win      window
	walk     walked
	collect  *collected
	analyzer analyze.Analyzer
	// lately are the terms of turns that may be in the context of the next ones.
	lately generations[int32, []string]
	ticks  int
}

func (c *checker) fault(seq dsl.Seq, kind, format string, args ...any) {
	switch {
	case c.mute:
	case len(c.rep.Faults) >= MaxFaults:
		c.unlisted++
	default:
		c.rep.Faults = append(c.rep.Faults, Fault{Space: c.space, Position: seq, Kind: kind, Message: fmt.Sprintf(format, args...)})
	}
}

func (c *checker) count(kind string, n int) {
	if !c.mute {
		c.rep.Checked[kind] += n
	}
}

// settle gives the faults of the space in order of position.
func (c *checker) settle() []Fault {
	list := c.rep.Faults
	slices.SortStableFunc(list, func(a, b Fault) int { return cmp.Compare(a.Position, b.Position) })
	if c.unlisted > 0 {
		list = append(list, Fault{Space: c.space, Kind: "more", Message: fmt.Sprintf("%d more faults of this space are not listed", c.unlisted)})
	}
	return list
}

func (c *checker) run() error {
	ok, err := c.begin()
	if err != nil || !ok {
		return err
	}
	c.once = true
	for lo := c.first; lo <= c.head; {
		if err := c.window(lo); err != nil {
			return err
		}
		c.once = false
		if lo, err = c.nextPosition(lo + dsl.Seq(len(c.win.slots))); err != nil {
			return err
		}
	}
	if c.malformed > 0 {
		return nil // reads rely on keys of the right length
	}
	for _, step := range []func() error{c.sampleStates, c.aliasFunctional, c.events, c.aliasGroups} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// begin finds the positions of the space and looks at the shape of all its
// keys. ok is false where there is nothing more to check.
func (c *checker) begin() (ok bool, err error) {
	var dropped dsl.Seq
	rows := 0
	last := byte(0)
	p := c.keys.prefix[:]
	err = eachRow(c.f.snap, p, after(p), func(key, value []byte) error {
		if err := c.tick(); err != nil {
			return err
		}
		rows++
		key = key[len(p):]
		if !wellFormed(key) {
			c.malformed++
			c.fault(0, "rows", "the key %x has no class of this format, or not the length of its class", key)
			return nil
		}
		last = key[0]
		if last != clPosition {
			return nil
		}
		row, err := decodePosition(keySeq(key, 1), value)
		if err != nil {
			c.fault(row.Seq, "rows", "the position row does not decode")
			c.head = max(c.head, row.Seq)
			return nil
		}
		c.head, dropped, c.factsSealed = row.Seq, row.dropped, sealed(row.docs[fieldIndex(FactField)])
		return nil
	})
	c.count("rows", rows)
	if err != nil {
		return false, err
	}
	if c.head == 0 {
		if rows > 0 || c.listed {
			c.fault(0, "I5", "the space has %d rows and no position", rows)
		}
		return false, nil
	}
	c.first = min(max(dropped, 1), c.head)
	return true, nil
}

// nextPosition gives the first position from seq on that has a row, so that a
// gap, however wide, costs one window. Past the head it is the one after it.
func (c *checker) nextPosition(seq dsl.Seq) (next dsl.Seq, err error) {
	next = c.head + 1
	found := errors.New("found")
	err = eachRow(c.f.snap, c.keys.seq(clPosition, seq), after(c.keys.class(clPosition)), func(key, _ []byte) error {
		if key = key[len(c.keys.prefix):]; !wellFormed(key) {
			return nil
		}
		next = min(next, keySeq(key, 1))
		return found
	})
	if errors.Is(err, found) {
		err = nil
	}
	return next, err
}

// tick looks now and then whether the caller has given up.
func (c *checker) tick() error {
	if c.ticks++; c.ticks%4096 == 0 {
		return c.ctx.Err()
	}
	return nil
}

// rows calls f with every well-formed row of a class; key begins with the class.
func (c *checker) rows(class byte, f func(key, value []byte) error) error {
	lo := c.keys.class(class)
	return eachRow(c.f.snap, lo, after(lo), func(key, value []byte) error {
		if err := c.tick(); err != nil {
			return err
		}
		if key = key[len(c.keys.prefix):]; !wellFormed(key) {
			return nil
		}
		return f(key, value)
	})
}

// keyLengths gives the length of the keys of each class, the class included;
// postings have keys of many lengths.
var keyLengths = map[byte]int{
	clPosition: 9, clPlace: 9, clTurn: 5, clTurnID: 17, clKnown: 17, clSettings: 33, clNode: 17,
	clVersion: 21, clClosing: 21, clArchive: 27, clLink: 27, clEvent: 21, clAlias: 27, clEvidence: 27, clState: 37,
	clRel: 27, clKey: 11, clDst: 27, clChange: 9, clEventKey: 11, clInvolved: 27, clDoc: 6, clDocs: 6, clMember: 9, clVector: 15, clName: 6, clNameID: 10, clLater: 14,
	clMemory: 9, clHeld: 11, clSession: 25,
}

// wellFormed tells whether a key, from its class on, has the length of the
// class, and that of a position row a position.
func wellFormed(key []byte) bool {
	if len(key) == 0 {
		return false
	}
	if key[0] == clPosting {
		return len(key) > 7 && len(key) == 8+int(key[7])+4
	}
	return keyLengths[key[0]] == len(key) && (key[0] != clPosition || keySeq(key, 1) <= dsl.MaxSeq)
}

// draw gives a number that follows from the seed, the space and what is asked
// for: the same in every run.
func (c *checker) draw(what []byte) uint64 {
	b := appendStr(appendU64(nil, c.opt.Seed), c.space)
	h := dsl.Sum(append(b, what...))
	return binary.BigEndian.Uint64(h[:])
}

// positions gives the sampled positions, rising, the head among them.
func (c *checker) positions() []dsl.Seq {
	return SamplePositions(c.opt.Seed, c.space, c.first, c.head, c.opt.Samples)
}

// SamplePositions picks n positions in [first, head] that follow from the seed
// and the space alone; the head is always among them. They are in order, each
// once.
func SamplePositions(seed uint64, space string, first, head dsl.Seq, n int) []dsl.Seq {
	list := []dsl.Seq{head}
	for i := range n - 1 {
		h := dsl.Sum(appendU64(appendStr(appendU64(nil, seed), space), uint64(i)))
		list = append(list, first+dsl.Seq(binary.BigEndian.Uint64(h[:])%uint64(head-first+1)))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// sample keeps the n items with the lowest numbers drawn for them.
type sample[T any] struct {
	n    int
	rank []uint64
	list []T
}

func (s *sample[T]) add(rank uint64, x T) {
	i, same := slices.BinarySearch(s.rank, rank)
	if same || i >= s.n {
		return
	}
	s.rank, s.list = slices.Insert(s.rank, i, rank), slices.Insert(s.list, i, x)
	if len(s.list) > s.n {
		s.rank, s.list = s.rank[:s.n], s.list[:s.n]
	}
}
