package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"planproof/internal/rowjson"
	"planproof/llmbridge"
)

// Response is an answer that somebody else collected, with their verdict.
type Response struct {
	ID, Group, Task string // Group is what to summarise by: "engine / domain / task"
	Text            string
	// Recorded is their verdict, nil where there is none.
	Recorded *bool
	// Cause is their or our reviewers' word on a known difference.
	Cause string
	// Domain and Problem are files beside the response file, or texts if Inline.
	// File tells that they are of ResponseOptions, and named as there.
	Domain, Problem string
	Inline, File    bool
	// Unsolvable tasks are answered correctly by saying so.
	Unsolvable bool
	// UnsolvableSet: the answer belongs to a set of tasks without plans, of which PlanBench
	// records every answer as wrong.
	UnsolvableSet bool
	// Optimal is the least cost where the question was for a cheapest plan, else "".
	Optimal string
	// Ambiguous: reviewers found that the answer can be read in several ways.
	Ambiguous bool
	Truncated bool
	// Kind and Query are of an instance of a result file whose question is in its query:
	// another goal or state than the instance's, or no question for a plan
	// (llmbridge.QueryRecord); "" for others.
	Kind  llmbridge.TaskKind
	Query string
	// TruePlan is the plan of least cost that a result file has where the question was for a
	// cheapest one.
	TruePlan string
}

// responseRow has the fields of both layouts: rows of JSON Lines, and the instances of a
// PlanBench result file.
type responseRow struct {
	ID          string          `json:"id"`
	Engine      string          `json:"engine"`
	Model       string          `json:"model"`
	DomainName  string          `json:"domain"`
	TaskName    string          `json:"task"`
	InstanceID  json.RawMessage `json:"instance_id"`
	DomainFile  string          `json:"domain_pddl"`
	ProblemFile string          `json:"problem_pddl"`
	DomainText  string          `json:"domain_text"`
	ProblemText string          `json:"problem_text"`

	RawResponse json.RawMessage `json:"raw_response"`
	LLMRaw      json.RawMessage `json:"llm_raw_response"`
	Response    json.RawMessage `json:"response"`
	Finish      string          `json:"finish"`

	PlanbenchCorrect *bool `json:"planbench_correct"`
	LLMCorrect       *bool `json:"llm_correct"`
	LLMCorrectBinary *bool `json:"llm_correct_binary"`
	// Correct is their verdict where no other field is; some files have numbers beside one.
	Correct json.RawMessage `json:"correct"`

	Query json.RawMessage `json:"query"`
	Truth json.RawMessage `json:"ground_truth_plan"`

	OptimalCost    json.Number `json:"optimal_cost"`
	TaskUnsolvable *bool       `json:"task_unsolvable"`
	Ambiguous      bool        `json:"ambiguous"`
	Disagreement   string      `json:"disagreement"`
}

// resultFile is a PlanBench result file.
type resultFile struct {
	Task      string            `json:"task"`
	Engine    string            `json:"engine"`
	Domain    string            `json:"domain"`
	Instances []json.RawMessage `json:"instances"`
}

// ResponseOptions say where the tasks of a PlanBench result file are, which names only
// instance numbers.
type ResponseOptions struct {
	Domain string // file
	// Instances is the name of a problem file with %d for the instance's number.
	Instances string
	// Bundled reads the texts of the bundled task that a row names under "task"; ok is
	// false for what is no such name. Nil: there are none.
	Bundled func(name string) (domain, problem string, ok bool, err error)
}

// maxFaults bounds the bad rows that are named.
const maxFaults = 20

