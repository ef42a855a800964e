package costmodel

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

// ManifestName is the file of a folder of tasks that holds their truths.
const ManifestName = "manifest.jsonl"

// maxManifestRow bounds one row of a manifest in bytes.
const maxManifestRow = 16 << 20

// TaskTruth is what a manifest says of one task. See docs/COSTS.md for its form as JSON.
type TaskTruth struct {
	ID              string
	Domain, Problem string
	Horizon         Horizon
	// Steps is the length that Horizon sorts by: that of the shortest of the cheapest
	// plans under the reference schedule.
	Steps       int64
	FewestSteps int64
	Schedules   []ScheduleTruth
}

// ScheduleTruth is what is true of a task under one schedule.
type ScheduleTruth struct {
	Named
	Budgets Budgets
	Shift   Shift
}

// Under returns the truths under the schedule of a name.
func (r *TaskTruth) Under(name string) (*ScheduleTruth, bool) {
	for i := range r.Schedules {
		if r.Schedules[i].Name == name {
			return &r.Schedules[i], true
		}
	}
	return nil, false
}

// taskJSON and truthJSON are the rows of a manifest.
type taskJSON struct {
	ID          string      `json:"id"`
	Domain      string      `json:"domain,omitempty"`
	Problem     string      `json:"problem,omitempty"`
	Horizon     Horizon     `json:"horizon"`
	Steps       int64       `json:"steps"`
	FewestSteps int64       `json:"fewest_steps"`
	Schedules   []truthJSON `json:"schedules"`
}

type truthJSON struct {
	Name     string            `json:"name"`
	Schedule string            `json:"schedule"`
	Cost     string            `json:"cost"`
	Steps    int64             `json:"steps"`
	Budgets  map[Level]*string `json:"budgets"`
	UnitCost string            `json:"unit_cost"`
	Certain  bool              `json:"certain"`
	Possible bool              `json:"possible"`
	Shifted  map[TieBreak]bool `json:"shifted"`
}

// MarshalJSON writes the row of a manifest.
func (r TaskTruth) MarshalJSON() ([]byte, error) {
	out := taskJSON{r.ID, r.Domain, r.Problem, r.Horizon, r.Steps, r.FewestSteps, nil}
	for i := range r.Schedules {
		t := &r.Schedules[i]
		loose, err := t.Budgets.At(Loose)
		if err != nil {
			return nil, err
		}
		tight, most := t.Budgets.Optimal.String(), loose.Limit.String()
		row := truthJSON{
			Name: t.Name, Schedule: t.Schedule.String(), Cost: tight, Steps: t.Shift.Steps,
			Budgets:  map[Level]*string{Tight: &tight, Loose: &most, Unlimited: nil},
			UnitCost: t.Shift.UnitCost.String(), Certain: t.Shift.Certain, Possible: t.Shift.Possible,
			Shifted: map[TieBreak]bool{},
		}
		for k, tie := range tieBreaks {
			row.Shifted[tie] = t.Shift.Under[k]
		}
		out.Schedules = append(out.Schedules, row)
	}
	return rowjson.AppendValue(nil, out)
}

// UnmarshalJSON reads the row of a manifest and holds it to what must be true of any: a
// manifest is ground truth, and one that was edited by mistake is refused.
func (r *TaskTruth) UnmarshalJSON(data []byte) error {
	var in taskJSON
	if err := rowjson.Unmarshal(data, &in, false); err != nil {
		return errors.New(rowjson.Fault(err))
	}
	*r = TaskTruth{ID: in.ID, Domain: in.Domain, Problem: in.Problem, Horizon: in.Horizon, Steps: in.Steps, FewestSteps: in.FewestSteps}
	switch {
	case in.ID == "":
		return errors.New("no id")
	case in.FewestSteps < 0 || in.Steps < in.FewestSteps:
		return fmt.Errorf("steps is %d and fewest_steps %d", in.Steps, in.FewestSteps)
	case in.Horizon != HorizonOf(in.Steps):
		return fmt.Errorf("the horizon of %d steps is %s, not %q", in.Steps, HorizonOf(in.Steps), clip(string(in.Horizon)))
	case len(in.Schedules) == 0:
		return errors.New("no schedules")
	}
	for i := range in.Schedules {
		t, err := in.Schedules[i].truth(in.FewestSteps)
		if err != nil {
			return fmt.Errorf("schedule %d (%s): %w", i+1, clip(in.Schedules[i].Name), err)
		}
		if _, twice := r.Under(t.Name); twice {
			return fmt.Errorf("schedule %s comes twice", clip(t.Name))
		}
		r.Schedules = append(r.Schedules, t)
	}
	return nil
}

