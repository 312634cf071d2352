package asof

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/corenlp"
)

// OpenParser gives the CoreNLP server that the extraction of a configuration asks, ready
// to answer; nil where it asks none. A server that is not there, or of another release
// than corenlp.version, is an error that says what to do. The first question may have the
// server load models for a minute, which the context bounds. pause waits between the tries
// of a request; nil does not wait.
func OpenParser(ctx context.Context, cfg configs.Config, pause func(context.Context, time.Duration) error) (extract.Parser, error) {
	if !asksParser(&cfg) {
		return nil, nil
	}
	c := &cfg.CoreNLP
	// A connection for each request costs nothing beside what the server does with it, and leaves nothing
	// that somebody would have to close.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	client, err := corenlp.New(corenlp.Options{URL: c.URL, Version: c.Version, Attempts: c.Attempts, Concurrency: c.Concurrency,
		HTTP: &http.Client{Timeout: c.Timeout, Transport: transport}, Pause: pause})
	if err != nil {
		return nil, fmt.Errorf("asof: %w: %w", dsl.ErrInvalid, err)
	}
	for _, depth := range parserDepths(&cfg) {
		if err := client.Ready(ctx, depth); err != nil {
			return nil, fmt.Errorf("asof: %s needs a CoreNLP server: %w", parserKeys(&cfg), err)
		}
	}
	return client, nil
}

// asksParser tells whether the extraction of a configuration asks a CoreNLP server.
func asksParser(cfg *configs.Config) bool { return parserKeys(cfg) != "" }

// parserKeys names the options of a configuration that ask a CoreNLP server; empty for
// none.
func parserKeys(cfg *configs.Config) string {
	keys := ""
	for _, o := range []struct {
		key string
		on  bool
	}{
		{"ner.mode: B'", cfg.NER.Mode == configs.ModeBPrime}, {"coref.mode: B", cfg.Coref.Mode == configs.ModeB},
		{"time.sutime: true", cfg.Time.SUTime}, {"relation.parse: true", cfg.Relation.Parse},
	} {
		if o.on && keys != "" {
			keys += ", "
		}
		if o.on {
			keys += o.key
		}
	}
	return keys
}

// parserDepths gives how deep the options of a configuration have the server read.
func parserDepths(cfg *configs.Config) (depths []corenlp.Depth) {
	switch {
	case cfg.Relation.Parse:
		depths = append(depths, corenlp.Relations)
	case cfg.NER.Mode == configs.ModeBPrime, cfg.Time.SUTime:
		depths = append(depths, corenlp.Names)
	}
	if cfg.Coref.Mode == configs.ModeB {
		depths = append(depths, corenlp.Chains)
	}
	return depths
}

// wantsParser refuses an item for which the configuration asks a CoreNLP server, where
// there is none.
func (db *DB) wantsParser(it *Item) error {
	if db.opt.Parser != nil || !asksParser(&db.cfg) || (it.Turn == nil || it.Candidates != nil) && it.Gap == nil {
		return nil
	}
	return fmt.Errorf("%w: %s asks a CoreNLP server, and this memory was opened without one; start one with deploy/corenlp/server.sh start and name it by corenlp.url",
		dsl.ErrInvalid, parserKeys(&db.cfg))
}

// absentParser stands for a CoreNLP server in a process that has none: reads go on, and
// what would ask it is refused before it does (wantsParser). It has the version that the
// configuration wants, so that settings do not hang on who is there.
type absentParser struct{ version string }

func (p absentParser) Version() string { return "corenlp/" + p.version }

func (absentParser) Annotate(context.Context, string, string, corenlp.Depth) (*corenlp.Document, error) {
	return nil, errors.New("there is no CoreNLP server")
}
