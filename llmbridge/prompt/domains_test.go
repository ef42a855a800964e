package prompt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
)

// benchTasks reads a task or two of every domain of the benchmark corpus.
func benchTasks(t *testing.T) map[string]*pddl.Problem {
	t.Helper()
	out := map[string]*pddl.Problem{}
	dirs, _ := filepath.Glob(filepath.Join(testkit.Shared(t, "data", "bench"), "*"))
	for _, dir := range dirs {
		files, _ := filepath.Glob(filepath.Join(dir, "*.pddl"))
		n := 0
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil || strings.Contains(filepath.Base(f), "domain") || n == 2 || len(text) > 100_000 {
				continue
			}
			for _, g := range files {
				if !strings.Contains(filepath.Base(g), "domain") {
					continue
				}
				src, err := pddl.ReadSource(g)
				if err != nil {
					continue
				}
				dom, _ := pddl.ParseDomain(src, pddl.Options{})
				if dom == nil || len(dom.Actions) == 0 {
					continue
				}
				if prob, _ := pddl.ParseProblem(pddl.NewSource(f, string(text)), dom, pddl.Options{}); prob != nil {
					out[filepath.Base(dir)+"/"+filepath.Base(f)] = prob
					n++
					break
				}
			}
		}
	}
	if len(out) < 50 {
		t.Fatalf("only %d tasks", len(out))
	}
	return out
}

// TestEveryDomainIsReadBack: initial states and random plans of every domain of the
// benchmark corpus, told in words and in PDDL, are read as they are; and every domain
// has prompts, also under other names.
func TestEveryDomainIsReadBack(t *testing.T) {
	for name, prob := range benchTasks(t) {
		r, _ := NewRenderer(prob, "")
		facts := atomtext.Initial(prob)
		text := r.State(facts)
		if x := r.StateReader().Read(text); len(facts) > 0 && !slices.Equal(x.Facts, facts) {
			t.Errorf("%s: %d of %d facts are read", name, len(x.Facts), len(facts))
		}
		plain, _ := NewRenderer(prob, NoTemplates)
		rng := seeded.Rand(1, name)
		for range 5 {
			plan := randomSteps(prob, func(n int) int { return rng.IntN(n) })
			if told := plain.Plan(plan); strings.Contains(told, "(") {
				t.Errorf("%s: told in PDDL: %s", name, told)
			}
			for form, text := range []string{strings.Join(plan, "\n") + "\n", r.Plan(plan), plain.Plan(plan)} {
				var numbered strings.Builder
				for i, l := range strings.Split(strings.TrimSpace(text), "\n") {
					fmt.Fprintf(&numbered, "%d. %s\n", i+1, l)
				}
				for _, answer := range []string{"[PLAN]\n" + text + "[PLAN END]\n", numbered.String()} {
					x := r.PlanReader().Extract(answer)
					if len(plan) > 0 && (x.Status != extract.StatusPlan || !slices.Equal(x.Plan, plan) || len(x.Malformed) > 0) {
						t.Errorf("%s, form %d:\n%s\nread as %v, malformed %v", name, form, answer, x.Plan, x.Malformed)
					}
				}
			}
		}
		for i, style := range []Style{StyleNL, StylePDDL} {
			rec, err := Make(context.Background(), Task{Problem: prob}, Options{Style: style, NoGold: true, Rename: []RenameStyle{"", RenameMystery}[i]})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			checkSpans(t, &rec.Prompt)
		}
	}
}

// randomSteps draws five well-typed steps, applicable or not.
func randomSteps(prob *pddl.Problem, intn func(int) int) []string {
	var plan []string
	for range 5 {
		a := prob.Domain.Actions[intn(len(prob.Domain.Actions))]
		step := "(" + strings.ToLower(a.Name)
		ok := true
		for _, v := range a.Vars[:a.NumParams] {
			objects := prob.ObjectsOfType(v.Type)
			if ok = ok && len(objects) > 0; ok {
				step += " " + strings.ToLower(prob.Objects[objects[intn(len(objects))]].Name)
			}
		}
		if ok {
			plan = append(plan, step+")")
		}
	}
	return plan
}

