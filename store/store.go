package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
)

// FormatVersion is the version of the rows that this build writes and reads.
const FormatVersion = 4

// Options say how a store is opened. The zero value of every field but Dir has
// a default.
type Options struct {
	// Dir is the folder that holds the store; it is made when absent.
	Dir string
	// FS is the file system; nil is the operating system's.
	FS vfs.FS
	// CacheBytes is what blocks may always take of memory (default 64 MiB),
	// MemtableBytes one memtable (default 32 MiB). Together they take at most
	// CacheBytes + 3 × MemtableBytes.
	CacheBytes, MemtableBytes int64
	// ReadOnly changes nothing on disk: the store must be there, and takes no
	// transactions.
	ReadOnly bool
	// Clock times commits for the metrics; nil: they are counted but not timed.
	// Nothing else looks at it.
	Clock func() time.Time
	// Logger and Registerer may be nil.
	Logger     *slog.Logger
	Registerer prometheus.Registerer
}

// EnsureDefaults fills what was left zero.
func (o *Options) EnsureDefaults() {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 64 << 20
	}
	if o.MemtableBytes == 0 {
		o.MemtableBytes = 32 << 20
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// Validate returns all faults of the options at once.
func (o *Options) Validate() error {
	var errs []error
	if o.Dir == "" {
		errs = append(errs, fmt.Errorf("%w: store: Dir is empty", dsl.ErrInvalid))
	}
	if o.CacheBytes < 1<<20 {
		errs = append(errs, fmt.Errorf("%w: store: CacheBytes %d is below 1 MiB", dsl.ErrInvalid, o.CacheBytes))
	}
	if o.MemtableBytes < 1<<20 || o.MemtableBytes > 1<<30 {
		errs = append(errs, fmt.Errorf("%w: store: MemtableBytes %d lies outside 1 MiB to 1 GiB", dsl.ErrInvalid, o.MemtableBytes))
	}
	return errors.Join(errs...)
}

// Store keeps the folded state of every space. It has one writer at a time (see
// Stage); reads go on at any time and see only what was committed.
type Store struct {
	db      *pebble.DB
	only    bool  // opened for reading only
	disk    *disk // nil for a frozen store
	room    room
	metrics *metrics

	writer   sync.Mutex // held by the live Stage; guards what follows
	analyzer analyze.Analyzer
	terms    []string
	buf      []byte // the row that is being written
	// lastBytes and lastRows are what the last stage had: the next may need as much.
	lastBytes, lastRows int
	trees               trees
	recent              remembered[versionAt]
	names               remembered[string]
	seen                *keyFilter
	places              generations[string, uint64] // the last log message of a space
	tails               generations[string, *tail]  // of facts, as far as they were written
	shape               treeShape                   // rowShape; tests make smaller trees

	frozen sync.RWMutex // held for reading by every Frozen: Close waits for them

	mu     sync.RWMutex // guards what follows
	heads  map[string]head
	closed bool

	caches  caches
	iters   iterators
	scratch sync.Pool // of *rowScratch
	// reading is the analyzer of readers, who share it.
	reading analyze.Analyzer
}

// head is the last position row of a space with what the writer needs.
type head struct {
	positionRow
}

// Open opens or makes a store. A store of another format version is refused
// with dsl.ErrUnsupportedFormat, one whose files are damaged with
// dsl.ErrCorrupt; it can be deleted and made again from the log.
func Open(o Options) (*Store, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s, err := open(o)
	if err != nil {
		return nil, fmt.Errorf("store: open %s: %w", o.Dir, err)
	}
	return s, nil
}

// damage marks what Pebble says of files that are not as it left them. What the
// operating system says (no permission, no space, a lock) is no damage, but for
// a file that is not there.
func damage(err error) error {
	var sys syscall.Errno
	if errors.Is(err, dsl.ErrCorrupt) || errors.As(err, &sys) && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return fmt.Errorf("%w: %w", dsl.ErrCorrupt, err)
}

func open(o Options) (_ *Store, err error) {
	if o.ReadOnly {
		if _, err := o.FS.Stat(o.Dir); err != nil {
			if errors.Is(err, os.ErrNotExist) {
				err = fmt.Errorf("%w: there is no such folder", dsl.ErrNotFound)
			}
			return nil, err
		}
	}
	d := newDisk(o.FS, o.Dir, o.Logger)
	if err := d.verify(); err != nil {
		return nil, err
	}
	s := &Store{disk: d, only: o.ReadOnly, shape: rowShape, heads: map[string]head{}}
	s.room.init(d, o.MemtableBytes)
	// Pebble takes its memtables out of the cache's capacity: without room for
	// them no block would stay in it.
	cache := pebble.NewCache(o.CacheBytes + 3*o.MemtableBytes)
	defer cache.Unref()
	po := &pebble.Options{
		FS:           d,
		Cache:        cache,
		MemTableSize: uint64(o.MemtableBytes),
		// One level-0 file a flush, compacted soon: reads stay shallow.
		L0CompactionThreshold: 2,
		FormatMajorVersion:    pebble.FormatNewest,
		Logger:                pebbleLogger{o.Logger},
		ReadOnly:              o.ReadOnly,
		EventListener:         d.listener(s.room.made),
		// Pebble would wait for room in the middle of a commit, for ever once its
		// disk has stopped; room waits before it.
		MemTableStopWritesThreshold: 1 << 20,
		L0StopWritesThreshold:       1 << 20,
	}
	for i := range po.Levels {
		// Most gets ask whether something is new; filters answer "yes" from memory.
		po.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		po.Levels[i].IndexBlockSize = 256 << 10
	}
	if s.db, err = openPebble(o.Dir, po); err != nil {
		if stopped := d.failure(); stopped != nil {
			return nil, errors.Join(stopped, err)
		}
		return nil, damage(err)
	}
	s.room.db = s.db
	s.caches.init()
	s.places.init(placesKept)
	s.tails.init(tailGeneration)
	s.iters.db = s.db
	if err := errors.Join(d.failure(), s.checkFormat()); err != nil {
		d.release()
		return nil, errors.Join(err, s.db.Close())
	}
	if s.metrics, err = newMetrics(s, &o); err != nil {
		d.release()
		return nil, errors.Join(err, s.db.Close())
	}
	d.opened()
	return s, nil
}

// openPebble opens the database. Damaged files can make Pebble panic.
func openPebble(dir string, o *pebble.Options) (db *pebble.DB, err error) {
	defer func() {
		if r := recover(); r != nil {
			db, err = nil, fmt.Errorf("%w: %v", dsl.ErrCorrupt, r)
		}
	}()
	return pebble.Open(dir, o)
}

// pebbleLogger hands Pebble's messages on: its news are of interest to a
// debugger only.
type pebbleLogger struct{ log *slog.Logger }

func (l pebbleLogger) Infof(format string, args ...any) {
	l.log.Debug("pebble", "msg", fmt.Sprintf(format, args...))
}

func (l pebbleLogger) Errorf(format string, args ...any) {
	l.log.Error("pebble", "msg", fmt.Sprintf(format, args...))
}

// Fatalf must not return: Pebble calls it when going on would corrupt data. It
// does not come to that for failing disks (see disk).
func (l pebbleLogger) Fatalf(format string, args ...any) {
	panic("store: pebble: " + fmt.Sprintf(format, args...))
}

var (
	keyFormat  = []byte{tableMeta, 'f'}
	keyApplied = []byte{tableMeta, 'a'}
)

func (s *Store) checkFormat() error {
	v, ok, err := get(s.db, keyFormat)
	if err != nil {
		return err
	}
	if !ok && s.only {
		return fmt.Errorf("%w: it has no format row", dsl.ErrCorrupt)
	}
	if !ok {
		want := append(appendU32(nil, FormatVersion), analyze.Version...)
		if err := s.db.Set(keyFormat, want, pebble.NoSync); err != nil {
			return fmt.Errorf("store: write format: %w", err)
		}
		if empty, err := s.holdsNothing(); err != nil {
			return err
		} else if empty {
			s.seen = new(keyFilter)
		}
		return nil
	}
	if len(v) < 4 || binary.BigEndian.Uint32(v) != FormatVersion || string(v[4:]) != analyze.Version {
		return fmt.Errorf("%w: rows are of version %x %q, this build reads %d %q; delete the store folder and it comes back from the log",
			dsl.ErrUnsupportedFormat, v[:min(4, len(v))], v[min(4, len(v)):], FormatVersion, analyze.Version)
	}
	return nil
}

// holdsNothing tells whether there is no row but that of the format.
func (s *Store) holdsNothing() (empty bool, err error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{tableSpace}})
	if err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	return !it.First(), errors.Join(it.Error(), it.Close())
}

