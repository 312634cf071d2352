package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestModelBySummary: the language model of the configuration is asked with the
// key of the environment, what it says is shown and recorded, and no other
// command needs it.
func TestModelBySummary(t *testing.T) {
	busy := true
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer k3y" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if busy {
			busy = false
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		var in struct {
			Messages []struct{ Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		_, rest, _ := strings.Cut(in.Messages[1].Content, "Summary:\n")
		summary, _, _ := strings.Cut(rest, "\n")
		answer, err := json.Marshal("As it was told: " + summary)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%s},"finish_reason":"stop"}]}`, answer)
	}))
	dir := t.TempDir()
	conf := filepath.Join(dir, "asof.yaml")
	if err := os.WriteFile(conf, fmt.Appendf(nil, "llm: {url: '%s/v1', model: small-1, key_env: MODEL_KEY, attempts: 2}\nevents: {llm_summary: true}\n", srv.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	key := "k3y"
	asof := func(status int, in string, args ...string) (out, errOut string) {
		t.Helper()
		var o, e strings.Builder
		args = append(args, "--dir", filepath.Join(dir, "db"), "--config", conf)
		env := func(name string) string { return map[string]string{"MODEL_KEY": key}[name] }
		if got := run(t.Context(), args, strings.NewReader(in), &o, &e, env); got != status {
			t.Fatalf("asof %v: exit %d, want %d\n%s%s", args, got, status, o.String(), e.String())
		}
		return o.String(), e.String()
	}
	const turns = `{"id":"1","speaker":"Anna","ts":"2024-05-01T09:00:00Z","text":"I live in Berlin."}
{"id":"2","speaker":"Anna","ts":"2024-06-01T09:00:00Z","text":"I moved to Hamburg."}
`
	key = ""
	if _, e := asof(1, turns, "ingest", "-"); !strings.Contains(e, "MODEL_KEY") {
		t.Errorf("without the key: %s", e)
	}
	key = "k3y"
	asof(0, turns, "ingest", "-")
	srv.Close()
	key = ""
	events, _ := asof(0, "", "events", "--json")
	if !strings.Contains(events, "As it was told: ") {
		t.Errorf("events: %s", events)
	}
	if log, _ := asof(0, "", "log"); !strings.Contains(log, `"agent":"llm:small-1"`) {
		t.Errorf("the log does not say who worded it: %s", log)
	}
	asof(0, "", "audit")
	asof(0, "", "check")
	key = "k3y"
	if _, e := asof(0, `{"id":"3","speaker":"Anna","ts":"2024-07-01T09:00:00Z","text":"I moved to Oslo."}`+"\n", "ingest", "-"); !strings.Contains(e, "does without") {
		t.Errorf("with the server down: %s", e)
	}
}
