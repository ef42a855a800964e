package treesearch

import (
	"math/big"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/grounder"
)

// BudgetUnits is the budget in units of the task: the most that operators may cost
// together. It is false when not even a plan without steps is within the budget.
func BudgetUnits(t *grounder.Task, b costmodel.Budget) (int64, bool) {
	if !b.Bounded() {
		return Unlimited, true
	}
	left := b.Limit.Sub(t.CostBase).Rat()
	if left.Sign() < 0 {
		return 0, false
	}
	left.Quo(left, t.CostUnit.Rat())
	units := new(big.Int).Quo(left.Num(), left.Denom())
	if !units.IsInt64() {
		return Unlimited, true
	}
	return units.Int64(), true
}
