package corenlp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asof-db/asof/internal/backoff"
	"github.com/asof-db/asof/internal/backoff/backofftest"
)

// fake answers tries in turn and keeps what it was asked last. At /ready and /asof/version it says what ready
// and version are.
type fake struct {
	*httptest.Server
	backofftest.InTurn
	ready   int
	version string

	mu                         sync.Mutex // guards what follows
	properties, text, language string
}

func serve(t *testing.T, answers ...backofftest.Answer) *fake {
	t.Helper()
	f := &fake{InTurn: backofftest.InTurn{Answers: answers}, ready: http.StatusOK, version: "4.5.10"}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ready":
			w.WriteHeader(f.ready)
		case "/asof/version":
			if f.version == "" {
				w.WriteHeader(http.StatusNotFound)
			}
			fmt.Fprintln(w, f.version)
		default:
			b, _ := io.ReadAll(r.Body)
			f.mu.Lock()
			f.properties, f.text, f.language = r.URL.Query().Get("properties"), string(b), r.Header.Get("Content-Type")
			f.mu.Unlock()
			f.Answer(w)
		}
	}))
	t.Cleanup(f.Close)
	return f
}

func says(body string) backofftest.Answer { return backofftest.Says(body) }

func fails(code int, body string) backofftest.Answer { return backofftest.Fails(code, body, 0) }

var cut = backofftest.Cut(`{"sentences":[{"tok`)

