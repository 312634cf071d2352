package main

import (
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/store"
)

// plane draws the history of a key in both times and lists its versions.
func (a *app) plane(p *store.Plane) error {
	out := asof.PlaneOut(p)
	if a.json {
		return a.line(out)
	}
	a.print("%s  %s", escape(out.SrcName), escape(out.Rel))
	var drawn strings.Builder
	if err := p.Picture(&drawn, func(i int) string {
		return letters(i) + caption(out.Rectangles[i].DstName)
	}); err != nil {
		return err
	}
	a.print("%s", drawn.String())
	for i := range out.Rectangles {
		h := &out.Rectangles[i].HistoryJSON
		a.print("%s  %s", letters(i), factLine(h.FactJSON))
		a.reasons(h)
	}
	a.print("")
	return nil
}

// caption gives a value that fits a box: short, and of characters that are one
// column wide everywhere.
func caption(value string) string {
	const most = 20
	value = escape(value)
	if len(value) > most || utf8.RuneCountInString(value) != len(value) {
		return ""
	}
	return " " + value
}

// letters counts a, b, … z, aa, ab, …
func letters(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return letters(i/26-1) + letters(i%26)
}