// get copies a value; ok is false when the key is absent.
func get(r pebble.Reader, key []byte) (value []byte, ok bool, err error) {
	v, closer, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if pebble.IsCorruptionError(err) {
		err = damage(err)
	}
	if err != nil {
		return nil, false, fmt.Errorf("store: get: %w", err)
	}
	value = append([]byte(nil), v...)
	return value, true, closer.Close()
}

// Applied gives the stream sequence of the last log message that was applied
// whole, 0 for none.
func (s *Store) Applied() (uint64, error) { return readApplied(s.db) }

func readApplied(r pebble.Reader) (uint64, error) {
	v, ok, err := get(r, keyApplied)
	if err != nil || !ok {
		return 0, err
	}
	if len(v) != 8 {
		return 0, fmt.Errorf("store: %w: applied position has %d bytes", dsl.ErrCorrupt, len(v))
	}
	return binary.BigEndian.Uint64(v), nil
}

// Spaces gives the names of all spaces, sorted.
func (s *Store) Spaces() ([]string, error) {
	if err := s.live(); err != nil {
		return nil, err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{tableSpace}, UpperBound: []byte{tableSpace + 1}})
	if err != nil {
		return nil, fmt.Errorf("store: spaces: %w", err)
	}
	var names []string
	for it.First(); it.Valid(); it.Next() {
		names = append(names, string(it.Value()))
	}
	if err := it.Close(); err != nil {
		return nil, fmt.Errorf("store: spaces: %w", err)
	}
	return sorted(names), nil
}

