package constrain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/validator"
)

// Masker tells which steps can come next. It is compiled once for a problem and may be
// used by any number of goroutines.
//
// There are two engines with the same answers. The ground one executes ground actions on
// packed states, so that a further step costs the same however long the prefix is. The
// lifted one is the judge itself, which tries every binding of every schema and runs the
// prefix anew; it takes tasks that have no ground form (numeric conditions, object
// fluents).
type Masker struct {
	prob  *pddl.Problem
	sim   *space.Simulator
	names []string // of operators, ground engine
	rank  []int32  // of operators: their place in the order of GroundActions
	// world tells states as facts; it is made when it is first asked to.
	world     *world.World
	worldOnce sync.Once

	judge   *validator.Judge
	steps   []pddl.Step // that could ever come, lifted engine
	scratch sync.Pool
}

// MaskOptions shape a Masker.
type MaskOptions struct {
	// Lifted asks for the lifted engine; without it that is used only where the grounder
	// does not support the task.
	Lifted bool
	// Limits bound the grounding. MaxActions bounds the steps that the lifted engine tries
	// (0: DefaultMaskActions).
	Limits     search.Limits
	MaxActions int
}

// DefaultMaskActions is the default of MaskOptions.MaxActions.
const DefaultMaskActions = 1_000_000

// ErrStep is wrapped by errors about a step that cannot be executed.
var ErrStep = errors.New("the step cannot be executed")

// MaskState is the state after a prefix of steps. It is immutable: states of different
// prefixes may be kept and gone on from, by several goroutines at once.
type MaskState struct {
	state space.State
	steps []pddl.Step
}

// NewMasker compiles a masker. The error wraps search.ErrLimit when a limit came first, and is
// a pddl.Diagnostics for a task that neither engine supports.
func NewMasker(ctx context.Context, prob *pddl.Problem, o MaskOptions) (*Masker, error) {
	if !o.Lifted {
		m, err := groundMasker(ctx, prob, o.Limits)
		var diags pddl.Diagnostics
		if err == nil || !errors.As(err, &diags) {
			return m, err
		}
	}
	return liftedMasker(prob, o)
}

func groundMasker(ctx context.Context, prob *pddl.Problem, lim search.Limits) (*Masker, error) {
	task, err := world.GroundAll(ctx, prob, lim)
	if err != nil {
		return nil, err
	}
	m := &Masker{prob: prob, names: make([]string, len(task.Operators)), rank: make([]int32, len(task.Operators))}
	if m.sim, err = space.NewSimulator(task); err != nil {
		return nil, err
	}
	for i, op := range inOrder(prob, task) {
		m.names[op] = atomtext.LowerASCII(task.OperatorName(op))
		m.rank[op] = int32(i)
	}
	return m, nil
}

// GroundActions lists the ground actions of a problem that are applicable in some state
// of its relaxation without deletes, "(stack a b)", by schema and then by arguments, each
// in the order of the domain and the problem. No other step occurs in a valid plan.
func GroundActions(ctx context.Context, prob *pddl.Problem, lim search.Limits) ([]string, error) {
	task, err := world.GroundAll(ctx, prob, lim)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(task.Operators))
	for _, op := range inOrder(prob, task) {
		out = append(out, atomtext.LowerASCII(task.OperatorName(op)))
	}
	return slices.Compact(out), nil // a disjunctive precondition gives an action several operators
}

// inOrder lists the operators by schema, arguments and number.
func inOrder(prob *pddl.Problem, task *grounder.Task) []grounder.OperatorID {
	schema := make([]int, len(task.SchemaNames))
	for i, name := range task.SchemaNames {
		schema[i], _ = prob.Domain.ActionByName(name)
	}
	order := make([]grounder.OperatorID, len(task.Operators))
	for i := range order {
		order[i] = grounder.OperatorID(i)
	}
	slices.SortFunc(order, func(a, b grounder.OperatorID) int {
		x, y := &task.Operators[a], &task.Operators[b]
		return cmp.Or(schema[x.Schema]-schema[y.Schema], slices.Compare(x.Args, y.Args), int(a-b))
	})
	return order
}

func liftedMasker(prob *pddl.Problem, o MaskOptions) (*Masker, error) {
	judge, err := validator.NewJudge(prob, validator.Options{})
	if err != nil {
		return nil, err
	}
	if o.MaxActions <= 0 {
		o.MaxActions = DefaultMaskActions
	}
	m := &Masker{prob: prob, judge: judge}
	m.scratch.New = func() any { return judge.NewScratch() }
	for _, a := range prob.Domain.Actions {
		if m.steps, err = bindings(prob, a, m.steps, o.MaxActions); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// bindings appends the steps of a schema: every choice of objects of the right types.
func bindings(prob *pddl.Problem, a *pddl.Action, out []pddl.Step, limit int) ([]pddl.Step, error) {
	objects := make([][]pddl.ObjectID, a.NumParams)
	for i := range objects {
		if objects[i] = prob.ObjectsOfType(a.Vars[i].Type); len(objects[i]) == 0 {
			return out, nil
		}
	}
	at := make([]int, a.NumParams)
	for {
		if len(out) == limit {
			return nil, fmt.Errorf("%w: the task has more than %d steps of the right types", search.ErrLimit, limit)
		}
		st := pddl.Step{Name: atomtext.LowerASCII(a.Name), Args: make([]string, a.NumParams)}
		for i, k := range at {
			st.Args[i] = atomtext.LowerASCII(prob.Objects[objects[i][k]].Name)
		}
		out = append(out, st)
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(objects[i]) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return out, nil
		}
	}
}

// Lifted tells which engine answers.
func (m *Masker) Lifted() bool { return m.sim == nil }

// Start is the state before any step.
func (m *Masker) Start() *MaskState {
	if m.sim != nil {
		return &MaskState{state: m.sim.Initial()}
	}
	return &MaskState{}
}

// Step returns the state after one more step, "(stack a b)". The error wraps ErrStep.
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
	s := m.scratch.Get().(*validator.Scratch)
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

// why says what is wrong with a step: how it is written, or that its precondition does
// not hold.
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

// After returns the state after the steps of a prefix. On an error done is the number
// of steps before the one that cannot be executed, and the state is the one after them.
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

// Actions lists the steps that can be executed in a state, each once, in the order of
// GroundActions. The error wraps search.ErrLimit.
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
	s := m.scratch.Get().(*validator.Scratch)
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
	s := m.scratch.Get().(*validator.Scratch)
	defer m.scratch.Put(s)
	r := m.judge.Judge(&pddl.Plan{Steps: st.steps}, s)
	if r.Kind == validator.FailTimeout {
		return false, fmt.Errorf("judging the prefix: %w", search.ErrLimit)
	}
	return r.Valid, nil
}
