package main

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/search/lifted"
	"github.com/planproof/planproof/validator"
)

// errorsDoc explains every code. Package pddl proves the examples of its own codes;
// this file proves those of the stages after reading. UPDATE=1 rewrites their output.
var errorsDoc = filepath.Join("..", "..", "docs", "ERRORS.md")

const laterStages = "## Refusals of later stages"

// stages refuse a problem, by the info word of an example's output.
var refusingStages = map[string]func(*pddl.Problem) error{
	"text ground": func(p *pddl.Problem) error {
		_, err := grounder.Ground(context.Background(), p, grounder.Options{NumericFluents: true})
		return err
	},
	"text lifted": func(p *pddl.Problem) error {
		_, err := pipeline.SearchUngrounded(context.Background(), p, pipeline.Options{})
		return err
	},
	"text judge": func(p *pddl.Problem) error {
		_, err := validator.NewJudge(p, validator.Options{})
		return err
	},
}

// docBlock is a fenced block of the page; from and to are the lines between the fences.
type docBlock struct {
	info, text string
	from, to   int
}

func docBlocks(lines []string, from, to int) (out []docBlock) {
	for i := from; i < to; i++ {
		if info, ok := strings.CutPrefix(lines[i], "```"); ok {
			j := i + 1
			for lines[j] != "```" {
				j++
			}
			out = append(out, docBlock{info, strings.Join(lines[i+1:j], "\n"), i + 1, j})
			i = j
		}
	}
	return out
}

func TestErrorsDocOfLaterStages(t *testing.T) {
	page, err := os.ReadFile(errorsDoc)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(page), "\n")
	var heads []int
	start := -1
	explained := map[string]bool{}
	for i, l := range lines {
		name, isHead := strings.CutPrefix(l, "### ")
		switch {
		case l == laterStages:
			start = i
		case isHead:
			explained[name] = true
			if start >= 0 {
				heads = append(heads, i)
			}
		}
	}
	if start < 0 || len(heads) == 0 {
		t.Fatalf("no codes below %q", laterStages)
	}
	codes := laterCodes(t)
	for c := range codes {
		if !explained[c] {
			t.Errorf("%s is not explained in %s", c, errorsDoc)
		}
	}
	shared := map[string]string{}
	for _, b := range docBlocks(lines, start, heads[0]) {
		shared[b.info] = b.text
	}
	replace := map[int]docBlock{} // by first line
	heads = append(heads, len(lines))
	for i, h := range heads[:len(heads)-1] {
		code := strings.TrimPrefix(lines[h], "### ")
		if !codes[code] {
			t.Errorf("%s explains %s, which is no code", errorsDoc, code)
		}
		texts := map[string]string{"pddl domain": shared["pddl domain"], "pddl problem": shared["pddl problem"]}
		ran := 0
		for _, b := range docBlocks(lines, h, heads[i+1]) {
			refuse, isOutput := refusingStages[b.info]
			if !isOutput {
				texts[b.info] = b.text
				continue
			}
			ran++
			got := refusal(t, texts["pddl domain"], texts["pddl problem"], refuse)
			if !strings.Contains(got, "error["+code+"]") {
				t.Errorf("%s: %s gives %s", code, b.info, got)
			}
			if got != b.text {
				replace[b.from] = docBlock{text: got, to: b.to}
				if os.Getenv("UPDATE") == "" {
					t.Errorf("%s: the page says\n%s\nbut the output is\n%s", code, b.text, got)
				}
			}
		}
		if noExample := strings.Contains(strings.Join(lines[h:heads[i+1]], " "), "(No example here.)"); (ran == 0) != noExample {
			t.Errorf("%s: %d examples", code, ran)
		}
	}
	if os.Getenv("UPDATE") != "" {
		rewrite(t, lines, replace)
	}
}

// refusal returns the messages with which a stage refuses the problem.
func refusal(t *testing.T, domain, problem string, refuse func(*pddl.Problem) error) string {
	t.Helper()
	dom, ds := pddl.ParseDomain(pddl.NewSource("domain.pddl", domain), pddl.Options{})
	if dom == nil {
		t.Fatalf("the domain of an example is refused when read:\n%v", ds)
	}
	prob, ds := pddl.ParseProblem(pddl.NewSource("problem.pddl", problem), dom, pddl.Options{})
	if prob == nil {
		t.Fatalf("the problem of an example is refused when read:\n%v", ds)
	}
	err := refuse(prob)
	var diags pddl.Diagnostics
	if !errors.As(err, &diags) {
		t.Errorf("not refused with diagnostics, but %v:\n%s\n%s", err, domain, problem)
	}
	return diags.Error()
}

// laterCodes lists the codes of the grounder, as declared, and of the judge, whose
// codes are a prefix with the feature that is refused.
func laterCodes(t *testing.T) map[string]bool {
	out := map[string]bool{string(costmodel.BadSchedule): true, string(reward.Bad): true, string(domains.UnknownAction): true, string(lifted.UnsupportedAxioms): true}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "grounder", "codes.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			s, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			out[s] = true
		}
		return true
	})
	support, err := os.ReadFile(filepath.Join("..", "..", "validator", "unsupported_timed.go"))
	if err != nil {
		t.Fatal(err)
	}
	features := regexp.MustCompile(`r\.add\([\w.]+, "([a-z-]+)", "`).FindAllStringSubmatch(string(support), -1)
	if len(features) < 3 {
		t.Fatalf("only %d features found in the judge's list", len(features))
	}
	for _, m := range features {
		out[validator.CodeUnsupported+m[1]] = true
	}
	return out
}

func rewrite(t *testing.T, lines []string, replace map[int]docBlock) {
	var out []string
	for i := 0; i < len(lines); i++ {
		if b, ok := replace[i]; ok {
			out = append(out, strings.Split(b.text, "\n")...)
			i = b.to
		}
		out = append(out, lines[i])
	}
	if err := os.WriteFile(errorsDoc, []byte(strings.Join(out, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestNumberTooLarge makes the code whose example is too long for a page.
func TestNumberTooLarge(t *testing.T) {
	long := strings.Repeat("9", pddl.MaxDigits-1)
	domain := "(define (domain trip) (:requirements :action-costs :fluents) (:predicates (away)) (:functions (total-cost) (toll))\n" +
		"(:action go :effect (and (away) (increase (total-cost) (* (toll) (toll)" + strings.Repeat(" "+long, 100) + ")))))"
	got := refusal(t, domain, "(define (problem out) (:domain trip) (:init (= (toll) 2)) (:goal (away)) (:metric minimize (total-cost)))",
		refusingStages["text ground"])
	if !strings.Contains(got, "error["+string(grounder.NumberTooLarge)+"]") {
		t.Errorf("got %.300s", got)
	}
}
