package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/asof-db/asof"
)

// escape makes a string of a user's safe to show: control characters, the marks
// that turn the direction of text, line and paragraph separators and invalid
// bytes are written out as Go writes them.
func escape(s string) string {
	if strings.IndexFunc(s, hidden) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case hidden(r) && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return b.String()
}

// hidden tells whether a terminal would obey the character instead of showing
// it.
func hidden(r rune) bool {
	switch {
	case unicode.IsControl(r), r == 0x2028, r == 0x2029:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0xfeff:
		return true
	}
	return false
}

// factLine shows a fact version in one line.
func factLine(f asof.FactJSON) string {
	var b strings.Builder
	rel := f.Rel
	if f.Relation != "" {
		rel += "/" + f.Relation
	}
	fmt.Fprintf(&b, "%s  %s  %s  valid %s  recorded %s  %s", escape(f.SrcName), escape(rel), escape(f.DstName), f.Valid, f.Record, f.Status)
	if len(f.EvidenceID) > 0 {
		fmt.Fprintf(&b, "  from %s", escape(strings.Join(f.EvidenceID, ",")))
	}
	fmt.Fprintf(&b, "  %s.%d", escape(f.ID), f.Version)
	return b.String()
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// hitLine shows a hit in one line.
func hitLine(h asof.HitJSON) string {
	id := h.ID
	if turns := strings.Join(h.Turns, ","); turns != "" && turns != h.ID {
		id += " from " + turns
	}
	return fmt.Sprintf("%2d  %.4f  %-7s  %s  valid %s  %s", h.Rank, h.Score, h.Kind, escape(id), h.Valid, escape(h.Text))
}