// ReadResponses reads a response file: JSON Lines with a task and a response each, or a
// PlanBench result file (one object with "instances"). Rows without an answer are skipped
// and counted: PlanBench's files hold prompts that were never sent.
// The error names all bad rows.
func ReadResponses(r io.Reader, opt ResponseOptions) (rows []Response, unanswered int, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if mark, _ := in.Peek(len(rowjson.BOM)); string(mark) == rowjson.BOM {
		_, _ = in.Discard(len(rowjson.BOM))
	}
	dec := json.NewDecoder(in)
	var parts responseParts
	for n := 1; ; n++ {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if err != nil {
			rows, unanswered, faults := parts.join(opt)
			if !errors.Is(err, io.EOF) {
				faults = append(faults, fmt.Errorf("row %d: %s", n, rowjson.Fault(err)))
			}
			if len(faults) > 0 {
				return nil, 0, errors.Join(faults...)
			}
			return rows, unanswered, nil
		}
		var file resultFile
		// Most entries are rows, and need not be decoded twice.
		if bytes.Contains(raw, []byte(`"instances"`)) && json.Unmarshal(raw, &file) == nil && file.Instances != nil {
			for i, inst := range file.Instances {
				parts.add(responseEntry{raw: inst, file: &file, number: i + 1}, opt)
			}
			continue
		}
		parts.add(responseEntry{raw: raw, number: n}, opt)
	}
}

// responseEntry is a row, or an instance of a file, and what was read of it.
type responseEntry struct {
	raw    json.RawMessage // nil once it is read
	file   *resultFile     // nil for a row
	number int
	resp   Response
	ok     bool // it has an answer
	err    error
}

// responseParts reads entries on all processors while more of them come in.
type responseParts struct {
	parts [][]responseEntry
	last  []responseEntry // not being read yet
	busy  chan struct{}
	work  sync.WaitGroup
}

// partSize is the number of entries that are read in one go.
const partSize = 128

func (p *responseParts) add(e responseEntry, opt ResponseOptions) {
	if p.last = append(p.last, e); len(p.last) == partSize {
		p.start(opt)
	}
}

// start begins to read the last part, once a processor is free.
func (p *responseParts) start(opt ResponseOptions) {
	if p.busy == nil {
		p.busy = make(chan struct{}, runtime.GOMAXPROCS(0))
	}
	part := p.last
	p.parts, p.last = append(p.parts, part), nil
	p.busy <- struct{}{}
	p.work.Go(func() {
		for i := range part {
			e := &part[i]
			e.resp, e.ok, e.err = readResponse(e.raw, e.file, opt)
			e.raw = nil
		}
		<-p.busy
	})
}

// join waits for what is being read and returns it in order, with what is wrong.
func (p *responseParts) join(opt ResponseOptions) (rows []Response, unanswered int, faults []error) {
	p.start(opt)
	p.work.Wait()
	for _, part := range p.parts {
		for i := range part {
			switch e := &part[i]; {
			case e.err != nil && len(faults) == maxFaults:
				faults = append(faults, errors.New("and more"))
			case e.err != nil && len(faults) < maxFaults && e.file != nil:
				faults = append(faults, fmt.Errorf("instance %d: %w", e.number, e.err))
			case e.err != nil && len(faults) < maxFaults:
				faults = append(faults, fmt.Errorf("row %d: %w", e.number, e.err))
			case e.err != nil:
			case e.ok:
				rows = append(rows, e.resp)
			default:
				unanswered++
			}
		}
	}
	return rows, unanswered, faults
}

