package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// postingIdentity stands for the posting of a document, in whatever row it lies.
func postingIdentity(f Field, term string, doc int32) []byte {
	return appendTermKey([]byte{clPosting, byte(f)}, term, uint32(doc))
}

func postingValue(tf, context uint32) []byte {
	return appendVar(appendVar(nil, uint64(tf)), uint64(context))
}

// docValue is the content of a document, in whatever row it lies.
func (d *docRow) docValue(f Field) []byte { return d.append(nil, f, new(Doc)) }

// before gives the context of a turn: the last turns of its session that stood
// at its position. What does not decode is told elsewhere.
func (c *checker) before(session uint32, doc int, seq dsl.Seq) ([ContextTurns]int32, error) {
	m, err := lastMembers(c.f.snap, &c.keys, session, uint32(doc), seq)
	if errors.Is(err, dsl.ErrCorrupt) {
		err = nil
	}
	return m.doc, err
}

// turnTerms gives the sorted terms of an earlier turn; none where its row is
// broken, which is told elsewhere.
func (c *checker) turnTerms(doc int32) []string {
	if terms, ok := c.lately.get(doc); ok {
		return terms
	}
	var terms []string
	if t, err := readTurn(c.f.snap, &c.keys, int(doc)); err == nil {
		if text, err := turnText(&t.Turn); err == nil {
			terms = c.analyzer.Terms(nil, text)
			slices.Sort(terms)
		}
	}
	c.lately.put(doc, terms)
	return terms
}

// indexed tells the document and the postings of a text.
func (c *checker) indexed(seq dsl.Seq, f Field, doc int, text string, d docRow, before [ContextTurns]int32) {
	own := c.analyzer.Terms(nil, text)
	slices.Sort(own)
	d.Length = uint32(len(own))
	counts := map[string][2]uint32{}
	for _, t := range own {
		n := counts[t]
		n[0]++
		counts[t] = n
	}
	for _, p := range before {
		if p < 0 {
			continue
		}
		terms := c.turnTerms(p)
		d.Context += uint32(len(terms))
		for _, t := range terms {
			n := counts[t]
			n[1]++
			counts[t] = n
		}
	}
	fi := fieldIndex(f)
	c.raise(seq, nDocs+fi, 1)
	c.raise(seq, nTerms+fi, len(own))
	c.raise(seq, nContext, int(d.Context))
	if f == FactField && doc >= c.factsSealed {
		return // it has no rows yet
	}
	for term, n := range counts { // a set hash: the order is of no matter
		c.told(seq, postingIdentity(f, term, int32(doc)), postingValue(n[0], n[1]))
	}
	c.told(seq, c.bare(c.keys.doc(f, doc)), d.docValue(f))
	if f == TurnField {
		c.lately.put(int32(doc), own)
		c.told(seq, c.bare(appendU32(c.keys.members(d.Session), uint32(doc))), appendVar(nil, uint64(d.Length)))
	}
}

// eachDoc calls f with every document of a field that decodes, in order: those
// of sealed segments, then those of the tail.
func (c *checker) eachDoc(field Field, f func(doc int, d docRow) error) error {
	if err := c.eachDocRow(field, f); err != nil || field != FactField {
		return err
	}
	return c.unsealedFacts(f)
}

