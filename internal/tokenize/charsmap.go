package tokenize

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// A charsmap is a map of characters compiled by SentencePiece: 4 bytes of the trie's length in
// bytes, little-endian; the trie, a double array of 32-bit words; then what characters become, each
// ended by a zero byte, found by the place that the trie gives.
type charsmap struct {
	units []uint32
	texts string
	// ascii is the place in texts of what each ASCII character becomes, -1 where it stays.
	ascii [utf8.RuneSelf]int32
}

// newCharsmap reads a map from the base64 of a tokenizer.json.
func newCharsmap(encoded string) (*charsmap, error) {
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("precompiled_charsmap is no base64: %w", err)
	}
	return readCharsmap(raw)
}

// readCharsmap reads a map from its bytes.
func readCharsmap(raw []byte) (*charsmap, error) {
	if len(raw) < 4 {
		return nil, fmt.Errorf("precompiled_charsmap has %d bytes: too short for its length", len(raw))
	}
	size := binary.LittleEndian.Uint32(raw)
	rest := raw[4:]
	if uint64(size) > uint64(len(rest)) || size%4 != 0 || size == 0 {
		return nil, fmt.Errorf("precompiled_charsmap tells of a trie of %d bytes; %d follow, in words of 4", size, len(rest))
	}
	m := &charsmap{units: make([]uint32, size/4), texts: string(rest[size:])}
	if !utf8.ValidString(m.texts) {
		return nil, errors.New("precompiled_charsmap maps to what is not UTF-8")
	}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(rest[4*i:])
	}
	for c := range m.ascii {
		m.ascii[c] = m.find([]byte{byte(c)})
	}
	return m, nil
}

// offset is how far from a node its children begin.
func offset(u uint32) uint32 { return u >> 10 << (u & (1 << 9) >> 6) }

// walk goes along key and calls found with the place in texts of what each mapped beginning of key
// becomes, and with its length, shortest first, until it says that this is enough.
func (m *charsmap) walk(key []byte, found func(place int32, n int) bool) {
	at := offset(m.units[0])
	for i, c := range key {
		if at ^= uint32(c); c == 0 || at >= uint32(len(m.units)) {
			return
		}
		u := m.units[at]
		if u&(1<<31|0xFF) != uint32(c) {
			return
		}
		at ^= offset(u)
		if u>>8&1 == 0 {
			continue
		}
		if at >= uint32(len(m.units)) {
			return
		}
		place := m.units[at] & (1<<31 - 1)
		if place >= uint32(len(m.texts)) || !utf8.RuneStart(m.texts[place]) || found(int32(place), i+1) {
			return
		}
	}
}

// find returns the place in texts of what the shortest mapped beginning of key becomes, -1 for none.
// That it is the shortest, and stands for the whole of key, is what the reference does.
func (m *charsmap) find(key []byte) int32 {
	best := int32(-1)
	m.walk(key, func(place int32, _ int) bool {
		best = place
		return true
	})
	return best
}

// longest returns the place of what the longest mapped beginning of key becomes, and its length,
// which is 0 for none.
func (m *charsmap) longest(key []byte) (place int32, n int) {
	m.walk(key, func(p int32, k int) bool {
		if k == len(key) || utf8.RuneStart(key[k]) {
			place, n = p, k
		}
		return false
	})
	return place, n
}

// text returns what stands at a place.
func (m *charsmap) text(place int32) string {
	t := m.texts[place:]
	if end := strings.IndexByte(t, 0); end >= 0 {
		return t[:end]
	}
	return t
}

// longCluster is the length in bytes from which on a cluster is looked at by its characters only.
const longCluster = 6

// apply appends src, mapped, to dst: clusters of characters first, their characters where a cluster
// is not in the map.
func (m *charsmap) apply(dst, src *buffer) {
	b := src.b
	for i := 0; i < len(b); {
		if c := b[i]; c < utf8.RuneSelf && c != '\r' && (i+1 == len(b) || b[i+1] < utf8.RuneSelf) {
			if place := m.ascii[c]; place >= 0 {
				m.write(dst, src, i, i+1, place)
				i++
				continue
			}
			end := i + 1
			for end+1 < len(b) && b[end+1] < utf8.RuneSelf && b[end] != '\r' && m.ascii[b[end]&0x7F] < 0 {
				end++
			}
			dst.keep(src, i, end)
			i = end
			continue
		}
		end := i + clusterLen(b[i:])
		if end-i < longCluster {
			if place := m.find(b[i:end]); place >= 0 {
				m.write(dst, src, i, end, place)
				i = end
				continue
			}
		}
		for i < end {
			_, size := utf8.DecodeRune(b[i:end])
			if place := m.find(b[i : i+size]); place >= 0 {
				m.write(dst, src, i, i+size, place)
			} else {
				dst.keep(src, i, i+size)
			}
			i += size
		}
	}
}

// write puts the text at a place instead of the bytes [i, end) of src. Its k-th character has the
// span of the k-th character replaced, or of the last one where there are fewer.
func (m *charsmap) write(dst, src *buffer, i, end int, place int32) {
	text := m.text(place)
	if !dst.spans {
		dst.b = append(dst.b, text...)
		return
	}
	for _, r := range text {
		dst.put(r, src, i)
		if _, size := utf8.DecodeRune(src.b[i:end]); i+size < end {
			i += size
		}
	}
}

// clusterLen is the length in bytes of the first cluster, as Unicode Standard Annex 29 cuts them, of
// a text that begins at a boundary.
func clusterLen(b []byte) int {
	r, size := utf8.DecodeRune(b)
	if calm(r) {
		if size == len(b) {
			return size
		}
		if next, _ := utf8.DecodeRune(b[size:]); calm(next) {
			return size
		}
	}
	n, _, err := graphemes.SplitFunc(b, true)
	if err != nil || n <= 0 {
		return size
	}
	return n
}

// calm says of many characters, not of all, that two of them never share a cluster. Nearly all
// text is of these, which need no look at tables.
func calm(r rune) bool {
	switch {
	case r < 0x300:
		return r != '\r'
	case r < 0x2E80:
		return r >= 0x370 && r <= 0x482 || r >= 0x48A && r <= 0x590 || r >= 0x1E00 && r <= 0x200A ||
			r >= 0x2010 && r <= 0x20CF || r >= 0x2100 && r <= 0x2CEE
	case r < 0x10000:
		return r <= 0x3029 || r >= 0x3030 && r <= 0x3098 || r >= 0x309B && r <= 0xA66E ||
			r >= 0xAC00 && r <= 0xD7A3 || r >= 0xE000 && r <= 0xFB1D || r >= 0xFE30 && r <= 0xFF9D
	}
	return r >= 0x1F000 && r <= 0x1F1E5 || r >= 0x1F200 && r <= 0x1F3FA || r >= 0x1F400 && r <= 0x1FAFF ||
		r >= 0x20000 && r <= 0x3FFFD
}
