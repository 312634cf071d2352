// Package corenlp asks a CoreNLP server about English text over HTTP: names, time expressions, grammatical
// relations, and which words mean the same. deploy/corenlp starts such a server; docs/CORENLP.md says what
// it is worth.
//
// What a server answers is not computed again: callers record it. A failed try that another may mend (a
// time-out, a cut connection, a fault of the server, an answer that is not readable) is made again after a
// pause that grows; everything else is an error at once. A server that fails for many requests on end is
// left alone for some, counted and not timed, so that an ingest does not wait for a dead one at each turn.
// Neither clock nor randomness is used: time-outs are the HTTP client's, the pause is the caller's function,
// and its jitter comes from the request.
//
// All offsets that callers see are bytes of the text's UTF-8 form, half-open; the server counts UTF-16 units.
package corenlp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/asof-db/asof/internal/backoff"
)

// Depth is how far the server reads a text. Each depth costs more than the one before it and gives all that
// the one before it gives.
type Depth int

// The depths.
const (
	// Names gives sentences, words, names and time expressions.
	Names Depth = iota
	// Relations also gives grammatical relations between words.
	Relations
	// Chains also gives chains of words that mean the same.
	Chains
)

// annotators are the server's names for each depth. One server holds the three of them over the same models;
// any other list, and any other property, would have it load models anew, which takes a minute.
var annotators = [...]string{
	"tokenize,ssplit,pos,lemma,ner",
	"tokenize,ssplit,pos,lemma,ner,depparse",
	"tokenize,ssplit,pos,lemma,ner,depparse,coref",
}

// Properties gives the properties of a request, as the server reads them. Of all requests of one depth only
// the date differs.
func (d Depth) Properties(date string) string {
	return `{"annotators":"` + annotators[d] + `","date":"` + date + `","outputFormat":"json","ssplit.newlineIsSentenceBreak":"two"}`
}

// Bounds of a request and of its answer, in bytes. The time that the server takes for chains grows faster
// than the text.
const (
	MaxText  = 20_000
	maxBody  = 32 << 20
	maxQuote = 300
)

// Errors of a request.
var (
	// ErrUnavailable says that no try brought an answer.
	ErrUnavailable = errors.New("the CoreNLP server gave no answer")
	// ErrResting says that the server was not asked, because it failed for several requests on end.
	ErrResting = fmt.Errorf("%w: it failed before and is left alone for a while", ErrUnavailable)
	// ErrRefused says that the server will not answer the request, now or later.
	ErrRefused = errors.New("the CoreNLP server refused the request")
	// ErrTooLong says that the text has more than MaxText bytes; the server was not asked.
	ErrTooLong = errors.New("the text is too long for the CoreNLP server")
	// ErrMalformed says that the server's last answer could not be read.
	ErrMalformed = errors.New("the answer of the CoreNLP server is not readable")
	// ErrVersion says that the server is of another release than the one that is wanted.
	ErrVersion = errors.New("the CoreNLP server is of another release")
)

// Options say whom to ask and how patiently.
type Options struct {
	// URL is the server's, such as http://127.0.0.1:9000.
	URL string
	// Version is the release that the server is to be of, such as 4.5.10.
	Version string
	// Attempts is how often a request is tried in all, at least 1.
	Attempts int
	// Concurrency is how many requests are made at a time, at least 1; others wait.
	Concurrency int
	// HTTP makes the requests; its Timeout is that of one try. Nil is a client without one.
	HTTP *http.Client
	// Pause waits between tries; nil does not wait. It returns the context's error when that ends.
	Pause func(context.Context, time.Duration) error
}

// Client asks one server. It may be used by many goroutines.
type Client struct {
	opt   Options
	slots chan struct{}

	mu sync.Mutex // guards what follows
	// failed counts the requests that failed on end, rest those that are still left out.
	failed, rest int
}

// New makes a client. It sends nothing; see Ready.
func New(opt Options) (*Client, error) {
	u, err := url.Parse(opt.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("corenlp: %q is no http or https address", opt.URL)
	case opt.Version == "":
		return nil, errors.New("corenlp: no release of the server is named")
	case opt.Attempts < 1:
		return nil, fmt.Errorf("corenlp: %d attempts, want at least 1", opt.Attempts)
	case opt.Concurrency < 1:
		return nil, fmt.Errorf("corenlp: %d requests at a time, want at least 1", opt.Concurrency)
	}
	opt.URL = strings.TrimRight(opt.URL, "/")
	if opt.HTTP == nil {
		opt.HTTP = &http.Client{}
	}
	return &Client{opt: opt, slots: make(chan struct{}, opt.Concurrency)}, nil
}

// Version names the server's program and its release, as versions and the log do.
func (c *Client) Version() string { return "corenlp/" + c.opt.Version }

// warmUpTimeout bounds the first request of a depth, for which the server may have to load models.
const warmUpTimeout = 3 * time.Minute

// warmUpText has a name, a time and a pronoun, so that each part of the server has something to do.
const warmUpText = "Anna moved to Boston last month. She likes it."

