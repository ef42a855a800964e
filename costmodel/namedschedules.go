package costmodel

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// blocksworldActions are the four actions in the order in which the literature writes their
// costs: [pick-up, unstack, put-down, stack].
var blocksworldActions = [...]string{"pick-up", "unstack", "put-down", "stack"}

// Named is a schedule that has a name.
type Named struct {
	Name     string
	Schedule Schedule
}

// Unit is the schedule in which every action costs 1.
func Unit() Schedule { return Schedule{fallback: pddl.Int(1), hasFallback: true} }

// paperSchedules are the rows of table 1 of the Budget-BlocksWorld paper ("CATS:
// Cost-Augmented Tree Search for LLM-Assisted Planning"), in its order.
var paperSchedules = [...][4]int64{
	{20, 1, 1, 1}, {1, 20, 1, 1}, {1, 1, 20, 1}, {1, 1, 1, 20}, {20, 1, 20, 1},
	{1, 20, 1, 20}, {20, 20, 1, 1}, {1, 1, 20, 20}, {20, 1, 1, 20}, {1, 20, 20, 1},
}

// PaperSchedules returns the ten schedules of Budget-BlocksWorld, named "[20,1,1,1]" and so
// on, in the order of the paper's table 1.
func PaperSchedules() []Named {
	named := make([]Named, len(paperSchedules))
	for i, costs := range paperSchedules {
		name := strings.ReplaceAll(fmt.Sprint(costs[:]), " ", ",")
		s, err := ParseNamed(name)
		if err != nil {
			panic(err) // four numbers
		}
		named[i] = Named{name, s}
	}
	return named
}

// ReferenceSchedule is the schedule that defines the lengths of Budget-BlocksWorld's tasks.
const ReferenceSchedule = "[1,1,20,1]"

// ParseAny reads what [ParseSchedule] or [ParseNamed] reads.
func ParseAny(text string) (Schedule, error) {
	if t := strings.TrimSpace(text); strings.HasPrefix(t, "[") || strings.EqualFold(t, "unit") {
		return ParseNamed(t)
	}
	return ParseSchedule(text)
}

// ParseNamed reads a schedule that needs no action names: "unit", or the four costs of
// blocksworld, "[1,1,20,1]".
func ParseNamed(text string) (Schedule, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "unit" {
		return Unit(), nil
	}
	inner, ok := strings.CutPrefix(text, "[")
	if ok {
		inner, ok = strings.CutSuffix(inner, "]")
	}
	if !ok {
		return Schedule{}, fmt.Errorf("%q is no named schedule: there are unit and, for blocksworld, [pick-up,unstack,put-down,stack] such as %s", clip(text), ReferenceSchedule)
	}
	costs := strings.Split(inner, ",")
	if len(costs) != len(blocksworldActions) {
		return Schedule{}, fmt.Errorf("schedule %s has %d costs, not the four of [pick-up,unstack,put-down,stack]", clip(text), len(costs))
	}
	entries := make([]string, len(costs))
	for i, c := range costs {
		entries[i] = blocksworldActions[i] + "=" + c
	}
	return ParseSchedule(strings.Join(entries, ","))
}
