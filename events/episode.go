package events

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// EpisodeOptions say how events are gathered into episodes.
type EpisodeOptions struct {
	// Window is how long after the record time of its first event an episode takes
	// events in; zero is a day.
	Window dsl.Instant
	// TopicShift begins a new episode with an event of another topic: one whose
	// cosine with the episode is below CosTh, in [−1, 1].
	TopicShift bool
	CosTh      float64
	// Vector gives the vector of an event, all of one length; nil compares words. It
	// must be a function of the event alone.
	Vector func(*dsl.Event) ([]float32, error)
}

// Episode is a container of events. It is computed from a view and stored
// nowhere, and it is never evidence.
type Episode struct {
	// ID derives from the first event.
	ID string
	// Events are the ids of its events, in order of first appearance.
	Events []string
	// Span is the hull of their spans.
	Span dsl.Interval
	// Participants are their participants, each once, in order of first appearance.
	Participants []string
	// Sessions are those of their evidence, in order of first appearance.
	Sessions []string
	// Visible is the first t_visible of a version of its events.
	Visible dsl.Instant
}

// openEpisodes bounds the episodes that an event is compared with, the newest
// ones.
const openEpisodes = 16

// Episodes gives the episodes of a view, in order of their first events: what
// they are follows from the view and the options alone, so an episode at t is
// that of the memory that has seen only the log up to t.
//
// Events come in order of first appearance; merged and retired ones, and those
// that are not visible, are in none. An event joins the last begun episode that
// began at most Window before it, has a participant of it (aliases are one), and,
// with TopicShift, is of its topic; else it begins one. What is held in memory is
// the episodes.
func Episodes(view store.View, opt EpisodeOptions) ([]Episode, error) {
	if opt.Window == 0 {
		opt.Window = dsl.Day
	}
	if opt.Window < 0 || !(opt.CosTh >= -1 && opt.CosTh <= 1) {
		return nil, fmt.Errorf("events: episodes: %w: window %d is negative, or the cosine %v lies outside [-1, 1]", dsl.ErrInvalid, opt.Window, opt.CosTh)
	}
	g := &gatherer{overlay: newOverlay(view, &Input{}), opt: opt}
	for e, err := range standingEvents(view) {
		if err == nil {
			err = g.add(&e)
		}
		if err != nil {
			return nil, fmt.Errorf("events: episodes: %w", err)
		}
	}
	out := make([]Episode, len(g.list))
	for i, x := range g.list {
		out[i] = x.Episode
		out[i].ID = dsl.EpisodeID(view.Basis().Space, x.Events[0])
	}
	return out, nil
}

// standingEvents yields the events of a view that say something.
func standingEvents(view store.View) iter.Seq2[dsl.Event, error] {
	return func(yield func(dsl.Event, error) bool) {
		for e, err := range view.Events(false) {
			if err == nil && (e.Status == Merged || e.Status == Retired) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// gatherer gathers events into episodes.
type gatherer struct {
	*overlay
	opt      EpisodeOptions
	analyzer analyze.Analyzer
	list     []*gathered
}

// gathered is an episode with what an event is compared with.
type gathered struct {
	Episode
	began dsl.Instant
	who   []string // one id for all aliases
	topic topic
}

func (g *gatherer) add(e *dsl.Event) error {
	versions, err := g.view.Event(e.ID)
	if err != nil {
		return err
	}
	born, visible := versions[0].Record.Start, e.Visible
	for _, v := range versions {
		visible = min(visible, v.Visible)
	}
	var who []string
	for _, p := range e.Participants {
		id, err := g.entity(p.Entity)
		if err != nil {
			return err
		}
		who = union(who, []string{id})
	}
	t, err := g.topic(e)
	if err != nil {
		return err
	}
	var x *gathered
	for _, open := range slices.Backward(g.list[max(0, len(g.list)-openEpisodes):]) {
		if born-open.began <= g.opt.Window && slices.ContainsFunc(who, func(id string) bool { return slices.Contains(open.who, id) }) &&
			(!g.opt.TopicShift || open.topic.cosine(&t) >= g.opt.CosTh) {
			x = open
			break
		}
	}
	if x == nil {
		x = &gathered{began: born, Episode: Episode{Span: e.Span, Visible: visible}}
		g.list = append(g.list, x)
	}
	x.Events = append(x.Events, e.ID)
	x.Span, x.Visible = hull(x.Span, e.Span), min(x.Visible, visible)
	x.who = union(x.who, who)
	for _, p := range e.Participants {
		x.Participants = union(x.Participants, []string{p.Entity})
	}
	x.topic.add(&t)
	return g.sessions(x, e)
}

// sessions adds the sessions of an event's evidence.
func (g *gatherer) sessions(x *gathered, e *dsl.Event) error {
	for _, id := range e.Evidence {
		t, err := g.view.Turn(id)
		if err != nil {
			return err
		}
		x.Sessions = union(x.Sessions, []string{t.Session})
	}
	return nil
}

// topic is what an event or an episode is about: counts of words, or the sum of
// vectors.
type topic struct {
	words map[string]int64
	sum   []float64
}

func (g *gatherer) topic(e *dsl.Event) (t topic, err error) {
	if !g.opt.TopicShift {
		return t, nil
	}
	if g.opt.Vector != nil {
		v, err := g.opt.Vector(e)
		for _, x := range v {
			t.sum = append(t.sum, float64(x))
		}
		return t, err
	}
	text, err := e.Summary.Open()
	if err != nil {
		return t, err
	}
	t.words = map[string]int64{}
	for _, term := range g.analyzer.Terms(nil, text) {
		t.words[term]++
	}
	return t, nil
}

func (t *topic) add(u *topic) {
	if t.words == nil && u.words != nil {
		t.words = map[string]int64{}
	}
	for w, n := range u.words {
		t.words[w] += n
	}
	if t.sum == nil {
		t.sum = make([]float64, len(u.sum))
	}
	for i := range min(len(t.sum), len(u.sum)) {
		t.sum[i] += u.sum[i]
	}
}

// cosine lies in [−1, 1]; it is 0 where one of the two has nothing. Counts are
// whole numbers, so that the order of a map decides nothing.
func (t *topic) cosine(u *topic) float64 {
	var both, mine, yours float64
	if t.words != nil || u.words != nil {
		var tu, tt, uu int64
		for w, n := range t.words {
			tu += n * u.words[w]
			tt += n * n
		}
		for _, n := range u.words {
			uu += n * n
		}
		both, mine, yours = float64(tu), float64(tt), float64(uu)
	}
	for i := range min(len(t.sum), len(u.sum)) {
		both += float64(t.sum[i] * u.sum[i])
		mine += float64(t.sum[i] * t.sum[i])
		yours += float64(u.sum[i] * u.sum[i])
	}
	if mine == 0 || yours == 0 {
		return 0
	}
	return max(-1, min(1, both/(math.Sqrt(mine)*math.Sqrt(yours))))
}
