package testkit

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// mayImport is the import rule of ARCHITECTURE.md: which of our packages each
// package may import, apart from internal/*. Only non-test files are held to it
// (a test may, for instance, let the validator judge what search found), except in
// validator, whose tests are held to it too: the judge stands alone.
var mayImport = map[string][]string{
	"pddl":                  {},
	"grounder":              {"grounder/fdr", "pddl"},
	"grounder/fdr":          {},
	"validator":             {"pddl"},
	"validator/timeline":    {"validator", "pddl"},
	"validator/retime":      {"validator", "pddl"},
	"validator/project":     {"validator", "pddl"},
	"validator/val":         {"validator", "pddl"},
	"cmd/Validate":          {"validator/val"},
	"validator/batch":       {"validator", "domains", "domains/taskref", "pddl"},
	"domains":               {"pddl"},
	"domains/boxnet":        {"validator", "pddl"},
	"domains/boxnet/joint":  {"domains/boxnet", "domains/boxnet/proof", "search/sat"},
	"domains/boxnet/proof":  {"domains/boxnet"},
	"domains/boxnet/astar":  {"domains/boxnet"},
	"domains/boxnet/data":   {"domains/boxnet", "domains/boxnet/astar", "domains/boxnet/joint", "domains/boxnet/prompt", "domains/boxnet/proof", "validator"},
	"domains/boxnet/prompt": {"domains/boxnet"},
	"rltrain/multirobot":    {"domains/boxnet", "domains/boxnet/data", "domains/boxnet/prompt", "rltrain/reward", "llmbridge/extract", "validator"},
	"search/sat":            {},
	"search/state":          {"grounder", "pddl"},
	"search/heuristic":      {"search/state", "grounder", "pddl"},
	"search/certificate":    {"search/certificate/proof", "grounder", "pddl"},
	"search/symbolic/bdd":   {},
	"search/symbolic":       {"search/symbolic/bdd", "search/state", "grounder", "pddl"},
	"search/prune":          {"grounder", "pddl"},
	"search/symmetry":       {"grounder", "pddl"},
	"search":                {"search/prune", "search/symmetry", "search/symbolic", "search/certificate", "search/heuristic", "search/state", "grounder", "pddl"},
	"search/lifted":         {"search", "search/state", "grounder", "pddl"},
	"search/space":          {"search", "search/certificate", "search/state", "grounder", "pddl"},
	"costmodel":             {"search", "search/space", "search/heuristic", "search/state", "validator", "grounder", "pddl"},
	"costmodel/report":      {"domains", "domains/taskref", "costmodel", "costmodel/store", "search", "validator", "grounder", "pddl"},
	"costmodel/store":       {"domains", "domains/taskref", "costmodel", "search", "search/space", "search/certificate", "validator", "grounder", "pddl"},
	"llmbridge":             {},
	"llmbridge/contract":    {"domains", "pddl"},
	"llmbridge/extract":     {"llmbridge/contract", "domains", "pddl"},
	"llmbridge/prompt":      {"domains/taskref", "llmbridge/contract", "llmbridge/extract", "costmodel", "search", "validator", "domains", "pddl"},
	"llmbridge/constrain":   {"llmbridge/contract", "search", "search/space", "validator", "grounder", "pddl"},
	"llmbridge/feedback":    {"llmbridge/prompt", "search", "search/space", "validator", "validator/retime", "grounder", "domains", "pddl"},
	"llmbridge/grade":       {"llmbridge/extract", "llmbridge/prompt", "search", "validator", "pddl"},
	"llmbridge/model":       {"llmbridge/extract", "llmbridge/prompt", "search", "search/space", "grounder", "pddl"},
	"llmbridge/episode":     {"domains/constraints", "llmbridge/eval", "llmbridge/extract", "llmbridge/model", "llmbridge/prompt", "search", "validator", "pddl"},
	"llmbridge/eval":        {"domains", "domains/taskref", "costmodel", "search", "grounder", "llmbridge/constrain", "llmbridge/extract", "llmbridge/feedback", "llmbridge/grade", "llmbridge/model", "llmbridge/prompt", "validator", "pddl"},
	"llmbridge/acp":         {"domains/taskref", "grounder", "search", "search/space", "search/state", "pddl"},
	"llmbridge/audit":       {"domains/taskref", "domains/travel", "llmbridge/acp", "search", "llmbridge/eval", "llmbridge/extract", "llmbridge/prompt", "domains", "pddl"},
	"llmbridge/treebench":   {"domains/taskref", "llmbridge/eval", "llmbridge/treesearch", "llmbridge/model", "costmodel", "search", "grounder", "domains", "pddl"},
	"llmbridge/mcpserver":   {".", "domains", "domains/taskref", "domains/tools", "llmbridge/constrain", "llmbridge/extract", "llmbridge/feedback", "rltrain/oracle", "rltrain/reward", "search", "search/certificate", "validator", "grounder", "pddl"},
	"llmbridge/debugger":    {".", "domains", "domains/boxnet", "domains/boxnet/data", "llmbridge/episode", "llmbridge/extract", "llmbridge/feedback", "rltrain/oracle", "rltrain/reward", "search", "search/space", "validator", "validator/timeline", "pddl"},
	"cmd/playground":        {"llmbridge/debugger"},
	"llmbridge/treesearch":  {"llmbridge/extract", "llmbridge/prompt", "llmbridge/model", "costmodel", "search", "search/space", "search/heuristic", "search/state", "validator", "grounder", "domains", "pddl"},
	"domains/taskref":       {"domains", "pddl"},
	"domains/constraints":   {"domains", "validator", "pddl"},
	"domains/travel":        {"validator", "pddl"},
	"domains/tools":         {"search", "search/space", "validator", "grounder", "pddl"},
	"rltrain":               {},
	"rltrain/reward":        {"llmbridge/extract", "costmodel", "validator", "pddl"},
	"rltrain/itineraries":   {"domains/travel", "rltrain/reward"},
	"rltrain/toolworlds":    {"domains/tools", "domains/constraints", "rltrain/itineraries", "rltrain/dataset", "rltrain/reward", "search", "validator", "pddl"},
	"rltrain/readings":      {"domains/taskref", "rltrain/rows", "llmbridge/extract", "pddl"},
	"rltrain/rows":          {"domains/taskref", "rltrain/reward", "llmbridge/extract", "validator", "pddl"},
	"rltrain/groups":        {"rltrain/rows", "rltrain/reward"},
	"rltrain/oracle":        {"domains/taskref", "rltrain/groups", "rltrain/multirobot", "rltrain/rows", "rltrain/reward", "llmbridge/constrain", "llmbridge/episode", "llmbridge/extract", "llmbridge/prompt", "costmodel", "search", "search/certificate", "search/space", "validator", "grounder", "domains", "pddl"},
	"rltrain/dataset":       {"domains/taskref", "rltrain/oracle", "rltrain/groups", "rltrain/rows", "llmbridge/constrain", "llmbridge/extract", "llmbridge/prompt", "costmodel", "search", "search/space", "search/state", "validator", "grounder", "domains", "pddl"},
	"rltrain/server":        {"rltrain/oracle"},
	"cmd/planproof":         {"*"},
	".":                     {"domains/taskref", "rltrain/oracle", "rltrain/rows", "rltrain/reward", "llmbridge/extract", "search", "search/certificate", "validator", "grounder", "domains", "pddl"},
	"internal/reproduce":    {"costmodel", "costmodel/report", "domains", "domains/boxnet", "domains/boxnet/data", "domains/boxnet/joint", "domains/taskref", "domains/travel", "grounder", "llmbridge/episode", "llmbridge/eval", "llmbridge/extract", "llmbridge/model", "llmbridge/prompt", "llmbridge/treebench", "llmbridge/treesearch", "pddl", "rltrain/dataset", "rltrain/reward", "search"},
	"internal/pipeline":     {"search", "search/heuristic", "search/lifted", "search/space", "search/certificate", "validator", "grounder", "pddl"},
	"internal/cmdline":      {"domains"},
	"internal/doctor":       {".", "search", "validator", "grounder", "pddl"},
	"pddl/syntax":           {},
	"internal/lsp":          {".", "pddl/syntax", "search", "validator", "validator/project", "pddl"},
	"internal/peers":        {"search", "grounder", "pddl"},
	"internal/taskline":     {"costmodel", "domains", "domains/taskref", "search", "search/space", "grounder", "pddl"},
	"internal/features":     {"search", "search/heuristic", "validator", "grounder", "pddl"},
	"internal/world":        {"search", "search/space", "validator", "grounder", "domains", "pddl"},
	"internal/atomtext":     {"pddl"},
	"internal/secondjudge":  {"pddl"},
	"internal/pddltest":     {"domains", "pddl"},
	"internal/tasktest":     {"domains", "search/certificate", "grounder", "pddl"},

	// The checker is small enough to be read: TestCheckerIsSmall.
	"search/certificate/proof": {"grounder/fdr"},
	"cmd/planproof-check":      {"search/certificate/proof"},
}

