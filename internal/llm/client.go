// Package llm asks a language model over HTTP, by either of the two protocols that most servers speak:
// chat completions (OpenAI-compatible) and messages (Anthropic-compatible).
//
// Nothing that the memory believes may hang on what a model says a second time: callers record the
// answer. A failed try that another may mend (a time-out, a cut connection, too many requests, a fault
// of the server, an answer that is not readable) is made again after a pause that grows; everything
// else is an error at once. Neither clock nor randomness is used: time-outs are the HTTP client's, the
// pause is the caller's function, and its jitter comes from the request.
package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/asof-db/asof/internal/backoff"
)

// Protocol is how a server is spoken to.
type Protocol string

// The protocols.
const (
	OpenAI    Protocol = "openai"
	Anthropic Protocol = "anthropic"
)

// Protocols are all of them.
var Protocols = []Protocol{OpenAI, Anthropic}

// Bounds of an answer.
const (
	maxBody  = 4 << 20
	maxQuote = 300
)

// ErrRefused says that the server will not answer the request, now or later: a wrong key or model, a
// request that it does not take.
var ErrRefused = errors.New("the language model's server refused the request")

// ErrUnavailable says that no try brought an answer.
var ErrUnavailable = errors.New("the language model's server gave no answer")

// Options say whom to ask and how patiently.
type Options struct {
	Protocol Protocol
	// URL is where the protocol's paths begin, such as http://127.0.0.1:8080/v1.
	URL string
	// Model is the model's name, as the server knows it.
	Model string
	// Key is the secret that the server wants; empty for none. It appears in no error.
	Key string
	// Attempts is how often a request is tried in all, at least 1.
	Attempts int
	// HTTP makes the requests; its Timeout is that of one try. Nil is a client without one.
	HTTP *http.Client
	// Pause waits between tries; nil does not wait. It returns the context's error when that ends.
	Pause func(context.Context, time.Duration) error
}

// Client asks one model. It may be used by many goroutines.
type Client struct{ opt Options }

// New makes a client. It sends nothing.
func New(opt Options) (*Client, error) {
	u, err := url.Parse(opt.URL)
	switch {
	case opt.Protocol != OpenAI && opt.Protocol != Anthropic:
		return nil, fmt.Errorf("llm: protocol %q is none of openai, anthropic", opt.Protocol)
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("llm: %q is no http or https address", opt.URL)
	case opt.Model == "":
		return nil, errors.New("llm: no model is named")
	case opt.Attempts < 1:
		return nil, fmt.Errorf("llm: %d attempts, want at least 1", opt.Attempts)
	}
	opt.URL = strings.TrimRight(opt.URL, "/")
	if opt.HTTP == nil {
		opt.HTTP = &http.Client{}
	}
	return &Client{opt}, nil
}

// Model is the name of the model.
func (c *Client) Model() string { return c.opt.Model }

// Request is a question to the model.
type Request struct {
	// System says what is wanted, User is what it is wanted of.
	System, User string
	// MaxTokens bounds the answer, in the model's own tokens; at least 1.
	MaxTokens int
	// Temperature is from 0, which most servers answer alike each time.
	Temperature float64
	// Schema is the JSON schema of the answer, an object; nil lets the model write what it likes.
	// The server holds the model to it as its protocol has it: by a response format, or by the input of
	// a tool that has to be called. Text is the JSON then.
	Schema json.RawMessage
}

// Response is the answer.
type Response struct {
	Text string
	// Model is the one that the server says answered.
	Model string
	// Read and Written are the tokens that the server counted.
	Read, Written int
	// Cut tells that the answer ended at MaxTokens.
	Cut bool
	// Attempts is how many tries it took.
	Attempts int
}

// Complete asks. The error wraps ErrRefused or ErrUnavailable, or is the context's.
func (c *Client) Complete(ctx context.Context, r Request) (Response, error) {
	out, err := c.complete(ctx, r)
	if err != nil {
		return Response{}, fmt.Errorf("llm: %s at %s: %w", c.opt.Model, c.opt.URL, err)
	}
	return out, nil
}

func (c *Client) complete(ctx context.Context, r Request) (Response, error) {
	if r.MaxTokens < 1 {
		return Response{}, fmt.Errorf("%w: an answer of %d tokens is asked for, want at least 1", ErrRefused, r.MaxTokens)
	}
	path, body, err := c.encode(r)
	if err != nil {
		return Response{}, err
	}
	var last error
	for try := 1; ; try++ {
		out, wait, err := c.try(ctx, path, body)
		switch {
		case err == nil:
			out.Attempts = try
			return out, nil
		case ctx.Err() != nil:
			return Response{}, ctx.Err()
		case errors.Is(err, ErrRefused):
			return Response{}, err
		}
		if last = err; try == c.opt.Attempts {
			return Response{}, fmt.Errorf("%w in %d tries: %w", ErrUnavailable, try, last)
		}
		if c.opt.Pause == nil {
			continue
		}
		if err := c.opt.Pause(ctx, max(wait, backoff.Pause(body, try))); err != nil {
			return Response{}, err
		}
	}
}