// At gives the view of a space at a position. A position beyond the head is
// dsl.ErrNotFound; position 0 is the empty view.
func (s *Store) At(space string, seq dsl.Seq) (View, error) {
	h, err := s.head(space)
	if err != nil {
		return nil, err
	}
	if seq > h.Seq {
		return nil, fmt.Errorf("store: %w: space %q has no position %s", dsl.ErrNotFound, space, seq)
	}
	if seq != 0 && seq < h.dropped {
		return nil, fmt.Errorf("store: %w: space %q was dropped at %s; %s is in no view any more", dsl.ErrNotFound, space, h.dropped, seq)
	}
	v := newSnapshot(s, s.db, space, seq, nil)
	v.life = h.dropped
	return v, nil
}

// AtTime gives the view of a space at a record time: what was recorded at or
// before t. Before the first transaction the view is empty.
func (s *Store) AtTime(space string, t dsl.Instant) (View, error) {
	h, err := s.head(space)
	if err != nil {
		return nil, err
	}
	v := newSnapshot(s, s.db, space, 0, nil)
	v.life = h.dropped
	seq, at, err := v.positionBefore(t, &h)
	if err != nil {
		return nil, err
	}
	v.basisSeq, v.basisTime, v.timeKnown = seq, at, true
	return v, nil
}

// Head gives the last position of a space; its Seq is 0 if the space is empty.
func (s *Store) Head(space string) (Position, error) {
	h, err := s.head(space)
	return h.Position, err
}

