package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/asof-db/asof/internal/backoff"
	"github.com/asof-db/asof/internal/backoff/backofftest"
)

// server answers tries in turn and keeps what it was asked last.
type server struct {
	*httptest.Server
	backofftest.InTurn
	path   string
	header http.Header
	body   map[string]any
}

func serve(t *testing.T, answers ...backofftest.Answer) *server {
	t.Helper()
	s := &server{InTurn: backofftest.InTurn{Answers: answers}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.path, s.header = r.URL.Path, r.Header.Clone()
		b, _ := io.ReadAll(r.Body)
		s.body = nil
		if err := json.Unmarshal(b, &s.body); err != nil {
			t.Error(err)
		}
		s.Answer(w)
	}))
	t.Cleanup(s.Close)
	return s
}

// says, fails and cut are answers; a server that fails wants to be left alone for 7 s.
func says(body string) backofftest.Answer { return backofftest.Says(body) }

func fails(code int, body string) backofftest.Answer { return backofftest.Fails(code, body, 7) }

var cut = backofftest.Cut(`{"choices":[{"mess`)

const (
	chat  = `{"model":"m-1","choices":[{"message":{"role":"assistant","content":"Ana moved."},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":3}}`
	claud = `{"model":"m-1","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Ana "},{"type":"text","text":"moved."}],"stop_reason":"max_tokens","usage":{"input_tokens":5,"output_tokens":3}}`
)

func client(t *testing.T, s *server, p Protocol, waits *[]time.Duration) *Client {
	t.Helper()
	c, err := New(Options{Protocol: p, URL: s.URL + "/v1/", Model: "m", Key: "s3cret", Attempts: 3,
		Pause: func(ctx context.Context, d time.Duration) error {
			*waits = append(*waits, d)
			return ctx.Err()
		}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestComplete(t *testing.T) {
	ask := Request{System: "Be brief.", User: "What happened?", MaxTokens: 20}
	for _, c := range []struct {
		name     string
		protocol Protocol
		answers  []backofftest.Answer
		want     Response
		waits    int
		err      error
		says     string
	}{
		{"chat", OpenAI, []backofftest.Answer{says(chat)}, Response{Text: "Ana moved.", Model: "m-1", Read: 5, Written: 3, Attempts: 1}, 0, nil, ""},
		{"messages", Anthropic, []backofftest.Answer{says(claud)}, Response{Text: "Ana moved.", Model: "m-1", Read: 5, Written: 3, Cut: true, Attempts: 1}, 0, nil, ""},
		{"busy, then well", OpenAI, []backofftest.Answer{fails(429, "slow down"), fails(503, ""), says(chat)},
			Response{Text: "Ana moved.", Model: "m-1", Read: 5, Written: 3, Attempts: 3}, 2, nil, ""},
		{"cut off, then nonsense, then well", OpenAI, []backofftest.Answer{cut, says("<html>"), says(chat)},
			Response{Text: "Ana moved.", Model: "m-1", Read: 5, Written: 3, Attempts: 3}, 2, nil, ""},
		{"down", OpenAI, []backofftest.Answer{fails(500, "boom")}, Response{}, 2, ErrUnavailable, "boom"},
		{"nothing in it", OpenAI, []backofftest.Answer{says(`{"choices":[]}`)}, Response{}, 2, ErrUnavailable, "no choice"},
		{"only thoughts", Anthropic, []backofftest.Answer{says(`{"content":[{"type":"thinking"}]}`)}, Response{}, 2, ErrUnavailable, "no text"},
		{"wrong key", OpenAI, []backofftest.Answer{fails(401, "no such key: s3cret")}, Response{}, 0, ErrRefused, "no such key: …"},
		{"wrong model", Anthropic, []backofftest.Answer{fails(404, "model m not found")}, Response{}, 0, ErrRefused, "model m not found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.answers...)
			var waits []time.Duration
			got, err := client(t, s, c.protocol, &waits).Complete(t.Context(), ask)
			if got != c.want || !errors.Is(err, c.err) || len(waits) != c.waits {
				t.Fatalf("%+v after %v, %v; want %+v after %d waits, %v", got, waits, err, c.want, c.waits, c.err)
			}
			if c.err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "s3cret")) {
				t.Fatalf("error %v, want %q in it and no secret", err, c.says)
			}
			for i, d := range waits {
				if least := backoff.First / 2 << i; d < least || d > backoff.Most {
					t.Errorf("pause %d is %v, want %v to %v", i, d, least, backoff.Most)
				}
			}
			if c.name == "busy, then well" && waits[0] != 7*time.Second {
				t.Errorf("waited %v where the server asked for 7 s", waits[0])
			}
			messages := s.body["messages"].([]any)
			switch c.protocol {
			case OpenAI:
				if s.path != "/v1/chat/completions" || s.header.Get("Authorization") != "Bearer s3cret" || len(messages) != 2 {
					t.Errorf("asked %s with %v: %v", s.path, s.header, s.body)
				}
			case Anthropic:
				if s.path != "/v1/messages" || s.header.Get("x-api-key") != "s3cret" || s.body["system"] != "Be brief." || len(messages) != 1 {
					t.Errorf("asked %s with %v: %v", s.path, s.header, s.body)
				}
			}
		})
	}
}

