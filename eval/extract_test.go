package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
)

// marked is a gold file of our own. What the rules find of it is known by the tests of
// the extractor.
const marked = `{"id":"1","lang":"en","ts":"2023-05-10T14:00:00","speaker":"Anna","listener":"Ben","prev":"","text":"I moved to Boston last month. I don't like jazz.","entities":[{"text":"Boston","type":"LOC"}],"times":[{"text":"last month","value":"2023-04","type":"DATE"}],"facts":[{"src":"user","rel":"lives_in","dst":"Boston","polarity":"+","change":"assert","valid_from":"2023-04","valid_to":null},{"src":"Anna","rel":"likes","dst":"the opera","polarity":"-","change":"assert"}],"corefs":[],"sentences":2}
{"id":"2","lang":"en","ts":"2023-05-10T14:00:00","speaker":"Anna","listener":"Ben","prev":"","text":"My sister Maria called. She lives in Oslo!","entities":[{"text":"Maria","type":"PERSON"},{"text":"Oslo","type":"ORG"}],"times":[],"facts":[],"corefs":[{"text":"She","start":24,"refers_to":"my sister Maria"}],"sentences":3}
{"id":"3","lang":"zh","ts":"2023-05-10T14:00:00","speaker":"王芳","listener":"","prev":"","text":"我上个月搬到了上海。","entities":[{"text":"上海","type":"LOC"}],"times":[{"text":"上个月","value":"2023-05","type":"DATE"}],"facts":[{"src":"王芳","rel":"lives_in","dst":"上海","valid_from":"2023-04"},{"src":"王芳","rel":"works_at","dst":"百度","change":"end"}],"corefs":[],"sentences":1}
`

func runExtract(t *testing.T, gold, out string, open func(configs.Config) (*asof.Extractor, error)) ExtractSummary {
	t.Helper()
	data, err := NewData(strings.NewReader(gold), "marked.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	s, err := RunExtract(context.Background(), data, "marked.jsonl", out, ExtractOptions{
		Setups: ExtractSetups(configs.Default()), MaxLine: 1 << 20, Open: open, Manifest: ManifestOptions{Command: "asof eval extract", Data: data.Info}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func byRules(c configs.Config) (*asof.Extractor, error) {
	return asof.OpenPipeline(c, asof.PipelineOptions{})
}

func TestRunExtract(t *testing.T) {
	dir := t.TempDir()
	s := runExtract(t, marked, filepath.Join(dir, "1"), byRules)
	figures := map[string]map[string]float64{}
	ran, not := 0, 0
	for i := range s.Rows {
		r := &s.Rows[i]
		switch {
		case r.Module == Profile:
			figures[r.Lang] = r.Figures()
		case r.Why != "":
			not++
			if len(r.Figures()) > 0 {
				t.Errorf("%s %s was not run, and has figures", r.Module, r.Option)
			}
		default:
			ran++
		}
	}
	if ran == 0 || not == 0 {
		t.Errorf("%d lines ran, %d did not", ran, not)
	}
	for lang, want := range map[string]map[string]float64{
		// Oslo is a place, and the gold here says otherwise; of the times one of two has the
		// value that the gold gives.
		"en":  {"turns": 2, "person_f1": 1, "loc_f1": 2.0 / 3, "org_f1": 0, "entities_p": 2.0 / 3, "entities_r": 2.0 / 3, "sentences": 0.5, "time_coverage": 1, "time_value": 1, "coref_right": 1, "coref_wrong": 0, "coref_missed": 0, "negation_recall": 0},
		"zh":  {"turns": 1, "entities_f1": 1, "sentences": 1, "time_coverage": 1, "time_value": 0, "relations_p": 1, "relations_r": 0.5, "ending_recall": 0},
		"all": {"turns": 3, "entities_p": 0.75, "sentences": 2.0 / 3, "time_value": 0.5, "coref_accuracy": 1, "asked": 0},
	} {
		for name, v := range want {
			if got, ok := figures[lang][name]; !ok || math.Abs(got-v) > 1e-12 {
				t.Errorf("%s %s = %v (measured: %t), want %v", lang, name, got, ok, v)
			}
		}
	}
	if _, ok := figures["zh"]["coref_accuracy"]; ok {
		t.Error("an accuracy over no pronouns")
	}
	// Two runs give the same bytes.
	runExtract(t, marked, filepath.Join(dir, "2"), byRules)
	files, err := os.ReadDir(filepath.Join(dir, "1"))
	if err != nil || len(files) != 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		a, err := os.ReadFile(filepath.Join(dir, "1", f.Name()))
		b, err2 := os.ReadFile(filepath.Join(dir, "2", f.Name()))
		if err := errors.Join(err, err2); err != nil || !bytes.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s: %d and %d bytes that differ, %v", f.Name(), len(a), len(b), err)
		}
	}
}

func TestReadGoldFaults(t *testing.T) {
	for gold, says := range map[string]string{
		"":                    "no turns",
		"{\"id\":\"1\"}\n":    "line 1",
		"[1]\n":               "line 1",
		marked + marked[:1]:   "line 4",
		marked + marked[:800]: "line 4",
		"{\"id\":\"1\",\"lang\":\"en\"}\n{\"id\":\"1\",\"lang\":\"en\"}\n": "twice",
	} {
		if _, err := readGold(strings.NewReader(gold), "g", 1<<20); !errors.Is(err, dsl.ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q: %v, want %q in it", gold, err, says)
		}
	}
}

