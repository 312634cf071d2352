// Command filtertrain writes the weights of the noise filter and the confidences of the
// families of rules (extract/lexicon/filter.txt and confidence.txt) from labelled
// candidates: those of our own suites of statements, and those of labels.txt, whose
// texts lie in a folder of labelled turns that is no part of the repository. The same
// input gives the same files.
//
//	filtertrain [flags] TESTDATA LABELS TURNS OUT
package main

import (
	"bufio"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/suite"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "filtertrain:", err)
		os.Exit(1)
	}
}

// settings are those of the training.
type settings struct {
	l2            float64
	epochs, least int
	share         float64
}

// example is a candidate with what is known of it.
type example struct {
	features []string
	family   string
	level    float64
	right    bool
	weight   float64
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("filtertrain", flag.ContinueOnError)
	l2 := flags.Float64("l2", 0.05, "weight of the sum of squared weights")
	epochs := flags.Int("epochs", 80, "times to go through the candidates")
	least := flags.Int("least", 4, "times that a feature must occur")
	share := flags.Float64("share", 0.08, "weight of all wrong candidates together, as a share of that of the right ones")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 4 {
		return fmt.Errorf("usage: filtertrain [flags] TESTDATA LABELS TURNS OUT")
	}
	p, err := extract.New(extract.DefaultConfig())
	if err != nil {
		return err
	}
	all, err := ownExamples(p, flags.Arg(0))
	if err != nil {
		return err
	}
	read, err := labelledExamples(p, flags.Arg(1), flags.Arg(2))
	if err != nil {
		return err
	}
	all = append(all, read...)
	crossValidate(out, all, settings{*l2, *epochs, *least, *share})
	w := train(all, settings{*l2, *epochs, *least, *share})
	if err := write(filepath.Join(flags.Arg(3), "filter.txt"), "# Weights of the noise filter, in thousandths of a logit; written by cmd/filtertrain.", weightLines(w)); err != nil {
		return err
	}
	return write(filepath.Join(flags.Arg(3), "confidence.txt"), "# Of a hundred candidates of a family of rules, how many were right; written by cmd/filtertrain.", familyLines(all))
}

// turn makes a turn of Anna's to Ben.
func turn(text, speaker, listener string) dsl.Turn {
	at, zone, _ := extract.ParseTime("2023-05-10T14:00:00Z", "")
	return dsl.Turn{ID: "t", Speaker: dsl.Plain(speaker), Listener: dsl.Plain(listener), Text: dsl.Plain(text), TS: at, Zone: zone}
}

// judge gives the examples of a turn; right tells of a candidate in the form of the
// suites whether it is, and whether that is known.
func judge(p *extract.Pipeline, ctx extract.Context, speaker, listener string, right func(said string, f suite.Fact) (bool, bool)) []example {
	var out []example
	for _, j := range p.Judge(ctx) {
		f := extract.FactOf(&j.Candidate, p.Registry())
		ok, known := right(f.Say(speaker, listener), f)
		if !known {
			continue
		}
		text, _ := ctx.Turn.Text.Open()
		lang := "en"
		if j.Span != nil && strings.ContainsFunc(text[j.Span.Start:j.Span.End], func(r rune) bool { return r >= 0x3400 && r <= 0x9fff }) {
			lang = "zh"
		}
		out = append(out, example{j.Features, extract.Family(lang, f.Rel, j.Rule != "", j.Level), j.Level, ok, 1})
	}
	return out
}

