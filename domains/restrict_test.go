package domains_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// restrictable are tasks of every bundled domain, and one with negation, a condition of one
// conjunct in brackets, an action without parameters and a durative action. In "names" the
// names of actions are like those of predicates for restrictions of others, and negation
// is declared but not used; in "undeclared" it is used but not declared.
func restrictable(t testing.TB) map[string]*pddl.Problem {
	out := map[string]*pddl.Problem{}
	for _, name := range []string{"blocksworld:3-5", "budget-blocksworld:1-1", "logistics:2-2-1-1", "gripper:2", "elevator:3-2-1-1", "powergrid:4-1-1-1"} {
		dom, prob, err := domains.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = read(t, dom.Text, prob.Text)
	}
	out["odd"] = read(t, `(define (domain odd) (:requirements :strips :negative-preconditions)
  (:predicates (p) (forbidden-tick) (q ?a ?b))
  (:action tick :parameters () :precondition (not (p)) :effect (p))
  (:action tock :parameters (?a ?b) :precondition (and (p)) :effect (and (not (p)) (q ?a ?b)))
  (:action free :parameters (?a) :effect (forbidden-tick)))`, `(define (problem o) (:domain odd) (:objects u v) (:init) (:goal (q u v)))`)
	out["timed"] = read(t, `(define (domain timed) (:requirements :durative-actions :typing) (:types place)
  (:predicates (at ?p - place))
  (:durative-action go :parameters (?a ?b - place) :duration (= ?duration 2) :condition (at start (at ?a)) :effect (and (at start (not (at ?a))) (at end (at ?b)))))`,
		`(define (problem o) (:domain timed) (:objects u v w - place) (:init (at u)) (:goal (at w)))`)
	out["names"] = read(t, `(define (domain names) (:requirements :negative-preconditions :strips) (:predicates (q ?a ?b))
  (:action put :parameters (?a ?b) :effect (q ?a ?b))
  (:action put-at-1 :parameters (?a) :effect (q ?a ?a))
  (:action put-always :parameters () :precondition (and)))`, `(define (problem o) (:domain names) (:objects u v) (:init) (:goal (q u v)))`)
	out["undeclared"] = read(t, `(define (domain undeclared) (:predicates (q ?a ?b))
  (:action put :parameters (?a ?b) :precondition (not (q ?a ?b)) :effect (q ?a ?b)))`, `(define (problem o) (:domain undeclared) (:objects u v) (:init) (:goal (q u v)))`)
	return out
}

func read(t testing.TB, domain, problem string) *pddl.Problem {
	t.Helper()
	dom, ds := pddl.ParseDomain(pddl.NewSource("d", domain), pddl.Options{})
	if dom == nil {
		t.Fatal(ds)
	}
	prob, ds := pddl.ParseProblem(pddl.NewSource("p", problem), dom, pddl.Options{})
	if prob == nil {
		t.Fatal(ds)
	}
	return prob
}

// drawForbidden draws a ground action or one with free places.
func drawForbidden(t *rapid.T, prob *pddl.Problem) domains.Forbidden {
	var schemas []*pddl.Schema
	for _, a := range prob.Domain.Actions {
		schemas = append(schemas, &a.Schema)
	}
	for _, a := range prob.Domain.Durative {
		schemas = append(schemas, &a.Schema)
	}
	s := schemas[rapid.IntRange(0, len(schemas)-1).Draw(t, "action")]
	f := domains.Forbidden{Action: strings.ToLower(s.Name)}
	for _, v := range s.Vars[:s.NumParams] {
		objs := prob.ObjectsOfType(v.Type)
		if len(objs) == 0 || rapid.IntRange(0, 2).Draw(t, "free") == 0 {
			f.Args = append(f.Args, domains.AnyObject)
			continue
		}
		f.Args = append(f.Args, strings.ToLower(prob.Objects[objs[rapid.IntRange(0, len(objs)-1).Draw(t, "object")]].Name))
	}
	return f
}

