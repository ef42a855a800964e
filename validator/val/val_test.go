package val

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
)

const domain = `(define (domain d) (:requirements :strips :negative-preconditions) (:predicates (p) (q) (r) (s ?x))
 (:action a :precondition (and (not (p)) (q) (r)) :effect (p))
 (:action b :effect (q)) (:action c :effect (r)) (:action u :precondition (p) :effect (not (p))))`

// files writes a task and plans, and returns a function that runs Validate there.
func files(t *testing.T, texts map[string]string) func(args ...string) (out, errs string, code int) {
	dir := t.TempDir()
	texts["d.pddl"] = domain
	texts["p.pddl"] = "(define (problem x) (:domain d) (:objects o) (:init) (:goal (and (p) (q))))"
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return func(args ...string) (string, string, int) {
		var out, errs bytes.Buffer
		code := Run(context.Background(), args, &out, &errs)
		return out.String(), errs.String(), code
	}
}

// TestPhrases: VAL's phrases, byte for byte, and exit codes that mean something.
func TestPhrases(t *testing.T) {
	run := files(t, map[string]string{
		"good": "(b)\n(c)\n(a)\n", "long": "(b)\n(b)\n(c)\n(a)\n", "short": "(b)\n", "bad": "(b)\n(a)\n", "twice": "(a)\n", "arity": "(b o)\n", "junk": "(b)\nSolution found.\n",
	})
	const checked = "Checking plan: "
	for _, x := range []struct {
		args, out, errs string
		code            int
	}{
		{"d.pddl p.pddl good", checked + "good\nPlan executed successfully - checking goal\nPlan valid\nFinal value: 3 \n\nSuccessful plans:\nValue: 3\n good 3 \n\n", "", 0},
		{"d.pddl p.pddl short", checked + "short\nPlan executed successfully - checking goal\nGoal not satisfied\nPlan invalid\n\n\nFailed plans:\n short \n", "", 1},
		{"d.pddl p.pddl bad", checked + "bad\n\nPlan failed to execute\n\n\nFailed plans:\n bad \n", "", 1},
		{"d.pddl p.pddl arity", checked + "arity\nBad plan description!\n\n\nFailed plans:\n arity \n", "takes 0 arguments", 1},
		{"d.pddl p.pddl junk", checked + "junk\nBad plan description!\n\n\nFailed plans:\n junk \n", "junk:2:1", 1},
		{"d.pddl p.pddl none", checked + "none\nBad plan file!\n\n\nFailed plans:\n none \n", "none", 2},
		{"-s d.pddl p.pddl good", "", "", 0},
		{"-S d.pddl p.pddl long good bad", "4 \n3 \nfailed\n", "", 1},
		{"-v d.pddl p.pddl bad", checked + "bad\nPlan to validate:\n\nPlan size: 2\n1:\n(b)\n \n2:\n(a)\n \n\nPlan failed because of unsatisfied precondition in:\n(a)\n\nPlan failed to execute\n\n" +
			"Plan Repair Advice:\n\n(a) has an unsatisfied precondition at time 2\n(Set (r) to true)\n\n\nFailed plans:\n bad \n", "", 1},
		{"-e d.pddl p.pddl twice", checked + "twice\n\nPlan failed to execute\n\nPlan Repair Advice:\n\n(a) has an unsatisfied precondition at time 1\n" +
			"(Follow each of:\n    (Set (q) to true)\n    and (Set (r) to true)\n)\n\n\nFailed plans:\n twice \n", "", 1},
		{"-e -a d.pddl p.pddl twice", checked + "twice\n\nPlan failed to execute\n\n\nFailed plans:\n twice \n", "", 1},
		{"-e d.pddl p.pddl short", checked + "short\nPlan executed successfully - checking goal\nGoal not satisfied\nPlan invalid\n\nPlan Repair Advice:\n\n" +
			"The goal is not satisfied\n(Set (p) to true)\n\n\nFailed plans:\n short \n", "", 1},
		{"-t 0.01 d.pddl p.pddl long good", checked + "long\nPlan executed successfully - checking goal\nPlan valid\nFinal value: 4 \n" +
			checked + "good\nPlan executed successfully - checking goal\nPlan valid\nFinal value: 3 \n\nSuccessful plans:\nValue: 3\n good 3 \n\nValue: 4\n long 4 \n\n", "", 0},
		{"d.pddl p.pddl", "", "", 0},
		{"d.pddl", "", "", 0},
		{"p.pddl p.pddl good", "", "Problem in domain definition!", 2},
		{"none p.pddl good", "", "Bad domain file!", 2},
		{"d.pddl d.pddl good", "", "Type problem in problem specification!", 2},
		{"d.pddl none good", "", "Bad problem file!", 2},
		{"-x d.pddl p.pddl good", "", "Unrecognised command line switch: -x", 2},
		{"-l d.pddl p.pddl good", "", "not supported", 2},
		{"-t", "", "-t needs a number", 2},
		{"-t x d.pddl p.pddl good", "", "-t", 2},
		{"", usage, "", 2},
		{"-h", usage, "", 0},
	} {
		out, errs, code := run(strings.Fields(x.args)...)
		if out != x.out || code != x.code || !strings.Contains(errs, x.errs) || x.errs == "" && errs != "" {
			t.Errorf("validate %s: code %d\n%s--- want %d\n%s--- errors\n%s", x.args, code, out, x.code, x.out, errs)
		}
	}
}

