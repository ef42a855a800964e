package travel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

func lines(t testing.TB, elem ...string) [][]byte {
	text, err := os.ReadFile(testkit.Shared(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(text), []byte("\n"))
}

func quirkWorld(t testing.TB) *World {
	text, err := os.ReadFile(testkit.Shared(t, "data", "travel", "quirk-world.json"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := ReadWorld("quirk-world.json", text)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestQuirkCases judges the plans in which the usual checker is wrong, or crashes.
func TestQuirkCases(t *testing.T) {
	w := quirkWorld(t)
	for _, line := range lines(t, "data", "travel", "quirk-cases.jsonl") {
		var want struct {
			Case   string
			Strict []string
			Cost   json.Number `json:"upstream_cost"`
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		r, err := ParseRow(line, w)
		if err != nil {
			t.Errorf("%s: %v", want.Case, err)
			continue
		}
		j := Judge(r.World, r.Query, r.Plan)
		var got []string
		for _, rule := range j.Violations() {
			got = append(got, rule.String())
		}
		slices.Sort(want.Strict)
		slices.Sort(got)
		if !slices.Equal(got, want.Strict) {
			t.Errorf("%s: got %v, want %v\n%s", want.Case, got, want.Strict, j.Explain(true))
		}
		if cost, ok := pddl.ParseNumber(want.Cost.String()); ok && !j.Violates(C2) && !cost.Equal(j.Cost) {
			t.Errorf("%s: costs %s, want %s", want.Case, j.Cost, cost)
		}
	}
}

// TestHumanPlans judges the 45 plans that people made. One names an attraction that its tables do not have.
func TestHumanPlans(t *testing.T) {
	broken := map[string]int{}
	for _, line := range lines(t, "data", "travel", "travelplanner-train45.jsonl") {
		var want struct {
			Idx  int
			Cost json.Number `json:"annotated_cost"`
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		r, err := ParseRow(line, nil)
		if err != nil {
			t.Fatalf("%d: %v", want.Idx, err)
		}
		j := Judge(r.World, r.Query, r.Plan)
		if cost, _ := pddl.ParseNumber(want.Cost.String()); !cost.Equal(j.Cost) {
			t.Errorf("%d: costs %s, want %s", want.Idx, j.Cost, cost)
		}
		if !j.Valid() {
			broken[fmt.Sprint(j.Violations())]++
			t.Logf("%d:\n%s", want.Idx, j.Explain(true))
		}
	}
	t.Log(broken)
}

// TestUpstream compares what the public evaluator answered about the quirk cases.
func TestUpstream(t *testing.T) {
	w := quirkWorld(t)
	for _, line := range lines(t, "data", "travel", "quirk-cases.jsonl") {
		var want struct {
			Case  string
			Sense map[string]bool  `json:"upstream_commonsense"`
			Gate  bool             `json:"upstream_gate"`
			Hard  map[string]*bool `json:"upstream_hard"`
			Cost  json.Number      `json:"upstream_cost"`
			Crash string           `json:"upstream_crash"`
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		r, err := ParseRow(line, w)
		if err != nil {
			t.Fatal(err)
		}
		u := JudgeUpstream(r.World, r.Query, r.Plan)
		if u.Crash != want.Crash || u.Gate != want.Gate {
			t.Errorf("%s: crash %q, gate %v, want %q, %v", want.Case, u.Crash, u.Gate, want.Crash, want.Gate)
		}
		for i, name := range UpstreamCommonsense {
			if pass, ok := want.Sense[name]; ok && pass != u.Commonsense[i] {
				t.Errorf("%s: %s is %v, want %v", want.Case, name, u.Commonsense[i], pass)
			}
		}
		for i, name := range UpstreamHard {
			answer := Unasked
			if pass := want.Hard[name]; pass != nil {
				answer = passed(*pass)
			}
			if answer != u.Hard[i] {
				t.Errorf("%s: %s is %v, want %v", want.Case, name, u.Hard[i], answer)
			}
		}
		if cost, ok := pddl.ParseNumber(want.Cost.String()); ok && !cost.Equal(u.Cost) {
			t.Errorf("%s: costs %s, want %s", want.Case, u.Cost, cost)
		}
	}
}

// TestFixedRoutes finds the known cheapest plans over the routes that people took.
func TestFixedRoutes(t *testing.T) {
	known := 0
	for _, line := range lines(t, "data", "travel", "travelplanner-train45.jsonl") {
		var want struct {
			Idx  int
			Cost json.Number `json:"min_cost_fixed_route"`
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		r, err := ParseRow(line, nil)
		if err != nil {
			t.Fatalf("%d: %v", want.Idx, err)
		}
		route, err := routeOf(r.World, r.Query, r.Plan)
		if err != nil {
			t.Fatalf("%d: %v", want.Idx, err)
		}
		o, err := FixedOptimum(r.World, r.Query, route)
		if err != nil {
			t.Errorf("%d: %v", want.Idx, err)
			continue
		}
		if cost, ok := pddl.ParseNumber(want.Cost.String()); ok {
			if known++; !cost.Equal(o.Cost) {
				t.Errorf("%d: optimum %s, want %s", want.Idx, o.Cost, cost)
			}
		}
		free, err := FreeOptimum(t.Context(), r.World, r.Query)
		if err != nil || free.Cost.Cmp(o.Cost) > 0 {
			t.Errorf("%d: the free optimum is %v, %v, more than %s", want.Idx, free, err, o.Cost)
		}
	}
	if known != 30 {
		t.Errorf("%d known optima, want 30", known)
	}
}
