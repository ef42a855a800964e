package joint

import (
	"slices"

	"github.com/planproof/planproof/domains/boxnet"
)

// places is an instance on a finite set of points: the four points of each cell, and the
// starts and targets of objects. Points are ordered by x, then y.
type places struct {
	in     *boxnet.Instance
	points []boxnet.Point
	// ordinary is the number of points without the starts of arms at none of them, which come last.
	ordinary int
	// reach are the points of each robot in order. An arm that starts at none of them has its
	// start as one more point, the last, to which it cannot come back.
	reach  [][]int32
	start  []int32 // of each robot: where in reach its arm is at first
	odd    []bool  // of each robot: whether that is such a last point
	served [][]spot
	// takers are, by point, the spots from which a robot can take an object there, and takes the points
	// from which a robot can take one. In BoxNet2D these are those that it reaches.
	takers [][]spot
	takes  [][]int32
	at     []int32 // of each object: its first point
	target []int32
}

// spot is a point in the reach of a robot.
type spot struct{ robot, index int32 }

func newPlaces(in *boxnet.Instance) *places {
	p := &places{in: in}
	index := map[boxnet.Point]int32{}
	add := func(q boxnet.Point) {
		if _, known := index[q]; !known {
			index[q] = 0
			p.points = append(p.points, q)
		}
	}
	p.addCells(add)
	for i := range in.Objects {
		add(in.Objects[i].At)
		add(*in.Objects[i].Target)
	}
	p.ordinary = len(p.points)
	for i := range in.Robots {
		add(in.Robots[i].Arm)
	}
	slices.SortFunc(p.points[:p.ordinary], boxnet.ComparePoints)
	for i, q := range p.points {
		index[q] = int32(i)
	}
	p.served = make([][]spot, len(p.points))
	for r := range in.Robots {
		p.addRobot(r, index)
	}
	p.align()
	for i := range in.Objects {
		p.at = append(p.at, index[in.Objects[i].At])
		p.target = append(p.target, index[*in.Objects[i].Target])
	}
	return p
}

// addCells adds the points of the map that some robot reaches; the others are of no use.
func (p *places) addCells(add func(boxnet.Point)) {
	for i := range p.in.Robots {
		for _, q := range p.in.Cells(p.in.Robots[i].Base) {
			add(q)
		}
		for _, q := range p.in.Beside(p.in.Robots[i].Base) {
			add(q)
		}
	}
}

// align notes from where robots can take objects.
func (p *places) align() {
	p.takers, p.takes = make([][]spot, len(p.points)), make([][]int32, len(p.reach))
	for r := range p.reach {
		for q := range p.points[:p.ordinary] {
			before := len(p.takers[q])
			for i := range p.reach[r] {
				if p.in.Aligned(p.point(int32(r), int32(i)), p.points[q]) {
					p.takers[q] = append(p.takers[q], spot{int32(r), int32(i)})
				}
			}
			if len(p.takers[q]) > before {
				p.takes[r] = append(p.takes[r], int32(q))
			}
		}
	}
}

// ordinaryReach are the points of a robot without a start to which it cannot come back.
func (p *places) ordinaryReach(r int32) []int32 {
	if p.odd[r] {
		return p.reach[r][:len(p.reach[r])-1]
	}
	return p.reach[r]
}

// addRobot notes what a robot reaches.
func (p *places) addRobot(r int, index map[boxnet.Point]int32) {
	robot := &p.in.Robots[r]
	var list []int32
	for i, q := range p.points[:p.ordinary] {
		if p.in.Reaches(robot.Base, q) {
			list = append(list, int32(i))
		}
	}
	first := index[robot.Arm]
	at, known := slices.BinarySearch(list, first)
	if !known {
		at, list = len(list), append(list, first)
	}
	p.reach = append(p.reach, list)
	p.start = append(p.start, int32(at))
	p.odd = append(p.odd, !known)
	for i, q := range list {
		p.served[q] = append(p.served[q], spot{int32(r), int32(i)})
	}
}

// point is the place of a spot.
func (p *places) point(r, i int32) boxnet.Point { return p.points[p.reach[r][i]] }

// motion is what the arm of r does between two of its points.
func (p *places) motion(r, from, to int32) boxnet.Motion {
	return boxnet.Motion{Base: p.in.Robots[r].Base, From: p.point(r, from), To: p.point(r, to), Moves: from != to}
}
