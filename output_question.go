package asof

import (
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/retrieval/question"
)

// QuestionJSON is how a question was read.
type QuestionJSON struct {
	// Language is "en", "zh" or empty.
	Language question.Language `json:"language"`
	// Answer is the kind of answer that is wanted, Order "first", "newest" or empty,
	// Listing whether several things are.
	Answer  question.Answer `json:"answer"`
	Order   question.Order  `json:"order"`
	Listing bool            `json:"listing"`
	// Parts are the questions in the text.
	Parts []string           `json:"parts"`
	Names []QuestionNameJSON `json:"names"`
	Times []QuestionTimeJSON `json:"times"`
	// Terms are what was looked for.
	Terms []string `json:"terms"`
	// Expansion is what each source of it looked for besides, and how many hits it
	// added.
	Expansion []SourceJSON `json:"expansion,omitempty"`
}

// SourceJSON is what one source of the expansion looked for: terms, or facts by id.
type SourceJSON struct {
	Source string   `json:"source"`
	Words  []string `json:"words"`
	// Added counts the hits that it had something for.
	Added int `json:"added"`
}

// QuestionNameJSON is a name in a question.
type QuestionNameJSON struct {
	Text    string        `json:"text"`
	Aliases []string      `json:"aliases"`
	Speaker bool          `json:"speaker"`
	Role    question.Role `json:"role"`
}

// QuestionTimeJSON is a time in a question; the interval is half-open.
type QuestionTimeJSON struct {
	Text     string            `json:"text"`
	Value    string            `json:"value"`
	Relation question.Relation `json:"relation"`
	Grain    question.Grain    `json:"grain"`
	Interval dsl.Interval      `json:"interval"`
}

// ChannelJSON is what a channel had to say for a hit.
type ChannelJSON struct {
	Channel string  `json:"channel"`
	Score   float64 `json:"score"`
	// Rank counts from 1; 0 is that the channel has nothing for the hit.
	Rank int     `json:"rank"`
	Part float64 `json:"part"`
}

// CueJSON is what a cue multiplied a score by.
type CueJSON struct {
	Cue    string  `json:"cue"`
	Factor float64 `json:"factor"`
}

// SearchExplained gives the JSON form of a search result with how the question
// was read and what made the score of each hit.
func (db *DB) SearchExplained(query string, r *SearchResult) SearchJSON {
	out := db.SearchOut(query, r)
	out.Question = questionOut(query, &r.Reading, r.Terms)
	out.Question.Expansion = sourcesOut(r)
	for i := range out.Hits {
		out.Hits[i].Channels, out.Hits[i].Cues = whyOut(&r.Hits[i])
	}
	return out
}

func questionOut(query string, a *question.Analysis, terms []string) *QuestionJSON {
	out := &QuestionJSON{Language: a.Language, Answer: a.Kind, Order: a.Order, Listing: a.Listing, Terms: terms}
	for _, p := range a.Parts {
		if p.Start >= 0 && p.End <= len(query) && p.Start <= p.End {
			out.Parts = append(out.Parts, query[p.Start:p.End])
		}
	}
	for _, n := range a.Names {
		out.Names = append(out.Names, QuestionNameJSON{Text: n.Text, Aliases: n.Aliases, Speaker: n.Speaker, Role: n.Role})
	}
	for _, t := range a.Times {
		out.Times = append(out.Times, QuestionTimeJSON{Text: t.Text, Value: t.Value, Relation: t.Relation, Grain: t.Grain, Interval: t.Interval})
	}
	return out
}

// sourcesOut says what the expansion looked for.
func sourcesOut(r *SearchResult) (list []SourceJSON) {
	for _, s := range r.Sources {
		out := SourceJSON{Source: s.Name, Words: s.Words}
		for i := range r.Hits {
			if r.Hits[i].Added > 0 && slices.ContainsFunc(r.Hits[i].Why, func(p retrieval.Part) bool { return p.Channel == s.Name && p.Rank > 0 }) {
				out.Added++
			}
		}
		list = append(list, out)
	}
	return list
}

func whyOut(h *retrieval.Hit) (channels []ChannelJSON, cues []CueJSON) {
	for _, p := range h.Why {
		channels = append(channels, ChannelJSON{Channel: p.Channel, Score: p.Score, Rank: p.Rank, Part: p.Part})
	}
	for _, c := range h.Cues {
		cues = append(cues, CueJSON{Cue: c.Name, Factor: c.Factor})
	}
	return channels, cues
}