// thirdParty names the only places where a fixed dependency may be used; a
// dependency that is not named here may be used only by cmd and by tests.
var thirdParty = map[string][]string{
	"github.com/alecthomas/participle/v2": {"pddl", "search"},
	"github.com/cespare/xxhash/v2":        {"pddl", "domains", "search", "search/space", "search/state", "grounder", "validator", "rltrain", "internal"},
	"github.com/emirpasic/gods":           {"*"},
	"golang.org/x/sync":                   {"*"},
	"golang.org/x/text":                   {"domains/travel"},
	"github.com/creachadair/jrpc2":        {"internal"},
	"github.com/coder/websocket":          {"rltrain/server"},
	"github.com/prometheus/client_golang": {"rltrain/server"},
	"github.com/google/jsonschema-go":     {"llmbridge/mcpserver"},
	"github.com/modelcontextprotocol":     {"llmbridge/mcpserver"},
	"modernc.org/sqlite":                  {"costmodel/store"},
	"github.com/parquet-go/parquet-go":    {"rltrain/dataset"},
	"github.com/urfave/cli/v2":            {"internal"}, // internal/cmdline, and cmd
}

type goFile struct {
	pkg, path string
	test      bool
	doc       bool // it has the package's comment
	imports   []string
}

func goFiles(t *testing.T) []goFile {
	root := Root()
	var files []goFile
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata" || d.Name() == "python") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		g := goFile{pkg: filepath.ToSlash(filepath.Dir(rel)), path: rel, test: strings.HasSuffix(path, "_test.go"), doc: f.Doc != nil}
		for _, i := range f.Imports {
			p, _ := strconv.Unquote(i.Path.Value)
			g.imports = append(g.imports, p)
		}
		files = append(files, g)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func allowed(list []string, name string) bool {
	for _, a := range list {
		if a == "*" || a == name {
			return true
		}
	}
	return false
}

// TestPackageDocs: every package says what it is for.
func TestPackageDocs(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range goFiles(t) {
		if !f.test {
			documented[f.pkg] = documented[f.pkg] || f.doc
		}
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("package %s has no comment", pkg)
		}
	}
}

