package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
)

// LeakOptions say how a memory is probed for what it should not know. The zero
// value runs.
type LeakOptions struct {
	// Probes is how many views are asked; 0 means 10,000.
	Probes int
	// Seed is where the randomness starts: the same seed gives the same run.
	Seed uint64
	// Config is the profile of the memory; nil is the built-in one.
	Config *configs.Config
	// Workers is how many spaces are probed at once; it changes no byte of the
	// result. 0 means 1.
	Workers int
	// Manifest is what the manifest says about the run.
	Manifest ManifestOptions
	// Progress is told how many turns are taken in, of all; calls may overlap.
	Progress func(done, total int)

	// wrap is put between the full memory and the answers: see asker.
	wrap func(*asof.DB, *asof.View) error
}

// DefaultProbes is the number of probes of a run that names none.
const DefaultProbes = 10_000

// LeakSummary is what a run found.
type LeakSummary struct {
	Spaces, Turns, Positions, Probes int
	// Leaks counts the probes of which some part of the answer differs.
	Leaks int
	// ByPart counts the differing probes by the part that differs, in the order
	// of reports.
	ByPart []PartLeaks
	// Early counts the events that a view showed before their evidence (I9).
	Early int
	// Played and Refused count what the adversary put into the logs, and tried to.
	Played, Refused map[string]int
}

// PartLeaks is one part of an answer with the number of probes that differ in it.
type PartLeaks struct {
	Part  string
	Leaks int
}

// leakSpace is what came of one space.
type leakSpace struct {
	space            string
	turns, positions int
	early            int
	probes           []probe
	played, refused  map[string]int
}

// leakEvery is how many turns lie between two tricks, on average.
const leakEvery = 4

// RunLeak takes every dialogue into a memory of its own that is not kept, with
// tricks of an adversary between the turns, and asks it at random positions on
// the way: facts, events, look-ups, histories and searches of every kind, at the
// head. When the log is whole it asks the same about the same positions and
// record times again. A part of an answer that is not the same, byte for byte,
// is a leak: the memory at the head had seen nothing but the log up to there.
//
// It writes probes.csv, metrics.csv, summary.md and manifest.json into the
// folder out, together at the end. Leaks are no error.
func RunLeak(ctx context.Context, in iter.Seq2[Dialogue, error], out string, opt LeakOptions) (LeakSummary, error) {
	opt.Probes = cmp.Or(opt.Probes, DefaultProbes)
	if opt.Probes < 0 {
		return LeakSummary{}, fmt.Errorf("eval: %w: %d probes", dsl.ErrInvalid, opt.Probes)
	}
	dir, err := newFolder(out)
	if err != nil {
		return LeakSummary{}, err
	}
	defer dir.discard()
	// How many probes a space gets depends on all of them.
	var all []Dialogue
	total := 0
	for d, err := range in {
		if err != nil {
			return LeakSummary{}, err
		}
		all = append(all, d)
		total += len(d.Turns)
	}
	if total == 0 {
		return LeakSummary{}, fmt.Errorf("eval: %w: the data has no turn", dsl.ErrInvalid)
	}
	type job struct {
		Dialogue
		probes int
	}
	jobs := func(yield func(job, error) bool) {
		before, given := 0, 0
		for _, d := range all {
			before += len(d.Turns)
			upTo := int(int64(opt.Probes) * int64(before) / int64(total))
			if !yield(job{d, upTo - given}, nil) {
				return
			}
			given = upTo
		}
	}
	var done atomic.Int64
	tick := func() {
		if n := int(done.Add(1)); opt.Progress != nil {
			opt.Progress(n, total)
		}
	}
	sum := LeakSummary{Played: map[string]int{}, Refused: map[string]int{}}
	var spaces []leakSpace
	err = inOrder(ctx, opt.Workers, jobs, func(ctx context.Context, j job) (leakSpace, error) {
		return probeSpace(ctx, &j.Dialogue, j.probes, &opt, tick)
	}, func(s leakSpace) error {
		spaces = append(spaces, s)
		sum.add(&s)
		return nil
	})
	if err != nil {
		return LeakSummary{}, err
	}
	if err := writeLeak(dir, &sum, spaces, &opt); err != nil {
		return LeakSummary{}, err
	}
	return sum, dir.publish()
}