func readResponse(raw json.RawMessage, file *resultFile, opt ResponseOptions) (Response, bool, error) {
	var row responseRow
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&row); err != nil {
		return Response{}, false, errors.New(rowjson.Fault(err))
	}
	if !utf8.Valid(raw) {
		return Response{}, false, errors.New("the row is not UTF-8")
	}
	instance, err := instanceName(row.InstanceID)
	if err != nil {
		return Response{}, false, err
	}
	if file != nil {
		row.Engine, row.DomainName, row.TaskName = file.Engine, file.Domain, file.Task
		row.ID = instance
	}
	text, err := firstText(row.RawResponse, row.LLMRaw, row.Response)
	if err != nil {
		return Response{}, false, err
	}
	if text == nil {
		return Response{}, false, nil
	}
	engine := row.Engine
	if engine == "" {
		engine = row.Model
	}
	bundled := false // the row names its task as those of score do, and no set of tasks
	if file == nil && opt.Bundled != nil && row.DomainFile == "" && row.DomainText == "" {
		if row.DomainText, row.ProblemText, bundled, err = opt.Bundled(row.TaskName); err != nil {
			return Response{}, false, err
		}
	}
	if bundled {
		row.TaskName = ""
	}
	out := Response{
		ID: row.ID, Group: strings.Join(nonEmpty(engine, row.DomainName, row.TaskName), " / "), Task: row.TaskName, Text: *text,
		Domain: row.DomainFile, Problem: row.ProblemFile, Ambiguous: row.Ambiguous,
		Cause: row.Disagreement, Truncated: row.Finish == "length",
	}
	if row.TaskUnsolvable != nil {
		out.UnsolvableSet, out.Unsolvable = true, *row.TaskUnsolvable
	}
	if out.ID == "" {
		out.ID = instance
	}
	for _, v := range []*bool{row.PlanbenchCorrect, row.LLMCorrect, row.LLMCorrectBinary} {
		if out.Recorded == nil {
			out.Recorded = v
		}
	}
	if out.Recorded == nil && len(row.Correct) > 0 && json.Unmarshal(row.Correct, &out.Recorded) != nil {
		return out, false, errors.New("correct is neither true nor false")
	}
	switch {
	case row.DomainText != "" && row.ProblemText != "":
		out.Domain, out.Problem, out.Inline = row.DomainText, row.ProblemText, true
	case out.Domain != "" && out.Problem != "":
	case opt.Domain != "" && opt.Instances != "" && instance != "":
		out.Domain, out.Problem, out.File = opt.Domain, strings.ReplaceAll(opt.Instances, "%d", instance), true
	default:
		return out, false, errors.New("it names no task: neither domain_pddl and problem_pddl, nor domain_text and problem_text, nor a bundled task, nor --domain and --instances with an instance_id")
	}
	if err := out.asked(&row, file != nil); err != nil {
		return out, false, err
	}
	return out, true, nil
}

// instanceName reads the number of an instance, "" for none.
func instanceName(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	name := string(raw)
	if raw[0] == '"' {
		if err := json.Unmarshal(raw, &name); err != nil {
			return "", err
		}
	}
	if strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '-' }) {
		return "", fmt.Errorf("instance_id %s is no number", raw)
	}
	return name, nil
}

func nonEmpty(parts ...string) []string {
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}

// firstText returns the first field that is there; nil if none is, or it is null.
func firstText(fields ...json.RawMessage) (*string, error) {
	for _, f := range fields {
		if len(f) == 0 || string(f) == "null" {
			continue
		}
		text, err := llmbridge.CompletionText(f)
		return &text, err
	}
	return nil, nil
}

// GradedResponse is a response with our grade and how it differs from the recorded one.
type GradedResponse struct {
	ID    string `json:"id"`
	Group string `json:"group"`
	Grade
	Recorded *bool `json:"recorded"`
	// Difference is "" where the two verdicts agree, else "gained" (recorded wrong, right
	// in truth) or "lost"; Cause says why.
	Difference string `json:"difference,omitempty"`
	Cause      string `json:"cause,omitempty"`
	Ambiguous  bool   `json:"ambiguous,omitempty"`
}

// GradeResponse grades a response on its task.
func GradeResponse(r *Response, t *Task) GradedResponse {
	out := GradedResponse{ID: r.ID, Group: r.Group, Grade: t.Grade(r.Text, r.Truncated), Recorded: r.Recorded, Ambiguous: r.Ambiguous}
	if r.Recorded == nil || !out.Status.Graded() || *r.Recorded == out.Correct {
		return out
	}
	out.Difference = "gained"
	if *r.Recorded {
		out.Difference = "lost"
	}
	out.Cause = r.Cause
	if out.Cause == "" {
		switch {
		case r.Unsolvable:
			out.Cause = "unsolvable task: the claim that there is no plan was recorded as wrong"
		case r.UnsolvableSet:
			out.Cause = "set of unsolvable tasks: every answer was recorded as wrong, but this task has a plan"
		case r.Ambiguous:
			out.Cause = "the answer can be read in several ways"
		default:
			out.Cause = "no cause recorded: ours is " + string(out.Status)
		}
	}
	return out
}

// ReasonCount counts answers that are not graded for one reason.
type ReasonCount struct {
	Status  Status `json:"status"`
	Message string `json:"message"`
	Rows    int    `json:"rows"`
	First   string `json:"first"` // the id of the first of them
}

