package validator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

// TestJudgeAllocatesNothing measures the throughput path once the scratch has
// warmed up, on tasks that use every kind of storage.
func TestJudgeAllocatesNothing(t *testing.T) {
	tests := []struct{ name, domain, problem, plan string }{
		{"blocks", blocksDomain, blocksProblem, blocksPlan},
		{"invalid", blocksDomain, blocksProblem, "(unstack a b)\n(unstack b c)"},
		{"unknown", blocksDomain, blocksProblem, "(unstack a zzz)"},
		{"stamped out of order", blocksDomain, blocksProblem, "3: (put-down a)\n1: (unstack a b)"},
		{"adl, numbers, axioms", `(define (domain d) (:requirements :adl :fluents :derived-predicates)
		  (:predicates (e ?x ?y) (r ?x ?y) (hot ?x)) (:functions (x) (total-cost))
		  (:derived (r ?x ?y) (or (e ?x ?y) (exists (?z) (and (e ?x ?z) (r ?z ?y)))))
		  (:action a :parameters (?x ?y) :precondition (and (r ?x ?y) (forall (?z) (imply (hot ?z) (e ?z ?x))))
		   :effect (and (increase (total-cost) (+ (x) 1)) (increase (x) 0.5) (not (e ?x ?y)) (e ?y ?x) (forall (?z) (when (e ?z ?x) (hot ?z))))))`,
			`(define (problem p) (:domain d) (:objects a b c d) (:init (e a b) (e b c) (e c d) (= (x) 0)) (:goal (r d a)) (:metric minimize (total-cost)))`,
			"(a a b)\n(a b c)\n(a c d)"},
	}
	for _, tt := range tests {
		for _, sparse := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/sparse=%v", tt.name, sparse), func(t *testing.T) {
				j, err := NewJudge(parse(t, tt.domain, tt.problem), Options{sparse: sparse})
				if err != nil {
					t.Fatal(err)
				}
				s, plan := j.NewScratch(), parsePlan(t, tt.plan)
				first := j.Judge(plan, s)
				if n := testing.AllocsPerRun(100, func() {
					r := j.Judge(plan, s)
					if r.Valid != first.Valid || r.Kind != first.Kind || r.Step != first.Step || !r.Cost.Equal(first.Cost) {
						t.Fatal("result changed")
					}
				}); n > 0 {
					t.Errorf("%v allocations per plan", n)
				}
			})
		}
	}
}

