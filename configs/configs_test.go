package configs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the expected faults of testdata anew")

// TestFiles holds every file of testdata to its faults. A good file has no invalid value (it may ask
// for what is not there yet), a bad one has at least one.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, faults := Check(data)
			var got strings.Builder
			invalid := 0
			for _, f := range faults {
				fmt.Fprintf(&got, "%s: %s\n", f.Kind, f)
				if f.Kind == Invalid {
					invalid++
				}
			}
			if bad := strings.HasSuffix(file, ".bad.yaml"); bad != (invalid > 0) {
				t.Errorf("%d invalid values:\n%s", invalid, &got)
			}
			expected := strings.TrimSuffix(file, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(expected, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(expected)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("faults:\n%swant:\n%s", &got, want)
			}
		})
	}
}

// TestEveryGroupHasFiles holds testdata to a good and a bad file for each section.
func TestEveryGroupHasFiles(t *testing.T) {
	for name := range schema().below {
		for _, kind := range []string{"good", "bad"} {
			if _, err := os.Stat(fmt.Sprintf("testdata/%s.%s.yaml", name, kind)); err != nil {
				t.Error(err)
			}
		}
	}
}
