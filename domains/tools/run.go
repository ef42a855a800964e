package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/validator"
)

// A Runner executes calls in a PDDL task: each is an action whose precondition says when it can be made and whose
// effect says what it does. Two plans that reach the goal are both right, whatever their order. A Runner is compiled
// once, and any goroutine may use it.
type Runner struct {
	Set     *Set
	judge   *validator.Judge
	world   *world.World
	actions []action                         // by tool
	adders  map[string][]grounder.OperatorID // operators that can make a fact true
}

// action is the action of a tool, with the parameter that gives each of its arguments; "" is none of the function's but
// a constant.
type action struct {
	name       string
	parameters []string
	constants  []string
}

// NewRunner compiles functions and the task that says what they do. The error names what does not fit.
func NewRunner(ctx context.Context, s *Set, p *pddl.Problem, lim search.Limits) (*Runner, error) {
	r := &Runner{Set: s, adders: map[string][]grounder.OperatorID{}}
	for i := range s.Tools {
		a, err := readAction(&s.Tools[i], p.Domain)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Tools[i].Name, err)
		}
		r.actions = append(r.actions, a)
	}
	for value, object := range s.Values {
		if _, ok := p.ObjectByName(object); !ok {
			return nil, fmt.Errorf("values: %q stands for %s, but the task has no such object", value, object)
		}
	}
	var err error
	if r.judge, err = validator.NewJudgeContext(ctx, p, validator.Options{}); err != nil {
		return nil, err
	}
	if r.world, err = world.New(ctx, p, lim); err != nil {
		return nil, err
	}
	for id := range r.world.Task.Operators.Len() {
		for _, e := range r.world.Task.Operators.Effects(id) {
			if f := r.world.Atoms[e.Var][e.Val]; f != "" {
				r.adders[f] = append(r.adders[f], grounder.OperatorID(id))
			}
		}
	}
	return r, nil
}

func readAction(t *Tool, d *pddl.Domain) (a action, err error) {
	if t.Action == "" {
		return a, nil
	}
	words := atomtext.Words(t.Action)
	if len(words) == 0 {
		return a, fmt.Errorf("pddl: %q is no action", t.Action)
	}
	i, ok := d.ActionByName(strings.ToLower(words[0]))
	if !ok {
		return a, fmt.Errorf("pddl: the domain has no action %s", words[0])
	}
	a.name = d.Actions[i].Name
	if n := d.Actions[i].NumParams; n != len(words)-1 {
		return a, fmt.Errorf("pddl: %s has %d parameters, not %d", a.name, n, len(words)-1)
	}
	for _, w := range words[1:] {
		name, variable := strings.CutPrefix(w, "?")
		if variable && t.parameter(name) == nil {
			return a, fmt.Errorf("pddl: the function has no parameter %s", name)
		}
		if !variable {
			a.parameters, a.constants = append(a.parameters, ""), append(a.constants, strings.ToLower(w))
			continue
		}
		a.parameters, a.constants = append(a.parameters, name), append(a.constants, "")
	}
	return a, nil
}

// A Judgement of a plan: its faults by schema, and the verdict of executing it. Executed stops before the first call
// that cannot be made.
type Judgement struct {
	Faults  []Fault
	Verdict *validator.Verdict
	// Steps are the steps of the PDDL task that the calls stand for.
	Steps []string
	// Repair says how the first call that cannot be made can be, "" if nobody knows.
	Repair string
}

// Success reports whether every call could be made and the goal holds after them.
func (j *Judgement) Success() bool { return len(j.Faults) == 0 && j.Verdict != nil && j.Verdict.Valid }

// Judge executes a plan. If a call does not fit its schema, those before it are executed and judged as a plan.
func (r *Runner) Judge(p *Plan) *Judgement {
	j := &Judgement{Faults: r.Set.Check(p)}
	steps := p.scored()
	for i := range steps {
		if slices.ContainsFunc(j.Faults, func(f Fault) bool { return f.Step == i+1 }) {
			break
		}
		step, fault := r.bind(steps, i, j.Steps)
		if fault != nil {
			j.Faults = append(j.Faults, *fault)
			break
		}
		if step != "" {
			j.Steps = append(j.Steps, step)
		}
	}
	j.Verdict = r.validate(j.Steps)
	if f := j.Verdict.Failure; f != nil && f.Step > 0 {
		j.Repair = r.repair(j.Steps[:f.Step-1], f)
	} else if len(j.Faults) > 0 {
		j.Repair = j.Faults[0].Repair
	}
	return j
}

func (r *Runner) validate(steps []string) *validator.Verdict {
	plan, _ := pddl.ParsePlan(pddl.NewSource("calls", strings.Join(steps, "\n")))
	return r.judge.Validate(plan)
}

