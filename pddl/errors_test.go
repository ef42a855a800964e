package pddl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// errorsDoc is the page whose examples TestErrorsDoc runs. UPDATE=1 rewrites their
// output in the page.
var errorsDoc = filepath.Join("..", "docs", "ERRORS.md")

// laterStages heads the codes of other packages. Their examples are tested in
// cmd/planproof, which knows all packages.
const laterStages = "## Refusals of later stages"

const derivedDomain = `(define (domain derived)
  (:requirements :derived-predicates)
  (:predicates (p) (reached))
  (:derived (reached) (p)))`

// codesOf lists the codes declared in codes.go.
func codesOf(t *testing.T) []Code {
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []Code
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			s, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, Code(s))
		}
		return true
	})
	return out
}

// limitInputs make the codes whose examples are too long for a page.
var limitInputs = map[Code]func() (*Source, Diagnostics){
	NotText: func() (*Source, Diagnostics) { return parseAny("\xff\xfe(\x00d\x00") },
	NameTooLong: func() (*Source, Diagnostics) {
		return parseAny("(define (domain d) (:predicates (" + strings.Repeat("p", MaxNameLength+1) + ")))")
	},
	NestingTooDeep: func() (*Source, Diagnostics) {
		return parseAny("(define (domain d) (:predicates (p))\n(:action a :precondition " + strings.Repeat("(and ", 1e6) + strings.Repeat(")", 1e6) + "))")
	},
	TooManyErrors: func() (*Source, Diagnostics) {
		return parseAny("(define (domain d) (:predicates " + strings.Repeat("x ", 1000) + "))")
	},
	TooManyTypes: func() (*Source, Diagnostics) {
		var b strings.Builder
		for i := range MaxTypes + 1 {
			b.WriteString(" t" + itoa(i))
		}
		return parseAny("(define (domain d) (:requirements :typing) (:types" + b.String() + "))")
	},
	TooManyParameters: func() (*Source, Diagnostics) {
		var b strings.Builder
		for i := range MaxParameters + 1 {
			b.WriteString(" ?x" + itoa(i))
		}
		return parseAny("(define (domain d) (:predicates (p" + b.String() + ")))")
	},
	// A text of 4 GB is too long for a test; the check is two lines.
	FileTooLarge: nil,
}

func parseAny(text string) (*Source, Diagnostics) {
	src := NewSource("domain.pddl", text)
	_, ds := ParseDomain(src, Options{})
	return src, ds
}

// fence is a fenced block of the page.
type fence struct {
	info, text string
	line       int // of its first line in the page, from 0
}

func fences(lines []string, from, to int) (out []fence) {
	for i := from; i < to; i++ {
		if info, ok := strings.CutPrefix(lines[i], "```"); ok && info != "" {
			j := i + 1
			for lines[j] != "```" {
				j++
			}
			out = append(out, fence{info, strings.Join(lines[i+1:j], "\n"), i + 1})
			i = j
		}
	}
	return out
}

func runExample(t *testing.T, f fence, shared string) Diagnostics {
	text := f.text
	switch {
	case f.info == "plan":
		_, ds := ParsePlan(NewSource("plan.txt", text))
		return ds
	case f.info == "pddl as-domain" || strings.HasPrefix(text, "(define (dom") || !strings.HasPrefix(text, "(define"):
		_, ds := ParseDomain(NewSource("domain.pddl", text), Options{})
		return ds
	case f.info == "pddl derived":
		shared = derivedDomain
	}
	_, ds := ParseProblem(NewSource("problem.pddl", text), mustDomain(t, shared), Options{})
	return ds
}

// TestErrorsDoc proves that docs/ERRORS.md explains every code, and that each of its
// examples gives that code and exactly the output shown.
func TestErrorsDoc(t *testing.T) {
	b, err := os.ReadFile(errorsDoc)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	rest := slices.Index(lines, laterStages)
	if rest < 0 {
		t.Fatalf("no heading %q", laterStages)
	}
	sections := map[Code][2]int{}
	var order []Code
	for i, l := range lines[:rest] {
		if !strings.HasPrefix(l, "##") {
			continue
		}
		if n := len(order); n > 0 {
			if s := sections[order[n-1]]; s[1] == 0 {
				sections[order[n-1]] = [2]int{s[0], i}
			}
		}
		if name, ok := strings.CutPrefix(l, "### "); ok {
			order = append(order, Code(name))
			sections[Code(name)] = [2]int{i, 0}
		}
	}
	last := order[len(order)-1]
	sections[last] = [2]int{sections[last][0], rest}
	first := sections[order[0]][0]
	shared := fences(lines, 0, first)[0].text
	known := map[Code]bool{}
	for _, c := range codesOf(t) {
		known[c] = true
		if _, ok := sections[c]; !ok {
			t.Errorf("%s is not explained in %s", c, errorsDoc)
		}
	}
	replace := map[int]string{}
	for _, c := range order {
		if !known[c] {
			t.Errorf("%s explains %s, which is no code", errorsDoc, c)
		}
		s := sections[c]
		blocks := fences(lines, s[0], s[1])
		if limit, ok := limitInputs[c]; ok {
			if limit != nil {
				_, ds := limit()
				expectCode(t, c, ds, "generated input")
			}
			continue
		}
		if len(blocks) == 0 || len(blocks)%2 != 0 {
			t.Errorf("%s: %d blocks; want examples with their output", c, len(blocks))
			continue
		}
		for i := 0; i < len(blocks); i += 2 {
			ds := runExample(t, blocks[i], shared)
			expectCode(t, c, ds, blocks[i].text)
			got := strings.TrimRight(ds.Error(), "\n")
			if want := blocks[i+1].text; got != want {
				replace[blocks[i+1].line] = got
				if os.Getenv("UPDATE") == "" {
					t.Errorf("%s: the page says\n%s\nbut the output is\n%s", c, want, got)
				}
			}
		}
	}
	if os.Getenv("UPDATE") != "" && len(replace) > 0 {
		updateFences(t, lines, replace)
	}
}

// expectCode checks that code is reported; an example of an error has no other
// error before it.
func expectCode(t *testing.T, c Code, ds Diagnostics, input string) {
	t.Helper()
	for _, d := range ds {
		if d.Code == c {
			return
		}
	}
	t.Errorf("%s: not reported; got\n%v\nfor\n%s", c, ds, input)
}

func updateFences(t *testing.T, lines []string, replace map[int]string) {
	var out []string
	for i := 0; i < len(lines); i++ {
		text, ok := replace[i]
		if !ok {
			out = append(out, lines[i])
			continue
		}
		out = append(out, strings.Split(text, "\n")...)
		for lines[i] != "```" {
			i++
		}
		out = append(out, "```")
	}
	if err := os.WriteFile(errorsDoc, []byte(strings.Join(out, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}