// TestConcurrentUse judges with one Judge from many goroutines (run with -race).
func TestConcurrentUse(t *testing.T) {
	j := compile(t, blocksDomain, blocksProblem)
	good, bad := parsePlan(t, blocksPlan), parsePlan(t, "(unstack a b)\n(stack a c)")
	want := fmt.Sprintf("%+v", *j.Validate(bad).Failure)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s := j.NewScratch()
			for range 200 {
				if !j.Judge(good, s).Valid {
					t.Error("valid plan refused")
				}
				if got := fmt.Sprintf("%+v", *j.ValidateWith(bad, s).Failure); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestForeignScratch(t *testing.T) {
	a, b := compile(t, blocksDomain, blocksProblem), compile(t, blocksDomain, blocksProblem)
	defer func() {
		if recover() != errForeignScratch {
			t.Error("a scratch of another judge was accepted")
		}
	}()
	a.Judge(parsePlan(t, blocksPlan), b.NewScratch())
}

// within fails if f takes much longer than it should on any machine.
func within(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	start := testkit.CPUTime()
	f()
	if d := testkit.CPUTime() - start; d > limit {
		t.Errorf("took %v, more than %v", d, limit)
	}
}

// TestGrowingNumbers checks that a plan cannot make a value grow without bound.
func TestGrowingNumbers(t *testing.T) {
	j := compile(t, `(define (domain d) (:requirements :fluents) (:predicates (p)) (:functions (x) (y))
	  (:action square :parameters () :effect (scale-up (x) (x)))
	  (:action third :parameters () :effect (scale-down (y) 3)))`,
		`(define (problem p) (:domain d) (:init (= (x) 3) (= (y) 1)) (:goal (and)))`)
	within(t, 20*time.Second, func() {
		for _, step := range []string{"(square)\n", "(third)\n"} {
			v := j.Validate(parsePlan(t, strings.Repeat(step, 100000)))
			if v.Valid || v.Decided() || v.Failure.Kind != FailTimeout || !strings.Contains(v.Failure.Message, "65536 bits") {
				t.Errorf("%s: %+v", step, v.Failure)
			}
		}
	})
	// Just below the limit the value is exact.
	v := j.Validate(parsePlan(t, strings.Repeat("(square)\n", 15)))
	if !v.Valid {
		t.Errorf("3^(2^15) refused: %+v", v.Failure)
	}
}

// TestWorkLimit checks that a nest of quantifiers ends with a limit, always the same.
func TestWorkLimit(t *testing.T) {
	objects := make([]string, 60)
	for i := range objects {
		objects[i] = fmt.Sprintf("o%d", i)
	}
	p := parse(t, `(define (domain d) (:requirements :adl :fluents) (:predicates (p)) (:functions (f ?x))
	  (:action a :parameters () :precondition (forall (?a ?b ?c ?d ?e ?f ?g ?h) (< (+ (f ?a) (f ?b) (f ?c) (f ?d) (f ?e) (f ?f) (f ?g) (f ?h)) 100))))`,
		`(define (problem p) (:domain d) (:objects `+strings.Join(objects, " ")+`) (:init (= (f `+strings.Join(objects, ") 1) (= (f ")+`) 1)) (:goal (and)))`)
	j, err := NewJudge(p, Options{MaxWork: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	var last string
	within(t, 20*time.Second, func() {
		for range 2 {
			v := j.Validate(parsePlan(t, "(a)"))
			if v.Valid || v.Decided() {
				t.Fatalf("got %+v", v)
			}
			if last != "" && last != v.Failure.Message {
				t.Errorf("%s, then %s", last, v.Failure.Message)
			}
			last = v.Failure.Message
		}
	})
}

// TestLongPlan judges a plan of a million steps, right and wrong at its end.
func TestLongPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("a million steps")
	}
	j := compile(t, blocksDomain, blocksProblem)
	text := strings.Repeat("(unstack a b)\n(stack a b)\n", 500000)
	within(t, 60*time.Second, func() {
		if v := j.Validate(parsePlan(t, text+blocksPlan)); !v.Valid || v.Cost.String() != "1000014" {
			t.Errorf("got %+v", v)
		}
		v := j.Validate(parsePlan(t, text+"(unstack b c)"))
		if v.Failure == nil || v.Failure.Step != 1000001 || v.Failure.Because != "step 1000000 (stack a b) made (clear b) false" {
			t.Errorf("got %+v", v.Failure)
		}
	})
}

// TestWideTask checks that a predicate with a huge number of possible atoms only costs
// memory for those it has, and that large object sets are fine.
func TestWideTask(t *testing.T) {
	var objects, init strings.Builder
	const n = 20000
	for i := range n {
		fmt.Fprintf(&objects, " o%d", i)
		fmt.Fprintf(&init, " (wide o%d o%d o%d o%d o%d) (next o%d o%d)", i, (i*7)%n, (i*11)%n, (i*13)%n, (i*17)%n, i, (i+1)%n)
	}
	j := compile(t, `(define (domain d) (:requirements :adl :fluents) (:predicates (wide ?a ?b ?c ?d ?e) (next ?a ?b) (done ?a ?b ?c)) (:functions (cost ?a ?b ?c))
	  (:action a :parameters (?a ?b ?c ?d ?e) :precondition (and (wide ?a ?b ?c ?d ?e) (exists (?n) (and (next ?a ?n) (not (done ?a ?n ?n)))))
	   :effect (and (not (wide ?a ?b ?c ?d ?e)) (done ?a ?b ?c) (assign (cost ?a ?b ?c) 3)
	    (forall (?n) (when (next ?a ?n) (done ?a ?n ?n))))))`,
		`(define (problem p) (:domain d) (:objects`+objects.String()+`) (:init`+init.String()+`) (:goal (and (done o1 o7 o11) (done o1 o2 o2) (= (cost o1 o7 o11) 3) (not (wide o1 o7 o11 o13 o17)))))`)
	s := j.NewScratch()
	if v := j.ValidateWith(parsePlan(t, "(a o1 o7 o11 o13 o17)"), s); !v.Valid {
		t.Errorf("got %+v", v.Failure)
	}
	v := j.ValidateWith(parsePlan(t, "(a o1 o7 o11 o13 o17) (a o1 o7 o11 o13 o17)"), s)
	if got := describe(v); got != "precondition 2: (wide o1 o7 o11 o13 o17) (exists (?n - object) (and (next o1 ?n) (not (done o1 ?n ?n))))" {
		t.Errorf("got %s", got)
	}
	within(t, 10*time.Second, func() { // the cost of steps does not depend on the size of the task
		plan := parsePlan(t, "(a o1 o7 o11 o13 o17)")
		for range 20000 {
			if !j.Judge(plan, s).Valid {
				t.Fatal("invalid")
			}
		}
	})
}

// TestLongChain solves a recursive predicate along a chain of 30,000 objects, too deep for
// recursion, and over a cycle.
func TestLongChain(t *testing.T) {
	var objects, init strings.Builder
	const n = 30000
	for i := range n {
		fmt.Fprintf(&objects, " o%d", i)
		if i > 0 {
			fmt.Fprintf(&init, " (e o%d o%d)", i-1, i)
		}
	}
	for _, rules := range []string{
		"(:derived (r ?x ?y) (or (e ?x ?y) (exists (?z) (and (e ?x ?z) (r ?z ?y)))))",
		"(:derived (r ?x ?y) (or (e ?x ?y) (exists (?z) (and (r ?x ?z) (e ?z ?y)))))",
	} {
		j := compile(t, `(define (domain d) (:requirements :adl :derived-predicates) (:predicates (e ?x ?y) (r ?x ?y)) `+rules+`
		  (:action cut :parameters (?x ?y) :effect (not (e ?x ?y)))
		  (:action link :parameters (?x ?y) :effect (e ?x ?y))
		  (:action go :parameters (?x ?y) :precondition (r ?x ?y)))`,
			`(define (problem p) (:domain d) (:objects`+objects.String()+`) (:init`+init.String()+`) (:goal (and)))`)
		within(t, 20*time.Second, func() {
			v := j.Validate(parsePlan(t, fmt.Sprintf("(go o0 o%d) (link o%d o0) (go o5 o4) (cut o100 o101) (go o0 o%d)", n-1, n-1, n-1)))
			if got := describe(v); got != fmt.Sprintf("precondition 5: (r o0 o%d)", n-1) || !strings.HasPrefix(v.Failure.Because, "step 4 (cut o100 o101)") {
				t.Errorf("got %s %s", got, v.Failure.Because)
			}
		})
	}
}

// TestDeepFormula judges conditions nested as deep as the reader lets through.
func TestDeepFormula(t *testing.T) {
	for _, depth := range []int{100, 901, 5000, 20000} {
		domain := `(define (domain d) (:requirements :adl) (:predicates (p)) (:action a :parameters () :precondition ` +
			strings.Repeat("(not (or (p) ", depth) + "(p)" + strings.Repeat("))", depth) + `))`
		d, diags := pddl.ParseDomain(&pddl.Source{Name: "d", Text: domain}, pddl.Options{})
		if d == nil {
			if len(diags) == 0 {
				t.Fatalf("depth %d: refused without a reason", depth)
			}
			continue
		}
		p, _ := pddl.ParseProblem(&pddl.Source{Name: "p", Text: "(define (problem p) (:domain d) (:init) (:goal (and)))"}, d, pddl.Options{})
		j, err := NewJudge(p, Options{})
		if err != nil {
			continue
		}
		if v := j.Validate(parsePlan(t, "(a)")); v.Valid != (depth%2 == 1) {
			t.Errorf("depth %d: %+v", depth, v)
		}
	}
}

// words cuts a plan's text into parentheses and words, without comments, stamps and
// durations. It does not use the reader.
func words(text string) []string {
	text = strings.TrimPrefix(text, "\ufeff")
	text = regexp.MustCompile(`;[^\r\n]*`).ReplaceAllString(text, " ")
	text = regexp.MustCompile(`[^\s()\[\]:]+\s*:`).ReplaceAllString(text, " ")
	text = regexp.MustCompile(`\[\s*[^\s()\[\]:]+\s*\]`).ReplaceAllString(text, " ")
	return strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))
}

