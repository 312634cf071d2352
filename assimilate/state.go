package assimilate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
)

// state is the view with what the transaction has done so far laid over it. It
// reads only what is asked for.
type state struct {
	view     store.View
	memo     *Memo // nil for none
	registry *extract.Registry
	// fuzzy and own are Policy.Fuzzy and Policy.OwnWord.
	fuzzy, own bool
	space      string
	seq        dsl.Seq
	time       dsl.Instant

	nodes []dsl.Node
	ops   []dsl.Op

	// known says which nodes the view or the transaction has.
	known map[string]dsl.Node
	// groups caches alias groups; merged holds the alias links made here.
	groups map[string][]string
	merged map[string][]string
	// gone are the versions closed or archived here, archived those archived.
	gone, archived map[dsl.VersionRef]bool
	// opened are the versions opened here, in order; byKey and byID index them.
	opened []dsl.FactVersion
	byKey  map[factKey][]int
	byID   map[string][]int
	// by are the operations that opened them; ended are the versions closed here,
	// in order.
	by    []int
	ended []endedVersion
	// next is the next free version number of a fact, events that of an event.
	next, events map[string]uint32
	// read are the versions of facts that the view has, leaving those that are
	// closed or archived here.
	read    map[string][]dsl.FactVersion
	leaving []leaver
	// linked are the evidence links made here, by fact.
	linked map[string][]evidence
	// turns caches when a turn was said; absent turns are dsl.Beginning.
	turns map[string]dsl.Instant
	// speakers caches the node of who said a turn; empty for absent turns.
	speakers map[string]string
}

type factKey struct{ src, rel string }

// endedVersion is a version as it was closed, and the operation that closed it.
type endedVersion struct {
	dsl.FactVersion
	op int
}

// evidence is an evidence link made here.
type evidence struct {
	turn       string
	confidence float64
	retract    bool
}

func newState(view store.View, memo *Memo, space string, seq dsl.Seq, time dsl.Instant, p Policy) (*state, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := dsl.CheckSpace(space); err != nil {
		return nil, err
	}
	b := view.Basis()
	switch {
	case seq <= b.Seq:
		return nil, fmt.Errorf("%w: position %s is not after the view's %s", dsl.ErrConflict, seq, b.Seq)
	case !time.Finite():
		return nil, fmt.Errorf("%w: the record time is not a time in years 1 to 9999", dsl.ErrInvalid)
	case b.Seq > 0 && time <= b.Time:
		return nil, fmt.Errorf("%w: record time %s does not rise above %s, that of %s (I3)", dsl.ErrConflict, time, b.Time, b.Seq)
	}
	return &state{
		view: view, memo: memo, registry: p.Registry, fuzzy: p.Fuzzy, own: p.OwnWord, space: space, seq: seq, time: time,
		known:  map[string]dsl.Node{},
		groups: map[string][]string{}, merged: map[string][]string{},
		gone: map[dsl.VersionRef]bool{}, archived: map[dsl.VersionRef]bool{},
		byKey: map[factKey][]int{}, byID: map[string][]int{},
		read: map[string][]dsl.FactVersion{}, next: map[string]uint32{}, events: map[string]uint32{},
		linked: map[string][]evidence{}, turns: map[string]dsl.Instant{}, speakers: map[string]string{},
	}, nil
}

// node gives a node that the view or the transaction has.
func (s *state) node(id string) (dsl.Node, bool, error) {
	if n, ok := s.known[id]; ok {
		return n, true, nil
	}
	n, err := s.viewNode(id)
	switch {
	case errors.Is(err, dsl.ErrNotFound):
		return dsl.Node{}, false, nil
	case err != nil:
		return dsl.Node{}, false, fmt.Errorf("node %s: %w", id, err)
	}
	s.known[id] = n
	return n, true, nil
}

// ensure writes a node that nobody has yet.
func (s *state) ensure(n dsl.Node) error {
	_, ok, err := s.node(n.ID)
	if err != nil || ok {
		return err
	}
	s.known[n.ID] = n
	s.nodes = append(s.nodes, n)
	return nil
}

// named gives the node that a name denotes, without writing it.
func (s *state) named(kind dsl.NodeKind, name dsl.Text) (dsl.Node, error) {
	plain, err := name.Open()
	if err != nil {
		return dsl.Node{}, err
	}
	return dsl.Node{ID: s.nodeID(kind, plain), Kind: kind, Name: name}, nil
}

