package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/asof-db/asof/configs"
)

// modelTurn is a turn of which every option C is asked something.
const modelTurn = `{"id":"1","speaker":"Anna","ts":"2023-05-10T14:00:00Z","text":"Zorba moved to Quux with Ines on 03/06/2023. She loves it."}`

// modelAnswers are good answers for it, by a word of the prompt.
var modelAnswers = map[string]string{
	"proper names":        `{"entities":[{"text":"Zorba","type":"PERSON"},{"text":"Quux","type":"LOC"},{"text":"Ines","type":"PERSON"}]}`,
	"as facts over":       `{"facts":[{"quote":"Zorba moved to Quux","src":"Zorba","rel":"lives_in","dst":"Quux","relation":null,"polarity":"+","change":"assert","corrects":null,"valid_from":"2023-06-03","valid_to":null}]}`,
	"expressions of time": `{"times":[{"text":"03/06/2023","value":"2023-06-03","type":"DATE"}]}`,
	"whom pronouns mean":  `{"votes":[{"pronoun":1,"choice":1}]}`,
}

// modelServer speaks both protocols. answer gets the good answer in the protocol's form.
func modelServer(t *testing.T, answer func(w http.ResponseWriter, good string)) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if !strings.Contains(string(body), `"additionalProperties":false`) {
			t.Errorf("no schema in %s", body)
		}
		good := ""
		for word, a := range modelAnswers {
			if strings.Contains(string(body), word) {
				good = a
			}
		}
		if strings.HasSuffix(r.URL.Path, "/messages") {
			answer(w, fmt.Sprintf(`{"content":[{"type":"tool_use","name":"answer","input":%s}],"stop_reason":"tool_use"}`, good))
			return
		}
		text, err := json.Marshal(good)
		if err != nil {
			t.Error(err)
		}
		answer(w, fmt.Sprintf(`{"choices":[{"message":{"content":%s},"finish_reason":"stop"}]}`, text))
	}))
	t.Cleanup(srv.Close)
	return srv
}

// TestExtractByLanguageModel: `asof extract` asks a server under every option C. What it
// says well is taken; late, malformed, refused, broken off and failing answers leave what
// the rules say, and a warning each.
func TestExtractByLanguageModel(t *testing.T) {
	extract := func(t *testing.T, config string) (out, warned string) {
		t.Helper()
		conf := filepath.Join(t.TempDir(), "asof.yaml")
		if err := os.WriteFile(conf, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		var o, e strings.Builder
		if got := run(t.Context(), []string{"extract", "--config", conf}, strings.NewReader(modelTurn), &o, &e, func(string) string { return "" }); got != 0 {
			t.Fatalf("exit %d: %s", got, e.String())
		}
		return o.String(), e.String()
	}
	rules, _ := extract(t, "timezone: UTC\n")
	for _, c := range []struct {
		name   string
		answer func(w http.ResponseWriter, good string)
		fate   string // empty: the answer is taken
	}{
		{"well", func(w http.ResponseWriter, good string) { fmt.Fprint(w, good) }, ""},
		{"late", func(http.ResponseWriter, string) { time.Sleep(400 * time.Millisecond) }, "late"},
		{"malformed", func(w http.ResponseWriter, good string) {
			fmt.Fprint(w, strings.NewReplacer(`{\"`, `[\"`, `"input":{`, `"input":["x"],"x":{`).Replace(good))
		}, "malformed"},
		{"nonsense", func(w http.ResponseWriter, good string) {
			fmt.Fprint(w, strings.NewReplacer("Zorba", "Basil", "Quux", "Basel", "Ines", "Inge", "03/06/2023", "04/06/2023", `choice\":1`, `choice\":9`, `"choice":1`, `"choice":9`).Replace(good))
		}, "nonsense"},
		{"refuses", func(w http.ResponseWriter, good string) {
			if strings.Contains(good, "choices") {
				good = `{"choices":[{"message":{"content":null,"refusal":"I can't help with that."},"finish_reason":"stop"}]}`
			} else {
				good = `{"content":[],"stop_reason":"refusal"}`
			}
			fmt.Fprint(w, good)
		}, "failed"},
		{"wrong key", func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusUnauthorized) }, "failed"},
		{"busy", func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusTooManyRequests) }, "failed"},
		{"broken", func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusInternalServerError) }, "failed"},
		{"cut off", func(w http.ResponseWriter, good string) {
			w.Header().Set("Content-Length", "100000")
			fmt.Fprint(w, good)
		}, "failed"},
	} {
		for _, protocol := range []string{"openai", "anthropic"} {
			t.Run(c.name+"/"+protocol, func(t *testing.T) {
				srv := modelServer(t, c.answer)
				timeout := "20s"
				if c.fate == "late" {
					timeout = "100ms"
				}
				out, warned := extract(t, fmt.Sprintf("llm: {protocol: %s, url: '%s/v1', model: small-1, attempts: 1, timeout: %s}\n"+
					"ner: {mode: C}\nrelation: {mode: C}\ncoref: {mode: A+C}\ntime: {llm_low_conf: true}\n", protocol, srv.URL, timeout))
				if c.fate != "" {
					if out != rules {
						t.Errorf("%s\nwithout a model %s", out, rules)
					}
					for _, key := range []string{"ner", "time", "relation"} {
						if !strings.Contains(warned, "stage="+key+" option=C fate="+c.fate) {
							t.Errorf("no warning that %s fell back as %s in\n%s", key, c.fate, warned)
						}
					}
					return
				}
				for _, want := range []string{`"text":"Zorba","start":0,"end":5,"type":"PERSON"`, `"value":"2023-06-03"`, `"src":"Zorba","rel":"lives_in","dst":"Quux"`,
					`"valid_from":"2023-06-03"`} {
					if !strings.Contains(out, want) {
						t.Errorf("no %s in %s", want, out)
					}
				}
				if strings.Contains(warned, "WARN") {
					t.Errorf("warned %s", warned)
				}
			})
		}
	}
}

// TestExtractWantsLanguageModel: an option C without a model is an error at the start
// that says what to set.
func TestExtractWantsLanguageModel(t *testing.T) {
	conf := filepath.Join(t.TempDir(), "asof.yaml")
	if err := os.WriteFile(conf, []byte("relation: {mode: C}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var o, e strings.Builder
	if got := run(t.Context(), []string{"extract", "--config", conf}, strings.NewReader(modelTurn), &o, &e, func(string) string { return "" }); got == 0 || !strings.Contains(e.String(), "llm.url") || o.Len() > 0 {
		t.Errorf("exit %d: %s%s", got, o.String(), e.String())
	}
	if _, err := configs.Load([]byte("relation: {mode: C}\n"), "test"); err != nil {
		t.Errorf("the configuration itself is sound, and %v", err)
	}
}
