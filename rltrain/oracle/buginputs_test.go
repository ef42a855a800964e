package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/internal/testkit"
)

// TestBugInputs sends the reward requests of the corpus through the oracle as one
// stream, in the shape users send them, and checks rewards, statuses, costs and
// places against what the corpus expects.
func TestBugInputs(t *testing.T) {
	base := testkit.Shared(t, "data", "bug-inputs")
	dirs, err := filepath.Glob(filepath.Join(base, "*", "request.json"))
	if err != nil || len(dirs) < 6 {
		t.Fatalf("%d reward requests, %v", len(dirs), err)
	}
	var in bytes.Buffer
	for _, file := range dirs {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var request map[string]any
		if err := json.Unmarshal(data, &request); err != nil {
			t.Fatal(err)
		}
		request["domain"] = filepath.Join(filepath.Dir(file), "domain.pddl")
		request["problem"] = filepath.Join(filepath.Dir(file), "problem.pddl")
		line, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	o, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := o.ServeStdio(context.Background(), &in, &out); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(answers) != len(dirs) {
		t.Fatalf("%d answers to %d requests", len(answers), len(dirs))
	}
	for i, file := range dirs {
		expected, err := os.ReadFile(filepath.Join(filepath.Dir(file), "expected.txt"))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			checkExpected(t, filepath.Dir(file), strings.TrimSpace(string(expected)), answers[i])
		})
	}
}

// checkExpected compares an answer with a line like
// rewards=[0] statuses=[invalid] reason=goal (on a b).
func checkExpected(t *testing.T, dir, expected, answer string) {
	var a struct {
		Rewards  []*float64
		Statuses []string
		Items    []struct {
			Error   string
			Verdict struct {
				Cost    string
				Failure struct {
					Kind        string
					Unsatisfied []string
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	rewards := make([]string, len(a.Rewards))
	for i, r := range a.Rewards {
		rewards[i] = "null"
		if r != nil {
			rewards[i] = fmt.Sprint(*r)
		}
	}
	got := map[string]string{
		"rewards":  "[" + strings.Join(rewards, ",") + "]",
		"statuses": "[" + strings.Join(a.Statuses, ",") + "]",
	}
	if len(a.Items) > 0 {
		got["cost"] = a.Items[0].Verdict.Cost
	}
	if strings.Contains(expected, "optimal-cost=") {
		domain, _ := os.ReadFile(filepath.Join(dir, "domain.pddl"))
		problem, _ := os.ReadFile(filepath.Join(dir, "problem.pddl"))
		solution, _ := naive.New(string(domain), string(problem)).Solve(10_000)
		got["optimal-cost"] = fmt.Sprint(solution.Cost)
	}
	checked := 0
	for _, m := range regexp.MustCompile(`(?:^|\s)(rewards|statuses|cost|optimal-cost)=(\S+)`).FindAllStringSubmatch(expected, -1) {
		checked++
		if got[m[1]] != m[2] {
			t.Errorf("%s=%s, want %s: %s", m[1], got[m[1]], m[2], answer)
		}
	}
	if checked == 0 {
		t.Errorf("nothing to check in %q", expected)
	}
	_, reason, found := strings.Cut(expected, "reason=")
	switch place := regexp.MustCompile(`^\S+:\d+:\d+`).FindString(reason); {
	case !found:
	case place != "":
		if !strings.Contains(a.Items[0].Error, place) {
			t.Errorf("error %q does not say %s", a.Items[0].Error, place)
		}
	case strings.HasPrefix(reason, "goal "):
		f := a.Items[0].Verdict.Failure
		if f.Kind != "goal" || !strings.Contains(strings.Join(f.Unsatisfied, " "), reason[5:]) {
			t.Errorf("failure %+v, want %s", f, reason)
		}
	default:
		t.Errorf("unknown reason %q", reason)
	}
}
