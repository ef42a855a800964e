package validator

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/secondjudge"
	"github.com/planproof/planproof/pddl"
)

// plusCase is a task with processes and events and a plan whose verdict is known.
type plusCase struct {
	name       string
	decl       string // predicates, functions, actions, processes, events
	task       string // initial state, goal, metric
	plan       string
	want       string // "valid" or the kind of the failure
	time, says string // time and words of the failure
}

const plusTank = `(:predicates (open) (alarm) (wet)) (:functions (level) (rate) (count))
 (:action open :parameters () :precondition (not (open)) :effect (open))
 (:action close :parameters () :precondition (open) :effect (not (open)))
 (:process fill :parameters () :precondition (open) :effect (increase (level) (* #t (rate))))
 `

var plusCases = []plusCase{
	{"a process runs while its condition holds", plusTank, "(:init (= (level) 0) (= (rate) 2)) (:goal (= (level) 5))",
		"1: (open) 3.5: (close) 9: @PlanEND", "valid", "", ""},
	{"a process does not run before", plusTank, "(:init (= (level) 0) (= (rate) 2)) (:goal (= (level) 6))",
		"1: (open) 3.5: (close) 9: @PlanEND", "goal", "", "(level) is 5"},
	{"time passes until the end marker", plusTank, "(:init (open) (= (level) 0) (= (rate) 2)) (:goal (= (level) 7))",
		"3.5: @planend", "valid", "", ""},
	{"without the marker the plan ends with its last action", plusTank, "(:init (open) (= (level) 0) (= (rate) 2)) (:goal (= (level) 2))",
		"1: (close)", "valid", "", ""},
	{"processes add up, also with a durative action", plusTank + `(:process leak :parameters () :precondition (> (level) 0) :effect (decrease (level) (* #t 1)))
 (:durative-action pump :parameters () :duration (= ?duration 2) :condition (at start (open)) :effect (increase (level) (* #t 3)))`,
		"(:init (open) (= (level) 1) (= (rate) 2)) (:goal (= (level) 9))", "0: (pump) [2] ", "valid", "", ""},
	{"a process stops at the exact root", plusTank + `(:process leak :parameters () :precondition (> (level) 0) :effect (decrease (level) (* #t 3)))`,
		"(:init (= (level) 1) (= (rate) 2)) (:goal (= (level) 0))", "7: @PlanEND", "valid", "", ""},
	{"an event happens at the exact root", plusTank + `(:event overflow :parameters () :precondition (and (not (wet)) (>= (level) 1)) :effect (and (wet) (not (open))))`,
		"(:init (open) (= (level) 0) (= (rate) 3)) (:goal (and (wet) (= (level) 1)))", "7: @PlanEND", "valid", "", ""},
	{"an event with a strict condition happens where it begins to hold", plusTank + `(:event overflow :parameters () :precondition (and (open) (> (level) 1)) :effect (not (open)))`,
		"(:init (open) (= (level) 0) (= (rate) 3)) (:goal (= (level) 1))", "7: @PlanEND", "valid", "", ""},
	{"events follow each other at once", plusTank + `(:event a :parameters () :precondition (and (not (wet)) (>= (level) 1)) :effect (wet))
 (:event b :parameters () :precondition (and (wet) (not (alarm))) :effect (and (alarm) (not (open))))`,
		"(:init (open) (= (level) 0) (= (rate) 3)) (:goal (and (alarm) (= (level) 1)))", "7: @PlanEND", "valid", "", ""},
	{"an event that is possible initially", plusTank + `(:event a :parameters () :precondition (not (wet)) :effect (wet))`,
		"(:init (= (level) 0) (= (rate) 3)) (:goal (wet))", "", "valid", "", ""},
	{"an event in what a step reads", plusTank + `(:event a :parameters () :precondition (and (open) (>= (level) 2)) :effect (not (open)))`,
		"(:init (= (level) 0) (= (rate) 2)) (:goal (and))", "1: (open) 2.5: (close)", "precondition", "2.5", "the event (a) at 2 made (open) false"},
	{"an event and a step at one time", plusTank + `(:event a :parameters () :precondition (and (open) (>= (level) 2)) :effect (not (open)))`,
		"(:init (= (level) 0) (= (rate) 2)) (:goal (and))", "1: (open) 2: (open)", "mutex", "2", "interferes with the event (a)"},
	{"an event that a step causes", plusTank + `(:event a :parameters () :precondition (open) :effect (and (not (open)) (alarm)))`,
		"(:init (= (level) 0) (= (rate) 2)) (:goal (and (alarm) (not (open))))", "1: (open)", "valid", "", ""},
	{"an event that does not falsify its condition", plusTank + `(:event a :parameters () :precondition (open) :effect (alarm))`,
		"(:init (= (level) 0) (= (rate) 2)) (:goal (and))", "1: (open)", "event", "1", "event (a): it happens at 1 and would have to happen again at once"},
	{"a chain without end", plusTank + `(:event a :parameters () :precondition (and (open) (alarm)) :effect (not (alarm)))
 (:event b :parameters () :precondition (and (open) (not (alarm))) :effect (alarm))`,
		"(:init (= (level) 0) (= (rate) 2)) (:goal (and))", "1.5: (open)", "event", "1.5", "in a chain"},
	{"events that interfere", plusTank + `(:event a :parameters () :precondition (and (open) (not (wet))) :effect (and (not (open)) (wet)))
 (:event b :parameters () :precondition (and (open) (not (alarm))) :effect (alarm))`,
		"(:init (= (level) 0) (= (rate) 2)) (:goal (and))", "1: (open)", "event", "1", "events (a) and (b) interfere"},
	{"a process that can neither run nor rest", plusTank + `(:process leak :parameters () :precondition (>= (level) 0) :effect (decrease (level) (* #t 1)))`,
		"(:init (= (level) 1) (= (rate) 2)) (:goal (and))", "7: @PlanEND", "event", "1", "process (leak) from 1 on"},
	{"a rate without a value", plusTank, "(:init (= (level) 1)) (:goal (and))", "2: (open) 3: (close)", "event", "2", "process (fill) from 2 on"},
	{"an event breaks a condition over all", plusTank + `(:event a :parameters () :precondition (and (open) (>= (level) 2)) :effect (not (open)))
 (:durative-action watch :parameters () :duration (= ?duration 4) :condition (over all (open)) :effect (at end (alarm)))`,
		"(:init (open) (= (level) 0) (= (rate) 2)) (:goal (and))", "0: (watch) [4]", "invariant", "1", "the event (a) at 1 made (open) false"},
	{"an event during the last instant of a condition over all", plusTank + `(:event a :parameters () :precondition (and (open) (>= (level) 8)) :effect (not (open)))
 (:durative-action watch :parameters () :duration (= ?duration 4) :condition (over all (open)) :effect (at end (alarm)))`,
		"(:init (open) (= (level) 0) (= (rate) 2)) (:goal (alarm))", "0: (watch) [4]", "valid", "", ""},
	{"timed literals start a process", plusTank, "(:init (= (level) 0) (= (rate) 2) (at 1 (open)) (at 2.5 (not (open)))) (:goal (= (level) 3))", "", "valid", "", ""},
	{"an event many times", plusTank + `(:event tick :parameters () :precondition (>= (level) 1) :effect (and (assign (level) 0) (increase (count) 1)))`,
		"(:init (open) (= (level) 0) (= (rate) 3) (= (count) 0)) (:goal (= (count) 30))", "10: @PlanEND", "valid", "", ""},
	{"an undefined condition does not hold", plusTank + `(:event a :parameters () :precondition (and (not (wet)) (> (count) 0)) :effect (wet))
 (:process leak :parameters () :precondition (> (count) 0) :effect (decrease (level) (* #t 1)))`,
		"(:init (open) (= (level) 0) (= (rate) 2)) (:goal (and (not (wet)) (= (level) 4)))", "2: @PlanEND", "valid", "", ""},
	{"processes of objects", `(:types t) (:predicates (on ?x - t)) (:functions (v ?x - t))
 (:process p :parameters (?x - t) :precondition (on ?x) :effect (increase (v ?x) (* #t 1)))
 (:event e :parameters (?x - t) :precondition (and (on ?x) (>= (v ?x) 3)) :effect (not (on ?x)))`,
		"(:objects a b - t) (:init (on a) (on b) (= (v a) 0) (= (v b) 1)) (:goal (and (= (v a) 3) (= (v b) 3) (not (on a))))", "5: @PlanEND", "valid", "", ""},
	{"a process that could neither run nor rest after the last step", plusTank + `(:process leak :parameters () :precondition (and (open) (>= (level) 0)) :effect (decrease (level) (* #t 9)))`,
		"(:init (= (level) 0) (= (rate) 2)) (:goal (open))", "1: (open)", "valid", "", ""},
	{"the same before the last step", plusTank + `(:process leak :parameters () :precondition (and (open) (>= (level) 0)) :effect (decrease (level) (* #t 9)))`,
		"(:init (= (level) 0) (= (rate) 2)) (:goal (open))", "1: (open) 2: (close)", "event", "1", "process (leak) from 1 on"},
	{"a process that could neither run nor rest after the end marker", plusTank + `(:process leak :parameters () :precondition (>= (level) 0) :effect (decrease (level) (* #t 1)))`,
		"(:init (= (level) 1) (= (rate) 2)) (:goal (= (level) 0))", "1: @PlanEND", "valid", "", ""},
	{"a rate without a value after the last step", plusTank, "(:init (= (level) 1)) (:goal (open))", "2: (open)", "valid", "", ""},
	{"an event that would begin to hold after the last step", plusTank + `(:event a :parameters () :precondition (and (not (alarm)) (> (level) 4)) :effect (alarm))
 (:action wet :parameters () :effect (wet))`,
		"(:init (open) (= (level) 0) (= (rate) 2)) (:goal (and (= (level) 4) (not (alarm))))", "2: (wet)", "valid", "", ""},
	{"the same before the last step", plusTank + `(:event a :parameters () :precondition (and (not (alarm)) (> (level) 4)) :effect (alarm))
 (:action wet :parameters () :effect (wet))`,
		"(:init (open) (= (level) 0) (= (rate) 2)) (:goal (and (= (level) 5) (not (alarm))))", "2.5: (wet)", "goal", "", "the event (a) at 2 made (alarm) true"},
	{"an event that is possible when the last step happens", plusTank + `(:event a :parameters () :precondition (and (not (alarm)) (>= (level) 4)) :effect (alarm))
 (:action wet :parameters () :effect (wet))`,
		"(:init (open) (= (level) 0) (= (rate) 2)) (:goal (alarm))", "2: (wet)", "valid", "", ""},
	{"an event that is possible at the end marker", plusTank + `(:event a :parameters () :precondition (and (not (alarm)) (>= (level) 4)) :effect (alarm))`,
		"(:init (open) (= (level) 0) (= (rate) 2)) (:goal (alarm))", "2: @PlanEND", "valid", "", ""},
	{"a chain of initial events", plusTank + `(:event a :parameters () :precondition (not (wet)) :effect (wet)) (:event b :parameters () :precondition (and (wet) (not (alarm))) :effect (alarm))`,
		"(:init (= (level) 0) (= (rate) 3)) (:goal (alarm))", "0: @PlanEND", "valid", "", ""},
	{"initial events come before a step at 0, with which they interfere", plusTank + `(:event a :parameters () :precondition (not (open)) :effect (open))`,
		"(:init (= (level) 0) (= (rate) 3)) (:goal (and))", "0: (close)", "mutex", "0", "interferes with the event (a)"},
	{"a process runs from the last step to the end marker", plusTank, "(:init (= (level) 0) (= (rate) 2)) (:goal (= (level) 4))",
		"1: (open) 3: @PlanEND", "valid", "", ""},
	{"of two sets of processes that can run, the one that holds now", plusTank + `(:process refill :parameters () :precondition (>= (level) 0) :effect (increase (level) (* #t 1)))
 (:durative-action drain :parameters () :duration (= ?duration 2) :effect (decrease (level) (* #t 1)))`,
		"(:init (= (level) 0) (= (rate) 2)) (:goal (= (level) 0))", "0: (drain) [2]", "valid", "", ""},
	{"constraints see the end of the plan", plusTank + `(:event a :parameters () :precondition (and (not (alarm)) (>= (level) 7)) :effect (alarm))`,
		"(:init (open) (= (level) 0) (= (rate) 2)) (:goal (and)) (:constraints (sometime (alarm)))",
		"3.5: @PlanEND", "valid", "", ""},
	{"constraints see what events do between steps", plusTank + `(:event a :parameters () :precondition (and (not (wet)) (>= (level) 2)) :effect (and (wet) (alarm)))
 (:event b :parameters () :precondition (and (alarm) (>= (level) 3)) :effect (not (alarm)))`,
		"(:init (open) (= (level) 0) (= (rate) 2)) (:goal (not (alarm))) (:constraints (always (not (alarm))))", "4: (close)", "constraint", "1", "it breaks at 1"},
	{"total-time is the end of the plan", plusTank, "(:init (open) (= (level) 0) (= (rate) 2)) (:goal (= (level) 7)) (:metric minimize (total-time))",
		"3.5: @PlanEND", "valid", "", ""},
}

