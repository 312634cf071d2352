package tagger

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// What the program taggertrain needs: the features of a text, and the files of the
// folder data.

// Example is a run of tokens as the trainer sees them: the keys of each token's
// features, and its label.
type Example struct {
	Keys   [][]uint32
	Labels []uint8
}

// Examples gives the runs of active tokens of a text with the labels that its
// names ask for. A name whose edge falls inside a token makes the text useless:
// ok is false. A name of tokens that are not active is left out.
func Examples(text string, names []Span) (out []Example, zh, ok bool) {
	s := new(scratch)
	features, zh := s.prepare(text)
	labels := make([]uint8, len(s.toks))
	for _, n := range names {
		t := slices.Index(Types[:], n.Type)
		a := slices.IndexFunc(s.toks, func(t tok) bool { return t.start == n.Start })
		b := slices.IndexFunc(s.toks, func(t tok) bool { return t.end == n.End })
		if a < 0 || b < a || t < 0 {
			return nil, zh, false
		}
		if features == nil || slices.Contains(s.active[a:b+1], false) {
			continue
		}
		for i := a; i <= b; i++ {
			labels[i] = uint8(2*t + 2)
		}
		labels[a]--
	}
	if features == nil {
		return nil, zh, true
	}
	for a := 0; a < len(s.toks); a++ {
		if !s.active[a] {
			continue
		}
		var e Example
		for ; a < len(s.toks) && s.active[a]; a++ {
			e.Keys = append(e.Keys, features(nil, a))
			e.Labels = append(e.Labels, labels[a])
		}
		out = append(out, e)
	}
	return out, zh, true
}

// Inadmissible tells whether label b cannot follow label a.
func Inadmissible(a, b int) bool { return inadmissible(a, b) }

// EncodeModel writes a model file: weights of features by label (label 0 has
// none) and of transitions, in steps of Scale.
func EncodeModel(features map[uint32][Labels - 1]int8, trans [Labels][Labels]int16) ([]byte, error) {
	var b []byte
	for i := range trans {
		for _, v := range trans[i] {
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		}
	}
	return pack(append(b, encodeTable(features, Labels-1)...))
}

// Lists gathers the gazetteers. The zero value is empty.
type Lists struct {
	en, zh map[uint32][8]int8
}

// English adds names to the English list of the given name: given, given_top,
// surname, common, bigcity, region, city, tech or brand.
func (l *Lists) English(list string, names []string) error {
	flags := map[string]uint32{"given": listGiven, "given_top": listGivenTop, "surname": listSurname, "common": listCommon,
		"bigcity": listBig, "region": listRegion, "city": listCity, "tech": listTech, "brand": listBrand}
	flag, ok := flags[list]
	if !ok {
		return fmt.Errorf("tagger: no English list is called %q", list)
	}
	if l.en == nil {
		l.en = map[uint32][8]int8{}
	}
	set := func(h uint64, f uint32) {
		r := l.en[nameKey(h)]
		r[0], r[1] = int8(uint8(r[0])|uint8(f)), int8(uint8(r[1])|uint8(f>>8))
		l.en[nameKey(h)] = r
	}
	for _, n := range names {
		toks := tokenize(nil, n)
		if len(toks) == 0 || len(toks) > longestName || len(n) < 2 {
			continue
		}
		h := toks[0].form
		for _, t := range toks[1:] {
			set(h, listPrefix)
			h = pair(h, t.form)
		}
		set(h, flag)
	}
	return nil
}

// ChineseWord adds a word with its cost, eighths of a bit of surprise up to 214,
// and its class, up to 11.
func (l *Lists) ChineseWord(w string, cost, class uint8) {
	r := l.chinese(w)
	r[0], r[1], r[2] = int8(cost), int8(class), r[2]|zhWord
	l.zh[zhKey(w)] = r
}

// ChineseFlag adds words to the Chinese list of the given name: place, brand,
// surname or given.
func (l *Lists) ChineseFlag(list string, words []string) error {
	flags := map[string]int8{"place": zhPlace, "brand": zhBrand, "surname": zhSurname, "given": zhGiven}
	flag, ok := flags[list]
	if !ok {
		return fmt.Errorf("tagger: no Chinese list is called %q", list)
	}
	for _, w := range words {
		r := l.chinese(w)
		r[2] |= flag
		l.zh[zhKey(w)] = r
	}
	return nil
}

func zhKey(w string) uint32 {
	h := uint64(seed)
	for _, r := range w {
		h = hashRune(h, r)
	}
	return nameKey(h)
}

func (l *Lists) chinese(w string) [8]int8 {
	if l.zh == nil {
		l.zh = map[uint32][8]int8{}
	}
	return l.zh[zhKey(w)]
}

// Encode writes the file of the lists.
func (l *Lists) Encode() ([]byte, error) {
	return pack(append(encodeTable(l.en, 2), encodeTable(l.zh, 3)...))
}
