package asof

import (
	"errors"
	"slices"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/analyze"
	"github.com/asof-db/asof/store"
)

// Bounds on what a look-up of names reads: words of the name, and facts with each.
const (
	likeWords = 4
	likeFacts = 64
)

// KnowsName implements extract.NameMemory: the space has an entity of the name.
func (m *spaceMemory) KnowsName(name string) bool {
	if m.err != nil {
		return false
	}
	_, err := m.view.Node(dsl.NodeID(m.space, dsl.Entity, name))
	if err != nil && !errors.Is(err, dsl.ErrNotFound) {
		m.err = err
	}
	return err == nil
}

// NamesLike implements extract.NameMemory: subjects and entities that are values of
// the oldest facts with a word of the name. The text index of facts finds them, so
// names that share no word are not found.
func (m *spaceMemory) NamesLike(name string, limit int) []extract.KnownName {
	if m.err != nil {
		return nil
	}
	out, err := m.namesLike(name, limit)
	if err != nil {
		m.err = err
		return nil
	}
	for i := range out {
		if typ, ok := m.EntityType(out[i].Name); ok && typ != extract.Event {
			out[i].Type = typ
		}
	}
	return out
}

func (m *spaceMemory) namesLike(name string, limit int) (out []extract.KnownName, err error) {
	index, err := m.view.Index(store.FactField)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	var a analyze.Analyzer
	terms := a.Terms(nil, name)
	words := strings.Fields(analyze.NormalizeName(name))
	add := func(text dsl.Text) error {
		known, err := text.Open()
		if err != nil {
			return err
		}
		norm := analyze.NormalizeName(known)
		shares := slices.ContainsFunc(strings.Fields(norm), func(w string) bool { return slices.Contains(words, w) })
		if !shares || strings.Contains(known, "/") || len(out) >= limit || slices.ContainsFunc(out, func(k extract.KnownName) bool { return analyze.NormalizeName(k.Name) == norm }) {
			return nil
		}
		out = append(out, extract.KnownName{Name: known})
		return nil
	}
	for _, term := range terms[:min(len(terms), likeWords)] {
		docs, err := firstDocs(index, term)
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			f, err := m.view.FactDoc(doc)
			if err != nil {
				return nil, err
			}
			if err := add(f.SrcName); err != nil {
				return nil, err
			}
			if f.DstKind == dsl.Entity {
				if err := add(f.DstName); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

// firstDocs gives the first documents that hold a term, likeFacts at most.
func firstDocs(index store.Index, term string) ([]int, error) {
	list, err := index.Term(term)
	if err != nil {
		return nil, err
	}
	var out []int
	var postings []store.Posting
	for b := 0; b < list.Blocks() && len(out) < likeFacts; b++ {
		if postings, err = list.Decode(b, postings[:0]); err != nil {
			return nil, err
		}
		for i := range postings[:min(len(postings), likeFacts-len(out))] {
			out = append(out, int(postings[i].Doc))
		}
	}
	return out, nil
}
