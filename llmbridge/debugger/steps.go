package debugger

import (
	"slices"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/search"
)

// maxScenes bounds the states that a judged plan shows.
const maxScenes = 400

// stepState says what became of a step.
type stepState string

const (
	stepDone       stepState = "done"
	stepFailed     stepState = "failed"
	stepNotReached stepState = "not-reached"
	stepMalformed  stepState = "malformed"
)

// step is a step of the plan, a malformed one included.
type step struct {
	Text  string    `json:"text"`
	Line  int       `json:"line,omitempty"` // in the answer, 1-based
	State stepState `json:"state"`
	// Culprit: this step made a condition false that fails later.
	Culprit bool `json:"culprit,omitempty"`
	// After is the state that the step leads to, with what it has changed.
	After *scene `json:"after,omitempty"`
}

// scene is a state.
type scene struct {
	// Facts and Values are those of the state, but after a step only what it has Added and Deleted.
	Facts   []string `json:"facts,omitempty"`
	Added   []string `json:"added,omitempty"`
	Deleted []string `json:"deleted,omitempty"`
	Picture string   `json:"picture,omitempty"` // SVG, of domains that can be drawn
}

// steps pairs the steps of a reading with what the verdict says of them.
func steps(x *planproof.Extraction, v *planproof.Verdict) []step {
	list := make([]step, 0, len(x.Plan)+len(x.Malformed))
	for i, text := range x.Plan {
		s := step{Text: text, State: stepNotReached}
		if i < len(x.Lines) {
			s.Line = x.Lines[i]
		}
		list = append(list, s)
	}
	for _, m := range slices.SortedFunc(slices.Values(x.Malformed), func(a, b extract.Malformed) int { return a.Step - b.Step }) {
		at := min(max(m.Step-1, 0), len(list))
		list = slices.Insert(list, at, step{Text: m.Text, Line: m.Line, State: stepMalformed})
	}
	if len(x.Malformed) > 0 || v.HasMakespan {
		return list // nothing was executed, or in another order
	}
	for i := range list {
		if i < v.Executed {
			list[i].State = stepDone
		}
	}
	if v.Failure != nil && v.Failure.Step > 0 && v.Failure.Step <= len(list) {
		list[v.Failure.Step-1].State = stepFailed
	}
	if v.Explanation != nil {
		for _, u := range append(v.Explanation.Unmet, v.Explanation.Goals...) {
			if u.Held && u.ChangedBy != nil && u.ChangedBy.Step > 0 && u.ChangedBy.Step <= len(list) {
				list[u.ChangedBy.Step-1].Culprit = true
			}
		}
	}
	return list
}

// walk adds the states to the steps that were executed, where the task can be grounded.
func (c *call) walk(t *planproof.Task, out *judged) {
	w, err := world.New(c.ctx, t.Problem, search.Limits{Wall: c.left() / 2, Memory: c.opt.Memory})
	if err != nil {
		out.States = err.Error()
		return
	}
	st := w.Sim.Initial()
	facts := w.Facts(st)
	out.Start = &scene{Facts: facts, Picture: draw(facts)}
	for i := range out.Steps {
		s := &out.Steps[i]
		if s.State != stepDone {
			return
		}
		if i == maxScenes {
			out.States = "the states of the first steps are shown; there are more"
			return
		}
		next, _, err := w.Sim.Apply(st, s.Text)
		if err != nil {
			out.States = err.Error()
			return
		}
		after := w.Facts(next)
		s.After = &scene{Added: atomtext.Gained(facts, after), Deleted: atomtext.Gained(after, facts), Picture: draw(after)}
		st, facts = next, after
	}
}