// TestImportRules fails on an import against the arrows of ARCHITECTURE.md.
func TestImportRules(t *testing.T) {
	for _, f := range goFiles(t) {
		may, known := mayImport[f.pkg]
		if !known && !strings.HasPrefix(f.pkg, "internal/") && !strings.HasPrefix(f.pkg, "domains/") && !strings.HasPrefix(f.pkg, "examples/") {
			t.Errorf("%s: package %s has no row in mayImport", f.path, f.pkg)
			continue
		}
		if strings.HasPrefix(f.pkg, "examples/") {
			may = []string{"*"}
		}
		if !known && strings.HasPrefix(f.pkg, "domains/") {
			may = []string{"pddl", "search"}
		}
		for _, imp := range f.imports {
			if ours, ok := strings.CutPrefix(imp+"/", "github.com/planproof/planproof/"); ok {
				ours = cmp.Or(strings.TrimSuffix(ours, "/"), ".") // the façade
				if f.test && f.pkg != "validator" || strings.HasPrefix(ours, "internal/") || ours == f.pkg {
					continue
				}
				if !allowed(may, ours) {
					t.Errorf("%s: %s may not import %s", f.path, f.pkg, ours)
				}
				continue
			}
			if f.test || f.pkg == "cmd/planproof" || !strings.Contains(strings.Split(imp, "/")[0], ".") {
				continue // tests, the command and the standard library
			}
			if !thirdPartyAllowed(f.pkg, imp) {
				t.Errorf("%s: %s may not use %s (docs/decisions lists the dependencies)", f.path, f.pkg, imp)
			}
		}
	}
}

func thirdPartyAllowed(pkg, imp string) bool {
	if strings.HasPrefix(pkg, "internal/") {
		pkg = "internal"
	}
	for dep, where := range thirdParty {
		if imp == dep || strings.HasPrefix(imp, dep+"/") {
			return allowed(where, pkg)
		}
	}
	return false
}

