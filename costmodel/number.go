package costmodel

import (
	"math/big"

	"github.com/planproof/planproof/pddl"
)

// commonUnit returns the largest number of which all given ones are integer multiples, 1
// if all are 0: the greatest common divisor of the numerators over one denominator.
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