// eachDocRow is eachDoc for those that have rows.
func (c *checker) eachDocRow(field Field, f func(doc int, d docRow) error) error {
	err := c.rows(clDocs, func(key, value []byte) error {
		if Field(key[1]) != field {
			return nil
		}
		segment := binary.BigEndian.Uint32(key[2:])
		x, err := decodeChunk(field, value)
		if err != nil {
			c.brokenIndex(field, int(segment)*ChunkDocs, key, "does not decode")
			return nil
		}
		var again []byte
		var last Doc
		for i := range x.info {
			d, err := x.row(i)
			if err != nil {
				c.brokenIndex(field, int(segment)*ChunkDocs, key, "does not decode")
				return nil
			}
			again = d.append(again, field, &last)
			last = d.Doc
			if err := f(int(segment)*ChunkDocs+i, d); err != nil {
				return err
			}
		}
		if !bytes.Equal(again, value) {
			c.brokenIndex(field, int(segment)*ChunkDocs, key, "is not encoded as this build does")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.rows(clDoc, func(key, value []byte) error {
		if Field(key[1]) != field {
			return nil
		}
		doc := int(binary.BigEndian.Uint32(key[2:]))
		r := reader{b: value}
		d := r.docRow(field, new(Doc))
		if r.bad {
			return nil // told by the walk over the tail
		}
		return f(doc, d)
	})
}

// unsealedFacts calls f with the documents of facts that have no rows, without
// their lengths.
func (c *checker) unsealedFacts(f func(doc int, d docRow) error) error {
	value, _ := c.get(c.keys.seq(clPosition, c.head))
	head, err := decodePosition(c.head, value)
	if err != nil {
		return nil // told by begin
	}
	refs, err := factRefs(c.f.snap, &c.keys, head, c.factsSealed, int(head.docs[fieldIndex(FactField)]))
	if errors.Is(err, dsl.ErrCorrupt) {
		if c.once {
			c.fault(c.head, "index", "the documents of facts from %d on cannot be found: %v", c.factsSealed, err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	for i, ref := range refs {
		d := docRow{Doc: Doc{Seq: ref.seq, TS: dsl.Beginning}, id: ref.id, version: ref.version}
		if err := f(c.factsSealed+i, d); err != nil {
			return err
		}
	}
	return nil
}

// brokenIndex notes, once, a row of the index that is wrong whatever the logical
// rows say.
func (c *checker) brokenIndex(f Field, doc int, key []byte, format string, args ...any) {
	if !c.once {
		return
	}
	var seq dsl.Seq
	if fi := fieldIndex(f); fi >= 0 {
		seq, _ = c.win.byCounter(nDocs+fi, uint64(doc))
	}
	c.fault(min(seq, c.head), "index", "the %s row %x "+format, append([]any{classNames[key[0]], key[1:]}, args...)...)
}

// foundDoc takes a document that is there.
func (c *checker) foundDoc(f Field, doc int, key, value []byte) {
	if seq, ok := c.win.byCounter(nDocs+fieldIndex(f), uint64(doc)); ok {
		c.found(seq, key, value)
	}
}

// index takes what the text index holds, and checks that there are the segments
// that follow from the number of documents, encoded as they follow from their
// postings.
func (c *checker) index() error {
	value, _ := c.get(c.keys.seq(clPosition, c.head))
	head, err := decodePosition(c.head, value)
	if err != nil {
		return nil // told by begin
	}
	for fi, f := range fieldOrder {
		err := c.eachDocRow(f, func(doc int, d docRow) error {
			c.foundDoc(f, doc, c.bare(c.keys.doc(f, doc)), d.docValue(f))
			return nil
		})
		if err != nil {
			return err
		}
		first := sealed(head.docs[fi])
		if err := c.tail(f, first); err != nil {
			return err
		}
		for _, s := range spans(first, first) {
			if err := c.segment(f, s); err != nil {
				return err
			}
		}
	}
	return c.strays(&head)
}

// tail takes the postings of documents whose segment is not sealed.
func (c *checker) tail(f Field, first int) error {
	t := newTail(first)
	terms := map[int32][]termCount{}
	return c.rows(clDoc, func(key, value []byte) error {
		doc := int(binary.BigEndian.Uint32(key[2:]))
		if Field(key[1]) != f {
			return nil
		}
		if doc < first {
			c.brokenIndex(f, doc, key, "is of a segment that is sealed")
			return nil
		}
		d, err := decodeTail(f, doc, value, t.id)
		if err != nil {
			c.brokenIndex(f, doc, key, "does not decode")
			return nil
		}
		want := noMembers
		if f == TurnField {
			if want, err = c.before(d.Session, doc, d.Seq); err != nil {
				return err
			}
		}
		if d.before != want {
			c.brokenIndex(f, doc, key, "names the turns %d before it, which are %d", d.before, want)
		}
		terms[int32(doc)] = d.terms
		var before [ContextTurns][]termCount
		for i, p := range want {
			if p >= int32(first) {
				before[i] = terms[p]
			} else if p >= 0 {
				before[i] = t.termsOf(slices.Clone(c.turnTerms(p)))
			}
		}
		t.add(int32(doc), d.terms, before)
		var ids []uint32
		for _, x := range slices.Concat(d.terms, before[0], before[1]) {
			ids = append(ids, x.id)
		}
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			p := t.at(int32(doc), id)
			c.foundDoc(f, doc, postingIdentity(f, t.terms[id], int32(doc)), postingValue(p.TF, p.Context))
		}
		return nil
	})
}

// segment takes the postings of a segment.
func (c *checker) segment(f Field, s span) error {
	counter := nDocs + fieldIndex(f)
	if _, ok := c.win.byCounter(counter, uint64(s.end-1)); !ok {
		return nil // before the window
	}
	if seq, _ := c.win.byCounter(counter, uint64(s.start)); c.win.slot(seq) == nil && seq >= c.win.lo+dsl.Seq(len(c.win.slots)) {
		return nil // behind it
	}
	lengths, err := lengthsOf(c.f.snap, &c.keys, f, s)
	if errors.Is(err, dsl.ErrCorrupt) {
		return nil // told by the walk over the documents; the postings are missing then
	} else if err != nil {
		return err
	}
	x := segmentReader{span: s}
	var again []byte
	var term []byte
	var first uint32
	lo := c.keys.segment(f, s.tier, s.number())
	return eachRow(c.f.snap, lo, after(lo), func(key, value []byte) error {
		if err := c.tick(); err != nil {
			return err
		}
		bare := c.bare(key)
		x.entryReader = entryReader{r: reader{b: value}, term: x.term[:0]}
		for x.entryReader.next() {
			list, err := x.postings(nil)
			if err != nil {
				c.brokenIndex(f, s.start, bare, "holds postings of %q that do not decode", x.term)
				return nil
			}
			again = appendPart(again[:0], int32(s.start), list, func(doc int32) uint32 { return lengths[int(doc)-s.start] })
			if !bytes.Equal(again, x.data) {
				c.brokenIndex(f, int(list[0].Doc), bare, "holds postings of %q with headers that do not fit them", x.term)
			}
			if order := compareTerms(term, x.term); order > 0 || order == 0 && first >= uint32(list[0].Doc) {
				c.brokenIndex(f, int(list[0].Doc), bare, "is not in order at %q", x.term)
			}
			term, first = append(term[:0], x.term...), uint32(list[0].Doc)
			for _, p := range list {
				c.foundDoc(f, int(p.Doc), postingIdentity(f, string(x.term), p.Doc), postingValue(p.TF, p.Context))
			}
		}
		if x.err() != nil {
			c.brokenIndex(f, s.start, bare, "does not decode")
		} else if string(appendTermKey(nil, string(term), first)) != string(key[len(lo):]) {
			c.brokenIndex(f, s.start, bare, "does not end with the term and part that its key says")
		}
		return nil
	})
}

// strays finds rows of segments that there should not be.
func (c *checker) strays(head *positionRow) error {
	if !c.once {
		return nil
	}
	known := map[string]bool{}
	for fi, f := range fieldOrder {
		n := sealed(head.docs[fi])
		for _, s := range spans(n, n) {
			known[string(c.bare(c.keys.segment(f, s.tier, s.number())))] = true
		}
	}
	for _, class := range []byte{clPosting, clDocs, clDoc} {
		err := c.rows(class, func(key, _ []byte) error {
			if class == clPosting && !known[string(key[:7])] || fieldIndex(Field(key[1])) < 0 || class == clDoc && Field(key[1]) == FactField {
				c.brokenIndex(Field(key[1]), 0, key, "is of no segment that there should be")
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
