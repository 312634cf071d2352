package asof

import (
	"errors"

	"github.com/asof-db/asof/retrieval/pack"
	"github.com/asof-db/asof/retrieval/question"
	"github.com/asof-db/asof/retrieval/scaffold"
)

// Evidence is a pack with what was worked out from it alone. The digest of the
// pack is that of the pack without scaffolds.
type Evidence struct {
	pack.Pack `json:",embed"`
	// Scaffolds are those that were asked for and hold something.
	Scaffolds []scaffold.Scaffold `json:"scaffolds"`
	// Contradiction says why there are none although some were asked for: the pack
	// contradicts itself.
	Contradiction string `json:"contradiction,omitzero"`
}

// Scaffolds works out scaffolds from a pack of the view; no kinds stand for those
// that the configuration (pack.scaffold) and the question ask for. A pack that
// contradicts itself gives none and says why.
func (v *View) Scaffolds(p *pack.Pack, kinds []scaffold.Kind) (Evidence, error) {
	e := Evidence{Pack: *p, Scaffolds: []scaffold.Scaffold{}}
	if kinds == nil && v.engine.scaffold {
		kinds = FittingScaffolds(p)
	}
	if len(kinds) == 0 {
		return e, nil
	}
	list, err := scaffold.Build(p, kinds, scaffold.Options{Pipeline: v.engine.plain, Lang: p.Lang})
	if errors.Is(err, scaffold.ErrContradiction) {
		e.Contradiction = err.Error()
		return e, nil
	}
	if list != nil {
		e.Scaffolds = list
	}
	return e, err
}

// FittingScaffolds gives the kinds of scaffold that the question of a pack asks
// for, by its text alone.
func FittingScaffolds(p *pack.Pack) []scaffold.Kind {
	asked := p.Result.Basis.Time
	if p.At != nil {
		asked = *p.At
	}
	if !asked.Finite() {
		asked = 0
	}
	a := question.Analyze(p.Query, asked.Time(), nil)
	return scaffold.Fitting(&a)
}
