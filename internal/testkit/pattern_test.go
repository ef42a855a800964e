package testkit

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"testing"
)

// TestPatternsCompile: each text of internal/pattern is a regular expression. They are compiled when they are first
// used, which no start of a program shows.
func TestPatternsCompile(t *testing.T) {
	patterns := 0
	inspectSources(t, func(path string, n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return
		}
		if fun, ok := call.Fun.(*ast.SelectorExpr); !ok || fun.Sel.Name != "New" || !named(fun.X, "pattern") {
			return
		}
		patterns++
		text, ok := constantText(call.Args[0])
		if !ok {
			t.Errorf("%s: a pattern whose text this test cannot read", path)
		} else if _, err := regexp.Compile(text); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	})
	if patterns < 50 {
		t.Errorf("only %d patterns", patterns)
	}
}

func named(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// constantText returns the text of literals and of constants of their file, joined by "+".
func constantText(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		x, ok := constantText(e.X)
		y, ok2 := constantText(e.Y)
		return x + y, ok && ok2 && e.Op == token.ADD
	case *ast.Ident:
		if e.Obj != nil {
			if spec, ok := e.Obj.Decl.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
				return constantText(spec.Values[0])
			}
		}
	}
	return "", false
}
