package dataset

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

func parse(t testing.TB, domain, problem string) *pddl.Problem {
	t.Helper()
	dom, ds := pddl.ParseDomain(pddl.NewSource("domain", domain), pddl.Options{})
	if dom == nil {
		t.Fatal(ds)
	}
	prob, ds := pddl.ParseProblem(pddl.NewSource("problem", problem), dom, pddl.Options{})
	if prob == nil {
		t.Fatal(ds)
	}
	return prob
}

func bundled(t testing.TB, name string) *pddl.Problem {
	t.Helper()
	d, p, err := domains.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, d.Text, p.Text)
}

// optimalPlan lets the prompts' own search find a plan.
func optimalPlan(t testing.TB, prob *pddl.Problem) []string {
	t.Helper()
	rec, err := prompt.Make(context.Background(), prompt.Task{ID: "x", Problem: prob}, prompt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rec.Gold.Plan
}

// restricted is blocksworld:3-5 with a step forbidden that can be taken on the way.
func restricted(t testing.TB) *pddl.Problem {
	t.Helper()
	d, p, err := domains.Load("blocksworld:3-5")
	if err != nil {
		t.Fatal(err)
	}
	domain := replaceOnce(t, d.Text, "(:predicates", "(:predicates (forbidden-stack ?block ?under)")
	domain = replaceOnce(t, domain, "(and (holding ?block) (clear ?under))", "(and (holding ?block) (clear ?under) (not (forbidden-stack ?block ?under)))")
	return parse(t, domain, replaceOnce(t, p.Text, "(:init", "(:init (forbidden-stack c b)"))
}

func replaceOnce(t testing.TB, text, old, new string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("%q is not in\n%s", old, text)
	}
	return strings.Replace(text, old, new, 1)
}

var traceForms = []TraceOptions{{}, {Short: true}, {Symbols: true}, {Symbols: true, Short: true}, {Templates: prompt.NoTemplates}, {PlanTags: true}}

// negated needs the absence of facts, has conditional effects and a fact that is not told.
const negatedDomain = `(define (domain doors) (:requirements :typing :negative-preconditions :conditional-effects :universal-preconditions)
 (:types room - object)
 (:predicates (in ?r - room) (joined ?a ?b - room) (shut ?r - room) (dusty ?r - room) (seen ?r - room))
 (:action go :parameters (?a ?b - room)
  :precondition (and (in ?a) (joined ?a ?b) (not (shut ?b)) (forall (?x - room) (or (seen ?x) (joined ?a ?b))))
  :effect (and (in ?b) (not (in ?a)) (when (not (dusty ?b)) (seen ?b))))
 (:action open :parameters (?r - room) :precondition (shut ?r) :effect (not (shut ?r)))
 (:action sweep :parameters (?r - room) :precondition (in ?r) :effect (not (dusty ?r))))`

const negatedProblem = `(define (problem p) (:domain doors) (:objects hall attic cellar - room)
 (:init (in hall) (joined hall attic) (joined attic hall) (joined hall cellar) (shut attic) (dusty cellar))
 (:goal (and (seen attic) (in cellar) (not (dusty cellar)))))`

func traceTasks(t testing.TB) map[string]*pddl.Problem {
	pattern, err := domains.Restrict(bundled(t, "blocksworld:4-3"), []domains.Forbidden{{Action: "stack", Args: []string{domains.AnyObject, "a"}}})
	if err != nil {
		t.Fatal(err)
	}
	tasks := map[string]*pddl.Problem{"restricted": restricted(t), "restricted by a pattern": pattern, "doors": parse(t, negatedDomain, negatedProblem)}
	for _, name := range []string{"blocksworld:3-5", "logistics:2-2-2-1", "gripper:3-2", "elevator:4-3-1-1", "powergrid:4-1-1-1", "blocksworld:6-3"} {
		tasks[name] = bundled(t, name)
	}
	return tasks
}

