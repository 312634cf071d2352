package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// listed is what the go command says of a package.
type listed struct {
	ImportPath, Export, Dir string
	GoFiles, CgoFiles       []string
	Module                  *struct{ Main bool }
}

// TestNoFusedProducts type-checks the module's packages below cmd and finds the floating-point
// products that would have other bits on another processor.
func TestNoFusedProducts(t *testing.T) {
	list := exec.Command("go", "list", "-e", "-deps", "-export", "-json=ImportPath,Export,Dir,GoFiles,CgoFiles,Module", "./...")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Skipf("no package can be listed here: %v", err)
	}
	exports := map[string]string{}
	var ours []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		dir := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if p.Module != nil && p.Module.Main && floor(dir) != "cmd" && !support(dir) {
			ours = append(ours, p)
		}
	}
	if len(ours) == 0 {
		t.Fatal("the go command lists no package of the module")
	}
	set := token.NewFileSet()
	compiled := importer.ForCompiler(set, "gc", func(importPath string) (io.ReadCloser, error) {
		if exports[importPath] == "" {
			return nil, fmt.Errorf("%s is not compiled", importPath)
		}
		return os.Open(exports[importPath])
	})
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ours {
		if p.Export == "" {
			t.Logf("%s does not compile, which every other check says louder", p.ImportPath)
			continue
		}
		var files []*ast.File
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Error(err)
				continue
			}
			files = append(files, file)
		}
		found, err := productsOf(set, p.ImportPath, files, compiled)
		if err != nil {
			t.Errorf("%s: %v", p.ImportPath, err)
			continue
		}
		for _, at := range found {
			rel, err := filepath.Rel(root, at.Filename)
			if err != nil {
				t.Fatal(err)
			}
			t.Errorf("%s:%d: %s", rel, at.Line, whyFused)
		}
	}
}

// productsOf type-checks a package and returns where its fusable products stand.
func productsOf(set *token.FileSet, path string, files []*ast.File, from types.Importer) ([]token.Position, error) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := (&types.Config{Importer: from, FakeImportC: true}).Check(path, set, files, info); err != nil {
		return nil, err
	}
	var found []token.Position
	for _, file := range files {
		for _, n := range fusedProducts(file, info) {
			found = append(found, set.Position(n.Pos()))
		}
	}
	return found, nil
}

// TestFusedProductsAreFound proves that the rule sees each way of leaving a product unrounded, and
// takes what rounds it.
func TestFusedProductsAreFound(t *testing.T) {
	const src = `package p
type weight float32
func f(x, y, z float64, i, j, k int, a, b weight) (float64, bool) {
	_ = x*y + z           // bad
	_ = z - (x * y)       // bad
	z += x * y            // bad
	p := x * y            // bad
	_ = a*b + a           // bad
	x *= y                // bad
	_ = -(x * y)          // bad
	g(x * y)              // bad
	_ = float64(x*y) + z
	z += float64((x * y))
	_ = weight(a*b) - a
	_ = x * y / z
	_ = float64(x*y*z) + p
	_ = i*j + k
	_ = 2*0.5 + x
	i *= j
	_ = int(x*y) + k
	_ = 2*x + z
	x *= 0x1p52
	_ = 3*x + z           // bad
	x *= 0.1              // bad
	return x / y, x*y < z
}
func g(float64) {}
`
	var want []int
	for i, line := range strings.Split(src, "\n") {
		if strings.HasSuffix(line, "// bad") {
			want = append(want, i+1)
		}
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found, err := productsOf(set, "p", []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, at := range found {
		got = append(got, at.Line)
	}
	if !slices.Equal(got, want) {
		t.Errorf("found products in lines %v, want %v", got, want)
	}
}
