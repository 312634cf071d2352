package assimilate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// OpsInput is a transaction that is written directly.
type OpsInput struct {
	Space string
	// Seq is the position that the transaction will have, Time its record time.
	Seq  dsl.Seq
	Time dsl.Instant
	// Ops are compiled in order; later ones see the earlier ones.
	Ops []OpRequest
	// Strict refuses predicates that the registry lacks.
	Strict bool
	// Memo may keep what was read, for the next transaction; nil for none.
	Memo *Memo
}

// Compile checks operations against the view, the memory as recorded just
// before the transaction, and completes them: names become nodes, versions get
// their numbers, what a correction does not say is kept. It also gives the
// predicates that the registry lacks, in order of first use; they are taken as
// many-valued.
//
// An operation that is wrong in itself, speaks of what is not there, or would
// break I1, I2 or I7 is refused by an *OpError, and nothing is compiled then.
// An error of the transaction as a whole wraps dsl.ErrInvalid or dsl.ErrConflict.
func Compile(view store.View, in OpsInput, p Policy) (Output, []string, error) {
	s, err := newState(view, in.Memo, in.Space, in.Seq, in.Time, p)
	if err != nil {
		return Output{}, nil, fmt.Errorf("assimilate: compile: %w", err)
	}
	c := &compiler{state: s, strict: in.Strict}
	for i := range in.Ops {
		if err := c.compile(&in.Ops[i]); err != nil {
			e := &OpError{Index: i, Op: in.Ops[i].Op, Err: err}
			if b := (*breach)(nil); errors.As(err, &b) {
				e.Invariant = b.invariant
			}
			return Output{}, nil, fmt.Errorf("assimilate: compile: %w", e)
		}
	}
	return Output{Nodes: s.nodes, Operations: s.ops, state: s}, c.unknown, nil
}

type compiler struct {
	*state
	strict  bool
	unknown []string
}

func (c *compiler) compile(r *OpRequest) error {
	if err := r.check(); err != nil {
		return err
	}
	switch r.Op {
	case dsl.UpsertEdge:
		return c.edge(r)
	case dsl.RetroCorrectOp:
		return c.retro(r)
	case dsl.ArchiveEdge:
		return c.archive(r)
	case dsl.UpsertEvent:
		return c.event(r)
	}
	return c.link(r)
}

// resolve gives the node of a name, and writes it if it is new.
func (c *compiler) resolve(what, name string, kind dsl.NodeKind) (dsl.Node, error) {
	id, direct := strings.CutPrefix(name, "id:")
	if !direct {
		n, err := c.named(kind, dsl.Plain(name))
		if err != nil {
			return n, err
		}
		if err := c.ensure(n); err != nil {
			return n, err
		}
		return c.known[n.ID], nil
	}
	n, ok, err := c.node(id)
	switch {
	case err != nil:
		return n, err
	case !ok:
		return n, missing("%s: node %q is not known; give a name, or the id of a node that is there", what, id)
	case n.Kind != kind:
		return n, invalid("%s: node %q is of kind %s, and %s is needed", what, id, n.Kind, kind)
	}
	return n, nil
}

// edge compiles UPSERT_EDGE.
func (c *compiler) edge(r *OpRequest) error {
	for _, f := range []struct {
		name string
		set  bool
	}{{"src", r.Src != ""}, {"rel", r.Rel != ""}, {"dst", r.Dst != ""}, {"valid", r.Valid != nil}} {
		if !f.set {
			return invalid("%s is missing", f.name)
		}
	}
	rel := c.registry.Canonical(r.Rel)
	if _, ok := c.registry.Lookup(r.Rel); !ok {
		if c.strict {
			return invalid("predicate %q is not in the registry; add it to the configuration's predicates, or leave --strict out", r.Rel)
		}
		if !slices.Contains(c.unknown, rel) {
			c.unknown = append(c.unknown, rel)
		}
	}
	src, err := c.resolve("src", r.Src, dsl.Entity)
	if err != nil {
		return err
	}
	dst, err := c.resolve("dst", r.Dst, c.registry.DstKind(rel))
	if err != nil {
		return err
	}
	f := dsl.FactVersion{ID: r.ID, Src: src.ID, SrcName: src.Name, Rel: rel, Dst: dst.ID, DstName: dst.Name, DstKind: dst.Kind,
		Relation: dsl.Plain(r.Relation), Valid: *r.Valid, Source: r.Source, Evidence: distinct(r.Evidence), Confidence: 1}
	if r.Confidence != nil {
		f.Confidence = *r.Confidence
	}
	if f.ID != "" {
		if err := c.further(&f); err != nil {
			return err
		}
	}
	if err := c.exclusive(f, dsl.VersionRef{}); err != nil {
		return err
	}
	return c.open(f, r.Agent, r.Reason)
}

