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
	d := docRow{Doc: Doc{Seq: a.tx.Seq, TS: t.TS}}
	if d.Session, err = a.number(nameSession, t.Session, &a.pos.sessions); err != nil {
		return err
	}
	if d.Speaker, err = a.number(nameSpeaker, speaker, &a.pos.speakers); err != nil {
		return err
	}
	return a.index(TurnField, text, d)
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
		docRow{Doc: Doc{Seq: a.tx.Seq}, id: e.id, version: e.version})
}

func (a *apply) indexEvent(o *dsl.Op) error {
	text, err := o.Summary.Open()
	if err != nil {
		return err
	}
	return a.index(EventField, text, docRow{Doc: Doc{Seq: a.tx.Seq}, id: o.ID, version: o.Version})
}

// number gives the number of a session or speaker, and makes one at its first
// appearance.
func (a *apply) number(kind byte, name string, next *uint64) (uint32, error) {
	key := a.keys.nameID(kind, name)
	v, ok, err := get(a.st.batch, key)
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

func (a *apply) index(f Field, text string, d docRow) error {
	fi := fieldIndex(f)
	doc := int(a.pos.docs[fi])
	s := a.st.s
	s.terms = s.analyzer.Terms(s.terms[:0], text)
	d.Length = uint32(len(s.terms))
	slices.Sort(s.terms)
	for i := 0; i < len(s.terms); {
		j := i + 1
		for j < len(s.terms) && s.terms[j] == s.terms[i] {
			j++
		}
		if err := a.set(a.keys.posting(f, s.terms[i], doc), appendVar(nil, uint64(j-i))); err != nil {
			return err
		}
		i = j
	}
	a.pos.docs[fi]++
	a.pos.terms[fi] += uint64(d.Length)
	return a.set(a.keys.doc(f, doc), d.encode(f))
}

// Postings implements View.
func (v *snapshot) Postings(f Field, term string, fn func(doc int, tf uint32) bool) error {
	pos, err := v.position()
	if err != nil || pos.Seq == 0 {
		return err
	}
	fi := fieldIndex(f)
	if fi < 0 || len(term) > 255 {
		return nil
	}
	prefix := v.keys.postings(f, term)
	end := appendU32(slices.Clone(prefix), uint32(pos.docs[fi]))
	it, err := v.iter()
	if err != nil {
		return err
	}
	defer v.put(it)
	for ok := it.SeekGE(prefix); ok; ok = it.Next() {
		key := it.Key()
		if string(key) >= string(end) {
			break
		}
		tf, w := binary.Uvarint(it.Value())
		if w <= 0 {
			return fmt.Errorf("store: %w: posting of %q", dsl.ErrCorrupt, term)
		}
		if !fn(int(binary.BigEndian.Uint32(key[len(key)-4:])), uint32(tf)) {
			break
		}
	}
	return it.Error()
}

// Docs implements View. The table is read once and kept: it only grows, so a
// view is a prefix of it.
func (v *snapshot) Docs(f Field) (Docs, error) {
	fi := fieldIndex(f)
	if fi < 0 {
		return Docs{}, fmt.Errorf("store: %w: field %q", dsl.ErrInvalid, f)
	}
	pos, err := v.position()
	if err != nil || pos.Seq == 0 {
		return Docs{}, err
	}
	t := &docTable{}
	if v.stage == nil {
		t = v.s.caches.table(v.space, f, v.life)
	}
	return t.prefix(v, f, fi, &pos)
}

// prefix reads what the table lacks and gives the part that the view holds.
func (t *docTable) prefix(v *snapshot, f Field, fi int, pos *positionRow) (Docs, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := int(pos.docs[fi])
	if err := scanFrom(v, v.keys.doc(f, len(t.docs)), v.keys.doc(f, n), func(value []byte) error {
		d, err := decodeDoc(f, value)
		t.docs = append(t.docs, d.Doc)
		return err
	}); err != nil {
		return Docs{}, err
	}
	if len(t.docs) < n {
		return Docs{}, fmt.Errorf("store: %w: field %c holds %d documents, the position says %d", dsl.ErrCorrupt, f, len(t.docs), n)
	}
	out := Docs{Info: t.docs[:n:n], Terms: pos.terms[fi]}
	if f != TurnField {
		return out, nil
	}
	for kind, list := range map[byte]*[]string{nameSession: &t.sessions, nameSpeaker: &t.speakers} {
		if err := scanFrom(v, v.keys.name(kind, uint32(len(*list))), after(append(v.keys.class(clName), kind)), func(value []byte) error {
			*list = append(*list, string(value))
			return nil
		}); err != nil {
			return Docs{}, err
		}
	}
	if uint64(len(t.sessions)) < pos.sessions || uint64(len(t.speakers)) < pos.speakers {
		return Docs{}, fmt.Errorf("store: %w: names of sessions or speakers are missing", dsl.ErrCorrupt)
	}
	out.Sessions = t.sessions[:pos.sessions:pos.sessions]
	out.Speakers = t.speakers[:pos.speakers:pos.speakers]
	return out, nil
}

// scanFrom calls f with every value of keys in [lo, hi).
func scanFrom(v *snapshot, lo, hi []byte, f func(value []byte) error) error {
	if string(lo) >= string(hi) {
		return nil
	}
	it, err := v.iter()
	if err != nil {
		return err
	}
	defer v.put(it)
	for ok := it.SeekGE(lo); ok && string(it.Key()) < string(hi); ok = it.Next() {
		if err := f(it.Value()); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	return it.Error()
}

func (v *snapshot) doc(f Field, doc int) (docRow, error) {
	pos, err := v.position()
	if err != nil {
		return docRow{}, err
	}
	if doc < 0 || uint64(doc) >= pos.docs[fieldIndex(f)] {
		return docRow{}, fmt.Errorf("store: %w: document %d of field %c", dsl.ErrNotFound, doc, f)
	}
	value, ok, err := get(v.r, v.keys.doc(f, doc))
	if err != nil {
		return docRow{}, err
	}
	if !ok {
		return docRow{}, fmt.Errorf("store: %w: document %d of field %c is missing", dsl.ErrCorrupt, doc, f)
	}
	return decodeDoc(f, value)
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
