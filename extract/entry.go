package extract

// ExtractEntities gives the names, addresses and numbers in a turn, in order of their
// place: the plan's entry point. [Pipeline.Extract] gives these and all else at once.
func (p *Pipeline) ExtractEntities(ctx Context) []Mention {
	d := p.document(&ctx)
	if d == nil {
		return nil
	}
	p.upToEntities(d)
	return d.Entities
}

// ResolveCoref gives the pronouns of a turn whose referent is clear, in order of their
// place: the plan's entry point. It gives none where coref.mode is off.
func (p *Pipeline) ResolveCoref(ctx Context) []Coref {
	d := p.document(&ctx)
	if d == nil || p.coref == nil {
		return nil
	}
	p.upToEntities(d)
	d.Aliases = p.alias.FindAliases(d)
	return p.coref.ResolveCoref(d)
}

// ExtractRelations gives the candidates of a turn with the valid time as it was said, in
// order of their place: the plan's entry point.
func (p *Pipeline) ExtractRelations(ctx Context) []Relation {
	r := p.Extract(ctx)
	out := make([]Relation, len(r.Candidates))
	for i := range r.Candidates {
		out[i] = Relation{Candidate: r.Candidates[i], Stated: r.Stated[i]}
	}
	return out
}

// upToEntities runs the first two stages.
func (p *Pipeline) upToEntities(d *Document) {
	d.Sentences = p.split.Split(d)
	d.Entities = p.entities.ExtractEntities(d)
}