// TestCompleteEnds: the caller's context ends the tries, and the client's own time-out is one of them.
func TestCompleteEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, func(w http.ResponseWriter) {
		cancel()
		fails(500, "")(w)
	})
	var waits []time.Duration
	if _, err := client(t, s, OpenAI, &waits).Complete(ctx, Request{MaxTokens: 1}); !errors.Is(err, context.Canceled) || s.Tries() != 1 {
		t.Fatalf("%v after %d tries", err, s.Tries())
	}
	hang := make(chan struct{})
	s = serve(t, func(http.ResponseWriter) { <-hang })
	defer close(hang)
	c, err := New(Options{Protocol: OpenAI, URL: s.URL, Model: "m", Attempts: 2, HTTP: &http.Client{Timeout: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Complete(t.Context(), Request{MaxTokens: 1}); !errors.Is(err, ErrUnavailable) || s.Tries() != 2 {
		t.Fatalf("%v after %d tries", err, s.Tries())
	}
}

func TestNewRefuses(t *testing.T) {
	good := Options{Protocol: OpenAI, URL: "http://127.0.0.1:1", Model: "m", Attempts: 1}
	for name, change := range map[string]func(*Options){
		"protocol": func(o *Options) { o.Protocol = "grpc" },
		"address":  func(o *Options) { o.URL = "127.0.0.1:1" },
		"model":    func(o *Options) { o.Model = "" },
		"attempts": func(o *Options) { o.Attempts = 0 },
	} {
		o := good
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("a bad %s is taken", name)
		}
	}
	c, err := New(good)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Complete(t.Context(), Request{}); !errors.Is(err, ErrRefused) {
		t.Errorf("an answer of no tokens: %v", err)
	}
}

// TestSchema: a schema goes to the server as its protocol has it, and the answer is the
// JSON that it gave; a refusal is one.
func TestSchema(t *testing.T) {
	schema := json.RawMessage(`{"type":"object"}`)
	for _, c := range []struct {
		protocol     Protocol
		answer, want string
		err          error
	}{
		{OpenAI, `{"choices":[{"message":{"content":"{\"a\":1}"},"finish_reason":"stop"}]}`, `{"a":1}`, nil},
		{OpenAI, `{"choices":[{"message":{"content":null,"refusal":"no"},"finish_reason":"stop"}]}`, "", ErrRefused},
		{OpenAI, `{"choices":[{"message":{"content":"half"},"finish_reason":"content_filter"}]}`, "", ErrRefused},
		{Anthropic, `{"content":[{"type":"text","text":"Well."},{"type":"tool_use","name":"answer","input":{"a": 1}}],"stop_reason":"tool_use"}`, `{"a": 1}`, nil},
		{Anthropic, `{"content":[{"type":"text","text":"{}"}],"stop_reason":"end_turn"}`, `{}`, nil},
		{Anthropic, `{"content":[],"stop_reason":"refusal"}`, "", ErrRefused},
	} {
		s := serve(t, says(c.answer))
		var waits []time.Duration
		got, err := client(t, s, c.protocol, &waits).Complete(t.Context(), Request{User: "?", MaxTokens: 9, Schema: schema})
		if got.Text != c.want || !errors.Is(err, c.err) || len(waits) > 0 {
			t.Errorf("%s: %q, %v after %d waits; want %q, %v", c.protocol, got.Text, err, len(waits), c.want, c.err)
		}
		switch c.protocol {
		case OpenAI:
			f, _ := s.body["response_format"].(map[string]any)
			if f["type"] != "json_schema" || f["json_schema"].(map[string]any)["strict"] != true || s.body["tools"] != nil {
				t.Errorf("asked %v", s.body)
			}
		case Anthropic:
			choice, _ := s.body["tool_choice"].(map[string]any)
			if choice["name"] != "answer" || len(s.body["tools"].([]any)) != 1 || s.body["response_format"] != nil {
				t.Errorf("asked %v", s.body)
			}
		}
	}
}