func (s *Store) head(space string) (head, error) {
	s.mu.RLock()
	h, ok := s.heads[space]
	closed := s.closed
	s.mu.RUnlock()
	if closed {
		return head{}, fmt.Errorf("store: %w", dsl.ErrClosed)
	}
	if ok {
		return h, nil
	}
	h, err := readHead(s.db, space)
	if err != nil {
		return head{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if newer, ok := s.heads[space]; ok { // a commit came between
		return newer, nil
	}
	s.heads[space] = h
	return h, nil
}

func readHead(r pebble.Reader, space string) (h head, err error) {
	k := spaceKeys(space)
	lo := k.class(clPosition)
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: after(lo)})
	if err != nil {
		return h, fmt.Errorf("store: head of %q: %w", space, err)
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	if it.Last() {
		h.positionRow, err = decodePosition(keySeq(it.Key(), len(lo)), it.Value())
		if err != nil {
			return h, fmt.Errorf("store: head of %q: %w", space, err)
		}
		changes, err := changeList(r, &k, &h.positionRow)
		if err != nil {
			return h, fmt.Errorf("store: head of %q: %w", space, err)
		}
		for i := range changes {
			if changes[i].opened != 0 {
				h.openedFacts++
			}
		}
	}
	return h, it.Error()
}

func (s *Store) live() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return fmt.Errorf("store: %w", dsl.ErrClosed)
	}
	return nil
}

// writable says that the store was not opened for reading only.
func (s *Store) writable() error {
	if s.only {
		return fmt.Errorf("store: %w: it is open for reading only", dsl.ErrInvalid)
	}
	return nil
}

// Close waits for the live Stage and for what is frozen, and closes the store.
// It is idempotent.
func (s *Store) Close() error {
	s.writer.Lock()
	defer s.writer.Unlock()
	s.frozen.Lock()
	defer s.frozen.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.metrics.set.Close()
	s.disk.release()
	if err := errors.Join(s.iters.renew(true), s.db.Close()); err != nil {
		return fmt.Errorf("store: close: %w", err)
	}
	return nil
}

// Stopped gives what has stopped the store from writing, wrapping ErrStopped,
// or nil.
func (s *Store) Stopped() error {
	if err := s.disk.failure(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// placesKept bounds each of the two generations of spaces of whose log the last
// message is kept.
const placesKept = 1 << 10

// Place gives the stream sequence of the log message that holds a position.
func (s *Store) Place(space string, seq dsl.Seq) (uint64, error) {
	h, err := s.head(space)
	if err != nil {
		return 0, err
	}
	if seq < max(h.dropped, 1) || seq > h.Seq {
		return 0, fmt.Errorf("store: %w: space %q has no position %s", dsl.ErrNotFound, space, seq)
	}
	n, ok, err := s.readPlace(space, seq)
	if err == nil && !ok {
		err = fmt.Errorf("store: %w: it is not known in which message of the log %q %s lies", dsl.ErrNotFound, space, seq)
	}
	return n, err
}

// lastPlace is readPlace for the writer, who asks often.
func (s *Store) lastPlace(space string, seq dsl.Seq) (uint64, bool, error) {
	if n, ok := s.places.get(space); ok {
		return n, true, nil
	}
	return s.readPlace(space, seq)
}

// readPlace finds the row that says where a position lies: the last one that is
// not behind it.
func (s *Store) readPlace(space string, seq dsl.Seq) (n uint64, ok bool, err error) {
	k := spaceKeys(space)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: k.class(clPlace), UpperBound: k.seq(clPlace, seq+1)})
	if err != nil {
		return 0, false, fmt.Errorf("store: place: %w", err)
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	if !it.Last() {
		return 0, false, it.Error()
	}
	r := reader{b: it.Value()}
	n = r.uvar()
	return n, true, r.done("place")
}

// First gives the first position of a space that is in a view: 1, or that of
// its last drop.
func (s *Store) First(space string) (dsl.Seq, error) {
	h, err := s.head(space)
	return max(h.dropped, 1), err
}
