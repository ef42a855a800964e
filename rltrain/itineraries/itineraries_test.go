package itineraries

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/travel"
	"github.com/planproof/planproof/rltrain/reward"
)

// TestStages: each stage of a plan earns more than the one before, under every density the valid plan the most.
func TestStages(t *testing.T) {
	size := travel.DefaultSize
	size.Level = "hard"
	trip, err := travel.Generate(t.Context(), size, 2)
	if err != nil {
		t.Fatal(err)
	}
	best := string(trip.Optimum.Plan.AppendJSON(nil))
	var fields struct {
		Accommodation string
	}
	var days []json.RawMessage
	if json.Unmarshal([]byte(best), &days) != nil || json.Unmarshal(days[0], &fields) != nil {
		t.Fatal(best)
	}
	row := string(trip.AppendJSON(nil))
	rows := ""
	for i, plan := range []string{
		`null`, `"nothing"`, `[{},{},{}]`, strings.ReplaceAll(best, fields.Accommodation, "Nowhere, "+trip.Optimum.Route.Cities[0]), best,
	} {
		rows += fmt.Sprintf(`{"group":1,"plan":%s,%s`, plan, row[1:]) + "\n"
		_ = i
	}
	rows += `{"query":{}}` + "\n" + fmt.Sprintf(`{"response":%q,%s`, "Here it is: "+best+" Have fun.", row[1:]) + "\n"
	for name, want := range map[string][]float64{"staged-dense": {0, 0, 0.3, 0.5, 1}, "staged-middle": {0, 0, 0.25, 0.25, 1}, "staged-sparse": {0, 0, 0, 0, 1}, "valid": {0, 0, 0, 0, 1}} {
		spec, err := reward.Find(name, nil)
		if err != nil || Check(spec) != nil {
			t.Fatal(err, Check(spec))
		}
		var out strings.Builder
		n, faults, err := Score(t.Context(), strings.NewReader(rows), &out, Options{Reward: spec})
		if err != nil || n != 7 || faults != 1 {
			t.Fatalf("%d rows, %d faults, %v", n, faults, err)
		}
		var got []float64
		for line := range strings.Lines(out.String()) {
			var s struct {
				Reward *float64
				Status string
			}
			if err := json.Unmarshal([]byte(line), &s); err != nil {
				t.Fatal(err)
			}
			if (s.Reward == nil) != (s.Status == "bad-row") {
				t.Errorf("%s: %s", name, line)
			}
			if s.Reward != nil {
				got = append(got, *s.Reward)
			}
		}
		for i, least := range want {
			if got[i] < least-1e-9 || got[i] > 1 || i > 0 && got[i] < got[i-1] || i < 4 && got[i] == 1 {
				t.Errorf("%s: %v, want at least %v", name, got, want)
				break
			}
		}
		if got[5] != 1 {
			t.Errorf("%s: a plan in a response earns %v", name, got[5])
		}
	}
	process, _ := reward.Find("process", nil)
	if Check(process) == nil {
		t.Error("process needs distances")
	}
}