// crowd is a task in which n events happen at one moment, all at once or each after the one before.
func crowd(n int, chain bool) (decl, task string) {
	var b strings.Builder
	decl = "(:predicates (on ?x) (next ?x ?y) (gone)) (:functions (c)) (:action go :parameters (?x) :effect (and (on ?x) (gone)))"
	if chain {
		decl += "(:event e :parameters (?x ?y) :precondition (and (next ?x ?y) (on ?x) (not (on ?y))) :effect (and (on ?y) (increase (c) 1)))"
	} else {
		decl += "(:event e :parameters (?x ?y) :precondition (and (next ?x ?y) (gone) (not (on ?y))) :effect (and (on ?y) (increase (c) 1)))"
	}
	b.WriteString("(:objects")
	for i := range n + 1 {
		fmt.Fprintf(&b, " o%d", i)
	}
	b.WriteString(") (:init (= (c) 0)")
	for i := range n {
		fmt.Fprintf(&b, " (next o%d o%d)", i, i+1)
	}
	fmt.Fprintf(&b, ") (:goal (= (c) %d))", n)
	return decl, b.String()
}

// TestManyEvents has more events at one moment than a small bound would allow: a chain of 60, and
// 60 at once.
func TestManyEvents(t *testing.T) {
	for _, chain := range []bool{true, false} {
		c := plusCase{}
		c.decl, c.task = crowd(60, chain)
		j := compile(t, firstOf(c.texts()), secondOf(c.texts()))
		plan, _ := pddl.ParsePlan(pddl.NewSource("plan", "1: (go o0)"))
		s := j.NewScratch()
		v := j.ValidateWith(plan, s)
		if !v.Valid {
			t.Errorf("chain %v: %s", chain, v.Failure.Message)
		}
		if diff := Difference(v, secondjudge.Judge(j.prob, plan, secondjudge.Options{})); diff != "" {
			t.Error(diff)
		}
		if v := j.Explain(plan, s); len(v.World) != 60 || v.WorldOmitted != 0 || v.World[59].Time != "1" {
			t.Errorf("chain %v: %d events told, %d not", chain, len(v.World), v.WorldOmitted)
		}
	}
}

