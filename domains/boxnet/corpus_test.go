package boxnet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
)

// corpusRow is a row of data/boxnet/cases.jsonl.
type corpusRow struct {
	Kind, ID, Reason     string
	Legal, Valid         bool
	LegalOther           map[Reading]bool `json:"legal_other_readings"`
	ValidOther           map[Reading]bool `json:"valid_other_readings"`
	FirstFailure         string           `json:"first_failure"`
	Step, Plan           json.RawMessage
	ParaMax              int             `json:"para_max"`
	Moves                int             `json:"moves"`
	Duration             float64         `json:"duration"`
	OptimalSteps         *int            `json:"optimal_steps"`
	OptimalStepsReadings map[Reading]int `json:"optimal_steps_other_readings"`
	After                *struct {
		Arms, Objects map[string][2]float64
	}
	raw []byte
}

func corpus(t *testing.T) (rows []corpusRow) {
	text, err := os.ReadFile(testkit.Shared(t, "data", "boxnet", "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		row := corpusRow{raw: bytes.Clone(s.Bytes())}
		if err := json.Unmarshal(row.raw, &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if len(rows) < 30 {
		t.Fatalf("only %d rows", len(rows))
	}
	return rows
}

// TestCorpusSteps judges the steps of the corpus under every reading, and compares the states after them.
func TestCorpusSteps(t *testing.T) {
	steps := 0
	for _, row := range corpus(t) {
		if row.Kind != "step" {
			continue
		}
		steps++
		in, err := ReadInstance(row.raw, false)
		if err != nil {
			t.Fatal(row.ID, err)
		}
		for _, rd := range Readings() {
			step, err := ReadStep(row.Step)
			if err != nil {
				t.Fatal(row.ID, err)
			}
			j := NewJudge(in, rd)
			st := j.Start()
			f := j.Step(st, step, new(Scratch))
			legal := row.Legal
			if other, differs := row.LegalOther[rd]; differs {
				legal = other
			}
			if (f == nil) != legal {
				t.Errorf("%s under %s: %+v, want legal %v", row.ID, rd, f, legal)
			}
			if rd != Default {
				continue
			}
			if f != nil && string(f.Reason) != row.Reason {
				t.Errorf("%s: %q, want %q", row.ID, f.Reason, row.Reason)
			}
			if f == nil && row.After != nil {
				compareAfter(t, row, in, st)
			}
		}
	}
	if steps < 15 {
		t.Errorf("only %d steps", steps)
	}
}

func compareAfter(t *testing.T, row corpusRow, in *Instance, st *State) {
	arms, objects := map[string][2]float64{}, map[string][2]float64{}
	at := func(p Point) [2]float64 {
		return [2]float64{float64(p.X) / float64(One), float64(p.Y) / float64(One)}
	}
	for i, r := range in.Robots {
		arms[r.Name] = at(st.Arms[i])
	}
	for i, o := range in.Objects {
		objects[o.Name] = at(st.Objects[i])
	}
	if !reflect.DeepEqual(arms, row.After.Arms) || !reflect.DeepEqual(objects, row.After.Objects) {
		t.Errorf("%s: after the step %v %v, want %+v", row.ID, arms, objects, row.After)
	}
}

// TestCorpusPlans judges the plans of the corpus, and those of its instances.
func TestCorpusPlans(t *testing.T) {
	plans := 0
	for _, row := range corpus(t) {
		if row.Kind == "step" || string(row.Plan) == "null" {
			continue
		}
		plans++
		in, err := ReadInstance(row.raw, true)
		if err != nil {
			t.Fatal(row.ID, err)
		}
		res := NewJudge(in, Default).JudgeText(row.Plan)
		if row.Kind == "instance" {
			if !res.Verdict.Valid || res.Verdict.Executed != *row.OptimalSteps || res.Moves != row.Moves || res.ParaMax != row.ParaMax || res.Duration-row.Duration > 1e-6 || row.Duration-res.Duration > 1e-6 {
				t.Errorf("%s: %+v %+v", row.ID, res, res.Verdict.Failure)
			}
			continue
		}
		if res.Verdict.Valid != row.Valid {
			t.Errorf("%s: %+v", row.ID, res.Verdict.Failure)
		}
		if !row.Valid && (res.Step == 0 || !strings.HasPrefix(row.FirstFailure, "step "+string(rune('0'+res.Step))+": "+string(res.Reason))) {
			t.Errorf("%s: step %d %q, want %q", row.ID, res.Step, res.Reason, row.FirstFailure)
		}
		for rd, valid := range row.ValidOther {
			if res := NewJudge(in, rd).JudgeText(row.Plan); res.Verdict.Valid != valid {
				t.Errorf("%s under %s: %+v", row.ID, rd, res.Verdict.Failure)
			}
		}
	}
	if plans < 12 {
		t.Errorf("only %d plans", plans)
	}
}