// further checks a version of a fact that may be there already.
func (c *compiler) further(f *dsl.FactVersion) error {
	list, err := c.versions(f.ID)
	if err != nil || len(list) == 0 {
		return err
	}
	srcs, err := c.group(f.Src)
	if err != nil {
		return err
	}
	first := list[0]
	if !slices.Contains(srcs, first.Src) || first.Rel != f.Rel {
		return conflict("I2", "fact %q is about %s %s, not %s %s; give another id", f.ID, first.SrcName, first.Rel, f.SrcName, f.Rel)
	}
	f.Src, f.SrcName = first.Src, first.SrcName
	return apart(list, *f, dsl.VersionRef{})
}

// apart checks that a version of a fact overlaps no other that is open (I2).
func apart(list []dsl.FactVersion, f dsl.FactVersion, but dsl.VersionRef) error {
	for _, v := range list {
		if v.Status == dsl.StatusClosed || v.Ref() == but || !v.Valid.Overlaps(f.Valid) {
			continue
		}
		return conflict("I2", "version %d of fact %q holds %s in %s, which overlaps %s; RETRO_CORRECT that version instead",
			v.Version, v.ID, v.DstName, v.Valid, f.Valid)
	}
	return nil
}

// exclusive checks that a version of a functional relation overlaps no other
// that is believed of the subject (I7); but is about to be closed.
func (c *compiler) exclusive(f dsl.FactVersion, but dsl.VersionRef) error {
	if !c.registry.Functional(f.Rel) {
		return nil
	}
	srcs, err := c.group(f.Src)
	if err != nil {
		return err
	}
	if free, err := c.free(srcs, f.Rel, f.Valid, but); err != nil || free {
		return err
	}
	list, err := c.believed(srcs, f.Rel, nil)
	if err != nil {
		return err
	}
	for _, v := range list {
		if v.Ref() != but && v.Valid.Overlaps(f.Valid) {
			return conflict("I7", "%s holds one value at a time, and fact %q version %d says %s %s in %s, which overlaps %s; RETRO_CORRECT or ARCHIVE_EDGE that one first",
				f.Rel, v.ID, v.Version, v.SrcName, v.DstName, v.Valid, f.Valid)
		}
	}
	return nil
}

// retro compiles RETRO_CORRECT.
func (c *compiler) retro(r *OpRequest) error {
	if r.Portion != nil {
		return c.portion(r)
	}
	list, err := c.fact(r.ID)
	if err != nil {
		return err
	}
	old, err := subject(list, r)
	if err != nil {
		return err
	}
	if err := c.about(r, old); err != nil {
		return err
	}
	if err := r.changes(); err != nil {
		return err
	}
	if r.Retract {
		c.retract(old, r.Source, distinct(r.Evidence), r.Agent, r.Reason)
		return nil
	}
	f, err := c.corrected(old, r)
	if err != nil {
		return err
	}
	if err := apart(list, f, old.Ref()); err != nil {
		return err
	}
	if old.Status != dsl.StatusArchived {
		if err := c.exclusive(f, old.Ref()); err != nil {
			return err
		}
	}
	return c.succeed(old, f, r.Agent, r.Reason)
}

// changes checks that a correction says what it changes, or that it retracts.
func (r *OpRequest) changes() error {
	some := r.Dst != "" || r.Valid != nil || r.Confidence != nil || r.Relation != ""
	switch {
	case r.Retract && some:
		return invalid("retract leaves no successor; leave dst, relation, valid and confidence out")
	case !r.Retract && !some:
		return invalid("it changes nothing; give valid, dst, relation, confidence or retract")
	}
	return nil
}

// corrected gives a version as the correction wants it: what it does not say is
// kept.
func (c *compiler) corrected(old dsl.FactVersion, r *OpRequest) (dsl.FactVersion, error) {
	f := old
	if r.Dst != "" {
		n, err := c.resolve("dst", r.Dst, old.DstKind)
		if err != nil {
			return f, err
		}
		f.Dst, f.DstName = n.ID, n.Name
	}
	if r.Valid != nil {
		f.Valid = *r.Valid
	}
	if r.Confidence != nil {
		f.Confidence = *r.Confidence
	}
	if r.Relation != "" {
		f.Relation = dsl.Plain(r.Relation)
	}
	if r.Source != "" {
		f.Source = r.Source
	}
	f.Evidence = distinct(slices.Concat(old.Evidence, r.Evidence))
	return f, nil
}

