package store

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"

	"github.com/asof-db/asof/dsl"
)

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}

// accumulator is the sum modulo 2^256 of the SHA-256 of every logical row: a
// set hash that grows by addition and does not depend on the order of rows.
type accumulator [32]byte

// add adds the hash of one row: its class, the rest of its key and its value.
func (a *accumulator) add(key, value []byte) {
	var room [512]byte
	b := appendVar(room[:0], uint64(len(key)))
	h := dsl.Sum(append(append(b, key...), value...))
	a.addHash(h)
}

func (a *accumulator) addHash(h dsl.Hash) {
	carry := uint16(0)
	for i := len(a) - 1; i >= 0; i-- {
		sum := uint16(a[i]) + uint16(h[i]) + carry
		a[i], carry = byte(sum), sum>>8
	}
}

// digest gives the digest of a state: the SHA-256 of a domain name, the
// position and the set hash of the rows.
func (a *accumulator) digest(seq dsl.Seq) dsl.Hash {
	return dsl.Sum(append(appendU64([]byte("asof digest 1\n"), uint64(seq)), a[:]...))
}

// sub is addHash's inverse, for tools that look for a differing row.
func (a *accumulator) sub(b accumulator) (d accumulator) {
	x, y := new(big.Int).SetBytes(a[:]), new(big.Int).SetBytes(b[:])
	x.Sub(x, y).Mod(x, new(big.Int).Lsh(big.NewInt(1), 256)).FillBytes(d[:])
	return d
}

// positionRow is the row of one transaction: Position with the counters that
// make its view a prefix.
type positionRow struct {
	Position
	acc accumulator
	// docs and terms count documents and terms of each field, in the order of
	// fieldOrder; names counts sessions and speakers.
	docs, terms        [3]uint64
	sessions, speakers uint64
	// context is the sum of the lengths of the contexts of all turns.
	context uint64
	// dropped is the position at which the space was last dropped, 0 for never.
	dropped dsl.Seq
	// memory is the position of the last working memory, 0 for none.
	memory dsl.Seq
	// factsBefore is the last position before this one that opened fact versions,
	// 0 for none.
	factsBefore dsl.Seq
	// changed counts the changes that it made; changes are those, empty where they
	// lie in a row of their own (see changeList).
	changed uint64
	changes []byte
	// openedFacts counts the fact versions that it opened. It follows from the
	// changes, and is known of heads only.
	openedFacts uint64
}

var fieldOrder = [3]Field{TurnField, FactField, EventField}

func fieldIndex(f Field) int { return slices.Index(fieldOrder[:], f) }

var txKinds = []dsl.TxKind{dsl.TxTurn, dsl.TxCandidates, dsl.TxOps, dsl.TxDrop, dsl.TxBackfill}

func (p *positionRow) encode() []byte { return p.append(make([]byte, 0, 256)) }

func (p *positionRow) append(b []byte) []byte {
	b = appendTime(b, p.Time)
	b = append(append(append(b, p.Entry[:]...), p.acc[:]...), p.Settings[:]...)
	b = append(b, byte(slices.Index(txKinds, p.Kind)))
	b = appendStr(b, p.Turn)
	for _, n := range []uint64{p.Turns, p.Facts, p.Events, p.Open, p.docs[0], p.docs[1], p.docs[2],
		p.terms[0], p.terms[1], p.terms[2], p.sessions, p.speakers, p.context, uint64(p.dropped), uint64(p.memory), uint64(p.factsBefore), p.changed} {
		b = appendVar(b, n)
	}
	return append(b, p.changes...)
}

func decodePosition(seq dsl.Seq, value []byte) (p positionRow, err error) {
	r := reader{b: value}
	p.Seq, p.Time = seq, r.time()
	p.Entry = r.hash()
	p.acc = accumulator(r.hash())
	p.Settings = r.hash()
	kind := int(r.byte())
	if kind >= len(txKinds) {
		r.fail()
	} else {
		p.Kind = txKinds[kind]
	}
	p.Turn = r.str()
	var dropped, memory, factsBefore uint64
	for _, n := range []*uint64{&p.Turns, &p.Facts, &p.Events, &p.Open, &p.docs[0], &p.docs[1], &p.docs[2],
		&p.terms[0], &p.terms[1], &p.terms[2], &p.sessions, &p.speakers, &p.context, &dropped, &memory, &factsBefore, &p.changed} {
		*n = r.uvar()
	}
	p.dropped, p.memory, p.factsBefore = dsl.Seq(dropped), dsl.Seq(memory), dsl.Seq(factsBefore)
	if len(r.b) > 0 {
		p.changes = slices.Clone(r.b)
	}
	if p.changed == 0 && len(r.b) > 0 {
		r.fail()
	}
	r.b = nil
	p.Digest = p.acc.digest(seq)
	return p, r.done("position")
}

// versionRow is what opened a fact version.
type versionRow struct {
	entry
	src, rel string
	opKind   dsl.OpKind
	reason   dsl.Text
	turn     string
	rule     string
}

var opKinds = []dsl.OpKind{dsl.UpsertEdge, dsl.RetroCorrectOp, dsl.ArchiveEdge, dsl.UpsertEvent, dsl.Link}

func appendOpKind(b []byte, k dsl.OpKind) []byte { return append(b, byte(slices.Index(opKinds, k))) }

func (r *reader) opKind() dsl.OpKind {
	if i := int(r.byte()); i < len(opKinds) {
		return opKinds[i]
	}
	r.fail()
	return ""
}

func (v *versionRow) encode() []byte { return v.append(nil) }

