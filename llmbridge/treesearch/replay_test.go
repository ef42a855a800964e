package treesearch

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// This file holds the five methods a second time, as the papers write them: nodes in one
// list, states as maps, every reward and every choice computed anew from all nodes. A replay
// takes the steps of a search one by one and compares each with the log of the real one.

// opinions is an Evaluator that any two states and actions give different answers to, and the
// same question always the same.
// Every third has no opinion, so that ties decide.
type opinions struct{ seed uint64 }

func (o opinions) of(values []int32, op grounder.OperatorID) (action, good float64) {
	if o.seed%3 == 0 {
		return -1, -1
	}
	h := fnv.New64a()
	fmt.Fprint(h, o.seed, values, op)
	x := h.Sum64()
	return -float64(x%1000) / 400, -float64(x/1000%1000) / 400
}

func (o opinions) Score(_ context.Context, queries []Query) ([]Score, error) {
	scores := make([]Score, len(queries))
	for i, q := range queries {
		scores[i] = newScore(len(q.Steps))
		for k, s := range q.Steps {
			scores[i].Action[k], scores[i].Good[k] = o.of(q.State, s.Op)
		}
	}
	return scores, nil
}

// plainNode is a node of a plain tree.
type plainNode struct {
	values     []int32
	parent     *plainNode
	op         grounder.OperatorID
	id         int
	g          int64
	conf, path float64
	open, leaf bool
	depth      int
	set        map[int32]bool // its atoms
	// of RAP alone
	reward, q      float64
	visits         int
	expanded, done bool
	children       []*plainNode
}

// plan returns the operators from the root to the node.
func (n *plainNode) plan() (ops []grounder.OperatorID) {
	for ; n.parent != nil; n = n.parent {
		ops = append(ops, n.op)
	}
	slices.Reverse(ops)
	return ops
}

type plainTree struct {
	dir   Direction
	nodes []*plainNode
}

func (t *plainTree) find(values []int32) *plainNode {
	for _, n := range t.nodes {
		if slices.Equal(n.values, values) {
			return n
		}
	}
	return nil
}

// replay is a plain search that expects the entries of a log.
type replay struct {
	t       *testing.T
	space   *Space
	o       opinions
	budget  int64
	limit   int // of expansions
	log     []Expansion
	taken   int
	best    int64
	plan    []grounder.OperatorID
	rounds  int
	rewards Rewards
}

type child struct {
	op     grounder.OperatorID
	cost   int64
	values []int32
}

// children are what the task says: they are not what is replayed.
func (r *replay) children(dir Direction, values []int32) (cs []child) {
	visit := func(op grounder.OperatorID, cost int64, _ []uint64, next []int32) {
		cs = append(cs, child{op, cost, slices.Clone(next)})
	}
	if dir == Backward {
		r.space.predecessors(slices.Clone(values), visit)
		return cs
	}
	row := make([]uint64, r.space.packer.Words())
	r.space.pack(row, values)
	r.space.successors(slices.Clone(values), row, visit)
	return cs
}

func (r *replay) spendable() int64 {
	if r.best < Unlimited {
		return min(r.budget, r.best-1)
	}
	return r.budget
}

// atoms lists the atoms of a node's (partial) state.
func (r *replay) atoms(n *plainNode) map[int32]bool {
	if n.set != nil {
		return n.set
	}
	n.set = map[int32]bool{}
	for v, x := range n.values {
		if x != search.Unconstrained {
			if a := r.space.atom[r.space.base[v]+x]; a >= 0 {
				n.set[a] = true
			}
		}
	}
	return n.set
}

// jaccard is J of the paper's equation 2 read as a distance, or as it is printed.
func (r *replay) jaccard(a, b *plainNode) float64 {
	x, y := r.atoms(a), r.atoms(b)
	both := 0
	for k := range x {
		if y[k] {
			both++
		}
	}
	similar := 1.0
	if all := len(x) + len(y) - both; all > 0 {
		similar = float64(both) / float64(all)
	}
	if r.rewards.Distance == Printed {
		return similar
	}
	return 1 - similar
}

