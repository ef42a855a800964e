package joint

import (
	"slices"

	"github.com/planproof/planproof/domains/boxnet"
)

// never is the distance of what cannot be reached.
const never = int32(1) << 20

// timing says for each object and point when the object can be there.
type timing struct {
	// earliest is the first step after which an object can be at a point. To be carried the first time takes two
	// steps, one to align and one to carry, or one if an arm is there already; to be carried on takes p.onward.
	earliest [][]int32
	// left is how many steps an object at a point needs at least: one to carry, since an arm may be there already,
	// and what it takes from there on.
	left [][]int32
	// moves is the least number of moves for each object.
	moves []int32
}

// onward is how many steps it takes at least to carry an object on from a point to which another robot has carried
// it. Two tips are never at one point, so one step is to align and one to carry. Under NoFollow the place that a tip
// leaves may not be entered in the same step: one step more, unless a tip somewhere else can take the object.
func (p *places) onward(reading boxnet.Reading) []int32 {
	steps := make([]int32, len(p.points))
	for q := range steps {
		steps[q] = 2
		there := func(s spot) bool { return p.reach[s.robot][s.index] == int32(q) }
		if reading == boxnet.NoFollow && !slices.ContainsFunc(p.takers[q], func(s spot) bool { return !there(s) }) {
			steps[q] = 3
		}
	}
	return steps
}

func (p *places) times(reading boxnet.Reading) *timing {
	t := new(timing)
	steps := p.onward(reading)
	two := make([]int32, len(steps))
	for q := range two {
		two[q] = 2
	}
	for o, at := range p.at {
		goal := p.target[o]
		early := p.arrive(at, steps)
		left := p.depart(goal, steps)
		t.earliest, t.left = append(t.earliest, early), append(t.left, left)
		t.moves = append(t.moves, p.arrive(at, two)[goal])
	}
	return t
}

// arrive is the first step after which an object that starts at a point can be at each point, if it takes that many
// steps to carry it on from a point.
func (p *places) arrive(at int32, onward []int32) []int32 {
	early := make([]int32, len(p.points))
	for q := range early {
		early[q] = never
	}
	early[at] = 0
	for again := true; again; {
		again = false
		for r := range p.reach {
			first := never
			for _, q := range p.takes[r] {
				switch {
				case q == at && p.armed(r, at):
					first = min(first, 1)
				case q == at:
					first = min(first, 2)
				case early[q] < never:
					first = min(first, early[q]+onward[q])
				}
			}
			for _, q := range p.ordinaryReach(int32(r)) {
				if first < early[q] {
					early[q], again = first, true
				}
			}
		}
	}
	return early
}

// depart is the least number of steps from each point to the goal, the first one to carry.
func (p *places) depart(goal int32, onward []int32) []int32 {
	left := make([]int32, len(p.points))
	for q := range left {
		left[q] = never
	}
	left[goal] = 0
	for again := true; again; {
		again = false
		for r := range p.reach {
			rest := never // of steps after r has carried it
			for _, q := range p.ordinaryReach(int32(r)) {
				switch {
				case q == goal:
					rest = 0
				case left[q] < never:
					rest = min(rest, left[q]+onward[q]-1)
				}
			}
			for _, q := range p.takes[r] {
				if rest+1 < left[q] {
					left[q], again = rest+1, true
				}
			}
		}
	}
	return left
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
		total += m
	}
	for o, q := range p.target {
		object = max(object, t.earliest[o][q])
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
