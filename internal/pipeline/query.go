package pipeline

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search/certificate"
	"github.com/planproof/planproof/validator"
)

// Query asks whether a condition can ever hold, or a step ever be applied: whether the task with
// that condition, or the step's precondition, as its goal has a plan.
type Query struct {
	// Problem is the problem with the condition as its goal, read from its own text.
	Problem *pddl.Problem
	// Goal is that condition as it is printed. Step is the step that was asked about, "" if none was.
	Goal, Step string
}

// Ask makes the query about a condition or a step of a problem; the other one is "". It is nil
// without either. A condition that cannot be read is [pddl.Diagnostics] with places in it, a step
// that cannot be one of this task an error that says why.
func Ask(p *pddl.Problem, goal, step string) (*Query, error) {
	switch {
	case goal == "" && step == "":
		return nil, nil
	case goal != "" && step != "":
		return nil, fmt.Errorf("ask about a goal or about a step, not both at a time")
	}
	q := &Query{}
	if step != "" {
		var err error
		if goal, q.Step, err = precondition(p, step); err != nil {
			return nil, err
		}
	}
	changed, err := withGoal(p, goal)
	if err != nil {
		return nil, err
	}
	q.Goal = changed.Names(&changed.Goal.Schema).Formula(changed.Goal.Formula)
	q.Problem, err = withGoal(p, q.Goal) // as whoever checks the answer makes it from the printed goal
	return q, err
}

// About returns the problem that a certificate is about: p, or p with another goal. That this is
// the goal of the certificate's step is found out here, and [CheckCertificate] compares the task.
func About(p *pddl.Problem, h *certificate.Header) (*pddl.Problem, error) {
	if h.Goal == "" && h.Step == "" {
		return p, nil
	}
	goal := h.Goal
	if h.Step != "" {
		goal = ""
	}
	q, err := Ask(p, goal, h.Step)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the certificate is about another task: %w", err)
	case q.Goal != h.Goal || q.Step != h.Step:
		return nil, fmt.Errorf("the certificate is about another task: its goal %s is not %s", h.Goal, q.Goal)
	}
	return q.Problem, nil
}

// withGoal returns a problem with a goal that is given as text.
func withGoal(p *pddl.Problem, goal string) (*pddl.Problem, error) {
	own := *p
	own.Goal = pddl.GoalSchema{Formula: &pddl.Formula{Kind: pddl.FormulaTrue}}
	const mark = "  (:goal (and))\n"
	before, after, ok := strings.Cut(own.String(), mark)
	if !ok {
		return nil, fmt.Errorf("internal error: no place for the goal in the printed problem")
	}
	before += "  (:goal "
	src := pddl.NewSource(p.Source.Name, before+goal+")\n"+after)
	changed, diags := pddl.ParseProblem(src, p.Domain, pddl.Options{})
	if diags.HasErrors() || changed == nil {
		return nil, inGoal(diags, goal, len(before))
	}
	// A text that closes the goal and opens other sections is no condition.
	again := *changed
	again.Goal = own.Goal
	if again.String() != own.String() {
		return nil, fmt.Errorf("%q is not one condition", goal)
	}
	return changed, nil
}

// inGoal moves the places of errors from the problem into the text of the goal, which begins at start.
func inGoal(diags pddl.Diagnostics, goal string, start int) pddl.Diagnostics {
	src := pddl.NewSource("goal", goal)
	place := func(at pddl.Pos) pddl.Pos { return pddl.Pos(min(max(int(at)-start, 0), len(goal))) }
	var out pddl.Diagnostics
	for _, d := range diags {
		if d.Severity == pddl.Error {
			d.Source, d.Pos, d.End = src, place(d.Pos), place(d.End)
			out = append(out, d)
		}
	}
	return out
}

// precondition returns the precondition of a ground step, and the step as tasks name it.
func precondition(p *pddl.Problem, step string) (goal, name string, err error) {
	plan, diags := pddl.ParsePlan(pddl.NewSource("step", step))
	if diags.HasErrors() {
		return "", "", diags
	}
	if len(plan.Steps) != 1 || plan.Timed {
		return "", "", fmt.Errorf("%q is not one step without a time", step)
	}
	judge, err := validator.NewJudge(p, validator.Options{})
	if err != nil {
		return "", "", err
	}
	if f := judge.Validate(plan).Failure; f != nil {
		switch f.Kind {
		case validator.FailUnknownAction, validator.FailArity, validator.FailUnknownObject, validator.FailType:
			return "", "", fmt.Errorf("no step of this task: %s", f.Message)
		}
	}
	s := &plan.Steps[0]
	i, ok := p.Domain.ActionByName(s.Name)
	if !ok {
		return "", "", fmt.Errorf("%s has a duration; this can be asked only about instantaneous actions", s.Name)
	}
	a := p.Domain.Actions[i]
	args := make([]pddl.ObjectID, len(s.Args))
	for k, arg := range s.Args {
		args[k], _ = p.ObjectByName(arg)
	}
	name = "(" + a.Name
	for _, o := range args {
		name += " " + p.Objects[o].Name
	}
	return p.Names(&a.Schema).Formula(ground(a.Precondition, args)), name + ")", nil
}

// ground returns a formula with objects for the parameters of its schema.
func ground(f *pddl.Formula, args []pddl.ObjectID) *pddl.Formula {
	if f == nil {
		return nil
	}
	g := *f
	g.Args, g.Value = groundTerms(f.Args, args), groundTerm(f.Value, args)
	g.Left, g.Right = groundExpr(f.Left, args), groundExpr(f.Right, args)
	g.Children = make([]*pddl.Formula, len(f.Children))
	for i, c := range f.Children {
		g.Children[i] = ground(c, args)
	}
	return &g
}

func groundExpr(e *pddl.NumExpr, args []pddl.ObjectID) *pddl.NumExpr {
	if e == nil {
		return nil
	}
	g := *e
	g.Args = groundTerms(e.Args, args)
	g.Children = make([]*pddl.NumExpr, len(e.Children))
	for i, c := range e.Children {
		g.Children[i] = groundExpr(c, args)
	}
	return &g
}

func groundTerms(terms []pddl.Term, args []pddl.ObjectID) []pddl.Term {
	out := make([]pddl.Term, len(terms))
	for i, t := range terms {
		out[i] = groundTerm(t, args)
	}
	return out
}

func groundTerm(t pddl.Term, args []pddl.ObjectID) pddl.Term {
	if t.IsVar() && t != pddl.UndefinedTerm && int(t.Slot()) < len(args) {
		return pddl.ObjectTerm(args[t.Slot()])
	}
	return t
}
