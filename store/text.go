package store

import "strings"

var relWords = strings.NewReplacer("_", " ", ".", " ", "-", " ")

// FactText gives the text that a fact version is indexed by and shown as: its
// subject, the words of its relation, and its value.
func FactText(src, rel, relation, dst string) string {
	parts := []string{src, relWords.Replace(rel)}
	if relation != "" {
		parts = append(parts, relation)
	}
	return strings.Join(append(parts, dst), " ")
}
