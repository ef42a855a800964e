package joint

import "github.com/planproof/planproof/domains/boxnet"

// clash is a move of one robot that collides with what another one does. All that the other
// one could do that collides with the move is forbidden along with it.
type clash struct {
	r, from, to, s int32
	loaded         bool // it collides only if both robots carry an object
}

// counterpart is something that the other robot of a clash could do.
type counterpart struct{ from, to int32 }

// collisions finds clashes and remembers what they forbid.
type collisions struct {
	*places
	reading boxnet.Reading
	known   map[clash][]counterpart
	order   []clash // as they were found
}

// find returns the clashes of a solution that are new; none means that the plan is free of collisions.
func (c *collisions) find(f *formula) (fresh []clash) {
	for t := 1; t <= f.steps; t++ {
		for r := range c.reach {
			a := c.motion(int32(r), f.tip(t-1, r), f.tip(t, r))
			a.Carries = f.loaded(t, r)
			for s := range r {
				if !c.near(r, s) {
					continue
				}
				b := c.motion(int32(s), f.tip(t-1, s), f.tip(t, s))
				b.Carries = f.loaded(t, s)
				why := c.in.Collision(c.reading, &a, &b)
				if why == "" {
					continue
				}
				loaded := why == boxnet.ObjectsCross
				for _, k := range []clash{{int32(r), f.tip(t-1, r), f.tip(t, r), int32(s), loaded}, {int32(s), f.tip(t-1, s), f.tip(t, s), int32(r), loaded}} {
					if _, old := c.known[k]; !old && k.from != k.to {
						c.known[k] = c.counterparts(k)
						fresh = append(fresh, k)
					}
				}
			}
		}
	}
	c.order = append(c.order, fresh...)
	return fresh
}

// counterparts lists what collides with a move on the way, and not only after it.
func (c *collisions) counterparts(k clash) (list []counterpart) {
	a := c.motion(k.r, k.from, k.to)
	a.Carries = k.loaded
	for i := range c.reach[k.s] {
		for j := range c.reach[k.s] {
			b := c.motion(k.s, int32(i), int32(j))
			b.Carries = k.loaded
			switch why := c.in.Collision(c.reading, &a, &b); {
			case why == "", why == boxnet.SameEnd, why == boxnet.ArmsTouch:
			case k.loaded == (why == boxnet.ObjectsCross):
				list = append(list, counterpart{int32(i), int32(j)})
			}
		}
	}
	return list
}

// forbid adds the clauses of clashes, for every step.
func (c *collisions) forbid(f *formula, list []clash) {
	for _, k := range list {
		for _, o := range c.known[k] {
			for t := 1; t <= f.steps; t++ {
				lits := []int{-f.arm[t-1][k.r][k.from], -f.arm[t][k.r][k.to], -f.arm[t-1][k.s][o.from], -f.arm[t][k.s][o.to]}
				if !k.loaded {
					f.add(lits...)
					continue
				}
				for a, first := range f.carry[t][k.r] {
					for b, second := range f.carry[t][k.s] {
						if a != b {
							f.add(append(lits[:4:4], not(first), not(second))...)
						}
					}
				}
			}
		}
	}
}
