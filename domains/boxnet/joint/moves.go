package joint

import (
	"cmp"
	"context"
	"errors"
)

// fewestMoves looks for a solution of the formula with fewer moves, until none has fewer or the budget is
// spent. res holds the best plan so far. First it halves the range between the best plan and the moves
// that the objects need by themselves, as long as the solver answers soon; then it goes down one by one.
func (s *search) fewestMoves(ctx context.Context, f *formula, res *Result) {
	least := 0
	for _, m := range s.times.moves {
		least += int(m)
	}
	all := cmp.Or(s.opt.SecondConflicts, 5_000)
	budget := f.solver.Conflicts + all
	f.solver.Proof = nil // the count has variables of its own
	counter := f.countMoves(res.Moves)
	for soon := least; least < res.Moves; {
		n := res.Moves - 1
		f.solver.Limit = budget
		if n > soon {
			n = (soon + n) / 2
			f.solver.Limit = min(budget, f.solver.Conflicts+all/20)
		}
		// counter[n] holds if there are more than n moves.
		found, err := s.withoutCollisions(ctx, f, -counter[n])
		switch {
		case found:
			res.Plan = f.plan()
			res.Moves = moves(res.Plan)
		case err == nil:
			least = n + 1
			soon = max(soon, least)
		case errors.Is(err, errBudget) && n > soon || errors.Is(err, errBudget) && n < res.Moves-1:
			soon = n + 1
		default:
			return
		}
	}
	res.FewestMoves = true
}

// countMoves adds variables: the n-th holds if there are more than n moves, for n below most.
func (f *formula) countMoves(most int) []int {
	counter := make([]int, most)
	for t := 1; t <= f.steps; t++ {
		for r := range f.reach {
			move := f.solver.NewVar()
			for i := range f.reach[r] {
				f.add(-f.arm[t-1][r][i], f.arm[t][r][i], move)
			}
			next := make([]int, most)
			for n := range next {
				if n > 0 && counter[n-1] == 0 {
					break
				}
				next[n] = f.solver.NewVar()
				f.add(not(counter[n]), next[n])
				if n == 0 {
					f.add(-move, next[n])
				} else {
					f.add(-move, -counter[n-1], next[n])
				}
			}
			counter = next
		}
	}
	return counter
}