// add counts what came of a space.
func (s *LeakSummary) add(x *leakSpace) {
	s.Spaces++
	s.Turns += x.turns
	s.Positions += x.positions
	s.Probes += len(x.probes)
	s.Early += x.early
	if s.ByPart == nil {
		for _, name := range partNames() {
			s.ByPart = append(s.ByPart, PartLeaks{Part: name})
		}
	}
	for i := range x.probes {
		p := &x.probes[i]
		if p.before != p.after {
			s.Leaks++
		}
		for part := range parts {
			if p.before[part] != p.after[part] {
				s.ByPart[part].Leaks++
			}
		}
	}
	for _, name := range tricks() {
		s.Played[name] += x.played[name]
		s.Refused[name] += x.refused[name]
	}
}

// probeSpace takes one dialogue in and probes it.
func probeSpace(ctx context.Context, d *Dialogue, probes int, opt *LeakOptions, tick func()) (_ leakSpace, err error) {
	out := leakSpace{space: d.Space, turns: len(d.Turns), played: map[string]int{}, refused: map[string]int{}}
	if len(d.Turns) == 0 {
		return out, nil
	}
	rng := newDraws(d.Space, opt.Seed)
	texts := d.questions()
	var speakers []string
	for i := range d.Turns {
		texts = append(texts, d.Turns[i].Text.String())
		speakers = append(speakers, d.Turns[i].Speaker.String())
	}
	slices.Sort(speakers)
	speakers = slices.Compact(speakers)
	words := capitalised(texts)
	for range probes {
		out.probes = append(out.probes, draw(rng, len(d.Turns), texts, speakers, words))
	}
	slices.SortStableFunc(out.probes, func(a, b probe) int { return cmp.Compare(a.step, b.step) })

	db, err := asof.Open(ctx, asof.Options{Config: opt.Config})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	ask := asker{db: db, space: d.Space, first: d.Turns[0].TS}
	if err := grow(ctx, d, &ask, rng, &out, tick); err != nil {
		return out, err
	}
	head, err := db.Head(d.Space)
	if err != nil {
		return out, err
	}
	out.positions = int(head.Seq)
	if opt.wrap != nil {
		ask.wrap = func(v *asof.View) error { return opt.wrap(db, v) }
	}
	err = askAgain(ctx, &ask, out.probes)
	out.early = ask.early
	return out, err
}

// grow plays the script, and asks at the head on the way.
func grow(ctx context.Context, d *Dialogue, ask *asker, rng *draws, out *leakSpace, tick func()) error {
	a := &adversary{db: ask.db, space: d.Space, rng: rng, turns: d.Turns, played: out.played, refused: out.refused}
	next := 0
	for step := range d.Turns {
		a.said = append(a.said, d.Turns[step])
		if _, err := a.db.Ingest(ctx, []asof.Item{{Space: d.Space, Turn: &d.Turns[step]}}); err != nil {
			return fmt.Errorf("eval: space %s: %w", d.Space, err)
		}
		tick()
		for rng.upTo(leakEvery) == 0 {
			if err := a.play(ctx); err != nil {
				return err
			}
		}
		for ; next < len(out.probes) && out.probes[next].step == step; next++ {
			p := &out.probes[next]
			head, err := ask.db.Head(d.Space)
			if err != nil {
				return err
			}
			p.seq, p.time = head.Seq, head.Time
			if p.before, err = ask.ask(ctx, asof.At{}, p); err != nil {
				return fmt.Errorf("eval: space %s %s: %w", d.Space, p.seq, err)
			}
		}
	}
	return nil
}

// askAgain asks the whole memory about the past.
func askAgain(ctx context.Context, ask *asker, probes []probe) error {
	ask.kept = false
	v, err := ask.db.View(ask.space, asof.At{})
	if err != nil {
		return err
	}
	defer v.Close()
	for i := range probes {
		p := &probes[i]
		at := asof.AtSeq(p.seq)
		if p.byTime {
			// Any time before the next position's record time has the same view.
			room := dsl.Day
			if next, err := v.PositionAt(p.seq + 1); err == nil {
				room = next.Time - p.time
			} else if !errors.Is(err, dsl.ErrNotFound) {
				return err
			}
			at = asof.AtTime(p.time + dsl.Instant(float64(room)*p.part))
		}
		if p.after, err = ask.ask(ctx, at, p); err != nil {
			return fmt.Errorf("eval: space %s %s again: %w", ask.space, p.seq, err)
		}
	}
	return nil
}

// capitalised gives the words of texts that look like names, each once, sorted.
func capitalised(texts []string) []string {
	var out []string
	for _, t := range texts {
		for _, w := range strings.FieldsFunc(t, func(r rune) bool { return strings.ContainsRune(" ,.!?;:\"'()\n\t", r) }) {
			if len(w) > 2 && w[0] >= 'A' && w[0] <= 'Z' {
				out = append(out, w)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
