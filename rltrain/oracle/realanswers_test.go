package oracle

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/rltrain/rows"
)

// TestRealAnswersHaveNoInternalErrors sends real answers through the process
// reward: judge and distance table never disagree, and a valid plan has its bonus.
func TestRealAnswersHaveNoInternalErrors(t *testing.T) {
	dir := testkit.Shared(t, "data", "planbench")
	data, err := os.ReadFile(testkit.Shared(t, "data", "planbench", "responses-dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	every := 40
	if testing.Short() {
		every = 400
	}
	o := newTestOracle(t, Options{Dir: dir, Reward: "process", Limits: Limits{TableStates: 20_000}})
	var in strings.Builder
	n := 0
	for line := range strings.Lines(string(data)) {
		if n++; n%every != 0 {
			continue
		}
		var r struct {
			ID       string `json:"id"`
			Domain   string `json:"domain_pddl"`
			Problem  string `json:"problem_pddl"`
			Response string `json:"raw_response"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		row, err := json.Marshal(map[string]string{"id": r.ID, "domain": r.Domain, "problem": r.Problem, "response": r.Response})
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(row, '\n'))
	}
	scored := 0
	for _, a := range run(t, o, in.String()) {
		var s struct {
			ID, Status string
			Reward     *float64
			Components map[string]float64
		}
		if err := json.Unmarshal([]byte(a), &s); err != nil {
			t.Fatal(err)
		}
		switch rows.Status(s.Status) {
		case rows.StatusInternal, rows.StatusTaskError, rows.StatusBadRow:
			t.Errorf("%s", a)
		case rows.StatusValid, rows.StatusInvalid:
			scored++
			if valid := s.Status == string(rows.StatusValid); valid != (s.Components["bonus"] >= 20) || valid != (*s.Reward >= 70) {
				t.Errorf("%s", a)
			}
		}
	}
	if scored == 0 {
		t.Error("nothing was scored")
	}
}
