package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
)

// Ablation: the tests of the package are run once with readers that note what they read. Then everything is read again,
// with one rule switched off at a time, and what is read differently is counted. A rule is a function that decides
// something: off, it answers no. A condition is one operand of "and" or "or", or what an "if" or a "case" asks: off, it
// is left out. Nothing of this is in the package: a copy of its files has the switches, and a build puts it in their
// place.

// site is a place that can be switched off.
type site struct {
	ID    int            `json:"id"`
	Rule  bool           `json:"rule"` // a function, else a condition
	Name  string         `json:"name"` // of the function
	Text  string         `json:"text"` // what it says: of a function its comment
	Place string         `json:"place"`
	Asked int            `json:"asked"` // readings that ask it
	Moved map[string]int `json:"moved"` // readings that are others without it, by what they come from
}

// notAblated are files that compile what a task or a test needs, before anything is read.
var notAblated = []string{"lexicon.go", "lexicon_cache.go", "template_words.go", "vocabulary.go", "completion.go", "strict.go", "verdict.go", "extraction.go"}

// switches writes switches into the source of a file.
type switches struct {
	file  *gotoken.FileSet
	name  string
	src   []byte
	edits []edit
	sites *[]site
	in    string // the function
}

type edit struct {
	at   int
	text string
}

func (s *switches) text(n ast.Node) string { return string(s.src[s.at(n.Pos()):s.at(n.End())]) }

func (s *switches) at(p gotoken.Pos) int { return s.file.Position(p).Offset }

func (s *switches) insert(at int, text string) { s.edits = append(s.edits, edit{at, text}) }

// add numbers a site.
func (s *switches) add(n ast.Node, rule bool, text string) int {
	id := len(*s.sites) + 1
	text = strings.Join(strings.Fields(text), " ")
	*s.sites = append(*s.sites, site{ID: id, Rule: rule, Name: s.in, Text: text, Place: fmt.Sprintf("%s:%d", s.name, s.file.Position(n.Pos()).Line)})
	return id
}

// function makes a function that decides something answer no when it is switched off.
func (s *switches) function(f *ast.FuncDecl) {
	s.in = f.Name.Name
	if f.Type.Results == nil || f.Body == nil {
		return
	}
	var declare, names []string
	decides := false
	for _, r := range f.Type.Results.List {
		t := s.text(r.Type)
		decides = decides || t == "bool" || t == "saying" || t == "answerKind" || t == "likeness" || t == "role" || t == "option"
		for range max(1, len(r.Names)) {
			names = append(names, fmt.Sprintf("r%d", len(names)))
			declare = append(declare, fmt.Sprintf("var %s %s; ", names[len(names)-1], t))
		}
	}
	if decides || len(names) == 1 && s.text(f.Type.Results.List[0].Type) == "int" {
		id := s.add(f, true, f.Doc.Text())
		s.insert(s.at(f.Body.Lbrace)+1, fmt.Sprintf("if ablationOff(%d) { %sreturn %s }; ", id, strings.Join(declare, ""), strings.Join(names, ", ")))
	}
}

// condition puts a switch around a condition and the parts of it. Without it an operand of "and" is true, others are
// false.
func (s *switches) condition(e ast.Expr, without string) {
	if without != "" {
		if _, constant := e.(*ast.BasicLit); constant {
			return
		}
		s.insert(s.at(e.Pos()), fmt.Sprintf("%s(%d, ", without, s.add(e, false, s.text(e))))
		defer func() { s.insert(s.at(e.End()), ")") }()
	}
	s.parts(e)
}

// parts visits the operands within an expression.
func (s *switches) parts(n ast.Node) {
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.BinaryExpr:
			if m.Op != gotoken.LAND && m.Op != gotoken.LOR {
				return true
			}
			without := map[gotoken.Token]string{gotoken.LAND: "ablationTrue", gotoken.LOR: "ablationFalse"}[m.Op]
			for _, side := range []ast.Expr{m.X, m.Y} {
				if b, ok := side.(*ast.BinaryExpr); ok && b.Op == m.Op {
					s.condition(side, "") // a || b || c
				} else {
					s.condition(side, without)
				}
			}
			return false
		case *ast.FuncLit:
			s.statements(m.Body)
			return false
		}
		return true
	})
}

// statements visits what ifs and cases ask, and counts the turns of loops, which may not end without a rule.
func (s *switches) statements(n ast.Node) {
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.IfStmt:
			if m.Init != nil {
				s.statements(m.Init)
			}
			s.condition(m.Cond, "ablationFalse")
			s.statements(m.Body)
			if m.Else != nil {
				s.statements(m.Else)
			}
			return false
		case *ast.ForStmt:
			s.insert(s.at(m.Body.Lbrace)+1, "ablationTurn(); ")
			s.statements(m.Body)
			return false
		case *ast.RangeStmt:
			s.statements(m.Body)
			return false
		case *ast.SwitchStmt:
			if m.Tag != nil {
				return true
			}
			for _, c := range m.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					s.condition(e, "ablationFalse")
				}
				for _, b := range c.(*ast.CaseClause).Body {
					s.statements(b)
				}
			}
			return false
		case ast.Expr:
			s.parts(m)
			return false
		}
		return true
	})
}

