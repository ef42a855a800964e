package joint

import "slices"

// never is the distance of what cannot be reached.
const never = int32(1) << 20

// hops returns for each point how often an object has to be carried, at least, to get there
// from one of the given points, or with back from there to one of them.
func (p *places) hops(back bool, from ...int32) []int32 {
	dist := make([]int32, len(p.points))
	for i := range dist {
		dist[i] = never
	}
	used := make([]bool, len(p.reach))
	queue := append([]int32{}, from...)
	for _, q := range from {
		dist[q] = 0
	}
	for len(queue) > 0 {
		q := queue[0]
		queue = queue[1:]
		carriers, reach := p.takers[q], p.ordinaryReach
		if back {
			carriers, reach = p.served[q], func(r int32) []int32 { return p.takes[r] }
		}
		for _, s := range carriers {
			if used[s.robot] {
				continue
			}
			used[s.robot] = true
			for _, next := range reach(s.robot) {
				if dist[next] == never {
					dist[next] = dist[q] + 1
					queue = append(queue, next)
				}
			}
		}
	}
	return dist
}

// timing says for each object and point when the object can be there.
type timing struct {
	// earliest is the first step after which an object can be at a point. To carry takes
	// two steps, one to align and one to carry, but for the first if an arm is there already:
	// two robots that carry one after the other are never at the object at the same time.
	earliest [][]int32
	// left is how many steps an object at a point needs at least, 1 less than to align and carry:
	// an arm may be there already.
	left [][]int32
	// moves is the least number of moves for each object.
	moves []int32
	armed []bool // whether an arm that is at the object at first saves a move
}

func (p *places) times() *timing {
	t := new(timing)
	for o, at := range p.at {
		fwd, back := p.hops(false, at), p.hops(true, p.target[o])
		early, left := make([]int32, len(fwd)), make([]int32, len(fwd))
		for q := range fwd {
			early[q] = min(2*fwd[q], never)
			left[q] = min(max(0, 2*back[q]-1), never)
		}
		for r := range p.reach {
			if !p.armed(r, at) {
				continue
			}
			after := p.hops(false, p.ordinaryReach(int32(r))...)
			for q := range after {
				if fwd[q] > 0 {
					early[q] = min(early[q], 1+2*after[q])
				}
			}
		}
		goal := p.target[o]
		t.earliest, t.left = append(t.earliest, early), append(t.left, left)
		t.moves = append(t.moves, early[goal])
		t.armed = append(t.armed, early[goal] < min(2*fwd[goal], never))
	}
	return t
}

// Bound is a lower bound on the number of steps, with what it comes from.
type Bound struct {
	Steps int
	// From is "object" (one object's way), "moves" (the moves of all objects, shared by the robots)
	// or "robot" (the objects that only one robot can lift or put down).
	From string
}

// Bounds returns the three lower bounds, the best one first; solvable is false if some
// object cannot be carried to its target by any robots, whatever else happens.
func (p *places) bounds(t *timing) (best Bound, all []Bound, solvable bool) {
	var object, total int32
	for _, m := range t.moves {
		if m >= never {
			return Bound{}, nil, false
		}
		object, total = max(object, m), total+m
	}
	all = []Bound{{int(object), "object"}, {0, "moves"}, {int(p.robotBound(t)), "robot"}}
	if n := int32(len(p.reach)); n > 0 {
		all[1].Steps = int((total + n - 1) / n)
	}
	best = all[0]
	for _, b := range all[1:] {
		if b.Steps > best.Steps {
			best = b
		}
	}
	return best, all, true
}

// robotBound: a robot moves twice for each object that only it can take from its start or put
// on its target, but once for the one that its arm is at.
func (p *places) robotBound(t *timing) (most int32) {
	for r := range p.reach {
		only := func(spots []spot) bool {
			return len(spots) > 0 && !slices.ContainsFunc(spots, func(s spot) bool { return s.robot != int32(r) })
		}
		n := int32(0)
		armed := false
		for o := range p.at {
			if t.moves[o] == 0 || !only(p.takers[p.at[o]]) && !only(p.served[p.target[o]]) {
				continue
			}
			n += 2
			armed = armed || p.armed(r, p.at[o])
		}
		if armed {
			n--
		}
		most = max(most, n)
	}
	return most
}

// armed reports whether the arm of a robot is at a point at first, so that it can take an object there.
func (p *places) armed(r int, q int32) bool {
	return p.in.Aligned(p.point(int32(r), p.start[r]), p.points[q])
}
