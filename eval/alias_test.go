package eval

import (
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
)

// TestAliasMerges lists, with -v, every merge that near matching of names makes on
// the names of the shared data sets, for a reader to judge.
func TestAliasMerges(t *testing.T) {
	cfg := extract.DefaultConfig()
	cfg.AliasJW, cfg.AliasTokenSet, cfg.AliasNickname = 0.92, 0.8, true
	p, err := extract.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	merges, turns, spaces := 0, 0, 0
	list := func(file, space string, all []dsl.Turn) {
		spaces++
		turns += len(all)
		for _, m := range p.Merges(all) {
			merges++
			t.Logf("%s %s %s: %q is %q by %s %.3f", file, space, m.Turn, m.Name, m.Of, m.By, m.Score)
		}
	}
	for _, name := range []string{"locomo/locomo.dev.json", "longmemeval/longmemeval_oracle.dev.json.gz", "memdaily/memdaily.dev.jsonl"} {
		path := sharedData(t, name)
		f, err := OpenData(path)
		if err != nil {
			t.Fatal(err)
		}
		dialogues, _, err := ReadDialogues(f, path, AnyFormat)
		if err != nil {
			t.Fatal(err)
		}
		for d, err := range dialogues {
			if err != nil {
				t.Fatal(err)
			}
			list(name, d.Space, d.Turns)
		}
		f.Close()
	}
	t.Logf("%d merges in %d turns of %d spaces", merges, turns, spaces)
	if spaces == 0 {
		t.Fatal("no space was read")
	}
}
