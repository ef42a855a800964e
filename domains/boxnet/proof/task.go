package proof

import (
	"math/big"
	"slices"

	"github.com/planproof/planproof/domains/boxnet"
)

// task is an instance on its points: the four points of each cell that some arm reaches and the
// starts and targets of objects, by x, then y. Each robot's points are those that it reaches, in this
// order, and its arm's start at the end if that is none of them.
type task struct {
	in      *boxnet.Instance
	reading boxnet.Reading
	points  []boxnet.Point
	reach   [][]boxnet.Point
	extra   []bool                // of each robot: the last point is only a start
	isSlow  map[boxnet.Point]bool // what slow has found
}

func newTask(in *boxnet.Instance, reading boxnet.Reading) *task {
	t := &task{in: in, reading: reading, isSlow: map[boxnet.Point]bool{}}
	if in.Dimensions == 3 {
		t.points3D()
	} else {
		t.points2D()
	}
	for _, o := range in.Objects {
		for _, p := range []boxnet.Point{o.At, *o.Target} {
			if !slices.Contains(t.points, p) {
				t.points = append(t.points, p)
			}
		}
	}
	slices.SortFunc(t.points, boxnet.ComparePoints)
	for _, r := range in.Robots {
		var own []boxnet.Point
		for _, p := range t.points {
			if t.reaches(r.Base, p) {
				own = append(own, p)
			}
		}
		extra := !slices.Contains(own, r.Arm)
		if extra {
			own = append(own, r.Arm)
		}
		t.reach, t.extra = append(t.reach, own), append(t.extra, extra)
	}
	return t
}

func (t *task) points2D() {
	for x := range 2 * t.in.Width {
		for y := range 2 * t.in.Height {
			p := boxnet.Point{X: boxnet.One/4 + boxnet.Coord(x)*boxnet.One/2, Y: boxnet.One/4 + boxnet.Coord(y)*boxnet.One/2}
			if slices.ContainsFunc(t.in.Robots, func(r boxnet.Robot) bool { return reaches(r.Base, p) }) {
				t.points = append(t.points, p)
			}
		}
	}
}

// points3D are the middles of cells that some arm reaches and the four points half a unit beside each base.
func (t *task) points3D() {
	const half = 11 * boxnet.One / 20
	for _, r := range t.in.Robots {
		list := []boxnet.Point{}
		for x := range t.in.Width {
			for y := range t.in.Height {
				list = append(list, boxnet.Point{X: half * boxnet.Coord(2*x+1), Y: half * boxnet.Coord(2*y+1)})
			}
		}
		list = slices.DeleteFunc(list, func(p boxnet.Point) bool { return !t.reaches(r.Base, p) })
		for _, d := range [][2]boxnet.Coord{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			list = append(list, boxnet.Point{X: r.Base.X + d[0]*boxnet.One/2, Y: r.Base.Y + d[1]*boxnet.One/2})
		}
		for _, p := range list {
			if !slices.Contains(t.points, p) {
				t.points = append(t.points, p)
			}
		}
	}
}

// distance2 is a squared distance.
func distance2(p, q boxnet.Point) *big.Int {
	dx, dy := big.NewInt(int64(p.X-q.X)), big.NewInt(int64(p.Y-q.Y))
	return dx.Add(dx.Mul(dx, dx), dy.Mul(dy, dy))
}

// within reports whether two points are nearer to each other than a number of tenths.
func within(p, q boxnet.Point, tenths int64) bool {
	d := big.NewInt(tenths * int64(boxnet.One) / 10)
	return distance2(p, q).Cmp(d.Mul(d, d)) < 0
}

// reaches is rule 1.
func (t *task) reaches(base, p boxnet.Point) bool {
	if t.in.Dimensions == 3 {
		near := big.NewInt(4 * int64(boxnet.One) / 10)
		return distance2(base, p).Cmp(near.Mul(near, near)) > 0 && within(base, p, 8)
	}
	return reaches(base, p)
}

// aligned reports whether a tip can take an object.
func (t *task) aligned(tip, object boxnet.Point) bool {
	return tip == object || t.in.Dimensions == 3 && within(tip, object, 1)
}

// reaches is rule 1 of BoxNet2D, with distances.
func reaches(base, p boxnet.Point) bool {
	dx, dy := p.X-base.X, p.Y-base.Y
	return max(dx, -dx) < boxnet.One && max(dy, -dy) < boxnet.One
}

func (t *task) variables(steps int) *Variables {
	var sizes []int
	for _, own := range t.reach {
		sizes = append(sizes, len(own))
	}
	return NewVariables(steps, len(t.points), len(t.in.Objects), sizes)
}

func (t *task) motion(robot, from, to int) boxnet.Motion {
	return boxnet.Motion{Base: t.in.Robots[robot].Base, From: t.reach[robot][from], To: t.reach[robot][to], Moves: from != to}
}

// takes reports whether a robot has a point from which it can take an object at p.
func (t *task) takes(robot int, p boxnet.Point) bool {
	return slices.ContainsFunc(t.reach[robot], func(tip boxnet.Point) bool { return t.aligned(tip, p) })
}

// spread adds to a set of points those to which one robot can carry an object from it.
func (t *task) spread(set map[boxnet.Point]bool) map[boxnet.Point]bool {
	out := map[boxnet.Point]bool{}
	for i := range t.reach {
		for p := range set {
			if t.takes(i, p) {
				t.addReach(out, i)
				break
			}
		}
	}
	return out
}

