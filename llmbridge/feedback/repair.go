package feedback

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/validator"
)

// Repair proposes valid plans in the place of one that need not be valid.
type Repair struct {
	// Executed counts the steps before the first failure.
	Executed int `json:"executed"`
	// Completion keeps the longest beginning from which the goal can be reached and goes
	// on from there at least cost.
	Completion Proposal `json:"completion"`
	// Nearest has the fewest edits: steps of the plan that it leaves out, and steps that it
	// puts in. Among those it has least cost.
	Nearest Proposal `json:"nearest"`
}

// Proposal is one valid plan, or why there is none.
type Proposal struct {
	Status ProposalStatus `json:"status"`
	// Proven tells that the plan is the best of its kind (Repair). Without it a limit ended
	// the search for better ones.
	Proven bool `json:"proven"`
	// Reason says which limit came first, "" if none did.
	Reason string   `json:"reason,omitempty"`
	Plan   []string `json:"plan,omitempty"`
	Cost   string   `json:"cost,omitempty"` // exact
	// Kept counts the steps of the plan that stay, Edits the others in Script.
	Kept   int    `json:"kept"`
	Edits  int    `json:"edits"`
	Script []Edit `json:"script,omitempty"`
}

// ProposalStatus says whether there is a proposal.
type ProposalStatus string

// Statuses of a proposal.
const (
	ProposalFound ProposalStatus = "found"
	ProposalNone  ProposalStatus = "none"  // proven: the task has no plan
	ProposalLimit ProposalStatus = "limit" // a limit came first
)

// Edit is one line of the way from a plan to another.
type Edit struct {
	Op     EditOp `json:"op"`
	Step   int    `json:"step,omitempty"` // of the given plan, from 1; 0 for an insertion
	Action string `json:"action"`
}

// EditOp names what happens to a step.
type EditOp string

// Edits.
const (
	EditKeep   EditOp = "keep"
	EditInsert EditOp = "insert"
	EditDelete EditOp = "delete"
)

// ErrRepair is wrapped by errors about plans that cannot be repaired as they are written.
var ErrRepair = errors.New("no repair")

// Repairer repairs plans of one problem. It is compiled once and may be used by several
// goroutines.
type Repairer struct {
	task  *grounder.Task
	sim   *space.Simulator
	judge *validator.Judge
	opOf  map[string][]grounder.OperatorID
}

// NewRepairer compiles a repairer. Limits bound the grounding. The error wraps search.ErrLimit
// when a limit came first, and is a pddl.Diagnostics for a task that search or judge do
// not support.
func NewRepairer(ctx context.Context, prob *pddl.Problem, lim search.Limits) (*Repairer, error) {
	task, err := world.GroundAll(ctx, prob, lim)
	if err != nil {
		return nil, err
	}
	r := &Repairer{task: task, opOf: map[string][]grounder.OperatorID{}}
	if r.judge, err = validator.NewJudge(prob, validator.Options{}); err != nil {
		return nil, err
	}
	if r.sim, err = space.NewSimulator(task); err != nil {
		return nil, err
	}
	for o := range task.Operators {
		name := atomtext.LowerASCII(task.OperatorName(grounder.OperatorID(o)))
		r.opOf[name] = append(r.opOf[name], grounder.OperatorID(o))
	}
	return r, nil
}

// Repair proposes valid plans for a plan. Limits bound all searches together. The result
// depends on the machine only where a limit of time or a cancelled ctx ends a search. A
// plan with steps at one time is refused (ErrRepair).
func (r *Repairer) Repair(ctx context.Context, plan *pddl.Plan, lim search.Limits) (*Repair, error) {
	steps, err := sequential(plan)
	if err != nil {
		return nil, err
	}
	job := &repairJob{Repairer: r, ctx: ctx, steps: steps, lim: lim}
	if lim.Wall > 0 {
		job.deadline = time.Now().Add(lim.Wall)
	}
	out := &Repair{}
	if out.Completion, out.Executed, err = job.completion(); err != nil {
		return nil, err
	}
	out.Nearest, err = job.nearest(&out.Completion)
	return out, err
}

// Complete is Repair without the nearest plan.
func (r *Repairer) Complete(ctx context.Context, plan *pddl.Plan, lim search.Limits) (*Proposal, error) {
	steps, err := sequential(plan)
	if err != nil {
		return nil, err
	}
	job := &repairJob{Repairer: r, ctx: ctx, steps: steps, lim: lim}
	if lim.Wall > 0 {
		job.deadline = time.Now().Add(lim.Wall)
	}
	p, _, err := job.completion()
	return &p, err
}

// sequential lists the steps of a plan in the order of their execution.
func sequential(plan *pddl.Plan) ([]string, error) {
	order := slices.Clone(plan.Steps)
	if plan.Timed {
		sort.SliceStable(order, func(i, k int) bool { return order[i].Time.Cmp(order[k].Time) < 0 })
		for i := 1; i < len(order); i++ {
			if order[i].Time.Equal(order[i-1].Time) {
				return nil, fmt.Errorf("%w: the plan has several steps at time %s", ErrRepair, order[i].Time)
			}
		}
	}
	out := make([]string, len(order))
	for i := range order {
		out[i] = atomtext.LowerASCII(order[i].String())
	}
	return out, nil
}

