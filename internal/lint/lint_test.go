package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHouse runs every rule over the repository.
func TestHouse(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Load(os.DirFS(root), repositoryFiles(t, root))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Go) == 0 || len(tree.Text) <= len(tree.Go) {
		t.Fatalf("%s has %d Go files and %d text files: this is not the repository", root, len(tree.Go), len(tree.Text))
	}
	for _, rule := range Rules {
		t.Run(rule.Name, func(t *testing.T) {
			for _, fault := range rule.Check(tree) {
				t.Error(fault)
			}
		})
	}
}

// repositoryFiles returns the files that Git tracks or would track; without Git, all that there are.
func repositoryFiles(t *testing.T, root string) []string {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	if out, err := list.Output(); err == nil && len(out) > 0 {
		return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	}
	paths, err := Walk(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