// Ready checks that the server is there and of the wanted release, and has it load what the depth needs. A
// server that does not say its release (one that deploy/corenlp did not start) is taken at its word. It may
// take a minute; the context bounds it.
func (c *Client) Ready(ctx context.Context, d Depth) error {
	const do = "start one with deploy/corenlp/server.sh start, or set corenlp.url to one that runs"
	status, _, err := c.get(ctx, "/ready")
	switch {
	case err != nil:
		return fmt.Errorf("corenlp: no server answers at %s (%w); %s", c.opt.URL, err, do)
	case status == http.StatusServiceUnavailable:
		return fmt.Errorf("corenlp: the server at %s is still loading its models; wait until GET /ready gives 200", c.opt.URL)
	case status != http.StatusOK:
		return fmt.Errorf("corenlp: what answers at %s is no CoreNLP server: GET /ready gives status %d; %s", c.opt.URL, status, do)
	}
	switch status, said, err := c.get(ctx, "/asof/version"); {
	case err != nil:
		return fmt.Errorf("corenlp: the server at %s: %w", c.opt.URL, err)
	case status == http.StatusOK && said != c.opt.Version:
		return fmt.Errorf("corenlp: %w: the one at %s is %q, wanted is %q; set corenlp.version, or start the other one", ErrVersion, c.opt.URL, said, c.opt.Version)
	}
	patient := *c.opt.HTTP
	if patient.Timeout > 0 {
		patient.Timeout = max(patient.Timeout, warmUpTimeout)
	}
	if _, err := c.try(ctx, &patient, warmUpText, d.Properties("2020-01-15"), d); err != nil {
		return fmt.Errorf("corenlp: the server at %s does not answer a first request: %w", c.opt.URL, err)
	}
	return nil
}

// get reads a short answer.
func (c *Client) get(ctx context.Context, path string) (status int, said string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.opt.URL+path, nil)
	if err != nil {
		return 0, "", err
	}
	resp, err := c.opt.HTTP.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxQuote))
	return resp.StatusCode, strings.TrimSpace(string(data)), err
}

// Annotate has the server read a text to a depth. date is the day that it is said on, as YYYY-MM-DD: a time
// of day in it makes the server read times worse. The error wraps one of this package's, or is the context's.
func (c *Client) Annotate(ctx context.Context, text, date string, d Depth) (*Document, error) {
	if strings.TrimSpace(text) == "" {
		return &Document{}, nil
	}
	switch {
	case len(text) > MaxText:
		return nil, fmt.Errorf("corenlp: %w: %d bytes, it reads %d", ErrTooLong, len(text), MaxText)
	case !utf8.ValidString(text):
		return nil, fmt.Errorf("corenlp: %w: the text is not UTF-8", ErrRefused)
	case !isDate(date):
		return nil, fmt.Errorf("corenlp: %w: the date %q is not of the form 2020-01-15", ErrRefused, date)
	case d < Names || d > Chains:
		return nil, fmt.Errorf("corenlp: %w: there is no depth %d", ErrRefused, d)
	}
	if c.resting() {
		return nil, fmt.Errorf("corenlp: %s: %w", c.opt.URL, ErrResting)
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	out, err := c.annotate(ctx, text, date, d)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err() // says nothing of the server
	}
	c.went(err)
	if err != nil {
		return nil, fmt.Errorf("corenlp: %s: %w", c.opt.URL, err)
	}
	return out, nil
}

// isDate tells whether a string is of the form of a day.
func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func (c *Client) annotate(ctx context.Context, text, date string, d Depth) (*Document, error) {
	properties := d.Properties(date)
	for try := 1; ; try++ {
		out, err := c.try(ctx, c.opt.HTTP, text, properties, d)
		if err == nil || ctx.Err() != nil || errors.Is(err, ErrRefused) {
			return out, err
		}
		if try == c.opt.Attempts {
			return nil, fmt.Errorf("%w in %d tries: %w", ErrUnavailable, try, err)
		}
		if c.opt.Pause == nil {
			continue
		}
		if err := c.opt.Pause(ctx, backoff.Pause([]byte(text), try)); err != nil {
			return nil, err
		}
	}
}

// try asks once.
func (c *Client) try(ctx context.Context, with *http.Client, text, properties string, d Depth) (*Document, error) {
	address := c.opt.URL + "/?properties=" + url.QueryEscape(properties)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrRefused, err)
	}
	// Of another type, the server would take '%' and '+' for escapes, or the bytes for another encoding.
	req.Header.Set("Content-Type", "text/plain; charset=utf-8")
	resp, err := with.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("its answer broke off: %w", err)
	case len(data) > maxBody:
		return nil, fmt.Errorf("%w: its answer has more than %d bytes", ErrRefused, maxBody)
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusRequestTimeout || resp.StatusCode >= 500:
		return nil, fmt.Errorf("%s: %s", resp.Status, quote(data))
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%w: %s: %s", ErrRefused, resp.Status, quote(data))
	}
	var in answer
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, fmt.Errorf("%w (%v): %s", ErrMalformed, err, quote(data))
	}
	out, err := in.document(text, d)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrMalformed, err)
	}
	return out, nil
}

// quote gives what a server said for an error.
func quote(data []byte) string {
	return strconv.Quote(strings.ToValidUTF8(string(data[:min(len(data), maxQuote)]), ""))
}

// restAfter is after how many failed requests on end the server is left alone, restMost for how many at most.
const (
	restAfter = 3
	restMost  = 256
)

// resting tells whether the server is left alone for a request.
func (c *Client) resting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rest == 0 {
		return false
	}
	c.rest--
	return true
}

// went keeps how a request went. Each failure after restAfter on end doubles the requests that are left out.
// A refusal is an answer: the server is there.
func (c *Client) went(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil || errors.Is(err, ErrRefused) {
		c.failed, c.rest = 0, 0
		return
	}
	c.failed++
	if n := c.failed - restAfter; n >= 0 {
		c.rest = min(restMost, 4<<min(n, 10))
	}
}
