package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/prompt"
	"github.com/planproof/planproof/internal/rowjson"
)

// Task is a row's task, with the plan of its member "plan", nil without.
type Task struct {
	ID       string
	Instance *boxnet.Instance
	Plan     boxnet.Plan
}

// Find returns the task of the row with an id, or of the first row if id is "".
func Find(in io.Reader, id string) (*Task, error) {
	var found *Task
	var faults rowjson.Faults
	err := rowjson.EachLine(in, "rows", MaxRow, &faults, func(number int, line []byte) error {
		name, plan := rowMembers(line, number)
		if found != nil || id != "" && name != id {
			return nil
		}
		task, err := boxnet.ReadInstance(line, true)
		if err != nil {
			return err
		}
		found = &Task{ID: name, Instance: task}
		if rowjson.Present(plan) {
			found.Plan, _, err = boxnet.ReadPlan(plan)
		}
		return rowjson.At(rowjson.CodeValue, "plan", err)
	})
	switch {
	case err != nil || faults.Err() != nil:
		return nil, errors.Join(err, faults.Err())
	case found == nil && id == "":
		return nil, errors.New("there is no row")
	case found == nil:
		return nil, fmt.Errorf("there is no row with the id %q", id)
	}
	return found, nil
}

// rowMembers are the id of a row, its number for none, and its plan.
func rowMembers(line []byte, number int) (id string, plan []byte) {
	id = fmt.Sprint(number)
	_ = rowjson.EachMember(line, func(name string, value []byte) error {
		switch name {
		case "id":
			id = string(bytes.Trim(value, `"`))
		case "plan":
			plan = value
		}
		return nil
	})
	return id, plan
}

// Draw draws the task: as a moving picture of its plan if it has one and still is false.
func (t *Task) Draw(w io.Writer, reading boxnet.Reading, still bool) error {
	if t.Plan == nil || still {
		return t.Instance.Draw(w)
	}
	return boxnet.NewJudge(t.Instance, reading).Animate(w, t.Plan)
}

// Prompt is the prompt for the task: for a whole plan, or for the first step of many.
func (t *Task) Prompt(replan bool) string {
	if replan {
		return prompt.Replan(t.Instance)
	}
	return prompt.FullPlan(t.Instance)
}
