package extract

import "github.com/asof-db/asof/dsl"

// Merge is an alias that a stream of turns makes.
type Merge struct {
	// Turn is the id of the turn in which the name was met first.
	Turn string
	Alias
}

// mergeWindow is how many turns before a turn Merges gives as its context.
const mergeWindow = 3

// Merges reads the turns of one space in order, with a memory of the names in
// them, and lists the names that are taken for others, each pair once; names that
// are equal after normalising are left out.
func (p *Pipeline) Merges(turns []dsl.Turn) []Merge {
	var out []Merge
	seen := &Seen{}
	met := map[[2]string]bool{}
	for i := range turns {
		r := p.Extract(Context{Turn: turns[i], Previous: turns[max(0, i-mergeWindow):i], Memory: seen})
		for _, a := range r.Aliases {
			if pair := [2]string{a.Name, a.Of}; a.By != ByExact && !met[pair] {
				met[pair] = true
				out = append(out, Merge{turns[i].ID, a})
			}
		}
		seen.Add(r)
	}
	return out
}
