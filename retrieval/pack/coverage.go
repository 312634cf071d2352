package pack

// Coverage says where the sessions that hold an answer were found: what a report of
// the chain counts. It is zero for a pack that is not of sessions.
type Coverage struct {
	// Pool tells that the entry and its expansion found all of them, Pack that all of
	// them are in the pack, Verbatim that all are in its verbatim part.
	Pool, Pack, Verbatim bool
	// OnlyExpansion are those that the entry lacked and expansion added.
	OnlyExpansion []string
}

// Covers compares a pack with the sessions that hold the answer, by name.
func (p *Pack) Covers(gold []string) Coverage {
	r := p.Receipt.Sessions
	if r == nil || len(gold) == 0 {
		return Coverage{}
	}
	c := Coverage{Pool: true, Pack: true, Verbatim: true}
	inside := map[string]int{}
	for i := range p.Items {
		inside[p.Items[i].ID] = i + 1
	}
	for _, id := range gold {
		switch {
		case contains(r.Pool, id):
		case contains(r.Expansion, id):
			c.OnlyExpansion = append(c.OnlyExpansion, id)
		default:
			c.Pool = false
		}
		c.Pack = c.Pack && inside[id] > 0
		c.Verbatim = c.Verbatim && inside[id] > 0 && inside[id] <= r.Verbatim
	}
	return c
}
