package lint

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// module is the path of the module whose house this is.
const module = "github.com/asof-db/asof"

// Tree is the files of a repository.
type Tree struct {
	// Go is every Go file that belongs to the module, testdata left out.
	Go []*File
	// Text is every file, Go files too, that is text.
	Text map[string][]byte
	// Broken is a fault for each Go file that does not parse.
	Broken []Fault
}

// File is one Go file.
type File struct {
	// Path and Dir are relative to the root, with slashes; the root is ".".
	Path, Dir string
	// Test is true for a _test.go file.
	Test bool
	// Lines is the number of lines.
	Lines int

	AST *ast.File
	set *token.FileSet
}

// Fault is one breach of a rule.
type Fault struct {
	Path    string
	Line    int
	Message string
}

// String returns the fault as compilers print theirs.
func (f Fault) String() string { return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.Message) }

// at is a fault at a node of the file.
func (f *File) at(n ast.Node, format string, args ...any) Fault {
	return Fault{f.Path, f.set.Position(n.Pos()).Line, fmt.Sprintf(format, args...)}
}

// Load reads the files of the given paths; those that are gone meanwhile are left out.
func Load(root fs.FS, paths []string) (*Tree, error) {
	t := &Tree{Text: map[string][]byte{}}
	for _, p := range paths {
		src, err := fs.ReadFile(root, p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("lint: %w", err)
		}
		if !strings.Contains(string(src[:min(len(src), 8000)]), "\x00") {
			t.Text[p] = src
		}
		if path.Ext(p) == ".go" && inModule(p) {
			t.add(p, src)
		}
	}
	return t, nil
}

// Walk returns the paths of all files below root, without those of Git and of built things.
func Walk(root fs.FS) ([]string, error) {
	var paths []string
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || p == "build" || p == "bin"):
			return fs.SkipDir
		case d.Type().IsRegular():
			paths = append(paths, p)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lint: %w", err)
	}
	return paths, nil
}

// inModule reports whether the go command takes the file for the module's.
func inModule(p string) bool {
	if strings.HasPrefix(p, "tools/") {
		return false // A module of its own.
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == "testdata" || strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return false
		}
	}
	return true
}

func (t *Tree) add(p string, src []byte) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, p, src, parser.ParseComments)
	if err != nil {
		t.Broken = append(t.Broken, Fault{p, 1, "does not parse: " + err.Error()})
		return
	}
	t.Go = append(t.Go, &File{
		Path: p, Dir: path.Dir(p), Test: strings.HasSuffix(p, "_test.go"),
		Lines: strings.Count(string(src), "\n"), AST: parsed, set: set,
	})
}

// floor is the part of the house that a folder belongs to: its first element, and asof for the root.
func floor(dir string) string {
	if dir == "." {
		return "asof"
	}
	first, _, _ := strings.Cut(dir, "/")
	return first
}

// support reports whether a folder holds a package that only tests import, such as ledgertest.
func support(dir string) bool { return strings.HasSuffix(path.Base(dir), "test") }

// belowCmd returns the files that the rules of determinism are for: no tests, no test support,
// nothing of cmd and bench, whose part it is to know the time and the environment.
func (t *Tree) belowCmd() []*File {
	var out []*File
	for _, f := range t.Go {
		if !f.Test && !support(f.Dir) && floor(f.Dir) != "cmd" && floor(f.Dir) != "bench" {
			out = append(out, f)
		}
	}
	return out
}

// importName returns the path of an import and the name that the file calls it by.
func importName(spec *ast.ImportSpec) (importPath, name string) {
	importPath, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return "", "" // The parser has taken it, so this does not come.
	}
	if spec.Name != nil {
		return importPath, spec.Name.Name
	}
	name = path.Base(importPath)
	if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = path.Base(path.Dir(importPath))
	}
	return importPath, name
}

// uses calls found for each use of a name of an imported package: import path, name, node.
func (f *File) uses(found func(importPath, name string, at ast.Node)) {
	names := map[string]string{}
	for _, spec := range f.AST.Imports {
		importPath, name := importName(spec)
		names[name] = importPath
	}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		// A name that the file itself declares, a parameter called time say, has an object.
		if x, ok := sel.X.(*ast.Ident); ok && x.Obj == nil && names[x.Name] != "" {
			found(names[x.Name], sel.Sel.Name, sel)
		}
		return true
	})
}
