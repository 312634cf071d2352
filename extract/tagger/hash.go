package tagger

import (
	"strings"
	"unicode/utf8"
)

// Features and list entries are known by hashes alone: the tables hold no
// strings. A table holds some 2^16 of the 2^32 keys, so that a feature unknown to
// it is taken for another about once in 60,000 look-ups, at the weight of a
// random feature.

const (
	seed  = 14695981039346656037
	prime = 1099511628211
)

// hashText hashes a text byte by byte (FNV-1a), going on from h.
func hashText(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * prime
	}
	return h
}

// hashLower hashes a text in lower case with straight apostrophes.
func hashLower(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			return hashText(h, strings.ReplaceAll(strings.ToLower(s[i:]), "’", "'"))
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		h = (h ^ uint64(c)) * prime
	}
	return h
}

// hashRune goes on with one character.
func hashRune(h uint64, r rune) uint64 {
	return (h ^ uint64(r)) * prime
}

// mix spreads a hash over its 64 bits (the finalizer of splitmix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// key is the key of a feature: its template and the hash of its value.
func key(template uint64, value uint64) uint32 {
	return uint32(mix(value+template*0x9e3779b97f4a7c15) >> 32)
}

// pair hashes two values in order.
func pair(a, b uint64) uint64 { return mix(a*3 + b + 0x51) }

// nameKey is the key of a list entry, from the hash of its text.
func nameKey(h uint64) uint32 { return uint32(mix(h) >> 32) }
