package testkit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostReturns is how many later files of a walk may call back into one that the walk has left.
const mostReturns = 2

// returnedTo names the files that more call back into, with the reason.
var returnedTo = map[string]string{
	"pddl/scanner.go": "the place in the text, which every reader of a construct moves on",
}

// TestWalksGoOn reads the two walks of ARCHITECTURE.md, and counts for each of their files the files after it in the same
// package that call its functions. Calls are matched by name; names declared in several files of a package are left out.
func TestWalksGoOn(t *testing.T) {
	walks := walkFiles(t)
	if len(walks) < 7 {
		t.Fatalf("only %d packages in the walks: this test looks at the wrong page", len(walks))
	}
	for _, pkg := range slices.Sorted(maps.Keys(walks)) {
		back := returns(t, pkg, walks[pkg])
		for file, from := range back {
			name := pkg + "/" + file
			t.Logf("%s is called by %s", name, strings.Join(from, ", "))
			if len(from) > mostReturns && returnedTo[name] == "" {
				t.Errorf("the walk returns to %s from %s", name, strings.Join(from, ", "))
			}
		}
	}
}

// walkFiles returns the files of the walks by package, in their order.
func walkFiles(t *testing.T) map[string][]string {
	walks := map[string][]string{}
	named := regexp.MustCompile(`^[\s│├└─►]*([a-z]+(?:/[a-z]+)?)\s`)
	file := regexp.MustCompile(`((?:[a-z]+/)*)([a-z_]+\.go)\b`)
	for _, section := range strings.Split(readPage(t, "ARCHITECTURE.md"), "\n## ") {
		if !strings.HasPrefix(section, "The walk of ") {
			continue
		}
		pkg := ""
		for line := range strings.Lines(strings.Split(section, "```")[1]) {
			if m := named.FindStringSubmatch(line); m != nil {
				pkg = m[1]
			}
			for _, m := range file.FindAllStringSubmatch(line, -1) {
				in := pkg
				if m[1] != "" { // of a package below
					in = filepath.ToSlash(filepath.Join(pkg, m[1]))
				}
				if !slices.Contains(walks[in], m[2]) {
					walks[in] = append(walks[in], m[2])
				}
			}
		}
	}
	return walks
}

// returns lists by file of a package the later ones that call its functions.
func returns(t *testing.T, pkg string, files []string) map[string][]string {
	declared := map[string]string{} // function -> file, "" if in several
	parsed := map[string]*ast.File{}
	paths, err := filepath.Glob(filepath.Join(Root(), pkg, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %v", pkg, paths, err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parsed[name] = f
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				if was, seen := declared[fn.Name.Name]; seen && was != name {
					declared[fn.Name.Name] = ""
				} else {
					declared[fn.Name.Name] = name
				}
			}
		}
	}
	back := map[string][]string{}
	for i, from := range files {
		if parsed[from] == nil {
			continue // of another package, which the picture names beside this one
		}
		ast.Inspect(parsed[from], func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := ""
			switch f := call.Fun.(type) {
			case *ast.Ident:
				name = f.Name
			case *ast.SelectorExpr:
				name = f.Sel.Name
			}
			to := declared[name]
			if at := slices.Index(files, to); at >= 0 && at < i && !slices.Contains(back[to], from) {
				back[to] = append(back[to], from)
			}
			return true
		})
	}
	return back
}
