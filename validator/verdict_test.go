package validator

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
)

// TestVerdictWords compares the JSON and the explanation of verdicts as a whole.
func TestVerdictWords(t *testing.T) {
	const costDomain = `(define (domain d) (:requirements :adl :fluents :typing) (:types truck place)
	  (:predicates (at ?t - truck ?p - place) (road ?p ?q - place)) (:functions (fuel ?t - truck) (dist ?p ?q - place) (total-cost))
	  (:action drive :parameters (?t - truck ?p ?q - place) :precondition (and (at ?t ?p) (road ?p ?q) (>= (fuel ?t) (dist ?p ?q)))
	   :effect (and (not (at ?t ?p)) (at ?t ?q) (decrease (fuel ?t) (dist ?p ?q)) (increase (total-cost) (dist ?p ?q)))))`
	const costProblem = `(define (problem p) (:domain d) (:objects T1 - truck x y z - place)
	  (:init (at T1 x) (road x y) (road y z) (road z x) (= (fuel T1) 7.5) (= (dist x y) 3) (= (dist y z) 3.25) (= (total-cost) 0))
	  (:goal (at T1 z)) (:metric minimize (total-cost)))`
	tests := []struct{ name, domain, problem, plan, json, words string }{
		{"broken precondition", blocksDomain, blocksProblem, "(unstack a b)\n(stack a d)\n(unstack d e)\n",
			`{"valid":false,"cost":"2","steps":3,"executed":2,"goal_reached":false,"failure":{"kind":"precondition","step":3,"action":"(unstack d e)","line":3,"column":1,"unsatisfied":["(clear d)"],"because":"step 2 (stack a d) made (clear d) false","message":"step 3 (unstack d e): (clear d) does not hold"}}`,
			`The plan is invalid (line 3, column 1): step 3 (unstack d e): (clear d) does not hold.
2 of 3 steps could be carried out at cost 2.
Unmet:
  (clear d)
      because step 2 (stack a d) made (clear d) false
Changed since the initial state:
  - (on a b)
  + (clear b)
  - (clear d)
  + (on a d)
`},
		{"comparison", costDomain, costProblem, "(drive t1 x y) (drive t1 y z) (drive t1 z x)",
			`{"valid":false,"cost":"6.25","steps":3,"executed":2,"goal_reached":true,"failure":{"kind":"numeric","step":3,"action":"(drive t1 z x)","line":1,"column":31,"unsatisfied":["(>= (fuel T1) (dist z x))"],"because":"(dist z x) has no value in the problem","message":"step 3 (drive t1 z x): (>= (fuel T1) (dist z x)) cannot be decided: (fuel T1) is 1.25, (dist z x) has no value"}}`,
			`The plan is invalid (line 1, column 31): step 3 (drive t1 z x): (>= (fuel T1) (dist z x)) cannot be decided: (fuel T1) is 1.25, (dist z x) has no value.
2 of 3 steps could be carried out at cost 6.25; the goal holds at that point.
Unmet:
  (>= (fuel T1) (dist z x))
      because (dist z x) has no value in the problem
Changed since the initial state:
  - (at T1 x)
  + (at T1 z)
`},
		{"valid", costDomain, costProblem, "(drive t1 x y) (drive t1 y z)",
			`{"valid":true,"cost":"6.25","steps":2,"executed":2,"goal_reached":true}`,
			"The plan is valid: 2 steps reach the goal at cost 6.25.\n"},
		{"similar name", blocksDomain, blocksProblem, "(unstak a b)",
			`{"valid":false,"cost":"0","steps":1,"executed":0,"goal_reached":false,"failure":{"kind":"unknown-action","step":1,"action":"(unstak a b)","line":1,"column":1,"message":"step 1 (unstak a b): there is no action unstak; did you mean unstack?"}}`,
			"The plan is invalid (line 1, column 1): step 1 (unstak a b): there is no action unstak; did you mean unstack?\n0 of 1 step could be carried out at cost 0.\n"},
		{"arity", blocksDomain, blocksProblem, "(stack a)",
			`{"valid":false,"cost":"0","steps":1,"executed":0,"goal_reached":false,"failure":{"kind":"arity","step":1,"action":"(stack a)","line":1,"column":1,"message":"step 1 (stack a): stack takes 2 arguments (?x ?y), not 1"}}`, ""},
		{"unknown object", costDomain, costProblem, "(drive t2 x y)",
			`{"valid":false,"cost":"0","steps":1,"executed":0,"goal_reached":false,"failure":{"kind":"unknown-object","step":1,"action":"(drive t2 x y)","line":1,"column":1,"message":"step 1 (drive t2 x y): there is no object t2"}}`, ""},
		{"type", costDomain, costProblem, "(drive x x y)",
			`{"valid":false,"cost":"0","steps":1,"executed":0,"goal_reached":false,"failure":{"kind":"type","step":1,"action":"(drive x x y)","line":1,"column":1,"message":"step 1 (drive x x y): x is of type place, but parameter ?t of drive needs truck"}}`, ""},
		{"syntax", blocksDomain, blocksProblem, "(unstack a b)\nThen stack it.",
			`{"valid":false,"cost":"0","steps":0,"executed":0,"goal_reached":false,"failure":{"kind":"syntax","line":2,"column":1,"message":"line 2, column 1: text outside a step: 'Then'"}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := compile(t, tt.domain, tt.problem)
			v, _ := j.ValidateText(&pddl.Source{Name: "plan", Text: tt.plan}, j.NewScratch())
			got, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			// The encoder escapes what MarshalJSON leaves readable.
			if s := strings.NewReplacer(`\u003e`, ">", `\u003c`, "<").Replace(string(got)); s != tt.json {
				t.Errorf("got  %s\nwant %s", s, tt.json)
			}
			var words strings.Builder
			if err := Explain(v, &words); err != nil {
				t.Fatal(err)
			}
			if tt.words != "" && words.String() != tt.words {
				t.Errorf("got:\n%swant:\n%s", words.String(), tt.words)
			}
		})
	}
}
