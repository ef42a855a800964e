package constrain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/validator"
)

// Masker knows which steps can come next. It is compiled once for a problem, and any number of goroutines
// may use it at once.
//
// There are two engines with the same results. The ground engine executes ground actions on packed states,
// so that a step costs the same however long the prefix is. The lifted engine is the judge itself: it
// tries every binding of every schema and executes the whole prefix again. It also takes tasks without a
// ground form (numeric conditions, object fluents).
type Masker struct {
	*engine
	ctx context.Context // ends what the judge does, see Within
}

// engine is what the views of a Masker share.
type engine struct {
	prob  *pddl.Problem
	sim   *space.Simulator
	names []string // by operator; ground engine
	rank  []int32  // by operator: its place in the order of GroundActions
	// world lists the facts of states; it is made by the first call of Facts.
	world     *world.World
	worldOnce sync.Once

	judge   *validator.Judge
	steps   []pddl.Step // all steps of the right types; lifted engine
	scratch sync.Pool
}

// MaskOptions are the options of a Masker. The zero value is fine.
type MaskOptions struct {
	// Lifted selects the lifted engine. Otherwise that is only used if the grounder does not support
	// the task.
	Lifted bool
	// Limits bounds the grounding, MaxActions the steps that the lifted engine tries (0:
	// DefaultMaskActions).
	Limits     search.Limits
	MaxActions int

	ctx context.Context // that of NewMasker
}

// DefaultMaskActions is the default of MaskOptions.MaxActions.
const DefaultMaskActions = 1_000_000

// ErrStep is wrapped by errors about a step that cannot be executed.
var ErrStep = errors.New("the step cannot be executed")

// MaskState is the state after a prefix of steps. It never changes, so that several goroutines may continue
// from it.
type MaskState struct {
	state space.State
	steps []pddl.Step
}

// NewMasker compiles a masker. The error wraps search.ErrLimit if a limit was reached, and is a
// pddl.Diagnostics if neither engine supports the task.
func NewMasker(ctx context.Context, prob *pddl.Problem, o MaskOptions) (*Masker, error) {
	if !o.Lifted {
		m, err := groundMasker(ctx, prob, o.Limits)
		var diags pddl.Diagnostics
		if err == nil || !errors.As(err, &diags) {
			return m, err
		}
	}
	o.ctx = ctx
	return liftedMasker(prob, o)
}

func groundMasker(ctx context.Context, prob *pddl.Problem, lim search.Limits) (*Masker, error) {
	task, err := world.GroundAll(ctx, prob, lim)
	if err != nil {
		return nil, err
	}
	m := &Masker{engine: &engine{prob: prob, names: make([]string, task.Operators.Len()), rank: make([]int32, task.Operators.Len())}}
	if m.sim, err = space.NewSimulator(task); err != nil {
		return nil, err
	}
	for i, op := range inOrder(prob, task) {
		m.names[op] = atomtext.LowerASCII(task.OperatorName(op))
		m.rank[op] = int32(i)
	}
	return m, nil
}

