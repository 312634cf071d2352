package main

import (
	"fmt"
	"strings"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/retrieval/question"
)

// questionLines shows how a question was read.
func questionLines(q *asof.QuestionJSON) []string {
	wants := string(q.Answer)
	if q.Listing {
		wants += ", several"
	}
	if q.Order != question.None {
		wants += ", the " + string(q.Order)
	}
	language := string(q.Language)
	if language == "" {
		language = "no language"
	}
	lines := []string{fmt.Sprintf("question  %s, wants %s; looked for %s", language, wants, escape(strings.Join(q.Terms, " ")))}
	if len(q.Parts) > 1 {
		for _, p := range q.Parts {
			lines = append(lines, "part      "+escape(p))
		}
	}
	for _, n := range q.Names {
		line := fmt.Sprintf("name      %s, %s", escape(n.Text), n.Role)
		if n.Speaker {
			line += ", a speaker"
		}
		if len(n.Aliases) > 0 {
			line += ", also " + escape(strings.Join(n.Aliases, ", "))
		}
		lines = append(lines, line)
	}
	for _, t := range q.Times {
		lines = append(lines, fmt.Sprintf("time      %s: %s %s (%s)", escape(t.Text), t.Relation, t.Interval, t.Grain))
	}
	for _, x := range q.Expansion {
		lines = append(lines, fmt.Sprintf("%s: %s (%s)", x.Source, escape(strings.Join(x.Words, " ")), plural(x.Added, "hit")))
	}
	return lines
}

// whyLine shows what made a score; it is empty where nothing says so.
func whyLine(h asof.HitJSON) string {
	var parts []string
	for _, c := range h.Channels {
		if c.Rank > 0 {
			parts = append(parts, fmt.Sprintf("%s %.4f #%d (%.3f)", c.Channel, c.Score, c.Rank, c.Part))
		}
	}
	line := strings.Join(parts, " + ")
	for _, c := range h.Cues {
		line += fmt.Sprintf(" × %s %.2f", c.Cue, c.Factor)
	}
	return strings.TrimSpace(line)
}
