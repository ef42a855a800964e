package proof

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/domains/boxnet"
)

// formula writes the clauses that say that there is a plan of some steps, apart from what
// happens on the way of two arms.
type formula struct {
	*task
	vars *Variables
	out  *checker
}

func (t *task) formula(steps int, reading boxnet.Reading) *formula {
	f := &formula{task: t, vars: t.variables(steps)}
	f.out = newChecker(f.vars.Count())
	f.ends(steps)
	for n := 0; n <= steps; n++ {
		f.tips(n)
	}
	for o := range t.in.Objects {
		f.where(o, steps)
	}
	pairs := f.touchingPairs(reading)
	ways := f.badWays()
	for n := 1; n <= steps; n++ {
		for _, p := range pairs {
			f.out.add(-f.vars.Arm(n, p[0], p[1]), -f.vars.Arm(n, p[2], p[3]))
		}
		f.apartObjects(n)
		f.avoid(ways, n)
		for o := range t.in.Objects {
			f.stays(n, o)
			for r := range t.in.Robots {
				f.carried(n, r, o)
			}
		}
	}
	return f
}

// ends: the first and the last state.
func (f *formula) ends(steps int) {
	for r, robot := range f.in.Robots {
		for i, p := range f.reach[r] {
			if p == robot.Arm {
				f.out.add(f.vars.Arm(0, r, i))
			}
		}
	}
	for o, object := range f.in.Objects {
		for q, p := range f.points {
			if p == object.At {
				f.out.add(f.vars.Object(0, o, q))
			} else {
				f.out.add(-f.vars.Object(0, o, q))
			}
			if p == *object.Target {
				f.out.add(f.vars.Object(steps, o, q))
			}
		}
	}
}

// tips: each is at one point, and never back at a start off the points.
func (f *formula) tips(n int) {
	for r := range f.in.Robots {
		var all []int32
		for i := range f.reach[r] {
			for k := range i {
				f.out.add(-f.vars.Arm(n, r, k), -f.vars.Arm(n, r, i))
			}
			all = append(all, f.vars.Arm(n, r, i))
		}
		f.out.add(all...)
		if last := len(f.reach[r]) - 1; f.extra[r] && n > 0 {
			f.out.add(-f.vars.Arm(n, r, last), f.vars.Arm(n-1, r, last))
		}
	}
}

// where: an object is somewhere, and nowhere that distances exclude; nobody carries it from or to such a point.
func (f *formula) where(o, steps int) {
	possible, useful := f.possible(o, steps), f.useful(o, steps)
	for n := 0; n <= steps; n++ {
		var all []int32
		for q, p := range f.points {
			v := f.vars.Object(n, o, q)
			all = append(all, v)
			if !possible[n][p] || !useful[steps-n][p] {
				f.out.add(-v)
			}
		}
		f.out.add(all...)
	}
	hope := func(n int, p boxnet.Point) bool { return possible[n][p] && useful[steps-n][p] }
	for n := 1; n <= steps; n++ {
		for r := range f.in.Robots {
			take := slices.ContainsFunc(f.points, func(p boxnet.Point) bool { return hope(n-1, p) && f.takes(r, p) })
			if !take || !slices.ContainsFunc(f.reach[r], func(p boxnet.Point) bool { return hope(n, p) }) {
				f.out.add(-f.vars.Carry(n, r, o))
			}
		}
	}
}

// touchingPairs are pairs of points of two robots whose resting arms touch.
func (f *formula) touchingPairs(reading boxnet.Reading) (pairs [][4]int) {
	for r := range f.in.Robots {
		for s := range r {
			if !f.canMeet(r, s) {
				continue
			}
			for i := range f.reach[r] {
				a := f.motion(r, i, i)
				for j := range f.reach[s] {
					b := f.motion(s, j, j)
					if collision(f.in, reading, &a, &b) != "" {
						pairs = append(pairs, [4]int{r, i, s, j})
					}
				}
			}
		}
	}
	return pairs
}

// canMeet reports whether two arms could ever share a point.
func (f *formula) canMeet(r, s int) bool {
	a, b := f.in.Robots[r].Base, f.in.Robots[s].Base
	limit := 2 * boxnet.One
	if f.in.Dimensions == 3 {
		limit = 17 * boxnet.One / 10
	}
	return f.extra[r] || f.extra[s] || max(a.X-b.X, b.X-a.X) < limit && max(a.Y-b.Y, b.Y-a.Y) < limit
}

// apartObjects: no two objects at one point, no object carried by two robots.
func (f *formula) apartObjects(n int) {
	for o := range f.in.Objects {
		for other := range o {
			for q := range f.points {
				f.out.add(-f.vars.Object(n, o, q), -f.vars.Object(n, other, q))
			}
		}
		for r := range f.in.Robots {
			for s := range r {
				f.out.add(-f.vars.Carry(n, r, o), -f.vars.Carry(n, s, o))
			}
		}
	}
}

// stays: an object leaves or enters a point only if a robot that reaches the point carries it.
func (f *formula) stays(n, o int) {
	for q, p := range f.points {
		var takers, carriers []int32
		for r, own := range f.reach {
			if f.takes(r, p) {
				takers = append(takers, f.vars.Carry(n, r, o))
			}
			if slices.Contains(own, p) {
				carriers = append(carriers, f.vars.Carry(n, r, o))
			}
		}
		before, after := f.vars.Object(n-1, o, q), f.vars.Object(n, o, q)
		f.out.add(append([]int32{-before, after}, takers...)...)
		f.out.add(append([]int32{before, -after}, carriers...)...)
	}
}