// Ungraded counts the reasons for which answers are not graded, most frequent first.
func Ungraded(rows []GradedResponse) []ReasonCount {
	var out []ReasonCount
	at := map[[2]string]int{}
	for i := range rows {
		r := &rows[i]
		if r.Status.Graded() {
			continue
		}
		k := [2]string{string(r.Status), r.Message}
		n, known := at[k]
		if !known {
			n = len(out)
			at[k] = n
			out = append(out, ReasonCount{Status: r.Status, Message: r.Message, First: r.ID})
		}
		out[n].Rows++
	}
	slices.SortStableFunc(out, func(a, b ReasonCount) int { return b.Rows - a.Rows })
	return out
}

// ResponseCell summarises a group of responses.
type ResponseCell struct {
	Group    string        `json:"group"`
	Rows     int           `json:"rows"`
	Graded   int           `json:"graded"`
	Correct  int           `json:"correct"`
	Recorded int           `json:"recorded"`      // recorded as correct
	Known    int           `json:"recorded_rows"` // rows with a recorded verdict
	Gained   int           `json:"gained"`
	Lost     int           `json:"lost"`
	Statuses []StatusCount `json:"statuses"`
	Wilson   Interval      `json:"wilson"` // of Correct / Graded
	Wald     Interval      `json:"wald"`
	// All is Correct over all rows, ungraded ones counted as wrong.
	All float64 `json:"all"`
	Scores
}

// CauseCount counts differences of one cause.
type CauseCount struct {
	Cause  string `json:"cause"`
	Gained int    `json:"gained"`
	Lost   int    `json:"lost"`
}

// SummariseResponses makes a cell for each group, sorted by name, and counts the causes of
// differences, most frequent first.
func SummariseResponses(rows []GradedResponse) ([]ResponseCell, []CauseCount) {
	cells, causes := map[string]*ResponseCell{}, map[string]*CauseCount{}
	var groups, names []string
	for i := range rows {
		r := &rows[i]
		c := cells[r.Group]
		if c == nil {
			c = &ResponseCell{Group: r.Group}
			cells[r.Group] = c
			groups = append(groups, r.Group)
		}
		c.add(r)
		if r.Difference == "" {
			continue
		}
		k := causes[r.Cause]
		if k == nil {
			k = &CauseCount{Cause: r.Cause}
			causes[r.Cause] = k
			names = append(names, r.Cause)
		}
		if r.Difference == "gained" {
			c.Gained++
			k.Gained++
		} else {
			c.Lost++
			k.Lost++
		}
	}
	slices.Sort(groups)
	out := make([]ResponseCell, 0, len(groups))
	for _, g := range groups {
		c := cells[g]
		p := 0.0
		if c.Graded > 0 {
			p = float64(c.Correct) / float64(c.Graded)
		}
		c.Wilson, c.Wald = Wilson(p, c.Graded), Wald(p, c.Graded)
		c.All = float64(c.Correct) / float64(c.Rows)
		c.Levels.finish()
		slices.SortFunc(c.Statuses, func(a, b StatusCount) int {
			return slices.Index(statusOrder, a.Status) - slices.Index(statusOrder, b.Status)
		})
		out = append(out, *c)
	}
	list := make([]CauseCount, 0, len(names))
	for _, n := range names {
		list = append(list, *causes[n])
	}
	slices.SortFunc(list, func(a, b CauseCount) int {
		if d := b.Gained + b.Lost - a.Gained - a.Lost; d != 0 {
			return d
		}
		return strings.Compare(a.Cause, b.Cause)
	})
	return out, list
}

func (c *ResponseCell) add(r *GradedResponse) {
	c.Rows++
	if r.Status.Graded() {
		c.Graded++
		if r.Correct {
			c.Correct++
		}
		c.score(&r.Grade)
	}
	if r.Recorded != nil {
		c.Known++
		if *r.Recorded {
			c.Recorded++
		}
	}
	for i := range c.Statuses {
		if c.Statuses[i].Status == r.Status {
			c.Statuses[i].Rows++
			return
		}
	}
	c.Statuses = append(c.Statuses, StatusCount{r.Status, 1})
}