// TestCase: names are written in lower case, whatever their case in the files. PlanBench's scripts look them up so.
func TestCase(t *testing.T) {
	run := files(t, map[string]string{
		"upper.pddl": "(define (domain D) (:predicates (AIRPORT ?x) (Q)) (:action FLY :parameters (?x) :precondition (AIRPORT ?x) :effect (Q)))",
		"o.pddl":     "(define (problem x) (:domain d) (:objects L1) (:init) (:goal (Q)))",
		"plan":       "(Fly L1)",
	})
	out, errs, code := run("-v", "upper.pddl", "o.pddl", "plan")
	for _, want := range []string{"1:\n(fly l1)\n", "precondition in:\n(fly l1)\n", "(fly l1) has an unsatisfied precondition at time 1\n(Set (airport l1) to true)\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if code != Invalid || errs != "" || strings.ContainsAny(strings.TrimPrefix(out, "Checking plan: plan\n"), "QL") {
		t.Errorf("code %d %s\n%s", code, errs, out)
	}
}

// TestManyFailures: 256 bad plans are not success, as in VAL.
func TestManyFailures(t *testing.T) {
	run := files(t, map[string]string{"bad": "(a)"})
	args := []string{"d.pddl", "p.pddl"}
	for range 256 {
		args = append(args, "bad")
	}
	if _, _, code := run(args...); code != Invalid {
		t.Errorf("code %d", code)
	}
}

// TestRecordedVerdicts: scripts that look for "Plan valid" find what they found with VAL, in the recorded verdicts,
// but for mutations on which VAL is known to be wrong: it crashes on arities, invents objects, and stops reading at
// what it cannot read.
func TestRecordedVerdicts(t *testing.T) {
	data := testkit.Shared(t, "data")
	in, err := os.Open(filepath.Join(data, "validator", "cases-dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	every := 40
	if !testing.Short() {
		every = 1
	}
	knownWrong := map[string]bool{"wrong_arity_fewer": true, "wrong_arity_more": true, "unknown_object": true, "garbage_line": true, "no_parens": true}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	same, valid := 0, 0
	for n := 0; lines.Scan(); n++ {
		if n%every != 0 {
			continue
		}
		var r struct {
			ID, Plan, Mutation string
			Domain             string   `json:"domain_file"`
			Problem            string   `json:"problem_file"`
			Status             string   `json:"val_status"`
			Valid              *bool    `json:"val_valid"`
			Value              *float64 `json:"val_final_value"`
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.Status != "ok" || r.Valid == nil || knownWrong[r.Mutation] {
			continue
		}
		plan := filepath.Join(t.TempDir(), "plan")
		if err := os.WriteFile(plan, []byte(r.Plan), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := Run(t.Context(), []string{filepath.Join(data, "bench", r.Domain), filepath.Join(data, "bench", r.Problem), plan}, &out, &errs)
		if got := strings.Contains(out.String(), "Plan valid"); got != *r.Valid || (code == Valid) != *r.Valid {
			t.Errorf("%s: VAL says valid %v, we exit with %d and print\n%s%s", r.ID, *r.Valid, code, out.String(), errs.String())
		}
		same++
		if *r.Valid {
			valid++
		}
	}
	t.Logf("%d verdicts compared, %d of valid plans", same, valid)
	if valid == 0 || same == valid {
		t.Error("nothing was compared")
	}
}
