package space

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/emirpasic/gods/queues/priorityqueue"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/state"
)

// PlanOptions says which plans Table.Plans lists.
type PlanOptions struct {
	// Loops admits plans that visit a state twice. There are then infinitely many where a
	// cycle can be entered.
	Loops bool
	// Optimal leaves out plans that cost more than necessary.
	Optimal bool
}

// Plan is a sequence of operators from the initial state to a goal state. It may pass
// through other goal states.
type Plan struct {
	Operators []grounder.OperatorID
	Cost      int64 // in units of Task.CostUnit
}

// Plans lists the plans of a task from the best on: by cost, then by the number of steps,
// then by the steps' texts, "(stack a b)", compared one after the other as bytes (operators
// of one text, by their numbers).
//
// The plans that are still to come are held as disjoint sets, cones: all plans that begin
// with given steps. With exact goal distances the best plan of a cone is known at once; what
// is left of the cone without it falls into one cone for each step at which a plan may
// leave it (Lawler 1972, who refines Yen 1971). Of the cones that leave a path at the same
// place only the best is held. Where the best way to the goal leads back to a state that has
// been visited, A* finds the best one that does not, guided by the same distances.
type Plans struct {
	*exhauster
	opt     PlanOptions
	fewest  []uint32             // by state: the least steps of a cheapest plan
	rank    []int32              // by operator: the place of its text
	cones   *priorityqueue.Queue // of *cone, the best plans first
	visited map[state.StateID]bool
	moves   []move
	best    int64
	bytes   int64 // estimate of the memory held
}

// move is a transition on the way to the goal.
type move struct {
	op    grounder.OperatorID
	to    state.StateID
	cost  int64
	f     int64 // the least cost of a plan that goes on with it
	steps int64 // and its steps
}

// Bytes taken by a cone and its node, and by a visited state of an A* search, with what
// the collector adds.
const coneBytes, searchBytes = 160, 150

// Plans prepares the list. Limits.Wall and Memory bound the work, the table included. The
// table must have been made by Exhaust, not loaded.
func (t *Table) Plans(ctx context.Context, lim search.Limits, opt PlanOptions) (*Plans, error) {
	reg, ok := t.states.(*state.Registry)
	if !ok {
		return nil, errors.New("plans are listed from a table just made, not from a loaded one")
	}
	e := newExhauster(ctx, t.Simulator, lim)
	e.reg, e.tab = reg, t
	p := &Plans{exhauster: e, opt: opt, visited: map[state.StateID]bool{}, fewest: t.steps, rank: e.ranks(), bytes: t.Bytes()}
	p.cones = priorityqueue.NewWith(p.compareCones)
	if t.cost32 != nil || t.cost64 != nil {
		if err := p.count(); err != nil {
			return nil, err
		}
	}
	if t.steps[0] != math.MaxUint32 {
		p.best = t.costOf(0)
		p.push(&cone{f: p.best, steps: int64(p.fewest[0]), node: &pathNode{}, except: -1})
	}
	return p, nil
}

// ranks numbers the operators in the order of their texts.
func (s *Simulator) ranks() []int32 {
	texts := make([]string, s.sys.Task.Operators.Len())
	order := make([]int32, len(texts))
	for o := range texts {
		texts[o] = s.sys.Task.OperatorName(grounder.OperatorID(o))
		order[o] = int32(o)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case texts[a] < texts[b]:
			return -1
		case texts[a] > texts[b]:
			return 1
		}
		return 0
	})
	rank := make([]int32, len(order))
	for i, o := range order {
		rank[o] = int32(i)
	}
	return rank
}

// count computes the steps of cheapest plans where costs differ.
func (p *Plans) count() (err error) {
	e := p.exhauster
	e.goals.Grow(e.reg.Len())
	for id, d := range e.tab.steps {
		if d == 0 {
			e.goals.Set(uint32(id))
		}
	}
	var lists *lists
	if e.inverse = newInverse(e.sys); e.inverse != nil {
		e.inverse.compile(e.sys.Packer)
	} else {
		e.into = make([]uint32, e.reg.Len())
		for id := range e.into {
			err := e.successors(state.StateID(id), func(row []uint64, _ grounder.OperatorID, c int64) {
				if next, _ := e.reg.Find(row); int(next) != id {
					e.into[next]++
					e.arcs++
				}
				e.costs.of(c)
			})
			if err != nil {
				return err
			}
		}
		if lists, err = e.collect(false); err != nil {
			return err
		}
	}
	p.fewest, err = distances[uint32](e, lists, byTightSteps)
	p.bytes += int64(len(p.fewest)) * 4
	return err
}

// Next returns the next plan, nil after the last one. Errors are a *LimitError and
// costs beyond 63 bits.
func (p *Plans) Next() (*Plan, error) {
	for i := 0; !p.cones.Empty(); i++ {
		first, _ := p.cones.Dequeue()
		c := first.(*cone)
		p.bytes -= coneBytes
		if err := p.limits(i); err != nil {
			return nil, err
		}
		if c.rest == nil { // its siblings have not been taken up yet
			if err := p.nextSibling(c); err != nil {
				return nil, err
			}
			if err := p.complete(c); err != nil {
				return nil, err
			}
			if c.rest == nil {
				continue // no plan, or one that is not the best any more
			}
		}
		return p.split(c)
	}
	return nil, nil
}

