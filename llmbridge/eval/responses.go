package eval

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
)

// Response is an answer that somebody else collected, with their verdict.
type Response struct {
	ID, Group, Task string // Group is what to summarise by: "engine / domain / task"
	Text            string
	// Recorded is their verdict, nil for none.
	Recorded *bool
	// Cause is their or our reviewers' word on a known difference.
	Cause string
	// Domain and Problem are files beside the response file, or texts if Inline.
	// File: they are those of ResponseOptions, with the names given there.
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
	// Reader reads the answer; "" if the row names none.
	Reader extract.Kind
	// Kind and Query are of an instance of a result file whose question is in its query:
	// another goal or state than the instance's, or no question for a plan
	// (grade.QueryRecord); "" for others.
	Kind  prompt.Kind
	Query string
	// TruePlan is the plan of least cost that a result file has where the question was for a
	// cheapest one.
	TruePlan string
	// Extracted and Gold are texts of a result file: the plan that its authors read in the answer, and the
	// answer that they hold to be right. "" for none.
	Extracted, Gold string
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
	Reader      string          `json:"reader"`

	PlanbenchCorrect *bool `json:"planbench_correct"`
	LLMCorrect       *bool `json:"llm_correct"`
	LLMCorrectBinary *bool `json:"llm_correct_binary"`
	// Correct is their verdict where no other field is; some files have numbers beside one.
	Correct json.RawMessage `json:"correct"`

	Query json.RawMessage `json:"query"`
	Truth json.RawMessage `json:"ground_truth_plan"`

	Extracted json.RawMessage `json:"extracted_llm_plan"`

	OptimalCost json.Number `json:"optimal_cost"`
	// Messages is a conversation, in which the critic's answers are the user's, and ActCorrect
	// the verdict on its last plan.
	Messages   json.RawMessage `json:"messages"`
	ActCorrect *bool           `json:"act_correct"`

	TaskUnsolvable *bool  `json:"task_unsolvable"`
	Ambiguous      bool   `json:"ambiguous"`
	Disagreement   string `json:"disagreement"`
}

// resultFile is a PlanBench result file.
type resultFile struct {
	entry *responseEntry // the file as a whole

	Task      string            `json:"task"`
	Engine    string            `json:"engine"`
	Domain    string            `json:"domain"`
	Instances []json.RawMessage `json:"instances"`
}

// ResponseOptions say where the tasks of a PlanBench result file are, which names only
// instance numbers.
type ResponseOptions struct {
	Name   string // of the file, for errors
	Domain string // file
	// Instances is the name of a problem file with %d for the instance's number.
	Instances string
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

// ungraded counts the reasons for which answers are not graded, most frequent first.
func ungraded(rows []GradedResponse) []ReasonCount {
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
