package tagger

import (
	_ "embed"
	"fmt"
	"sync"
)

//go:embed data/lists.bin
var listsFile []byte

// What the English list tells of a name: two bytes of its row.
const (
	listGiven = 1 << iota
	listGivenTop
	listSurname
	listCommon
	listPrefix // the start of a longer name
	listBig
	listRegion
	listCity
	listTech
	listBrand
)

// What the tokens of an English text carry: the lists of single words, then for
// each list of places and firms three bits: the name is this token, starts with
// it, goes on with it.
const (
	isGiven    = listGiven
	isGivenTop = listGivenTop
	isSurname  = listSurname
	isCommon   = listCommon
	placeShift = 4
	placeLists = 5
)

const longestName = 5

// What the Chinese list tells of a word: the third byte of its row. The first is
// its cost, eight bits of surprise to the unit of a byte, in eighths of a bit; the second its class.
const (
	zhPlace = 1 << iota
	zhBrand
	zhSurname
	zhGiven
	zhWord
)

const (
	longestZh = 8
	// unknownCost is the cost of a character that is no listed word.
	unknownCost = 215
	unknownWord = 12
	// lastNameClass is the last of the classes of names: persons, places,
	// organisations and others come first.
	lastNameClass = 3
)

// lists are the gazetteers of both languages.
type lists struct {
	en, zh *table
}

// loadLists decodes the embedded lists once. They are part of the program, so
// damage is a fault of the build.
var loadLists = sync.OnceValue(func() *lists {
	l, err := decodeLists(listsFile)
	if err != nil {
		panic("tagger: the built-in lists: " + err.Error()) // held by a test
	}
	return l
})

func decodeLists(packed []byte) (*lists, error) {
	b, err := unpack(packed)
	if err != nil {
		return nil, err
	}
	en, b, err := decodeTable(b, 2)
	if err != nil {
		return nil, fmt.Errorf("tagger: English lists: %w", err)
	}
	zh, b, err := decodeTable(b, 3)
	if err != nil || len(b) != 0 {
		return nil, fmt.Errorf("tagger: Chinese lists: %w", errTable)
	}
	return &lists{en, zh}, nil
}

// english gives what the list knows of a name, by the hash of its tokens.
func (l *lists) english(h uint64) uint32 {
	r := l.en.find(nameKey(h))
	if r == nil {
		return 0
	}
	return uint32(uint8(r[0])) | uint32(uint8(r[1]))<<8
}

// flag sets the flags of the English words.
func (l *lists) flag(toks []tok) {
	for i := range toks {
		t := &toks[i]
		if t.kind != word {
			continue
		}
		if t.upper {
			t.flags |= l.english(t.low) & listCommon
		}
		if !t.initial {
			continue
		}
		f := l.english(t.form)
		t.flags |= f & (listGiven | listGivenTop | listSurname)
		var best [placeLists]int
		h := t.form
		for n := 1; ; n++ {
			for k := range best {
				if f&(listBig<<k) != 0 {
					best[k] = n
				}
			}
			if f&listPrefix == 0 || n == longestName || i+n == len(toks) {
				break
			}
			h = pair(h, toks[i+n].form)
			f = l.english(h)
		}
		for k, n := range best {
			switch {
			case n == 1:
				t.flags |= 1 << (placeShift + 3*k)
			case n > 1:
				t.flags |= 2 << (placeShift + 3*k)
				for j := i + 1; j < i+n; j++ {
					toks[j].flags |= 4 << (placeShift + 3*k)
				}
			}
		}
	}
}