func client(t *testing.T, f *fake, waits *[]time.Duration) *Client {
	t.Helper()
	c, err := New(Options{URL: f.URL + "/", Version: "4.5.10", Attempts: 3, Concurrency: 2,
		Pause: func(ctx context.Context, d time.Duration) error {
			*waits = append(*waits, d)
			return ctx.Err()
		}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// one is an answer with one sentence of one word, "Hi".
const one = `{"docDate":"2023-05-08","sentences":[{"index":0,"entitymentions":[],"tokens":[{"index":1,"word":"Hi","lemma":"hi","characterOffsetBegin":0,"characterOffsetEnd":2,"pos":"UH","ner":"O"}]}]}`

func TestAnnotate(t *testing.T) {
	hi := says(one)
	for _, c := range []struct {
		name    string
		answers []backofftest.Answer
		waits   int
		err     error
		says    string
	}{
		{"well", []backofftest.Answer{hi}, 0, nil, ""},
		{"busy, then well", []backofftest.Answer{fails(503, ""), fails(429, ""), hi}, 2, nil, ""},
		{"cut off, then nonsense, then well", []backofftest.Answer{cut, says("<html>"), hi}, 2, nil, ""},
		{"down", []backofftest.Answer{fails(500, "CoreNLP request timed out")}, 2, ErrUnavailable, "CoreNLP request timed out"},
		{"no JSON", []backofftest.Answer{says("Could not handle incoming annotation")}, 2, ErrMalformed, "Could not handle"},
		{"nothing in it", []backofftest.Answer{says(`{}`)}, 2, ErrMalformed, "no list of sentences"},
		{"a word past the end", []backofftest.Answer{says(strings.Replace(one, `End":2`, `End":3`, 1))}, 2, ErrMalformed, "UTF-16 units 0 to 3"},
		{"a word without a place", []backofftest.Answer{says(strings.Replace(one, `"characterOffsetEnd":2,`, ``, 1))}, 2, ErrMalformed, "word 1 has no place"},
		{"a mention past the end", []backofftest.Answer{says(strings.Replace(one, `"entitymentions":[]`, `"entitymentions":[{"tokenBegin":0,"tokenEnd":2,"ner":"PERSON"}]`, 1))}, 2, ErrMalformed, "words 1 to 2 of 1"},
		{"too many words", []backofftest.Answer{says(`{"sentences":[{"tokens":[` + strings.TrimSuffix(strings.Repeat(`{"characterOffsetBegin":0,"characterOffsetEnd":2},`, 5), ",") + `]}]}`)}, 2, ErrMalformed, "more than 4 words"},
		{"too much", []backofftest.Answer{fails(400, "Request is too long")}, 0, ErrRefused, "Request is too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := serve(t, c.answers...)
			var waits []time.Duration
			got, err := client(t, f, &waits).Annotate(t.Context(), "Hi", "2023-05-08", Names)
			if !errors.Is(err, c.err) || len(waits) != c.waits {
				t.Fatalf("%v after %d waits; want %v after %d", err, len(waits), c.err, c.waits)
			}
			if c.err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q in it", err, c.says)
			}
			if c.err == nil && (len(got.Sentences) != 1 || got.Sentences[0].Tokens[0] != Token{0, 2, "hi", "UH"}) {
				t.Errorf("%+v", got)
			}
			for i, d := range waits {
				if least := backoff.First / 2 << i; d < least || d > backoff.Most {
					t.Errorf("pause %d is %v, want %v to %v", i, d, least, backoff.Most)
				}
			}
			if f.text != "Hi" || f.language != "text/plain; charset=utf-8" || f.properties != Names.Properties("2023-05-08") {
				t.Errorf("asked about %q as %s with %s", f.text, f.language, f.properties)
			}
		})
	}
}

// TestAnnotateAsksNothing: what cannot be answered is not asked.
func TestAnnotateAsksNothing(t *testing.T) {
	f := serve(t, says(one))
	var waits []time.Duration
	c := client(t, f, &waits)
	for _, a := range []struct {
		text, date string
		depth      Depth
		err        error
	}{
		{"", "2023-05-08", Chains, nil},
		{" \n", "2023-05-08", Names, nil},
		{strings.Repeat("a", MaxText+1), "2023-05-08", Names, ErrTooLong},
		{"caf\xe9", "2023-05-08", Names, ErrRefused},
		{"Hi", "2023-05-08T10:00", Names, ErrRefused},
		{"Hi", `2023","annotators":"quote`, Names, ErrRefused},
		{"Hi", "2023-05-08", Chains + 1, ErrRefused},
	} {
		got, err := c.Annotate(t.Context(), a.text, a.date, a.depth)
		if !errors.Is(err, a.err) || a.err == nil && (got == nil || len(got.Sentences) != 0) {
			t.Errorf("%.20q on %s: %+v, %v; want %v", a.text, a.date, got, err, a.err)
		}
	}
	if n := f.Tries(); n != 0 {
		t.Errorf("the server was asked %d times", n)
	}
}

// TestAnnotateEnds: the caller's context ends the tries and says nothing of the server; the client's own
// time-out is a failed try.
func TestAnnotateEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := serve(t, func(w http.ResponseWriter) {
		cancel()
		fails(500, "")(w)
	})
	var waits []time.Duration
	c := client(t, f, &waits)
	for range restAfter + 1 {
		if _, err := c.Annotate(ctx, "Hi", "2023-05-08", Names); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if n := f.Tries(); n != 1 {
		t.Errorf("asked %d times after the end", n)
	}
	hang := make(chan struct{})
	f = serve(t, func(http.ResponseWriter) { <-hang })
	defer close(hang)
	c, err := New(Options{URL: f.URL, Version: "4.5.10", Attempts: 2, Concurrency: 1, HTTP: &http.Client{Timeout: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Annotate(t.Context(), "Hi", "2023-05-08", Names)
	var late interface{ Timeout() bool }
	if !errors.Is(err, ErrUnavailable) || !errors.As(err, &late) || !late.Timeout() || f.Tries() != 2 {
		t.Errorf("%v after %d tries", err, f.Tries())
	}
}

// TestRest: a server that fails for several requests on end is left alone for some, then for twice as many,
// and asked as before once it answers.
func TestRest(t *testing.T) {
	up := atomic.Bool{}
	f := serve(t, func(w http.ResponseWriter) {
		if up.Load() {
			says(one)(w)
			return
		}
		fails(500, "")(w)
	})
	c, err := New(Options{URL: f.URL, Version: "4.5.10", Attempts: 1, Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	asked := ""
	for i := range 24 {
		up.Store(i >= 20)
		before := f.Tries()
		_, err := c.Annotate(t.Context(), "Hi", "2023-05-08", Names)
		switch {
		case f.Tries() == before && errors.Is(err, ErrResting) && errors.Is(err, ErrUnavailable):
			asked += "."
		case err != nil:
			asked += "x"
		default:
			asked += "o"
		}
	}
	if want := "xxx....x........x......."; asked[:len(want)] != want {
		t.Errorf("asked %s, want %s", asked, want)
	}
	for range restMost {
		if _, err := c.Annotate(t.Context(), "Hi", "2023-05-08", Names); err == nil {
			break
		}
	}
	for i := range 3 {
		if _, err := c.Annotate(t.Context(), "Hi", "2023-05-08", Names); err != nil {
			t.Errorf("request %d after it came back: %v", i, err)
		}
	}
}

// TestConcurrency: no more requests are under way than are allowed.
func TestConcurrency(t *testing.T) {
	var now, most atomic.Int32
	enough := make(chan struct{})
	f := serve(t, func(w http.ResponseWriter) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if n == 2 {
			close(enough)
		}
		<-enough
		now.Add(-1)
		says(one)(w)
	})
	c, err := New(Options{URL: f.URL, Version: "4.5.10", Attempts: 1, Concurrency: 2})
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error)
	for range 2 {
		go func() {
			_, err := c.Annotate(t.Context(), "Hi", "2023-05-08", Names)
			errs <- err
		}()
	}
	<-enough
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	// Both slots taken, a third request waits until its context ends.
	c.slots <- struct{}{}
	c.slots <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Annotate(ctx, "Hi", "2023-05-08", Names); !errors.Is(err, context.Canceled) || most.Load() != 2 {
		t.Errorf("%v, at most %d at a time", err, most.Load())
	}
}

func TestReady(t *testing.T) {
	for _, c := range []struct {
		name    string
		ready   int
		version string
		answer  backofftest.Answer
		says    string
	}{
		{"well", 200, "4.5.10", says(`{"sentences":[],"corefs":{}}`), ""},
		{"of no release", 200, "", says(`{"sentences":[],"corefs":{}}`), ""},
		{"loading", 503, "4.5.10", nil, "still loading"},
		{"another program", 404, "", nil, "no CoreNLP server"},
		{"another release", 200, "4.5.9", nil, "set corenlp.version"},
		{"broken", 200, "4.5.10", fails(500, "OutOfMemoryError"), "OutOfMemoryError"},
		{"shallow", 200, "4.5.10", says(`{"sentences":[]}`), "no chains"},
	} {
		f := serve(t, c.answer)
		f.ready, f.version = c.ready, c.version
		var waits []time.Duration
		err := client(t, f, &waits).Ready(t.Context(), Chains)
		if c.says == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
	f := serve(t, says(one))
	f.Close()
	var waits []time.Duration
	if err := client(t, f, &waits).Ready(t.Context(), Names); err == nil || !strings.Contains(err.Error(), "deploy/corenlp/server.sh start") {
		t.Errorf("nobody there: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	good := Options{URL: "http://127.0.0.1:1", Version: "4.5.10", Attempts: 1, Concurrency: 1}
	for name, change := range map[string]func(*Options){
		"address":     func(o *Options) { o.URL = "127.0.0.1:1" },
		"query":       func(o *Options) { o.URL += "/?x=1" },
		"release":     func(o *Options) { o.Version = "" },
		"attempts":    func(o *Options) { o.Attempts = 0 },
		"concurrency": func(o *Options) { o.Concurrency = 0 },
	} {
		o := good
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("a bad %s is taken", name)
		}
	}
}

// TestDeployWarmsUp: the script's first requests are those of this package, so that no later one has the
// server load models anew.
func TestDeployWarmsUp(t *testing.T) {
	data, err := os.ReadFile("../../deploy/corenlp/warmup.properties")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(data))
	if len(lines) != len(annotators) {
		t.Fatalf("%d lines, want one a depth", len(lines))
	}
	for i, line := range lines {
		// Deepest first: what it loads serves the others.
		if got, err := url.QueryUnescape(line); err != nil || got != (Chains-Depth(i)).Properties("2020-01-15") {
			t.Errorf("line %d: %s, %v", i+1, got, err)
		}
	}
	text, err := os.ReadFile("../../deploy/corenlp/warmup.txt")
	if err != nil || strings.TrimSpace(string(text)) != warmUpText {
		t.Errorf("the text is %q, %v", text, err)
	}
	pom, err := os.ReadFile("../../deploy/corenlp/pom.xml")
	if err != nil || !bytes.Contains(pom, []byte("<corenlp.version>4.5.10</corenlp.version>")) {
		t.Errorf("deploy/corenlp/pom.xml has another release than the default of corenlp.version, or %v", err)
	}
}

// TestRealServer asks the server that ASOF_CORENLP_URL names; .ci/run starts one.
func TestRealServer(t *testing.T) {
	address := os.Getenv("ASOF_CORENLP_URL")
	if address == "" {
		t.Skip("ASOF_CORENLP_URL names no CoreNLP server (deploy/corenlp/server.sh start prints one's address)")
	}
	c, err := New(Options{URL: address, Version: "4.5.10", Attempts: 2, Concurrency: 2, HTTP: &http.Client{Timeout: 2 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	for d := Names; d <= Chains; d++ {
		if err := c.Ready(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	const text = "I paid 50%+tax at Café Zoë 😀 with Maria Lopez. She moved to São Paulo on the third Friday of May 2021.\n\nHe's from Rome 🍕 and it's 100% true"
	doc, err := c.Annotate(t.Context(), text, "2023-05-08", Chains)
	if err != nil {
		t.Fatal(err)
	}
	has := func(what, want string, got []string) {
		t.Helper()
		for _, g := range got {
			if g == want {
				return
			}
		}
		t.Errorf("%s: no %q among %q", what, want, got)
	}
	var words, names, times, chains []string
	for _, s := range doc.Sentences {
		for i, w := range s.Tokens {
			words = append(words, text[w.Start:w.End])
			if h := s.Arcs[i].Head; s.Arcs[i].Rel == "nsubj" {
				chains = append(chains, text[w.Start:w.End]+"<"+text[s.Tokens[h].Start:s.Tokens[h].End])
			}
		}
	}
	for _, m := range doc.Mentions {
		names = append(names, m.Type+" "+text[m.Start:m.End])
	}
	for _, x := range doc.Times {
		times = append(times, x.Value+" "+text[x.Start:x.End])
	}
	has("words", "São", words)
	has("words", "%", words)
	has("words", "+", words)
	has("words", "🍕", words)
	has("subjects", "She<moved", chains)
	has("names", "PERSON Maria Lopez", names)
	has("names", "LOCATION São Paulo", names)
	has("names", "CITY Rome", names)
	has("times", "2021-05-21 the third Friday of May 2021", times)
	chains = nil
	for _, chain := range doc.Chains {
		for _, r := range chain[1:] {
			chains = append(chains, text[r.Start:r.End]+"="+text[chain[0].Start:chain[0].End])
		}
	}
	has("chains", "She=Maria Lopez", chains)
	if len(doc.Sentences) != 3 {
		t.Errorf("%d sentences, want 3: a blank line ends one", len(doc.Sentences))
	}
	again, err := c.Annotate(t.Context(), text, "2023-05-08", Chains)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(doc)
	b, _ := json.Marshal(again)
	if !bytes.Equal(a, b) {
		t.Errorf("asked again, it answers otherwise:\n%s\n%s", a, b)
	}
}