// group gives the alias group of a node, in order of id, links made here
// included. A node that nobody has yet is alone. A link closed here still counts
// for the rest of the transaction.
func (s *state) group(id string) ([]string, error) {
	if g, ok := s.groups[id]; ok {
		return g, nil
	}
	if len(s.merged) == 0 {
		g, err := s.viewAliases(id)
		if err != nil {
			return nil, fmt.Errorf("aliases of %s: %w", id, err)
		}
		if g == nil {
			g = []string{id}
		}
		s.groups[id] = g
		return g, nil
	}
	seen, todo := map[string]bool{}, []string{id}
	var out []string
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		if seen[n] {
			continue
		}
		g, err := s.viewAliases(n)
		if err != nil {
			return nil, fmt.Errorf("aliases of %s: %w", n, err)
		}
		for _, m := range slices.Concat(g, []string{n}) {
			if !seen[m] {
				seen[m] = true
				out = append(out, m)
				todo = append(todo, s.merged[m]...)
			}
		}
	}
	slices.Sort(out)
	s.groups[id] = out
	return out, nil
}

// merge lays an alias link over the view.
func (s *state) merge(a, b string) {
	s.merged[a] = append(s.merged[a], b)
	s.merged[b] = append(s.merged[b], a)
	clear(s.groups)
}

// believed gives the versions that are open and not archived now, of the
// subjects, the relation ("" for all) and the values (none for all), in order of
// opening for each subject.
func (s *state) believed(src []string, rel string, dst []string) ([]dsl.FactVersion, error) {
	var out []dsl.FactVersion
	for f, err := range s.view.Facts(store.FactQuery{Src: src, Rel: rel, Dst: dst}) {
		if err != nil {
			return nil, fmt.Errorf("facts of %v %s: %w", src, rel, err)
		}
		if !s.left(&f) {
			out = append(out, s.withLinks(f))
		}
	}
	fresh := s.freshOf(src, rel)
	for _, i := range fresh {
		f := s.opened[i]
		if !s.left(&f) && (len(dst) == 0 || slices.Contains(dst, f.Dst)) {
			out = append(out, f)
		}
	}
	return out, nil
}

// left tells whether a version was closed or archived here.
func (s *state) left(f *dsl.FactVersion) bool { return s.gone[f.Ref()] || s.archived[f.Ref()] }

// freshOf gives the indexes of the versions opened here, in order.
func (s *state) freshOf(src []string, rel string) []int {
	var out []int
	if rel == "" {
		for i := range s.opened {
			if slices.Contains(src, s.opened[i].Src) {
				out = append(out, i)
			}
		}
		return out
	}
	for _, id := range src {
		out = append(out, s.byKey[factKey{id, rel}]...)
	}
	slices.Sort(out)
	return out
}

// versions gives every version of a fact, in order of version, with its status
// now; none if nobody has the fact.
func (s *state) versions(id string) ([]dsl.FactVersion, error) {
	list, err := s.viewFact(id)
	if err != nil {
		return nil, err
	}
	var out []dsl.FactVersion
	if n := len(list) + len(s.byID[id]); n > 0 {
		out = make([]dsl.FactVersion, 0, n)
	}
	for _, v := range list {
		out = append(out, s.withLinks(v))
	}
	for _, i := range s.byID[id] {
		out = append(out, s.opened[i])
	}
	for i := range out {
		switch r := out[i].Ref(); {
		case s.archived[r] && !s.gone[r]:
			out[i].Status = dsl.StatusArchived
		case s.gone[r]:
			out[i].Status = dsl.StatusClosed
		}
	}
	slices.SortFunc(out, func(a, b dsl.FactVersion) int { return cmp.Compare(a.Version, b.Version) })
	return out, nil
}

// withLinks gives a version of the view with the evidence links made here, as
// the store will fold them: every link raises the confidence of the versions
// that are open where it stands.
func (s *state) withLinks(f dsl.FactVersion) dsl.FactVersion {
	for _, l := range s.linked[f.ID] {
		l.fold(&f)
	}
	return f
}

func (l *evidence) fold(f *dsl.FactVersion) {
	at := slices.Index(f.Evidence, l.turn)
	switch {
	case l.retract && at >= 0:
		f.Evidence = slices.Concat(f.Evidence[:at], f.Evidence[at+1:])
	case !l.retract && at < 0:
		f.Evidence = append(slices.Clip(f.Evidence), l.turn)
	}
	switch {
	case !l.retract:
		f.Confidence = dsl.FoldConfidence(f.Confidence, l.confidence)
	case l.confidence > 0:
		f.Confidence = l.confidence
	}
}

// nextVersion takes the next free version number of a fact.
func (s *state) nextVersion(id string) (uint32, error) {
	n, ok := s.next[id]
	if !ok {
		list, err := s.viewFact(id)
		if err != nil {
			return 0, err
		}
		n = 1
		for _, v := range list {
			n = max(n, v.Version+1)
		}
	}
	s.next[id] = n + 1
	return n, nil
}

