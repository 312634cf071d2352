package neo4j

import (
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
)

// maxNorm bounds the normalised name that nodes are found by, in bytes: an indexed
// value must not exceed 8 kB, and normalising may make a name longer.
const maxNorm = 1000

// norm gives what a node is found by: its normalised name or, where that is too
// long for an index, "sha256:" and the hash of it. It is absent where the name is
// sealed or empty.
func norm(name dsl.Text) any {
	s, err := name.Open()
	if err != nil || s == "" {
		return nil
	}
	if s = analyze.NormalizeName(s); len(s) > maxNorm {
		return "sha256:" + dsl.Sum([]byte(s)).String()
	}
	return s
}

// text gives a text as a property: absent where it is empty, or sealed under a key.
func text(t dsl.Text) any {
	s, err := t.Open()
	if err != nil {
		return nil
	}
	return str(s)
}

// str gives a string as a property, absent where it is empty.
func str[T ~string](s T) any {
	if s == "" {
		return nil
	}
	return string(s)
}

// texts gives strings as a property, absent where there is none.
func texts(s []string) any {
	if len(s) == 0 {
		return nil
	}
	out := make([]any, len(s))
	for i, x := range s {
		out[i] = x
	}
	return out
}

// at gives an instant as a property.
func at(t dsl.Instant) any { return int64(t) }

// labels are the second labels of nodes by kind.
var labels = map[dsl.NodeKind]string{
	dsl.Entity: ":Entity", dsl.Literal: ":Literal", dsl.TimeInstant: ":Time", dsl.Mention: ":Mention", dsl.Document: ":Document",
}