// leaf chooses by equation 3: U is 1 for every open leaf, the confidence is normalised among
// them, and the distance is to the nearest leaf of the other tree as it is now.
func (r *replay) leaf(t, other *plainTree) (best *plainNode, confidence, distance, score float64) {
	least, most := math.Inf(1), math.Inf(-1)
	for _, n := range t.nodes {
		if n.open {
			least, most = min(least, n.conf), max(most, n.conf)
		}
	}
	for _, n := range t.nodes {
		if !n.open {
			continue
		}
		c := 1.0
		if n.conf < most {
			c = math.Exp(n.conf - most)
			if r.rewards.Norm == MinMax {
				c = (n.conf - least) / (most - least)
			}
		}
		s, d := r.rewards.Weight*c, 0.0
		if other != nil && r.rewards.Weight < 1 {
			near := math.Inf(1)
			for _, v := range other.nodes {
				if v.leaf {
					near = min(near, r.jaccard(n, v))
				}
			}
			if !math.IsInf(near, 1) {
				d = 1 - near
			}
			s += (1 - r.rewards.Weight) * d
		}
		if best == nil || s > score || s == score && n.g >= best.g {
			best, confidence, distance, score = n, c, d, s
		}
	}
	return best, confidence, distance, score
}

// expect compares an expansion with the log's next entry.
func (r *replay) expect(dir Direction, n *plainNode, g int64, parent *plainNode, confidence, distance, score float64, generated, kept int) {
	r.t.Helper()
	e := Expansion{
		Number: r.taken + 1, Round: r.rounds, Tree: dir, Node: n.id, Parent: -1, Cost: g,
		Confidence: confidence, Distance: distance, Score: score, Generated: generated, Kept: kept, Plan: -1,
	}
	if parent != nil {
		e.Parent, e.Action = parent.id, r.space.task.OperatorName(n.op)
	}
	if r.best < Unlimited {
		e.Plan = r.best
	}
	if r.taken >= len(r.log) {
		r.t.Fatalf("the log ends before %+v", e)
	}
	if got := r.log[r.taken]; got != e {
		r.t.Fatalf("the log has\n%+v, the replay\n%+v", got, e)
	}
	r.taken++
}

// grow expands a node of a tree: successors beyond the budget are dropped, and those that
// equal a node reached at no greater cost.
func (r *replay) grow(t, other *plainTree, n *plainNode, confidence, distance, score float64) (kept []*plainNode) {
	r.t.Helper()
	g, parent, op := n.g, n.parent, n.op
	cs := r.children(t.dir, n.values)
	n.open = false
	for _, c := range cs {
		old := t.find(c.values)
		if old != nil && old.g <= n.g+c.cost || n.g+c.cost > r.spendable() {
			continue
		}
		if old == nil {
			old = &plainNode{values: c.values, id: len(t.nodes)}
			t.nodes = append(t.nodes, old)
		}
		action, good := r.o.of(n.values, c.op)
		old.parent, old.op, old.g = n, c.op, n.g+c.cost
		old.conf, old.path, old.depth = action+good, n.path+(action+good), n.depth+1
		if !slices.Contains(kept, old) {
			kept = append(kept, old)
		}
	}
	n.leaf = len(kept) == 0 // in vain: U = 0
	for _, k := range kept {
		k.open, k.leaf = true, true
	}
	r.meet(t, other, kept)
	was := &plainNode{id: n.id, op: op}
	r.expect(t.dir, was, g, parent, confidence, distance, score, len(cs), len(kept))
	return kept
}

// meet looks for plans: a forward state that satisfies a backward node, or the goal.
func (r *replay) meet(t, other *plainTree, kept []*plainNode) {
	for _, k := range kept {
		if other == nil {
			if r.space.isGoal(k.values) {
				r.found(k.plan())
			}
			continue
		}
		for _, v := range other.nodes {
			f, b := k, v
			if t.dir == Backward {
				f, b = v, k
			}
			agree := true
			for i, x := range b.values {
				agree = agree && (x == search.Unconstrained || x == f.values[i])
			}
			if agree && f.g+b.g <= r.budget && f.g+b.g < r.best {
				back := b.plan()
				slices.Reverse(back)
				r.found(append(f.plan(), back...))
			}
		}
	}
	trees := []*plainTree{t}
	if other != nil {
		trees = append(trees, other)
	}
	for _, tr := range trees {
		for _, n := range tr.nodes {
			n.open = n.open && n.g <= r.spendable()
		}
	}
}