func TestTraceIsReadBack(t *testing.T) {
	for name, prob := range traceTasks(t) {
		plan := optimalPlan(t, prob)
		for _, o := range traceForms {
			tr, err := NewTracer(context.Background(), prob, search.Limits{}, o)
			if err != nil {
				t.Fatal(name, err)
			}
			text, err := tr.Trace(plan)
			if err != nil {
				t.Errorf("%s, %+v: %v", name, o, err)
				continue
			}
			if !o.Symbols && o.Templates == "" && strings.HasPrefix(name, "blocks") && strings.Contains(text, "(on ") {
				t.Errorf("%s, %+v: a fact is told in PDDL:\n%s", name, o, text)
			}
			if strings.Contains(text, "\n"+tr.words[phraseNever].before) != strings.HasPrefix(name, "restricted") {
				t.Errorf("%s, %+v: constraints told where there are none, or the other way round:\n%s", name, o, text)
			}
		}
	}
}

func TestTraceGolden(t *testing.T) {
	var out strings.Builder
	for _, task := range []string{"restricted", "doors"} {
		prob := traceTasks(t)[task]
		plan := optimalPlan(t, prob)
		for _, o := range traceForms[:4] {
			tr, err := NewTracer(context.Background(), prob, search.Limits{}, o)
			if err != nil {
				t.Fatal(err)
			}
			text, err := tr.Trace(plan)
			if err != nil {
				t.Fatal(err)
			}
			out.WriteString("== " + task + "\n" + text)
		}
	}
	testkit.Golden(t, "traces.txt", []byte(out.String()))
}

// A line that is told of another step is false where it stands, unless it says the same.
func TestCheckRefusesFalseLines(t *testing.T) {
	testkit.Long(t)
	for name, prob := range traceTasks(t) {
		if name != "restricted" && name != "doors" && name != "gripper:3-2" {
			continue
		}
		plan := optimalPlan(t, prob)
		for _, o := range traceForms[:4] {
			tr, err := NewTracer(context.Background(), prob, search.Limits{}, o)
			if err != nil {
				t.Fatal(err)
			}
			text, err := tr.Trace(plan)
			if err != nil {
				t.Fatal(err)
			}
			refusesFalseLines(t, name, tr, strings.Split(text, "\n"))
		}
	}
}

func refusesFalseLines(t *testing.T, name string, tr *Tracer, lines []string) {
	t.Helper()
	tried := 0
	for i, line := range lines {
		if line == "</think>" {
			break
		}
		kind, payload, ok := tr.words.read(line)
		if !ok || kind == phraseNever {
			continue // forbidden steps are judged in the state, and tempt in several
		}
		for _, other := range lines[:min(len(lines), 40)] {
			k, p, ok := tr.words.read(other)
			if !ok || k != kind || p == payload || (kind == phraseNeeds || kind == phraseAbsent) && subset(tr, p, payload) {
				continue
			}
			tried++
			changed := append(append(append([]string{}, lines[:i]...), other), lines[i+1:]...)
			if err := tr.Check(strings.Join(changed, "\n")); !errors.Is(err, ErrTrace) {
				t.Errorf("%s: %q in the place of %q was accepted: %v", name, other, line, err)
			}
		}
	}
	if tried == 0 {
		t.Errorf("%s: nothing was tried", name)
	}
}

// subset tells whether all facts of a list are in another: what a step needs may be told in
// part.
func subset(tr *Tracer, part, whole string) bool {
	p, err1 := tr.readFacts(part)
	w, err2 := tr.readFacts(whole)
	return err1 == nil && err2 == nil && len(without(p, set(w))) == 0
}

func TestCheckRefusesOtherTexts(t *testing.T) {
	prob := restricted(t)
	tr, err := NewTracer(context.Background(), prob, search.Limits{}, TraceOptions{Symbols: true})
	if err != nil {
		t.Fatal(err)
	}
	good, err := tr.Trace(optimalPlan(t, prob))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(good, "forbidden: (stack c b)\n") {
		t.Fatalf("the constraint is not told:\n%s", good)
	}
	for _, c := range [][3]string{
		{"no thoughts", "<think>\n", ""},
		{"an open end", "\n</think>", ""},
		{"another plan", "[PLAN]\n", "[PLAN]\n(pick-up b)\n"},
		{"prose", "<think>\n", "<think>\nLet me see.\n"},
		{"an empty line", "<think>\n", "<think>\n\n"},
		{"a constraint that is none", "forbidden: (stack c b)", "forbidden: (stack c a)"},
		{"a constraint on a step that cannot be taken anyway", "forbidden: (stack c b)", "forbidden: (stack a b)"},
		{"a need that is none", "needs: (holding b)", "needs: (clear c)"},
		{"an early end", "todo: ", "done\ntodo: "},
		{"an object that is none", "(holding b)", "(holding z)"},
		{"no end", "\ndone\n", "\n"},
		{"text after the plan", "[PLAN END]\n", "[PLAN END]\nThe end.\n"},
	} {
		bad := replaceOnce(t, good, c[1], c[2])
		if err := tr.Check(bad); !errors.Is(err, ErrTrace) {
			t.Errorf("%s was accepted: %v\n%s", c[0], err, bad)
		}
	}
}

