package asof

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

// Options say how a memory is opened.
type Options struct {
	// Dir is the data folder; it is made when absent. Empty keeps everything in
	// memory, for tests and audits.
	Dir string
	// Config is the profile; nil is the built-in one.
	Config *configs.Config
	// Ledger is the log to use instead of the one that Config names. The DB
	// closes it.
	Ledger ledger.Ledger
	// Clock is what the door compares a turn's time with: a turn more than
	// Config.Ingest.FutureLimit ahead of it is refused. Nil means that no turn is.
	// Beside that it times the metrics; nothing else behind the door looks at it.
	Clock func() time.Time
	// LanguageModel is asked where the configuration wants it (events.llm_summary,
	// backfill.llm, and the options of extraction that name it). Without one turns and
	// gaps are refused then, and all else goes on: no read, replay or audit asks it.
	LanguageModel LanguageModel
	// Parser is the CoreNLP server that options of extraction ask (OpenParser). Without one
	// turns and gaps are refused where the configuration has such an option, and all else
	// goes on.
	Parser extract.Parser
	// Logger and Registerer may be nil. The metrics are asof_*, of all parts; Close
	// takes them out again.
	Logger     *slog.Logger
	Registerer prometheus.Registerer

	// storeFS is the store's file system where a test brings one.
	storeFS vfs.FS
}

// ErrStoreAhead says that the store has applied more than the log holds: the
// log was cut or is another one.
var ErrStoreAhead = errors.New("the store is ahead of its log")

// DB is an open memory: any number of spaces over one log and one store.
type DB struct {
	opt     Options
	cfg     configs.Config
	log     *slog.Logger
	lock    *folderLock
	ledger  ledger.Ledger
	store   *store.Store
	engine  *engine
	metrics *metrics

	analyzer analyze.Analyzer
	texts    retrieval.Texts
	encoding *encoding
	set      *modelSet
	models   rankModels

	// asking ends when the DB closes: what a language model was asked is not waited
	// for then.
	asking context.Context
	hangUp context.CancelFunc

	queue  chan *request
	stop   chan struct{}
	writer sync.WaitGroup

	mu     sync.Mutex // guards closed and failed, and encoding until Open has returned
	closed bool
	// failed is set when the log and the store can no longer be kept together;
	// reads go on, writes are refused.
	failed error

	// commit is held while log and store are written; it guards what follows.
	commit sync.Mutex
	end    logEnd
	// caughtUp counts how often the memory was changed by what the log held.
	caughtUp uint64
}

// Open opens the memory in a folder, brings the store up to the log, and
// finishes what waits in the intake. A folder that another process has open is
// an error that names its pid. Damage is an error that names its place and
// wraps ErrStoreAhead, dsl.ErrCorrupt, ledger.ErrCorrupt or ledger.ErrGap; Doctor
// finds the rest of it and what to do.
func Open(ctx context.Context, o Options) (*DB, error) {
	db, err := open(ctx, o)
	if err != nil {
		return nil, seeDoctor(o.Dir, err)
	}
	if _, err = db.Drain(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// open is Open without finishing what waits in the intake.
func open(ctx context.Context, o Options) (_ *DB, err error) {
	db := &DB{opt: o, log: o.Logger, queue: make(chan *request, 64), stop: make(chan struct{})}
	if db.log == nil {
		db.log = slog.New(slog.DiscardHandler)
	}
	db.cfg = configs.Default()
	if o.Config != nil {
		db.cfg = *o.Config
	}
	db.set = &modelSet{cfg: &db.cfg, logger: db.log, registerer: o.Registerer}
	if db.engine, err = openEngine(db.cfg, db.set, o.LanguageModel, o.Parser); err != nil {
		return nil, errors.Join(err, db.set.close())
	}
	db.asking, db.hangUp = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			db.hangUp()
			err = errors.Join(err, db.release())
		}
	}()
	if db.metrics, err = newMetrics(db, o.Registerer); err != nil {
		return nil, fmt.Errorf("asof: open: %w", err)
	}
	if db.models, err = openRankModels(db.engine, &db.cfg, db.set); err != nil {
		return nil, err
	}
	if err = db.openParts(ctx); err != nil {
		return nil, err
	}
	db.commit.Lock()
	err = db.catchUp(ctx)
	db.commit.Unlock()
	if err != nil {
		return nil, err
	}
	encoding := newEncoding(db)
	db.mu.Lock()
	db.encoding = encoding
	db.mu.Unlock()
	db.writer.Add(1)
	go db.write()
	return db, nil
}

// openParts opens lock, log and store, the slow two side by side.
func (db *DB) openParts(ctx context.Context) (err error) {
	so := store.Options{Dir: "store", FS: vfs.NewMem(), Clock: db.opt.Clock, Logger: db.log, Registerer: db.opt.Registerer,
		CacheBytes: int64(db.cfg.Store.CacheMB) << 20, MemtableBytes: int64(db.cfg.Store.MemtableMB) << 20}
	dir := db.opt.Dir
	if dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("asof: open %s: %w", dir, err)
		}
		if db.lock, err = lockFolder(dir); err != nil {
			return err
		}
		so.Dir, so.FS = filepath.Join(dir, "store"), db.opt.storeFS
	}
	var wg sync.WaitGroup
	var storeErr, logErr error
	wg.Go(func() { db.store, storeErr = store.Open(so) })
	db.ledger = db.opt.Ledger
	switch {
	case db.ledger != nil:
	case dir == "" && db.cfg.Ledger.URL == "":
		db.ledger = ledger.NewMemory(db.cfg.Ledger.Partitions)
	default:
		lo := ledger.Options{URL: db.cfg.Ledger.URL, Stream: db.cfg.Ledger.Stream, Partitions: db.cfg.Ledger.Partitions,
			Replicas: db.cfg.Ledger.Replicas, Clock: db.opt.Clock, Logger: db.log, Registerer: db.opt.Registerer}
		if lo.URL == "" {
			lo.Dir = filepath.Join(dir, "log")
		}
		var js *ledger.JetStream
		if js, logErr = ledger.Open(ctx, lo); logErr == nil {
			db.ledger = js
		}
	}
	wg.Wait()
	return errors.Join(storeErr, logErr)
}

// Config gives the effective configuration.
func (db *DB) Config() configs.Config { return db.cfg }

// Spaces gives the names of all spaces that hold something, sorted.
func (db *DB) Spaces() ([]string, error) {
	all, err := db.store.Spaces()
	if err != nil {
		return nil, err
	}
	live := all[:0]
	for _, s := range all {
		h, err := db.store.Head(s)
		if err != nil {
			return nil, err
		}
		if h.Kind != dsl.TxDrop {
			live = append(live, s)
		}
	}
	return live, nil
}

// Head gives the last position of a space; its Seq is 0 if there is none.
func (db *DB) Head(space string) (store.Position, error) { return db.store.Head(space) }

// Close waits for the writer, then closes store, log and lock, and returns the
// first error. It is idempotent. A session does not end by it.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil
	}
	db.closed = true
	db.mu.Unlock()
	close(db.stop)
	db.hangUp()
	db.writer.Wait()
	db.encoding.close()
	return db.release()
}

func (db *DB) release() error {
	if db.metrics != nil {
		db.metrics.set.Close()
	}
	errs := []error{db.set.close()}
	if db.store != nil {
		errs = append(errs, db.store.Close())
	}
	if db.ledger != nil {
		errs = append(errs, db.ledger.Close())
	}
	if db.lock != nil {
		errs = append(errs, db.lock.release())
	}
	return errors.Join(errs...)
}