func TestValues(t *testing.T) {
	for in, want := range map[string]string{"The  Red Car!": "red car", "my the car": "car", "一个包": "包", "我的手机": "手机", "the": "the", "Ｔｏｋｙｏ": "tokyo", "Straße": "strasse"} {
		if got := plainValue(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"2023-05-07t14:00:00": "2023-05-07T14", "2023-05-07T14:30:00": "2023-05-07T14:30", "T14:00": "T14", "T14:00:30": "T14:00:30",
		"19XX": "19", "198X": "198", "2023-05-07TEV": "2023-05-07TEV", "P1D": "P1D", "": ""} {
		if got := timexKey(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	if got := strings.Join(valueTokens("3 cats 和猫x2"), "|"); got != "3|cats|和|猫|x|2" {
		t.Errorf("tokens %s", got)
	}
}

// worse changes what was found in many ways, so that a comparison sees wrong things too.
func worse(i int, f *MarkedTurn) {
	drop := func(n, k int) bool { return (i+k)%n == 0 }
	for k := range f.Entities {
		switch {
		case drop(5, k):
			f.Entities[k].Type = "ORG"
		case drop(7, k) && *f.Entities[k].Start > 0:
			*f.Entities[k].Start-- // its place no longer gives its text
		case drop(6, k):
			f.Entities = append(f.Entities, f.Entities[k]) // the same place twice
		}
	}
	for k := range f.Times {
		x := &f.Times[k]
		switch text := []rune(x.Text); {
		case drop(4, k) && len(text) > 3:
			*x.End--
			x.Text = string(text[:len(text)-1])
		case drop(3, k):
			x.Value = "2001-01-01"
		case drop(5, k):
			x.Value = strings.ToLower(x.Value)
		}
	}
	for k := range f.Facts {
		x := &f.Facts[k]
		switch {
		case drop(4, k):
			x.Dst = "the " + strings.ToUpper(x.Dst) + "."
		case drop(5, k):
			x.Src = "user"
		case drop(6, k):
			x.Polarity = "-"
		case drop(3, k):
			x.Src = "our " + x.Src + " of friends"
		case drop(7, k):
			f.Facts = append(f.Facts, *x)
		}
	}
	for k := range f.Corefs {
		if drop(2, k) {
			f.Corefs[k].RefersTo = "my friend " + f.Corefs[k].RefersTo
		}
	}
	f.Sentences += i % 2
}

// scriptScores are what the project's scoring script prints.
type scriptScores struct {
	Scores map[string]struct {
		PRF map[string]struct {
			P, R, F1       float64
			TP, Pred, Gold int
		} `json:"prf"`
		Ratio map[string]struct{ OK, N int } `json:"ratio"`
	} `json:"scores"`
}

// TestExtractScoresAsScript: the figures are those of the scoring script, for what is
// extracted and for worse.
func TestExtractScoresAsScript(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("no python3 here: the scoring script is not compared with (%v)", err)
	}
	path := sharedData(t, "gold/extract.dev.jsonl")
	script := filepath.Join(filepath.Dir(path), "..", "..", "tools", "score_extract.py")
	if _, err := os.Stat(script); err != nil {
		t.Skipf("no scoring script: %v", err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	gold, err := readGold(file, path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	x, err := byRules(configs.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, spoil := range []bool{false, true} {
		scores := map[string]*extractScore{"en": newExtractScore(), "zh": newExtractScore(), "all": newExtractScore()}
		var pred bytes.Buffer
		reading := x.NewReading("")
		for i := range gold {
			g := &gold[i]
			r, err := reading.Result(g.line)
			if err != nil {
				t.Fatal(err)
			}
			found, err := printed(&r)
			if err != nil {
				t.Fatal(err)
			}
			found.ID = g.ID
			if spoil {
				worse(i, found)
			}
			line, err := json.Marshal(found)
			if err != nil {
				t.Fatal(err)
			}
			pred.Write(append(line, '\n'))
			scores[g.Lang].add(&g.MarkedTurn, found)
			scores["all"].add(&g.MarkedTurn, found)
		}
		name := filepath.Join(t.TempDir(), "pred.jsonl")
		if err := os.WriteFile(name, pred.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), python, script, "--json", path, name).Output()
		if err != nil {
			t.Fatal(err)
		}
		var want scriptScores
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatal(err)
		}
		for lang, s := range scores {
			w := want.Scores[lang]
			if len(w.PRF) == 0 {
				t.Fatalf("the script says nothing of %s", lang)
			}
			compare := map[string]*prf{"entities span+type": &s.entities, "times overlap": &s.times, "facts strict": &s.facts}
			for typ, c := range s.types {
				compare[typ] = c
			}
			for rel, c := range s.rels {
				compare[rel] = c
			}
			for key, c := range compare {
				if x := w.PRF[key]; c.right != x.TP || c.found != x.Pred || c.gold != x.Gold || c.precision() != x.P || c.recall() != x.R || c.f1() != x.F1 {
					t.Errorf("spoiled %t, %s, %s: %+v; the script has %+v", spoil, lang, key, *c, x)
				}
			}
			accuracy := portion{s.corefRight, s.corefRight + s.corefWrong + s.corefMissed}
			for key, p := range map[string]portion{"times value|overlap": s.values, "facts valid": s.valid, "coref accuracy": accuracy, "sentence count": s.sentences,
				"coref precision": {s.corefRight, s.corefRight + s.corefWrong}} {
				if x := w.Ratio[key]; p.n != x.OK || p.of != x.N {
					t.Errorf("spoiled %t, %s, %s: %+v; the script has %+v", spoil, lang, key, p, x)
				}
			}
		}
		if spoil && (scores["all"].entities.f1() > 0.9 || scores["all"].facts.f1() > 0.8) {
			t.Error("what was spoiled is not worse")
		}
	}
}