func (v *versionRow) append(b []byte) []byte {
	b = appendEntry(b, &v.entry, 0)
	b = appendStr(appendID(b, v.src), v.rel)
	return appendStr(appendStr(appendText(appendOpKind(b, v.opKind), v.reason), v.turn), v.rule)
}

func decodeVersion(value []byte) (v versionRow, err error) {
	r := reader{b: value}
	v.entry = r.entry(0)
	v.src, v.rel = r.id(), r.str()
	v.opKind, v.reason, v.turn, v.rule = r.opKind(), r.text(), r.str(), r.str()
	return v, r.done("version")
}

// closingRow is what closed a fact version.
type closingRow struct {
	seq    dsl.Seq
	at     dsl.Instant
	op     int
	opKind dsl.OpKind
	reason dsl.Text
	turn   string
	rule   string
}

func (c *closingRow) encode() []byte {
	b := appendVar(appendTime(appendVar(nil, uint64(c.seq)), c.at), uint64(c.op))
	return appendStr(appendStr(appendText(appendOpKind(b, c.opKind), c.reason), c.turn), c.rule)
}

func decodeClosing(value []byte) (c closingRow, err error) {
	r := reader{b: value}
	c.seq, c.at, c.op = dsl.Seq(r.uvar()), r.time(), int(r.uvar())
	c.opKind, c.reason, c.turn, c.rule = r.opKind(), r.text(), r.str(), r.str()
	return c, r.done("closing")
}

// linkRow is one LINK operation.
type linkRow struct {
	id         string
	kind       dsl.LinkKind
	from, to   string
	retract    bool
	confidence float64
	reason     dsl.Text
}

var linkKinds = []dsl.LinkKind{dsl.AliasOf, dsl.MentionLink, dsl.EvidenceLink, dsl.EventLink}

func (l *linkRow) encode() []byte {
	b := append(appendStr(nil, l.id), byte(slices.Index(linkKinds, l.kind)))
	b = appendStr(appendStr(b, l.from), l.to)
	retract := byte(0)
	if l.retract {
		retract = 1
	}
	return appendText(appendFloat(append(b, retract), l.confidence), l.reason)
}

// nodeRow is a node and where it was first written.
type nodeRow struct {
	dsl.Node
	seq dsl.Seq
}

func (n *nodeRow) encode() []byte {
	b := appendStr(appendVar(nil, uint64(n.seq)), n.ID)
	return appendText(append(b, byte(slices.Index(dsl.NodeKinds, n.Kind))), n.Name)
}

func decodeNode(value []byte) (n nodeRow, err error) {
	r := reader{b: value}
	n.seq, n.ID = dsl.Seq(r.uvar()), r.str()
	if i := int(r.byte()); i < len(dsl.NodeKinds) {
		n.Kind = dsl.NodeKinds[i]
	} else {
		r.fail()
	}
	n.Name = r.text()
	return n, r.done("node")
}

// eventRow is one version of an event as it was written.
type eventRow struct {
	dsl.Event
	reason dsl.Text
	turn   string
}

func (e *eventRow) encode() []byte {
	b := appendVar(appendStr(nil, e.ID), uint64(e.Version))
	b = appendText(b, e.Summary)
	b = appendInterval(b, e.Span)
	b = appendVar(b, uint64(len(e.Participants)))
	for _, p := range e.Participants {
		b = appendText(appendID(b, p.Entity), p.Role)
	}
	b = appendStrs(appendStrs(b, e.Includes), e.Evidence)
	b = appendStr(b, e.Status)
	b = appendTime(appendVar(b, uint64(e.Opened)), e.Record.Start)
	return appendStr(appendText(b, e.reason), e.turn)
}

func decodeEvent(value []byte) (e eventRow, err error) {
	r := reader{b: value}
	e.ID, e.Version = r.str(), uint32(r.uvar())
	e.Summary = r.text()
	e.Span = r.interval()
	n := r.count(2)
	for range n {
		e.Participants = append(e.Participants, dsl.Participant{Entity: r.id(), Role: r.text()})
	}
	e.Includes, e.Evidence = r.strs(), r.strs()
	e.Status = r.str()
	e.Opened = dsl.Seq(r.uvar())
	e.Record = dsl.Interval{Start: r.time(), End: dsl.Forever}
	e.reason, e.turn = r.text(), r.str()
	return e, r.done("event")
}

func encodeTurn(t *Turn) ([]byte, error) {
	text, err := dsl.Canonical(&t.Turn)
	if err != nil {
		return nil, fmt.Errorf("store: turn %q: %w", t.ID, err)
	}
	b := appendTime(appendVar(nil, uint64(t.Seq)), t.Record)
	return append(b, text...), nil
}

// decodeTurnID gives the id of a turn. It comes first in most rows, and then the rest
// is not read.
func decodeTurnID(doc int, value []byte) (string, error) {
	r := reader{b: value}
	r.uvar()
	r.time()
	if rest, ok := bytes.CutPrefix(r.b, []byte(`{"id":"`)); ok && !r.bad {
		if end := bytes.IndexAny(rest, `"\`); end >= 0 && rest[end] == '"' {
			return string(rest[:end]), nil
		}
	}
	t, err := decodeTurn(doc, value)
	return t.ID, err
}

func decodeTurn(doc int, value []byte) (t Turn, err error) {
	r := reader{b: value}
	t.Doc, t.Seq, t.Record = doc, dsl.Seq(r.uvar()), r.time()
	if r.bad {
		return t, r.done("turn")
	}
	if err := dsl.Decode(r.b, &t.Turn); err != nil {
		return t, fmt.Errorf("turn row: %w", err)
	}
	t.Hash = dsl.Sum(r.b)
	return t, nil
}
