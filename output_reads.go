package asof

import (
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// DifferenceJSON is a belief that one of two views has: Before if it is the first
// of them, After if it is the second.
type DifferenceJSON struct {
	Before *FactJSON `json:"before,omitzero"`
	After  *FactJSON `json:"after,omitzero"`
}

// NeighbourJSON is an edge of a neighbourhood. From is the node it was reached
// from, To its other end; inverse edges point to From.
type NeighbourJSON struct {
	Depth    int      `json:"depth"`
	From     string   `json:"from"`
	FromName string   `json:"from_name"`
	To       string   `json:"to"`
	ToName   string   `json:"to_name"`
	Inverse  bool     `json:"inverse"`
	Fact     FactJSON `json:"fact"`
}

// PlaneJSON is the history of a key in both times, on the grid of its bounds; an
// end of time is null.
type PlaneJSON struct {
	Src        string          `json:"src"`
	SrcName    string          `json:"src_name"`
	Rel        string          `json:"rel"`
	Record     []dsl.Instant   `json:"record"`
	Valid      []dsl.Instant   `json:"valid"`
	Rectangles []RectangleJSON `json:"rectangles"`
}

// RectangleJSON is a version and the bounds, by index, between which it lies:
// columns are those of record, rows those of valid.
type RectangleJSON struct {
	HistoryJSON `json:",embed"`
	Columns     [2]int `json:"columns"`
	Rows        [2]int `json:"rows"`
}

// DifferenceOut gives the JSON form of a difference.
func DifferenceOut(d *store.Difference) DifferenceJSON {
	var out DifferenceJSON
	if d.Before != nil {
		f := FactOut(d.Before)
		out.Before = &f
	}
	if d.After != nil {
		f := FactOut(d.After)
		out.After = &f
	}
	return out
}

// NeighbourOut gives the JSON form of an edge, with the names of its ends as of the
// view.
func (v *View) NeighbourOut(n *store.Neighbour) (NeighbourJSON, error) {
	out := NeighbourJSON{Depth: n.Depth, From: n.From, To: n.To, Inverse: n.Inverse, Fact: FactOut(&n.Fact)}
	for _, end := range []struct {
		id   string
		name *string
	}{{n.From, &out.FromName}, {n.To, &out.ToName}} {
		node, err := v.Node(end.id)
		if err != nil {
			return out, err
		}
		*end.name = node.Name.String()
	}
	return out, nil
}

// PlaneOut gives the JSON form of a plane.
func PlaneOut(p *store.Plane) PlaneJSON {
	out := PlaneJSON{Src: p.Src, SrcName: p.Rectangles[0].SrcName.String(), Rel: p.Rel, Record: p.Record, Valid: p.Valid}
	for i := range p.Rectangles {
		r := &p.Rectangles[i]
		out.Rectangles = append(out.Rectangles, RectangleJSON{HistoryJSON: HistoryOut(&r.Version), Columns: r.Columns, Rows: r.Rows})
	}
	return out
}