func (in *truthJSON) truth(fewest int64) (t ScheduleTruth, err error) {
	number := func(what, text string) (n pddl.Number) {
		n, ok := pddl.ParseFraction(text)
		if (!ok || n.Sign() < 0) && err == nil {
			err = fmt.Errorf("%s %q is no cost", what, clip(text))
		}
		return n
	}
	t.Name = in.Name
	if t.Schedule, err = ParseSchedule(in.Schedule); err != nil {
		return t, err
	}
	cost, unit := number("cost", in.Cost), number("unit_cost", in.UnitCost)
	limit := map[Level]pddl.Number{}
	for _, level := range []Level{Tight, Loose} {
		text := in.Budgets[level]
		if text == nil {
			return t, fmt.Errorf("no %s budget", level)
		}
		limit[level] = number("the "+string(level)+" budget", *text)
	}
	if err != nil {
		return t, err
	}
	t.Budgets = Budgets{Optimal: cost, Slack: limit[Loose].Sub(cost)}
	t.Shift = Shift{FewestSteps: fewest, UnitCost: unit, ScheduleCost: cost, Steps: in.Steps, Certain: in.Certain, Possible: in.Possible}
	for i, tie := range tieBreaks {
		t.Shift.Under[i] = in.Shifted[tie]
	}
	switch {
	case in.Name == "" || t.Schedule.Empty():
		err = errors.New("no name, or no costs")
	case !limit[Tight].Equal(cost):
		err = fmt.Errorf("the tight budget is %s, the cost %s", limit[Tight], cost)
	case t.Budgets.Slack.Sign() < 0:
		err = errors.New("the loose budget is less than the cost")
	case unit.Cmp(cost) < 0:
		err = errors.New("unit_cost is less than cost, the optimum")
	case in.Certain != (unit.Cmp(cost) > 0):
		err = errors.New("a shift is certain if and only if unit_cost is more than cost")
	case in.Certain && !in.Possible:
		err = errors.New("a shift that is certain is possible")
	case in.Steps < fewest:
		err = errors.New("steps is less than fewest_steps")
	}
	return t, err
}

// BudgetSet is a set of tasks with their truths.
type BudgetSet struct {
	Tasks []TaskTruth
	// Dir is the folder that the file names of the tasks are relative to.
	Dir  string
	byID map[string]int
}

// Task returns the task of an id.
func (s *BudgetSet) Task(id string) (*TaskTruth, bool) {
	i, ok := s.byID[id]
	if !ok {
		return nil, false
	}
	return &s.Tasks[i], true
}

// LoadBudgetSet reads a manifest, or the manifest of a folder ([ManifestName]).
func LoadBudgetSet(path string) (*BudgetSet, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, ManifestName)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := ReadBudgetSet(path, f)
	if err != nil {
		return nil, err
	}
	s.Dir = filepath.Dir(path)
	return s, nil
}

// IsManifest reports whether a file is a manifest, by its first row: an object with a horizon
// and a list of schedules.
func IsManifest(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	lines := manifestLines(f)
	for first := true; lines.Scan(); first = false {
		line := lines.Bytes()
		if first {
			line = bytes.TrimPrefix(line, []byte(rowjson.BOM))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var row struct {
			Horizon   *string           `json:"horizon"`
			Schedules []json.RawMessage `json:"schedules"`
		}
		return rowjson.Unmarshal(line, &row, false) == nil && row.Horizon != nil && row.Schedules != nil
	}
	return false
}

// manifestLines reads the rows of a manifest.
func manifestLines(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxManifestRow)
	return lines
}

// maxManifestErrors is the number of faulty rows that are reported.
const maxManifestErrors = 20

// ReadBudgetSet reads the rows of a manifest. The name stands in errors, one line for each
// faulty row: "name:3: no id".
func ReadBudgetSet(name string, r io.Reader) (*BudgetSet, error) {
	s := &BudgetSet{byID: map[string]int{}}
	var faults []string
	more := 0
	lines := manifestLines(r)
	n := 1
	for ; lines.Scan(); n++ {
		line := lines.Bytes()
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte(rowjson.BOM))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var t TaskTruth
		err := rowjson.Unmarshal(line, &t, false)
		if _, twice := s.byID[t.ID]; err == nil && twice {
			err = fmt.Errorf("the id %s comes twice", clip(t.ID))
		}
		switch {
		case err == nil:
			s.byID[t.ID] = len(s.Tasks)
			s.Tasks = append(s.Tasks, t)
		case len(faults) == maxManifestErrors:
			more++
		default:
			faults = append(faults, fmt.Sprintf("%s:%d: %v", name, n, err))
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, n, rowjson.Reading(err, maxManifestRow))
	}
	if more > 0 {
		faults = append(faults, fmt.Sprintf("%s: %d more rows have faults", name, more))
	}
	if len(faults) > 0 {
		return nil, errors.New(strings.Join(faults, "\n"))
	}
	if len(s.Tasks) == 0 {
		return nil, fmt.Errorf("%s: no rows", name)
	}
	return s, nil
}

// WriteBudgetSet writes the rows of a manifest.
func WriteBudgetSet(w io.Writer, tasks []TaskTruth) error {
	b := bufio.NewWriter(w)
	if err := rowjson.WriteLines(b, tasks); err != nil {
		return err
	}
	return b.Flush()
}