func liftedMasker(prob *pddl.Problem, o MaskOptions) (*Masker, error) {
	if err := validator.Untimed(prob); err != nil {
		return nil, err
	}
	judge, err := validator.NewJudge(prob, validator.Options{})
	if err != nil {
		return nil, err
	}
	if o.MaxActions <= 0 {
		o.MaxActions = DefaultMaskActions
	}
	m := &Masker{engine: &engine{prob: prob, judge: judge}}
	m.scratch.New = func() any { return judge.NewScratch() }
	for _, a := range prob.Domain.Actions {
		if m.steps, err = bindings(o.ctx, prob, a, m.steps, o.MaxActions); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Within returns m bound to ctx: judging ends when ctx does. Errors then wrap search.ErrLimit.
func (m *Masker) Within(ctx context.Context) *Masker { return &Masker{m.engine, ctx} }

// borrow returns a scratch for judging.
func (m *Masker) borrow() *validator.Scratch {
	s := m.scratch.Get().(*validator.Scratch)
	s.Context = m.ctx
	return s
}

// Lifted reports whether the lifted engine is used.
func (m *Masker) Lifted() bool { return m.sim == nil }

// Start returns the state before any step.
func (m *Masker) Start() *MaskState {
	if m.sim != nil {
		return &MaskState{state: m.sim.Initial()}
	}
	return &MaskState{}
}

// Step returns the state after one more step, "(stack a b)". The error wraps ErrStep if the step cannot be
// executed, or search.ErrLimit.
func (m *Masker) Step(st *MaskState, step string) (*MaskState, error) {
	if m.sim != nil {
		next, _, err := m.sim.Apply(st.state, step)
		if errors.Is(err, space.ErrUnknownAction) || errors.Is(err, space.ErrInapplicable) {
			return nil, fmt.Errorf("%w: %s", ErrStep, m.why(step))
		}
		if err != nil {
			return nil, err
		}
		return &MaskState{state: next}, nil
	}
	plan, diags := pddl.ParsePlan(pddl.NewSource("step", step))
	if diags.HasErrors() || len(plan.Steps) != 1 || plan.Timed {
		return nil, fmt.Errorf("%w: %s is not one step", ErrStep, step)
	}
	s := m.borrow()
	defer m.scratch.Put(s)
	longer := &pddl.Plan{Steps: append(slices.Clip(st.steps), plan.Steps[0])}
	r := m.judge.Judge(longer, s)
	switch {
	case r.Kind == validator.FailTimeout:
		return nil, fmt.Errorf("judging the step: %w", search.ErrLimit)
	case r.Executed < len(longer.Steps):
		return nil, fmt.Errorf("%w: %s", ErrStep, m.why(step))
	}
	return &MaskState{steps: longer.Steps}, nil
}

// why says what is wrong with a step: its syntax, its names or its precondition.
func (m *Masker) why(step string) string {
	plan, diags := pddl.ParsePlan(pddl.NewSource("step", step))
	if diags.HasErrors() || len(plan.Steps) != 1 {
		return step + " is not one step"
	}
	st := &plan.Steps[0]
	i, ok := m.prob.Domain.ActionByName(st.Name)
	if !ok {
		return fmt.Sprintf("%s: there is no action %s", st, st.Name)
	}
	a := m.prob.Domain.Actions[i]
	if len(st.Args) != a.NumParams {
		return fmt.Sprintf("%s: %s takes %d arguments, not %d", st, a.Name, a.NumParams, len(st.Args))
	}
	for k, name := range st.Args {
		o, ok := m.prob.ObjectByName(name)
		if !ok {
			return fmt.Sprintf("%s: there is no object %s", st, name)
		}
		if !m.prob.Domain.IsSubtype(m.prob.Objects[o].Type, a.Vars[k].Type) {
			return fmt.Sprintf("%s: %s is not of type %s", st, name, m.prob.Domain.TypeName(a.Vars[k].Type))
		}
	}
	return fmt.Sprintf("%s: its precondition does not hold", st)
}

// After returns the state after a prefix of steps. If a step fails, done is the number of steps before it
// and st the state after those. Errors are those of Step.
func (m *Masker) After(steps []string) (st *MaskState, done int, err error) {
	st = m.Start()
	for i, step := range steps {
		next, err := m.Step(st, step)
		if err != nil {
			return st, i, err
		}
		st = next
	}
	return st, len(steps), nil
}

// Actions lists the steps that can be executed in a state, in the order of GroundActions, without
// duplicates. The error wraps search.ErrLimit.
func (m *Masker) Actions(st *MaskState) ([]string, error) {
	if m.sim != nil {
		ops := m.sim.Applicable(st.state, nil)
		slices.SortFunc(ops, func(a, b grounder.OperatorID) int { return int(m.rank[a] - m.rank[b]) })
		out := make([]string, len(ops))
		for i, op := range ops {
			out[i] = m.names[op]
		}
		return out, nil
	}
	s := m.borrow()
	defer m.scratch.Put(s)
	_, yes := m.judge.Applicable(&pddl.Plan{Steps: st.steps}, m.steps, s, nil)
	if len(yes) < len(m.steps) {
		return nil, fmt.Errorf("trying the steps: %w", search.ErrLimit)
	}
	out := []string{}
	for i, ok := range yes {
		if ok {
			out = append(out, m.steps[i].String())
		}
	}
	return out, nil
}

// GoalHolds reports whether the steps so far are a valid plan. The error wraps search.ErrLimit.
func (m *Masker) GoalHolds(st *MaskState) (bool, error) {
	if m.sim != nil {
		return m.sim.IsGoal(st.state), nil
	}
	s := m.borrow()
	defer m.scratch.Put(s)
	r := m.judge.Judge(&pddl.Plan{Steps: st.steps}, s)
	if r.Kind == validator.FailTimeout {
		return false, fmt.Errorf("judging the prefix: %w", search.ErrLimit)
	}
	return r.Valid, nil
}

// Facts lists the atoms that hold in a state, "(clear b)", sorted, without derived atoms. It returns nil
// with the lifted engine, which keeps no states.
func (m *Masker) Facts(st *MaskState) []string {
	if m.sim == nil {
		return nil
	}
	m.worldOnce.Do(func() { m.world = world.FromTask(m.prob, m.sim.Task(), m.sim) })
	return m.world.Facts(st.state)
}

// Memory estimates the size of a masker in bytes.
func (m *Masker) Memory() int64 {
	n := int64(1<<14) + 160*int64(len(m.steps))
	if m.sim != nil {
		t := m.sim.Task()
		n += 900*int64(t.Operators.Len()) + 400*int64(len(t.Variables))
	}
	return n
}

// MaskReport is what can come after a prefix of a plan, in the form of planproof mask --json.
type MaskReport struct {
	Executed int      `json:"executed"` // steps of the prefix
	Goal     *bool    `json:"goal"`     // whether it holds; nil with an Error
	Actions  []string `json:"actions"`
	Error    string   `json:"error,omitempty"`
}

// Report executes a prefix and lists the steps that can come next. A prefix that cannot be
// executed is MaskReport.Error.
func (m *Masker) Report(prefix []string) (*MaskReport, error) {
	st, done, err := m.After(prefix)
	if errors.Is(err, ErrStep) {
		return &MaskReport{Executed: done, Error: fmt.Sprintf("step %d: %v", done+1, err)}, nil
	}
	if err != nil {
		return nil, err
	}
	goal, err := m.GoalHolds(st)
	if err != nil {
		return nil, err
	}
	actions, err := m.Actions(st)
	return &MaskReport{Executed: done, Goal: &goal, Actions: actions}, err
}

// WriteText writes the steps to out, one a line, and the rest to notes.
func (r *MaskReport) WriteText(out, notes io.Writer) {
	if r.Error != "" {
		fmt.Fprintln(notes, r.Error)
		return
	}
	for _, a := range r.Actions {
		fmt.Fprintln(out, a)
	}
	holds := map[bool]string{true: "holds", false: "does not hold"}[*r.Goal]
	fmt.Fprintf(notes, "%s applicable after %s; the goal %s\n", spell.Plural(len(r.Actions), "step"), spell.Plural(r.Executed, "step"), holds)
}
