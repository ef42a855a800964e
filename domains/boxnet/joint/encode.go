package joint

import (
	"slices"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/search/sat"
)

// formula says that there is a plan of a number of steps, collisions on the way left out:
// docs/BOXNET.md lists its clauses.
type formula struct {
	*places
	times  *timing
	steps  int
	solver *sat.Solver
	arm    [][][]int // [t][robot][index]: the tip is there after t steps
	object [][][]int // [t][object][point]: likewise; 0 where it cannot be
	carry  [][][]int // [t][robot][object]: carried in step t (from 1); 0 where it cannot be

	clause []int
	name   []int32 // by variable of the solver: its number in certificates
}

// touching are pairs of spots of two robots whose arms touch.
type touching struct{ r, i, s, j int32 }

func (p *places) touchingArms(reading boxnet.Reading) (list []touching) {
	for r := range p.reach {
		for s := r + 1; s < len(p.reach); s++ {
			if !p.near(r, s) {
				continue
			}
			for i := range p.reach[r] {
				a := p.motion(int32(r), int32(i), int32(i))
				for j := range p.reach[s] {
					b := p.motion(int32(s), int32(j), int32(j))
					if p.in.Collision(reading, &a, &b) != "" {
						list = append(list, touching{int32(r), int32(i), int32(s), int32(j)})
					}
				}
			}
		}
	}
	return list
}

// near reports whether the arms of two robots could share a point.
func (p *places) near(r, s int) bool {
	return p.odd[r] || p.odd[s] || p.in.MayMeet(p.in.Robots[r].Base, p.in.Robots[s].Base)
}

// newFormula calls ready when the variables are there and before the first clause.
func newFormula(p *places, t *timing, arms []touching, ways *ways, steps int, solver *sat.Solver, ready func(*formula)) *formula {
	f := &formula{places: p, times: t, steps: steps, solver: solver}
	f.variables()
	ready(f)
	for t := 0; t <= steps; t++ {
		f.oneTipEach(t)
		if t == 0 {
			f.begin()
			continue
		}
		for _, c := range arms {
			f.add(-f.arm[t][c.r][c.i], -f.arm[t][c.s][c.j])
		}
		f.oddStarts(t)
		f.noMeeting(t)
		f.onTheWay(ways, t)
		for o := range p.at {
			f.transport(t, o)
		}
	}
	for o, q := range p.target {
		f.add(f.object[steps][o][q])
	}
	return f
}

func (f *formula) variables() {
	for t := 0; t <= f.steps; t++ {
		arms := make([][]int, len(f.reach))
		for r := range arms {
			for range f.reach[r] {
				arms[r] = append(arms[r], f.solver.NewVar())
			}
			f.solver.Phase(arms[r][f.start[r]], true) // rest, if nothing else is known
		}
		objects := make([][]int, len(f.at))
		for o := range objects {
			objects[o] = make([]int, len(f.points))
			for q := range objects[o] {
				if f.times.earliest[o][q] <= int32(t) && f.times.left[o][q] <= int32(f.steps-t) {
					objects[o][q] = f.solver.NewVar()
				}
			}
		}
		f.arm, f.object = append(f.arm, arms), append(f.object, objects)
		carries := make([][]int, len(f.reach))
		for r := range carries {
			carries[r] = make([]int, len(f.at))
			for o := range carries[r] {
				if t > 0 && f.within(t-1, f.takes[r], o) && f.within(t, f.reach[r], o) {
					carries[r][o] = f.solver.NewVar()
				}
			}
		}
		f.carry = append(f.carry, carries)
	}
}

// within reports whether an object can be at one of some points after t steps.
func (f *formula) within(t int, points []int32, o int) bool {
	for _, q := range points {
		if f.object[t][o][q] != 0 {
			return true
		}
	}
	return false
}

// never makes literal 0 mean what cannot be: add leaves it out, and not(0) makes the whole
// clause hold.
const holds = int(1) << 62

func not(v int) int {
	if v == 0 {
		return holds
	}
	return -v
}

// add adds a clause: literals 0 are false, and one that holds makes the clause needless.
func (f *formula) add(lits ...int) {
	f.clause = f.clause[:0]
	for _, n := range lits {
		switch n {
		case 0:
		case holds:
			return
		default:
			f.clause = append(f.clause, n)
		}
	}
	f.solver.Add(f.clause...)
}

// oneTipEach: a tip is at exactly one point.
func (f *formula) oneTipEach(t int) {
	for _, spots := range f.arm[t] {
		f.add(spots...)
		for i := range spots {
			for k := range i {
				f.add(-spots[k], -spots[i])
			}
		}
	}
}

func (f *formula) begin() {
	for r, i := range f.start {
		f.add(f.arm[0][r][i])
	}
	for o, q := range f.at {
		f.add(f.object[0][o][q])
		for other, v := range f.object[0][o] {
			if int32(other) != q && v != 0 {
				f.add(-v)
			}
		}
	}
}

// oddStarts: a tip is at a start off the points only if it was there before.
func (f *formula) oddStarts(t int) {
	for r, odd := range f.odd {
		if i := len(f.reach[r]) - 1; odd {
			f.add(-f.arm[t][r][i], f.arm[t-1][r][i])
		}
	}
}

