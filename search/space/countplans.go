package space

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/planproof/planproof/search"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// planCounter counts optimal plans forwards: the ways to reach a state along transitions
// that lie on optimal plans, from the states farthest from the goal to the nearest. Only
// the numbers of states that have been reached and not yet left are kept.
type planCounter struct {
	*exhauster
	open *state.OpenList // keyed by the cost so far
	ways numbers
	of   []uint32 // by state: its number plus one, 0 for none
	// Depth-first marks of sorted, and whether they are needed: some transition costs nothing.
	entered, closed state.Bitset
	free            bool
	total           *big.Int
}

// numbers are natural numbers of limbs 64-bit digits each, the lowest digit first.
type numbers struct {
	digits []uint64
	limbs  int
	unused []uint32
}

// zero returns a new number, 0.
func (n *numbers) zero() uint32 {
	if k := len(n.unused); k > 0 {
		i := n.unused[k-1]
		n.unused = n.unused[:k-1]
		clear(n.at(i))
		return i
	}
	i := uint32(len(n.digits) / n.limbs)
	for range n.limbs {
		n.digits = append(n.digits, 0)
	}
	return i
}

func (n *numbers) at(i uint32) []uint64 { return n.digits[int(i)*n.limbs : (int(i)+1)*n.limbs] }

// add adds number j to number i.
func (n *numbers) add(i, j uint32) {
	a, b := n.at(i), n.at(j)
	var carry uint64
	for k := range a {
		a[k], carry = bits.Add64(a[k], b[k], carry)
	}
	if carry == 0 {
		return
	}
	wide := make([]uint64, len(n.digits)/n.limbs*(n.limbs+1))
	for k := 0; k*n.limbs < len(n.digits); k++ {
		copy(wide[k*(n.limbs+1):], n.digits[k*n.limbs:(k+1)*n.limbs])
	}
	n.digits, n.limbs = wide, n.limbs+1
	n.at(i)[n.limbs-1] = 1
}

// big returns number i.
func (n *numbers) big(i uint32) *big.Int {
	x := new(big.Int)
	for d := n.at(i); len(d) > 0; d = d[:len(d)-1] {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(d[len(d)-1]))
	}
	return x
}

// infinite is the number of optimal plans when a cycle on one of them costs nothing.
const infinite = "infinite"

// countPlans counts the optimal plans of the task.
func (e *exhauster) countPlans() (string, error) {
	if e.tab.steps[0] == math.MaxUint32 {
		return "0", nil
	}
	c := &planCounter{exhauster: e, open: state.NewOpenList(), ways: numbers{limbs: 1}, total: new(big.Int)}
	c.of = make([]uint32, e.reg.Len())
	c.ways.at(c.number(0))[0] = 1
	c.open.Push(0, 0, 0)
	for _, v := range e.costs.value {
		c.free = c.free || v == 0
	}
	if c.free {
		c.entered, c.closed = make(state.Bitset, len(e.goals)), make(state.Bitset, len(e.goals))
	}
	var level []state.StateID
	for c.open.Len() > 0 {
		g := c.open.Least()
		level = level[:0]
		for c.open.Len() > 0 && c.open.Least() == g {
			id, _, _ := c.open.Pop()
			level = append(level, id)
		}
		if c.free {
			var finite bool
			var err error
			if level, finite, err = c.sorted(level); err != nil || !finite {
				return infinite, err
			}
		}
		for i, id := range level {
			if err := c.leave(id, g); err != nil {
				return "", err
			}
			if err := c.look(i); err != nil {
				return "", err
			}
		}
	}
	return c.total.String(), nil
}

// look checks the limits.
func (c *planCounter) look(i int) error {
	held := int64(cap(c.of)+cap(c.ways.unused))*4 + int64(cap(c.ways.digits))*8 + c.open.Bytes()
	if c.lim.Memory > 0 && i&255 == 0 && c.tab.Bytes()+c.held()+held > c.lim.Memory {
		return &search.LimitError{Status: search.Memout, States: c.tab.States}
	}
	return c.check(i)
}

// number returns the number of a state, made if need be.
func (c *planCounter) number(id state.StateID) uint32 {
	if c.of[id] == 0 {
		c.of[id] = c.ways.zero() + 1
	}
	return c.of[id] - 1
}

// leave passes the ways to a state on to its successors.
func (c *planCounter) leave(id state.StateID, g int64) error {
	n := c.number(id)
	if c.goals.Has(uint32(id)) {
		c.total.Add(c.total, c.ways.big(n))
	}
	err := c.optimal(id, func(next state.StateID, cost int64) {
		if cost > 0 && c.of[next] == 0 { // else sorted has taken it up
			c.open.Push(next, g+cost, 0)
		}
		c.ways.add(c.number(next), n)
	})
	c.of[id] = 0
	c.ways.unused = append(c.ways.unused, n)
	return err
}

// optimal calls visit for the transitions out of a state that lie on optimal plans.
func (c *planCounter) optimal(id state.StateID, visit func(next state.StateID, cost int64)) error {
	h := c.tab.costOf(id)
	return c.successors(id, func(row []uint64, _ grounder.OperatorID, cost int64) {
		if cost > h {
			return
		}
		next, _ := c.reg.Find(row)
		if c.tab.steps[next] != math.MaxUint32 && c.tab.costOf(next) == h-cost {
			visit(next, cost)
		}
	})
}

// sorted completes the states of a level by those that transitions of cost 0 lead to, and
// sorts them so that these transitions lead forwards. If they form a cycle the number of
// plans is not finite.
func (c *planCounter) sorted(level []state.StateID) (order []state.StateID, finite bool, err error) {
	type frame struct {
		id   state.StateID
		next []state.StateID // successors that are left
	}
	var stack []frame
	enter := func(id state.StateID) error {
		f := frame{id: id}
		c.entered.Set(uint32(id))
		c.number(id)
		err := c.optimal(id, func(next state.StateID, cost int64) {
			if cost == 0 {
				f.next = append(f.next, next)
			}
		})
		stack = append(stack, f)
		return err
	}
	for i, root := range level {
		if c.entered.Has(uint32(root)) {
			continue
		}
		if err := enter(root); err != nil {
			return nil, false, err
		}
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if len(f.next) == 0 {
				c.closed.Set(uint32(f.id))
				order = append(order, f.id)
				stack = stack[:len(stack)-1]
				continue
			}
			next := f.next[0]
			f.next = f.next[1:]
			if !c.entered.Has(uint32(next)) {
				if err := enter(next); err != nil {
					return nil, false, err
				}
			} else if !c.closed.Has(uint32(next)) {
				return nil, false, nil
			}
		}
		if err := c.look(i); err != nil {
			return nil, false, err
		}
	}
	for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	return order, true, nil
}