// open emits UPSERT_EDGE. Without an id the fact is new.
func (s *state) open(f dsl.FactVersion, agent, reason string) error {
	if f.ID == "" {
		f.ID = dsl.FactID(s.space, s.seq, len(s.ops))
	}
	v, err := s.nextVersion(f.ID)
	if err != nil {
		return err
	}
	f.Version = v
	op := edge(dsl.UpsertEdge, f, agent, reason)
	op.Version, op.Src, op.Rel = v, f.Src, f.Rel
	s.ops = append(s.ops, op)
	s.lay(f, false)
	return nil
}

// succeed emits RETRO_CORRECT of old with the successor f, whose id, version,
// subject and relation are those of the fact. As in the store, the successor of
// an archived version is archived.
func (s *state) succeed(old, f dsl.FactVersion, agent, reason string) error {
	v, err := s.nextVersion(old.ID)
	if err != nil {
		return err
	}
	f.ID, f.Version, f.Src, f.SrcName, f.Rel = old.ID, v, old.Src, old.SrcName, old.Rel
	op := edge(dsl.RetroCorrectOp, f, agent, reason)
	op.Version, op.Next = old.Version, v
	s.ended = append(s.ended, endedVersion{old, len(s.ops)})
	s.ops = append(s.ops, op)
	s.gone[old.Ref()] = true
	s.leave(&old)
	s.lay(f, old.Status == dsl.StatusArchived)
	return nil
}

// edge gives what UPSERT_EDGE and RETRO_CORRECT say of the version they open.
func edge(kind dsl.OpKind, f dsl.FactVersion, agent, reason string) dsl.Op {
	return dsl.Op{Kind: kind, ID: f.ID, Dst: f.Dst, Relation: f.Relation, Valid: &f.Valid, Confidence: f.Confidence,
		Source: f.Source, Evidence: f.Evidence, Agent: agent, Reason: dsl.Plain(reason)}
}

// retract emits RETRO_CORRECT without a successor; turns say why.
func (s *state) retract(old dsl.FactVersion, source string, turns []string, agent, reason string) {
	s.ended = append(s.ended, endedVersion{old, len(s.ops)})
	s.ops = append(s.ops, dsl.Op{Kind: dsl.RetroCorrectOp, ID: old.ID, Version: old.Version, Retract: true,
		Source: source, Evidence: turns, Agent: agent, Reason: dsl.Plain(reason)})
	s.gone[old.Ref()] = true
	s.leave(&old)
}

func (s *state) lay(f dsl.FactVersion, archived bool) {
	f.Opened, f.Closed, f.Status, f.Record = s.seq, 0, dsl.StatusOpen, dsl.Since(s.time)
	i := len(s.opened)
	s.opened, s.by = append(s.opened, f), append(s.by, len(s.ops)-1)
	k := factKey{f.Src, f.Rel}
	s.byKey[k] = append(s.byKey[k], i)
	s.byID[f.ID] = append(s.byID[f.ID], i)
	if archived {
		s.archived[f.Ref()] = true
	}
}

// support emits an evidence LINK of a turn and a fact.
func (s *state) support(fact string, l evidence, op dsl.Op) {
	op.Kind, op.Link, op.ID = dsl.Link, dsl.EvidenceLink, dsl.LinkID(s.space, dsl.EvidenceLink, l.turn, fact)
	op.From, op.To, op.Confidence, op.Retract = l.turn, fact, l.confidence, l.retract
	s.ops = append(s.ops, op)
	s.linked[fact] = append(s.linked[fact], l)
	for _, i := range s.byID[fact] {
		if f := &s.opened[i]; !s.gone[f.Ref()] {
			l.fold(f)
		}
	}
}

// saidAt gives when a turn was said; dsl.Beginning if the view does not have it.
func (s *state) saidAt(turn string) (dsl.Instant, error) {
	if t, ok := s.turns[turn]; ok {
		return t, nil
	}
	t, err := s.view.Turn(turn)
	switch {
	case errors.Is(err, dsl.ErrNotFound):
		s.turns[turn], s.speakers[turn] = dsl.Beginning, ""
		return dsl.Beginning, nil
	case err != nil:
		return 0, fmt.Errorf("turn %s: %w", turn, err)
	}
	who, err := s.named(dsl.Entity, t.Speaker)
	if err != nil {
		return 0, fmt.Errorf("speaker of turn %s: %w", turn, err)
	}
	s.turns[turn], s.speakers[turn] = t.TS, who.ID
	return t.TS, nil
}

// anyOf tells whether the view believes anything of the subjects and the
// relation. It reads the first version there is.
func (s *state) anyOf(src []string, rel string) (bool, error) {
	for _, err := range s.view.Facts(store.FactQuery{Src: src, Rel: rel}) {
		if err != nil {
			return false, fmt.Errorf("facts of %v %s: %w", src, rel, err)
		}
		return true, nil
	}
	return false, nil
}