// TestRestrictRoundTrip: restrictions are read back from the printed texts; removing them
// gives the original texts again; restricting twice is the same as restricting once. A
// strict reader accepts the texts.
func TestRestrictRoundTrip(t *testing.T) {
	for name, prob := range restrictable(t) {
		if got, err := domains.Unrestricted(prob); err != nil || got != prob || domains.Restrictions(prob) != nil || domains.RestrictionPredicates(prob) != nil {
			t.Errorf("%s: has restrictions of its own", name)
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var text []string
				var all []domains.Forbidden
				want := map[string]bool{}
				for range rapid.IntRange(1, 6).Draw(t, "n") {
					f := drawForbidden(t, prob)
					all = append(all, f)
					text = append(text, f.String())
					want[f.String()] = true
				}
				parsed, ds := domains.ParseForbidden(pddl.NewSource("f", strings.Join(text, "\n")), prob)
				if ds != nil || len(parsed) != len(all) {
					t.Fatalf("%v: %v", text, ds)
				}
				q, err := domains.Restrict(prob, parsed)
				if err != nil {
					t.Fatal(err)
				}
				got := domains.Restrictions(q)
				for _, f := range got {
					if !want[f.String()] {
						t.Fatalf("reads %s, want %v", f, text)
					}
				}
				if len(got) != len(want) {
					t.Fatalf("reads %v, want %v", got, text)
				}
				back, err := domains.Unrestricted(q)
				if err != nil || back.String() != prob.String() || back.Domain.String() != prob.Domain.String() {
					t.Fatalf("%v\n%s\n%s", err, back.Domain, prob.Domain)
				}
				half := len(parsed) / 2
				twice, err := domains.Restrict(prob, parsed[:half])
				if err == nil {
					twice, err = domains.Restrict(twice, parsed[half:])
				}
				if err != nil || twice.String() != q.String() || twice.Domain.String() != q.Domain.String() {
					t.Fatalf("%v in two goes\n%s\n%s", err, twice.Domain, q.Domain)
				}
				if d, ds := pddl.ParseDomain(pddl.NewSource("d", q.Domain.String()), pddl.Options{Strict: true}); d == nil && len(prob.Domain.Requirements) > 0 {
					t.Fatalf("a strict reader refuses\n%s\n%v", q.Domain, ds)
				}
			})
		})
	}
}

// TestRestrictedJudging: exactly the steps that match a restriction are impossible in the
// restricted task, and the reason names the forbidden fact; plans without such steps have
// the same verdicts and costs.
func TestRestrictedJudging(t *testing.T) {
	for name, prob := range restrictable(t) {
		if name == "timed" {
			continue
		}
		plain, err := validator.NewJudge(prob, validator.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				f := drawForbidden(t, prob)
				q, err := domains.Restrict(prob, []domains.Forbidden{f})
				if err != nil {
					t.Fatal(err)
				}
				judge, err := validator.NewJudge(q, validator.Options{})
				if err != nil {
					t.Fatal(err)
				}
				var plan strings.Builder
				first := 0 // the first forbidden step
				for i := 1; i <= 6; i++ {
					step := drawForbidden(t, prob)
					for k, a := range step.Args {
						if a == domains.AnyObject {
							step.Args[k] = strings.ToLower(prob.Objects[rapid.IntRange(0, len(prob.Objects)-1).Draw(t, "any")].Name)
						}
					}
					if first == 0 && f.Matches(step.Action, step.Args) {
						first = i
					}
					plan.WriteString(step.String() + "\n")
				}
				was, _ := plain.ValidateText(pddl.NewSource("plan", plan.String()), plain.NewScratch())
				is, _ := judge.ValidateText(pddl.NewSource("plan", plan.String()), judge.NewScratch())
				if first > 0 && was.Executed >= first {
					if is.Valid || is.Failure.Kind != validator.FailPrecondition || is.Failure.Step != first {
						t.Fatalf("%s with %s: %+v", plan.String(), f, is)
					}
				} else if was.Valid != is.Valid || was.Cost.String() != is.Cost.String() || was.Executed != is.Executed {
					t.Fatalf("%s with %s: %+v, without %+v", plan.String(), f, is, was)
				}
			})
		})
	}
}

