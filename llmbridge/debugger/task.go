package debugger

import (
	"github.com/planproof/planproof"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// taskIn names a task: a bundled one, or two texts.
type taskIn struct {
	Task    string `json:"task"`
	Domain  string `json:"domain_text"`
	Problem string `json:"problem_text"`
}

// opened is a task as the page shows it.
type opened struct {
	Domain      string           `json:"domain_text"`
	Problem     string           `json:"problem_text"`
	Name        string           `json:"name"`
	Actions     []string         `json:"actions"`
	Objects     int              `json:"objects"`
	Diagnostics pddl.Diagnostics `json:"diagnostics"`
}

// texts finds the texts of a task.
func (in *taskIn) texts() (dom, prob *pddl.Source, err error) {
	if in.Task == "" {
		return pddl.NewSource("domain", in.Domain), pddl.NewSource("problem", in.Problem), nil
	}
	if in.Domain != "" || in.Problem != "" {
		return nil, nil, problem(BadInput, "give the name of a bundled task or texts, not both")
	}
	return domains.Load(in.Task)
}

func (c *call) read(in *taskIn) (*planproof.Task, error) {
	dom, prob, err := in.texts()
	if err != nil {
		return nil, err
	}
	return planproof.ParseTaskContext(c.ctx, dom.Text, prob.Text)
}

func (c *call) openTask(in *taskIn) (any, error) {
	t, err := c.read(in)
	if err != nil {
		return nil, err
	}
	p := t.Problem
	out := &opened{Domain: p.Domain.Source.Text, Problem: p.Source.Text, Name: p.Name, Objects: len(p.Objects), Diagnostics: t.Warnings, Actions: []string{}}
	for _, a := range p.Domain.Actions {
		out.Actions = append(out.Actions, a.Name)
	}
	if out.Diagnostics == nil {
		out.Diagnostics = pddl.Diagnostics{}
	}
	return out, nil
}
