package eval

import (
	"math"
	"testing"
)

// TestAnswerScores holds exact match and F1 to values that were worked out by hand.
func TestAnswerScores(t *testing.T) {
	locomo := rubric{stems: true, dropAnd: true, parts: "1", first: "3"}
	for _, c := range []struct {
		name     string
		by       rubric
		answer   string
		gold     []string
		category string
		em, f1   float64
	}{
		{"equal but for articles, case and marks", rubric{}, "The Lean Startup!", []string{"the lean startup"}, "", 1, 1},
		// lisbon in may: 2 of 3 of the answer, 2 of 2 of the gold: 2 × 2/3 × 1 / (5/3).
		{"part of it", rubric{}, "Lisbon in May", []string{"Lisbon, May"}, "", 0, 0.8},
		{"a word said twice counts once", rubric{}, "very very good", []string{"very good"}, "", 0, 0.8},
		{"the best of several", rubric{}, "four", []string{"4", "four"}, "", 1, 1},
		{"nothing in common", rubric{}, "Porto", []string{"Lisbon"}, "", 0, 0},
		{"no answer", rubric{}, "", []string{"Lisbon"}, "", 0, 0},
		{"Chinese by characters", rubric{}, "上海市", []string{"上海"}, "", 0, 0.8},
		{"stems", locomo, "running", []string{"runs"}, "4", 1, 1},
		{"and is no word", locomo, "cats and dogs", []string{"cats, dogs"}, "4", 1, 1},
		// pottery is there, camping is not, painting by half of "oil painting": (1 + 0 + 2/3) / 3.
		{"a list by its parts", locomo, "pottery, oil painting", []string{"pottery, camping, painting"}, "1", 0, 5.0 / 9},
		{"what stands before a semicolon", locomo, "Yes", []string{"Yes; since she likes it"}, "3", 1, 1},
		{"a semicolon elsewhere", locomo, "Yes", []string{"Yes; since"}, "4", 0, 2.0 / 3},
	} {
		em, f1 := c.by.score(c.answer, c.gold, c.category)
		if em != c.em || math.Abs(f1-c.f1) > 1e-12 {
			t.Errorf("%s: EM %v, F1 %v, want %v, %v", c.name, em, f1, c.em, c.f1)
		}
	}
}

// TestAbstentionRows counts abstentions: three, of which two are right, of four
// questions without an answer.
func TestAbstentionRows(t *testing.T) {
	of := answersOf{means: newMeans([]group{{name: "all"}}), abstained: 3, right: 2, absent: 4}
	of.means.add("x", []float64{1, 1, 0})
	of.means.add("x", []float64{0, 0.5, 1})
	want := map[string]float64{"answer_em": 0.5, "answer_f1": 0.75, "answer_abstained": 0.5, "abstention_precision": 2.0 / 3, "abstention_recall": 0.5}
	rows := of.rows()
	if len(rows) != len(want) {
		t.Errorf("%d rows, want %d", len(rows), len(want))
	}
	for _, r := range rows {
		if math.Abs(r.Value-want[r.Metric]) > 1e-12 || r.Category != "all" {
			t.Errorf("%s over %s is %v, want %v", r.Metric, r.Category, r.Value, want[r.Metric])
		}
	}
}