// gather adds to a set of points those from which one robot can carry an object into it.
func (t *task) gather(set map[boxnet.Point]bool) map[boxnet.Point]bool {
	out := map[boxnet.Point]bool{}
	for i := range t.reach {
		into := map[boxnet.Point]bool{}
		t.addReach(into, i)
		meets := false
		for p := range into {
			meets = meets || set[p]
		}
		for _, p := range t.points {
			if meets && t.takes(i, p) {
				out[p] = true
			}
		}
	}
	return out
}

func (t *task) addReach(set map[boxnet.Point]bool, robot int) {
	for i, p := range t.reach[robot] {
		if !t.extra[robot] || i < len(t.reach[robot])-1 {
			set[p] = true
		}
	}
}

func union(a, b map[boxnet.Point]bool) map[boxnet.Point]bool {
	out := map[boxnet.Point]bool{}
	for _, m := range []map[boxnet.Point]bool{a, b} {
		for p := range m {
			out[p] = true
		}
	}
	return out
}

// slow reports whether an object that has been carried to a point stays there for three steps until another robot has
// carried it on: under no-follow the tip that brought it leaves, then another one comes to the very point, then it
// carries.
func (t *task) slow(p boxnet.Point) bool {
	if t.reading != boxnet.NoFollow {
		return false
	}
	slow, known := t.isSlow[p]
	if !known {
		slow = true
		for _, own := range t.reach {
			slow = slow && !slices.ContainsFunc(own, func(tip boxnet.Point) bool { return tip != p && t.aligned(tip, p) })
		}
		t.isSlow[p] = slow
	}
	return slow
}

// split divides a set of points into those that are slow and the others; one is never slow.
func (t *task) split(set map[boxnet.Point]bool, never boxnet.Point) (slow, quick map[boxnet.Point]bool) {
	slow, quick = map[boxnet.Point]bool{}, map[boxnet.Point]bool{}
	for p := range set {
		if p != never && t.slow(p) {
			slow[p] = true
		} else {
			quick[p] = true
		}
	}
	return slow, quick
}

// possible returns for each number of steps, up to some, where an object can be after them. To
// be carried from a point in a step, an object must have been there two steps before, so that another
// robot could come to it, or three where that is slow; but at first an arm may be at it already. (The robot that
// brought it to the point could also have carried it on in one go.)
func (t *task) possible(object, steps int) []map[boxnet.Point]bool {
	o := t.in.Objects[object]
	sets := []map[boxnet.Point]bool{{o.At: true}}
	for n := 1; n <= steps; n++ {
		next := map[boxnet.Point]bool{}
		if n >= 2 {
			_, quick := t.split(sets[n-2], o.At)
			next = t.spread(quick)
		}
		if n >= 3 {
			slow, _ := t.split(sets[n-3], o.At)
			next = union(next, t.spread(slow))
		}
		for i, r := range t.in.Robots {
			if n == 1 && t.aligned(r.Arm, o.At) {
				t.addReach(next, i)
			}
		}
		sets = append(sets, union(sets[n-1], next))
	}
	return sets
}

// useful returns for each number of steps that are left where an object can be with hope. An
// arm may be at it already, but only for the first time that it is carried.
func (t *task) useful(object, steps int) []map[boxnet.Point]bool {
	arrived := []map[boxnet.Point]bool{{*t.in.Objects[object].Target: true}}
	for n := 1; n <= steps; n++ {
		next := arrived[n-1]
		if n >= 2 {
			_, quick := t.split(t.gather(arrived[n-2]), *t.in.Objects[object].Target)
			next = union(next, quick)
		}
		if n >= 3 {
			slow, _ := t.split(t.gather(arrived[n-3]), *t.in.Objects[object].Target)
			next = union(next, slow)
		}
		arrived = append(arrived, next)
	}
	sets := arrived[:1:1]
	for n := 1; n <= steps; n++ {
		sets = append(sets, union(arrived[n], t.gather(arrived[n-1])))
	}
	return sets
}

// lowerBound is the largest of three: the steps that one object needs; the moves of all, shared
// by the robots; and the moves of a robot for the objects that only it can take or put down.
func (t *task) lowerBound() (bound int) {
	total := 0
	for o := range t.in.Objects {
		bound = max(bound, t.alone(o))
		quick := *t
		quick.reading = boxnet.Default
		total += quick.alone(o) // moves: to wait takes none
	}
	if n := len(t.in.Robots); n > 0 {
		bound = max(bound, (total+n-1)/n)
	}
	for i, r := range t.in.Robots {
		need, ready := 0, 0
		for _, o := range t.in.Objects {
			if o.At != *o.Target && (t.only(i, o.At, t.takes) || t.onlyFor(i, *o.Target)) {
				need += 2
				if t.aligned(r.Arm, o.At) {
					ready = 1
				}
			}
		}
		bound = max(bound, need-ready)
	}
	return bound
}

// alone is the number of steps that an object needs by itself, which is also the number of
// moves for it where none of the steps is to wait.
func (t *task) alone(object int) int {
	target := *t.in.Objects[object].Target
	for n, set := range t.possible(object, 6*len(t.in.Robots)+6) {
		if set[target] {
			return n
		}
	}
	return 0 // it cannot get there, which the plan of the certificate disproves
}

// onlyFor reports whether a robot is the only one that reaches a point.
func (t *task) onlyFor(robot int, p boxnet.Point) bool {
	return t.only(robot, p, func(i int, p boxnet.Point) bool { return slices.Contains(t.reach[i], p) })
}

// only reports whether of all robots one can do something at a point.
func (t *task) only(robot int, p boxnet.Point, can func(int, boxnet.Point) bool) bool {
	for i := range t.reach {
		if can(i, p) != (i == robot) {
			return false
		}
	}
	return true
}
