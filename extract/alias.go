package extract

import (
	"slices"

	"github.com/asof-db/asof/internal/analyze"
)

// exactAlias is option A of alias with its near match off: two spellings are one
// name when they are equal after normalising.
type exactAlias struct{}

// Version names the rule.
func (exactAlias) Version() string { return "alias.exact/1" }

// FindAliases gives each later spelling with the first one.
func (exactAlias) FindAliases(d *Document) []Alias {
	var out []Alias
	for i, m := range d.Entities {
		for _, first := range d.Entities[:min(i, 64)] {
			if first.Text == m.Text {
				break
			}
			if first.Type == m.Type && len(first.Text) == len(m.Text) && analyze.NormalizeName(first.Text) == analyze.NormalizeName(m.Text) {
				if a := (Alias{Name: m.Text, Of: first.Text}); !slices.Contains(out, a) {
					out = append(out, a)
				}
				break
			}
		}
	}
	return out
}