func TestGoalFacts(t *testing.T) {
	const domain = `(define (domain d) (:requirements :adl :derived-predicates)
  (:predicates (P ?x) (q ?x) (all))
  (:derived (all) (forall (?x) (P ?x)))
  (:action go :parameters (?x) :precondition (q ?x) :effect (P ?x)))`
	for goal, want := range map[string][]string{
		"(and (q b) (and (P b) (P a)) (q b))": {"(p a)", "(p b)", "(q b)"},
		"(P a)":                               {"(p a)"},
		"(all)":                               nil, // no fact of a state: a rule says when it holds
		"(and (P a) (all))":                   nil,
		"(or (P a) (P b))":                    nil,
		"(and (P a) (exists (?x) (q ?x)))":    nil,
	} {
		got := goalFacts(parse(t, domain, "(define (problem p) (:domain d) (:objects a b) (:init (q a)) (:goal "+goal+"))"))
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", goal, got, want)
		}
	}
}

func TestTraceOfABadPlan(t *testing.T) {
	prob := bundled(t, "blocksworld:3-5")
	tr, err := NewTracer(context.Background(), prob, search.Limits{}, TraceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	plan := optimalPlan(t, prob)
	for _, bad := range [][]string{plan[1:], plan[:len(plan)-1], nil, {"(fly a)"}} {
		if text, err := tr.Trace(bad); err == nil {
			t.Errorf("a text about %v:\n%s", bad, text)
		}
	}
}

// A task whose states are no lists of facts has no reasoning text: its row is left out and
// named, the others are written.
func TestRowsWithoutTrace(t *testing.T) {
	const domain = `(define (domain tank) (:requirements :fluents) (:predicates (full)) (:functions (level))
 (:action pour :precondition (< (level) 2) :effect (increase (level) 1))
 (:action close :precondition (>= (level) 2) :effect (full)))`
	const problem = `(define (problem tank) (:domain tank) (:init (= (level) 0)) (:goal (full)))`
	if _, err := NewTracer(context.Background(), parse(t, domain, problem), search.Limits{}, TraceOptions{}); !errors.Is(err, ErrTrace) {
		t.Fatalf("a tracer of a task with numbers: %v", err)
	}
	bad := *shortRecords(t)[0]
	bad.ID, bad.DomainText, bad.ProblemText, bad.Gold.Plan = "tank", domain, problem, []string{"(pour)", "(pour)", "(close)"}
	m := pddlManifest(TrainerOptions{Trace: LongTrace})
	for range 2 { // another format of the same data set: told once
		rows := readRows(t, "trl-sft", write(t, "trl-sft", m, &bad, shortRecords(t)[1]))
		if len(rows) != 1 || rows[0]["id"] != "r2" {
			t.Errorf("rows: %v", rows)
		}
	}
	if len(m.Faults) != 1 || m.Faults[0].ID != "tank" || m.Faults[0].Reason != DropTrace || m.Dropped[DropTrace] != 1 {
		t.Errorf("faults: %+v, %v", m.Faults, m.Dropped)
	}
}

// No line of a language begins as another one does.
func TestPhrasesAreApart(t *testing.T) {
	for _, words := range []phrases{sentences, symbols} {
		for i, p := range words {
			for j, q := range words {
				if i != j && strings.HasPrefix(p.before, q.before) {
					t.Errorf("%q begins as %q does", p.before, q.before)
				}
			}
		}
	}
}

func BenchmarkTrace(b *testing.B) {
	prob := bundled(b, "blocksworld:6-3")
	plan := optimalPlan(b, prob)
	for b.Loop() {
		tr, err := NewTracer(context.Background(), prob, search.Limits{}, TraceOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := tr.Trace(plan); err != nil {
			b.Fatal(err)
		}
	}
}
