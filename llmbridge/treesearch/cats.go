package treesearch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// CATS is cost-augmented tree search (CATS, algorithm 1): a forward tree from the initial
// state and a backward tree from the goal, expanded in turn until they share a state.
type CATS struct {
	Rewards
	// First ends the search at the first plan, as the paper does. Otherwise it goes on
	// until no cheaper plan can exist, or the limit, and returns the cheapest plan.
	First bool
}

// NewCATS returns the method with the paper's weight of 0.5 that goes on to a proof.
func NewCATS() *CATS {
	return &CATS{Rewards: Rewards{Weight: 0.5, Distance: Jaccard, Norm: Likelihood}}
}

// Name implements Method.
func (*CATS) Name() string { return "cats" }

// ErrRegression wraps the refusal of a task whose goal cannot be regressed.
var ErrRegression = errors.New("no backward tree can be grown")

// Search implements Method. It refuses tasks that regression refuses, with ErrRegression.
func (c *CATS) Search(ctx context.Context, s *Space, g Guide, opt Options) (*Result, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if s.refusal != nil {
		return nil, fmt.Errorf("%w: %w", ErrRegression, s.refusal)
	}
	r := &run{
		ctx: ctx, space: s, guide: g.until(ctx), opt: opt, rewards: c.Rewards, first: c.First,
		counted: counted{Result: Result{Method: c.Name()}}, best: Unlimited,
		forward: newTree(s, Forward, c.Weight < 1), backward: newTree(s, Backward, c.Weight < 1),
	}
	return r.search()
}

// counted is a result in the making.
type counted struct{ Result }

// run is one search with one or two trees.
type run struct {
	counted
	ctx      context.Context
	space    *Space
	guide    Guide
	opt      Options
	rewards  Rewards
	first    bool
	forward  *tree
	backward *tree // nil: forward only

	unordered    bool          // the open leaves are not all that is left to expand
	best         int64         // cost of the cheapest plan known, Unlimited without one
	meetF, meetB state.StateID // where it was found
	floor        int64         // the bounds of the roots
	leftOut
}

func (r *run) search() (*Result, error) {
	if r.settled() {
		return r.finish(), nil
	}
	for !r.done() {
		r.Rounds++
		for _, t := range []*tree{r.forward, r.backward} {
			if t == nil || r.Expanded > 0 && r.done() {
				continue
			}
			if err := r.expand(t); err != nil {
				return nil, err
			}
		}
	}
	return r.finish(), nil
}

// done decides after every expansion whether the search is over, and says in Status how.
func (r *run) done() bool {
	found := r.best != Unlimited
	exhausted := len(r.forward.open) == 0 || r.backward != nil && len(r.backward.open) == 0
	switch {
	case found && (r.first || exhausted || r.bound() >= r.best):
		r.Status = Solved // or better, see finish
	case exhausted:
		r.exhausted(true)
	default:
		return r.stopped()
	}
	return true
}

// bound returns what is proven about plans that are not known yet.
func (r *run) bound() int64 {
	if r.unordered {
		return r.floor
	}
	fw := r.forward.frontier()
	if len(fw) == 0 {
		return heuristic.DeadEnd
	}
	if r.backward == nil {
		return max(r.floor, fw[0].f)
	}
	return max(r.floor, lowerBound(fw, r.backward.frontier(), r.space.least))
}

// limit is what a path may cost, its bound included, to be worth keeping.
func (r *run) limit() int64 {
	if r.best == Unlimited {
		return r.opt.Budget
	}
	return min(r.opt.Budget, r.best-1)
}

// expand chooses a leaf of t and expands it.
func (r *run) expand(t *tree) error {
	opposite := r.backward
	if t == r.backward {
		opposite = r.forward
	}
	var may func(*node) bool
	if r.guide.Pairs && opposite != nil {
		may = inPairs(t.frontier(), opposite.frontier(), r.floor, r.space.least)
	}
	ch := r.rewards.choose(t, opposite, may)
	id := t.open[ch.at]
	t.remove(ch.at)
	_, err := r.expandNode(t, id, ch)
	return err
}