// repairJob is the repair of one plan.
type repairJob struct {
	*Repairer
	ctx      context.Context
	steps    []string
	lim      search.Limits
	deadline time.Time // zero: none
	nodes    int64     // expanded so far
}

// search runs one search within what is left of the limits.
func (j *repairJob) search(t *grounder.Task) (*search.Result, error) {
	lim := search.Limits{Memory: j.lim.Memory}
	if !j.deadline.IsZero() {
		if lim.Wall = time.Until(j.deadline); lim.Wall <= 0 {
			return &search.Result{Status: search.Timeout}, nil
		}
	}
	if j.lim.Nodes > 0 {
		if lim.Nodes = j.lim.Nodes - j.nodes; lim.Nodes <= 0 {
			return &search.Result{Status: search.Nodeout}, nil
		}
	}
	res, err := search.Run(j.ctx, t, search.Config{Limits: lim})
	if err == nil {
		j.nodes += res.Expanded
	}
	return res, err
}

// limited is the proposal where a search ended without an answer.
func limited(res *search.Result) Proposal {
	p := Proposal{Status: ProposalLimit, Reason: string(res.Status)}
	if res.Reason != "" {
		p.Reason += ": " + res.Reason
	}
	return p
}

// completion finds the longest beginning that can be completed, and its cheapest
// completion. What can be completed has beginnings that can be: the longest is found by
// halving.
func (j *repairJob) completion() (Proposal, int, error) {
	states := []space.State{j.sim.Initial()}
	for _, step := range j.steps {
		next, _, err := j.sim.Apply(states[len(states)-1], step)
		if errors.Is(err, space.ErrInapplicable) || errors.Is(err, space.ErrUnknownAction) {
			break
		}
		if err != nil {
			return Proposal{}, 0, err
		}
		states = append(states, next)
	}
	executed := len(states) - 1
	if j.task.Unsolvable {
		return Proposal{Status: ProposalNone, Proven: true}, executed, nil
	}
	low, high := 0, executed // prefixes up to low-1 can be completed; those beyond high cannot
	var best *search.Result
	kept := 0
	for k := executed; low <= high; k = (low + high + 1) / 2 {
		res, err := j.search(j.from(states[k]))
		if err != nil {
			return Proposal{}, executed, err
		}
		switch res.Status {
		case search.SolvedOptimally:
			best, kept, low = res, k, k+1
		case search.Unsolvable:
			high = k - 1
		default:
			if best == nil {
				return limited(res), executed, nil
			}
			p, err := j.complete(kept, best, res.Status)
			return p, executed, err
		}
	}
	if best == nil {
		return Proposal{Status: ProposalNone, Proven: true}, executed, nil
	}
	p, err := j.complete(kept, best, "")
	return p, executed, err
}

// from returns the task with another initial state.
func (j *repairJob) from(st space.State) *grounder.Task {
	t := *j.task
	t.Init = j.sim.Values(st)
	for v := range t.Variables {
		if t.Variables[v].Layer >= 0 {
			t.Init[v] = t.Variables[v].Default
		}
	}
	return &t
}

// complete makes the proposal that keeps the first steps and goes on with a result.
func (j *repairJob) complete(kept int, res *search.Result, limit search.Status) (Proposal, error) {
	var script []Edit
	for i, step := range j.steps {
		op := EditKeep
		if i >= kept {
			op = EditDelete
		}
		script = append(script, Edit{op, i + 1, step})
	}
	for _, op := range res.Plan {
		script = append(script, Edit{EditInsert, 0, atomtext.LowerASCII(j.task.OperatorName(op))})
	}
	p, err := j.proposal(script)
	p.Proven = limit == ""
	p.Reason = string(limit)
	return p, err
}

// proposal judges the plan of a script. One that the judge refuses is a bug and never
// proposed.
func (j *repairJob) proposal(script []Edit) (Proposal, error) {
	p := Proposal{Status: ProposalFound, Script: script, Plan: []string{}}
	for _, e := range script {
		switch e.Op {
		case EditKeep:
			p.Kept++
		case EditInsert, EditDelete:
			p.Edits++
		}
		if e.Op != EditDelete {
			p.Plan = append(p.Plan, e.Action)
		}
	}
	parsed, diags := pddl.ParsePlan(pddl.NewSource("repair", strings.Join(p.Plan, "\n")))
	if diags.HasErrors() {
		return p, fmt.Errorf("internal error: a repaired plan cannot be read: %w", diags.Err())
	}
	v := j.judge.Validate(parsed)
	if !v.Decided() {
		return Proposal{Status: ProposalLimit, Reason: v.Failure.Message}, nil
	}
	if !v.Valid {
		return p, fmt.Errorf("internal error: the judge refuses a repaired plan: %s: please report it", v.Failure.Message)
	}
	p.Cost = v.Cost.String()
	return p, nil
}

