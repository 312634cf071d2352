package neo4j

import (
	"context"
	"errors"
	"time"

	"github.com/asof-db/asof/store"
)

// episodesEvery is how often the episodes of a space are computed again while it is
// followed: they follow from all of its events.
const episodesEvery = 5 * time.Second

// episodes writes the episodes of the spaces whose events have changed.
func (p *Projector) episodes(ctx context.Context, t *tail) error {
	if p.opt.Episodes == nil {
		return nil
	}
	names, err := p.src.Spaces()
	if err != nil {
		return &sourceError{err}
	}
	for _, space := range names {
		x := t.places[space]
		if x == nil || p.dead[space] != nil || !p.wanted(space) {
			continue
		}
		now := p.opt.Now()
		behind := x.drawn.IsZero() && x.generation.episodes < x.at
		if !x.stirred && !behind || !x.drawn.IsZero() && now.Sub(x.drawn) < episodesEvery {
			continue
		}
		view, err := p.at(space, x.at)
		if err != nil {
			return err
		}
		nodes, contains, err := episodeRows(view, x.number, p.opt.Episodes)
		if err := errors.Join(err, view.Close()); err != nil {
			return &sourceError{err}
		}
		g := x.generation
		g.position = x.at
		if err := p.graph.episodes(ctx, g, nodes, contains); err != nil {
			return err
		}
		x.stirred, x.drawn = false, now
	}
	return nil
}

// episodeRows gives the rows of the episodes of a view.
func episodeRows(view store.View, number int64, of func(store.View) ([]Episode, error)) (nodes, contains []row, err error) {
	list, err := of(view)
	if err != nil {
		return nil, nil, err
	}
	space := view.Basis().Space
	for _, e := range list {
		nodes = append(nodes, row{number, space, e.ID, at(e.Span.Start), at(e.Span.End), at(e.Visible), texts(e.Sessions)})
		for i, id := range e.Events {
			versions, err := view.Event(id)
			if err != nil {
				return nil, nil, err
			}
			contains = append(contains, row{number, space, e.ID, id, int64(versions[len(versions)-1].Version), int64(i)})
		}
	}
	return nodes, contains, nil
}