// TestForbiddenFaults: all faults of a text are reported at once, each at its place. A
// predicate called forbidden-... that has other uses is not a restriction.
func TestPredicatesThatAreUsedAreNoRestrictions(t *testing.T) {
	const domain = `(define (domain d) (:requirements :adl)
  (:predicates (at ?x) (forbidden-go ?x))
  (:action go :parameters (?x) :precondition (and (not (at ?x)) (not (forbidden-go ?x))) :effect (at ?x))
  (:action wait :parameters (?x) :precondition %s :effect %s))`
	const problem = `(define (problem p) (:domain d) (:objects a b) (:init (forbidden-go a)) (:goal %s))`
	for _, c := range []struct {
		precondition, effect, goal string
		want                       int
	}{
		{"(at ?x)", "(not (at ?x))", "(at b)", 1},
		{"(at ?x)", "(forbidden-go ?x)", "(at b)", 0},
		{"(at ?x)", "(when (at ?x) (not (forbidden-go ?x)))", "(at b)", 0},
		{"(at ?x)", "(when (forbidden-go ?x) (not (at ?x)))", "(at b)", 0},
		{"(or (at ?x) (forbidden-go ?x))", "(not (at ?x))", "(at b)", 0},
		{"(at ?x)", "(not (at ?x))", "(or (at b) (forbidden-go a))", 0},
	} {
		p := read(t, fmt.Sprintf(domain, c.precondition, c.effect), fmt.Sprintf(problem, c.goal))
		if got := domains.Restrictions(p); len(got) != c.want {
			t.Errorf("%+v: %v, want %d", c, got, c.want)
		}
	}
}

func TestForbiddenFaults(t *testing.T) {
	prob := restrictable(t)["logistics:2-2-1-1"]
	for _, c := range []struct{ text, want string }{
		{"", "f:1:1: error[empty-file]"},
		{"; nothing\n", "f:1:1: error[empty-file]"},
		{"drive-truck", "f:1:1: error[unexpected-token]"},
		{"(drive-truck t0", "f:1:1: error[unclosed-parenthesis]"},
		{"()", "f:1:1: error[empty-step]"},
		{"(drive-truk t0 ? ? ?)", "f:1:2: error[unknown-action]: the domain logistics has no action drive-truk|did you mean drive-truck?"},
		{"(drive-truck t0)", "f:1:2: error[wrong-arity]: arguments of drive-truck: expected 4, found 1"},
		{"(drive-truck t9 ? ? ?)\n(load-truck ?p ? ?)", "f:1:14: error[undeclared-object]|f:2:13: error[undeclared-variable]"},
		{"(drive-truck p0 ? ? ?)", "f:1:14: error[type-mismatch]: p0 is of type package, but parameter"},
		{"(load-truck p0 ? ?", "f:1:1: error[unclosed-parenthesis]"},
		{"(load-truck (p0) ? ?)", "f:1:1: error[unclosed-parenthesis]|f:1:14: error[unknown-action]|f:1:18: error[unexpected-token]"},
	} {
		got, ds := domains.ParseForbidden(pddl.NewSource("f", c.text), prob)
		if got != nil || len(ds) == 0 {
			t.Errorf("%q is read as %v", c.text, got)
			continue
		}
		for _, w := range strings.Split(c.want, "|") {
			if !strings.Contains(ds.Error(), w) {
				t.Errorf("%q: no %q in\n%s", c.text, w, ds.Error())
			}
		}
	}
}

// FuzzParseForbidden: every text gives restrictions or diagnostics, and restrictions are
// compiled and read back.
func FuzzParseForbidden(f *testing.F) {
	prob := restrictable(f)["blocksworld:3-5"]
	for _, s := range []string{"(stack a ?)", "(STACK a b)(put-down c)", "(stack a", "((", ") ;x\n(unstack ? ?)", "(stack\x00a b)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ds := domains.ParseForbidden(pddl.NewSource("f", text), prob)
		if (len(got) == 0) == (len(ds) == 0) {
			t.Fatalf("%q: %v and %v", text, got, ds)
		}
		if len(got) == 0 {
			return
		}
		q, err := domains.Restrict(prob, got)
		if err != nil || len(domains.Restrictions(q)) == 0 {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
