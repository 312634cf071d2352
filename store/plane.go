package store

import (
	"cmp"
	"iter"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// A Plane is the history of one (src, rel) key in both times: its versions are
// rectangles over record time and valid time. Record and Valid hold the bounds of
// the rectangles, ascending, each once; the last may be dsl.Forever, the first of
// Valid dsl.Beginning. Between two neighbouring bounds nothing changes, so the
// bounds are the grid on which the history can be drawn or tabulated.
type Plane struct {
	Src, Rel string
	Record   []dsl.Instant
	Valid    []dsl.Instant
	// Rectangles are in order of record start, then of opening.
	Rectangles []Rectangle
}

// A Rectangle is a version and its place on the grid of its plane: it was
// believed from Record[Columns[0]] to Record[Columns[1]] that it holds from
// Valid[Rows[0]] to Valid[Rows[1]]. Where the two columns are the same, one
// transaction opened and closed it; where the two rows are, it holds no instant.
type Rectangle struct {
	Version
	Columns, Rows [2]int
}

// Planes yields a plane for each key of View.History(q), in order of first
// appearance, with the versions that match. It holds one key in memory at a time.
func Planes(v View, q FactQuery) iter.Seq2[Plane, error] {
	return func(yield func(Plane, error) bool) {
		var key []Version
		for f, err := range v.History(q) {
			if err != nil {
				yield(Plane{}, err)
				return
			}
			if len(key) > 0 && (f.Src != key[0].Src || f.Rel != key[0].Rel) {
				if !yield(PlaneOf(key), nil) {
					return
				}
				key = nil
			}
			key = append(key, f)
		}
		if len(key) > 0 {
			yield(PlaneOf(key), nil)
		}
	}
}

// PlaneOf gives the plane of some versions of one key, such as those of one fact.
// There must be at least one.
func PlaneOf(versions []Version) Plane {
	p := Plane{Src: versions[0].Src, Rel: versions[0].Rel}
	for _, f := range versions {
		p.Rectangles = append(p.Rectangles, Rectangle{Version: f})
	}
	slices.SortStableFunc(p.Rectangles, func(a, b Rectangle) int { return cmp.Compare(a.Opened, b.Opened) })
	p.grid()
	return p
}

// grid gathers the bounds and puts the rectangles on them.
func (p *Plane) grid() {
	for i := range p.Rectangles {
		r := &p.Rectangles[i]
		p.Record = append(p.Record, r.Version.Record.Start, r.Version.Record.End)
		p.Valid = append(p.Valid, r.Version.Valid.Start, r.Version.Valid.End)
	}
	for _, bounds := range []*[]dsl.Instant{&p.Record, &p.Valid} {
		slices.Sort(*bounds)
		*bounds = slices.Compact(*bounds)
	}
	place := func(bounds []dsl.Instant, v dsl.Interval) [2]int {
		from, _ := slices.BinarySearch(bounds, v.Start)
		to, _ := slices.BinarySearch(bounds, v.End)
		return [2]int{from, to}
	}
	for i := range p.Rectangles {
		r := &p.Rectangles[i]
		r.Columns, r.Rows = place(p.Record, r.Version.Record), place(p.Valid, r.Version.Valid)
	}
}

// overlaps tells whether two rectangles share a point of the plane.
func (r *Rectangle) overlaps(o *Rectangle) bool {
	return r.Version.Record.Overlaps(o.Version.Record) && r.Version.Valid.Overlaps(o.Version.Valid)
}

// flat tells whether the rectangle covers no point.
func (r *Rectangle) flat() bool { return r.Columns[0] == r.Columns[1] || r.Rows[0] == r.Rows[1] }

// layers divides the rectangles, by index, so that no two of a layer overlap. The
// versions of one fact never do (I2), and stay together: a fact goes into the
// first layer where it fits. A functional relation needs one layer, unless
// archived versions lie under others (I7).
func (p *Plane) layers() [][]int {
	facts := map[string][]int{}
	var ids []string // in order of opening
	for i := range p.Rectangles {
		id := p.Rectangles[i].ID
		if facts[id] == nil {
			ids = append(ids, id)
		}
		facts[id] = append(facts[id], i)
	}
	var layers [][]int
	for _, id := range ids {
		fits := func(layer []int) bool {
			for _, i := range layer {
				for _, j := range facts[id] {
					if p.Rectangles[i].overlaps(&p.Rectangles[j]) {
						return false
					}
				}
			}
			return true
		}
		n := slices.IndexFunc(layers, fits)
		if n < 0 {
			n, layers = len(layers), append(layers, nil)
		}
		layers[n] = append(layers[n], facts[id]...)
	}
	for _, l := range layers {
		slices.SortFunc(l, cmp.Compare[int])
	}
	return layers
}