// TestWorldWords has what an explanation tells about processes and events, of a valid plan and of
// one that fails.
func TestWorldWords(t *testing.T) {
	c := plusCase{decl: plusTank + `(:event a :parameters () :precondition (and (open) (>= (level) 2)) :effect (not (open)))`,
		task: "(:init (= (level) 0) (= (rate) 2)) (:goal (not (open)))"}
	j := compile(t, firstOf(c.texts()), secondOf(c.texts()))
	for plan, want := range map[string]string{
		"1: (open) 2.5: (open) 3: (close)": "from 1 on: process (fill); at 2: event (a); until 2: process (fill); at 2.5: event (a)",
		"1: (open) 2.5: (close)":           "from 1 on: process (fill); at 2: event (a); until 2: process (fill)",
		"1: (open) 1.5: (close)":           "from 1 on: process (fill)", // nothing is known of the time after the end
		"":                                 "",
	} {
		v, _ := j.ExplainText(pddl.NewSource("plan", plan), j.NewScratch())
		if got := strings.Join(v.WorldLines(), "; "); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", plan, got, want)
		}
	}
}

func (c *plusCase) texts() (domain, problem string) {
	return "(define (domain d) (:requirements :adl :fluents :time :timed-initial-literals :derived-predicates) " + c.decl + ")",
		"(define (problem p) (:domain d) " + c.task + ")"
}

