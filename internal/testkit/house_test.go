package testkit

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// What the house may have at most. Lower a number when you have mended something; raising one needs a reason.
const (
	mostLongFiles     = 0 // of more than 400 lines
	mostLongFunctions = 5 // of more than 60 lines
	mostCopies        = 1 // runs of six or more equal lines of code in two places
)

// housePackage is what is counted of a package.
type housePackage struct {
	lines, public, longFiles, longFunctions int
}

// TestHouse counts, over all Go files but tests, the lines and public entries (functions, types, methods of public types,
// constants, variables) of each package, files over 400 lines, functions over 60, and copies. `make house` prints them;
// docs/decisions/layout.md has the table.
func TestHouse(t *testing.T) {
	packages := map[string]*housePackage{}
	var all housePackage
	var copies copyFinder
	for _, g := range goFiles(t) {
		if g.test || strings.HasPrefix(g.pkg, "examples/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(Root(), g.path))
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, g.path, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		p := packages[g.pkg]
		if p == nil {
			p = &housePackage{}
			packages[g.pkg] = p
		}
		lines := bytes.Count(text, []byte("\n"))
		p.lines += lines
		if lines > 400 {
			p.longFiles++
			t.Logf("%s: %d lines", g.path, lines)
		}
		for _, d := range f.Decls {
			p.public += publicEntries(d)
			if fn, ok := d.(*ast.FuncDecl); ok {
				if n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1; n > 60 {
					p.longFunctions++
					t.Logf("%s: %s has %d lines", g.path, fn.Name.Name, n)
				}
			}
		}
		copies.add(g.path, set, f, text)
	}
	var table strings.Builder
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		p := packages[name]
		all.lines, all.public = all.lines+p.lines, all.public+p.public
		all.longFiles, all.longFunctions = all.longFiles+p.longFiles, all.longFunctions+p.longFunctions
		fmt.Fprintf(&table, "| `%s` | %d | %d | %d | %d |\n", name, p.lines, p.public, p.longFiles, p.longFunctions)
	}
	found := copies.find()
	for _, c := range found {
		t.Logf("copy: %s", c)
	}
	t.Logf("lines, public entries, files over 400, functions over 60:\n%s| all | %d | %d | %d | %d |\ncopies: %d",
		table.String(), all.lines, all.public, all.longFiles, all.longFunctions, len(found))
	if len(packages) < 50 || all.lines < 50_000 {
		t.Fatalf("only %d packages of %d lines: this test looks at the wrong tree", len(packages), all.lines)
	}
	for _, c := range []struct {
		what    string
		n, most int
	}{{"files of more than 400 lines", all.longFiles, mostLongFiles}, {"functions of more than 60 lines", all.longFunctions, mostLongFunctions}, {"copies", len(found), mostCopies}} {
		if c.n > c.most {
			t.Errorf("%d %s, more than %d: `make house` lists them", c.n, c.what, c.most)
		}
	}
}

// publicEntries counts what a declaration adds to `go doc`.
func publicEntries(d ast.Decl) (n int) {
	count := func(name *ast.Ident) {
		if name.IsExported() {
			n++
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || receiverIsPublic(d.Recv.List[0].Type) {
			count(d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				count(s.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					count(name)
				}
			}
		}
	}
	return n
}

func receiverIsPublic(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// copyLines is the length of a run that counts as a copy.
const copyLines = 6

// codeLine is a line without white space around it.
type codeLine struct {
	path string
	line int
	text string
}

// copyFinder finds runs of equal lines. Imports, comments and lines of mere brackets are left out.
type copyFinder struct{ lines []codeLine }

func (c *copyFinder) add(path string, set *token.FileSet, f *ast.File, text []byte) {
	skip := map[int]bool{}
	leave := func(n ast.Node) {
		for i := set.Position(n.Pos()).Line; i <= set.Position(n.End()).Line; i++ {
			skip[i] = true
		}
	}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			leave(g)
		}
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); strings.ContainsFunc(line, unicode.IsLetter) && !skip[i+1] && !strings.HasPrefix(line, "//") {
			c.lines = append(c.lines, codeLine{path, i + 1, line})
		}
	}
	c.lines = append(c.lines, codeLine{}) // a run ends with its file
}

// find lists the copies, each as its two places, the longest first.
func (c *copyFinder) find() []string {
	at := map[string][]int{}
	window := func(i int) (key string, ok bool) {
		var b strings.Builder
		for _, l := range c.lines[i:min(i+copyLines, len(c.lines))] {
			if l.path == "" {
				return "", false
			}
			b.WriteString(l.text + "\n")
		}
		return b.String(), i+copyLines <= len(c.lines)
	}
	type pair struct{ from, to, lines int }
	var pairs []pair
	for i := range c.lines {
		key, ok := window(i)
		if !ok {
			continue
		}
		for _, j := range at[key] {
			if i > 0 && j > 0 && c.lines[i-1].path != "" && c.lines[i-1].text == c.lines[j-1].text {
				continue // inside a longer run
			}
			n := 0
			for i+n < len(c.lines) && c.lines[i+n].path != "" && j+n < i && c.lines[i+n].text == c.lines[j+n].text {
				n++
			}
			if n >= copyLines {
				pairs = append(pairs, pair{j, i, n})
			}
		}
		at[key] = append(at[key], i)
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.lines, a.lines) })
	var out []string
	for _, p := range pairs {
		a, b := c.lines[p.from], c.lines[p.to]
		out = append(out, fmt.Sprintf("%d lines at %s:%d and %s:%d", p.lines, a.path, a.line, b.path, b.line))
	}
	return out
}
