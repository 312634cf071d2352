package assimilate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// Memo keeps what deciding has read of a space, so that the next transaction of
// the space need not read it again: nodes, alias groups, the versions of facts,
// and when the functional relations of a subject are taken. It changes no
// decision: what it holds is what the view would answer.
//
// A Memo belongs to one space and one writer. Output.Applied tells it that a
// transaction is in the state that the next view shows. Whoever changes the
// state otherwise, or takes a transaction back, makes a new one.
type Memo struct {
	ids    map[nameKey]string
	nodes  map[string]dsl.Node
	groups map[string][]string
	facts  map[string][]dsl.FactVersion
	taken  map[factKey]*timeline
	// size counts what is held: names, nodes, groups, versions; limit bounds it.
	size, limit int
}

// MemoSize is how many names, nodes, groups and versions a Memo holds at most:
// some tens of megabytes. It then begins anew.
const MemoSize = 1 << 16

type nameKey struct {
	kind dsl.NodeKind
	name string
}

// NewMemo makes an empty Memo.
func NewMemo() *Memo {
	return newMemo(MemoSize)
}

func newMemo(limit int) *Memo {
	m := &Memo{limit: limit}
	m.clear()
	return m
}

func (m *Memo) clear() {
	*m = Memo{limit: m.limit, ids: map[nameKey]string{}, nodes: map[string]dsl.Node{}, groups: map[string][]string{},
		facts: map[string][]dsl.FactVersion{}, taken: map[factKey]*timeline{}}
}

// Len gives how much the Memo holds, in the measure of MemoSize.
func (m *Memo) Len() int { return m.size }

// grow counts n more. A Memo that is full begins anew; what a transaction has
// taken from it stays true for that transaction.
func (m *Memo) grow(n int) {
	if m.size += n; m.size > m.limit {
		m.clear()
		m.size = n
	}
}

// nodeID gives the id of the node that a name denotes.
func (s *state) nodeID(kind dsl.NodeKind, name string) string {
	if s.memo == nil {
		return dsl.NodeID(s.space, kind, name)
	}
	k := nameKey{kind, name}
	id, ok := s.memo.ids[k]
	if !ok {
		id = dsl.NodeID(s.space, kind, name)
		s.memo.grow(1)
		s.memo.ids[k] = id
	}
	return id
}

// viewNode is View.Node.
func (s *state) viewNode(id string) (dsl.Node, error) {
	if s.memo == nil {
		return s.view.Node(id)
	}
	if n, ok := s.memo.nodes[id]; ok {
		return n, nil
	}
	n, err := s.view.Node(id)
	if err == nil {
		s.memo.grow(1)
		s.memo.nodes[id] = n
	}
	return n, err
}

// viewAliases is View.Aliases; nil where nobody has the node.
func (s *state) viewAliases(id string) ([]string, error) {
	if s.memo == nil {
		return found(s.view.Aliases(id))
	}
	if g, ok := s.memo.groups[id]; ok {
		return g, nil
	}
	g, err := found(s.view.Aliases(id))
	if err == nil && g != nil {
		s.memo.grow(1)
		s.memo.groups[id] = g
	}
	return g, err
}

// found makes nothing of dsl.ErrNotFound.
func found[T any](list []T, err error) ([]T, error) {
	if errors.Is(err, dsl.ErrNotFound) {
		return nil, nil
	}
	return list, err
}

// viewFact gives what View.Fact does, without reasons; nil where nobody has the
// fact. It is asked once a transaction. The list must not be changed.
func (s *state) viewFact(id string) ([]dsl.FactVersion, error) {
	if list, ok := s.read[id]; ok {
		return list, nil
	}
	if s.memo != nil {
		if list, ok := s.memo.facts[id]; ok {
			s.read[id] = list
			return list, nil
		}
	}
	all, err := found(s.view.Fact(id))
	if err != nil {
		return nil, fmt.Errorf("fact %s: %w", id, err)
	}
	var list []dsl.FactVersion
	for i := range all {
		list = append(list, all[i].FactVersion)
	}
	s.read[id] = list
	return list, nil
}

// Applied notes that the transaction with this output is in the state: the next
// view of the Memo's space shows it. The Memo is the one that the output was made
// with, if any.
func (o *Output) Applied() {
	if o.state != nil && o.state.memo != nil {
		o.state.learn()
	}
}

