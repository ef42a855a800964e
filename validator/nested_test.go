package validator

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/pddl"
)

// nestedTree is a formula with object fluents as terms, evaluated here by its meaning: a
// literal one of whose terms has no value holds under neither sign.
type nestedTree struct {
	op   string // and, or, not, imply, or the head of an atom
	kids []*nestedTree
	args []nestedArg
}

// nestedArg is an object, after some applications of the fluent f.
type nestedArg struct {
	object string
	depth  int
}

func (a nestedArg) text() string {
	return strings.Repeat("(f ", a.depth) + a.object + strings.Repeat(")", a.depth)
}

func (n *nestedTree) text() string {
	b := "(" + n.op
	for _, k := range n.kids {
		b += " " + k.text()
	}
	for _, a := range n.args {
		b += " " + a.text()
	}
	return b + ")"
}

// holds reports whether the formula, or with neg its negation, is satisfied.
func (n *nestedTree) holds(neg bool, f map[string]string, atoms map[string]bool) bool {
	all := func(neg ...bool) bool {
		for i, k := range n.kids {
			if !k.holds(neg[min(i, len(neg)-1)], f, atoms) {
				return false
			}
		}
		return true
	}
	some := func(neg ...bool) bool {
		for i, k := range n.kids {
			if k.holds(neg[min(i, len(neg)-1)], f, atoms) {
				return true
			}
		}
		return false
	}
	switch {
	case n.op == "not":
		return n.kids[0].holds(!neg, f, atoms)
	case n.op == "and" && !neg:
		return all(false)
	case n.op == "and":
		return some(true)
	case n.op == "or" && !neg:
		return some(false)
	case n.op == "or":
		return all(true)
	case n.op == "imply" && !neg:
		return some(true, false)
	case n.op == "imply":
		return all(false, true)
	}
	values := make([]string, len(n.args))
	for i, a := range n.args {
		v, ok := a.object, true
		for range a.depth {
			if v, ok = f[v]; !ok {
				// (= (f a) b) compares with undefined, which is no object: known to be false.
				return n.op == "=" && neg && n.direct(i, f)
			}
		}
		values[i] = v
	}
	if n.op == "=" {
		return (values[0] == values[1]) != neg
	}
	return atoms[n.op+" "+strings.Join(values, " ")] != neg
}

// direct reports whether argument i is a fluent that only lacks its own value, compared with
// an object.
func (n *nestedTree) direct(i int, f map[string]string) bool {
	v, ok := n.args[i].object, true
	for range n.args[i].depth - 1 {
		if v, ok = f[v]; !ok {
			return false
		}
	}
	return n.args[1-i].depth == 0
}

func drawNested(g *gen, depth int) *nestedTree {
	arg := func() nestedArg { return nestedArg{g.oneOf("a", "b", "c"), []int{0, 1, 1, 2, 3}[g.pick(5)]} }
	k := g.pick(7)
	if depth == 0 {
		k = g.pick(3)
	}
	switch k {
	case 0:
		return &nestedTree{op: "p", args: []nestedArg{arg()}}
	case 1:
		return &nestedTree{op: "r", args: []nestedArg{arg(), arg()}}
	case 2:
		return &nestedTree{op: "=", args: []nestedArg{arg(), arg()}}
	case 3:
		return &nestedTree{op: "not", kids: []*nestedTree{drawNested(g, depth-1)}}
	}
	return &nestedTree{op: g.oneOf("and", "or", "imply"), kids: []*nestedTree{drawNested(g, depth-1), drawNested(g, depth-1)}}
}

// TestNestedTerms compares conditions with object fluents as terms with their meaning.
func TestNestedTerms(t *testing.T) {
	const domain = `(define (domain d) (:requirements :adl :object-fluents) (:predicates (p ?x) (r ?x ?y)) (:functions (f ?x) - object)
		(:action touch :parameters (?x ?y) :effect (and (p ?x) (r ?x ?y) (assign (f ?x) ?y))))`
	seen := map[bool]int{}
	rapid.Check(t, func(rt *rapid.T) {
		g := &gen{t: rt}
		f, atoms, init := map[string]string{}, map[string]bool{}, ""
		for _, o := range []string{"a", "b", "c"} {
			if v := g.oneOf("a", "b", "c", ""); v != "" {
				f[o] = v
				init += fmt.Sprintf(" (= (f %s) %s)", o, v)
			}
			if g.pick(2) == 0 {
				atoms["p "+o] = true
				init += " (p " + o + ")"
			}
			for _, x := range []string{"a", "b", "c"} {
				if g.pick(2) == 0 {
					atoms["r "+o+" "+x] = true
					init += " (r " + o + " " + x + ")"
				}
			}
		}
		goal := drawNested(g, 3)
		problem := "(define (problem q) (:domain d) (:objects a b c) (:init" + init + ") (:goal " + goal.text() + "))"
		d, ds := pddl.ParseDomain(pddl.NewSource("domain.pddl", domain), pddl.Options{})
		if d == nil {
			rt.Fatal(ds)
		}
		p, ds := pddl.ParseProblem(pddl.NewSource("problem.pddl", problem), d, pddl.Options{})
		if p == nil {
			rt.Fatalf("%v\n%s", ds, problem)
		}
		for _, sparse := range []bool{false, true} {
			j, err := NewJudge(p, Options{sparse: sparse})
			if err != nil {
				rt.Fatal(err)
			}
			v, _ := j.ValidateText(pddl.NewSource("plan", ""), j.NewScratch())
			want := goal.holds(false, f, atoms)
			seen[want]++
			if v.Valid != want {
				rt.Fatalf("valid %v, want %v\n%s", v.Valid, want, problem)
			}
		}
	})
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("outcomes %v", seen)
	}
}

// TestNestedExplained: terms are explained as they were written, and values by their names.
func TestNestedExplained(t *testing.T) {
	j := compile(t, `(define (domain d) (:requirements :adl :object-fluents) (:types place thing) (:predicates (lit ?p - place)) (:functions (at ?t - thing) - place)
		(:action go :parameters (?t - thing ?p - place) :effect (assign (at ?t) ?p))
		(:action meet :parameters (?t ?u - thing) :precondition (and (= (at ?t) (at ?u)) (not (lit (at ?t))))))`,
		`(define (problem p) (:domain d) (:objects x y - place v w - thing) (:init (= (at v) x) (= (at w) x) (lit y)) (:goal (and)))`)
	v := j.Explain(parsePlan(t, "(go v y) (meet v w)"), j.NewScratch())
	if v.Explanation == nil || len(v.Explanation.Unmet) != 2 {
		t.Fatalf("%+v", v)
	}
	for i, want := range []string{
		"(= (at v) (at w)) from (= (at ?t) (at ?u)): step 1 (go v y) made (= (at v) (at w)) false",
		"(not (lit (at v))) from (not (lit (at ?t))): step 1 (go v y) made (lit (at v)) true",
	} {
		u := v.Explanation.Unmet[i]
		if got := u.Literal + " from " + u.Conjunct + ": " + u.Because; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	c := v.Explanation.Values
	if len(c) != 1 || c[0].Fluent != "(at v)" || c[0].From == nil || *c[0].From != "x" || c[0].To == nil || *c[0].To != "y" {
		t.Errorf("values %+v", c)
	}
}
