package asof

import (
	"errors"
	"slices"
	"strings"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// ExplainJSON says of a fact version why it is, or was, believed: who said it,
// what it replaced and by which rule, and what ended it. It names nothing that is
// not in the view.
type ExplainJSON struct {
	HistoryJSON `json:",embed"`
	// Rule names the rule that opened the version, empty where it was written
	// directly; Why says it in a sentence.
	Rule string `json:"rule,omitzero"`
	Why  string `json:"why"`
	// Because are the turns that bear on it, as they were recorded.
	Because []QuoteJSON `json:"because"`
	// Replaced are the versions that gave way to it.
	Replaced []FactJSON `json:"replaced,omitempty"`
	// End says what closed it, if the view knows.
	End *EndJSON `json:"end,omitzero"`
}

// QuoteJSON is a turn as evidence. Role is "says" for a witness, "changes" for a
// turn that says only when the fact begins or ends, "unknown" for one that the
// view does not hold.
type QuoteJSON struct {
	Turn       string      `json:"turn"`
	Role       string      `json:"role"`
	Speaker    string      `json:"speaker,omitzero"`
	TS         dsl.Instant `json:"ts,omitzero"`
	Text       string      `json:"text,omitzero"`
	ReplacedBy string      `json:"replaced_by,omitzero"`
}

// EndJSON is what closed a version, and what is believed since then in its
// place.
type EndJSON struct {
	Rule string     `json:"rule,omitzero"`
	Why  string     `json:"why"`
	Turn *QuoteJSON `json:"turn,omitzero"`
	Now  []FactJSON `json:"now,omitempty"`
}

// Explain explains a version of the view in a language, "en" or "zh".
func (v *View) Explain(f *store.Version, lang string) (ExplainJSON, error) {
	x := ExplainJSON{HistoryJSON: HistoryOut(f), Rule: f.Rule, Why: whyOpened(f, lang)}
	versions, err := v.Fact(f.ID)
	if err != nil {
		return x, err
	}
	for _, id := range f.Evidence {
		q, err := v.quote(id)
		if err != nil {
			return x, err
		}
		if q.Role == "says" {
			_, linked, err := v.Witness(id, f.ID)
			if err != nil {
				return x, err
			}
			if !linked && changed(versions, f, id) {
				q.Role = "changes"
			}
		}
		x.Because = append(x.Because, q)
	}
	before, _, err := v.beside(f, f.Opened, f.Rule)
	if err != nil {
		return x, err
	}
	for i := range before {
		if before[i].ID != f.ID || f.Op == dsl.RetroCorrectOp && before[i].Dst != f.Dst {
			x.Replaced = append(x.Replaced, FactOut(&before[i]))
		}
	}
	if f.Closed == 0 {
		return x, nil
	}
	x.End = &EndJSON{Rule: f.CloseRule, Why: whyClosed(f, lang)}
	if f.CloseTurn != "" {
		q, err := v.quote(f.CloseTurn)
		if err != nil {
			return x, err
		}
		x.End.Turn = &q
	}
	_, after, err := v.beside(f, f.Closed, f.CloseRule)
	for i := range after {
		x.End.Now = append(x.End.Now, FactOut(&after[i]))
	}
	return x, err
}

// quote gives a turn of the view as evidence.
func (v *View) quote(id string) (QuoteJSON, error) {
	t, err := v.Turn(id)
	if errors.Is(err, dsl.ErrNotFound) {
		return QuoteJSON{Turn: id, Role: "unknown"}, nil
	}
	if err != nil {
		return QuoteJSON{}, err
	}
	return QuoteJSON{Turn: id, Role: "says", Speaker: t.Speaker.String(), TS: t.TS, Text: t.Text.String(), ReplacedBy: t.ReplacedBy}, nil
}

// changed tells whether a turn came to a version's evidence by changing when it,
// or a version before it, holds.
func changed(versions []store.Version, f *store.Version, turn string) bool {
	for i := range versions {
		w := &versions[i]
		if w.Version > f.Version || !slices.Contains(w.Evidence, turn) {
			continue
		}
		return w.Turn == turn && slices.ContainsFunc(versions[:i], func(x store.Version) bool {
			return x.CloseTurn == turn && x.Dst == w.Dst && !slices.Contains(x.Evidence, turn)
		})
	}
	return false
}

// beside gives the versions about the same thing that a position closed and
// opened by the same rule.
func (v *View) beside(f *store.Version, seq dsl.Seq, rule string) (closed, opened []dsl.FactVersion, err error) {
	if rule == "" {
		return nil, nil, nil
	}
	srcs, err := v.Aliases(f.Src)
	if err != nil {
		return nil, nil, err
	}
	about := func(x *dsl.FactVersion) bool {
		if x == nil || !slices.Contains(srcs, x.Src) || x.Ref() == f.Ref() {
			return false
		}
		return x.Rel == f.Rel && (v.Functional(f.Rel) || x.Dst == f.Dst || x.ID == f.ID) ||
			rule == assimilate.RuleOpposite && x.DstName == f.DstName
	}
	for c, err := range v.Changes(seq - 1) {
		if err != nil {
			return nil, nil, err
		}
		if c.Seq != seq {
			break
		}
		if c.Rule != rule {
			continue
		}
		if about(c.Before) {
			closed = append(closed, *c.Before)
		}
		if about(c.After) && !c.After.Valid.Empty() {
			opened = append(opened, *c.After)
		}
	}
	return closed, opened, nil
}

// Functional tells whether the present registry says that the relation holds one
// value at a time.
func (v *View) Functional(rel string) bool { return v.db.engine.registry.Functional(rel) }

// sentences say what a rule did, for people: to a version that it opened anew,
// and to one that it changed or closed.
type sentences struct{ opened, changed [2]string }

// Languages are those that explanations come in.
var Languages = []string{"en", "zh"}

func say(s [2]string, lang string) string { return s[max(slices.Index(Languages, lang), 0)] }

// whyOpened says why a version was opened.
func whyOpened(f *store.Version, lang string) string {
	s, ok := ruleWords[f.Rule]
	switch {
	case !ok:
		return f.Reason.String()
	case f.Op == dsl.RetroCorrectOp && f.Rule != dsl.RuleEdit && !strings.HasPrefix(f.Rule, "correct/"):
		return say(s.changed, lang)
	}
	return say(s.opened, lang)
}

// whyClosed says why a version was closed.
func whyClosed(f *store.Version, lang string) string {
	if s, ok := ruleWords[f.CloseRule]; ok {
		return say(s.changed, lang)
	}
	return f.CloseReason.String()
}
