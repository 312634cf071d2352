package assimilate_test

import (
	"slices"

	"github.com/asof-db/asof/dsl"
)

// The brute-force model: valid time is cut into cells, the first instant of each
// year from 2000 on; the last cell reaches to ∞. A lane is what is believed of
// one functional (src, rel), or of one value of a many-valued one.
const (
	cells   = 16
	forever = cells
)

// cell is one instant of a lane: the value that holds (0 for none) and the
// version that says so.
type cell struct{ value, version int }

type lane struct {
	at [cells]cell
	// said are the cells of the turns that are evidence of a version.
	said map[int][]int
	last int
}

func newLane() *lane { return &lane{said: map[int][]int{}} }

func year(i int) dsl.Instant {
	switch {
	case i >= forever:
		return dsl.Forever
	default:
		return dsl.Instant(10957+366*i) * dsl.Day
	}
}

// starts tells whether a version starts at cell i.
func (l *lane) starts(i int) bool {
	return l.at[i].value != 0 && (i == 0 || l.at[i-1].version != l.at[i].version)
}

func (l *lane) open(i int) bool {
	return l.at[i].value != 0 && l.at[i].version == l.at[cells-1].version
}

func (l *lane) fresh(said ...int) int {
	l.last++
	l.said[l.last] = slices.Clone(said)
	return l.last
}

// assert lays a statement over the lane, cell by cell.
func (l *lane) assert(value, from, to, turn int) {
	stated := to
	if to == forever {
		firm := max(from, turn)
		for i := from; i < cells; i++ {
			if l.starts(i) && (i >= firm || l.at[i].value != value && l.open(i)) {
				to = min(to, i)
			}
		}
		if c := l.at[firm]; c.value != 0 && !l.starts(firm) {
			end := firm
			for end < cells && l.at[end].version == c.version {
				end++
			}
			if c.value == value {
				to = min(to, end)
			} else {
				for _, t := range l.said[c.version] {
					if t > firm && t < end {
						to = min(to, t)
					}
				}
			}
		}
	}
	for i := from; i < stated; i++ {
		if c := l.at[i]; c.value == value && (i < to || i == to && l.starts(i)) && !slices.Contains(l.said[c.version], turn) {
			l.said[c.version] = append(l.said[c.version], turn)
		}
	}
	lost := map[int]bool{}
	v, run := 0, false
	for i := from; i < to; i++ {
		if l.at[i].value == value {
			run = false
			continue
		}
		if !run {
			v, run = l.fresh(turn), true
		}
		lost[l.at[i].version] = l.at[i].value != 0
		l.at[i] = cell{value, v}
	}
	l.renew(lost, turn)
}

// renew gives what is left of versions new ones, one for each run of cells.
func (l *lane) renew(lost map[int]bool, turn int) {
	before, v := 0, 0
	for i := range l.at {
		old := l.at[i].version
		if !lost[old] || l.at[i].value == 0 {
			before = 0
			continue
		}
		if old != before {
			v = l.fresh(append(slices.Clone(l.said[old]), turn)...)
		}
		before = old
		l.at[i].version = v
	}
}

// remove takes cells away from a version.
func (l *lane) remove(version, from, to, turn int) {
	for i := from; i < to; i++ {
		if l.at[i].version == version {
			l.at[i] = cell{}
		}
	}
	l.renew(map[int]bool{version: true}, turn)
}

// end stops a value at cell x.
func (l *lane) end(value, x, turn int) {
	if c := l.at[x]; c.value == value {
		l.remove(c.version, x, forever, turn)
		return
	}
	for i := range x {
		if l.at[i].value == value {
			return
		}
	}
	if c := l.at[turn]; x <= turn && c.value == value {
		l.remove(c.version, 0, forever, turn)
	}
}

// deny takes a value away in an interval.
func (l *lane) deny(value, from, to, turn int) {
	if to == forever {
		for i := max(from, turn) + 1; i < cells; i++ {
			if l.starts(i) && l.at[i].value == value {
				to = min(to, i)
			}
		}
	}
	lost := map[int]bool{}
	for i := from; i < to; i++ {
		if l.at[i].value == value {
			lost[l.at[i].version] = true
			l.at[i] = cell{}
		}
	}
	l.renew(lost, turn)
}
