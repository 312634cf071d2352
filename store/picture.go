package store

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
)

// MaxDrawn is how many versions a picture may have; it grows with their square.
const MaxDrawn = 128

// Picture draws the plane in characters: record time to the right, valid time
// upward, a box for each version with its label in the upper left corner.
//
//	valid
//	∞          +^^^^^^^^^^^^^^+^^^^^^^^^^^^^^>
//	           |home.1 Boston |home.4 Boston >
//	2021-01-01 |              +-------------->
//	           |              |home.2 Paris  >
//	2020-01-01 |              +-------------->
//	           |              |home.3 Boston >
//	2018-01-01 +--------------+-------------->
//	           2023-01-01     2023-02-01       record
//
// A side of ^ is an end at ∞ in valid time, one of v a start at −∞, one of > an end
// of record that the view does not know. Boxes that would lie over each other are
// drawn one picture below the other. Versions that cover no point of the plane,
// believed at no time or true at none, are not drawn. The label gets the index of
// the rectangle; characters of other than one column shift the sides behind them.
// More than MaxDrawn versions are refused by an error that wraps dsl.ErrInvalid.
func (p *Plane) Picture(w io.Writer, label func(i int) string) error {
	if n := len(p.Rectangles); n > MaxDrawn {
		return fmt.Errorf("store: picture: %w: %d versions of one key are too many to draw, at most %d are", dsl.ErrInvalid, n, MaxDrawn)
	}
	drawn := false
	for _, layer := range p.layers() {
		layer = slices.DeleteFunc(layer, func(i int) bool { return p.Rectangles[i].flat() })
		if len(layer) == 0 {
			continue
		}
		if drawn {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		drawn = true
		if _, err := io.WriteString(w, p.drawing(layer, label).String()); err != nil {
			return err
		}
	}
	return nil
}

// short writes a bound as people do: a date where it is midnight.
func short(t dsl.Instant) string {
	switch t {
	case dsl.Beginning:
		return "-∞"
	case dsl.Forever:
		return "∞"
	}
	return strings.TrimSuffix(strings.TrimSuffix(t.String(), "Z"), "T00:00:00")
}

// drawing is a canvas of characters.
type drawing struct {
	lines [][]rune
	// left is the width of the names of the valid bounds, x the places of the
	// lines of the record bounds.
	left int
	x    []int
}

// drawing draws one layer.
func (p *Plane) drawing(layer []int, label func(i int) string) *drawing {
	var record, valid []dsl.Instant // the bounds of the layer
	for _, i := range layer {
		v := &p.Rectangles[i].Version
		record = append(record, v.Record.Start, v.Record.End)
		valid = append(valid, v.Valid.Start, v.Valid.End)
	}
	slices.Sort(record)
	slices.Sort(valid)
	record, valid = slices.Compact(record), slices.Compact(valid)
	d := new(drawing)
	for _, t := range valid {
		d.left = max(d.left, len([]rune(short(t))))
	}
	d.left++
	d.x = make([]int, len(record))
	d.x[0] = d.left
	for c := range len(record) - 1 {
		width := len([]rune(short(record[c]))) + 2
		for _, i := range layer {
			if p.Rectangles[i].Version.Record.Start == record[c] {
				width = max(width, len([]rune(label(i)))+2)
			}
		}
		d.x[c+1] = d.x[c] + width
	}
	index := func(bounds []dsl.Instant, t dsl.Instant) int { return slices.Index(bounds, t) }
	top := len(valid) - 1
	for _, i := range layer {
		v := &p.Rectangles[i].Version
		from, to := d.x[index(record, v.Record.Start)], d.x[index(record, v.Record.End)]
		high, low := 1+2*(top-index(valid, v.Valid.End)), 1+2*(top-index(valid, v.Valid.Start))
		d.box(from, to, high, low, v, label(i))
	}
	d.write(0, 0, "valid")
	for k, t := range valid {
		d.write(1+2*(top-k), 0, short(t))
	}
	end := d.x[len(d.x)-1]
	for k, t := range record {
		if t != dsl.Forever {
			d.write(2*top+2, d.x[k], short(t))
			end = max(end, d.x[k]+len([]rune(short(t))))
		}
	}
	d.write(2*top+2, end+2, "record")
	return d
}

// box draws the sides of a rectangle between two columns and two lines.
func (d *drawing) box(from, to, high, low int, v *Version, label string) {
	side := func(y int, r rune) {
		for x := from + 1; x < to; x++ {
			d.set(x, y, r)
		}
	}
	ceiling, floor, right := '-', '-', '|'
	if v.Valid.End == dsl.Forever {
		ceiling = '^'
	}
	if v.Valid.Start == dsl.Beginning {
		floor = 'v'
	}
	if v.Record.End == dsl.Forever {
		right = '>'
	}
	side(high, ceiling)
	side(low, floor)
	for y := high; y <= low; y++ {
		d.set(from, y, '|')
		d.set(to, y, right)
	}
	for _, y := range []int{high, low} {
		d.set(from, y, '+')
		if right != '>' {
			d.set(to, y, '+')
		}
	}
	d.write(high+1, from+1, label)
}

// set puts a character; a corner stays a corner.
func (d *drawing) set(x, y int, r rune) {
	for len(d.lines) <= y {
		d.lines = append(d.lines, nil)
	}
	for len(d.lines[y]) <= x {
		d.lines[y] = append(d.lines[y], ' ')
	}
	if d.lines[y][x] != '+' {
		d.lines[y][x] = r
	}
}

func (d *drawing) write(y, x int, s string) {
	for i, r := range []rune(s) {
		d.set(x+i, y, r)
	}
}

// String gives the lines without trailing blanks.
func (d *drawing) String() string {
	var b strings.Builder
	for _, line := range d.lines {
		fmt.Fprintln(&b, strings.TrimRight(string(line), " "))
	}
	return b.String()
}
