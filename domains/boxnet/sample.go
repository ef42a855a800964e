package boxnet

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// SampleOptions say what [Sample] draws.
type SampleOptions struct {
	Width, Height, Objects int
	Layout                 Layout
	// NewCoord moves the starts and targets of objects by up to 0.2 in x and in y, to two
	// decimals (the paper's NEWCOORD). Arms stay on the points. In BoxNet3D they are moved to where some arm
	// reaches: a cell's middle is nearly as far from the bases at its corners as arms reach.
	NewCoord bool
	// Dimensions is 3 for BoxNet3D, which may have Obstacles: pillars at random places.
	Dimensions, Obstacles int
}

// ErrNoSample is the error of Sample where nothing fits.
var ErrNoSample = errors.New("no such state was found")

// Check refuses options that no state can have.
func (o *SampleOptions) Check() error {
	if o.Width < 2 || o.Height < 2 || o.Width > 20 || o.Height > 20 {
		return fmt.Errorf("a map of %d x %d cells: sides are from 2 to 20", o.Width, o.Height)
	}
	most := 2 * o.Width * o.Height
	if o.Dimensions == 3 {
		most /= 2
	}
	if o.Objects < 1 || o.Objects > most {
		return fmt.Errorf("%d objects: this map takes from 1 to %d", o.Objects, most)
	}
	switch {
	case o.Dimensions != 0 && o.Dimensions != 2 && o.Dimensions != 3:
		return fmt.Errorf("%d dimensions: there are 2 and 3", o.Dimensions)
	case o.Dimensions != 3 && o.Obstacles != 0:
		return errors.New("obstacles are only of BoxNet3D")
	case o.Obstacles < 0 || o.Obstacles > 100:
		return fmt.Errorf("%d obstacles: there can be from 0 to 100", o.Obstacles)
	}
	_, err := ParseLayout(string(o.Layout))
	return err
}

// Sample draws an instance: robots by the layout, tips at random points of their reach so that
// no arms touch, starts and targets of objects at random points that some arm reaches, each
// target away from its object's start. Whether there is a plan is for search to say.
func Sample(r *rand.Rand, opt SampleOptions) (*Instance, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	in := &Instance{Width: opt.Width, Height: opt.Height}
	if opt.Dimensions == 3 {
		in.Dimensions = 3
	}
	joints := opt.Layout.joints(opt.Width, opt.Height)
	if opt.Layout == RandRob {
		joints = randomJoints(r, opt.Width, opt.Height)
	}
	for i, j := range joints {
		in.Robots = append(in.Robots, Robot{Name: fmt.Sprintf("Robot %d", i), Base: j.point(in.Side())})
	}
	if len(joints) == 0 || !in.placeArms(r) {
		return nil, ErrNoSample
	}
	points := in.served()
	if len(points) < 2*opt.Objects && len(points) < opt.Objects+1 {
		return nil, ErrNoSample
	}
	starts, targets := r.Perm(len(points))[:opt.Objects], r.Perm(len(points))[:opt.Objects]
	for slices.ContainsFunc(starts, func(s int) bool { return targets[slices.Index(starts, s)] == s }) {
		targets = r.Perm(len(points))[:opt.Objects]
	}
	for i := range opt.Objects {
		at, target := points[starts[i]], points[targets[i]]
		if opt.NewCoord {
			at, target = in.nudge(r, at), in.nudge(r, target)
		}
		in.Objects = append(in.Objects, Object{Name: fmt.Sprintf("Object %d", i), At: at, Target: &target})
	}
	return in, in.drawObstacles(r, opt.Obstacles)
}

// placeArms gives each arm its first tip: in BoxNet3D all in one pose, which is that of the paper's example.
func (in *Instance) placeArms(r *rand.Rand) bool {
	if !in.Swings() {
		return in.drawArms(r)
	}
	for i := range in.Robots {
		base := in.Robots[i].Base
		in.Robots[i].Arm = Point{base.X + 14*One/100, base.Y - 49*One/100}
	}
	return true
}

// Sizes of obstacles that are drawn.
const (
	pillarRadius = One / 10
	pillarHeight = 3 * One / 10
)

// drawObstacles draws pillars, to two decimals, away from bases, tips, starts and targets.
func (in *Instance) drawObstacles(r *rand.Rand, n int) error {
	keep := []Point{}
	for i := range in.Robots {
		keep = append(keep, in.Robots[i].Base, in.Robots[i].Arm)
	}
	for i := range in.Objects {
		keep = append(keep, in.Objects[i].At, *in.Objects[i].Target)
	}
	for tries := 0; len(in.Obstacles) < n; tries++ {
		if tries == 1000 {
			return ErrNoSample
		}
		p := Point{Coord(r.IntN(110*in.Width+1)) * One / 100, Coord(r.IntN(110*in.Height+1)) * One / 100}
		if slices.ContainsFunc(keep, func(q Point) bool { return squared(p, q).below(2*pillarRadius + One/20) }) {
			continue
		}
		keep = append(keep, p)
		in.Obstacles = append(in.Obstacles, Obstacle{Name: fmt.Sprintf("Obstacle %d", len(in.Obstacles)), At: p, Radius: pillarRadius, Height: pillarHeight})
	}
	return nil
}

// nudge moves a point by a random amount, to a place that an arm reaches if some arm reaches the point.
func (in *Instance) nudge(r *rand.Rand, p Point) Point {
	for {
		q := Point{p.X + Coord(r.IntN(41)-20)*One/100, p.Y + Coord(r.IntN(41)-20)*One/100}
		if !in.Swings() || slices.ContainsFunc(in.Robots, func(robot Robot) bool { return in.Reaches(robot.Base, q) }) {
			return q
		}
	}
}

// served are the points that some arm reaches, by x, then y.
func (in *Instance) served() (list []Point) {
	for i := range in.Robots {
		list = append(list, in.Cells(in.Robots[i].Base)...)
	}
	slices.SortFunc(list, ComparePoints)
	return slices.Compact(list)
}

// ComparePoints orders points by x, then y.
func ComparePoints(a, b Point) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) }

// drawArms gives each arm a tip in the points of its reach so that no two arms touch.
func (in *Instance) drawArms(r *rand.Rand) bool {
	for range 1000 {
		ok := true
		for i := 0; i < len(in.Robots) && ok; i++ {
			ok = in.drawArm(r, i)
		}
		if ok {
			return true
		}
	}
	return false
}

// drawArm draws the tip of one arm, given those before it.
func (in *Instance) drawArm(r *rand.Rand, i int) bool {
	base := in.Robots[i].Base
	points := in.Cells(base)
	for _, k := range r.Perm(len(points)) {
		free := true
		for _, other := range in.Robots[:i] {
			if touch(base, points[k], other.Base, other.Arm) {
				free = false
				break
			}
		}
		if free {
			in.Robots[i].Arm = points[k]
			return true
		}
	}
	return false
}

func sortJoints(list []joint) {
	slices.SortFunc(list, func(a, b joint) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
}