func (r *replay) found(plan []grounder.OperatorID) {
	if cost := r.space.planCost(plan); cost <= r.budget && cost < r.best {
		r.best, r.plan = cost, plan
	}
}

// root returns a tree with its root, and whether the task is settled there.
func (r *replay) root(dir Direction) *plainTree {
	n := &plainNode{values: r.space.initial(), op: -1, open: true, leaf: true}
	if dir == Backward {
		n.values, _ = r.space.goal()
	}
	return &plainTree{dir: dir, nodes: []*plainNode{n}}
}

// atMost reports whether the limit allows another expansion.
func (r *replay) atMost() bool { return r.taken < r.limit }

// trees replays CATS (algorithm 1), and best-first search where one is asked for.
func (r *replay) trees(two, first bool) {
	trees := []*plainTree{r.root(Forward)}
	if two {
		trees = append(trees, r.root(Backward))
	}
	over := func() bool {
		for _, t := range trees {
			if !slices.ContainsFunc(t.nodes, func(n *plainNode) bool { return n.open }) {
				return true
			}
		}
		return !r.atMost() || r.best < Unlimited && (first || r.proven(trees))
	}
	for !over() {
		r.rounds++
		for i, t := range trees {
			if r.taken > 0 && over() {
				continue
			}
			var other *plainTree
			if two {
				other = trees[1-i]
			}
			n, c, d, s := r.leaf(t, other)
			r.grow(t, other, n, c, d, s)
		}
	}
}

// proven reports whether no pair of open leaves allows a cheaper plan.
func (r *replay) proven(trees []*plainTree) bool {
	for _, u := range trees[0].nodes {
		if !u.open {
			continue
		}
		if len(trees) == 1 && u.g < r.best {
			return false
		}
		for _, v := range trees[len(trees)-1].nodes {
			if len(trees) == 2 && v.open && u.g+v.g+r.space.least < r.best && max(u.g, v.g) < r.best {
				return false
			}
		}
	}
	return true
}

func byPath(a, b *plainNode) int {
	switch {
	case a.path > b.path || a.path == b.path && a.g < b.g:
		return -1
	case a.path == b.path && a.g == b.g:
		return 0
	}
	return 1
}

// beam replays tree of thoughts, breadth first.
func (r *replay) beam(width int) {
	t := r.root(Forward)
	level := t.nodes
	for len(level) > 0 && r.best == Unlimited {
		r.rounds++
		var next []*plainNode
		for _, n := range level {
			if !r.atMost() {
				return
			}
			for _, k := range r.grow(t, nil, n, 0, 0, 0) {
				if !slices.Contains(next, k) {
					next = append(next, k)
				}
			}
		}
		slices.SortStableFunc(next, byPath)
		level = next[:min(width, len(next))]
	}
}

// deep replays tree of thoughts, depth first, by recursion.
func (r *replay) deep(depth int) {
	t := r.root(Forward)
	var try func(n *plainNode, g int64, steps int)
	try = func(n *plainNode, g int64, steps int) {
		if n.g < g || r.best < Unlimited || !r.atMost() || steps == depth {
			return
		}
		r.rounds++
		kept := r.grow(t, nil, n, 0, 0, 0)
		slices.SortStableFunc(kept, byPath)
		costs := make([]int64, len(kept))
		for i, k := range kept {
			costs[i] = k.g
		}
		for i, k := range kept {
			try(k, costs[i], steps+1)
		}
	}
	try(t.nodes[0], 0, 0)
}

