package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
)

// maxResultRow bounds a row of results in bytes.
const maxResultRow = 64 << 20

// maxFaults is the number of faulty rows that are reported.
const maxFaults = 20

// Results are what a planner delivered for tasks.
type Results struct {
	Tasks []Task
	// Set, if there is one, has the truths of tasks.
	Set  *costmodel.BudgetSet
	List []Result
}

// Result is what a planner delivered for one task.
type Result struct {
	ID   string
	Task int          // index of Results.Tasks
	Plan *pddl.Source // nil: none
	// Expanded counts node expansions; it is negative if they were not counted.
	Expanded int64
	Budget   *costmodel.BudgetSpec // the only one that the result is for; nil: all
}

// resultRow is a row of results. Its members that name a task are read by store.Rows.
type resultRow struct {
	ID       json.RawMessage `json:"id"`
	Plan     json.RawMessage `json:"plan"`
	Status   string          `json:"status"`
	Expanded *int64          `json:"expanded"`
	Budget   string          `json:"budget"`
}

// resultReader reads rows of results.
type resultReader struct {
	Reader
	into *Results
	// byID finds a task by its id, and one that a row names by itself by its contents.
	byID   map[string]int
	closed bool // a row has to name a task of the set
}

// Results reads rows of JSON Lines {"id","plan","expanded","budget"}, and appends them to
// those that are there. Rows name tasks of the given results by their ids. Unless closed, a
// row may also name its task by itself, as for [store.Rows]. Faulty rows are reported, and then
// it is an error: rates over some of the rows would pass for rates over all.
func (r Reader) Results(src *pddl.Source, into *Results, closed bool) error {
	x := resultReader{r, into, map[string]int{}, closed}
	for i := range into.Tasks {
		id := into.Tasks[i].ID
		if _, twice := x.byID[id]; twice {
			return fmt.Errorf("two tasks have the id %s", id)
		}
		x.byID[id] = i
	}
	lines := bufio.NewScanner(strings.NewReader(strings.TrimPrefix(src.Text, rowjson.BOM)))
	lines.Buffer(make([]byte, 0, 64<<10), maxResultRow)
	faults, n := 0, 0
	for n = 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		res, err := x.row(lines.Bytes(), n)
		if err != nil {
			if faults++; faults <= maxFaults {
				r.Tell(fmt.Errorf("%s:%d: %w", src.Name, n, err))
			}
			continue
		}
		into.List = append(into.List, res)
	}
	switch {
	case lines.Err() != nil:
		return fmt.Errorf("%s:%d: %w", src.Name, n, rowjson.Reading(lines.Err(), maxResultRow))
	case faults > 0:
		return fmt.Errorf("%s: %s cannot be read, so nothing was measured", src.Name, spell.Plural(faults, "row"))
	case len(into.List) == 0:
		return fmt.Errorf("%s: no rows", src.Name)
	}
	return nil
}

// Plans reads files with a plan of one task each. expanded counts node expansions, negative if they were not counted.
func (r Reader) Plans(task Task, files []string, expanded int64) (*Results, error) {
	results := &Results{Tasks: []Task{task}}
	for _, name := range files {
		src, err := r.Read(name)
		if err != nil {
			return nil, err
		}
		results.List = append(results.List, Result{ID: name, Plan: src, Expanded: expanded})
	}
	return results, nil
}

// row reads the row of line n and finds its task.
func (x *resultReader) row(line []byte, n int) (Result, error) {
	r := Result{ID: fmt.Sprintf("line %d", n), Expanded: -1}
	var row resultRow
	if err := rowjson.Unmarshal(line, &row, false); err != nil {
		return r, errors.New(rowjson.Fault(err))
	}
	if id := strings.Trim(string(row.ID), `"`); id != "" && id != "null" {
		var text string
		if rowjson.Unmarshal(row.ID, &text, false) == nil {
			id = text
		}
		r.ID = id
	}
	if row.Expanded != nil {
		if r.Expanded = *row.Expanded; r.Expanded < 0 {
			return r, errors.New("expanded is negative")
		}
	}
	if row.Budget != "" {
		spec, err := costmodel.ParseBudget(row.Budget)
		if err != nil {
			return r, err
		}
		r.Budget = &spec
	}
	text, found, err := row.plan()
	if err != nil {
		return r, err
	}
	if found {
		r.Plan = pddl.NewSource(r.ID, text)
	}
	var known bool
	if r.Task, known = x.byID[r.ID]; known {
		return r, nil
	}
	if x.closed {
		return r, fmt.Errorf("the set has no task %s", r.ID)
	}
	r.Task, err = x.ownTask(line)
	return r, err
}

// plan returns the text of the row's plan, and false if there is none.
func (row *resultRow) plan() (string, bool, error) {
	var text string
	var steps []string
	switch {
	case len(row.Plan) == 0 && strings.HasPrefix(row.Status, "solved"):
		return "", true, nil // planproof solve leaves the list out when it is empty
	case len(row.Plan) == 0 && row.Status == "":
		return "", false, errors.New("the row has neither plan nor status")
	case len(row.Plan) == 0, string(row.Plan) == "null":
		return "", false, nil
	case rowjson.Unmarshal(row.Plan, &text, false) == nil:
		return text, strings.TrimSpace(text) != "", nil
	case rowjson.Unmarshal(row.Plan, &steps, false) == nil:
		return strings.Join(steps, "\n") + "\n", true, nil
	}
	return "", false, errors.New("plan is neither a string nor a list of strings")
}

// ownTask is the task that a row names by itself; rows that name the same one share it.
func (x *resultReader) ownTask(line []byte) (int, error) {
	for in := range store.Rows(bytes.NewReader(line), "row") {
		if in.Err != nil {
			return 0, in.Err
		}
		var names struct {
			Task       string `json:"task"`
			DomainText string `json:"domain_text"`
			Problem    string `json:"problem_text"`
		}
		if err := rowjson.Unmarshal(line, &names, false); err != nil {
			return 0, err
		}
		key := fmt.Sprintf("\x00%s\x00%s\x00%s\x00%s\x00%s", in.DomainFile, in.ProblemFile, names.Task, names.DomainText, names.Problem)
		if i, known := x.byID[key]; known {
			return i, nil
		}
		tasks, err := x.Reader.Tasks([]store.Input{in})
		if err != nil {
			return 0, err
		}
		x.byID[key] = len(x.into.Tasks)
		x.into.Tasks = append(x.into.Tasks, tasks[0])
		return x.byID[key], nil
	}
	return 0, errors.New("the row names no task")
}

// Missing counts the tasks without a result.
func (r *Results) Missing() int {
	seen := map[int]bool{}
	for i := range r.List {
		seen[r.List[i].Task] = true
	}
	return len(r.Tasks) - len(seen)
}