func (p *Plans) limits(i int) error {
	if p.lim.Memory > 0 && p.bytes > p.lim.Memory {
		return &search.LimitError{Status: search.Memout, States: p.tab.States}
	}
	return p.check(i)
}

func (p *Plans) push(c *cone) {
	if p.opt.Optimal && c.f > p.best {
		return
	}
	p.cones.Enqueue(c)
	p.bytes += coneBytes
}

// follow sets the visited states to those of a path, node.state included.
func (p *Plans) follow(node *pathNode) {
	clear(p.visited)
	for ; node != nil; node = node.up {
		p.visited[node.state] = true
	}
}

// from lists the moves out of a state that lead towards the goal, into p.moves; unless all
// are wanted, those to visited states are left out. cost and depth are those of the path to
// the state.
func (p *Plans) from(id state.StateID, cost, depth int64, all bool) (err error) {
	p.moves = p.moves[:0]
	var far bool
	err = p.successors(id, func(row []uint64, op grounder.OperatorID, c int64) {
		next, _ := p.reg.Find(row)
		if p.tab.steps[next] == math.MaxUint32 || !all && p.visited[next] {
			return
		}
		h := p.tab.costOf(next)
		if far = far || cost > math.MaxInt64-c || cost+c > math.MaxInt64-h; !far {
			p.moves = append(p.moves, move{op, next, c, cost + c + h, depth + 1 + int64(p.fewest[next])})
		}
	})
	if err == nil && far {
		err = errBeyond
	}
	return err
}

// less orders moves out of one state by the best plans that they lead to.
func (p *Plans) less(a, b move) int {
	switch {
	case a.f != b.f:
		return cmp64(a.f, b.f)
	case a.steps != b.steps:
		return cmp64(a.steps, b.steps)
	}
	return cmp64(int64(p.rank[a.op]), int64(p.rank[b.op]))
}

func cmp64(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// leave holds the cone of the best plans that leave the path at node by another step than
// except, from number sibling on. p.visited has the path's states.
func (p *Plans) leave(node *pathNode, except grounder.OperatorID, sibling int32) error {
	if err := p.from(node.state, node.cost, node.depth, p.opt.Loops); err != nil {
		return err
	}
	moves := slices.DeleteFunc(p.moves, func(m move) bool { return m.op == except })
	if int(sibling) >= len(moves) {
		return nil
	}
	slices.SortFunc(moves, p.less)
	m := moves[sibling]
	p.push(&cone{
		f: m.f, steps: m.steps, except: except, sibling: sibling,
		node: &pathNode{up: node, op: m.op, state: m.to, depth: node.depth + 1, cost: node.cost + m.cost},
	})
	return nil
}

func (p *Plans) nextSibling(c *cone) error {
	if c.node.up == nil {
		return nil
	}
	p.follow(c.node.up)
	return p.leave(c.node.up, c.except, c.sibling+1)
}

// complete finds the best plan of a cone. If it is worse than the bound the cone goes back.
func (p *Plans) complete(c *cone) error {
	p.follow(c.node)
	rest, ok, err := p.descend(c.node)
	if err != nil {
		return err
	}
	if ok {
		c.rest = rest
		return nil
	}
	d := loopless{Plans: p, start: c.node}
	if rest, err = d.find(); err != nil || rest == nil {
		return err
	}
	f, steps := c.node.cost, c.node.depth+int64(len(rest))
	for _, m := range rest {
		f += m.cost
	}
	if f == c.f && steps == c.steps {
		c.rest = rest
		return nil
	}
	p.push(&cone{f: f, steps: steps, node: c.node, rest: rest, except: c.except, sibling: c.sibling})
	p.bytes += int64(len(rest)) * 40
	return nil
}

// descend follows the best moves to the goal. It fails where all of them have been visited,
// or the one that is first by text.
func (p *Plans) descend(node *pathNode) (rest []move, ok bool, err error) {
	rest = []move{}
	id, f, steps := node.state, node.cost+p.tab.costOf(node.state), node.depth+int64(p.fewest[node.state])
	for cost, depth := node.cost, node.depth; p.tab.steps[id] != 0; depth++ {
		if err := p.from(id, cost, depth, true); err != nil {
			return nil, false, err
		}
		best := -1
		for i, m := range p.moves {
			if m.f == f && m.steps == steps && (best < 0 || p.less(m, p.moves[best]) < 0) {
				best = i
			}
		}
		m := p.moves[best]
		if !p.opt.Loops && p.visited[m.to] {
			return nil, false, nil
		}
		rest = append(rest, m)
		id, cost = m.to, cost+m.cost
	}
	return rest, true, nil
}

// split returns the best plan of a cone and keeps the rest of the cone.
func (p *Plans) split(c *cone) (*Plan, error) {
	p.follow(c.node)
	node := c.node
	for i := 0; ; i++ {
		taken := grounder.OperatorID(-1)
		if i < len(c.rest) {
			taken = c.rest[i].op
		}
		if err := p.leave(node, taken, 0); err != nil {
			return nil, err
		}
		if i == len(c.rest) {
			break
		}
		m := c.rest[i]
		node = &pathNode{up: node, op: m.op, state: m.to, depth: node.depth + 1, cost: node.cost + m.cost}
		p.visited[m.to] = true
	}
	plan := &Plan{Cost: node.cost, Operators: make([]grounder.OperatorID, node.depth)}
	for ; node.up != nil; node = node.up {
		plan.Operators[node.depth-1] = node.op
	}
	return plan, nil
}
