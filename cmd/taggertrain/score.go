package main

import (
	"fmt"
	"slices"

	"github.com/asof-db/asof/extract/tagger"
)

// score prints how the built-in models do on labelled turns: a name is right where
// its place and type are.
func score(path string, errors bool) error {
	turns, err := readTurns(path)
	if err != nil {
		return err
	}
	var right, found, asked [len(tagger.Types) + 1]int
	add := func(n *[len(tagger.Types) + 1]int, typ string) {
		n[slices.Index(tagger.Types[:], typ)]++
		n[len(tagger.Types)]++
	}
	for _, t := range turns {
		gold := t.spans()
		got := tagger.Tag(nil, t.Text, tagger.Bias{})
		for i := range got {
			margin := got[i].Margin
			got[i].Margin = 0
			ok := slices.Contains(gold, got[i])
			add(&found, got[i].Type)
			if ok {
				add(&right, got[i].Type)
			} else if errors {
				fmt.Printf("+ %d %s %q | %s\n", margin, got[i].Type, t.Text[got[i].Start:got[i].End], t.Text)
			}
		}
		for _, g := range gold {
			add(&asked, g.Type)
			if errors && !slices.Contains(got, g) {
				fmt.Printf("- %s %q | %s\n", g.Type, t.Text[g.Start:g.End], t.Text)
			}
		}
	}
	for i, typ := range append(slices.Clone(tagger.Types[:]), "all") {
		p, r := float64(right[i])/float64(max(1, found[i])), float64(right[i])/float64(max(1, asked[i]))
		fmt.Printf("%-6s P %.3f R %.3f F1 %.3f  (%d right, %d found, %d asked)\n", typ, p, r, 2*p*r/max(p+r, 1e-9), right[i], found[i], asked[i])
	}
	return nil
}
