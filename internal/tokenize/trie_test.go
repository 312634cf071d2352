package tokenize

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestTrie holds a trie against a map: what is in is found, what is not in is not.
func TestTrie(t *testing.T) {
	for _, letters := range []int{1, 2, 7, 256} {
		for _, n := range []int{0, 1, 10, 3000} {
			t.Run(fmt.Sprintf("letters=%d/keys=%d", letters, n), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(letters), uint64(n)))
				random := func() string {
					b := make([]byte, rng.IntN(7))
					for i := range b {
						b[i] = byte(rng.IntN(letters))
					}
					return string(b)
				}
				want := map[string]int32{}
				var keys []trieKey
				for i := range n {
					k := random()
					keys = append(keys, trieKey{k, int32(i)})
					if k != "" {
						want[k] = int32(i)
					}
				}
				tr := newTrie(keys)
				for range 2 * n {
					k := random()
					w, has := want[k]
					if v, ok := tr.get([]byte(k)); ok != has || has && v != w {
						t.Fatalf("%q gives %d, %v; want %d, %v", k, v, ok, w, has)
					}
				}
				for k, w := range want {
					if v, ok := tr.get([]byte(k)); !ok || v != w {
						t.Fatalf("%q gives %d, %v; want %d", k, v, ok, w)
					}
				}
			})
		}
	}
}
