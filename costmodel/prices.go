package costmodel

import (
	"fmt"
	"math/big"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search/space"
)

// prices are the costs of a schedule in a space.
type prices struct {
	Schedule Schedule
	// Unit is what one unit of the integers of the search is worth.
	Unit  pddl.Number
	costs *space.Costs
	by    []int64 // by schema
}

// price prices the operators of the space. It is an error if the schedule does not price
// some action or if its costs, as multiples of a common unit, need more than 62 bits.
func (s *sharedSpace) price(schedule Schedule) (*prices, error) {
	t := s.Task()
	p := &prices{Schedule: schedule}
	var err error
	if p.Unit, p.by, err = schedule.scaled(t.SchemaNames); err != nil {
		return nil, err
	}
	costs := make([]int64, len(s.schema))
	for o, schema := range s.schema {
		costs[o] = p.by[schema]
	}
	p.costs, err = s.OperatorCosts(costs)
	return p, err
}

// number returns what an integer cost is worth.
func (p *prices) number(n int64) pddl.Number { return p.Unit.Mul(pddl.Int(n)) }

// scaled returns the costs of the actions as integers without a common divisor, and what
// one of them is worth.
func (s Schedule) scaled(actions []string) (unit pddl.Number, costs []int64, err error) {
	exact := make([]pddl.Number, len(actions))
	for i, name := range actions {
		c, ok := s.Cost(name)
		if !ok {
			return unit, nil, fmt.Errorf("schedule %s: no cost for %s", clip(s.String()), clip(name))
		}
		exact[i] = c
	}
	unit = commonUnit(exact)
	costs = make([]int64, len(actions))
	for i, c := range exact {
		q, _ := c.Div(unit)
		n, ok := q.Int64()
		if !ok || n > 1<<62 {
			return unit, nil, fmt.Errorf("schedule %s: costs range over more than 62 bits (%s times their common unit)", clip(s.String()), clip(q.String()))
		}
		costs[i] = n
	}
	return unit, costs, nil
}

// commonUnit returns the largest number that goes into each of the given ones a whole number
// of times, 1 if all are 0: the greatest common divisor of the numerators over one denominator.
func commonUnit(numbers []pddl.Number) pddl.Number {
	den := big.NewInt(1)
	for _, n := range numbers {
		d := n.Rat().Denom()
		den.Mul(den, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, den, d)))
	}
	num := new(big.Int)
	for _, n := range numbers {
		r := n.Rat()
		x := new(big.Int).Mul(r.Num(), new(big.Int).Quo(den, r.Denom()))
		num.GCD(nil, nil, num, x)
	}
	if num.Sign() == 0 {
		return pddl.Int(1)
	}
	return pddl.FromRat(new(big.Rat).SetFrac(num, den))
}
