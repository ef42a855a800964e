package joint

import "github.com/planproof/planproof/domains/boxnet"

// clash is a move of one robot that collides with what another one does. All that the other
// one could do that collides with the move is forbidden along with it.
type clash struct{ r, from, to, s int32 }

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
			for s := range r {
				if !c.near(r, s) {
					continue
				}
				b := c.motion(int32(s), f.tip(t-1, s), f.tip(t, s))
				if c.reading.Collision(&a, &b) == "" {
					continue
				}
				for _, k := range []clash{{int32(r), f.tip(t-1, r), f.tip(t, r), int32(s)}, {int32(s), f.tip(t-1, s), f.tip(t, s), int32(r)}} {
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
	for i := range c.reach[k.s] {
		for j := range c.reach[k.s] {
			b := c.motion(k.s, int32(i), int32(j))
			switch c.reading.Collision(&a, &b) {
			case "", boxnet.SameEnd, boxnet.ArmsTouch:
			default:
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
				f.add(lits...)
			}
		}
	}
}
