package lint

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
)

// whyFused is the reason against a product that is not rounded where it stands. Go may fold x*y + z
// into one operation with one rounding, even where the product went through a variable or a
// function that is inlined; arm64 has that operation and amd64, as Go builds for it, has not.
const whyFused = "this product may be fused with a sum, and then differs by processor: write float64(x*y)"

// fusedProducts returns the products of floating-point numbers in a type-checked file that a
// compiler may leave unrounded: all but constants, those that are exact because a factor is a power
// of two, and those that go straight into a conversion, another product, a quotient or a comparison.
func fusedProducts(file *ast.File, info *types.Info) []ast.Node {
	var found []ast.Node
	rounded := map[ast.Expr]bool{} // Products whose use rounds them or cannot fuse.
	float := func(e ast.Expr) bool {
		tv, ok := info.Types[e]
		if !ok || tv.Value != nil {
			return false
		}
		basic, ok := tv.Type.Underlying().(*types.Basic)
		return ok && basic.Info()&(types.IsFloat|types.IsComplex) != 0
	}
	exact := func(factor ast.Expr) bool {
		tv := info.Types[factor]
		if tv.Value == nil {
			return false
		}
		f, _ := constant.Float64Val(constant.ToFloat(tv.Value))
		fraction, _ := math.Frexp(f)
		return math.Abs(fraction) == 0.5
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if info.Types[n.Fun].IsType() {
				rounded[ast.Unparen(n.Args[0])] = true
			}
		case *ast.BinaryExpr:
			switch n.Op {
			case token.MUL, token.QUO, token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
				rounded[ast.Unparen(n.X)], rounded[ast.Unparen(n.Y)] = true, true
			}
			if n.Op == token.MUL && float(n) && !rounded[n] && !exact(n.X) && !exact(n.Y) {
				found = append(found, n)
			}
		case *ast.AssignStmt:
			if n.Tok == token.MUL_ASSIGN && float(n.Lhs[0]) && !exact(n.Rhs[0]) {
				found = append(found, n)
			}
		}
		return true
	})
	return found
}