// FuzzValidate feeds plan texts to a fixed task. Nothing may panic, and a text that
// is judged valid consists of the steps judged and nothing else.
func FuzzValidate(f *testing.F) {
	for _, s := range []string{blocksPlan, "", "(unstack a b)\n@@", "1: (unstack a b) [1]\n1: (put-down a)", "(stack)", "; only a comment", "()", "(pick-up a))", "1e3: (unstack a b)"} {
		f.Add(s)
	}
	j := compile(f, blocksDomain, blocksProblem)
	easy := compile(f, blocksDomain, strings.Replace(blocksProblem, "(:goal (and (on c a) (on f c) (on d f)))", "(:goal (handempty))", 1))
	f.Fuzz(func(t *testing.T, text string) {
		for _, j := range []*Judge{j, easy} {
			v, diags := j.ValidateText(&pddl.Source{Name: "plan", Text: text}, j.NewScratch())
			if v.Valid == (v.Failure != nil) || v.Failure != nil && v.Failure.Message == "" {
				t.Fatalf("inconsistent verdict %+v", v)
			}
			if _, err := v.MarshalJSON(); err != nil {
				t.Fatal(err)
			}
			if !v.Valid {
				continue
			}
			if diags.HasErrors() {
				t.Fatalf("valid in spite of %v", diags)
			}
			plan, _ := pddl.ParsePlan(&pddl.Source{Name: "plan", Text: text})
			var judged []string
			for i := range plan.Steps {
				judged = append(append(append(judged, "("), plan.Steps[i].Name), plan.Steps[i].Args...)
				judged = append(judged, ")")
			}
			if !slices.Equal(words(text), judged) {
				t.Fatalf("the text says %q, judged were %q", words(text), judged)
			}
		}
	})
}

