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

// Repair proposes valid plans in place of a plan, which may be valid or not.
type Repair struct {
	// Executed counts the steps before the first failure.
	Executed int `json:"executed"`
	// Completion keeps the longest prefix from which the goal can be reached, and continues it at
	// least cost.
	Completion Proposal `json:"completion"`
	// Nearest has the fewest edits, deleted and inserted steps, and among such plans the least cost.
	Nearest Proposal `json:"nearest"`
}

// Proposal is a valid plan, or the reason why none was found.
type Proposal struct {
	Status ProposalStatus `json:"status"`
	// Proven: the plan is the best one (see Repair). Otherwise a limit ended the search for better
	// plans.
	Proven bool `json:"proven"`
	// Reason names the limit that was reached, "" if none was.
	Reason string   `json:"reason,omitempty"`
	Plan   []string `json:"plan,omitempty"`
	Cost   string   `json:"cost,omitempty"` // exact
	// Kept counts the kept steps in Script, Edits the inserted and deleted ones.
	Kept   int    `json:"kept"`
	Edits  int    `json:"edits"`
	Script []Edit `json:"script,omitempty"`
}

// ProposalStatus says whether there is a proposal.
type ProposalStatus string

// Statuses of a proposal.
const (
	ProposalFound ProposalStatus = "found"
	ProposalNone  ProposalStatus = "none"  // the task has no plan, as the search has proven
	ProposalLimit ProposalStatus = "limit" // a limit was reached first
)

// Edit is one step of the script that turns a plan into another.
type Edit struct {
	Op     EditOp `json:"op"`
	Step   int    `json:"step,omitempty"` // 1-based in the given plan; 0 for an insertion
	Action string `json:"action"`
}

// EditOp says what happens to a step.
type EditOp string

// Edits.
const (
	EditKeep   EditOp = "keep"
	EditInsert EditOp = "insert"
	EditDelete EditOp = "delete"
)

// ErrRepair is wrapped by errors about plans of a form that cannot be repaired.
var ErrRepair = errors.New("no repair")

// Repairer repairs plans of one problem. It is compiled once, and several goroutines may use it at once.
type Repairer struct {
	// Epsilon and Tolerance are those of [validator.Scratch], for plans with times.
	Epsilon, Tolerance pddl.Number

	task  *grounder.Task   // nil for a task whose plans have times: only Propose repairs these
	sim   *space.Simulator // nil for a numeric task
	judge *validator.Judge
	opOf  map[string][]grounder.OperatorID
}

// NewRepairer compiles a repairer. lim bounds the grounding. The error wraps search.ErrLimit if a limit was
// reached, and is a pddl.Diagnostics if search or judge do not support the task.
func NewRepairer(ctx context.Context, prob *pddl.Problem, lim search.Limits) (*Repairer, error) {
	judge, err := validator.NewJudgeContext(ctx, prob, validator.Options{})
	if err != nil {
		return nil, err
	}
	if judge.Timed() {
		return &Repairer{judge: judge}, nil
	}
	task, err := world.GroundNumbers(ctx, prob, lim)
	if err != nil {
		return nil, err
	}
	r := &Repairer{task: task, judge: judge, opOf: map[string][]grounder.OperatorID{}}
	if task.Numeric == nil { // states with numbers cannot be simulated: see prefixTask
		if r.sim, err = space.NewSimulator(task); err != nil {
			return nil, err
		}
	}
	for o := range task.Operators.Len() {
		name := atomtext.LowerASCII(task.OperatorName(grounder.OperatorID(o)))
		r.opOf[name] = append(r.opOf[name], grounder.OperatorID(o))
	}
	return r, nil
}

// Repair proposes valid plans for a plan. lim bounds all searches together. The result depends on the
// machine only if a time limit or ctx ends a search. The error wraps ErrRepair if the plan has several
// steps at the same time.
func (r *Repairer) Repair(ctx context.Context, plan *pddl.Plan, lim search.Limits) (*Repair, error) {
	job, err := r.job(ctx, plan, lim)
	if err != nil {
		return nil, err
	}
	out := &Repair{}
	if out.Completion, out.Executed, err = job.completion(); err != nil {
		return nil, err
	}
	out.Nearest, err = job.nearest(&out.Completion)
	return out, err
}

