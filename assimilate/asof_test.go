package assimilate_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// TestAsOf runs the files of store/testdata/asof over the model and the Pebble
// store, which must give the same answers: the reads in both times, and the
// rectangles that operations and turns leave, drawn from the versions themselves.
// It lives here because the store knows no requests. The commands:
//
//	ops at=DATE, turn id=ID ts=DATE   as in TestRules; they print what was refused
//	picture [src= rel=] [fact=]       the rectangles of each key, record × valid;
//	                                  every bound is read as of, on it and 1 µs beside
//	facts [src= rel= dst=] [t=] [v=] [all]
//	allen relations=A,B span=FROM~TO [src= …] [t=] [all]
//	record relations=A,B span=FROM~TO [src= …] [t=]
//	became span=…, stopped span=…     [src= …] [t=] [all]
//	no-longer since=DATE              [src= …] [t=]
//	diff from=DATE t=DATE, net from=DATE t=DATE [src= …]
//	neighbours node=NAME [depth=] [fanout=] [rels=A,B] [t=] [v=]
//	check                             asof check of the Pebble store
//
// t is a record time, v a valid time; without t a read is at the head. DATE may
// end in +1us or -1us.
func TestAsOf(t *testing.T) {
	const dir = "../store/testdata/asof"
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, f := range files {
		t.Run(f.Name(), func(t *testing.T) {
			w := newTwin(t)
			datadriven.RunTest(t, filepath.Join(dir, f.Name()), w.run)
			w.check(t)
		})
	}
}

// twin is a world that a Pebble store follows.
type twin struct {
	*world
	s *store.Store
}

