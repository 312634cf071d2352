package eval

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/assimilate"
)

// packSwitch is a pack as configured but for two switches.
type packSwitch struct {
	name          string
	active, stats bool
}

// packSwitches are compared with the first.
var packSwitches = []packSwitch{
	{"neither", false, false}, {"active", true, false}, {"stats", false, true}, {"active and stats", true, true},
}

// switchStudy tells what the annotation of what does not hold (pack.active) and the
// line about what did not fit (pack.stats) cost of the evidence inside the budget,
// and how often they say something.
type switchStudy struct {
	seed uint64
	main []([]packed) // by question of the main group, by switch
	all  []string     // categories, by question with gold
	kept [][]packed
	file *outFile
}

// packed is one pack: the share of the gold turns inside, whether all are, its
// tokens, and whether its text differs from that with neither.
type packed struct {
	share, all float64
	tokens     int
	differs    bool
}

func newSwitchStudy(seed uint64) *switchStudy { return &switchStudy{seed: seed} }

func (*switchStudy) close() error { return nil }

func (s *switchStudy) begin(dir *folder) (err error) {
	if s.file, err = dir.create("pack_switches.csv"); err == nil {
		record(s.file, "switches", "n", "pack_evidence", "difference", "low", "high", "pack_all", "tokens", "packs_that_differ")
	}
	return err
}

func (s *switchStudy) ask(ctx context.Context, v *asof.View, _ *run, x *exam, at int, _ *answer) (any, error) {
	q := &x.questions[at]
	if len(q.turns) == 0 {
		return []packed(nil), nil
	}
	var list []packed
	text := ""
	for i := range packSwitches {
		w := &packSwitches[i]
		p, err := v.Pack(ctx, asof.SearchQuery{Text: q.text, Asked: q.at}, asof.PackOptions{Active: &w.active, Stats: &w.stats})
		if err != nil {
			return nil, fmt.Errorf("pack with %s: %w", w.name, err)
		}
		if i == 0 {
			text = p.Text
		}
		x := packed{tokens: assimilate.Tokens(p.Text), differs: p.Text != text}
		x.share, x.all = insidePack(q.turns, p.TurnIDs())
		list = append(list, x)
	}
	return list, nil
}

func (s *switchStudy) record(q *posed, found any) {
	if list := found.([]packed); list != nil {
		s.all, s.kept = append(s.all, q.category), append(s.kept, list)
	}
}

func (s *switchStudy) finish(_ *folder, main *group) error {
	for i, c := range s.all {
		if main.holds(c) {
			s.main = append(s.main, s.kept[i])
		}
	}
	if len(s.main) == 0 {
		return nil
	}
	b := newBootstrap(len(s.main), s.seed)
	none := s.column(0, func(p *packed) float64 { return p.share })
	for i, w := range packSwitches {
		share := s.column(i, func(p *packed) float64 { return p.share })
		d := b.paired(share, none)
		record(s.file, w.name, strconv.Itoa(len(s.main)), number(mean(share)), number(d.Diff), number(d.Low), number(d.High),
			number(mean(s.column(i, func(p *packed) float64 { return p.all }))), number(mean(s.column(i, packTokens))), strconv.Itoa(s.differ(i)))
	}
	return nil
}

func packTokens(p *packed) float64 { return float64(p.tokens) }

// column gives a figure of one switch by question.
func (s *switchStudy) column(of int, figure func(*packed) float64) []float64 {
	var out []float64
	for _, list := range s.main {
		out = append(out, figure(&list[of]))
	}
	return out
}

// differ counts the packs whose text a switch changes.
func (s *switchStudy) differ(of int) (n int) {
	for _, list := range s.main {
		if list[of].differs {
			n++
		}
	}
	return n
}

func (s *switchStudy) summary(o *outFile) {
	if len(s.main) == 0 {
		return
	}
	fmt.Fprintf(o, "\n## Switches of packs\n\nWhat pack.active and pack.stats cost of the evidence inside the budget; differences from neither, 95 %% intervals by the paired bootstrap over %d questions. In pack_switches.csv.\n\n", len(s.main))
	fmt.Fprint(o, "| switches | evidence inside | difference | all inside | tokens | packs whose text changes |\n|---|---:|---|---:|---:|---:|\n")
	b := newBootstrap(len(s.main), s.seed)
	share := func(p *packed) float64 { return p.share }
	none := s.column(0, share)
	for i, w := range packSwitches {
		d := b.paired(s.column(i, share), none)
		verdict := strings.TrimSpace(fmt.Sprintf("%s, %s", d, d.Verdict()))
		if i == 0 {
			verdict = ""
		}
		fmt.Fprintf(o, "| %s | %.4f | %s | %.4f | %.1f | %d |\n", w.name, mean(s.column(i, share)), verdict,
			mean(s.column(i, func(p *packed) float64 { return p.all })), mean(s.column(i, packTokens)), s.differ(i))
	}
}
