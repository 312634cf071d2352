package tokenize

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// sharedFile reads a file of the shared test data, or skips the test where there is none.
func sharedFile(t testing.TB, name string) []byte {
	t.Helper()
	dir := os.Getenv("ASOF_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	f, err := os.Open(filepath.Join(dir, "data", "tokenizers", name))
	if os.IsNotExist(err) {
		t.Skipf("the shared data are not here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sharedJSON decodes a file of the shared test data.
func sharedJSON(t testing.TB, name string, into any) {
	t.Helper()
	if err := json.Unmarshal(sharedFile(t, name), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// A golden is what the reference gave for the texts.
type golden struct {
	Single []struct {
		IDs    []int32  `json:"ids"`
		Tokens []string `json:"tokens"`
	} `json:"single"`
	Pair []struct {
		IDs   []int32 `json:"ids"`
		Types []int32 `json:"types"`
	} `json:"pair"`
}