func newTwin(t *testing.T) *twin {
	s, err := store.Open(store.Options{Dir: "db", FS: vfs.NewMem(), CacheBytes: 1 << 20, MemtableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &twin{newWorld(), s}
	w.also = func(tx *dsl.Tx, entry dsl.Hash) error {
		st, err := s.Stage()
		if err != nil {
			return err
		}
		defer st.Discard()
		if err := st.Apply(tx, entry); err != nil {
			return err
		}
		return st.Commit()
	}
	return w
}

// views gives the two views at a record time.
func (w *twin) views(t *testing.T, at dsl.Instant) [2]store.View {
	t.Helper()
	v, err := w.s.AtTime(space, at)
	if err != nil {
		t.Fatal(err)
	}
	return [2]store.View{w.m.AtTime(at), v}
}

// both gives what a read answers, which must be the same from the two views.
func (w *twin) both(t *testing.T, at dsl.Instant, read func(v store.View) (string, error)) string {
	t.Helper()
	var said [2]string
	for i, v := range w.views(t, at) {
		text, err := read(v)
		if err != nil {
			text = "error: " + plainTimes(err.Error()) + "\n"
		} else if text == "" {
			text = "none\n"
		}
		said[i] = strings.NewReplacer("model: ", "", "store: ", "").Replace(text)
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if said[0] != said[1] {
		t.Errorf("the model says\n%s\nand the store\n%s", said[0], said[1])
	}
	return said[1]
}

// check runs the store's own check.
func (w *twin) check(t *testing.T) string {
	rep, err := w.s.Check(context.Background(), space, store.CheckOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range rep.Faults {
		t.Errorf("check: %s %s: %s", f.Position, f.Kind, f.Message)
	}
	return fmt.Sprintf("%d faults\n", len(rep.Faults))
}

// moment reads a date that may have +1us or -1us behind it.
func moment(t *testing.T, s string) dsl.Instant {
	t.Helper()
	for _, beside := range []struct {
		suffix string
		by     dsl.Instant
	}{{"+1us", 1}, {"-1us", -1}} {
		if on, ok := strings.CutSuffix(s, beside.suffix); ok {
			return date(t, on) + beside.by
		}
	}
	return date(t, s)
}

func (w *twin) run(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	switch d.Cmd {
	case "turn":
		cs := make([]dsl.Candidate, 0, 2)
		for _, line := range lines(d.Input) {
			cs = append(cs, candidate(t, line))
		}
		if _, err := w.say(arg(d, "id", ""), date(t, arg(d, "ts", "")), cs...); err != nil {
			return "error: " + err.Error() + "\n"
		}
		return w.wrote(t)
	case "ops":
		var ops []assimilate.OpRequest
		for _, line := range lines(d.Input) {
			ops = append(ops, request(t, line))
		}
		_, _, err := w.write(moment(t, arg(d, "at", "")), true, ops...)
		if e := (*assimilate.OpError)(nil); errors.As(err, &e) {
			return "refused: " + plainTimes(e.Error()) + "\n"
		} else if err != nil {
			return "error: " + err.Error() + "\n"
		}
		return w.wrote(t)
	case "check":
		return w.check(t)
	case "picture":
		return w.picture(t, d)
	}
	at := dsl.Forever
	if s := arg(d, "t", ""); s != "" {
		at = moment(t, s)
	}
	return w.both(t, at, func(v store.View) (string, error) { return w.read(t, d, v) })
}

// wrote names the transaction that was just made.
func (w *twin) wrote(t *testing.T) string {
	if err := w.broken(); err != nil {
		t.Errorf("%v", err)
	}
	return fmt.Sprintf("%s recorded at %s\n", w.m.Head(), short(w.last))
}

// query reads what a command selects.
func query(t *testing.T, d *datadriven.TestData, v store.View) store.FactQuery {
	t.Helper()
	q := store.FactQuery{Rel: arg(d, "rel", ""), All: d.HasArg("all")}
	for _, end := range []struct {
		key string
		ids *[]string
	}{{"src", &q.Src}, {"dst", &q.Dst}} {
		if name := arg(d, end.key, ""); name != "" {
			*end.ids = aliases(t, v, name)
		}
	}
	if s := arg(d, "v", ""); s != "" {
		at := moment(t, s)
		q.Valid = &at
	}
	return q
}

// aliases gives the nodes that a name denotes, or one that is none.
func aliases(t *testing.T, v store.View, name string) []string {
	t.Helper()
	nodes, err := v.NodesNamed(text(name))
	if err != nil {
		t.Fatal(err)
	}
	out := []string{"nobody"}
	for _, n := range nodes {
		group, err := v.Aliases(n.ID)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, group...)
	}
	return out
}

func (w *twin) read(t *testing.T, d *datadriven.TestData, v store.View) (string, error) {
	q := query(t, d, v)
	span := interval(t, arg(d, "span", ""))
	relations := store.AllenAny
	if s := strings.Join(vals(d, "relations"), ","); s != "" {
		set, err := store.ParseAllen(s)
		if err != nil {
			return "", err
		}
		relations = set
	}
	switch d.Cmd {
	case "facts":
		return show(v.Facts(q), w.factLine)
	case "allen":
		return show(store.ValidWhere(v, q, relations, *span), w.factLine)
	case "became":
		return show(store.Became(v, q, *span), w.factLine)
	case "stopped":
		return show(store.Stopped(v, q, *span), w.factLine)
	case "record":
		return show(store.RecordWhere(v, q, relations, *span), w.versionLine)
	case "no-longer":
		return show(store.NoLonger(v, q, moment(t, arg(d, "since", ""))), w.versionLine)
	case "diff", "net":
		from := w.views(t, moment(t, arg(d, "from", "")))
		defer from[1].Close()
		if d.Cmd == "diff" {
			return show(v.Changes(from[0].Basis().Seq), w.changeLine)
		}
		return show(store.NetDifference(from[1], v, q), func(x store.Difference) string {
			if x.Before != nil {
				return "- " + w.factLine(*x.Before)
			}
			return "+ " + w.factLine(*x.After)
		})
	case "neighbours":
		return w.neighbours(t, d, v, q.Valid)
	}
	t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
	return "", nil
}

func vals(d *datadriven.TestData, key string) []string {
	for _, a := range d.CmdArgs {
		if a.Key == key {
			return a.Vals
		}
	}
	return nil
}

// show writes what a read yields, one a line.
func show[T any](seq iter.Seq2[T, error], line func(T) string) (string, error) {
	var b strings.Builder
	for x, err := range seq {
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&b, line(x))
	}
	return b.String(), nil
}

// name gives a version's name: fact and number.
func (w *twin) name(f *dsl.FactVersion) string {
	return label(w.world, f.ID) + "." + strconv.Itoa(int(f.Version))
}

func (w *twin) factLine(f dsl.FactVersion) string {
	line := fmt.Sprintf("%s %s %s %s valid %s recorded %s", w.name(&f), f.SrcName, f.Rel, f.DstName, brief(f.Valid), brief(f.Record))
	if f.Status != dsl.StatusOpen {
		line += " " + string(f.Status)
	}
	return line
}

func (w *twin) versionLine(f store.Version) string {
	line := w.factLine(f.FactVersion)
	if f.Closed != 0 {
		line += fmt.Sprintf(": %s, %q, turn %q", f.CloseOp, plainTimes(f.CloseReason.String()), f.CloseTurn)
	}
	return line
}

func (w *twin) changeLine(c store.Change) string {
	line := fmt.Sprintf("%s %s", c.Seq, c.Kind)
	for _, side := range []struct {
		sign string
		f    *dsl.FactVersion
	}{{"-", c.Before}, {"+", c.After}} {
		if side.f != nil {
			line += fmt.Sprintf(" %s%s %s %s", side.sign, w.name(side.f), side.f.DstName, brief(side.f.Valid))
		}
	}
	return line
}

func (w *twin) neighbours(t *testing.T, d *datadriven.TestData, v store.View, valid *dsl.Instant) (string, error) {
	q := store.NeighbourQuery{Node: dsl.NodeID(space, dsl.Entity, text(arg(d, "node", ""))), Depth: 1, Fanout: 4, Rels: vals(d, "rels"), Valid: valid}
	for key, to := range map[string]*int{"depth": &q.Depth, "fanout": &q.Fanout} {
		if s := arg(d, key, ""); s != "" {
			*to = int(number(s))
		}
	}
	return show(store.Neighbours(v, q), func(n store.Neighbour) string {
		arrow := "→"
		if n.Inverse {
			arrow = "←"
		}
		return fmt.Sprintf("%d %s %s %s  %s %s %s %s", n.Depth, w.groupName(t, v, n.From), arrow, w.groupName(t, v, n.To),
			w.name(&n.Fact), n.Fact.SrcName, n.Fact.Rel, n.Fact.DstName)
	})
}

// groupName names the members of an alias group.
func (w *twin) groupName(t *testing.T, v store.View, id string) string {
	group, err := v.Aliases(id)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, g := range group {
		n, err := v.Node(g)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, n.Name.String())
	}
	slices.Sort(names)
	return strings.Join(names, "/")
}

// picture draws the rectangles, and reads the store on each of their bounds.
func (w *twin) picture(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	return w.both(t, dsl.Forever, func(v store.View) (string, error) {
		var b strings.Builder
		for p, err := range store.Planes(v, query(t, d, v)) {
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%s %s\n", p.Rectangles[0].SrcName, p.Rel)
			if err := p.Picture(&b, func(i int) string {
				r := &p.Rectangles[i]
				mark := ""
				if r.Status == dsl.StatusArchived {
					mark = "*"
				}
				return w.name(&r.FactVersion) + mark + " " + r.DstName.String()
			}); err != nil {
				return "", err
			}
			w.bounds(t, &p)
		}
		return b.String(), nil
	})
}

// bounds holds the picture against the reads: on each bound in both times, and
// one microsecond before and after it, what holds as of then is what lies there.
func (w *twin) bounds(t *testing.T, p *store.Plane) {
	t.Helper()
	var ts, vs []dsl.Instant
	for i, list := range [][]dsl.Instant{p.Record, p.Valid} {
		for _, at := range list {
			if at.Finite() {
				for _, near := range []dsl.Instant{at - 1, at, at + 1} {
					if i == 0 {
						ts = append(ts, near)
					} else {
						vs = append(vs, near)
					}
				}
			}
		}
	}
	vs = append(vs, dsl.MinInstant, dsl.MaxInstant)
	for _, at := range ts {
		for _, v := range w.views(t, at) {
			for i := range vs {
				w.point(t, p, v, at, vs[i])
			}
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// point reads one point of the plane: what is believed there, and in the working
// set unless it is archived.
func (w *twin) point(t *testing.T, p *store.Plane, v store.View, at, valid dsl.Instant) {
	t.Helper()
	var want, all, working []dsl.VersionRef
	for _, r := range p.Rectangles {
		if r.Version.Record.Contains(at) && r.Version.Valid.Contains(valid) {
			want = append(want, r.Ref())
		}
	}
	q := store.FactQuery{Src: []string{p.Src}, Rel: p.Rel, Valid: &valid, All: true}
	for f, err := range v.Facts(q) {
		if err != nil {
			t.Fatal(err)
		}
		if f.Status != dsl.StatusClosed {
			all = append(all, f.Ref())
		}
		if f.Status == dsl.StatusOpen {
			working = append(working, f.Ref())
		}
	}
	if !slices.Equal(want, all) {
		t.Errorf("%T as of (%s, %s): %v lie there, %v hold", v, at, valid, want, all)
	}
	q.All, all = false, nil
	for f, err := range v.Facts(q) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f.Ref())
	}
	if !slices.Equal(working, all) {
		t.Errorf("%T as of (%s, %s): %v are in the working set, %v are read", v, at, valid, working, all)
	}
}