// noMeeting: no two objects are at one point, and no two robots carry one object.
func (f *formula) noMeeting(t int) {
	for o := range f.at {
		for other := range o {
			for q := range f.points {
				f.add(not(f.object[t][o][q]), not(f.object[t][other][q]))
			}
		}
		for r := range f.reach {
			for s := range r {
				f.add(not(f.carry[t][r][o]), not(f.carry[t][s][o]))
			}
		}
	}
}

// transport: an object stays, or goes along with the tip that carries it.
func (f *formula) transport(t, o int) {
	before, after := f.object[t-1][o], f.object[t][o]
	var somewhere, carriers []int
	by := func(spots []spot) []int {
		carriers = carriers[:0]
		for i, s := range spots {
			if i == 0 || s.robot != spots[i-1].robot {
				carriers = append(carriers, f.carry[t][s.robot][o])
			}
		}
		return carriers
	}
	for q := range f.points {
		f.add(append(by(f.takers[q]), not(before[q]), after[q])...)
		f.add(append(by(f.served[q]), before[q], not(after[q]))...)
		somewhere = append(somewhere, after[q])
	}
	f.add(somewhere...)
	for r := range f.reach {
		c := f.carry[t][r][o]
		if c == 0 {
			continue
		}
		f.carried(t, r, o, c)
	}
}

// carried: before the step an object that is carried is where the tip can take it, and after it where the tip is.
func (f *formula) carried(t, r, o, c int) {
	before, after := f.object[t-1][o], f.object[t][o]
	end, index := make([]int, len(f.points)), make([]int, len(f.points))
	tips, places := make([][]int, len(f.points)), make([][]int, len(f.reach[r]))
	for i, q := range f.reach[r] {
		end[q], index[q] = f.arm[t][r][i], i
	}
	for _, q := range f.takes[r] {
		for _, s := range f.takers[q] {
			if int(s.robot) == r {
				tips[q] = append(tips[q], f.arm[t-1][r][s.index])
				places[s.index] = append(places[s.index], before[q])
			}
		}
	}
	for q := range f.points {
		f.add(append([]int{-c, not(before[q])}, tips[q]...)...)
		f.add(-c, not(after[q]), end[q])
		if i := index[q]; end[q] != 0 {
			f.add(append([]int{-c, -f.arm[t-1][r][i]}, places[i]...)...)
		}
		f.add(-c, not(end[q]), after[q])
	}
	f.takesNearest(t, r, o, c)
}

// takesNearest: a tip that is aligned with two objects takes the nearer one, or the first of two as near. One that a
// robot before it takes does not count.
func (f *formula) takesNearest(t, r, o, c int) {
	for i := range f.reach[r] {
		tip := f.point(int32(r), int32(i))
		for _, q := range f.takes[r] {
			for _, p := range f.takes[r] {
				at, other := f.points[q], f.points[p]
				if p == q || !f.in.Aligned(tip, at) || !f.in.Aligned(tip, other) || boxnet.Nearer(tip, at, other) {
					continue
				}
				for k := range f.at {
					if k == o || k > o && !boxnet.Nearer(tip, other, at) {
						continue
					}
					lits := []int{-c, -f.arm[t-1][r][i], not(f.object[t-1][o][q]), not(f.object[t-1][k][p])}
					for s := range r {
						lits = append(lits, f.carry[t][s][k])
					}
					f.add(lits...)
				}
			}
		}
	}
}

// plan reads the plan out of a solution.
func (f *formula) plan() boxnet.Plan {
	plan := make(boxnet.Plan, f.steps)
	for t := 1; t <= f.steps; t++ {
		plan[t-1] = boxnet.Step{}
		for r := range f.reach {
			from, to := f.tip(t-1, r), f.tip(t, r)
			if from == to && !f.adjusts(t, r, from) {
				continue
			}
			m := boxnet.Move{Robot: f.in.Robots[r].Name, From: f.point(int32(r), from), To: f.point(int32(r), to), Bare: f.in.Swings()}
			m.Carry = f.loaded(t, r)
			plan[t-1] = append(plan[t-1], m)
		}
	}
	return plan
}

// adjusts reports whether a robot whose tip rests carries an object to the tip (BoxNet3D). In the first step it may be
// there already: two tips may be at one place before, and the object be taken so that another robot takes a second one.
func (f *formula) adjusts(t, r int, tip int32) bool {
	if !f.in.Swings() {
		return false
	}
	for o, c := range f.carry[t][r] {
		if c != 0 && f.solver.Value(c) {
			there := f.object[t-1][o][f.reach[r][tip]]
			return t == 1 || there == 0 || !f.solver.Value(there)
		}
	}
	return false
}

// loaded reports whether a robot carries an object in a step of the solution.
func (f *formula) loaded(t, r int) bool {
	return slices.ContainsFunc(f.carry[t][r], func(c int) bool { return c != 0 && f.solver.Value(c) })
}

// tip is where an arm is after t steps of the solution.
func (f *formula) tip(t, r int) int32 {
	for i, v := range f.arm[t][r] {
		if f.solver.Value(v) {
			return int32(i)
		}
	}
	panic("boxnet: a tip is nowhere")
}
