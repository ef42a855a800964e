package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/rows"
)

// restrictedRef is a bundled task in which some actions are forbidden.
func restrictedRef(t testing.TB, name, text string) (taskref.Ref, *pddl.Problem) {
	t.Helper()
	dom, prob, err := domains.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := pddl.ParseDomain(dom, pddl.Options{})
	p, _ := pddl.ParseProblem(prob, d, pddl.Options{})
	list, ds := domains.ParseForbidden(pddl.NewSource("f", text), p)
	if ds != nil {
		t.Fatal(ds)
	}
	q, err := domains.Restrict(p, list)
	if err != nil {
		t.Fatal(err)
	}
	return taskref.Ref{DomainText: q.Domain.String(), ProblemText: q.String()}, q
}

// TestViolations: scores count the forbidden steps of the plan that was read, reached or
// not, and those of tasks that forbid nothing do not mention them.
func TestViolations(t *testing.T) {
	o := newTestOracle(t, Options{})
	ref, _ := restrictedRef(t, "blocksworld:4-17", "(stack b a) (pick-up ?) (unstack ? d)")
	zero, one, three := 0, 1, 3
	for _, c := range []struct {
		ref      taskref.Ref
		response string
		status   rows.Status
		want     *int
	}{
		{ref, "[PLAN]\n(unstack b c)\n(put-down b)\n[PLAN END]", rows.StatusInvalid, &zero},
		{ref, "[PLAN]\n(unstack b c)\n(stack b a)\n[PLAN END]", rows.StatusInvalid, &one},
		{ref, "[PLAN]\nunstack the orange block from on top of the yellow block\npick up the red block\nstack the blue block on top of the red block\n[PLAN END]", rows.StatusInvalid, &three},
		{ref, "no idea", rows.StatusNoPlan, &zero},
		{taskref.Ref{Task: "blocksworld:4-17"}, "[PLAN]\n(unstack b c)\n(stack b a)\n[PLAN END]", rows.StatusInvalid, nil},
		{taskref.Ref{Task: "blocksworld:4-17"}, "no idea", rows.StatusNoPlan, nil},
	} {
		s := o.Score(context.Background(), &rows.Item{Task: c.ref, Response: c.response}, "valid")
		got, _ := json.Marshal(s.Violations)
		want, _ := json.Marshal(c.want)
		if s.Status != c.status || string(got) != string(want) {
			t.Errorf("%q: %s, violations %s, want %s", c.response, s.Status, got, want)
		}
		row, _ := json.Marshal(s)
		if strings.Contains(string(row), "violations") != (c.want != nil) {
			t.Errorf("%q: %s", c.response, row)
		}
		body, _ := json.Marshal(map[string]any{"items": []any{map[string]any{"id": 1, "task": map[string]string{"domain": c.ref.DomainText, "problem": c.ref.ProblemText}, "completion": c.response}}})
		if c.ref.Task != "" {
			body, _ = json.Marshal(map[string]any{"items": []any{map[string]any{"id": 1, "task": c.ref.Task, "completion": c.response}}})
		}
		reply, fault := o.Call(context.Background(), OpScore, body)
		if fault != nil {
			t.Fatal(fault)
		}
		if has := strings.Contains(string(reply.Body), fmt.Sprintf(`"violations":%s,`, want)); has != (c.want != nil) {
			t.Errorf("%q: %s", c.response, reply.Body)
		}
	}
	// A response that has no score has no count either.
	s := o.Score(context.Background(), &rows.Item{Task: ref, Err: rows.ErrRow}, "valid")
	if s.Violations != nil {
		t.Errorf("a bad row has %d violations", *s.Violations)
	}
}

// TestViolationsCount: the count is that of the steps that some restriction matches.
func TestViolationsCount(t *testing.T) {
	names := []string{"a", "b", "c", domains.AnyObject}
	arity := map[string]int{"pick-up": 1, "put-down": 1, "stack": 2, "unstack": 2}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(from []string) (string, []string) {
			action := rapid.SampledFrom([]string{"pick-up", "put-down", "stack", "unstack"}).Draw(t, "action")
			args := make([]string, arity[action])
			for i := range args {
				args[i] = rapid.SampledFrom(from).Draw(t, "argument")
			}
			return action, args
		}
		var list []domains.Forbidden
		var text strings.Builder
		for range rapid.IntRange(1, 5).Draw(t, "restrictions") {
			action, args := draw(names)
			list = append(list, domains.Forbidden{Action: action, Args: args})
			text.WriteString(list[len(list)-1].String())
		}
		dom, prob, _ := domains.Load("blocksworld:3-5")
		d, _ := pddl.ParseDomain(dom, pddl.Options{})
		p, _ := pddl.ParseProblem(prob, d, pddl.Options{})
		q, err := domains.Restrict(p, list)
		if err != nil {
			t.Fatal(err)
		}
		var plan []string
		want := 0
		for range rapid.IntRange(0, 9).Draw(t, "steps") {
			action, args := draw(names[:3])
			switch rapid.IntRange(0, 9).Draw(t, "arguments") {
			case 0:
				args = append(args, "a") // too many or too few: no step that is forbidden
			case 1:
				args = args[:len(args)-1]
			}
			plan = append(plan, "("+action+" "+strings.Join(args, " ")+")")
			for _, f := range list {
				if f.Matches(action, args) {
					want++
					break
				}
			}
		}
		if got := newForbidden(q).violations(plan); got != want {
			t.Fatalf("%d violations of %s in %v, want %d", got, text.String(), plan, want)
		}
	})
}
