package validator

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
)

const (
	explainDomain = `(define (domain yard) (:requirements :adl :fluents :typing) (:types truck place) (:constants base - place)
  (:predicates (at ?t - truck ?p - place) (road ?p ?q - place) (clean ?p - place) (ok))
  (:functions (fuel ?t - truck) (dist ?p ?q - place) (total-cost))
  (:action drive :parameters (?t - truck ?p ?q - place)
    :precondition (and (at ?t ?p) (road ?p ?q) (>= (fuel ?t) (dist ?p ?q)))
    :effect (and (not (at ?t ?p)) (at ?t ?q) (not (clean ?q)) (decrease (fuel ?t) (dist ?p ?q)) (increase (total-cost) (dist ?p ?q))))
  (:action sweep :parameters (?t - truck ?p - place) :precondition (at ?t ?p) :effect (clean ?p))
  (:action inspect :parameters (?t - truck)
    :precondition (and (forall (?p - place) (or (clean ?p) (at ?t ?p))) (not (exists (?o - truck) (and (not (= ?o ?t)) (at ?o base)))))
    :effect (ok)))`
	explainProblem = `(define (problem p) (:domain yard) (:objects t1 t2 - truck x y z - place)
  (:init (at t1 x) (at t2 base) (clean z) (clean base) (road x y) (road y z) (road z x) (road base x) (road x base)
    (= (fuel t1) 7.5) (= (fuel t2) 20) (= (dist x y) 3) (= (dist y z) 3.25) (= (dist z x) 9) (= (dist base x) 1) (= (dist x base) 1) (= (total-cost) 0))
  (:goal (and (ok) (forall (?p - place) (clean ?p)))) (:metric minimize (total-cost)))`
)

// TestExplainWords compares explanations as a whole.
func TestExplainWords(t *testing.T) {
	j := compile(t, explainDomain, explainProblem)
	for _, tt := range []struct{ name, plan, want string }{
		{"quantifiers", "(drive t1 x y)\n(inspect t1)\n", `The plan is invalid (line 2, column 1): step 2 (inspect t1): (or (clean x) (at t1 x)) and (not (and (not (= t2 t1)) (at t2 base))) do not hold.
1 of 2 steps could be carried out at cost 3.
Unmet:
  (or (clean x) (at t1 x))
      from (or (clean ?p) (at ?t ?p)), where ?p is x
      because step 1 (drive t1 x y) made (or (clean x) (at t1 x)) false
  (not (and (not (= t2 t1)) (at t2 base)))
      from (not (and (not (= ?o ?t)) (at ?o base))), where ?o is t2
      because (and (not (= t2 t1)) (at t2 base)) was never false
Changed since the initial state:
  - (at t1 x)
  + (at t1 y)
  (fuel t1): 7.5 -> 4.5
  (total-cost): 0 -> 3
Facts at that point about the objects of this step:
  (at t1 y)
  (at t2 base)
  (clean base)
Goals unmet at that point:
  (ok)
  (clean x)
  (clean y)
`},
		{"comparison", "(drive t1 x y) (drive t1 y z) (drive t1 z x)", `The plan is invalid (line 1, column 31): step 3 (drive t1 z x): (>= (fuel t1) (dist z x)) does not hold: (fuel t1) is 1.25, (dist z x) is 9.
2 of 3 steps could be carried out at cost 6.25.
Unmet:
  (>= (fuel t1) (dist z x))
      from (>= (fuel ?t) (dist ?p ?q))
      (fuel t1) is 1.25
      (dist z x) is 9
      because (>= (fuel t1) (dist z x)) was never true; step 2 (drive t1 y z) last changed what it compares
Changed since the initial state:
  - (at t1 x)
  - (clean z)
  + (at t1 z)
  (fuel t1): 7.5 -> 1.25
  (total-cost): 0 -> 6.25
Facts at that point about the objects of this step:
  (at t1 z)
Goals unmet at that point:
  (ok)
  (clean x)
  (clean y)
  (clean z)
`},
		{"goal", "(sweep t1 x)", `The plan is invalid: goal: (ok) and (clean y) do not hold.
1 of 1 step could be carried out at cost 0.
Unmet:
  (ok)
      because (ok) was never true: it is not in the initial state and no earlier step adds it
  (clean y)
      from (clean ?p), where ?p is y
      because (clean y) was never true: it is not in the initial state and no earlier step adds it
Changed since the initial state:
  + (clean x)
`},
		{"no such action", "(sweep t1 x)\n(wash t1 x)", `The plan is invalid (line 2, column 1): step 2 (wash t1 x): there is no action wash.
1 of 2 steps could be carried out at cost 0.
Changed since the initial state:
  + (clean x)
Facts at that point about the objects of this step:
  (at t1 x)
  (clean x)
Goals unmet at that point:
  (ok)
  (clean y)
`},
	} {
		v, _ := j.ExplainText(pddl.NewSource("plan", tt.plan), j.NewScratch())
		var b strings.Builder
		if err := Explain(v, &b); err != nil {
			t.Fatal(err)
		}
		if b.String() != tt.want {
			t.Errorf("%s:\n%s", tt.name, b.String())
		}
	}
}