// ownExamples gives the candidates of our own suites.
func ownExamples(p *extract.Pipeline, dir string) ([]example, error) {
	var out []example
	for _, s := range []struct{ name, speaker, listener string }{{"own_en", "Anna", "Ben"}, {"own_zh", "安娜", "小本"}} {
		f, err := os.Open(filepath.Join(dir, s.name+".list"))
		if err != nil {
			return nil, err
		}
		list, err := suite.Read(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		for _, l := range list {
			ctx := extract.Context{Turn: turn(l.Text, s.speaker, s.listener)}
			if l.Previous != "" {
				before := turn(l.Previous, s.listener, s.speaker)
				before.ID = "before"
				ctx.Previous = []dsl.Turn{before}
			}
			out = append(out, judge(p, ctx, s.speaker, s.listener, func(said string, _ suite.Fact) (bool, bool) {
				return slices.ContainsFunc(l.Facts, func(f string) bool { return suite.Same(f, said) }), true
			})...)
		}
	}
	return out, nil
}

// labelledExamples gives the candidates of the labels, whose turns lie in dir.
func labelledExamples(p *extract.Pipeline, path, dir string) ([]example, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	labels := map[string]map[string]bool{} // by turn, by candidate
	var order []string
	in := bufio.NewScanner(f)
	for in.Scan() {
		parts := strings.Split(in.Text(), " | ")
		if strings.HasPrefix(in.Text(), "#") || in.Text() == "" {
			continue
		}
		if len(parts) != 3 {
			return nil, fmt.Errorf("%s: %q has not three parts", path, in.Text())
		}
		if labels[parts[0]] == nil {
			labels[parts[0]] = map[string]bool{}
			order = append(order, parts[0])
		}
		labels[parts[0]][parts[1]] = parts[2] == "1"
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	texts, err := turnsOf(dir, order)
	if err != nil {
		return nil, err
	}
	var out []example
	for _, id := range order {
		known := labels[id]
		ctx := extract.Context{Turn: turn(texts[id], "Anna", "Ben")}
		out = append(out, judge(p, ctx, "Anna", "Ben", func(_ string, f suite.Fact) (bool, bool) {
			ok, there := known[f.Src+">"+f.Rel+">"+f.Dst]
			return ok, there
		})...)
	}
	return out, in.Err()
}

// turnsOf reads the texts of turns named source:line.
func turnsOf(dir string, ids []string) (map[string]string, error) {
	wanted := map[string]bool{}
	sources := []string{}
	for _, id := range ids {
		wanted[id] = true
		s, _, ok := strings.Cut(id, ":")
		if !ok {
			return nil, fmt.Errorf("%q names no source and line", id)
		}
		if !slices.Contains(sources, s) {
			sources = append(sources, s)
		}
	}
	out := map[string]string{}
	for _, s := range sources {
		f, err := os.Open(filepath.Join(dir, s+".jsonl.gz"))
		if err != nil {
			return nil, err
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			f.Close()
			return nil, err
		}
		lines := bufio.NewScanner(z)
		lines.Buffer(nil, 1<<20)
		for n := 0; lines.Scan(); n++ {
			id := fmt.Sprintf("%s:%d", s, n)
			if !wanted[id] {
				continue
			}
			var line struct {
				Text string `json:"text"`
			}
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				f.Close()
				return nil, fmt.Errorf("%s: %w", id, err)
			}
			out[id] = line.Text
		}
		f.Close()
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// train fits a logistic model by gradient descent in the order of the examples. The
// wrong ones are few: they are weighed up to a share of the right ones.
func train(all []example, c settings) map[string]float64 {
	count := map[string]int{}
	wrong := 0
	for _, e := range all {
		for _, f := range e.features {
			count[f]++
		}
		if !e.right {
			wrong++
		}
	}
	heavy := max(0.2, c.share*float64(len(all)-wrong)/float64(max(1, wrong)))
	w := map[string]float64{}
	for epoch := range c.epochs {
		rate := 0.1 / (1 + float64(epoch)/20)
		for _, e := range all {
			z := 0.0
			for _, f := range e.features {
				z += w[f]
			}
			y, scale := 0.0, heavy
			if e.right {
				y, scale = 1, 1
			}
			g := scale * (1/(1+math.Exp(-z)) - y)
			for _, f := range e.features {
				if count[f] < c.least {
					continue
				}
				reg := c.l2 * w[f]
				if f == "bias" {
					reg = 0
				}
				w[f] -= rate * (g + reg)
			}
		}
	}
	return w
}

// kept tells whether a model keeps an example.
func kept(w map[string]float64, e *example) bool {
	sum := 0
	for _, f := range e.features {
		sum += whole(w[f])
	}
	return sum >= 0
}

func whole(x float64) int { return int(math.Round(x * 1000)) }

// crossValidate prints precision and recall over the candidates with and without the
// filter, each fifth judged by a model of the other four.
func crossValidate(out io.Writer, all []example, c settings) {
	right, found, rightKept, foundKept := 0, 0, 0, 0
	for fold := range 5 {
		var rest, held []example
		for i, e := range all {
			if i%5 == fold {
				held = append(held, e)
			} else {
				rest = append(rest, e)
			}
		}
		w := train(rest, c)
		for i := range held {
			e := &held[i]
			found++
			if e.right {
				right++
			}
			if kept(w, e) {
				foundKept++
				if e.right {
					rightKept++
				}
			}
		}
	}
	fmt.Fprintf(out, "%d candidates, %d right: precision %.3f\n", found, right, float64(right)/float64(found))
	fmt.Fprintf(out, "with the filter, five folds: %d kept, %d right: precision %.3f, of the right ones %.3f kept\n", foundKept, rightKept,
		float64(rightKept)/float64(max(1, foundKept)), float64(rightKept)/float64(max(1, right)))
}

// weightLines gives the weights that count, by name.
func weightLines(w map[string]float64) []string {
	var out []string
	for f, x := range w {
		if n := whole(x); n > 20 || n < -20 {
			out = append(out, fmt.Sprintf("%s: %d", f, n))
		}
	}
	slices.Sort(out)
	return out
}

// familyLines gives the measured precision of each family that was seen often enough,
// drawn towards what its patterns say of themselves as by four more candidates.
func familyLines(all []example) []string {
	type tally struct {
		right, n int
		level    float64
	}
	seen := map[string]*tally{}
	for _, e := range all {
		t := seen[e.family]
		if t == nil {
			t = &tally{level: e.level}
			seen[e.family] = t
		}
		t.n++
		if e.right {
			t.right++
		}
	}
	var out []string
	for f, t := range seen {
		if t.n >= 3 {
			p := (float64(t.right) + 4*t.level) / (float64(t.n) + 4)
			out = append(out, fmt.Sprintf("%s: %d", f, int(math.Round(min(p, 0.97)*100))))
		}
	}
	slices.Sort(out)
	return out
}

func write(path, head string, lines []string) error {
	return os.WriteFile(path, []byte(head+"\n"+strings.Join(lines, "\n")+"\n"), 0o644)
}