// nearest finds the plan with the fewest edits, and of those the cheapest, as a cheapest
// plan of a task in which a further variable counts the steps of the given plan that are
// behind: a step is taken from it for its own cost, left out for the price of an edit, or
// put in for its cost and that price.
func (j *repairJob) nearest(completion *Proposal) (Proposal, error) {
	if completion.Status == ProposalNone {
		return Proposal{Status: ProposalNone, Proven: true}, nil
	}
	price, byCost := j.editPrice(completion)
	t, origin := j.editTask(price, byCost)
	res, err := j.search(t)
	if err != nil {
		return Proposal{}, err
	}
	switch res.Status {
	case search.SolvedOptimally:
	case search.Unsolvable:
		return Proposal{Status: ProposalNone, Proven: true}, nil
	default:
		p := limited(res)
		if completion.Status == ProposalFound { // a bound from above
			reason := p.Reason
			p = *completion
			p.Proven, p.Reason = false, reason
		}
		return p, nil
	}
	var script []Edit
	for _, op := range res.Plan {
		e := origin[op]
		if e.Op != EditDelete {
			e.Action = atomtext.LowerASCII(j.task.OperatorName(grounder.OperatorID(e.Step)))
		}
		script = append(script, e)
	}
	step := 0 // of the given plan
	for i := range script {
		if script[i].Op == EditInsert {
			script[i].Step = 0
			continue
		}
		step++
		script[i].Step = step
	}
	p, err := j.proposal(script)
	p.Proven = byCost
	if !byCost && p.Status == ProposalFound {
		p.Reason = "among equally near plans it need not be the cheapest"
	}
	return p, err
}

// maxEditPrice keeps sums of prices within 63 bits for every plan that a search can hold.
const maxEditPrice = 1 << 40

// editPrice is a price of an edit beyond the cost of every plan that can be nearest: one
// that has at most as many edits as the completion. Where there is no such price, or no
// bound, edits alone count.
func (j *repairJob) editPrice(completion *Proposal) (price int64, byCost bool) {
	if completion.Status != ProposalFound {
		return 1, false
	}
	most := int64(0)
	for o := range j.task.Operators {
		op := &j.task.Operators[o]
		cost := op.Cost
		for _, c := range op.CondCosts {
			cost += c.Cost
			if cost < 0 || cost > maxEditPrice {
				return 1, false
			}
		}
		most = max(most, cost)
	}
	steps := int64(len(j.steps) + completion.Edits)
	if most > maxEditPrice/(steps+1) {
		return 1, false
	}
	return most*steps + 1, true
}

// editTask builds the task of nearest. origin says what each operator stands for: Step is
// the operator of the task that it keeps or inserts.
func (j *repairJob) editTask(price int64, byCost bool) (t *grounder.Task, origin []Edit) {
	base := j.task
	p := int32(len(base.Variables))
	names := make([]string, len(j.steps)+1)
	for i := range names {
		names[i] = fmt.Sprintf("Atom steps-behind(%d)", i)
	}
	e := *base
	t = &e
	t.Variables = append(slices.Clip(base.Variables), grounder.Variable{Layer: -1, Values: names})
	t.Init = append(slices.Clip(base.Init), 0)
	t.Goal = append(slices.Clip(base.Goal), grounder.Fact{Var: p, Val: int32(len(j.steps))})
	t.SchemaNames = append(slices.Clip(base.SchemaNames), "delete-step")
	t.Operators = nil
	t.Metric, t.CostUnit, t.CostBase = true, pddl.Int(1), pddl.Int(0)
	priced := func(op grounder.Operator, price int64) grounder.Operator {
		if !byCost {
			op.Cost, op.CondCosts = 0, nil
		}
		op.Cost += price
		return op
	}
	for o := range base.Operators {
		t.Operators = append(t.Operators, priced(base.Operators[o], price))
		origin = append(origin, Edit{Op: EditInsert, Step: o})
	}
	for i, step := range j.steps {
		at, next := grounder.Fact{Var: p, Val: int32(i)}, grounder.Effect{Var: p, Val: int32(i) + 1}
		for _, o := range j.opOf[step] {
			op := priced(base.Operators[o], 0)
			op.Pre = append(slices.Clip(op.Pre), at)
			op.Effects = append(slices.Clip(op.Effects), next)
			t.Operators = append(t.Operators, op)
			origin = append(origin, Edit{Op: EditKeep, Step: int(o)})
		}
		t.Operators = append(t.Operators, grounder.Operator{
			Schema: int32(len(base.SchemaNames)), Pre: []grounder.Fact{at}, Effects: []grounder.Effect{next}, Cost: price,
		})
		origin = append(origin, Edit{Op: EditDelete, Action: step})
	}
	return t, origin
}
