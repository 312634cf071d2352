package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
)

// embedded is the broker inside this process: no port, no signals, no system account, one file store under dir.
type embedded struct {
	dir    string
	stream string
	lock   *folderLock
	srv    *server.Server
	log    *brokerLog

	verifier *verifier

	mu    sync.Mutex // guards block
	block int        // the newest block file whose directory entry is known to be durable; 0 for none
}

// startEmbedded locks o.Dir, looks at the log's files before the broker may change them, and starts the broker.
func startEmbedded(o Options) (_ *embedded, err error) {
	if err := os.MkdirAll(o.Dir, 0o750); err != nil {
		return nil, fmt.Errorf("make the log's folder: %w", err)
	}
	lock, err := lockFolder(o.Dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, lock.release())
		}
	}()
	e := &embedded{dir: o.Dir, stream: o.Stream, lock: lock, log: newBrokerLog(o.Logger)}
	found, err := inspectBlocks(o.Dir, e.blocksDir(), o.Stream)
	if err != nil {
		return nil, err
	}
	if found.torn != "" {
		o.Logger.Warn("ledger: the log ended in a half-written message, as after a power cut; its bytes are kept aside",
			"block", found.tornBlock, "offset", found.tornAt, "kept", found.torn)
	}
	e.block, e.verifier = found.newest, found.verifier

	e.srv, err = server.NewServer(&server.Options{
		ServerName:             "asof",
		DontListen:             true,
		NoSigs:                 true,
		NoLog:                  true,
		NoSystemAccount:        true,
		DisableShortFirstPing:  true,
		DisableJetStreamBanner: true,
		MaxPayload:             int32(o.MaxPayload),
		JetStream:              true,
		StoreDir:               o.Dir,
		SyncAlways:             true,
		// The broker's own default is a share of the disk's free space at its start, which a large log
		// on a nearly full disk already exceeds; a full disk is for the file system to tell.
		JetStreamMaxStore:  1 << 62,
		JetStreamMaxMemory: 64 << 20,
	})
	if err != nil {
		return nil, fmt.Errorf("make the embedded broker: %w", err)
	}
	e.srv.SetLoggerV2(e.log, false, false, false)
	e.srv.Start() // without a listener it returns when the streams are recovered
	if !e.srv.JetStreamEnabled() || !e.srv.ReadyForConnections(o.Timeout) {
		e.srv.Shutdown()
		e.srv.WaitForShutdown()
		return nil, fmt.Errorf("start the embedded broker in %s: %s", o.Dir, e.log.why())
	}
	return e, nil
}

// blocksDir is where the broker keeps the block files of the log.
func (e *embedded) blocksDir() string { return blocksDir(e.dir, e.stream) }

// settle makes the directory entry of a new block file durable; the broker syncs the file alone. It is called after each
// append, before it is acknowledged, and costs one look-up unless a block was begun.
func (e *embedded) settle() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		_, err := os.Lstat(filepath.Join(e.blocksDir(), blockName(e.block+1)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			err = syncDir(e.blocksDir())
		}
		if err != nil {
			return fmt.Errorf("make a new block's directory entry durable: %w", err)
		}
		e.block++
	}
}

// settleAll makes every folder's entries durable, after streams were made.
func (e *embedded) settleAll() error {
	return filepath.WalkDir(e.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return syncDir(path)
	})
}

// close stops the broker and notes that it was stopped in order.
func (e *embedded) close() error {
	e.srv.Shutdown()
	e.srv.WaitForShutdown()
	if e.log.writeError() != "" { // what lies at the log's end is for the next opening to look at
		return e.lock.release()
	}
	return errors.Join(writeCleanMark(e.dir, e.blocksDir()), e.lock.release())
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// brokerLog passes the broker's words on to slog, one level lower where they are of no interest to a user, and keeps the
// last fatal one, which says why the broker did not start.
type brokerLog struct {
	log *slog.Logger
	// broken ends when the broker has failed to write. It then stores nothing more until it is started again, and it does
	// not answer those who ask it to.
	broken  context.Context
	nowDown context.CancelFunc

	mu    sync.Mutex // guards fatal and write
	fatal string
	write string
}

func newBrokerLog(log *slog.Logger) *brokerLog {
	l := &brokerLog{log: log}
	l.broken, l.nowDown = context.WithCancel(context.Background())
	return l
}

// criticalWrite is in the broker's message about a failed write, which is the only word that it says of it.
const criticalWrite = "critical write error"

// writeError is what the broker said of its first failed write, empty for none.
func (l *brokerLog) writeError() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write
}

func (l *brokerLog) why() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fatal == "" {
		return "it was not ready in time"
	}
	return l.fatal
}

func (l *brokerLog) at(level slog.Level, format string, v []any) {
	if l.log.Enabled(context.Background(), level) {
		l.log.Log(context.Background(), level, "ledger: broker: "+fmt.Sprintf(format, v...))
	}
}

// Noticef implements server.Logger.
func (l *brokerLog) Noticef(format string, v ...any) { l.at(slog.LevelDebug, format, v) }

// Warnf implements server.Logger.
func (l *brokerLog) Warnf(format string, v ...any) { l.at(slog.LevelWarn, format, v) }

// Errorf implements server.Logger.
func (l *brokerLog) Errorf(format string, v ...any) {
	l.at(slog.LevelError, format, v)
	if !strings.Contains(strings.ToLower(format), criticalWrite) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.write == "" {
		l.write = fmt.Sprintf(format, v...)
		l.nowDown()
	}
}

// Debugf implements server.Logger.
func (l *brokerLog) Debugf(format string, v ...any) { l.at(slog.LevelDebug, format, v) }

// Tracef implements server.Logger.
func (l *brokerLog) Tracef(format string, v ...any) { l.at(slog.LevelDebug, format, v) }

// Fatalf implements server.Logger. The broker would end the process here; a library must not.
func (l *brokerLog) Fatalf(format string, v ...any) {
	l.mu.Lock()
	l.fatal = fmt.Sprintf(format, v...)
	l.mu.Unlock()
	l.at(slog.LevelError, format, v)
}
