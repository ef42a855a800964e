package astar

import (
	"slices"

	"github.com/planproof/planproof/domains/boxnet"
)

// actions lists what one robot could do: come to an object that it can bring nearer to its target, bring one there that it
// is at, or, for an object that it reaches and cannot bring nearer, get out of the way. A robot
// that reaches no unfinished object does nothing.
func (s *search) actions(st *boxnet.State, robot int) (list []boxnet.Move) {
	arm := st.Arms[robot]
	add := func(to boxnet.Point, carry bool) {
		m := boxnet.Move{Robot: s.in.Robots[robot].Name, From: arm, To: to, Carry: carry, Bare: s.in.Swings()}
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	for o, at := range st.Objects {
		if at == *s.in.Objects[o].Target || !s.in.Reaches(s.in.Robots[robot].Base, at) {
			continue
		}
		useful := false
		for _, next := range s.reach[robot] {
			if s.quality(o, next) >= s.quality(o, at) {
				continue
			}
			useful = true
			if s.in.Aligned(arm, at) {
				add(next, true)
			} else {
				add(at, false)
			}
		}
		if useful {
			continue
		}
		for _, away := range s.reach[robot] {
			if away != arm {
				add(away, false)
				break
			}
		}
	}
	return list
}

// successors are the best legal steps of a state, by the estimate of where they lead.
func (s *search) successors(at *node) []*node {
	var active []int
	actions := make([][]boxnet.Move, len(s.in.Robots))
	for r := range s.in.Robots {
		if actions[r] = s.actions(at.state, r); len(actions[r]) > 0 {
			active = append(active, r)
		}
	}
	together := min(maxTogether, len(s.in.Objects), len(active))
	var found []*node
	for size := 1; size <= max(together, 1); size++ {
		s.groups(at.state, active, actions, size, nil, func(step boxnet.Step) {
			if next := s.apply(at, step); next != nil {
				found = append(found, next)
			}
		})
	}
	slices.SortStableFunc(found, func(a, b *node) int {
		switch {
		case a.f < b.f:
			return -1
		case a.f > b.f:
			return 1
		}
		return 0
	})
	return found[:min(len(found), s.opt.Width)]
}

// groups calls visit with the steps in which size more of the robots move, each in one of its
// ways. Two moves that collide are not continued.
func (s *search) groups(st *boxnet.State, robots []int, actions [][]boxnet.Move, size int, step boxnet.Step, visit func(boxnet.Step)) {
	if size == 0 {
		visit(slices.Clone(step))
		return
	}
	for i, r := range robots {
		if len(robots)-i < size {
			return
		}
		for _, m := range actions[r] {
			if s.fits(r, m, step) {
				s.groups(st, robots[i+1:], actions, size-1, append(step, m), visit)
			}
		}
	}
}

// fits reports whether a move collides with none of a step.
func (s *search) fits(robot int, m boxnet.Move, step boxnet.Step) bool {
	a := boxnet.Motion{Base: s.in.Robots[robot].Base, From: m.From, To: m.To, Moves: true, Carries: m.Carry}
	for _, other := range step {
		b := boxnet.Motion{Base: s.in.Robots[s.judge.Robot(other.Robot)].Base, From: other.From, To: other.To, Moves: true, Carries: other.Carry}
		if s.in.Collision(s.opt.Reading, &a, &b) != "" {
			return false
		}
	}
	return true
}

// apply is the node that a step leads to, nil if the step is not legal.
func (s *search) apply(at *node, step boxnet.Step) *node {
	st := at.state.Clone()
	if s.judge.Step(st, step, &s.scratch) != nil {
		return nil
	}
	return &node{state: st, key: key(st), parent: at, step: step, g: at.g + 1, f: float64(at.g+1) + s.estimate(st)}
}
