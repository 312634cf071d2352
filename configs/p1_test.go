package configs

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
)

// planKeys are the plan's own keys with its defaults. p1.yaml gives every one of them.
var planKeys = map[string]any{
	"preprocess.rule": true, "preprocess.tiny_seg": false,
	"ner.mode": "A", "alias.jw": Threshold(0.92), "alias.token_set": Threshold(0.8),
	"coref.mode": "A", "relation.mode": "A+B",
	"time.rule": true, "time.sutime": true, "time.llm_low_conf": true,
	"rbu.fuzzy": false, "events.merge": true, "events.llm_summary": false,
	"episode.topic_shift": true, "episode.cos_th": 0.7,
	"rerank.mmr": true, "rerank.monot5": true, "pack.stats": false,
	"qa.temporal_prompt": true, "qa.temporal_checker": true,
	"eval.error_breakdown": true, "eval.pareto": true,
	"backfill.k": 20, "backfill.llm": false,
	"memory.stm_window": 12, "memory.wm_capacity": 8,
	"memory.write_budget_tokens_per_session_avg": 120, "memory.read_budget_tokens_per_qa_avg": 600,
	"memory.strong_writes_quota": 3, "memory.periodic_writes_quota": 1,
	"triggers.tau_keep": 0.72, "triggers.tau_archive": 0.35,
	"triggers.periodic": true, "triggers.backfill": true,
	"triggers.reflect_threshold": 3, "triggers.write_cooldown_turns": 5, "triggers.backfill_k_turns": 20,
	"retrieval.k_l1": 32, "retrieval.k_l2": 16, "retrieval.depth": 2, "retrieval.fanout": 4,
	"retrieval.rerank_top": 64, "retrieval.use_bm25": true, "retrieval.use_e5": true,
	"retrieval.use_colbert_lite": false, "retrieval.use_monot5_small": true,
}

func TestP1(t *testing.T) {
	data, err := os.ReadFile("p1.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, faults := Check(data)
	refused := map[string]bool{}
	for _, f := range faults {
		if f.Kind == Invalid {
			t.Errorf("p1.yaml is invalid: %s", f)
		}
		refused[f.Path] = true
	}
	for path, want := range planKeys {
		section, name, _ := strings.Cut(path, ".")
		if !givesKey(string(data), section, name) {
			t.Errorf("p1.yaml does not give %s", path)
		}
		first := path
		if stands, ok := aliases[path]; ok {
			first = stands
		}
		if got := c.get(first); !reflect.DeepEqual(got, want) {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	requireRoundTrip(t, c)

	_, err = Load(data, "configs/p1.yaml")
	if len(faults) == 0 {
		if err != nil {
			t.Errorf("this build honours p1.yaml, and Load says %v", err)
		}
		return
	}
	if !errors.Is(err, ErrUnavailable) || errors.Is(err, ErrInvalid) {
		t.Errorf("Load gives %v", err)
	}
	for path := range refused {
		if err == nil || !strings.Contains(err.Error(), path+": ") {
			t.Errorf("the error of Load does not name %s", path)
		}
	}
}

// givesKey reports whether a file of sections gives a key, in either way of writing them.
func givesKey(file, section, name string) bool {
	_, rest, found := strings.Cut("\n"+file, "\n"+section+":")
	if !found {
		return false
	}
	body, _, _ := strings.Cut(rest, "\n\n")
	if line, _, _ := strings.Cut(rest, "\n"); strings.Contains(line, "{") {
		body = strings.NewReplacer("{", "\n", ",", "\n").Replace(line)
	}
	for line := range strings.SplitSeq(body, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), name+":") {
			return true
		}
	}
	return false
}