// TestJunkIsRefused puts text that is not part of a plan at each place between the steps
// of a valid plan, and inside a step.
func TestJunkIsRefused(t *testing.T) {
	j := compile(t, blocksDomain, blocksProblem)
	s := j.NewScratch()
	lines := strings.SplitAfter(blocksPlan, "\n")
	for _, junk := range []string{"@@", "Plan:", ")", "(", "()", "1.", "- ", "unstack a b", "(unstack a b", "[1]", "1:", "\x00", "\u00a0", "((", "))"} {
		for at := range lines {
			text := strings.Join(lines[:at], "") + junk + "\n" + strings.Join(lines[at:], "")
			if v, _ := j.ValidateText(&pddl.Source{Name: "plan", Text: text}, s); v.Valid && junk != "[1]" {
				t.Errorf("valid with %q before step %d", junk, at+1)
			} else if junk == "[1]" && v.Valid && at == 0 {
				t.Errorf("valid with %q first", junk)
			}
		}
	}
}

// TestIndependentVariables judges quantifiers over independent variables: the costs of the
// variables add up, they do not multiply.
func TestIndependentVariables(t *testing.T) {
	var objects strings.Builder
	for i := range 100 {
		fmt.Fprintf(&objects, " o%d", i)
	}
	const vars = "(?a ?b ?c ?d ?e ?f ?g ?h)"
	for goal, want := range map[string]string{
		"(forall " + vars + " (p ?a ?h))":                                                     "(p o0 o0)",
		"(forall " + vars + " (or (p ?a ?h) (p ?d ?c)))":                                      "(or (p o0 o0) (p o0 o0))",
		"(not (exists " + vars + " (and (all ?a ?h) (all ?b ?g) (none ?c ?f))))":              "",
		"(not (exists " + vars + " (and (all ?a ?h) (not (all ?b ?g)))))":                     "",
		"(exists " + vars + " (and (all ?a ?h) (all ?b ?g) (not (all ?c ?f))))":               "(exists ",
		"(exists " + vars + " (and (all ?a ?h) (all ?b ?g) (not (p ?c ?f))))":                 "",
		"(forall (?a - void ?b ?c ?d ?e) (p ?b ?c))":                                          "",
		"(exists (?a - void ?b ?c ?d ?e) (all ?b ?c))":                                        "(exists ",
		"(exists (?a ?b ?c ?d ?e) (and (all ?a ?b) (< (x ?c) 1)))":                            "(exists ",
		"(exists (?a ?b ?c ?d ?e) (and (all ?a ?b) (or (< (x ?c) 1) (all ?d ?e))))":           "",
		"(forall (?a) (exists (?b) (forall (?c) (exists (?d) (and (all ?a ?d) (p ?b ?c))))))": "",
	} {
		p := parse(t, `(define (domain d) (:requirements :adl :fluents :negative-preconditions) (:types void thing - object) (:predicates (p ?x ?y) (all ?x ?y) (none ?x ?y)) (:functions (x ?y))
		  (:action a :parameters () :effect (and (forall (?x ?y) (all ?x ?y))))
		  (:action u :parameters (?x ?y) :effect (none ?x ?y)) (:action v :parameters (?x ?y) :effect (p ?x ?y)))`,
			`(define (problem p) (:domain d) (:objects`+objects.String()+` - thing) (:init) (:goal `+goal+`))`)
		j, err := NewJudge(p, Options{MaxWork: 1e6})
		if err != nil {
			t.Fatal(err)
		}
		v := j.Validate(parsePlan(t, "(a)"))
		switch {
		case !v.Decided():
			t.Errorf("%s: %s", goal, v.Failure.Message)
		case strings.HasPrefix(goal, "(forall (?a) (exists"):
			if v.Valid {
				t.Errorf("%s: valid", goal)
			}
		case v.Valid != (want == ""):
			t.Errorf("%s: valid is %v", goal, v.Valid)
		case !v.Valid && len(v.Failure.Unsatisfied) > 0 && !strings.HasPrefix(v.Failure.Unsatisfied[0], want):
			t.Errorf("%s: %s", goal, v.Failure.Unsatisfied[0])
		}
	}
}

