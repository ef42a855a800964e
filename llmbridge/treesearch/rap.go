package treesearch

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// RAP is reasoning via planning (Hao et al., EMNLP 2023): Monte-Carlo tree search with UCT,
// where the reward of a step is its confidence. An iteration
//
//   - selects from the root the child with the greatest Q + Exploration * sqrt(ln N / n)
//     until it comes to a node that was not expanded (children never selected count as
//     selected once with their own reward, so that the confident come first),
//   - expands it,
//   - simulates: follows the most confident child, expanding on the way, to the goal, a dead
//     end or the depth limit,
//   - backs up: Q of a node on the way is the greatest mean reward of the steps from it on
//     of all iterations through it, a goal counting as a reward of 1 and a dead end of 0.
//
// The reward of a step is exp(R_conf - greatest R_conf of its siblings), in [0, 1].
// States are not merged across branches, but a step back into a state of the same path
// is left out. It ends at the first plan.
type RAP struct {
	// Exploration is UCT's constant, Depth the greatest number of steps of a path.
	Exploration float64
	Depth       int
}

// NewRAP returns the method with UCT's constant 1 and paths of up to 40 steps.
func NewRAP() *RAP { return &RAP{Exploration: 1, Depth: 40} }

// Name implements Method.
func (*RAP) Name() string { return "rap" }

// Check implements Method.
func (m *RAP) Check() error {
	if !(m.Exploration >= 0 && m.Exploration <= math.MaxFloat64) || m.Depth < 1 {
		return errors.New("exploration must be finite and not negative, and the depth at least 1")
	}
	return nil
}

// mctsNode is a node of the Monte-Carlo tree: a path, not a state.
type mctsNode struct {
	parent   *mctsNode
	id       int // as told to observers
	op       grounder.OperatorID
	g, bound int64
	depth    int
	values   []int32
	row      []uint64
	reward   float64 // of the step that leads here
	visits   int
	q        float64
	order    int
	expanded bool
	done     bool // nothing is left to find below
	children []*mctsNode
}

// mcts is one search of RAP.
type mcts struct {
	*run
	m    *RAP
	rng  *rand.Rand
	all  []*mctsNode
	goal *mctsNode
	cut  bool // a path was as long as allowed
}

// Search implements Method.
func (m *RAP) Search(ctx context.Context, s *Space, g Guide, opt Options) (*Result, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	r := newForwardRun(ctx, s, g, opt, m.Name())
	if r.settled() {
		return r.finish(), nil
	}
	x := &mcts{run: r, m: m, rng: rand.New(rand.NewPCG(opt.Seed, 0))}
	row := append([]uint64(nil), r.forward.reg.Row(0)...)
	root := &mctsNode{op: -1, bound: r.floor, values: s.initial(), row: row}
	x.all = append(x.all, root)
	for x.goal == nil && !root.done && !r.stopped() {
		r.Rounds++
		if err := x.iterate(root); err != nil {
			return nil, err
		}
	}
	if x.goal == nil && root.done {
		r.exhausted(!x.cut)
	}
	return x.finish(), nil
}

// iterate runs one iteration from the root.
func (x *mcts) iterate(n *mctsNode) error {
	for n.expanded && len(n.children) > 0 {
		n = x.selectChild(n)
	}
	for x.goal == nil && n.depth < x.m.Depth {
		if x.stopped() {
			break
		}
		if !n.expanded {
			if err := x.expand(n); err != nil {
				return err
			}
		}
		next := x.mostConfident(n)
		if next == nil {
			break
		}
		n = next
	}
	if n.depth >= x.m.Depth {
		x.cut, n.done = true, true
	}
	x.backUp(n)
	return nil
}

// selectChild applies UCT among the children that have something left.
func (x *mcts) selectChild(n *mctsNode) *mctsNode {
	var best *mctsNode
	var most float64
	for _, c := range n.children {
		if c.done {
			continue
		}
		q := c.q
		if c.visits == 0 {
			q = c.reward
		}
		u := q + x.m.Exploration*math.Sqrt(math.Log(float64(n.visits+1))/float64(max(1, c.visits)))
		if best == nil || u > most {
			best, most = c, u
		}
	}
	return best
}

// mostConfident returns the child to simulate, one of the equals by chance.
func (x *mcts) mostConfident(n *mctsNode) *mctsNode {
	var best *mctsNode
	equal := 0
	for _, c := range n.children {
		switch {
		case c.done || best != nil && c.reward < best.reward:
			continue
		case best == nil || c.reward > best.reward:
			best, equal = c, 1
		default:
			if equal++; x.rng.IntN(equal) == 0 {
				best = c
			}
		}
	}
	return best
}

