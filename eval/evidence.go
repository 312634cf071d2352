package eval

import (
	"slices"
	"strings"
)

// Reasons for which a piece of evidence is dropped.
const (
	reasonMalformed = "not a turn id"
	reasonUnknown   = "no such turn"
	reasonNoSession = "no such session"
	reasonNoMessage = "no such message"
)

// resolveEvidence fills Evidence, Repaired and Dropped from the evidence
// strings of the file, of which some are not the plain id of a turn:
//
//	"D8:6; D9:17"  two ids in one string (also split at "," and space)
//	"D:11:26"      a colon too many: D11:26
//	"D30:05"       a number with leading zeros: D30:5
//	"D"            nothing that can be told: dropped
//	"D10:19"       no such turn in the conversation: dropped
//
// A string that is the id of a turn as it stands is never taken apart. An id
// named twice counts once.
func (q *Question) resolveEvidence(raw []string, turns map[string]bool) {
	keep := func(id string) {
		if !slices.Contains(q.Evidence, id) {
			q.Evidence = append(q.Evidence, id)
		}
	}
	for _, s := range raw {
		if turns[s] {
			keep(s)
			continue
		}
		whole := true
		for _, piece := range strings.FieldsFunc(aroundColon.Replace(s), evidenceSeparator) {
			id, ok := repairID(piece)
			switch {
			case turns[piece]:
				keep(piece)
			case !ok:
				whole = false
				q.Dropped = append(q.Dropped, DroppedEvidence{piece, reasonMalformed})
			case !turns[id]:
				whole = false
				q.Dropped = append(q.Dropped, DroppedEvidence{piece, reasonUnknown})
			default:
				keep(id)
			}
		}
		if strings.IndexFunc(s, func(r rune) bool { return !evidenceSeparator(r) }) < 0 {
			// Nothing but separators, or nothing at all.
			whole = false
			q.Dropped = append(q.Dropped, DroppedEvidence{s, reasonMalformed})
		}
		if whole {
			q.Repaired++
		}
	}
}

// aroundColon joins "D8: 6" before the space would split it.
var aroundColon = strings.NewReplacer(": ", ":", " :", ":", "：", ":")

func evidenceSeparator(r rune) bool {
	switch r {
	case ';', ',', '；', '，', '、', ' ', '\t', '\n', '\r', '\u00a0', '\u3000':
		return true
	}
	return false
}

// repairID gives the plain spelling of a turn id, D<session>:<turn>, from one
// with stray colons, leading zeros, a small d or brackets around it.
func repairID(s string) (string, bool) {
	s = strings.Trim(s, "()[]\"'.")
	if s == "" || s[0] != 'D' && s[0] != 'd' {
		return "", false
	}
	parts := strings.FieldsFunc(s[1:], func(r rune) bool { return r == ':' })
	if len(parts) != 2 {
		return "", false
	}
	for i, p := range parts {
		for _, r := range p {
			if r < '0' || r > '9' {
				return "", false
			}
		}
		if parts[i] = strings.TrimLeft(p, "0"); parts[i] == "" {
			return "", false
		}
	}
	return "D" + parts[0] + ":" + parts[1], true
}
