package eval

import (
	"strings"

	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/prompt"
)

// taskName is how tasks of PlanBench are named: task_3_plan_verification, t4-reuse,
// t8.3-partial-to-full, t1.
var taskName = pattern.New(`^(?:task_|t)([1-7]|8[._-][1-3])(?:[._-].*)?$`)

// taskKinds are PlanBench's tasks.
var taskKinds = map[string]prompt.Kind{
	"1": prompt.KindGeneration, "2": prompt.KindCostOptimal, "3": prompt.KindVerification, "4": prompt.KindReuse,
	"5": prompt.KindGeneralise, "6": prompt.KindReplanning, "7": prompt.KindExecution,
	"8.1": prompt.KindGoalShuffle, "8.2": prompt.KindFullToPartial, "8.3": prompt.KindPartialToFull,
}

// taskKind finds out what the name of a task asks for, "" for a name that is not one of
// PlanBench's.
func taskKind(name string) prompt.Kind {
	m := taskName.FindStringSubmatch(strings.ToLower(strings.TrimSpace(name)))
	if m == nil {
		return ""
	}
	return taskKinds[strings.NewReplacer("_", ".", "-", ".").Replace(m[1])]
}

// asked finds out what the entry was asked about its task. An instance of a result file has
// it in its query, as has a row that names an instance by its number; a row with a task of
// its own asks for a plan of that.
func (r *Response) asked(row *responseRow, inFile bool) error {
	kind := taskKind(row.TaskName)
	if kind == "" && inFile {
		return rowjson.Errorf(rowjson.CodeValue, "", "the file's task %q is none of PlanBench's (task_1 to task_7, task_8_1 to task_8_3), so what it asks is not known", row.TaskName)
	}
	if kind == prompt.KindCostOptimal {
		if err := r.leastCost(row); err != nil {
			return err
		}
		kind = prompt.KindGeneration // about the instance as it is
	}
	if kind == "" || !r.File && !otherKind(kind) {
		return nil
	}
	plain := kind == prompt.KindGeneration || kind == prompt.KindGeneralise
	if len(row.Query) > 0 && rowjson.Unmarshal(row.Query, &r.Query, false) != nil {
		return rowjson.Errorf(rowjson.CodeType, "query", "its query is no text")
	}
	switch {
	case r.Query == "" && !plain:
		return rowjson.Errorf(rowjson.CodeMissing, "query", "it has no query, which says what %s asks about the instance", row.TaskName)
	case r.Query != "":
		r.Kind = kind
	}
	return nil
}

// leastCost reads the least cost of a question for a cheapest plan.
func (r *Response) leastCost(row *responseRow) error {
	if r.Optimal = string(row.OptimalCost); r.Optimal != "" {
		return nil
	}
	if len(row.Truth) == 0 || rowjson.Unmarshal(row.Truth, &r.TruePlan, false) != nil || r.TruePlan == "" {
		return rowjson.Errorf(rowjson.CodeMissing, "", "it has neither optimal_cost nor a ground_truth_plan, whose cost is the least")
	}
	return nil
}