// backUp passes the mean rewards up, and which nodes are done.
func (x *mcts) backUp(n *mctsNode) {
	sum, steps := 0.0, 0
	if n == x.goal || n.expanded && len(n.children) == 0 {
		steps = 1
		if n == x.goal {
			sum = 1
		}
	}
	for ; n != nil; n = n.parent {
		if n.expanded && !n.done {
			n.done = true
			for _, c := range n.children {
				n.done = n.done && c.done
			}
		}
		n.visits++
		sum += n.reward
		steps++
		if mean := sum / float64(steps); n.visits == 1 || mean > n.q {
			n.q = mean
		}
	}
}

// expand adds the children of a node within the budget.
func (x *mcts) expand(n *mctsNode) error {
	x.Expanded++
	x.ExpandedForward++
	n.expanded, n.order = true, x.Expanded
	q := Query{Direction: Forward, State: n.values, Path: n.path(), Spent: n.g, Budget: x.opt.Budget}
	before := x.counted.Result
	x.space.successors(n.values, n.row, func(op grounder.OperatorID, cost int64, row []uint64, next []int32) {
		x.Generated++
		g := plus(n.g, cost)
		if cost < 0 || g == Unlimited {
			x.note(Unlimited, 0, x.opt.Budget)
			return
		}
		for a := n; a != nil; a = a.parent {
			if equalRows(a.row, row) {
				x.Merged++
				return
			}
		}
		var bound int64
		if g <= x.opt.Budget {
			bound = x.guide.bound(Forward, next)
		}
		if f := plus(g, bound); f == Unlimited || f > x.opt.Budget {
			x.Pruned++
			x.note(g, bound, x.opt.Budget)
			return
		}
		c := &mctsNode{
			parent: n, id: len(x.all), op: op, g: g, bound: bound, depth: n.depth + 1,
			values: append([]int32(nil), next...), row: append([]uint64(nil), row...),
		}
		x.all = append(x.all, c)
		n.children = append(n.children, c)
		q.Steps = append(q.Steps, Step{Op: op, Cost: cost, Next: c.values, Bound: bound})
	})
	if len(n.children) > 0 {
		conf, err := x.confidences(x.ctx, x.guide.Evaluator, []Query{q})
		if err != nil {
			return err
		}
		s := newScale(Likelihood)
		for _, c := range conf[0] {
			s.add(c)
		}
		for i, c := range n.children {
			c.reward = s.of(conf[0][i])
			if x.space.isGoal(c.values) && (x.goal == nil || c.g < x.goal.g) {
				x.goal = c
			}
		}
	}
	x.solved()
	x.watch(n, x.Generated-before.Generated)
	return nil
}

// solved makes the plan to the goal that an expansion reached.
func (x *mcts) solved() {
	if x.goal == nil {
		return
	}
	x.Plan = x.goal.path()
	x.best, x.FirstCost = x.goal.g, x.goal.g
	x.FirstExpanded, x.BestExpanded = x.Expanded, x.Expanded
	x.FirstRounds, x.BestRounds = x.Rounds, x.Rounds
}

func (n *mctsNode) path() []grounder.OperatorID {
	path := make([]grounder.OperatorID, n.depth)
	for ; n.parent != nil; n = n.parent {
		path[n.depth-1] = n.op
	}
	return path
}

func equalRows(a, b []uint64) bool {
	for w := range a {
		if a[w] != b[w] {
			return false
		}
	}
	return true
}

// finish makes the result; the nodes are those of the Monte-Carlo tree.
func (x *mcts) finish() *Result {
	keep := x.opt.KeepTrees
	x.opt.KeepTrees = false
	r := x.run.finish()
	r.Nodes = len(x.all)
	if keep {
		v := TreeView{Direction: Forward, Nodes: make([]NodeView, len(x.all))}
		for i, n := range x.all {
			v.Nodes[i] = NodeView{Parent: -1, Op: n.op, Cost: n.g, Expanded: n.order}
			if n.parent != nil {
				v.Nodes[i].Parent = n.parent.id
			}
		}
		if x.goal != nil {
			v.mark(x.goal.id)
		}
		r.Trees = []TreeView{v}
	}
	return r
}

// watch tells the observer of an expansion.
func (x *mcts) watch(n *mctsNode, generated int) {
	if x.opt.Observer == nil {
		return
	}
	before := node{parent: state.NoState, op: n.op, g: n.g, bound: n.bound}
	if n.parent != nil {
		before.parent = state.StateID(n.parent.id)
	}
	e := &expansion{generated: generated, kept: make([]kept, len(n.children))}
	x.observe(x.forward, state.StateID(n.id), &before, choice{confidence: n.reward}, e)
}
