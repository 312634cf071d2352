package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// eventScan is what was found of the events of a space at its head.
type eventScan struct {
	// events counts the visible events, versions all versions of events.
	events, versions int
	// standing counts the facts that stand in them, pure those of them that are of
	// the event's main subject or of its main topic.
	standing, pure int
	// evidence counts the evidence of all versions, and closed the versions of
	// which every evidence turn is recorded and every fact that stands rests on
	// one of them.
	evidence, closed int
	// mapped counts the evidence turns that annotators mapped to a happening, main
	// those of each event's main happening; mappedEvents the events that have any.
	// many are the same over events with two mapped turns or more.
	mapped, main, mappedEvents int
	many, manyMain, manyEvents int
	// observed counts the evidence turns that annotators drew an observation from.
	observed, cited int
	// episodes counts the episodes of the head.
	episodes int
}

func (e *eventScan) add(x *eventScan) {
	e.events += x.events
	e.versions += x.versions
	e.standing += x.standing
	e.pure += x.pure
	e.evidence += x.evidence
	e.closed += x.closed
	e.mapped += x.mapped
	e.main += x.main
	e.mappedEvents += x.mappedEvents
	e.many += x.many
	e.manyMain += x.manyMain
	e.manyEvents += x.manyEvents
	e.observed += x.observed
	e.cited += x.cited
	e.episodes += x.episodes
}

// scanEvents measures the events of the head.
func (s *spaceRun) scanEvents(context.Context) (err error) {
	v, err := s.db.View(s.dialogue.Space, asof.At{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	labels := happeningLabels(s.dialogue.Conversation)
	for e, err := range v.Events(true) {
		if err != nil {
			return err
		}
		s.events.versions++
		if err := s.events.closure(v, &e); err != nil {
			return err
		}
	}
	for e, err := range v.Events(false) {
		if err != nil {
			return err
		}
		s.events.events++
		facts, err := standing(v, &e)
		if err != nil {
			return err
		}
		s.events.standing += len(facts)
		s.events.pure += pureFacts(facts)
		if labels != nil {
			s.events.label(&e, labels)
		}
	}
	return nil
}

// standing gives the facts of an event of which a version is open and not
// archived in the view.
func standing(v store.View, e *dsl.Event) ([]dsl.FactVersion, error) {
	var out []dsl.FactVersion
	for _, id := range e.Includes {
		list, err := v.Fact(id)
		if err != nil {
			return nil, err
		}
		for i := len(list) - 1; i >= 0; i-- {
			if f := &list[i].FactVersion; f.Status == dsl.StatusOpen && f.Closed == 0 {
				out = append(out, *f)
				break
			}
		}
	}
	return out, nil
}

// pureFacts counts the facts that are about the main subject (the entity that
// most of them have as subject or value, the first of equals) or of the main
// topic (the predicate up to its first dot that most of them have).
func pureFacts(facts []dsl.FactVersion) int {
	var subjects, topics []string
	for i := range facts {
		f := &facts[i]
		subjects = append(subjects, f.Src)
		if f.Dst != f.Src {
			subjects = append(subjects, f.Dst)
		}
		topics = append(topics, topicOf(f.Rel))
	}
	subject, topic := mode(subjects), mode(topics)
	n := 0
	for i := range facts {
		if f := &facts[i]; f.Src == subject || f.Dst == subject || topicOf(f.Rel) == topic {
			n++
		}
	}
	return n
}

func topicOf(rel string) string {
	topic, _, _ := strings.Cut(rel, ".")
	return topic
}

// mode gives the most frequent of a list, the first of equals.
func mode(list []string) string {
	best, most := "", 0
	count := map[string]int{}
	for _, x := range list {
		count[x]++
	}
	for _, x := range list {
		if count[x] > most {
			best, most = x, count[x]
		}
	}
	return best
}

// closure counts whether the evidence of an event version is complete, seen from
// the head: every turn recorded, and every fact that was open when the version
// was recorded, and still stands or not, resting on one of them.
func (s *eventScan) closure(v store.View, e *dsl.Event) error {
	complete := true
	for _, id := range e.Evidence {
		s.evidence++
		if _, err := v.Turn(id); errors.Is(err, dsl.ErrNotFound) {
			complete = false
		} else if err != nil {
			return err
		}
	}
	for _, id := range e.Includes {
		list, err := v.Fact(id)
		if errors.Is(err, dsl.ErrNotFound) {
			complete = false
			continue
		}
		if err != nil {
			return err
		}
		held, rests := false, false
		for i := range list {
			f := &list[i].FactVersion
			if f.Opened > e.Opened || f.Closed != 0 && f.Closed <= e.Opened {
				continue
			}
			held = true
			rests = rests || slices.ContainsFunc(f.Evidence, func(turn string) bool { return slices.Contains(e.Evidence, turn) })
		}
		complete = complete && (rests || !held)
	}
	if complete {
		s.closed++
	}
	return nil
}

// happeningLabels gives for each turn the happenings that annotators' observations
// tie it to: an observation of a session and speaker belongs to the happening of
// that session and speaker with which it shares the greatest share of words
// (Jaccard), the first of equals; one that shares none is a happening of its
// own. Nil where the data has no observations.
func happeningLabels(c *Conversation) map[string][]string {
	if c == nil || len(c.Observations) == 0 {
		return nil
	}
	var a analyze.Analyzer
	labels := map[string][]string{}
	for i := range c.Observations {
		o := &c.Observations[i]
		words := contentTerms(&a, o.Text)
		label, best := fmt.Sprintf("observation %d", i), 0.0
		for j := range c.Happenings {
			h := &c.Happenings[j]
			if h.Session != o.Session || h.Speaker != o.Speaker {
				continue
			}
			if x := jaccard(words, contentTerms(&a, h.Text), o.Speaker); x > best {
				label, best = fmt.Sprintf("happening %d", j), x
			}
		}
		for _, t := range o.Turns {
			labels[t] = append(labels[t], label)
		}
	}
	return labels
}

// jaccard gives the shared part of two sets of terms, without those of a name
// that both have by necessity.
func jaccard(a, b map[string]bool, name string) float64 {
	var an analyze.Analyzer
	skip := contentTerms(&an, name)
	shared, all := 0, 0
	for t := range a {
		if skip[t] {
			continue
		}
		all++
		if b[t] {
			shared++
		}
	}
	for t := range b {
		if !skip[t] && !a[t] {
			all++
		}
	}
	return share(shared, all)
}

// contentTerms gives the terms of a text that say something.
func contentTerms(a *analyze.Analyzer, text string) map[string]bool {
	out := map[string]bool{}
	for _, t := range a.Tokens(nil, text) {
		if !analyze.Stop(t.Term) {
			out[t.Term] = true
		}
	}
	return out
}

// label counts how many of an event's evidence turns belong to one happening.
func (s *eventScan) label(e *dsl.Event, labels map[string][]string) {
	var all []string
	mapped := 0
	for _, t := range e.Evidence {
		s.observed++
		if l := labels[t]; len(l) > 0 {
			mapped++
			s.cited++
			all = append(all, slices.Compact(slices.Sorted(slices.Values(l)))...)
		}
	}
	if mapped == 0 {
		return
	}
	main := mode(all)
	n := 0
	for _, t := range e.Evidence {
		if slices.Contains(labels[t], main) {
			n++
		}
	}
	s.mapped, s.main, s.mappedEvents = s.mapped+mapped, s.main+n, s.mappedEvents+1
	if mapped > 1 {
		s.many, s.manyMain, s.manyEvents = s.many+mapped, s.manyMain+n, s.manyEvents+1
	}
}