// expandNode expands a node, has what it leads to rated, and looks for plans there.
func (r *run) expandNode(t *tree, id state.StateID, ch choice) ([]kept, error) {
	before := t.nodes[id]
	x := t.expand(id, r.guide, r.limit(), r.opt.Budget)
	r.Expanded++
	if t.dir == Forward {
		r.ExpandedForward++
	} else {
		r.ExpandedBackward++
	}
	n := &t.nodes[id]
	n.order = int32(r.Expanded)
	n.leaf = len(x.kept) == 0
	r.Generated += x.generated
	r.Merged += x.merged
	r.Pruned += x.pruned
	r.overBudget = r.overBudget || x.overBudget
	r.overflow = r.overflow || x.overflow
	if len(x.kept) > 0 {
		conf, err := r.confidences(r.ctx, r.guide.Evaluator, []Query{t.query(id, x, r.opt.Budget, r.backward != nil)})
		if err != nil {
			return nil, err
		}
		for i, k := range x.kept {
			n := &t.nodes[k.id]
			n.conf, n.path = conf[0][i], t.nodes[id].path+conf[0][i]
			t.push(k.id)
		}
		r.meet(t, x)
	}
	r.observe(t, id, &before, ch, x)
	return x.kept, nil
}

// meet looks for plans through the successors kept, and prunes by the cheapest.
func (r *run) meet(t *tree, x *expansion) {
	was := r.best
	for _, k := range x.kept {
		switch {
		case r.backward == nil:
			if r.space.isGoal(k.step.Next) {
				r.found(k.id, 0, t.nodes[k.id].g)
			}
		case t.dir == Forward:
			row := t.reg.Row(k.id)
			for b := range r.backward.nodes {
				if r.backward.satisfies(row, state.StateID(b)) {
					r.found(k.id, state.StateID(b), plus(t.nodes[k.id].g, r.backward.nodes[b].g))
				}
			}
		default:
			for f := range r.forward.nodes {
				if t.satisfies(r.forward.reg.Row(state.StateID(f)), k.id) {
					r.found(state.StateID(f), k.id, plus(r.forward.nodes[f].g, t.nodes[k.id].g))
				}
			}
		}
	}
	if r.best < was {
		if was == Unlimited {
			r.FirstExpanded, r.FirstRounds, r.FirstCost = r.Expanded, r.Rounds, r.best
		}
		r.BestExpanded, r.BestRounds = r.Expanded, r.Rounds
		r.forward.prune(r.limit())
		if r.backward != nil {
			r.backward.prune(r.limit())
		}
	}
}

// found notes a plan through two nodes that meet. Its cost is counted anew: a path to a
// node may have become cheaper since the node got its cost.
func (r *run) found(f, b state.StateID, cost int64) {
	r.note(cost, 0, r.opt.Budget)
	if cost <= r.opt.Budget && cost < r.best {
		r.meetF, r.meetB = f, b
		r.Plan = r.plan()
		r.best = r.space.planCost(r.Plan)
	}
}

// plan is the forward path and, from its end to its root, the backward path.
func (r *run) plan() []grounder.OperatorID {
	plan := slices.Clone(r.forward.pathTo(r.meetF))
	if r.backward != nil {
		back := r.backward.pathTo(r.meetB)
		for i := len(back) - 1; i >= 0; i-- {
			plan = append(plan, back[i])
		}
	}
	return plan
}

// finish fills in cost and bound.
func (r *run) finish() *Result {
	r.Nodes = len(r.forward.nodes)
	if r.backward != nil {
		r.Nodes += len(r.backward.nodes)
	}
	r.LowerBound = r.bound()
	if r.overflow {
		r.LowerBound = r.floor
	}
	if r.Status == NoPlanInBudget {
		r.LowerBound = max(r.floor, r.opt.Budget+1)
	}
	if r.best != Unlimited {
		r.Cost = r.best
		r.LowerBound = min(r.LowerBound, r.best)
		r.Status = Solved
		if r.LowerBound == r.best {
			r.Status = SolvedOptimally
		}
	}
	if r.Status == Unsolvable {
		r.LowerBound = heuristic.DeadEnd
	}
	if r.opt.KeepTrees {
		r.Trees = r.views()
	}
	return &r.Result
}

func (r *run) observe(t *tree, id state.StateID, before *node, ch choice, x *expansion) {
	if r.opt.Observer == nil {
		return
	}
	e := Expansion{
		Number: r.Expanded, Round: r.Rounds, Tree: t.dir, Node: int(id), Parent: -1,
		Cost: before.g, Bound: before.bound, Confidence: ch.confidence, Distance: ch.distance, Score: ch.score,
		Generated: x.generated, Kept: len(x.kept), Plan: -1,
	}
	if before.parent != state.NoState {
		e.Parent = int(before.parent)
		e.Action = r.space.task.OperatorName(before.op)
	}
	if r.best != Unlimited {
		e.Plan = r.best
	}
	r.opt.Observer(e)
}
