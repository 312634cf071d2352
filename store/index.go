package store

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
)

// turnText gives the text that a turn is indexed by: what was said, then what
// came with it.
func turnText(t *dsl.Turn) (string, error) {
	text, err := t.Text.Open()
	if err != nil || len(t.Attachments) == 0 {
		return text, err
	}
	parts := []string{text}
	for _, a := range t.Attachments {
		s, err := a.Text.Open()
		if err != nil {
			return "", err
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "\n"), nil
}

// indexTurn adds a turn to the text index. Its document number is its number
// among the turns.
func (a *apply) indexTurn(t *dsl.Turn) error {
	text, err := turnText(t)
	if err != nil {
		return err
	}
	speaker, err := t.Speaker.Open()
	if err != nil {
		return err
	}
	d := tailRow{docRow: docRow{Doc: Doc{Seq: a.tx.Seq, TS: t.TS}}}
	if d.Session, err = a.number(nameSession, t.Session, &a.pos.sessions); err != nil {
		return err
	}
	if d.Speaker, err = a.number(nameSpeaker, speaker, &a.pos.speakers); err != nil {
		return err
	}
	last, err := a.st.members(&a.keys, a.tx, d.Session, uint32(a.pos.docs[fieldIndex(TurnField)]))
	if err != nil {
		return err
	}
	for i, p := range last.doc {
		d.before[i] = p
		d.Context += last.length[i]
	}
	doc := a.pos.docs[fieldIndex(TurnField)]
	if err := a.index(TurnField, text, &d); err != nil {
		return err
	}
	*last = members{
		doc:    [ContextTurns]int32{int32(doc), last.doc[0]},
		length: [ContextTurns]uint32{d.Length, last.length[0]},
	}
	return a.set(appendU32(a.keys.members(d.Session), uint32(doc)), appendVar(nil, uint64(d.Length)))
}

func (a *apply) indexFact(src, rel string, e *entry) error {
	srcName, err := a.name(src)
	if err != nil {
		return err
	}
	dstName, err := a.name(e.dst)
	if err != nil {
		return err
	}
	relation, err := e.relation.Open()
	if err != nil {
		return err
	}
	return a.index(FactField, FactText(srcName, rel, relation, dstName),
		&tailRow{docRow: docRow{Doc: Doc{Seq: a.tx.Seq, TS: dsl.Beginning}, id: e.id, version: e.version}, before: noMembers})
}

func (a *apply) indexEvent(o *dsl.Op) error {
	text, err := o.Summary.Open()
	if err != nil {
		return err
	}
	return a.index(EventField, text, &tailRow{docRow: docRow{Doc: Doc{Seq: a.tx.Seq}, id: o.ID, version: o.Version}})
}

// number gives the number of a session or speaker, and makes one at its first
// appearance.
func (a *apply) number(kind byte, name string, next *uint64) (uint32, error) {
	key := a.keys.nameID(kind, name)
	v, ok, err := a.st.rows.get(key)
	if err != nil {
		return 0, err
	}
	if ok {
		n, w := binary.Uvarint(v)
		if w <= 0 {
			return 0, fmt.Errorf("%w: number of %q", dsl.ErrCorrupt, name)
		}
		return uint32(n), nil
	}
	n := uint32(*next)
	*next++
	if err := a.set(key, appendVar(nil, uint64(n))); err != nil {
		return 0, err
	}
	return n, a.set(a.keys.name(kind, n), []byte(name))
}

// index writes a document with its terms, and seals the segment that it
// completes.
func (a *apply) index(f Field, text string, d *tailRow) error {
	fi := fieldIndex(f)
	doc := int(a.pos.docs[fi])
	s := a.st.s
	s.terms = s.analyzer.Terms(s.terms[:0], text)
	d.Length = uint32(len(s.terms))
	slices.Sort(s.terms)
	if f == FactField {
		a.noteFact(doc, d, s.terms)
	} else if err := a.set(a.keys.doc(f, doc), d.appendTail(f, doc, d.before, s.terms)); err != nil {
		return err
	}
	a.pos.docs[fi]++
	a.pos.terms[fi] += uint64(d.Length)
	a.pos.context += uint64(d.Context)
	if (doc+1)%ChunkDocs != 0 {
		return nil
	}
	return a.seal(f, doc+1)
}

// noteFact adds a fact to the tail that the writer keeps until the segment is
// sealed. A tail of which the writer does not know the beginning is made again
// then.
func (a *apply) noteFact(doc int, d *tailRow, terms []string) {
	tails := &a.st.s.tails
	t, ok := tails.get(a.tx.Space)
	if doc%ChunkDocs == 0 {
		t, ok = newTail(doc), true
		tails.put(a.tx.Space, t)
	}
	if !ok || t.start+len(t.rows) != doc {
		return
	}
	d.terms = t.counted(terms)
	t.append(d)
}

// members gives the last turns of a session that stand, staged ones included.
func (st *Stage) members(k *keySpace, tx *dsl.Tx, session, before uint32) (*members, error) {
	id := memberID{tx.Space, session}
	if m := st.lasts[id]; m != nil {
		return m, nil
	}
	m, err := st.rows.lastMembers(k, session, before, tx.Seq)
	if err != nil {
		return nil, err
	}
	st.lasts[id] = &m
	return &m, nil
}

type memberID struct {
	space   string
	session uint32
}

// Postings implements View.
func (v *snapshot) Postings(f Field, term string, fn func(doc int, tf uint32) bool) error {
	if fieldIndex(f) < 0 {
		return nil
	}
	x, err := v.index(f)
	if err != nil {
		return err
	}
	defer x.Close()
	l, err := x.Term(term)
	if err != nil {
		return err
	}
	return EachPosting(l, func(p Posting) bool { return p.TF == 0 || fn(int(p.Doc), p.TF) })
}

// EachPosting calls f with the postings of a list in order, until it returns
// false.
func EachPosting(l *TermList, f func(Posting) bool) error {
	var buf [blockSize]Posting
	for i := range l.Blocks() {
		list, err := l.Decode(i, buf[:0])
		if err != nil {
			return err
		}
		for _, p := range list {
			if !f(p) {
				return nil
			}
		}
	}
	return nil
}

// Docs implements View.
func (v *snapshot) Docs(f Field) (Docs, error) {
	x, err := v.index(f)
	if err != nil {
		return Docs{}, err
	}
	defer x.Close()
	out := Docs{Terms: x.stats.Terms}
	for n := 0; n*ChunkDocs < x.stats.Docs; n++ {
		info, err := x.Chunk(n)
		if err != nil {
			return Docs{}, err
		}
		out.Info = append(out.Info, info...)
	}
	for n := range uint32(x.stats.Sessions) {
		name, err := x.Session(n)
		if err != nil {
			return Docs{}, err
		}
		out.Sessions = append(out.Sessions, name)
	}
	out.Speakers, err = x.speakerNames(0)
	return out, err
}

// TurnDoc implements View.
func (v *snapshot) TurnDoc(doc int) (Turn, error) {
	pos, err := v.position()
	if err != nil {
		return Turn{}, err
	}
	if doc < 0 || uint64(doc) >= pos.Turns {
		return Turn{}, fmt.Errorf("store: %w: turn number %d", dsl.ErrNotFound, doc)
	}
	return v.turnAt(doc)
}

// FactDoc implements View.
func (v *snapshot) FactDoc(doc int) (dsl.FactVersion, error) {
	d, err := v.doc(FactField, doc)
	if err != nil {
		return dsl.FactVersion{}, err
	}
	row, err := v.versionRow(d.id, d.version)
	if err != nil {
		return dsl.FactVersion{}, err
	}
	return v.versionAsOf(row)
}

// EventDoc implements View.
func (v *snapshot) EventDoc(doc int) (dsl.Event, error) {
	d, err := v.doc(EventField, doc)
	if err != nil {
		return dsl.Event{}, err
	}
	all, err := v.Event(d.id)
	if err != nil {
		return dsl.Event{}, err
	}
	return all[d.version-1], nil
}