// withGoal compiles the task with another goal.
func withGoal(t *testing.T, domain, problem, goal string) *Judge {
	t.Helper()
	head, _, _ := strings.Cut(problem, "(:goal")
	return compile(t, domain, head+"(:goal "+goal+"))")
}

// TestExplanationsHold checks explanations of random plans against tasks whose goal is the
// unmet literal: it fails at the end and from the blamed step on, and holds before that.
func TestExplanationsHold(t *testing.T) {
	for _, task := range [][2]string{{blocksDomain, blocksProblem}, {explainDomain, explainProblem}} {
		j := compile(t, task[0], task[1])
		rng := rand.New(rand.NewPCG(1, 1))
		judges := map[string]*Judge{}
		blamed, explained := 0, 0
		for range 300 {
			plan := randomSteps(j, rng)
			s := j.NewScratch()
			v := j.Explain(plan, s)
			if v.Valid {
				continue
			}
			bare, err := json.Marshal(j.ValidateWith(plan, s))
			if err != nil {
				t.Fatal(err)
			}
			whole, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(whole), strings.TrimSuffix(string(bare), "}")+`,"explanation":{`) {
				t.Fatalf("the explanation is not an addition:\n%s\n%s", bare, whole)
			}
			for i, u := range append(slices.Clone(v.Explanation.Unmet), v.Explanation.Goals...) {
				if i < len(v.Explanation.Unmet) && u.Literal != v.Failure.Unsatisfied[i] {
					t.Fatalf("%s is not %s", u.Literal, v.Failure.Unsatisfied[i])
				}
				goal := judges[u.Literal]
				if goal == nil {
					goal = withGoal(t, task[0], task[1], u.Literal)
					judges[u.Literal] = goal
				}
				gs := goal.NewScratch()
				holds := func(n int) bool { return goal.Judge(&pddl.Plan{Steps: plan.Steps[:n]}, gs).Valid }
				if holds(v.Executed) {
					t.Fatalf("%s holds after %d steps of %v", u.Literal, v.Executed, plan.Steps)
				}
				explained++
				if u.Held != slices.ContainsFunc(numbersTo(v.Executed), holds) {
					t.Fatalf("%s held before: %v, in %v", u.Literal, u.Held, plan.Steps)
				}
				if u.ChangedBy == nil || !u.Held {
					continue
				}
				blamed++
				if !holds(u.ChangedBy.Step - 1) {
					t.Fatalf("%s did not hold before step %d of %v", u.Literal, u.ChangedBy.Step, plan.Steps)
				}
				for n := u.ChangedBy.Step; n <= v.Executed; n++ {
					if holds(n) {
						t.Fatalf("%s holds after step %d of %v, although step %d made it false", u.Literal, n, plan.Steps, u.ChangedBy.Step)
					}
				}
			}
			checkState(t, task, v, plan)
		}
		if blamed < 20 || explained < 300 {
			t.Errorf("%d literals, %d blamed on a step: too few", explained, blamed)
		}
	}
}

// numbersTo returns 0, 1, ... n.
func numbersTo(n int) []int {
	out := make([]int, n+1)
	for i := range out {
		out[i] = i
	}
	return out
}

