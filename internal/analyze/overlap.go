package analyze

// Overlap gives the dot products of two bags of terms: of a with b, of a with
// itself, of b with itself. They are whole numbers, so that the order of a map
// decides nothing.
func Overlap(a, b map[string]int) (ab, aa, bb int) {
	for t, n := range a {
		ab += n * b[t]
		aa += n * n
	}
	for _, n := range b {
		bb += n * n
	}
	return ab, aa, bb
}
