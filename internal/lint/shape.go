package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// maxLines bounds a file that is no test. A longer one says more than one thing.
const maxLines = 600

// checkDocs finds packages without a comment that says what they are.
func checkDocs(t *Tree) []Fault {
	type pkg struct {
		first *File
		has   bool
	}
	var order []string
	packages := map[string]*pkg{}
	for _, f := range t.Go {
		if strings.HasSuffix(f.AST.Name.Name, "_test") {
			continue // The tests of a package from outside, which has its own comment.
		}
		p := packages[f.Dir]
		if p == nil {
			p = &pkg{first: f}
			packages[f.Dir] = p
			order = append(order, f.Dir)
		}
		begin := "Package " + f.AST.Name.Name + " "
		if f.AST.Name.Name == "main" {
			begin = "Command "
		}
		if !f.Test && f.AST.Doc != nil && strings.HasPrefix(f.AST.Doc.Text(), begin) {
			p.has = true
		}
	}
	var faults []Fault
	for _, dir := range order {
		if p := packages[dir]; !p.has {
			faults = append(faults, p.first.at(p.first.AST.Name, "package %s has no comment that begins with its name", dir))
		}
	}
	return faults
}

// vague are names that say nothing of what is in a package.
var vague = []string{"base", "common", "helper", "helpers", "manager", "managers", "misc", "shared", "types", "util", "utils"}

// checkNames finds packages with a vague name.
func checkNames(t *Tree) []Fault {
	var faults []Fault
	for _, f := range t.Go {
		if n := strings.TrimSuffix(f.AST.Name.Name, "_test"); slices.Contains(vague, n) {
			faults = append(faults, f.at(f.AST.Name, "package %s says nothing of what is in it; name it after its thing", n))
		}
	}
	return faults
}

// checkGlobals finds what runs or registers itself at start-up.
func checkGlobals(t *Tree) []Fault {
	var faults []Fault
	const registry = "github.com/prometheus/client_golang/prometheus"
	for _, f := range t.Go {
		for _, d := range f.AST.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				faults = append(faults, f.at(fn, "an init function: who imports a package has not asked it to do anything"))
			}
		}
		for _, spec := range f.AST.Imports {
			if importPath, _ := importName(spec); importPath == registry+"/promauto" {
				faults = append(faults, f.at(spec, "imports promauto: metrics come in through Options"))
			}
		}
		f.uses(func(importPath, n string, at ast.Node) {
			if importPath == registry && (n == "DefaultRegisterer" || n == "MustRegister" || n == "Register") {
				faults = append(faults, f.at(at, "uses prometheus.%s: metrics come in through Options", n))
			}
		})
	}
	return faults
}

// checkLength finds files that say too much.
func checkLength(t *Tree) []Fault {
	var faults []Fault
	for _, f := range t.Go {
		if !f.Test && f.Lines >= maxLines {
			faults = append(faults, Fault{f.Path, f.Lines, fmt.Sprintf("%d lines; a file has fewer than %d", f.Lines, maxLines)})
		}
	}
	return faults
}

// later are the words for what was left undone. They are put together here so that this file has
// none of them.
var later = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX)\b`)

// checkLater finds notes of what was left undone.
func checkLater(t *Tree) []Fault {
	var faults []Fault
	for _, f := range t.Go {
		for i, line := range bytes.Split(t.Text[f.Path], []byte("\n")) {
			if word := later.Find(line); word != nil {
				faults = append(faults, Fault{f.Path, i + 1, fmt.Sprintf("%s: do it now, or file it as an issue", word)})
			}
		}
	}
	return faults
}
