package joint

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/planproof/planproof/domains/boxnet"
)

// shortestTime looks for a solution of the formula with a shorter plan time, until none has one
// or the budget is spent. The time of a step is that of its longest move. Each plan that is found
// excludes all whose steps are not shorter in any place, so what is left at the end has no better plan.
func (s *search) shortestTime(ctx context.Context, f *formula, res *Result) {
	f.solver.Proof = nil
	lengths, longer := f.lengths()
	f.solver.Limit = f.solver.Conflicts + cmp.Or(s.opt.SecondConflicts, 5_000)
	plan := res.Plan
	best := s.duration(plan)
	for {
		var shorter []int
		for t, step := range plan {
			if at, _ := slices.BinarySearch(lengths, s.longest(step)-1e-9); at > 0 {
				shorter = append(shorter, -longer[t+1][at-1])
			}
		}
		f.add(shorter...)
		found, err := s.withoutCollisions(ctx, f)
		if err != nil {
			return
		}
		if !found {
			break
		}
		plan = f.plan()
		if d := s.duration(plan); d < best-1e-9 {
			res.Plan, best = plan, d
		}
	}
	res.ShortestTime = true
}

// lengths are the lengths of all moves, from 0, and variables that say of each step that it has a
// move longer than the length of that number.
func (f *formula) lengths() (list []float64, longer [][]int) {
	list = []float64{0}
	for r := range f.reach {
		for i := range f.reach[r] {
			for k := range i {
				list = append(list, f.length(int32(r), i, k))
			}
		}
	}
	slices.Sort(list)
	list = slices.CompactFunc(list, func(a, b float64) bool { return math.Abs(b-a) < 1e-9 })
	longer = make([][]int, f.steps+1)
	for t := 1; t <= f.steps; t++ {
		for range list[1:] {
			longer[t] = append(longer[t], f.solver.NewVar())
		}
		for n := 1; n < len(longer[t]); n++ {
			f.add(-longer[t][n], longer[t][n-1])
		}
		f.movesAreLonger(t, list, longer[t])
	}
	return list, longer
}

// movesAreLonger: a move makes its step longer than all lengths below its own.
func (f *formula) movesAreLonger(t int, list []float64, longer []int) {
	for r := range f.reach {
		for i := range f.reach[r] {
			for k := range f.reach[r] {
				d := f.length(int32(r), i, k)
				at, _ := slices.BinarySearch(list, d-1e-9)
				if i != k && at > 0 {
					f.add(-f.arm[t-1][r][i], -f.arm[t][r][k], longer[at-1])
				}
			}
		}
	}
}

// length is that of the way of a robot between two of its points.
func (p *places) length(r int32, from, to int) float64 {
	m := p.motion(r, int32(from), int32(to))
	return p.in.Length(&m)
}

func (s *search) longest(step boxnet.Step) (d float64) {
	for i := range step {
		for _, r := range s.in.Robots {
			if r.Name == step[i].Robot {
				d = max(d, s.in.Length(&boxnet.Motion{Base: r.Base, From: step[i].From, To: step[i].To}))
			}
		}
	}
	return d
}

func (s *search) duration(plan boxnet.Plan) (sum float64) {
	for _, step := range plan {
		sum += s.longest(step)
	}
	return sum
}
