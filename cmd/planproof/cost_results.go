package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// maxResultRow bounds a row of results in bytes.
const maxResultRow = 64 << 20

// resultRow is a row of results. Its members that name a task are read by store.Rows.
type resultRow struct {
	ID       json.RawMessage `json:"id"`
	Plan     json.RawMessage `json:"plan"`
	Status   string          `json:"status"`
	Expanded *int64          `json:"expanded"`
	Budget   string          `json:"budget"`
}

// read takes plan files of one task, or a file of results.
func (m *metrics) read(args []string) error {
	if len(args) > 0 && (isBundled(args[0]) || len(args) >= 2 && !strings.HasSuffix(strings.ToLower(args[0]), ".jsonl")) {
		return m.readPlans(args)
	}
	if len(args) != 1 {
		return errors.New("cost metrics needs a task and plans, or one file of JSON Lines (or - for standard input)")
	}
	if m.IsSet("expanded") {
		return errors.New("--expanded goes with plan files; a row says it by itself")
	}
	if path := m.String("tasks"); path != "" {
		if err := m.readSet(path); err != nil {
			return err
		}
	}
	return m.readResults(args[0])
}

func (m *metrics) readPlans(args []string) error {
	if m.IsSet("tasks") {
		return errors.New("--tasks goes with a file of results, not with plan files")
	}
	p, files, err := m.task()
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("cost metrics needs a plan: a file, or - for standard input")
	}
	id := args[0]
	if !isBundled(id) {
		id = args[1]
	}
	m.addTask(costTask{id: id, prob: p})
	for _, name := range files {
		src, err := m.readSource(name)
		if err != nil {
			return err
		}
		m.results = append(m.results, planResult{id: name, plan: src, expanded: m.Int64("expanded")})
	}
	return nil
}

func (m *metrics) addTask(t costTask) int {
	m.tasks = append(m.tasks, t)
	m.judges = append(m.judges, (*validator.Judge)(nil))
	return len(m.tasks) - 1
}

// readSet reads the tasks that rows name by their ids.
func (m *metrics) readSet(path string) error {
	manifest := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		manifest = filepath.Join(path, costmodel.ManifestName)
	}
	var tasks []costTask
	var err error
	if isManifest(manifest) {
		if m.set, err = costmodel.LoadBudgetSet(manifest); err != nil {
			return err
		}
		tasks, err = m.parseInputs(manifestInputs(m.set))
	} else {
		tasks, _, err = m.costTasks([]string{path})
	}
	if err != nil {
		return err
	}
	for _, t := range tasks {
		m.addTask(t)
	}
	return nil
}

// readResults reads the rows of results. All faulty rows are reported, and then nothing is
// measured: rates over some of the rows would pass for rates over all.
func (m *metrics) readResults(name string) error {
	byID := map[string]int{}
	for i := range m.tasks {
		if _, twice := byID[m.tasks[i].id]; twice {
			return fmt.Errorf("two tasks have the id %s", m.tasks[i].id)
		}
		byID[m.tasks[i].id] = i
	}
	src, err := m.readSource(name)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(strings.NewReader(strings.TrimPrefix(src.Text, rowjson.BOM)))
	lines.Buffer(make([]byte, 0, 64<<10), maxResultRow)
	faults, n := 0, 0
	for n = 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		r, err := m.result(lines.Bytes(), n, byID)
		if err != nil {
			if faults++; faults <= maxMetricsFaults {
				fmt.Fprintf(m.err, "planproof: %s:%d: %v\n", src.Name, n, err)
			}
			continue
		}
		m.results = append(m.results, r)
	}
	switch {
	case lines.Err() != nil:
		return fmt.Errorf("%s:%d: %w", src.Name, n, rowjson.Reading(lines.Err(), maxResultRow))
	case faults > 0:
		return fmt.Errorf("%s: %s cannot be read, so nothing was measured", src.Name, plural(faults, "row"))
	case len(m.results) == 0:
		return fmt.Errorf("%s: no rows", src.Name)
	}
	return nil
}

// maxMetricsFaults is the number of faulty rows that are printed.
const maxMetricsFaults = 20

// result reads one row and finds its task.
func (m *metrics) result(line []byte, n int, byID map[string]int) (planResult, error) {
	r := planResult{id: fmt.Sprintf("line %d", n), expanded: -1}
	var row resultRow
	if err := json.Unmarshal(line, &row); err != nil {
		return r, errors.New(rowjson.Fault(err))
	}
	if id := strings.Trim(string(row.ID), `"`); id != "" && id != "null" {
		var text string
		if json.Unmarshal(row.ID, &text) == nil {
			id = text
		}
		r.id = id
	}
	if row.Expanded != nil {
		if r.expanded = *row.Expanded; r.expanded < 0 {
			return r, errors.New("expanded is negative")
		}
	}
	if row.Budget != "" {
		spec, err := costmodel.ParseBudget(row.Budget)
		if err != nil {
			return r, err
		}
		r.budget = &spec
	}
	text, found, err := rowPlan(&row)
	if err != nil {
		return r, err
	}
	if found {
		r.plan = pddl.NewSource(r.id, text)
	}
	var known bool
	if r.task, known = byID[r.id]; known {
		return r, nil
	}
	if m.IsSet("tasks") {
		return r, fmt.Errorf("the set has no task %s", r.id)
	}
	r.task, err = m.ownTask(line, byID)
	return r, err
}

// rowPlan returns the text of the row's plan, and false if there is none.
func rowPlan(row *resultRow) (string, bool, error) {
	var text string
	var steps []string
	switch {
	case len(row.Plan) == 0 && strings.HasPrefix(row.Status, "solved"):
		return "", true, nil // planproof solve leaves the list out when it is empty
	case len(row.Plan) == 0 && row.Status == "":
		return "", false, errors.New("the row has neither plan nor status")
	case len(row.Plan) == 0, string(row.Plan) == "null":
		return "", false, nil
	case json.Unmarshal(row.Plan, &text) == nil:
		return text, strings.TrimSpace(text) != "", nil
	case json.Unmarshal(row.Plan, &steps) == nil:
		return strings.Join(steps, "\n") + "\n", true, nil
	}
	return "", false, errors.New("plan is neither a string nor a list of strings")
}

// ownTask is the task that a row names by itself; rows that name the same one share it.
func (m *metrics) ownTask(line []byte, byID map[string]int) (int, error) {
	for in := range store.Rows(bytes.NewReader(line), "row", domains.Load) {
		if in.Err != nil {
			return 0, in.Err
		}
		key := fmt.Sprintf("\x00%s\x00%s", in.DomainFile, in.ProblemFile)
		var names struct {
			Task       string `json:"task"`
			DomainText string `json:"domain_text"`
			Problem    string `json:"problem_text"`
		}
		if err := json.Unmarshal(line, &names); err != nil {
			return 0, err
		}
		key += fmt.Sprintf("\x00%s\x00%s\x00%s", names.Task, names.DomainText, names.Problem)
		if i, known := byID[key]; known {
			return i, nil
		}
		tasks, err := m.parseInputs([]store.Input{in})
		if err != nil {
			return 0, err
		}
		byID[key] = m.addTask(tasks[0])
		return byID[key], nil
	}
	return 0, errors.New("the row names no task")
}