// TestReplay searches with every method and replays the logs; with PLANPROOF_LONG 1,000 runs of
// each.
func TestReplay(t *testing.T) {
	runs := 120
	if testing.Short() {
		runs = 24
	}
	if os.Getenv("PLANPROOF_LONG") != "" {
		runs = 1000
	}
	reopened := 0
	for i := range runs {
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		task := replayTask(t, rng)
		opt := Options{Budget: Unlimited, Expansions: 20 + rng.IntN(230), Seed: uint64(i)}
		if rng.IntN(2) == 0 {
			opt.Budget = int64(rng.IntN(120))
		}
		rewards := Rewards{
			Weight:   []float64{0, 0.25, 0.5, 0.9, 1}[rng.IntN(5)],
			Distance: []Distance{Jaccard, Printed}[rng.IntN(2)],
			Norm:     []Norm{Likelihood, MinMax}[rng.IntN(2)],
		}
		first := rng.IntN(2) == 0
		beam, depth := 1+rng.IntN(6), 4+rng.IntN(30)
		rap := &RAP{Exploration: rng.Float64() * 2, Depth: 4 + rng.IntN(20)}
		for _, c := range []struct {
			m    Method
			play func(*replay)
		}{
			{&CATS{Rewards: rewards, First: first}, func(r *replay) { r.trees(true, first) }},
			{&BestFirst{First: first}, func(r *replay) { r.trees(false, first) }},
			{&ToT{Beam: beam}, func(r *replay) { r.beam(beam) }},
			{&ToTDFS{Depth: depth}, func(r *replay) { r.deep(depth) }},
			{rap, func(r *replay) { r.monteCarlo(rap, opt.Seed) }},
		} {
			t.Run(fmt.Sprintf("%d/%s", i, c.m.Name()), func(t *testing.T) {
				reopened += replayRun(t, task, c.m, opt, rewards, opinions{uint64(i)}, c.play)
			})
		}
	}
	if reopened == 0 {
		t.Error("no node was reopened: the runs do not test what a reopened leaf changes")
	}
}

// replayTask draws a task of Blocksworld with three to six blocks, and costs far enough apart
// that a cheaper way to a node is often found late.
func replayTask(t *testing.T, rng *rand.Rand) *grounder.Task {
	t.Helper()
	blocks := 3 + rng.IntN(4)
	name := fmt.Sprintf("blocksworld:%d-%d", blocks, 1+rng.IntN(50))
	costs := make([]int, 4)
	for k := range costs {
		costs[k] = []int{1, 2, 5, 20}[rng.IntN(4)]
	}
	return bundled(t, name, func(p *pddl.Problem) (*pddl.Problem, error) {
		s, err := costmodel.ParseSchedule(fmt.Sprintf("pick-up=%d,unstack=%d,put-down=%d,stack=%d", costs[0], costs[1], costs[2], costs[3]))
		if err != nil {
			return nil, err
		}
		return s.Apply(p)
	})
}

// replayRun compares one search with its replay, and returns how often a node was expanded
// again.
func replayRun(t *testing.T, task *grounder.Task, m Method, opt Options, rewards Rewards, o opinions, play func(*replay)) int {
	var log []Expansion
	opt.Observer = func(e Expansion) { log = append(log, e) }
	got, err := m.Search(context.Background(), spaceOf(t, task), Guide{Evaluator: o}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if m.Name() == "best-first" {
		rewards = Rewards{Weight: 1, Distance: Jaccard, Norm: Likelihood}
	}
	r := &replay{
		t: t, space: spaceOf(t, task), o: o, budget: opt.Budget, limit: opt.Expansions,
		log: log, best: Unlimited, rewards: rewards,
	}
	if !r.space.isGoal(r.space.initial()) {
		play(r)
		if r.taken != len(log) {
			t.Fatalf("the replay ends after %d expansions, the log after %d", r.taken, len(log))
		}
		if got.HasPlan() != (r.best < Unlimited) || got.HasPlan() && (got.Cost != r.best || !slices.Equal(got.Plan, r.plan)) {
			t.Fatalf("the search found %v at %d, the replay %v at %d", got.Plan, got.Cost, r.plan, r.best)
		}
	}
	again, seen := 0, map[string]bool{}
	for _, e := range log {
		key := fmt.Sprint(e.Tree, e.Node)
		if seen[key] {
			again++
		}
		seen[key] = true
	}
	return again
}
