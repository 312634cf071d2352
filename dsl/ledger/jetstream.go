package ledger

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// headersReserve is the part of the broker's message limit that is left for its headers, in bytes.
const headersReserve = 1 << 10

// duplicateWindow is the least that the broker takes. No message id is ever sent, so nothing falls into it; but at its start the
// broker reads all messages as old as this again, which with its own default of two minutes costs time.
const duplicateWindow = 100 * time.Millisecond

// JetStream is the ledger on NATS JetStream, embedded or external. Open makes it.
type JetStream struct {
	opts       Options
	subjects   subjects
	partitions int
	maxBatch   int
	replicas   int
	metrics    *metrics
	emb        *embedded // nil for an external server
	nc         *nats.Conn
	js         jetstream.JetStream
	log        jetstream.Stream
	in         jetstream.Stream

	end *logEnd // what is known of the log's end, for appends

	ctx    context.Context // ends when the ledger is closed
	cancel context.CancelFunc

	mu       sync.Mutex // guards closed and, with it, that no call begins after it, and the next two
	closed   bool
	link     context.Context // ends when the connection at hand is lost
	unlink   context.CancelFunc
	calls    sync.WaitGroup
	closing  sync.Once
	closeErr error
}

var _ Ledger = (*JetStream)(nil)

// Open opens the log that o names and makes it when it is not there. For the embedded broker it returns when the log is
// recovered. ErrLocked when the folder is in use, ErrMismatch when the log was made with other settings,
// ErrCorrupt or ErrGap when its files are damaged (nothing is changed then), ErrInvalid with all faults of o.
func Open(ctx context.Context, o Options) (_ *JetStream, err error) {
	o = o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("ledger: open: %w", err)
	}
	j := &JetStream{opts: o, subjects: subjectsOf(o.Stream), end: newLogEnd()}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	j.link, j.unlink = context.WithCancel(j.ctx)
	defer func() {
		if err != nil {
			_ = j.Close() // err says what went wrong first
			err = fmt.Errorf("ledger: open: %w", err)
		}
	}()
	ctx, cancel := j.deadline(ctx)
	defer cancel()

	conn := []nats.Option{
		nats.Name("asof ledger"),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectBufSize(-1), // a request while the server is away fails at once instead of waiting unseen
		nats.Timeout(o.Timeout),
		nats.NoEcho(),
		nats.DrainTimeout(o.Timeout),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { // the library's own writes to stderr
			o.Logger.Warn("ledger: broker connection", "err", err)
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				o.Logger.Warn("ledger: the broker is away", "err", err)
			}
			j.relink()
			j.end.away.Store(true)
		}),
		nats.ReconnectHandler(func(*nats.Conn) { o.Logger.Info("ledger: the broker is back") }),
	}
	if o.URL == "" {
		if j.emb, err = startEmbedded(o); err != nil {
			return nil, err
		}
		conn = append(conn, nats.InProcessServer(j.emb.srv), nats.NoReconnect())
	} else if o.CredsFile != "" {
		conn = append(conn, nats.UserCredentials(o.CredsFile))
	}
	if j.nc, err = nats.Connect(o.URL, conn...); err != nil {
		return nil, fmt.Errorf("connect to %s: %w", j.where(), err)
	}
	if j.js, err = jetstream.New(j.nc, jetstream.WithDefaultTimeout(o.Timeout)); err != nil {
		return nil, err
	}
	j.maxBatch = min(o.MaxPayload, int(j.nc.MaxPayload())) - headersReserve
	if err := j.openStreams(ctx); err != nil {
		return nil, err
	}
	if j.metrics, err = newMetrics(o.Registerer); err != nil {
		return nil, err
	}
	return j, nil
}

// where names the broker for messages.
func (j *JetStream) where() string {
	if j.emb != nil {
		return "the embedded broker in " + j.opts.Dir
	}
	return j.opts.URL
}

// openStreams binds the log and the intake, and makes what is not there.
func (j *JetStream) openStreams(ctx context.Context) error {
	made := false
	var err error
	if j.log, err = j.js.Stream(ctx, j.opts.Stream); errors.Is(err, jetstream.ErrStreamNotFound) {
		made = true
		partitions := j.opts.Partitions
		if partitions == 0 {
			partitions = DefaultPartitions
		}
		j.log, err = j.js.CreateStream(ctx, j.logConfig(partitions))
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // made by another since; its settings are checked below
			j.log, err = j.js.Stream(ctx, j.opts.Stream)
		}
	}
	if err != nil {
		return fmt.Errorf("open stream %s: %w", j.opts.Stream, err)
	}
	if err := j.checkLog(j.log.CachedInfo().Config); err != nil {
		return err
	}
	name := j.opts.Stream + intakeSuffix
	if j.in, err = j.js.Stream(ctx, name); errors.Is(err, jetstream.ErrStreamNotFound) {
		made = true
		j.in, err = j.js.CreateStream(ctx, j.intakeConfig(name))
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			j.in, err = j.js.Stream(ctx, name)
		}
	}
	if err != nil {
		return fmt.Errorf("open stream %s: %w", name, err)
	}
	if made && j.emb != nil {
		return j.emb.settleAll()
	}
	return nil
}

func (j *JetStream) logConfig(partitions int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:              j.opts.Stream,
		Description:       "asof: the log; nothing deletes from it",
		Subjects:          []string{j.subjects.allLog()},
		Retention:         jetstream.LimitsPolicy,
		Discard:           jetstream.DiscardNew,
		Storage:           jetstream.FileStorage,
		MaxMsgs:           -1,
		MaxBytes:          -1,
		MaxMsgsPerSubject: -1,
		Duplicates:        duplicateWindow,
		Replicas:          j.opts.Replicas,
		DenyDelete:        true,
		DenyPurge:         true,
		AllowDirect:       true,
		Metadata:          map[string]string{metaPartitions: strconv.Itoa(partitions), metaFormat: formatVersion},
	}
}