// recorded are the methods whose calls are noted, with their names in the copy.
var recorded = regexp.MustCompile(`(?m)^func \((\w) (\*Reader|\*StateReader|\*VerdictReader)\) (Extract|Read)\(`)

// withSwitches writes the copies of the package's files to a folder, with what goes with them, and returns their
// overlay.
func withSwitches(t *testing.T, dir string) (overlay string, sites []site) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("*.go")
	replace := map[string]string{}
	write := func(name string, text []byte) {
		to := filepath.Join(dir, name)
		if err := os.WriteFile(to, text, 0o666); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(here, name)] = to
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") || slices.Contains(notAblated, name) {
			continue
		}
		set := gotoken.NewFileSet()
		f, err := parser.ParseFile(set, name, src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		s := &switches{file: set, name: name, src: src, sites: &sites}
		for _, d := range f.Decls {
			if fun, ok := d.(*ast.FuncDecl); ok {
				s.function(fun)
				s.statements(fun.Body)
			}
		}
		sort.SliceStable(s.edits, func(a, b int) bool { return s.edits[a].at < s.edits[b].at })
		var out bytes.Buffer
		at := 0
		for _, e := range s.edits {
			out.Write(src[at:e.at])
			out.WriteString(e.text)
			at = e.at
		}
		out.Write(src[at:])
		text := recorded.ReplaceAll(out.Bytes(), []byte("func ($1 $2) ablated$3("))
		write(name, bytes.ReplaceAll(text, []byte("o.memo.find(&key, hash)"), []byte("(*memoSlot)(nil)"))) // every line is read
	}
	for name, text := range map[string]string{"ablation_switch.go": "testdata/ablation/switch.txt", "ablation_main_test.go": "testdata/ablation/main_test.txt"} {
		src, err := os.ReadFile(text)
		if err != nil {
			t.Fatal(err)
		}
		write(name, src)
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o666); err != nil {
		t.Fatal(err)
	}
	return overlay, sites
}

// TestAblation prints how many readings change without each rule, and the conditions without which none does. It reads
// PlanBench's answers, the written ones and those of the attack; PLANPROOF_ABLATION=conditions tries conditions in place
// of rules, and adds the mutants and the decorated answers. PLANPROOF_ABLATION=asked only says what is never asked.
func TestAblation(t *testing.T) {
	if os.Getenv("PLANPROOF_LONG") == "" {
		t.Skip("reads everything some hundred times; PLANPROOF_LONG=1 runs it")
	}
	dir := t.TempDir()
	overlay, sites := withSwitches(t, dir)
	list, err := json.Marshal(sites)
	if err != nil {
		t.Fatal(err)
	}
	in, out := filepath.Join(dir, "sites.json"), filepath.Join(dir, "moved.json")
	if err := os.WriteFile(in, list, 0o666); err != nil {
		t.Fatal(err)
	}
	tests := "Corpus(Planbench|Answers)|OwnAnswers|Denials|Golden|Rules|NotRead|Attack"
	if os.Getenv("PLANPROOF_ABLATION") != "" {
		tests += "|EndsAnywhere|Mutants|Decorated|ReadState|StateScore|ReadVerdict|Unfinished|ToolCalls|Confidence|Injections|NoLine|AnyFormat|LastBlock|Example"
	}
	cmd := exec.Command("go", "test", "-vet=off", "-overlay", overlay, "-timeout", "0", "-run", tests, ".")
	cmd.Env = append(os.Environ(), "PLANPROOF_LONG=", "ABLATION_IN="+in, "ABLATION_OUT="+out)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if sites = nil; json.Unmarshal(text, &sites) != nil {
		t.Fatal("no result")
	}
	moving, mode := 0, os.Getenv("PLANPROOF_ABLATION")
	for _, s := range sites {
		switch moved := len(s.Moved) > 0; {
		case moved:
			moving++
			if s.Rule {
				t.Logf("%s %s: %.120s | %v of %d", s.Place, s.Name, s.Text, s.Moved, s.Asked)
			}
		case mode == "asked" && s.Asked > 0: // not tried
		case s.Rule == (mode == ""):
			t.Logf("%s %s: nothing changes in %d answers without %.120s", s.Place, s.Name, s.Asked, s.Text)
		}
	}
	if moving == 0 && mode != "asked" {
		t.Error("no reading depends on any rule")
	}
}
