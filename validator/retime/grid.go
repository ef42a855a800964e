package retime

import (
	"errors"
	"math/big"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// ErrTimes is wrapped by errors about times that cannot be put on a grid.
var ErrTimes = errors.New("the times have too many digits to be moved")

// Bounds of the grid: three decimals at least, since plans are written with that many, and times
// below 2^50 units, so that sums of them do not overflow.
const (
	minDecimals = 3
	maxDecimals = 12
	maxUnits    = 1 << 50
)

// grid counts time in units of 10^-decimals.
type grid struct {
	decimals int
	unit     pddl.Number
}

// newGrid returns the coarsest grid with at least so many decimals on which all the times lie.
func newGrid(times []pddl.Number, decimals int) (*grid, error) {
	g := &grid{decimals: decimals, unit: pddl.Int(1)}
	for range decimals {
		g.unit = g.unit.Mul(pddl.Fraction(1, 10))
	}
	for _, t := range times {
		for {
			q, _ := t.Div(g.unit)
			if q.IsInt() {
				if q.Cmp(pddl.Int(maxUnits)) > 0 {
					return nil, ErrTimes
				}
				break
			}
			if g.decimals++; g.decimals > maxDecimals {
				return nil, ErrTimes
			}
			g.unit = g.unit.Mul(pddl.Fraction(1, 10))
		}
	}
	return g, nil
}

// units returns a time on the grid; ok is false if it is too large.
func (g *grid) units(t pddl.Number) (int64, bool) { return g.floor(t) }

// floor returns the last grid point up to t.
func (g *grid) floor(t pddl.Number) (int64, bool) {
	q, _ := t.Div(g.unit)
	if q.Cmp(pddl.Int(maxUnits)) > 0 || q.Cmp(pddl.Int(-maxUnits)) < 0 {
		return 0, false
	}
	r := q.Rat()
	return new(big.Int).Div(r.Num(), r.Denom()).Int64(), true // Euclidean: the denominator is positive
}

// ceil returns the first grid point from t on.
func (g *grid) ceil(t pddl.Number) (int64, bool) {
	n, ok := g.floor(t.Neg())
	return -n, ok
}

// time is the time of a grid point.
func (g *grid) time(units int64) pddl.Number { return g.unit.Mul(pddl.Int(units)) }

// places returns the number of decimals that a number is written with.
func places(n pddl.Number) int {
	_, frac, _ := strings.Cut(n.String(), ".")
	return len(frac)
}
