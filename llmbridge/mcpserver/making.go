package mcpserver

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/domains/tools"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/search"
)

type generateIn struct {
	Kind   string         `json:"kind" jsonschema:"such as blocksworld; the resource planproof://domains lists all"`
	Params map[string]int `json:"params,omitempty" jsonschema:"parameters by name; the others have their defaults"`
	Seed   uint64         `json:"seed,omitempty" jsonschema:"number of the first task; 1 by default"`
	Count  int            `json:"count,omitempty" jsonschema:"how many tasks; 1 by default"`
	Names  bool           `json:"names_only,omitempty" jsonschema:"leave the texts out: the other tools take the names"`
}

type generated struct {
	Tasks []generatedTask `json:"tasks"`
}

type generatedTask struct {
	Task        string `json:"task" jsonschema:"its name, for the other tools"`
	DomainText  string `json:"domain_text,omitempty"`
	ProblemText string `json:"problem_text,omitempty"`
}

type guardIn struct {
	taskIn
	limits
	Tools   json.RawMessage `json:"tools" jsonschema:"the functions: {\"tools\": [...]} in the form of docs/TOOLS.md"`
	Call    json.RawMessage `json:"call" jsonschema:"the call that is about to be made: {\"name\", \"arguments\"}"`
	History json.RawMessage `json:"history,omitempty" jsonschema:"the calls made so far, a list"`
}

// decision is the form of a row of tools guard --json.
type decision struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Decision string          `json:"decision" jsonschema:"allow or deny"`
	Reason   string          `json:"reason,omitempty"`
	Repair   string          `json:"repair,omitempty" jsonschema:"what to do instead"`
}

// maxTasks bounds the tasks of one call of generate.
const maxTasks = 1000

func (s *Server) addMaking() {
	add[generateIn, generated](s, "generate",
		"Make tasks of a bundled domain. The same arguments always make the same tasks.", (*call).generate)
	add[guardIn, decision](s, "guard_call",
		"Allow or deny a call of a tool before it is made, by what each tool needs and does in a PDDL task; says what to do instead.",
		(*call).guard)
}

func (c *call) generate(in *generateIn) (any, error) {
	if in.Count < 0 || in.Count > maxTasks {
		return nil, problem(TooLarge, "ask for fewer, and go on with a higher seed", "%d tasks; at most %d are made at once", in.Count, maxTasks)
	}
	tasks, err := domains.Generate(in.Kind, domains.GenerateOptions{Params: in.Params, Seed: in.Seed, Count: in.Count})
	if err != nil {
		return nil, err
	}
	out := &generated{}
	size := int64(0)
	for _, t := range tasks {
		g := generatedTask{Task: t.Name}
		if !in.Names {
			g.DomainText, g.ProblemText = t.Domain.Text, t.Problem.Text
		}
		if size += int64(len(g.DomainText) + len(g.ProblemText)); size > c.opt.Text {
			return nil, problem(TooLarge, "ask for fewer, or for names_only", "the texts have more than %d bytes", c.opt.Text)
		}
		out.Tasks = append(out.Tasks, g)
	}
	return out, nil
}

func (c *call) guard(in *guardIn) (any, error) {
	if err := c.sizes(string(in.Tools), string(in.Call), string(in.History)); err != nil {
		return nil, err
	}
	t, err := c.task(&in.taskIn)
	if err != nil {
		return nil, err
	}
	r, err := c.runner(in.Tools, t)
	if err != nil {
		return nil, err
	}
	row, err := rowjson.AppendValue(nil, map[string]json.RawMessage{"call": in.Call, "history": transcript(in.History)})
	if err != nil {
		return nil, err
	}
	answer, err := r.GuardRow(row)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(answer), nil
}

// guardKey is what a guard is made of.
type guardKey struct {
	tools string
	task  taskref.Key
}

// runner compiles functions and the task that says what they do, once for the many calls of an agent.
func (c *call) runner(functions json.RawMessage, t *planproof.Task) (*tools.Runner, error) {
	key := guardKey{string(functions), taskref.KeyOf(t.Problem.Domain.Source, t.Problem.Source)}
	return c.runners.GetContext(c.ctx, key, func() (*tools.Runner, error) {
		set, err := tools.ReadSet("tools", functions)
		if err != nil {
			return nil, err
		}
		return tools.NewRunner(c.ctx, set, t.Problem, search.Limits{Memory: c.lim.bytes(), Wall: c.left()})
	})
}

// transcript is the history of a call as package tools reads calls: a list is one of calls in the same form.
func transcript(history json.RawMessage) json.RawMessage {
	switch {
	case len(history) == 0 || string(history) == "null":
		return json.RawMessage("[]")
	case history[0] == '[' && string(bytes.Trim(history[1:], " \t\r\n")) != "]":
		return slices.Concat([]byte(`{"tool_calls":`), history, []byte("}"))
	}
	return history
}
