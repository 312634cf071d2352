package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/internal/llm"
)

// languageModel gives the language model that a configuration names, nil for
// none. The key comes from the environment.
func languageModel(cfg *configs.LLM, getenv func(string) string) (asof.LanguageModel, error) {
	c, err := languageClient(cfg, getenv)
	if c == nil || err != nil {
		return nil, err
	}
	return model{c}, nil
}

// languageClient gives the client of it.
func languageClient(cfg *configs.LLM, getenv func(string) string) (*llm.Client, error) {
	if cfg.URL == "" {
		return nil, nil
	}
	opt := llm.Options{Protocol: llm.Protocol(cfg.Protocol), URL: cfg.URL, Model: cfg.Model, Attempts: cfg.Attempts,
		HTTP: &http.Client{Timeout: cfg.Timeout}, Pause: pause}
	if cfg.KeyEnv != "" {
		if opt.Key = getenv(cfg.KeyEnv); opt.Key == "" {
			return nil, fmt.Errorf("llm.key_env: the environment variable %s is not set", cfg.KeyEnv)
		}
	}
	return llm.New(opt)
}

// model is a language model over HTTP, as a memory asks it.
type model struct{ client *llm.Client }

func (m model) Name() string { return m.client.Model() }

func (m model) Complete(ctx context.Context, system, user string, maxTokens int) (string, error) {
	return m.ask(ctx, llm.Request{System: system, User: user, MaxTokens: maxTokens})
}

// CompleteJSON implements extract.SchemaModel.
func (m model) CompleteJSON(ctx context.Context, system, user string, schema []byte, maxTokens int) (string, error) {
	return m.ask(ctx, llm.Request{System: system, User: user, MaxTokens: maxTokens, Schema: schema})
}

func (m model) ask(ctx context.Context, r llm.Request) (string, error) {
	out, err := m.client.Complete(ctx, r)
	if err == nil && out.Cut {
		err = fmt.Errorf("its answer does not end within %d tokens", r.MaxTokens)
	}
	return out.Text, err
}

// pause waits for a while or until the context ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
