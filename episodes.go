package asof

import (
	"errors"
	"fmt"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/events"
)

// EpisodeOptions gives what a configuration says of episodes.
func EpisodeOptions(c configs.Episode) events.EpisodeOptions {
	return events.EpisodeOptions{Window: dsl.Instant(c.Window.Microseconds()), TopicShift: c.TopicShift, CosTh: c.CosTh}
}

// Episodes gives the episodes of the view under the present configuration:
// containers of the events that are visible in it, in order of their first
// events. They are computed from the view and stored nowhere.
func (v *View) Episodes() ([]events.Episode, error) {
	list, err := events.Episodes(v.View, EpisodeOptions(v.db.cfg.Episode))
	if err != nil {
		return nil, fmt.Errorf("asof: %w", err)
	}
	return list, nil
}

// EpisodeJSON is an episode. Its kind is "episode": it stands among events.
type EpisodeJSON struct {
	ID           string                   `json:"id"`
	Kind         string                   `json:"kind"`
	Events       []string                 `json:"events"`
	TimeSpan     dsl.Interval             `json:"time_span"`
	Participants []EpisodeParticipantJSON `json:"participants"`
	TVisible     dsl.Instant              `json:"t_visible"`
	Sessions     []string                 `json:"sessions"`
}

// EpisodeParticipantJSON is one who takes part in an episode's events.
type EpisodeParticipantJSON struct {
	Entity     string `json:"entity"`
	EntityName string `json:"entity_name"`
}

// EpisodeOut gives the JSON form of an episode, with the names of its
// participants as of the view.
func (v *View) EpisodeOut(e *events.Episode) (EpisodeJSON, error) {
	out := EpisodeJSON{ID: e.ID, Kind: "episode", Events: e.Events, TimeSpan: e.Span, TVisible: e.Visible, Sessions: e.Sessions}
	for _, id := range e.Participants {
		n, err := v.Node(id)
		if err != nil {
			return out, err
		}
		out.Participants = append(out.Participants, EpisodeParticipantJSON{Entity: id, EntityName: n.Name.String()})
	}
	return out, nil
}

// retired gives the facts of an event that do not stand in the view: they have no
// version that is open and not archived.
func (v *View) retired(e *dsl.Event) ([]string, error) {
	out := []string{}
	for _, id := range e.Includes {
		list, err := v.Fact(id)
		if errors.Is(err, dsl.ErrNotFound) {
			continue // not recorded yet: then the event is not visible
		}
		if err != nil {
			return nil, err
		}
		stands := false
		for _, f := range list {
			stands = stands || f.Status == dsl.StatusOpen
		}
		if !stands {
			out = append(out, id)
		}
	}
	return out, nil
}
