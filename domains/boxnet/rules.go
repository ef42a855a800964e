package boxnet

import (
	"fmt"
	"strings"
)

// Reading settles what the paper leaves open about two arms in one step.
type Reading string

// Readings. In BoxNet2D all of them refuse equal ends, arms that touch after the step, and a path that
// meets a resting arm.
const (
	// Default: paths, and paths and arms, must not share a point, except that the place
	// which a tip leaves may be entered by another tip in the same step.
	Default Reading = "default"
	// CrossingOnly: only paths that properly cross collide.
	CrossingOnly Reading = "crossing-only"
	// NoFollow: as Default, without the exception.
	NoFollow Reading = "no-follow"
	// Arms: of BoxNet3D; as Default, and the arms between base and tip must not be met either, as in BoxNet2D.
	Arms Reading = "arms"
)

// Readings lists the readings of BoxNet2D.
func Readings() []Reading { return []Reading{Default, CrossingOnly, NoFollow} }

// Readings3D lists the readings of BoxNet3D.
func Readings3D() []Reading { return []Reading{Default, NoFollow, Arms} }

// ParseReading reads the name of a reading; "" is Default.
func ParseReading(name string) (Reading, error) {
	if name == "" {
		return Default, nil
	}
	var names []string
	for _, r := range append(Readings(), Arms) {
		if string(r) == name {
			return r, nil
		}
		names = append(names, string(r))
	}
	return "", fmt.Errorf("%q is not a reading of the rules: there are %s", name, strings.Join(names, ", "))
}

// Reason says why a step is not legal, or a plan not valid; "" if it is.
type Reason string

// Reasons, in the order in which they are looked for.
const (
	Unreadable     Reason = "unreadable"
	UnknownRobot   Reason = "unknown robot"
	MovesTwice     Reason = "robot moves twice"
	WrongStart     Reason = "start is not where the arm is"
	OutOfReach     Reason = "out of reach"
	NoObject       Reason = "no object to carry"
	SameEnd        Reason = "same end position"
	ArmsTouch      Reason = "arms touch after the step"
	MeetsResting   Reason = "trajectory meets a resting arm"
	PathsCross     Reason = "trajectories cross"
	PathsTouch     Reason = "trajectories touch"
	MeetsMoving    Reason = "trajectory meets a moving arm"
	ObjectsCross   Reason = "straight ways of two carried objects cross"
	SweepsObject   Reason = "trajectory sweeps through an object"
	MeetsObstacle  Reason = "trajectory meets an obstacle"
	ObjectsCollide Reason = "two objects at one point"
	GoalNotReached Reason = "object not at its target"
)

// Motion is what the arm of one robot does in a step. An arm that rests has From == To.
type Motion struct {
	Base, From, To Point
	Moves          bool
	Carries        bool // an object along
}

// travels reports whether the tip goes somewhere else. In BoxNet3D a move that ends where it starts can take an object
// that is aligned with the tip and set it down at the tip; the arm rests all the same.
func (m *Motion) travels() bool { return m.Moves && m.From != m.To }

// Collision is the reason why two motions of BoxNet2D may not happen in one step, "" if they may (rule 3
// of docs/BOXNET.md, a to e). [Instance.Collision] is that of an instance.
func (rd Reading) Collision(r, s *Motion) Reason {
	switch {
	case r.To == s.To:
		return SameEnd
	case touch(r.Base, r.To, s.Base, s.To):
		return ArmsTouch
	case !r.Moves && !s.Moves:
		return ""
	case !s.Moves:
		return meetsResting(r, s)
	case !r.Moves:
		return meetsResting(s, r)
	}
	if cross(r.From, r.To, s.From, s.To) {
		return PathsCross
	}
	switch {
	case rd == CrossingOnly:
		return ""
	case rd.pathsTouch(r, s):
		return PathsTouch
	case meetsMoving(r, s) || meetsMoving(s, r):
		return MeetsMoving
	}
	return ""
}

func meetsResting(r, resting *Motion) Reason {
	if touch(r.From, r.To, resting.Base, resting.To) {
		return MeetsResting
	}
	return ""
}

// pathsTouch reports whether two paths share a point that the reading does not allow (rule d).
func (rd Reading) pathsTouch(r, s *Motion) bool {
	switch {
	case !touch(r.From, r.To, s.From, s.To):
		return false
	case rd == NoFollow:
		return true
	case r.From == s.To && s.From == r.To: // the arms exchange their places
		return false
	case r.From == s.To:
		return !meetOnlyAt(r.From, r.To, s.From)
	case s.From == r.To:
		return !meetOnlyAt(s.From, s.To, r.From)
	case r.From == s.From: // only where arms touched before the first step
		return !meetOnlyAt(r.From, r.To, s.To)
	}
	return true
}

// meetsMoving reports whether r's path shares a point with s's arm before or after the step
// that is not allowed (rule e).
func meetsMoving(r, s *Motion) bool {
	for _, tip := range [2]Point{s.From, s.To} {
		if !touch(r.From, r.To, s.Base, tip) {
			continue
		}
		if tip == r.From && meetOnlyAt(tip, r.To, s.Base) || tip == r.To && meetOnlyAt(tip, r.From, s.Base) {
			continue // NoFollow refuses it by rule d: the paths share the tip
		}
		return true
	}
	return false
}