// TestManyDerived compiles long chains of derived predicates, with a common base predicate
// or with one each, and judges plans that change those.
func TestManyDerived(t *testing.T) {
	const n = 6000 // enough to make the lists of dependencies too long
	for _, own := range []bool{false, true} {
		var preds, rules, actions strings.Builder
		for i := range n {
			base := 0
			if own {
				base = i
				fmt.Fprintf(&actions, " (:action on%d :parameters () :effect (b%d))", i, i)
			}
			fmt.Fprintf(&preds, " (b%d) (p%d)", i, i)
			if i == 0 {
				rules.WriteString(" (:derived (p0) (b0))")
			} else {
				fmt.Fprintf(&rules, " (:derived (p%d) (or (not (p%d)) (b%d)))", i, i-1, base)
			}
		}
		if !own {
			actions.WriteString(" (:action on0 :parameters () :effect (b0))")
		}
		domain := `(define (domain d) (:requirements :adl :derived-predicates) (:predicates (off)` + preds.String() + `)` + rules.String() + actions.String() + `
		  (:action last :parameters () :precondition (p5999)) (:action before :parameters () :precondition (not (p5998))))`
		within(t, 20*time.Second, func() {
			j := compile(t, domain, `(define (problem p) (:domain d) (:init) (:goal (and)))`)
			// p0 is false at first, so that the odd ones hold; with b0 the even ones do, and
			// all of them where the base predicate is shared.
			plan, want := "(last) (before) (on0) (last)", "precondition 4: (p5999)"
			if !own {
				plan, want = "(last) (before) (on0) (last) (before)", "precondition 5: (not (p5998))"
			} else {
				plan = "(last) (before) (on0) (on5999) (last) (on5998) (before)"
				want = "precondition 7: (not (p5998))"
			}
			if got := describe(j.Validate(parsePlan(t, plan))); got != want {
				t.Errorf("own %v: got %s, want %s", own, got, want)
			}
		})
	}
}