// Complete returns only the completion of Repair.
func (r *Repairer) Complete(ctx context.Context, plan *pddl.Plan, lim search.Limits) (*Proposal, error) {
	job, err := r.job(ctx, plan, lim)
	if err != nil {
		return nil, err
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

func (r *Repairer) job(ctx context.Context, plan *pddl.Plan, lim search.Limits) (*repairJob, error) {
	if r.task == nil {
		return nil, fmt.Errorf("%w: the task has times, constraints or preferences", ErrRepair)
	}
	steps, err := sequential(plan)
	if err != nil {
		return nil, err
	}
	j := &repairJob{Repairer: r, ctx: ctx, steps: steps, lim: lim}
	if lim.Wall > 0 {
		j.deadline = time.Now().Add(lim.Wall)
	}
	return j, nil
}

// search runs one search within the rest of the limits.
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

// limited returns the proposal for a search that ended at a limit.
func limited(res *search.Result) Proposal {
	p := Proposal{Status: ProposalLimit, Reason: string(res.Status)}
	if res.Reason != "" {
		p.Reason += ": " + res.Reason
	}
	return p
}

// completion finds the longest prefix that can be completed, its cheapest completion, and the number of
// steps that can be executed. If a prefix can be completed, so can its own prefixes; so binary search
// finds the longest.
func (j *repairJob) completion() (Proposal, int, error) {
	after, executed, err := j.beginnings()
	if err != nil {
		return Proposal{}, 0, err
	}
	if j.task.Unsolvable {
		return Proposal{Status: ProposalNone, Proven: true}, executed, nil
	}
	low, high := 0, executed // prefixes up to low-1 can be completed; those beyond high cannot
	var best *search.Result
	kept, spent := 0, int64(0)
	for k := executed; low <= high; k = (low + high + 1) / 2 {
		res, cost, err := after(k)
		if err != nil {
			return Proposal{}, executed, err
		}
		switch res.Status {
		case search.SolvedOptimally:
			best, kept, spent, low = res, k, cost, k+1
		case search.Unsolvable:
			high = k - 1
		default:
			if best == nil {
				return limited(res), executed, nil
			}
			p, err := j.complete(kept, best, spent, res.Status)
			return p, executed, err
		}
	}
	if best == nil {
		return Proposal{Status: ProposalNone, Proven: true}, executed, nil
	}
	p, err := j.complete(kept, best, spent, "")
	return p, executed, err
}

// beginnings returns how many steps can be executed, and a function that finds the cheapest continuation of
// so many steps, with the cost of these.
func (j *repairJob) beginnings() (after func(int) (*search.Result, int64, error), executed int, err error) {
	if j.sim == nil {
		plan, diags := pddl.ParsePlan(pddl.NewSource("plan", strings.Join(j.steps, "\n")))
		if diags.HasErrors() {
			return nil, 0, fmt.Errorf("internal error: a plan cannot be read again: %w", diags.Err())
		}
		return func(k int) (*search.Result, int64, error) {
			t, origin := j.prefixTask(k)
			res, err := j.search(t)
			if err != nil || res.Status != search.SolvedOptimally {
				return res, 0, err
			}
			for i, op := range res.Plan {
				res.Plan[i] = origin[op]
			}
			res.Plan = res.Plan[k:]
			return res, 0, nil // the cost is that of all steps
		}, j.judge.Judge(plan, j.judge.NewScratch()).Executed, nil
	}
	states, costs := []space.State{j.sim.Initial()}, []int64{0}
	for _, step := range j.steps {
		next, cost, err := j.sim.Apply(states[len(states)-1], step)
		if errors.Is(err, space.ErrInapplicable) || errors.Is(err, space.ErrUnknownAction) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		states, costs = append(states, next), append(costs, costs[len(costs)-1]+cost)
	}
	return func(k int) (*search.Result, int64, error) {
		res, err := j.search(j.from(states[k]))
		return res, costs[k], err
	}, len(states) - 1, nil
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

// complete makes the proposal that keeps the first steps, at the given cost, and continues with the plan of
// a search.
func (j *repairJob) complete(kept int, res *search.Result, cost int64, limit search.Status) (Proposal, error) {
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
	if err == nil {
		err = j.agrees(&p, cost+res.Cost)
	}
	p.Proven = limit == ""
	p.Reason = string(limit)
	return p, err
}

// agrees returns an error unless the judge's cost of a proposal is the search's, in units of the task.
func (j *repairJob) agrees(p *Proposal, cost int64) error {
	if found := j.task.PlanCost(cost).String(); p.Status == ProposalFound && found != p.Cost {
		return fmt.Errorf("internal error: search found a plan of cost %s, which the judge says costs %s: please report it", found, p.Cost)
	}
	return nil
}

// proposal judges the plan of a script. A plan that the judge refuses is an internal error, never a
// proposal.
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
