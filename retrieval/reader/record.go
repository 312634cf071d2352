package reader

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/asof-db/asof/internal/llm"
)

// ErrNotRecorded says that a replay has no record of a request.
var ErrNotRecorded = errors.New("the record holds no answer to this request")

// Call is one call of a model, as a line of a record.
type Call struct {
	// Request is the hash of the version of the prompts, the model and both prompts.
	Request string `json:"request"`
	Model   string `json:"model"`
	System  string `json:"system"`
	User    string `json:"user"`
	// Answer is what the model said, of which the server counted Read and Written
	// tokens; Error is what went wrong in its place.
	Answer   string `json:"answer,omitempty"`
	Answered string `json:"answered_by,omitempty"`
	Read     int    `json:"read_tokens"`
	Written  int    `json:"written_tokens"`
	Attempts int    `json:"attempts,omitempty"`
	Cut      bool   `json:"cut,omitempty"`
	Error    string `json:"error,omitempty"`
}

// Recorder is a Completer that keeps its calls. It may be used by many goroutines.
type Recorder struct {
	model string
	inner Completer

	mu    sync.Mutex // guards what follows
	out   io.Writer
	calls map[string]Call
}

// NewRecorder asks inner and writes each call as a line of JSON to out, in the
// order in which the answers come.
func NewRecorder(inner Completer, out io.Writer) *Recorder {
	return &Recorder{model: inner.Model(), inner: inner, out: out}
}

// maxRecordLine bounds a line of a record, in bytes.
const maxRecordLine = 16 << 20

// Replay reads a record and answers from it alone. The name of the model is that
// of the first call; a record without a call is refused.
func Replay(in io.Reader) (*Recorder, error) {
	r := &Recorder{calls: map[string]Call{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxRecordLine)
	for n := 1; lines.Scan(); n++ {
		var c Call
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("reader: record, line %d: %w", n, err)
		}
		if want := hashOf(c.Model, &llm.Request{System: c.System, User: c.User}); c.Request != want {
			return nil, fmt.Errorf("reader: record, line %d: its request hashes to %s, and it says %s: it was changed", n, want, c.Request)
		}
		if r.model == "" {
			r.model = c.Model
		}
		if old, ok := r.calls[c.Request]; !ok || old.Error != "" {
			r.calls[c.Request] = c // an answer counts for more than the failure before it
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reader: record: %w", err)
	}
	if r.model == "" {
		return nil, errors.New("reader: record: it holds no call")
	}
	return r, nil
}

// hashOf names a request.
func hashOf(model string, q *llm.Request) string {
	h := sha256.New()
	for _, part := range []string{Version, model, q.System, q.User} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Model implements Completer.
func (r *Recorder) Model() string { return r.model }

// Complete implements Completer: it asks and writes the call down, or, in a replay,
// answers as was written. The error of a replay wraps ErrNotRecorded where the
// request is new, or gives what went wrong then.
func (r *Recorder) Complete(ctx context.Context, q llm.Request) (llm.Response, error) {
	hash := hashOf(r.model, &q)
	if r.inner == nil {
		r.mu.Lock()
		c, ok := r.calls[hash]
		r.mu.Unlock()
		switch {
		case !ok:
			return llm.Response{}, fmt.Errorf("%w (request %s)", ErrNotRecorded, hash[:12])
		case c.Error != "":
			return llm.Response{}, errors.New(c.Error)
		}
		return llm.Response{Text: c.Answer, Model: c.Answered, Read: c.Read, Written: c.Written, Cut: c.Cut, Attempts: c.Attempts}, nil
	}
	resp, err := r.inner.Complete(ctx, q)
	c := Call{Request: hash, Model: r.model, System: q.System, User: q.User, Answer: resp.Text, Answered: resp.Model,
		Read: resp.Read, Written: resp.Written, Attempts: resp.Attempts, Cut: resp.Cut}
	if err != nil {
		c.Error = err.Error()
	}
	line, jsonErr := json.Marshal(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	if jsonErr == nil {
		_, jsonErr = r.out.Write(append(line, '\n'))
	}
	if err == nil && jsonErr != nil {
		err = fmt.Errorf("reader: record: %w", jsonErr)
	}
	return resp, err
}