// TestParticipleStaysAtTheEdge holds participle to the two places it is meant for:
// the skeleton of a file, and search strings.
func TestParticipleStaysAtTheEdge(t *testing.T) {
	for _, f := range goFiles(t) {
		for _, imp := range f.imports {
			if strings.HasPrefix(imp, "github.com/alecthomas/participle") && !f.test && f.pkg == "search" && filepath.Base(f.path) != "config.go" {
				t.Errorf("%s uses participle; in search only config.go may", f.path)
			}
		}
	}
}

// TestFixedDependenciesAreUsed fails when a dependency of thirdParty has fallen out of use.
func TestFixedDependenciesAreUsed(t *testing.T) {
	var imports []string
	for _, f := range goFiles(t) {
		if !f.test {
			imports = append(imports, f.imports...)
		}
	}
	for dep := range thirdParty {
		if !slices.ContainsFunc(imports, func(imp string) bool { return imp == dep || strings.HasPrefix(imp, dep+"/") }) {
			t.Errorf("no package uses %s", dep)
		}
	}
}

// TestTopLevel fails when a folder appears at the top that the layout does not have.
func TestTopLevel(t *testing.T) {
	want := map[string]bool{}
	for _, n := range strings.Fields("cmd pddl grounder validator search costmodel llmbridge rltrain domains internal docs testdata bench playground examples editors") {
		want[n] = true
	}
	entries, err := os.ReadDir(Root())
	if err != nil {
		t.Fatal(err)
	}
	var odd []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !want[e.Name()] {
			odd = append(odd, e.Name())
		}
	}
	sort.Strings(odd)
	if len(odd) > 0 {
		t.Errorf("folders that ARCHITECTURE.md does not name: %v", odd)
	}
}

// mayRunSearch names the files that may call search.Run or lifted.Run. Everything else gets plans and
// optima from internal/pipeline, which has the judge confirm them.
var mayRunSearch = map[string]string{
	"internal/pipeline/pipeline.go": "the one way",
	"internal/pipeline/lifted.go":   "likewise, without grounding",
	"costmodel/solve.go":            "searches twice under made-up costs and confirms the plan under the real ones",
	"costmodel/shiftsearch.go":      "likewise",
	"llmbridge/feedback/repair.go":  "searches in tasks made of edits; each proposal is judged as a plan of the real one",
	"internal/features/features.go": "asks whether a search supports a feature; prints no cost",
}

// inspectSources visits the syntax of all Go files but tests.
func inspectSources(t *testing.T, visit func(path string, n ast.Node)) {
	for _, g := range goFiles(t) {
		if g.test {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(Root(), g.path), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			visit(g.path, n)
			return true
		})
	}
}

// TestSearchIsJudged fails where a search is run past the judge.
func TestSearchIsJudged(t *testing.T) {
	seen := map[string]bool{}
	inspectSources(t, func(path string, n ast.Node) {
		s, ok := n.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "Run" {
			return
		}
		if x, ok := s.X.(*ast.Ident); ok && (x.Name == "search" || x.Name == "lifted") {
			if seen[path] = true; mayRunSearch[path] == "" {
				t.Errorf("%s runs a search: use internal/pipeline, so that the judge confirms what is found", path)
			}
		}
	})
	for path := range mayRunSearch {
		if !seen[path] {
			t.Errorf("%s does not run a search any more: take it off the list", path)
		}
	}
}

// mayUseJSON names who may call functions of encoding/json. Everything else goes through internal/rowjson, which takes
// names exactly and refuses a name given twice, so that no two readers of one text see different values. Its types, such
// as json.RawMessage, may be used everywhere.
var mayUseJSON = map[string]string{
	"internal/rowjson":    "the one scanner and writer",
	"internal/mockserver": "plays servers of others: it must not share the code of the client that it tests",
	"examples/scoring":    "a program of somebody who imports planproof, and internal packages are out of reach for them",
}

// TestOneJSON fails where JSON is read or written past internal/rowjson.
func TestOneJSON(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range goFiles(t) {
		if g.test || !slices.Contains(g.imports, "encoding/json") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(Root(), g.path), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			s, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			// A conversion to one of the package's types is written like a call.
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "json" && !slices.Contains([]string{"RawMessage", "Number", "Delim"}, s.Sel.Name) {
				if seen[g.pkg] = true; mayUseJSON[g.pkg] == "" {
					t.Errorf("%s calls json.%s: use internal/rowjson", g.path, s.Sel.Name)
				}
			}
			return true
		})
	}
	for pkg := range mayUseJSON {
		if !seen[pkg] {
			t.Errorf("%s does not call encoding/json any more: take it off the list", pkg)
		}
	}
}

