package ledger

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Options say where the log is and how it is reached. Exactly one of Dir and URL is set.
type Options struct {
	// Dir is the folder of the embedded broker's files; it is made when it is not there.
	Dir string
	// URL is the address of an external server, or several separated by commas. That server must itself run JetStream with
	// sync_interval "always": a client cannot see whether it does.
	URL string
	// CredsFile is the credentials file for an external server; empty for none.
	CredsFile string
	// Stream is the log's name: a capital letter, then up to 31 of A-Z, 0-9, '_' and '-'. Default DefaultStream.
	Stream string
	// Partitions is the number of partitions, 1 to MaxPartitions, fixed when the log is made. 0 takes that of an existing
	// log and DefaultPartitions for a new one.
	Partitions int
	// Replicas is how many servers of a cluster keep the log, 1 to 5; it counts only when the log is made. Default 1.
	Replicas int
	// MaxPayload is the largest message in bytes, 64 KiB to 16 MiB. Default DefaultMaxPayload; an external
	// server's own limit applies where it is lower.
	MaxPayload int
	// Timeout bounds each call to the broker whose context has no deadline. Default 10 s.
	Timeout time.Duration
	// Clock times appends for the metrics. nil: they are counted but not timed.
	Clock func() time.Time
	// Logger gets what the broker has to say; nil for none.
	Logger *slog.Logger
	// Registerer gets the metrics asof_ledger_*; nil for none.
	Registerer prometheus.Registerer
}

const (
	defaultTimeout = 10 * time.Second
	minMaxPayload  = 64 << 10
	maxMaxPayload  = 16 << 20
	maxReplicas    = 5
)

// EnsureDefaults gives o with every unset option at its default. Partitions stays 0: the log decides.
func (o Options) EnsureDefaults() Options {
	if o.Stream == "" {
		o.Stream = DefaultStream
	}
	if o.Replicas == 0 {
		o.Replicas = 1
	}
	if o.MaxPayload == 0 {
		o.MaxPayload = DefaultMaxPayload
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Validate gives all faults of o, which has its defaults, joined into one error; each wraps ErrInvalid.
func (o Options) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: ledger option "+format, append([]any{ErrInvalid}, args...)...))
	}
	if (o.Dir == "") == (o.URL == "") {
		fault("Dir is %q and URL is %q: set exactly one of them", o.Dir, o.URL)
	}
	if o.URL != "" {
		if u, err := url.Parse(o.URL); err != nil || u.Scheme == "" || u.Host == "" {
			fault("URL %q is not like nats://host:4222", o.URL)
		}
	}
	if o.CredsFile != "" {
		if o.URL == "" {
			fault("CredsFile %q is set, but the embedded broker takes none", o.CredsFile)
		} else if _, err := os.Stat(o.CredsFile); err != nil {
			fault("CredsFile: %s", err)
		}
	}
	if !streamName.MatchString(o.Stream) {
		fault("Stream %q is not a capital letter and up to 31 of A-Z, 0-9, '_' and '-'", o.Stream)
	}
	if o.Partitions < 0 || o.Partitions > MaxPartitions {
		fault("Partitions %d is not in [1, %d]", o.Partitions, MaxPartitions)
	}
	if o.Replicas < 1 || o.Replicas > maxReplicas {
		fault("Replicas %d is not in [1, %d]", o.Replicas, maxReplicas)
	} else if o.Replicas > 1 && o.URL == "" {
		fault("Replicas %d needs a cluster: the embedded broker keeps one", o.Replicas)
	}
	if o.MaxPayload < minMaxPayload || o.MaxPayload > maxMaxPayload {
		fault("MaxPayload %d is not in [%d, %d] bytes", o.MaxPayload, minMaxPayload, maxMaxPayload)
	}
	if o.Timeout < 0 {
		fault("Timeout %s is negative", o.Timeout)
	}
	return errors.Join(faults...)
}
