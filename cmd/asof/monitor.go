package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
)

// monitor serves the metrics of this process and how it is, while a command runs:
//
//	/metrics   for Prometheus
//	/healthz   200 while the process is worth keeping; 503 once writes have
//	           stopped, which only a new start ends
//	/readyz    200 when the memory is open and has applied all of its log; 503
//	           with the reason while it opens, lags, or its log is away
//
// Nothing of what users wrote is in any answer.
type monitor struct {
	registry *prometheus.Registry
	server   *http.Server
	served   chan struct{} // closed when the server has ended
	log      *slog.Logger

	mu sync.Mutex // guards db
	db *asof.DB   // nil while there is none open
}

// Limits of the monitor: how long a request may take to arrive, the log to answer
// /readyz, and the last answers to be sent when the command ends.
const (
	monitorHeader   = 5 * time.Second
	monitorReady    = 2 * time.Second
	monitorFarewell = time.Second
)

var errNoMemory = errors.New("no memory is open: it is being opened or closed")

// monitor starts the monitor of --metrics; without the flag it is nil.
func (a *app) monitor(log *slog.Logger) (*monitor, error) {
	if a.metrics == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", a.metrics)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w; it takes an address like 127.0.0.1:9464", err)
	}
	m := &monitor{registry: prometheus.NewRegistry(), served: make(chan struct{}), log: log}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.server = &http.Server{Handler: m.handler(), ReadHeaderTimeout: monitorHeader, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	log.Info("metrics are served", "address", l.Addr().String())
	go func() {
		defer close(m.served)
		if err := m.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics are served no more", "err", err)
		}
	}()
	return m, nil
}

// watch names the open memory, or nil for none. A nil monitor watches nothing.
func (m *monitor) watch(db *asof.DB) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.db = db
}

// close ends the server and waits for it.
func (m *monitor) close() {
	ctx, cancel := context.WithTimeout(context.Background(), monitorFarewell)
	defer cancel()
	if err := m.server.Shutdown(ctx); err != nil {
		m.log.Debug("metrics: a client was cut off", "err", errors.Join(err, m.server.Close()))
	}
	<-m.served
}

func (m *monitor) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorLog: slog.NewLogLogger(m.log.Handler(), slog.LevelWarn)}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		m.mu.Lock()
		db := m.db
		m.mu.Unlock()
		if db == nil {
			reply(w, nil, "ok: no memory is open yet")
			return
		}
		reply(w, db.Health(), "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), monitorReady)
		defer cancel()
		// Held so that the memory is not closed meanwhile.
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.db == nil {
			reply(w, errNoMemory, "")
			return
		}
		reply(w, m.db.Ready(ctx), "ready")
	})
	return mux
}

// reply writes 200 and a word, or 503 and the reason, in words that hold nothing
// of users: the log has the rest.
func reply(w http.ResponseWriter, err error, word string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		switch {
		case errors.Is(err, asof.ErrBehind), errors.Is(err, errNoMemory):
			word = err.Error()
		case errors.Is(err, dsl.ErrClosed):
			word = "the memory is closed"
		case errors.Is(err, ledger.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
			word = "the log does not answer"
		default:
			word = "writes stopped, reads go on: the log of this process says why; start it again when that is mended"
		}
	}
	io.WriteString(w, word+"\n") // A client that is gone does not hear it.
}