// TestWalksNameFiles fails where ARCHITECTURE.md or docs/EXTENDING.md names a file of Go or a test that does not exist.
// What EXTENDING.md says to write, and files of some NAME, need not exist.
func TestWalksNameFiles(t *testing.T) {
	var paths []string
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)`)
	for _, g := range goFiles(t) {
		paths = append(paths, "/"+filepath.ToSlash(g.path))
		if g.test {
			for _, m := range declared.FindAllStringSubmatch(readPage(t, g.path), -1) {
				tests[m[1]] = true
			}
		}
	}
	exists := func(name string) bool {
		return slices.ContainsFunc(paths, func(p string) bool { return strings.HasSuffix(p, "/"+name) })
	}
	walks, extending := readPage(t, "ARCHITECTURE.md"), readPage(t, "docs/EXTENDING.md")
	names := regexp.MustCompile(`[a-z_/]+\.go\b`).FindAllString(walks, -1)
	if len(names) < 30 {
		t.Fatalf("only %d names of files: this test looks at the wrong page", len(names))
	}
	for _, name := range names {
		if !exists(name) {
			t.Errorf("ARCHITECTURE.md names %s, which does not exist", name)
		}
	}
	written := regexp.MustCompile("\\*\\*\\d\\. Write [^`]*`([a-z_/]+\\.go)").FindAllStringSubmatch(extending, -1)
	for _, m := range regexp.MustCompile("`([A-Za-z_/]+\\.go)`").FindAllStringSubmatch(extending, -1) {
		isWritten := slices.ContainsFunc(written, func(w []string) bool { return w[1] == m[1] })
		if !strings.Contains(m[1], "NAME") && isWritten == exists(m[1]) {
			t.Errorf("docs/EXTENDING.md names %s: exists %v, to be written %v", m[1], exists(m[1]), isWritten)
		}
	}
	for _, m := range declared.FindAllStringSubmatch(extending, -1) { // tests to be written
		tests[m[1]] = true
	}
	for _, name := range regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(extending, -1) {
		if !tests[name] {
			t.Errorf("docs/EXTENDING.md names %s, which does not exist", name)
		}
	}
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Root(), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCheckerIsSmall: cmd/planproof-check and all that it links of ours have fewer than 1,500 lines that are neither
// empty nor comments, so that somebody can read what a proof rests on.
func TestCheckerIsSmall(t *testing.T) {
	const most = 1500
	files := goFiles(t)
	linked, todo := map[string]bool{}, []string{"cmd/planproof-check"}
	lines := 0
	for len(todo) > 0 {
		pkg := todo[0]
		if todo = todo[1:]; linked[pkg] {
			continue
		}
		linked[pkg] = true
		for _, g := range files {
			if g.pkg != pkg || g.test {
				continue
			}
			for _, imp := range g.imports {
				if ours, ok := strings.CutPrefix(imp, "github.com/planproof/planproof/"); ok {
					todo = append(todo, ours)
				} else if strings.Contains(strings.Split(imp, "/")[0], ".") {
					t.Errorf("%s links %s", g.path, imp)
				}
			}
			text, err := os.ReadFile(filepath.Join(Root(), g.path))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
					lines++
				}
			}
		}
	}
	if len(linked) < 3 || lines == 0 || lines >= most {
		t.Errorf("the checker links %d packages of %d lines, want fewer than %d lines", len(linked), lines, most)
	}
}

// TestCommandIsThin: the command is flags, one call and what it prints. What a user of Go or Python could want belongs
// to a package; this is what keeps it there.
func TestCommandIsThin(t *testing.T) {
	const most = 5000
	lines := 0
	for _, g := range goFiles(t) {
		if strings.HasPrefix(g.path, "cmd/planproof/") && !strings.HasSuffix(g.path, "_test.go") {
			text, err := os.ReadFile(filepath.Join(Root(), g.path))
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(text, []byte("\n"))
		}
	}
	if lines == 0 || lines >= most {
		t.Errorf("cmd/planproof has %d lines, want fewer than %d", lines, most)
	}
}