// learn takes what the transaction did into the memo.
func (s *state) learn() {
	m := s.memo
	for _, n := range s.nodes {
		m.grow(1)
		m.nodes[n.ID] = n
	}
	for i := range s.ops {
		o := &s.ops[i]
		switch {
		case o.Kind == dsl.Link && o.Link == dsl.AliasOf:
			clear(m.groups)
		case o.Kind == dsl.Link && o.Link == dsl.EvidenceLink: // the store folds confidence and evidence
			delete(s.read, o.To)
			delete(m.facts, o.To)
		case o.Kind == dsl.ArchiveEdge:
			delete(s.read, o.ID)
			delete(m.facts, o.ID)
		}
	}
	for _, l := range s.leaving {
		if t := m.taken[l.key]; t != nil {
			t.remove(l.version)
		}
		if _, ok := s.read[l.version.ID]; !ok {
			delete(m.facts, l.version.ID)
		}
	}
	for i := range s.opened {
		f := &s.opened[i]
		if t := m.taken[factKey{f.Src, f.Rel}]; t != nil && !s.left(f) && !t.insert(stretch{f.Valid, f.Ref()}) {
			delete(m.taken, factKey{f.Src, f.Rel}) // I7 is broken: the slow way says where
		}
	}
	for id, list := range s.read {
		if next := s.after(id, list); len(next) > 0 {
			m.grow(len(next))
			m.facts[id] = next
		}
	}
}

// leaver is a version that the transaction closes or archives.
type leaver struct {
	key     factKey
	version dsl.VersionRef
}

// leave notes that a version of the view, or of the transaction, is believed no more.
func (s *state) leave(f *dsl.FactVersion) {
	s.leaving = append(s.leaving, leaver{factKey{f.Src, f.Rel}, f.Ref()})
}

// after gives the versions of a fact after the transaction, as the view will.
func (s *state) after(id string, list []dsl.FactVersion) []dsl.FactVersion {
	touched := len(s.byID[id]) > 0
	for i := range list {
		touched = touched || s.gone[list[i].Ref()]
	}
	if !touched {
		return list
	}
	next := slices.Clone(list)
	for _, i := range s.byID[id] {
		f := s.opened[i]
		if s.archived[f.Ref()] {
			f.Status = dsl.StatusArchived
		}
		next = append(next, f)
	}
	for i := range next {
		if f := &next[i]; s.gone[f.Ref()] {
			f.Status, f.Closed, f.Record.End = dsl.StatusClosed, s.seq, s.time
		}
	}
	slices.SortFunc(next, func(a, b dsl.FactVersion) int { return cmp.Compare(a.Version, b.Version) })
	return next
}

// timeline is when a functional relation of one subject is taken: the valid
// intervals of the versions that are open and not archived, but for those that
// hold no instant, in order. No two overlap (I7).
type timeline []stretch

type stretch struct {
	dsl.Interval
	version dsl.VersionRef
}

// insert puts a span in its place; ok is false where it overlaps another.
func (t *timeline) insert(n stretch) (ok bool) {
	if n.Empty() {
		return true
	}
	i := t.search(n.Start)
	if i < len(*t) && (*t)[i].Overlaps(n.Interval) {
		return false
	}
	*t = slices.Insert(*t, i, n)
	return true
}

// search gives the index of the first span that ends after an instant.
func (t *timeline) search(at dsl.Instant) int {
	i, _ := slices.BinarySearchFunc(*t, at, func(s stretch, at dsl.Instant) int {
		if s.End > at {
			return 1
		}
		return -1
	})
	return i
}

// remove takes a version's span out.
func (t *timeline) remove(r dsl.VersionRef) {
	*t = slices.DeleteFunc(*t, func(s stretch) bool { return s.version == r })
}

// timelineOf gives when a functional relation of a subject was taken before the
// transaction; nil where it cannot be told.
func (s *state) timelineOf(src, rel string) (*timeline, error) {
	k := factKey{src, rel}
	if t := s.memo.taken[k]; t != nil {
		return t, nil
	}
	t := new(timeline)
	for f, err := range s.view.Facts(store.FactQuery{Src: []string{src}, Rel: rel}) {
		if err != nil {
			return nil, fmt.Errorf("facts of %s %s: %w", src, rel, err)
		}
		if !t.insert(stretch{f.Valid, f.Ref()}) {
			return nil, nil
		}
	}
	s.memo.grow(len(*t) + 1)
	s.memo.taken[k] = t
	return t, nil
}

// free tells that the memo knows a valid interval of a functional relation to be
// untaken, but for a version that is about to be closed. Where it is false nothing is
// known.
func (s *state) free(srcs []string, rel string, valid dsl.Interval, but dsl.VersionRef) (bool, error) {
	if s.memo == nil {
		return false, nil
	}
	if valid.Empty() {
		return true, nil
	}
	for _, src := range srcs {
		t, err := s.timelineOf(src, rel)
		if err != nil || t == nil {
			return false, err
		}
		for i := t.search(valid.Start); i < len(*t) && (*t)[i].Overlaps(valid); i++ {
			if r := (*t)[i].version; r != but && !s.gone[r] && !s.archived[r] {
				return false, nil
			}
		}
		for _, i := range s.byKey[factKey{src, rel}] {
			if f := &s.opened[i]; f.Ref() != but && !s.left(f) && f.Valid.Overlaps(valid) {
				return false, nil
			}
		}
	}
	return true, nil
}
