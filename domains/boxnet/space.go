package boxnet

import (
	"fmt"
	"math/bits"
)

// Sizes of BoxNet3D.
const (
	// Side3D is the side of a cell.
	Side3D = 11 * One / 10
	// nearest3D and farthest3D bound the distance of a tip from its base; neither is included.
	nearest3D  = 4 * One / 10
	farthest3D = 8 * One / 10
	// aligned3D is the distance within which a tip is aligned with an object, not included. Two tips
	// that are nearer to each other are at the same position.
	aligned3D = One / 10
	// rest3D is the distance from a base of the four points beside it where plans put tips.
	rest3D = One / 2
)

// Swings reports whether the instance is one of BoxNet3D, whose arms swing around their bases.
func (in *Instance) Swings() bool { return in.Dimensions == 3 }

// Side is the side of a cell.
func (in *Instance) Side() Coord {
	if in.Swings() {
		return Side3D
	}
	return One
}

// Reaches reports whether an arm with the given base reaches a point (rule 1).
func (in *Instance) Reaches(base, p Point) bool {
	if in.Swings() {
		d := squared(base, p)
		return d.above(nearest3D) && d.below(farthest3D)
	}
	return Within(base, p)
}

// Aligned reports whether a tip is at an object's place: exactly in BoxNet2D, nearer than aligned3D in BoxNet3D.
func (in *Instance) Aligned(tip, object Point) bool {
	if in.Swings() {
		return squared(tip, object).below(aligned3D)
	}
	return tip == object
}

// Nearer reports whether p is nearer to a place than q.
func Nearer(place, p, q Point) bool { return squared(place, p).compare(squared(place, q)) < 0 }

// MayMeet reports whether arms of two bases that stay within reach could ever collide.
func (in *Instance) MayMeet(a, b Point) bool {
	limit := 2 * One
	if in.Swings() {
		limit = 2*farthest3D + aligned3D
	}
	dx, dy := a.X-b.X, a.Y-b.Y
	return -limit < dx && dx < limit && -limit < dy && dy < limit
}

// Collision is the reason why two motions may not happen in one step, "" if they may (rule 3).
func (in *Instance) Collision(rd Reading, r, s *Motion) Reason { return in.collision(rd, r, s, nil) }

func (in *Instance) collision(rd Reading, r, s *Motion, known *closeCalls) Reason {
	if in.Swings() {
		return rd.collision3D(r, s, known)
	}
	return rd.Collision(r, s)
}

// square is a squared distance, in 128 bits.
type square128 struct{ hi, lo uint64 }

func squared(p, q Point) square128 {
	dx, dy := uint64(max(p.X-q.X, q.X-p.X)), uint64(max(p.Y-q.Y, q.Y-p.Y))
	hi, lo := bits.Mul64(dx, dx)
	hi2, lo2 := bits.Mul64(dy, dy)
	sum, carry := bits.Add64(lo, lo2, 0)
	return square128{hi + hi2 + carry, sum}
}

func (s square128) compare(t square128) int {
	switch {
	case s.hi < t.hi || s.hi == t.hi && s.lo < t.lo:
		return -1
	case s == t:
		return 0
	}
	return 1
}

func (s square128) above(d Coord) bool { return s.compare(squared(Point{}, Point{X: d})) > 0 }
func (s square128) below(d Coord) bool { return s.compare(squared(Point{}, Point{X: d})) < 0 }

// CheckReading refuses a reading of the other dimensions.
func (in *Instance) CheckReading(rd Reading) error {
	if wrong := map[bool]Reading{true: CrossingOnly, false: Arms}[in.Swings()]; rd == wrong {
		return fmt.Errorf("the reading %s is none of BoxNet%dD", rd, max(2, in.Dimensions))
	}
	return nil
}