// carried: before the step the tip is where it can take the object, after it the object is where the tip is.
func (f *formula) carried(n, r, o int) {
	c := f.vars.Carry(n, r, o)
	tip := map[boxnet.Point]int{}
	for i, p := range f.reach[r] {
		tip[p] = i
		takes := []int32{-c, -f.vars.Arm(n-1, r, i)}
		for q, at := range f.points {
			if f.aligned(p, at) {
				takes = append(takes, f.vars.Object(n-1, o, q))
				f.nearest(n, r, o, i, q)
			}
		}
		f.out.add(takes...)
	}
	for q, p := range f.points {
		taken := []int32{-c, -f.vars.Object(n-1, o, q)}
		for i, at := range f.reach[r] {
			if f.aligned(at, p) {
				taken = append(taken, f.vars.Arm(n-1, r, i))
			}
		}
		f.out.add(taken...)
		object := f.vars.Object(n, o, q)
		if i, reached := tip[p]; reached {
			f.out.add(-c, -object, f.vars.Arm(n, r, i))
			f.out.add(-c, object, -f.vars.Arm(n, r, i))
		} else {
			f.out.add(-c, -object)
		}
	}
	if last := len(f.reach[r]) - 1; f.extra[r] { // no object is ever there
		f.out.add(-c, -f.vars.Arm(n, r, last))
	}
}

// nearest: an object at point q is not taken from the i-th point of a robot where another one is nearer, or as near
// and before it in the task, unless a robot before this one takes that.
func (f *formula) nearest(n, r, o, i, q int) {
	tip := f.reach[r][i]
	mine := distance2(tip, f.points[q])
	for p, at := range f.points {
		if p == q || !f.aligned(tip, at) {
			continue
		}
		order := distance2(tip, at).Cmp(mine)
		for other := range f.in.Objects {
			if other == o || order > 0 || order == 0 && other > o {
				continue
			}
			clause := []int32{-f.vars.Carry(n, r, o), -f.vars.Arm(n-1, r, i), -f.vars.Object(n-1, o, q), -f.vars.Object(n-1, other, p)}
			for s := range r {
				clause = append(clause, f.vars.Carry(n, s, other))
			}
			f.out.add(clause...)
		}
	}
}

// badWay is a motion that is not possible, or if over is not negative, where an object is at that point.
type badWay struct{ robot, from, to, over int }

// badWays are the motions that obstacles or objects can be in the way of.
func (f *formula) badWays() (list []badWay) {
	for r := range f.in.Robots {
		for i := range f.reach[r] {
			for k := range f.reach[r] {
				if f.in.Dimensions == 3 && i != k && !(f.extra[r] && k == len(f.reach[r])-1) {
					list = append(list, f.badWay(r, i, k)...)
				}
			}
		}
	}
	return list
}

func (f *formula) badWay(r, i, k int) (list []badWay) {
	m := f.motion(r, i, k)
	for o := range f.in.Obstacles {
		if Blocks(&f.in.Obstacles[o], &m) {
			return []badWay{{r, i, k, -1}}
		}
	}
	for q, p := range f.points {
		if within(m.Base, p, 20) && Sweeps(&m, p) {
			list = append(list, badWay{r, i, k, q})
		}
	}
	return list
}

// avoid: no robot moves through an obstacle, or over an object that it does not carry.
func (f *formula) avoid(ways []badWay, n int) {
	for _, w := range ways {
		from, to := -f.vars.Arm(n-1, w.robot, w.from), -f.vars.Arm(n, w.robot, w.to)
		if w.over < 0 {
			f.out.add(from, to)
			continue
		}
		for o := range f.in.Objects {
			f.out.add(from, to, -f.vars.Object(n-1, o, w.over), f.vars.Carry(n, w.robot, o))
		}
	}
}

// clash forbids two motions in every step, if they do collide; with loaded if both robots carry.
func (f *formula) clash(reading boxnet.Reading, c [6]int32, loaded bool) error {
	r, s := int(c[0]), int(c[3])
	ok := r != s && min(r, s) >= 0 && max(r, s) < len(f.reach)
	for i, n := range c {
		if robot := int(c[i/3*3]); ok && i%3 > 0 {
			ok = n >= 0 && int(n) < len(f.reach[robot])
		}
	}
	if !ok {
		return fmt.Errorf("the clash %v names a robot or a point that is not there", c)
	}
	a, b := f.motion(r, int(c[1]), int(c[2])), f.motion(s, int(c[4]), int(c[5]))
	a.Carries, b.Carries = loaded, loaded
	if collision(f.in, reading, &a, &b) == "" {
		return fmt.Errorf("the motions of %v do not collide", c)
	}
	for n := 1; n <= f.vars.Steps; n++ {
		clause := []int32{-f.vars.Arm(n-1, r, int(c[1])), -f.vars.Arm(n, r, int(c[2])), -f.vars.Arm(n-1, s, int(c[4])), -f.vars.Arm(n, s, int(c[5]))}
		if !loaded {
			f.out.add(clause...)
			continue
		}
		for o := range f.in.Objects {
			for other := range f.in.Objects {
				if o != other {
					f.out.add(append(slices.Clone(clause), -f.vars.Carry(n, r, o), -f.vars.Carry(n, s, other))...)
				}
			}
		}
	}
	return nil
}