func (j *JetStream) intakeConfig(name string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:              name,
		Description:       "asof: what waits for its transaction; a queue, never the truth",
		Subjects:          []string{j.subjects.allItems()},
		Retention:         jetstream.LimitsPolicy,
		Discard:           jetstream.DiscardNew,
		Storage:           jetstream.FileStorage,
		MaxMsgs:           -1,
		MaxBytes:          -1,
		MaxMsgsPerSubject: -1,
		Duplicates:        duplicateWindow,
		Replicas:          j.opts.Replicas,
		AllowDirect:       true,
	}
}

// checkLog compares an existing log's settings with what a log must have and with the options; all faults at once.
func (j *JetStream) checkLog(c jetstream.StreamConfig) error {
	name := j.opts.Stream
	if v := c.Metadata[metaFormat]; v != formatVersion {
		return fmt.Errorf("%w: stream %s has %s %q, this program reads %q", ErrUnsupportedFormat, name, metaFormat, v, formatVersion)
	}
	p, err := strconv.Atoi(c.Metadata[metaPartitions])
	if err != nil || p < 1 || p > MaxPartitions {
		return fmt.Errorf("%w: stream %s has %s %q", ErrUnsupportedFormat, name, metaPartitions, c.Metadata[metaPartitions])
	}
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf("%w: stream %s "+format, append([]any{ErrMismatch, name}, args...)...))
		}
	}
	fault(j.opts.Partitions != 0 && j.opts.Partitions != p, "has %d partitions, %d are asked for; the number is fixed "+
		"when a log is made: ask for %d, or import the log into a new one", p, j.opts.Partitions, p)
	fault(len(c.Subjects) != 1 || c.Subjects[0] != j.subjects.allLog(), "has subjects %q, not %q", c.Subjects, j.subjects.allLog())
	fault(c.Retention != jetstream.LimitsPolicy || c.MaxMsgs > 0 || c.MaxBytes > 0 || c.MaxAge > 0 || c.MaxMsgsPerSubject > 0,
		"has a limit that can delete or refuse messages (messages %d, bytes %d, age %s, per subject %d)", c.MaxMsgs, c.MaxBytes,
		c.MaxAge, c.MaxMsgsPerSubject)
	fault(c.Storage != jetstream.FileStorage, "is kept in %s storage", c.Storage)
	fault(!c.DenyDelete || !c.DenyPurge, "allows deleting (deny_delete %t, deny_purge %t)", c.DenyDelete, c.DenyPurge)
	fault(!c.AllowDirect, "does not allow direct reads")
	if err := errors.Join(faults...); err != nil {
		return err
	}
	j.partitions, j.replicas = p, c.Replicas
	return nil
}

// Partitions implements Ledger.
func (j *JetStream) Partitions() int { return j.partitions }

// Groups implements Ledger: the folder's lock makes this process the owner of all partitions of an embedded log.
func (j *JetStream) Groups() bool { return j.emb != nil }

// MaxBatchBytes implements Ledger.
func (j *JetStream) MaxBatchBytes() int { return j.maxBatch }

// Intake implements Ledger.
func (j *JetStream) Intake() Intake { return (*jetIntake)(j) }

// begin enters a call: it gives a context that ends with the call's or the ledger's, and what must be called at its end.
func (j *JetStream) begin(ctx context.Context) (context.Context, func(), error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil, nil, ErrClosed
	}
	j.calls.Add(1)
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(j.ctx, cancel)
	return ctx, func() {
		stop()
		cancel()
		j.calls.Done()
	}, nil
}

// relink ends the calls that wait for an answer on a connection that is lost, so that they do not wait out their time.
func (j *JetStream) relink() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.unlink()
	j.link, j.unlink = context.WithCancel(j.ctx)
}

// deadline gives ctx for one call to the broker: with the default time-out unless it has its own, and ending when the
// connection is lost.
func (j *JetStream) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	var cancel context.CancelFunc
	if _, ok := ctx.Deadline(); ok {
		ctx, cancel = context.WithCancel(ctx)
	} else {
		ctx, cancel = context.WithTimeout(ctx, j.opts.Timeout)
	}
	j.mu.Lock()
	link := j.link
	j.mu.Unlock()
	stop := context.AfterFunc(link, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// cause gives the reason for which a call ended: the ledger was closed, the caller's context ctx ended, or the connection
// was lost, which ends calls by their inner context.
func (j *JetStream) cause(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case j.ctx.Err() != nil:
		return ErrClosed
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		return ctx.Err()
	case ctx.Err() == nil && errors.Is(err, context.Canceled):
		return fmt.Errorf("%w: the connection was lost", ErrUnavailable)
	}
	return err
}

// Close implements Ledger.
func (j *JetStream) Close() error {
	j.closing.Do(func() {
		j.mu.Lock()
		j.closed = true
		j.mu.Unlock()
		j.cancel()
		j.calls.Wait()
		if j.nc != nil {
			j.nc.Close()
		}
		if j.emb != nil {
			j.closeErr = j.emb.close()
		}
		if j.metrics != nil {
			j.metrics.close()
		}
		if j.closeErr != nil {
			j.closeErr = fmt.Errorf("ledger: close: %w", j.closeErr)
		}
	})
	return j.closeErr
}
