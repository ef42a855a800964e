package validator

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
)

// TestFailureKinds: every constant of type FailureKind has names, once, and the pages list them.
func TestFailureKinds(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "verdict.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[FailureKind]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			if typ, ok := v.Type.(*ast.Ident); ok && typ.Name == "FailureKind" {
				kind, _ := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				declared[FailureKind(kind)] = true
			}
		}
		return true
	})
	if len(declared) < 13 {
		t.Fatalf("only %d kinds found", len(declared))
	}
	page := func(name string) string {
		text, err := os.ReadFile(filepath.Join(testkit.Root(), "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	feedback, oracle := page("FEEDBACK.md"), page("ORACLE.md")
	named := map[FailureKind]bool{}
	for _, n := range FailureKinds() {
		if !declared[n.Kind] || named[n.Kind] || n.Doc == "" || n.Word == "" && n.Kind != FailTimeout || n.Kind.Word() != n.Word {
			t.Errorf("names of %q: %+v", n.Kind, n)
		}
		named[n.Kind] = true
		inRow := false // of the table, kind and word beside each other
		for _, line := range strings.Split(feedback, "\n") {
			cells := strings.Split(line, "|")
			inRow = inRow || len(cells) > 3 && strings.Contains(cells[1], "`"+string(n.Kind)+"`") && strings.Contains(cells[2], "`"+n.Word+"`")
		}
		if !inRow && n.Kind != FailTimeout {
			t.Errorf("docs/FEEDBACK.md has no row with %s and %s", n.Kind, n.Word)
		}
		if !strings.Contains(oracle, "`"+n.Word+"`") && n.Word != "" {
			t.Errorf("docs/ORACLE.md does not mention %s", n.Word)
		}
	}
	for kind := range declared {
		if !named[kind] {
			t.Errorf("%s has no names in failureNames", kind)
		}
	}
}
