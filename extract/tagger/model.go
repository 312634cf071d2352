package tagger

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"sync"
)

// Labels are what a token can be: outside of names, or the beginning or inside of
// a name of each type of Types.
const Labels = 9

// Types are the types of name; label 2k+1 begins a name of type k, 2k+2 goes on
// with it.
var Types = [...]string{"PERSON", "ORG", "LOC", "WORK"}

// Scale is the number of steps of a weight to the unit of a log-probability.
const Scale = 20

//go:embed data/en.bin
var enFile []byte

//go:embed data/zh.bin
var zhFile []byte

// model is a trained tagger of one language: weights of features by label, none
// for label 0, and of transitions.
type model struct {
	features *table
	trans    [Labels][Labels]int32
}

var enModel = sync.OnceValue(func() *model { return mustDecode(enFile) })
var zhModel = sync.OnceValue(func() *model { return mustDecode(zhFile) })

// mustDecode decodes an embedded model. It is part of the program, so damage is a
// fault of the build.
func mustDecode(packed []byte) *model {
	m, err := decodeModel(packed)
	if err != nil {
		panic("tagger: a built-in model: " + err.Error()) // held by a test
	}
	return m
}

func decodeModel(packed []byte) (*model, error) {
	b, err := unpack(packed)
	if err != nil {
		return nil, err
	}
	m := &model{}
	if len(b) < 2*Labels*Labels {
		return nil, fmt.Errorf("tagger: model: %w", errTable)
	}
	for i := range m.trans {
		for j := range m.trans[i] {
			m.trans[i][j] = int32(int16(binary.LittleEndian.Uint16(b)))
			b = b[2:]
		}
	}
	if m.features, b, err = decodeTable(b, Labels-1); err != nil || len(b) != 0 {
		return nil, fmt.Errorf("tagger: model: %w", errTable)
	}
	return m, nil
}

// inadmissible tells whether label b cannot follow label a: the inside of a name
// follows its beginning or inside.
func inadmissible(a, b int) bool { return b > 0 && b%2 == 0 && a != b && a != b-1 }

// never is a score that no path recovers from.
const never = -1 << 24

// viterbi finds the best labels of a run of active tokens between inactive ones;
// scores has a row for each token and labels takes the result.
func (m *model) viterbi(scores [][Labels]int32, back [][Labels]uint8, labels []uint8) {
	prev := [Labels]int32{}
	for l := range prev {
		prev[l] = scores[0][l] + m.trans[0][l]
		if inadmissible(0, l) {
			prev[l] = never
		}
	}
	for i := 1; i < len(scores); i++ {
		var cur [Labels]int32
		for l := range cur {
			best, from := int32(2*never), uint8(0)
			for p := range prev {
				if v := prev[p] + m.trans[p][l]; v > best && !inadmissible(p, l) {
					best, from = v, uint8(p)
				}
			}
			cur[l], back[i][l] = best+scores[i][l], from
		}
		prev = cur
	}
	best, at := int32(4*never), 0
	for l := range prev {
		if v := prev[l] + m.trans[l][0]; v > best {
			best, at = v, l
		}
	}
	for i := len(scores) - 1; i >= 0; i-- {
		labels[i] = uint8(at)
		at = int(back[i][at])
	}
}

// margin is by how much the labels of tokens [a, b), a name, score higher than
// none would there.
func (m *model) margin(scores [][Labels]int32, labels []uint8, a, b int) int {
	prev, next := 0, 0
	if a > 0 {
		prev = int(labels[a-1])
	}
	if b < len(labels) {
		next = int(labels[b])
	}
	p, sum := prev, int32(0)
	for i := a; i < b; i++ {
		l := int(labels[i])
		sum += m.trans[p][l] + scores[i][l]
		p = l
	}
	sum += m.trans[p][next]
	return int(sum - m.trans[prev][0] - int32(b-a-1)*m.trans[0][0] - m.trans[0][next])
}
