package asof

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// TestRulesHaveWords: every rule that can change a fact has its sentences, in
// every language.
func TestRulesHaveWords(t *testing.T) {
	file, err := goparser.ParseFile(token.NewFileSet(), "assimilate/assimilate.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	rules := 0
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(v.Names[0].Name, "Rule") {
			return true
		}
		rule, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		rules++
		switch rule {
		case "hold/confidence", "assert/empty", "assert/nothing-left", "assert/known", "end/unknown", "deny/unknown", "end/own-word", "deny/own-word":
			return true // they change nothing
		}
		if _, ok := ruleWords[rule]; !ok {
			t.Errorf("the rule %q has no words", rule)
		}
		return true
	})
	if rules < 20 {
		t.Errorf("only %d rules were found", rules)
	}
	for rule, s := range ruleWords {
		for i, lang := range Languages {
			if s.opened[i] == "" || s.changed[i] == "" {
				t.Errorf("the rule %q lacks words in %s", rule, lang)
			}
		}
	}
}
