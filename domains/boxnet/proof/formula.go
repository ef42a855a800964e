package proof

import (
	"fmt"

	"github.com/planproof/planproof/domains/boxnet"
)

// formula writes the clauses that say that there is a plan of some steps, apart from what
// happens on the way of two arms.
type formula struct {
	*task
	vars *Variables
	out  *checker
}

func (t *task) formula(steps int) *formula {
	f := &formula{task: t, vars: t.variables(steps)}
	f.out = newChecker(f.vars.Count())
	f.ends(steps)
	for n := 0; n <= steps; n++ {
		f.tips(n)
	}
	for o := range t.in.Objects {
		f.where(o, steps)
	}
	pairs := f.touchingPairs()
	for n := 1; n <= steps; n++ {
		for _, p := range pairs {
			f.out.add(-f.vars.Arm(n, p[0], p[1]), -f.vars.Arm(n, p[2], p[3]))
		}
		f.apartObjects(n)
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

// where: an object is somewhere, and nowhere that distances exclude.
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
}

// touchingPairs are pairs of points of two robots whose resting arms touch.
func (f *formula) touchingPairs() (pairs [][4]int) {
	for r := range f.in.Robots {
		for s := range r {
			if !f.canMeet(r, s) {
				continue
			}
			for i := range f.reach[r] {
				a := f.motion(r, i, i)
				for j := range f.reach[s] {
					b := f.motion(s, j, j)
					if Collision(boxnet.Default, &a, &b) != "" {
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
	return f.extra[r] || f.extra[s] || max(a.X-b.X, b.X-a.X) < 2*boxnet.One && max(a.Y-b.Y, b.Y-a.Y) < 2*boxnet.One
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
		var carriers []int32
		for r, own := range f.reach {
			for _, reached := range own {
				if reached == p {
					carriers = append(carriers, f.vars.Carry(n, r, o))
				}
			}
		}
		before, after := f.vars.Object(n-1, o, q), f.vars.Object(n, o, q)
		f.out.add(append([]int32{-before, after}, carriers...)...)
		f.out.add(append([]int32{before, -after}, carriers...)...)
	}
}

// carried: the object is where the tip is, before and after the step.
func (f *formula) carried(n, r, o int) {
	c := f.vars.Carry(n, r, o)
	tip := map[boxnet.Point]int{}
	for i, p := range f.reach[r] {
		tip[p] = i
	}
	for q, p := range f.points {
		i, reached := tip[p]
		for _, at := range []int{n - 1, n} {
			object := f.vars.Object(at, o, q)
			if !reached {
				f.out.add(-c, -object)
				continue
			}
			f.out.add(-c, -object, f.vars.Arm(at, r, i))
			f.out.add(-c, object, -f.vars.Arm(at, r, i))
		}
	}
	if last := len(f.reach[r]) - 1; f.extra[r] { // no object is ever there
		f.out.add(-c, -f.vars.Arm(n-1, r, last))
		f.out.add(-c, -f.vars.Arm(n, r, last))
	}
}

// clash forbids two motions in every step, if they do collide.
func (f *formula) clash(reading boxnet.Reading, c [6]int32) error {
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
	if Collision(reading, &a, &b) == "" {
		return fmt.Errorf("the motions of %v do not collide", c)
	}
	for n := 1; n <= f.vars.Steps; n++ {
		f.out.add(-f.vars.Arm(n-1, r, int(c[1])), -f.vars.Arm(n, r, int(c[2])), -f.vars.Arm(n-1, s, int(c[4])), -f.vars.Arm(n, s, int(c[5])))
	}
	return nil
}