// checkState checks Changes and Around by tasks whose goals they are.
func checkState(t *testing.T, task [2]string, v *Verdict, plan *pddl.Plan) {
	t.Helper()
	goal := "(and"
	for _, c := range v.Explanation.Changes {
		if atom, ok := strings.CutPrefix(c, "- "); ok {
			goal += " (not " + atom + ")"
		} else {
			goal += " " + strings.TrimPrefix(c, "+ ")
		}
	}
	goal += " " + strings.Join(v.Explanation.Around, " ")
	for _, c := range v.Explanation.Values {
		goal += " (= " + c.Fluent + " " + *c.To + ")"
	}
	j := withGoal(t, task[0], task[1], goal+")")
	if r := j.Judge(&pddl.Plan{Steps: plan.Steps[:v.Executed]}, j.NewScratch()); !r.Valid {
		t.Fatalf("the state after %d steps of %v is not %s", v.Executed, plan.Steps, goal)
	}
}

// randomSteps draws a plan whose steps are mostly applicable, so that it has effects.
func randomSteps(j *Judge, rng *rand.Rand) *pddl.Plan {
	plan := &pddl.Plan{}
	s := j.NewScratch()
	for range 2 + rng.IntN(8) {
		for try := 0; ; try++ {
			a := j.dom.Actions[rng.IntN(len(j.dom.Actions))]
			st := pddl.Step{Name: a.Name}
			for _, v := range a.Vars[:a.NumParams] {
				objects := j.prob.ObjectsOfType(v.Type)
				st.Args = append(st.Args, j.prob.Objects[objects[rng.IntN(len(objects))]].Name)
			}
			longer := &pddl.Plan{Steps: append(slices.Clip(plan.Steps), st)}
			if j.Judge(longer, s).Executed == len(longer.Steps) || rng.IntN(60) == 0 || try > 200 {
				plan = longer
				break
			}
		}
	}
	return plan
}

// TestApplicable compares Applicable with judging each step after the whole plan. In the last
// task effects fail: they read undefined values, or change one twice.
func TestApplicable(t *testing.T) {
	const effects = `(define (domain e) (:requirements :fluents) (:predicates (p ?x)) (:functions (f ?x) (g ?x))
	  (:action more :parameters (?x) :effect (increase (f ?x) 1))
	  (:action copy :parameters (?x ?y) :effect (assign (f ?x) (g ?y)))
	  (:action both :parameters (?x ?y) :effect (and (assign (f ?x) 1) (increase (f ?y) 2)))
	  (:action part :parameters (?x ?y) :effect (and (p ?x) (scale-down (f ?x) (f ?y)))))`
	const values = `(define (problem e) (:domain e) (:objects a b c) (:init (= (f a) 0) (= (g b) 2)) (:goal (p a)))`
	for _, task := range [][2]string{{blocksDomain, blocksProblem}, {explainDomain, explainProblem}, {effects, values}} {
		j := compile(t, task[0], task[1])
		rng := rand.New(rand.NewPCG(2, 2))
		s, other := j.NewScratch(), j.NewScratch()
		for range 200 {
			plan, steps := randomSteps(j, rng), randomSteps(j, rng).Steps
			r, yes := j.Applicable(plan, steps, s, nil)
			if whole := j.Judge(plan, other).Executed == len(plan.Steps); whole != (r.Executed == len(plan.Steps)) || whole != (len(yes) == len(steps)) {
				t.Fatalf("%v: %+v and %d answers", plan.Steps, r, len(yes))
			}
			for i := range yes {
				longer := &pddl.Plan{Steps: append(slices.Clip(plan.Steps), steps[i])}
				if want := j.Judge(longer, other).Executed == len(longer.Steps); want != yes[i] {
					t.Fatalf("%v after %v: %v", steps[i], plan.Steps, yes[i])
				}
			}
		}
	}
}

func BenchmarkExplain(b *testing.B) {
	j := compile(b, blocksDomain, blocksProblem)
	plan, _ := pddl.ParsePlan(pddl.NewSource("plan", strings.Replace(blocksPlan, "(put-down b)\n", "", 1)))
	s := j.NewScratch()
	for b.Loop() {
		if v := j.Explain(plan, s); v.Valid || v.Explanation == nil {
			b.Fatal("no explanation")
		}
	}
}