// fact gives the versions of a fact that must be there.
func (c *compiler) fact(id string) ([]dsl.FactVersion, error) {
	if id == "" {
		return nil, invalid("id is missing; name the fact")
	}
	list, err := c.versions(id)
	if err == nil && len(list) == 0 {
		err = missing("fact %q is not known; asof facts --all lists the ids", id)
	}
	return list, err
}

// subject gives the version that a correction is about: the one named, else the
// only open one.
func subject(list []dsl.FactVersion, r *OpRequest) (old dsl.FactVersion, err error) {
	var open []dsl.FactVersion
	var names []string
	for _, v := range list {
		if v.Version == r.Version && v.Status == dsl.StatusClosed {
			return old, conflict("", "version %d of fact %q is closed already; correct a version that is open", v.Version, r.ID)
		}
		if v.Status != dsl.StatusClosed {
			open = append(open, v)
			names = append(names, fmt.Sprintf("%d (%s)", v.Version, v.Valid))
		}
	}
	switch {
	case r.Version != 0:
		for _, v := range open {
			if v.Version == r.Version {
				return v, nil
			}
		}
		return old, missing("fact %q has no version %d; its open versions are: %s", r.ID, r.Version, strings.Join(names, ", "))
	case len(open) == 0:
		return old, conflict("", "fact %q has no open version; UPSERT_EDGE with this id opens one", r.ID)
	case len(open) > 1:
		return old, conflict("", "fact %q has %d open versions; name one: %s", r.ID, len(open), strings.Join(names, ", "))
	}
	return open[0], nil
}

// about checks that src and rel, where a correction names them, are the fact's.
func (c *compiler) about(r *OpRequest, f dsl.FactVersion) error {
	if r.Rel != "" && c.registry.Canonical(r.Rel) != f.Rel {
		return conflict("I2", "fact %q is about %s, not %s; retract it and write another", f.ID, f.Rel, r.Rel)
	}
	if r.Src == "" {
		return nil
	}
	id, direct := strings.CutPrefix(r.Src, "id:")
	if !direct {
		id = c.nodeID(dsl.Entity, r.Src)
	}
	srcs, err := c.group(id)
	if err != nil {
		return err
	}
	if !slices.Contains(srcs, f.Src) {
		return conflict("I2", "fact %q is about %s, not %s; retract it and write another", f.ID, f.SrcName, r.Src)
	}
	return nil
}

// archive compiles ARCHIVE_EDGE.
func (c *compiler) archive(r *OpRequest) error {
	list, err := c.fact(r.ID)
	if err != nil {
		return err
	}
	some := false
	for _, v := range list {
		if v.Status == dsl.StatusOpen {
			c.archived[v.Ref()] = true
			c.leave(&v)
			some = true
		}
	}
	if !some {
		return conflict("", "fact %q has no version in the working set; it is closed or archived already", r.ID)
	}
	c.ops = append(c.ops, dsl.Op{Kind: dsl.ArchiveEdge, ID: r.ID, Source: r.Source, Evidence: distinct(r.Evidence),
		Agent: r.Agent, Reason: dsl.Plain(r.Reason)})
	return nil
}

// event compiles UPSERT_EVENT.
func (c *compiler) event(r *OpRequest) error {
	if r.Span == nil {
		return invalid("time_span is missing")
	}
	id := r.ID
	if id == "" {
		id = dsl.EventID(c.space, c.seq, len(c.ops))
	}
	last, ok := c.events[id]
	if !ok {
		list, err := c.view.Event(id)
		if err != nil && !errors.Is(err, dsl.ErrNotFound) {
			return fmt.Errorf("event %s: %w", id, err)
		}
		for _, e := range list {
			last = max(last, e.Version)
		}
	}
	var who []dsl.Participant
	for _, p := range r.Participants {
		n, err := c.resolve("participant", p.Entity, dsl.Entity)
		if err != nil {
			return err
		}
		who = append(who, dsl.Participant{Entity: n.ID, Role: dsl.Plain(p.Role)})
	}
	c.events[id] = last + 1
	span := *r.Span
	c.ops = append(c.ops, dsl.Op{Kind: dsl.UpsertEvent, ID: id, Version: last + 1, Summary: dsl.Plain(r.Summary), Span: &span,
		Participants: who, Includes: distinct(r.Includes), Evidence: distinct(r.Evidence), Status: r.Status, Source: r.Source,
		Agent: r.Agent, Reason: dsl.Plain(r.Reason)})
	return nil
}

// distinct gives the strings in order of first appearance, each once, nil for
// none; the caller owns it.
func distinct(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
