package assimilate

import (
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/internal/num"
)

// Weights are those of the features of a salience: s = σ(Bias + Σ w·f), with
// every feature f in [0, 1].
type Weights struct {
	Bias float64
	// Bounded: the change names an end of its validity, so it is about a passing
	// thing.
	Bounded float64
	// Dated: the statement names a time of its own.
	Dated float64
	// Doubt: 1 − 2 × confidence, 0 from one half on.
	Doubt float64
	// Entity: the value is an entity, not a literal.
	Entity float64
	// Functional: the relation holds one value at a time.
	Functional float64
	// Length: the words of the turn ÷ 40, at most 1.
	Length float64
	// Novelty: 1 where nothing was known of subject and relation, one half where
	// another value was.
	Novelty float64
	// Question: the turn asks something.
	Question float64
	// Repetition: what waits was said again.
	Repetition float64
	// Self: the speaker speaks of himself.
	Self float64
}

// DefaultWeights are those of the built-in profile. A change of confidence one
// half or more has at least σ(−0.4) = 0.40, which lies above the plan's
// τ_archive: by default only what is said with less than about a quarter, of a
// relation with many values, is archived.
func DefaultWeights() Weights {
	return Weights{Bias: 0, Bounded: -0.2, Dated: 0.2, Doubt: -2.5, Entity: 0.1, Functional: 0.7, Length: 0.1,
		Novelty: 0.4, Question: -0.2, Repetition: 0.8, Self: 0.2}
}

// feature is one of the features, in the order of their names.
type feature int

const (
	bounded feature = iota
	dated
	doubt
	entity
	functional
	length
	novelty
	question
	repetition
	self
	features // their number
)

var featureNames = [features]string{"bounded", "dated", "doubt", "entity", "functional", "length", "novelty", "question", "repetition", "self"}

// vector holds the values of the features.
type vector [features]float64

// salience gives s = σ(Bias + Σ w·f), summed in the order of names.
func (w *Weights) salience(v *vector) float64 {
	weights := [features]float64{w.Bounded, w.Dated, w.Doubt, w.Entity, w.Functional, w.Length, w.Novelty, w.Question, w.Repetition, w.Self}
	sum := w.Bias
	for i, x := range v {
		if x != 0 {
			sum += float64(weights[i] * x)
		}
	}
	return num.Sigmoid(sum)
}

// again gives the salience of what had salience s and is said again.
func (w *Weights) again(s float64) float64 {
	const least = 1e-12
	s = min(max(s, least), 1-least)
	return num.Sigmoid(num.Log(s/(1-s)) + w.Repetition)
}

// list gives the features that are not 0.
func (v *vector) list() []dsl.Feature {
	var out []dsl.Feature
	for i, x := range v {
		if x != 0 {
			out = append(out, dsl.Feature{Name: featureNames[i], Value: x})
		}
	}
	return out
}

// said is what the features need of a turn, made once.
type said struct {
	length, question float64
	speaker          string // normalised
}

// longTurn is the number of words from which a turn is as long as it can be.
const longTurn = 40

func readTurn(t *dsl.Turn) said {
	text, err := t.Text.Open()
	if err != nil {
		return said{} // sealed: its words say nothing
	}
	out := said{length: min(1, float64(analyze.Words(text))/longTurn)}
	if strings.ContainsAny(text, "?？") {
		out.question = 1
	}
	if name, err := t.Speaker.Open(); err == nil {
		out.speaker = analyze.NormalizeName(name)
	}
	return out
}

// features gives those of a new fact that a candidate led to.
func (s *state) features(c *dsl.Candidate, f *dsl.FactVersion, others bool, t *said) vector {
	var v vector
	if f.Valid.End != dsl.Forever {
		v[bounded] = 1
	}
	if c.Valid != nil {
		v[dated] = 1
	}
	v[doubt] = max(0, 1-2*f.Confidence)
	if f.DstKind == dsl.Entity {
		v[entity] = 1
	}
	if s.registry.Functional(f.Rel) {
		v[functional] = 1
	}
	v[length], v[question] = t.length, t.question
	v[novelty] = 1
	if others {
		v[novelty] = 0.5
	}
	if name, err := f.SrcName.Open(); err == nil && t.speaker != "" && analyze.NormalizeName(name) == t.speaker {
		v[self] = 1
	}
	return v
}

// strongChange tells why a change must be written, "" where it need not be.
func (w *working) strongChange(action dsl.Action, f *dsl.FactVersion, turn *dsl.Turn) string {
	switch action {
	case dsl.Replace:
		return "an update"
	case dsl.RetroCorrect:
		return "a correction"
	case dsl.Close:
		return "an ending"
	case dsl.Insert:
	default:
		return ""
	}
	switch {
	case strings.HasPrefix(f.Rel, "scheduled_for."):
		return "an appointment"
	case f.Valid.Start > turn.TS && f.Valid.Start.Finite():
		return "a commitment"
	case strings.HasPrefix(f.Rel, "prefers.") && f.Valid.End == dsl.Forever:
		return "a lasting preference"
	case (f.Rel == "likes" || f.Rel == "dislikes") && f.Valid.End == dsl.Forever && lasting(turn):
		return "a lasting preference"
	}
	return ""
}

// lastingWords say that a liking is for good.
var lastingWords = []string{"always", "never", "favorite", "favourite", "forever", "all my life", "since i was", "most of all",
	"一直", "从来", "最喜欢", "最爱", "最讨厌", "永远", "从小"}

// lasting tells whether a turn says that something is for good.
func lasting(t *dsl.Turn) bool {
	text, err := t.Text.Open()
	if err != nil {
		return false
	}
	text = strings.ToLower(text)
	return slices.ContainsFunc(lastingWords, func(w string) bool { return strings.Contains(text, w) })
}
