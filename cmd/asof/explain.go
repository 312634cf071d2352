package main

import (
	"fmt"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/store"
)

// explainWords are the words around an explanation, by language.
type explainWords struct {
	believed, until, says, changes, unknown, edited, rule, replaced, ended, now, confidence string
}

var explainIn = map[string]explainWords{
	"en": {
		believed: "Believed since %s", until: "Believed from %s until %s",
		says: "%s said on %s: “%s” (turn %s)", changes: "%s changed when it holds, on %s: “%s” (turn %s)",
		unknown: "turn %s, which is not recorded", edited: ", replaced by turn %s since",
		rule: "Why: %s", replaced: "In the place of: %s", ended: "What ended it: %s", now: "Instead: %s", confidence: "Confidence: %v",
	},
	"zh": {
		believed: "自 %s 起相信", until: "从 %s 到 %s 相信",
		says: "%s 于 %s 说：“%s”（话语 %s）", changes: "%s 于 %s 改变了它成立的时间：“%s”（话语 %s）",
		unknown: "话语 %s，尚未记录", edited: "，后被话语 %s 取代",
		rule: "原因：%s", replaced: "取代了：%s", ended: "结束的原因：%s", now: "现在是：%s", confidence: "置信度：%v",
	},
}

// explain writes why a version is, or was, believed.
func (a *app) explain(v *asof.View, f *store.Version, lang string) error {
	x, err := v.Explain(f, lang)
	if err != nil {
		return err
	}
	if a.json {
		return a.line(x)
	}
	w := explainIn[lang]
	a.print("%s", factShort(&x.FactJSON))
	if f.Closed == 0 {
		a.print("  "+w.believed, x.Record.Start)
	} else {
		a.print("  "+w.until, x.Record.Start, x.Record.End)
	}
	for i := range x.Because {
		a.print("  %s", quoted(&x.Because[i], &w))
	}
	a.print("  "+w.rule, because(x.Why, x.Rule, x.Reason))
	for i := range x.Replaced {
		a.print("  "+w.replaced, factShort(&x.Replaced[i]))
	}
	a.print("  "+w.confidence, x.Confidence)
	if e := x.End; e != nil {
		a.print("  "+w.ended, because(e.Why, e.Rule, x.ClosedBy.Reason))
		if e.Turn != nil {
			a.print("    %s", quoted(e.Turn, &w))
		}
		for i := range e.Now {
			a.print("    "+w.now, factShort(&e.Now[i]))
		}
	}
	return nil
}

// factShort shows what a version says and when it holds.
func factShort(f *asof.FactJSON) string {
	rel := f.Rel
	if f.Relation != "" {
		rel += "/" + f.Relation
	}
	return fmt.Sprintf("%s  %s  %s  %s  (%s.%d)", escape(f.SrcName), escape(rel), escape(f.DstName), f.Valid, escape(f.ID), f.Version)
}

// because puts the sentence of a rule before its name and its reason in detail.
func because(why, rule, reason string) string {
	switch {
	case rule == "" && (reason == "" || reason == why):
		return escape(why)
	case rule == "":
		return fmt.Sprintf("%s (%s)", escape(why), escape(reason))
	}
	return fmt.Sprintf("%s (%s: %s)", escape(why), rule, escape(reason))
}

// quoted shows a turn as evidence.
func quoted(q *asof.QuoteJSON, w *explainWords) string {
	form := w.says
	switch q.Role {
	case "unknown":
		return fmt.Sprintf(w.unknown, escape(q.Turn))
	case "changes":
		form = w.changes
	}
	s := fmt.Sprintf(form, escape(q.Speaker), q.TS, escape(clip(q.Text)), escape(q.Turn))
	if q.ReplacedBy != "" {
		s += fmt.Sprintf(w.edited, escape(q.ReplacedBy))
	}
	return s
}

// mostQuoted bounds the characters of a turn that are shown.
const mostQuoted = 240

func clip(s string) string {
	if r := []rune(s); len(r) > mostQuoted {
		return string(r[:mostQuoted]) + "…"
	}
	return s
}
