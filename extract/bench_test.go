package extract

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// mixed are turns such as people write, for a benchmark that needs no data.
var mixed = []string{
	"Hey Ben! It was so good to see you yesterday. I moved to Boston last month and I really love the food here, especially the clam chowder.",
	"Thanks! My sister Mia works at a local bank in Denver. She said she might visit us in June, maybe earlier. What do you think?",
	"I have two cats and a dog named Toby. We adopted them three years ago from a shelter near Portland, and they're the best.",
	"That sounds great! I can't wait to try it out. Let me know if you need anything else, and I'll get back to you soon.",
	"我上个月从北京搬到了上海，现在在华为工作。最近特别喜欢爬山和摄影，周末常常去郊区走走。",
	"你好！我妹妹下周五要来看我，我们打算去看《流浪地球》。你有什么好的餐厅可以推荐吗？",
}

// BenchmarkExtract reads mixed turns; one iteration is one turn.
func BenchmarkExtract(b *testing.B) {
	p := newPipeline(b)
	var all []Context
	bytes := 0
	for _, s := range mixed {
		all = append(all, Context{Turn: turnOf(b, "2023-05-10T14:00:00Z", s)})
		bytes += len(s)
	}
	b.SetBytes(int64(bytes / len(mixed)))
	readInTurn(b, p, all)
}

// sharedFile gives a file of the shared data, which is no part of the repository.
func sharedFile(b testing.TB, name string) []byte {
	b.Helper()
	dir := os.Getenv("ASOF_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		b.Skipf("no shared data: %v", err)
	}
	return data
}

// BenchmarkExtractGold reads the labelled turns, which are longer.
func BenchmarkExtractGold(b *testing.B) {
	p := newPipeline(b)
	var all []Context
	size := 0
	for line := range bytes.Lines(sharedFile(b, "data/gold/extract.dev.jsonl")) {
		ctx, err := parseLine(line, "")
		if err != nil {
			b.Fatal(err)
		}
		size += len(ctx.Turn.Text.String())
		all = append(all, ctx)
	}
	b.SetBytes(int64(size / len(all)))
	readInTurn(b, p, all)
}

// BenchmarkExtractLoCoMo reads the turns of real conversations, for which the speed
// is promised.
func BenchmarkExtractLoCoMo(b *testing.B) {
	var all []Context
	var conversations []struct {
		Conversation map[string]jsontext.Value
	}
	if err := json.Unmarshal(sharedFile(b, "data/locomo/locomo.dev.json"), &conversations, json.MatchCaseInsensitiveNames(true)); err != nil {
		b.Fatal(err)
	}
	size := 0
	for _, c := range conversations {
		for n := 1; ; n++ {
			var turns []struct{ Speaker, Text string }
			v, ok := c.Conversation[fmt.Sprintf("session_%d", n)]
			if !ok {
				break
			}
			if err := json.Unmarshal(v, &turns, json.MatchCaseInsensitiveNames(true)); err != nil {
				b.Fatal(err)
			}
			for _, t := range turns {
				all = append(all, Context{Turn: turnOf(b, "2023-05-10T14:00:00Z", t.Text)})
				size += len(t.Text)
			}
		}
	}
	p := newPipeline(b)
	b.SetBytes(int64(size / len(all)))
	readInTurn(b, p, all)
}

// readInTurn extracts from the turns one after the other, again and again.
func readInTurn(b *testing.B, p *Pipeline, all []Context) {
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		p.Extract(all[i%len(all)])
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
}