// TestOddNames: names that end in a hyphen, and objects that have the name of a type.
func TestOddNames(t *testing.T) {
	dom, prob := pddltest.Parse(t, `(define (domain d) (:requirements :typing) (:types cart pos)
  (:predicates (at ?c - cart ?x - pos) (free- ?x - pos))
  (:action push :parameters (?c - cart ?x ?y - pos) :effect (at ?c ?y)))`,
		`(define (problem p) (:domain d) (:objects cart c2 - cart x0 x-1- q--2 - pos) (:init (at cart x0) (free- x-1-)) (:goal (at cart x0)))`)
	r, s := extract.NewReader(dom, prob, extract.Natural), extract.NewStateReader(dom, prob)
	for text, want := range map[string]string{
		"(push cart x0 x-1-)":                   "(push cart x0 x-1-)",
		"push cart x0 x-1-":                     "(push cart x0 x-1-)",
		"1. push(cart, x-1-, q--2).":            "(push cart x-1- q--2)",
		"(push c2 q--2 x0)":                     "(push c2 q--2 x0)",
		"1. **push cart c2 x0**":                "(push cart c2 x0)",
		"[[\"push\",\"cart\",\"x0\",\"x-1-\"]]": "(push cart x0 x-1-)",
		"- push cart x0 x-1-.":                  "(push cart x0 x-1-)",
	} {
		if x := r.Extract(text); strings.Join(x.Plan, " ") != want || len(x.Malformed) > 0 {
			t.Errorf("%q is read as %v, malformed %v", text, x.Plan, x.Malformed)
		}
	}
	for text, want := range map[string]string{
		"at cart x0, free- x-1-":      "(at cart x0) (free- x-1-)",
		"(at cart x-1-) (free- q--2)": "(at cart x-1-) (free- q--2)",
	} {
		if x := s.Read(text); strings.Join(x.Facts, " ") != want {
			t.Errorf("%q is read as %v", text, x.Facts)
		}
	}
}

// TestEveryNameIsRead: steps whose objects have names of any character that the PDDL reader
// takes are read as they stand, however a model sets them.
func TestEveryNameIsRead(t *testing.T) {
	names := []string{"l1", "t.1"} // controls
	for c := byte('!'); c < 0x7f; c++ {
		for _, name := range []string{"n" + string(c) + "1", "n" + string(c) + string(c) + "a", "n" + string(c)} {
			try := "(define (problem p) (:domain d) (:objects " + name + ") (:init) (:goal (q " + name + ")))"
			dom, _ := pddl.ParseDomain(pddl.NewSource("d", namesDomain), pddl.Options{})
			p, ds := pddl.ParseProblem(pddl.NewSource("p", try), dom, pddl.Options{})
			if !ds.HasErrors() && len(p.Objects) == 1 && strings.EqualFold(p.Objects[0].Name, name) && !slices.Contains(names, strings.ToLower(name)) {
				names = append(names, strings.ToLower(name))
			}
		}
	}
	if len(names) < 50 {
		t.Fatalf("only %q", names)
	}
	dom, prob := pddltest.Parse(t, namesDomain, "(define (problem p) (:domain d) (:objects l "+strings.Join(names, " ")+") (:init) (:goal (q l)))")
	r := extract.NewReader(dom, prob, extract.Natural)
	for _, name := range names {
		want := "(touch " + name + " l)"
		for _, text := range []string{
			want, "1. " + want + ".", "**" + want + "**", "Plan:\n```pddl\n" + want + "\n```", "[PLAN]\n" + want + "\n[PLAN END]",
		} {
			if x := r.Extract(text); strings.Join(x.Plan, " ") != want || len(x.Malformed) > 0 {
				t.Errorf("%q is read as %v, malformed %v", text, x.Plan, x.Malformed)
			}
		}
	}
}

const namesDomain = `(define (domain d) (:predicates (q ?x)) (:action touch :parameters (?x ?y) :effect (q ?x)))`
