package neo4j

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/store"
)

// Source is what a projector follows: a store and its log.
type Source interface {
	// Advance brings the store up to a log that another process writes. It does
	// nothing where this process is the only one.
	Advance(ctx context.Context) error
	// Applied gives the stream sequence of the last log message that the store holds.
	Applied() (uint64, error)
	// ReadLog calls f with the messages from ≤ sequence ≤ Applied, in order. An error
	// of f ends it and is returned as it is.
	ReadLog(ctx context.Context, from uint64, f func(ledger.Message) error) error
	// Spaces gives the names of all spaces, dropped ones too.
	Spaces() ([]string, error)
	// Head and First give the last position of a space and the first that is in a
	// view; Place gives the message that holds a position, At the view there.
	Head(space string) (store.Position, error)
	First(space string) (dsl.Seq, error)
	Place(space string, seq dsl.Seq) (uint64, error)
	At(space string, seq dsl.Seq) (store.View, error)
	// Freeze holds on to what the store holds now.
	Freeze() (*store.Frozen, error)
}

// An Episode is a container of events as the projection shows it: it is computed
// from a view and stored nowhere.
type Episode struct {
	ID string
	// Events are the ids of its events, in order.
	Events   []string
	Span     dsl.Interval
	Visible  dsl.Instant
	Sessions []string
}

// Options say where the graph is and how it is written.
type Options struct {
	// URI is bolt:// or neo4j://, with +s or +ssc for TLS; neo4j:// routes writes to
	// the leader of a cluster.
	URI string
	// Database is the database's name; empty is the user's default one.
	Database string
	// User and Password are the credentials; an empty User goes in without any.
	User, Password string
	// Space restricts to one space; empty is all.
	Space string
	// Rows is how many rows one transaction writes, at least (default 4000): it ends
	// with the log transaction that reaches it. 2 KiB of the log count as one more.
	Rows int
	// Poll is how often Follow looks for what is new (default 100 ms).
	Poll time.Duration
	// FirstPause and LastPause bound the pause before another try (default 100 ms and
	// 10 s). It doubles with every try.
	FirstPause, LastPause time.Duration
	// Tries is how often in a row an operation may fail before it is given up; 0 is
	// for ever.
	Tries int
	// Now, Pause and Jitter are the clock, the wait, and a number in [0, 1) by which
	// the pauses of projectors differ. All have to be there.
	Now    func() time.Time
	Pause  func(ctx context.Context, d time.Duration) error
	Jitter func() float64
	// Episodes gives the episodes of a view; nil projects none.
	Episodes func(store.View) ([]Episode, error)
	// Committed is called after every transaction, with what is in the graph from then
	// on; it must not block.
	Committed func(Progress)
	// Logger and Registerer may be nil.
	Logger     *slog.Logger
	Registerer prometheus.Registerer
}

// Progress says how far the graph is.
type Progress struct {
	// Message is the last log message of which all is in the graph.
	Message uint64
	// Transactions counts log transactions, Nodes and Relationships what was made, in
	// the commit that has just been done.
	Transactions, Nodes, Relationships int
}

// EnsureDefaults fills what was left zero.
func (o *Options) EnsureDefaults() {
	if o.Rows == 0 {
		o.Rows = 4000
	}
	if o.Poll == 0 {
		o.Poll = 100 * time.Millisecond
	}
	if o.FirstPause == 0 {
		o.FirstPause = 100 * time.Millisecond
	}
	if o.LastPause == 0 {
		o.LastPause = 10 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// Validate returns all faults of the options at once.
func (o *Options) Validate() error {
	var errs []error
	fault := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("neo4j: %w: "+format, append([]any{dsl.ErrInvalid}, args...)...))
	}
	scheme, rest, ok := strings.Cut(o.URI, "://")
	switch {
	case !ok || rest == "":
		fault("the URI %q is not of the form bolt://host:7687 or neo4j://host:7687", o.URI)
	case !contains(words("bolt bolt+s bolt+ssc neo4j neo4j+s neo4j+ssc"), scheme):
		fault("the URI %q has scheme %q, which is none of bolt, bolt+s, bolt+ssc, neo4j, neo4j+s, neo4j+ssc", o.URI, scheme)
	}
	if o.User == "" && o.Password != "" {
		fault("there is a password and no user")
	}
	if o.Rows < 1 || o.Rows > 1_000_000 {
		fault("Rows %d lies outside 1 to 1,000,000", o.Rows)
	}
	if o.Now == nil || o.Pause == nil || o.Jitter == nil {
		fault("Now, Pause and Jitter have to be there")
	}
	if o.Poll < 0 || o.FirstPause < 0 || o.LastPause < o.FirstPause || o.Tries < 0 {
		fault("a pause or the number of tries is negative, or the last pause is below the first")
	}
	return errors.Join(errs...)
}

// dial connects to the server and checks that it answers, is new enough and lets
// the user in.
func (o *Options) dial(ctx context.Context) (_ *server, err error) {
	auth := driver.NoAuth()
	if o.User != "" {
		auth = driver.BasicAuth(o.User, o.Password, "")
	}
	d, err := driver.NewDriverWithContext(o.URI, auth, func(c *config.Config) {
		c.SocketConnectTimeout = 10 * time.Second
		c.ConnectionAcquisitionTimeout = 60 * time.Second
		c.MaxConnectionPoolSize = 8
		c.TelemetryDisabled = true
		c.UserAgent = "asof"
	})
	if err != nil {
		return nil, fmt.Errorf("neo4j: %w: %w", dsl.ErrInvalid, err)
	}
	s := &server{driver: d, database: o.Database, bookmarks: driver.NewBookmarkManager(driver.BookmarkManagerConfig{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close(ctx))
		}
	}()
	info, err := d.GetServerInfo(ctx)
	if err != nil {
		return nil, o.explain(err)
	}
	return s, checkVersion(info.Agent())
}