// bind returns the step that a call stands for, "" for a function without an action.
func (r *Runner) bind(steps []Step, i int, before []string) (string, *Fault) {
	call := &steps[i]
	a := &r.actions[r.Set.byName[call.Name]]
	if a.name == "" {
		return "", nil
	}
	words := []string{a.name}
	for k, parameter := range a.parameters {
		if parameter == "" {
			words = append(words, a.constants[k])
			continue
		}
		object, message := r.object(steps, i, parameter, before)
		if message != "" {
			return "", &Fault{Step: i + 1, Kind: WrongValue, Parameter: parameter, Message: message}
		}
		words = append(words, object)
	}
	return "(" + strings.Join(words, " ") + ")", nil
}

// object returns the object that an argument stands for, or why it stands for none.
func (r *Runner) object(steps []Step, i int, parameter string, before []string) (object, message string) {
	v, ok := steps[i].Args.Member(parameter)
	if !ok || v.kind == kindNull {
		return "", fmt.Sprintf("%s is needed to make the call", parameter)
	}
	if ref, is := v.Reference(); is {
		return r.returned(steps, i, ref, before)
	}
	text, ok := v.Text()
	if !ok {
		return "", fmt.Sprintf("%s is neither a text nor a number", parameter)
	}
	name, known := r.Set.Values[text]
	if !known {
		name = strings.ReplaceAll(atomtext.LowerASCII(text), " ", "-")
	}
	if _, ok := r.world.Prob.ObjectByName(name); !ok {
		return "", fmt.Sprintf("nothing is called %q", text)
	}
	return name, ""
}

// returned returns the object that a field of an earlier call's result is: the first, by name, for which its relation
// holds after the calls so far.
func (r *Runner) returned(steps []Step, i int, ref Reference, before []string) (object, message string) {
	at := slices.IndexFunc(steps[:i], func(s Step) bool { return s.ID == ref.Step })
	if at < 0 {
		return "", fmt.Sprintf("no earlier step has the id %d", ref.Step)
	}
	t := r.Set.tool(steps[at].Name)
	field, _, _ := strings.Cut(ref.Path, "[")
	for _, x := range t.Returns {
		if x.Name != field || x.Relation == "" {
			continue
		}
		pattern := atomtext.Words(x.Relation)
		for k, w := range pattern {
			if name, variable := strings.CutPrefix(w, "?"); variable && name != "value" {
				if pattern[k], message = r.object(steps, at, name, before); message != "" {
					return "", message
				}
			}
		}
		st, err := r.world.After(before)
		if err != nil {
			return "", "the calls before it cannot be made"
		}
		if list := matching(r.world.Facts(st), pattern); len(list) > 0 {
			return list[0], ""
		}
		return "", fmt.Sprintf("%s of step %d is nothing", field, at+1)
	}
	return "", fmt.Sprintf("the task does not say what %s of %s is", field, t.Name)
}

// matching lists the words that "?value" stands for in the facts of a pattern.
func matching(facts, pattern []string) (list []string) {
	for _, f := range facts {
		words, value := atomtext.Words(f), ""
		if len(words) != len(pattern) {
			continue
		}
		same := true
		for k, w := range pattern {
			if w == "?value" {
				value = words[k]
			} else if !strings.EqualFold(w, words[k]) {
				same = false
				break
			}
		}
		if same && value != "" {
			list = append(list, value)
		}
	}
	slices.Sort(list)
	return list
}

// repair proposes a call after which a step that failed can be made, or the same call with other arguments.
func (r *Runner) repair(before []string, f *validator.Failure) string {
	st, err := r.world.After(before)
	if err != nil {
		return ""
	}
	for _, fact := range f.Unsatisfied {
		for _, id := range r.adders[atomtext.LowerASCII(fact)] {
			step := r.world.Task.OperatorName(id)
			if next, _, err := r.world.Sim.Apply(st, step); err == nil && r.holds(next, fact) {
				if call := r.call(step); call != "" {
					return "first call " + call
				}
			}
		}
	}
	name := atomtext.Words(f.Action)
	for _, id := range r.world.Sim.Applicable(st, nil) {
		step := r.world.Task.OperatorName(id)
		if words := atomtext.Words(step); len(name) > 0 && words[0] == name[0] {
			if call := r.call(step); call != "" {
				return "call " + call + " instead"
			}
		}
	}
	return ""
}

func (r *Runner) holds(st space.State, fact string) bool {
	for v, k := range r.world.Sim.Values(st) {
		if r.world.Atoms[v][k] == atomtext.LowerASCII(fact) {
			return true
		}
	}
	return false
}

// call writes a step as the call that it stands for, "" if no function does it.
func (r *Runner) call(step string) string {
	words := atomtext.Words(step)
	for i := range r.actions {
		a := &r.actions[i]
		if a.name != words[0] {
			continue
		}
		var args []string
		fits := true
		for k, parameter := range a.parameters {
			if parameter == "" {
				fits = fits && a.constants[k] == words[k+1]
				continue
			}
			args = append(args, parameter+"="+r.value(words[k+1]))
		}
		if fits {
			return r.Set.Tools[i].Name + "(" + strings.Join(args, ", ") + ")"
		}
	}
	return ""
}

// value is the argument that stands for an object.
func (r *Runner) value(object string) string {
	best := object
	for value, o := range r.Set.Values {
		if o == object && (best == object || value < best) {
			best = value
		}
	}
	return best
}
