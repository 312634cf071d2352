package pack

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
)

// statsSlack is how many tokens the line of statistics may grow by when it makes
// room for itself.
const statsSlack = 8

// statsSpeakers is how many speakers the line of statistics names.
const statsSpeakers = 3

// stats says in one line what was found and did not fit: how many turns, by whom
// and when, and how many facts and events. It tells a reader who has to count that
// there is more.
func (s *selection) stats() string {
	inside := map[string]bool{}
	for i := range s.turns {
		inside[s.turns[i].ID] = true
	}
	n := 0
	first, last := dsl.Forever, dsl.Beginning
	bySpeaker := map[string]int{}
	var names []string
	for i := range s.f.turns {
		t := &s.f.turns[i]
		if inside[t.ID] {
			continue
		}
		n++
		first, last = min(first, t.TS), max(last, t.TS)
		name := t.Speaker.String()
		if bySpeaker[name] == 0 {
			names = append(names, name)
		}
		bySpeaker[name]++
	}
	more := len(s.f.facts) + len(s.f.events) - len(s.facts) - len(s.events)
	if n == 0 && more == 0 {
		return ""
	}
	var parts []string
	if n > 0 {
		slices.SortStableFunc(names, func(x, y string) int {
			return cmp.Or(cmp.Compare(bySpeaker[y], bySpeaker[x]), strings.Compare(x, y))
		})
		var who []string
		for _, name := range names[:min(len(names), statsSpeakers)] {
			who = append(who, fmt.Sprintf("%s %d", name, bySpeaker[name]))
		}
		parts = append(parts, fmt.Sprintf(s.word("%d turns %s to %s (%s)", "%d 条话语，%s 至 %s（%s）"), n, dayOf(first), dayOf(last), strings.Join(who, ", ")))
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf(s.word("%d facts and events", "%d 项事实与事件"), more))
	}
	return s.word("Not shown: ", "未收入：") + strings.Join(parts, s.word(", ", "；"))
}
