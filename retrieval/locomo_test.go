package retrieval

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// conversation is what this test reads of a LoCoMo conversation.
type conversation struct {
	SampleID     string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
	QA           []struct {
		Question string   `json:"question"`
		Evidence []string `json:"evidence"`
		Category int      `json:"category"`
	} `json:"qa"`
}

var diaID = regexp.MustCompile(`D\d+:\d+`)

// table lays out the turns, captions included, the data set's image queries left
// out.
func (c *conversation) table(t *testing.T) *table {
	v := newTable()
	for s := 1; c.Conversation[fmt.Sprint("session_", s)] != nil; s++ {
		var turns []struct {
			Speaker string `json:"speaker"`
			Text    string `json:"text"`
			ID      string `json:"dia_id"`
			Caption string `json:"blip_caption"`
		}
		if err := json.Unmarshal(c.Conversation[fmt.Sprint("session_", s)], &turns); err != nil {
			t.Fatal(err)
		}
		for _, turn := range turns {
			x := dsl.Turn{ID: turn.ID, Session: fmt.Sprint(s), Speaker: dsl.Plain(turn.Speaker), Text: dsl.Plain(turn.Text)}
			if turn.Caption != "" {
				x.Attachments = []dsl.Attachment{{Kind: "image", Text: dsl.Plain(turn.Caption)}}
			}
			v.add(x)
		}
	}
	return v
}

// TestLocomoRecall holds the ranking to what it reaches on real conversations.
// Nothing but the constants of this package, which are round numbers, knows of
// them.
func TestLocomoRecall(t *testing.T) {
	shared := os.Getenv("ASOF_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	for file, least := range map[string]float64{"locomo.dev.json": 0.72, "locomo-zh.dev.json": 0.68} {
		text, err := os.ReadFile(filepath.Join(shared, "data", "locomo", file))
		if err != nil {
			t.Skipf("no LoCoMo data here (%v); set ASOF_SHARED", err)
		}
		var conversations []conversation
		if err := json.Unmarshal(text, &conversations); err != nil {
			t.Fatal(err)
		}
		n, recall := 0, 0.0
		for _, c := range conversations {
			v := c.table(t)
			for _, q := range c.QA {
				var gold []string
				for _, e := range q.Evidence {
					for _, id := range diaID.FindAllString(e, -1) {
						known := slices.ContainsFunc(v.turns, func(x store.Turn) bool { return x.ID == id })
						if known && !slices.Contains(gold, id) {
							gold = append(gold, id)
						}
					}
				}
				if q.Category > 4 || len(gold) == 0 {
					continue
				}
				n++
				for _, h := range find(t, v, Query{Text: q.Question, K: 10, Kinds: []Kind{Turn}}).Hits {
					if slices.Contains(gold, h.ID) {
						recall += 1 / float64(len(gold))
					}
				}
			}
		}
		recall /= float64(n)
		t.Logf("%s: turn recall@10 %.4f over %d questions", file, recall, n)
		if recall < least {
			t.Errorf("%s: turn recall@10 %.4f, want at least %v", file, recall, least)
		}
	}
}