// try asks once. wait is how long the server wants to be left alone.
func (c *Client) try(ctx context.Context, path string, body []byte) (out Response, wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.opt.URL+path, bytes.NewReader(body))
	if err != nil {
		return out, 0, fmt.Errorf("%w: %v", ErrRefused, err)
	}
	req.Header.Set("Content-Type", "application/json")
	c.authorize(req)
	resp, err := c.opt.HTTP.Do(req)
	if err != nil {
		return out, 0, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return out, 0, fmt.Errorf("its answer broke off: %w", err)
	case len(data) > maxBody:
		return out, 0, fmt.Errorf("%w: its answer has more than %d bytes", ErrRefused, maxBody)
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusRequestTimeout || resp.StatusCode >= 500:
		return out, backoff.Asked(resp.Header), fmt.Errorf("%s: %s", resp.Status, c.quote(data))
	case resp.StatusCode != http.StatusOK:
		return out, 0, fmt.Errorf("%w: %s: %s", ErrRefused, resp.Status, c.quote(data))
	}
	if out, err = c.decode(data); err != nil {
		return out, 0, fmt.Errorf("its answer is not readable (%w): %s", err, c.quote(data))
	}
	return out, 0, nil
}

// quote gives what a server said for an error, without the secret.
func (c *Client) quote(data []byte) string {
	s := strings.ToValidUTF8(string(data[:min(len(data), maxQuote)]), "")
	if c.opt.Key != "" {
		s = strings.ReplaceAll(s, c.opt.Key, "…")
	}
	return strconv.Quote(s)
}

func (c *Client) authorize(req *http.Request) {
	if c.opt.Protocol == Anthropic {
		req.Header.Set("anthropic-version", "2023-06-01")
		if c.opt.Key != "" {
			req.Header.Set("x-api-key", c.opt.Key)
		}
		return
	}
	if c.opt.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.opt.Key)
	}
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// encode gives the path and the body of a request.
func (c *Client) encode(r Request) (path string, body []byte, err error) {
	type request struct {
		Model       string    `json:"model"`
		MaxTokens   int       `json:"max_tokens"`
		Temperature float64   `json:"temperature"`
		System      string    `json:"system,omitempty"`
		Messages    []message `json:"messages"`
		constraint
	}
	out := request{constraint: c.constraint(r.Schema), Model: c.opt.Model, MaxTokens: r.MaxTokens, Temperature: r.Temperature}
	path = "/messages"
	if c.opt.Protocol == OpenAI {
		path = "/chat/completions"
		if r.System != "" {
			out.Messages = append(out.Messages, message{"system", r.System})
		}
	} else {
		out.System = r.System
	}
	out.Messages = append(out.Messages, message{"user", r.User})
	if body, err = json.Marshal(out); err != nil {
		return "", nil, fmt.Errorf("%w: %v", ErrRefused, err)
	}
	return path, body, nil
}

// decode reads an answer.
func (c *Client) decode(data []byte) (Response, error) {
	if c.opt.Protocol == Anthropic {
		return decodeMessage(data)
	}
	return decodeChat(data)
}

func decodeChat(data []byte) (Response, error) {
	var in struct {
		Model   string `json:"model"`
		Choices []struct {
			Message struct {
				Content string `json:"content"`
				Refusal string `json:"refusal"`
			} `json:"message"`
			Finish string `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			Read    int `json:"prompt_tokens"`
			Written int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return Response{}, err
	}
	if len(in.Choices) == 0 {
		return Response{}, errors.New("it has no choice")
	}
	if m := &in.Choices[0].Message; m.Refusal != "" || in.Choices[0].Finish == "content_filter" {
		return Response{}, fmt.Errorf("%w: the model will not answer", ErrRefused)
	}
	return Response{Text: in.Choices[0].Message.Content, Model: in.Model, Read: in.Usage.Read, Written: in.Usage.Written,
		Cut: in.Choices[0].Finish == "length"}, nil
}

func decodeMessage(data []byte) (Response, error) {
	var in struct {
		Model   string `json:"model"`
		Content []struct {
			Type  string          `json:"type"`
			Text  string          `json:"text"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		Stop  string `json:"stop_reason"`
		Usage struct {
			Read    int `json:"input_tokens"`
			Written int `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return Response{}, err
	}
	if in.Stop == "refusal" {
		return Response{}, fmt.Errorf("%w: the model will not answer", ErrRefused)
	}
	out := Response{Model: in.Model, Read: in.Usage.Read, Written: in.Usage.Written, Cut: in.Stop == "max_tokens"}
	said := false
	for _, part := range in.Content {
		if part.Type == "text" { // others hold what the model thought
			out.Text, said = out.Text+part.Text, true
		}
		if part.Type == "tool_use" { // an answer that was held to a schema
			out.Text = string(part.Input)
			return out, nil
		}
	}
	if !said {
		return Response{}, errors.New("it has no text")
	}
	return out, nil
}