// TestPlus checks the rules about processes and events, each with a plan whose verdict was
// found by hand, with both judges.
func TestPlus(t *testing.T) {
	for _, c := range plusCases {
		t.Run(c.name, func(t *testing.T) {
			j := compile(t, firstOf(c.texts()), secondOf(c.texts()))
			s := j.NewScratch()
			plan, diags := pddl.ParsePlan(pddl.NewSource("plan", c.plan))
			if plan == nil {
				t.Fatal(diags)
			}
			for range 2 { // nothing is kept from one plan to the next
				v := j.ValidateWith(plan, s)
				got, at, says := "valid", "", ""
				if !v.Valid {
					got, at, says = string(v.Failure.Kind), v.Failure.Time, v.Failure.Message+" "+v.Failure.Because
				}
				if got != c.want || c.time != "" && at != c.time || !strings.Contains(says, c.says) {
					t.Errorf("%s at %s: %s", got, at, says)
				}
				if diff := Difference(v, secondjudge.Judge(j.prob, plan, secondjudge.Options{})); diff != "" {
					t.Error(diff)
				}
			}
			if v := j.Explain(plan, s); v.Valid != (c.want == "valid") {
				t.Error("the explanation has another verdict")
			}
		})
	}
}

func firstOf(a, _ string) string  { return a }
func secondOf(_, b string) string { return b }
