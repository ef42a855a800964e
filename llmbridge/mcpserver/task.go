package mcpserver

import (
	"strings"
	"time"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
)

// taskIn names a task. Exactly one way of naming is used: a bundled name, two texts, two files or a session.
type taskIn struct {
	Task        string `json:"task,omitempty" jsonschema:"name of a bundled task, such as blocksworld:4-17"`
	DomainText  string `json:"domain_text,omitempty" jsonschema:"PDDL text of the domain"`
	ProblemText string `json:"problem_text,omitempty" jsonschema:"PDDL text of the problem"`
	Domain      string `json:"domain,omitempty" jsonschema:"file of the domain, where the server allows files"`
	Problem     string `json:"problem,omitempty" jsonschema:"file of the problem, where the server allows files"`
	Session     string `json:"session,omitempty" jsonschema:"the task of an open session"`
}

// texts finds the texts of a task.
func (c *call) texts(in *taskIn) (taskref.Key, error) {
	ways := 0
	for _, used := range []bool{in.Task != "", in.DomainText != "" || in.ProblemText != "", in.Domain != "" || in.Problem != ""} {
		if used {
			ways++
		}
	}
	if ways != 1 {
		return taskref.Key{}, problem(BadInput, doTask, "the arguments name %s", spell.Plural(ways, "task"))
	}
	if err := c.sizes(in.DomainText, in.ProblemText); err != nil {
		return taskref.Key{}, err
	}
	if in.Task != "" && !taskref.IsBundled(in.Task) {
		return taskref.Key{}, problem(UnknownTask, doTask, "%q is no bundled task", in.Task)
	}
	return c.tasks.Resolve(taskref.Ref{Task: in.Task, DomainText: in.DomainText, ProblemText: in.ProblemText, Domain: in.Domain, Problem: in.Problem}, time.Time{})
}

// sizes refuses texts that are too long.
func (c *call) sizes(texts ...string) error {
	for _, t := range texts {
		if int64(len(t)) > c.opt.Text {
			return problem(TooLarge, doShorten, "a text of %d bytes; at most %d are read", len(t), c.opt.Text)
		}
	}
	return nil
}

// task reads the task of a call.
func (c *call) task(in *taskIn) (*planproof.Task, error) {
	if in.Session != "" {
		if *in != (taskIn{Session: in.Session}) {
			return nil, problem(BadInput, doTask, "a session has its task: leave the other names out")
		}
		w, err := c.space.walk(in.Session)
		if err != nil {
			return nil, err
		}
		return w.task, nil
	}
	key, err := c.texts(in)
	if err != nil {
		return nil, err
	}
	return c.parsed.GetContext(c.ctx, key, func() (*planproof.Task, error) {
		return planproof.ParseTaskContext(c.ctx, key.Domain, key.Problem)
	})
}

// plan reads the steps of a call's plan; a plan that cannot be read is a problem here.
func (c *call) plan(steps []string) (*pddl.Plan, error) {
	if len(steps) > c.opt.Steps {
		return nil, problem(TooLarge, doShorten, "a plan of %d steps; at most %d are taken", len(steps), c.opt.Steps)
	}
	text := strings.Join(steps, "\n")
	if err := c.sizes(text); err != nil {
		return nil, err
	}
	plan, diags := pddl.ParsePlan(pddl.NewSource("steps", text))
	if diags.HasErrors() {
		return nil, &Problem{Code: BadStep, Message: diags.Error(), Do: `write each step as "(name argument ...)"`, Diagnostics: diags}
	}
	if plan.Timed || len(plan.Steps) != len(steps) {
		return nil, problem(BadStep, `write each step as "(name argument ...)", one in each element`, "%d elements hold %d steps", len(steps), len(plan.Steps))
	}
	return plan, nil
}
