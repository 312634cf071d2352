package rerank

// The signals of a candidate, each in [0, 1] and free of scale: shares of the best
// candidate or of the question, and yes or no as 1 or 0.
const (
	// Phrase is the share of the question's neighbouring terms that the candidate
	// says side by side as well.
	Phrase = iota
	// By says that the one who speaks is the one the question is about: a speaker
	// whom it names, or, where it says "I", the one who asks.
	By
	// Addressed says that the assistant speaks and the question says "you".
	Addressed
	// When says that the question asks for a time and the candidate names one.
	When
	// Count says that the question asks for a number and the candidate has one.
	Count
	// Who says how many names a candidate has, three or more being 1, where the
	// question asks for a person or a place.
	Who
	// Next is how much of the question is in the turn after it in its session, if
	// the one who speaks may be the one the question is about.
	Next
	// Reply is how much of the question is in the turn before it, if that asks
	// something and another says it.
	Reply
	// Self says that it speaks of the speaker ("I", "my"), who may be the one the
	// question is about.
	Self
	// Session is the best score of a candidate of its session, as a share of the
	// best.
	Session
	// Spread is the share of the question, weighted by rarity, that the candidates
	// of its session have together.
	Spread
	// Cover is the share of the question, weighted by rarity, that it has together
	// with the two turns before and after it.
	Cover
	// Linked is how strongly links between facts and events lead to it, where they
	// are followed.
	Linked
	// Asks says that it ends with a question. It is the one signal that hurts.
	Asks

	// Number counts the signals.
	Number
)

// Names are the signals' names, as in a file of weights.
var Names = [Number]string{
	"phrase", "by", "addressed", "when", "count", "who", "next", "reply", "self", "session", "spread", "cover", "linked", "asks",
}

// signs says whether a signal can only help (1) or only hurt (-1).
var signs = [Number]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1}

// Signals are what is known of a candidate.
type Signals [Number]float64

// Rank orders candidates by their score, as a share of the best, and their
// weighted signals. Equal ones stay as they come.
func Rank(prior []float64, signals []Signals, w *Weights) []int {
	return Order(w.Sums(prior, signals))
}

// Sums gives what Rank orders by.
func (w *Weights) Sums(prior []float64, signals []Signals) []float64 {
	best := 0.0
	for _, x := range prior {
		best = max(best, x)
	}
	sums := make([]float64, len(prior))
	for i, x := range prior {
		if best > 0 {
			sums[i] = x / best
		}
		for k := range signals[i] {
			sums[i] += float64(w[k] * signals[i][k])
		}
	}
	return sums
}
