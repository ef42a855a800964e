package boxnet

import (
	"math"
	"math/big"
	"slices"
)

// swing is the way of a tip in BoxNet3D: at the smaller of the two distances from the base it goes
// around the base, the shorter way and counter-clockwise where both are as long; between the two distances
// it goes straight to or from the base. An arm is the swing from its base to its tip.
type swing struct {
	base         Point
	from, to     vec // seen from the base
	far          vec // the end that is not nearer to the base than the other
	inner, outer *big.Int
	turn         int // 1 counter-clockwise, -1 clockwise, 0 only straight
}

// way is the swing of a motion.
func (m *Motion) way() *swing { return newSwing(m.Base, m.From, m.To) }

func newSwing(base, from, to Point) *swing {
	s := &swing{base: base, from: vecOf(base, from), to: vecOf(base, to)}
	s.inner, s.outer, s.far = s.from.dot(s.from), s.to.dot(s.to), s.to
	if s.inner.Cmp(s.outer) > 0 {
		s.inner, s.outer, s.far = s.outer, s.inner, s.from
	}
	s.turn = s.from.cross(s.to).Sign()
	if s.turn == 0 && s.from.dot(s.to).Sign() < 0 {
		s.turn = 1
	}
	return s
}

// holds reports whether a spot, seen from the base, is on the way.
func (s *swing) holds(x, y surd, p *spot) bool {
	den2 := mulInt(p.den, p.den)
	far := square(x, y, p.root)
	atInner := far.less(mulInt(s.inner, den2)).sign(p.root)
	if atInner == 0 && s.turn != 0 && s.inSector(x, y, p.root) {
		return true
	}
	return atInner >= 0 && far.less(mulInt(s.outer, den2)).sign(p.root) <= 0 &&
		s.far.crossed(x, y).sign(p.root) == 0 && s.far.dotted(x, y).sign(p.root) >= 0
}

// inSector reports whether the direction of (x, y) lies on the turn.
func (s *swing) inSector(x, y surd, root *big.Int) bool {
	after, before := s.from.crossed(x, y).sign(root), -s.to.crossed(x, y).sign(root)
	return s.turn*after >= 0 && s.turn*before >= 0
}

// corners are the ends and the place between arc and straight part.
func (s *swing) corners() []*spot {
	list := []*spot{spotAt(s.from), spotAt(s.to)}
	if s.outer.Sign() > 0 { // far times the root of inner/outer
		list = append(list, &spot{surd{zero, s.far.x}, surd{zero, s.far.y}, mulInt(s.inner, s.outer), s.outer})
	}
	return list
}

// meets reports whether two ways share a point that is none of those allowed.
func (s *swing) meets(t *swing, allowed []Point) bool {
	w := vecOf(s.base, t.base)
	back := vec{new(big.Int).Neg(w.x), new(big.Int).Neg(w.y)}
	// Two ways that share a point share a corner of one of them, or one where their lines or circles cross.
	list := s.corners()
	for _, p := range t.corners() {
		list = append(list, p.moved(w))
	}
	list = append(list, lineLine(s.far, w, t.far)...)
	list = append(list, lineCircle(s.far, w, t.inner)...)
	for _, p := range lineCircle(t.far, back, s.inner) {
		list = append(list, p.moved(w))
	}
	list = append(list, circleCircle(s.inner, w, t.inner)...)
	for _, p := range list {
		if !s.holds(p.x, p.y, p) {
			continue
		}
		if x, y := p.from(w); t.holds(x, y, p) && !slices.ContainsFunc(allowed, func(q Point) bool { return p.is(vecOf(s.base, q)) }) {
			return true
		}
	}
	return false
}

// meetsEdge reports whether the way shares a point with the edge of a disc.
func (s *swing) meetsEdge(middle Point, radius Coord) bool {
	w, r := vecOf(s.base, middle), big.NewInt(int64(radius))
	r2 := mulInt(r, r)
	for _, p := range append(lineCircle(s.far, w, r2), circleCircle(s.inner, w, r2)...) {
		if s.holds(p.x, p.y, p) {
			return true
		}
	}
	return false
}

// length of the way, for reports: no verdict reads it.
func (s *swing) length() float64 {
	f, t := s.polar()
	return min(f.r, t.r)*math.Abs(t.angle-f.angle) + math.Abs(t.r-f.r)
}

type polar struct{ r, angle float64 }

// polar are the ends of the way as floats, so that the angle between them is that of the turn.
func (s *swing) polar() (from, to polar) {
	unit := func(v vec) polar {
		x, _ := new(big.Float).SetInt(v.x).Float64()
		y, _ := new(big.Float).SetInt(v.y).Float64()
		return polar{math.Hypot(x, y) / float64(One), math.Atan2(y, x)}
	}
	from, to = unit(s.from), unit(s.to)
	if s.inner.Sign() == 0 || s.turn == 0 { // straight
		from.angle, to.angle = unit(s.far).angle, unit(s.far).angle
	}
	switch {
	case s.turn > 0 && to.angle < from.angle:
		to.angle += 2 * math.Pi
	case s.turn < 0 && to.angle > from.angle:
		to.angle -= 2 * math.Pi
	}
	return from, to
}

// at is where the tip is after a part of the length of the way, for pictures.
func (s *swing) at(part float64) (x, y float64) {
	f, t := s.polar()
	arc := min(f.r, t.r) * math.Abs(t.angle-f.angle)
	done := part * s.length()
	straight := func(p polar, r float64) polar { return polar{r, p.angle} }
	var p polar
	switch {
	case f.r > t.r && done < f.r-t.r: // first towards the base
		p = straight(f, f.r-done)
	case f.r <= t.r && done > arc: // first around
		p = straight(t, min(t.r, f.r+done-arc))
	default:
		if f.r > t.r {
			done -= f.r - t.r
		}
		turned := 0.0
		if arc > 0 {
			turned = min(1, done/arc)
		}
		p = polar{min(f.r, t.r), f.angle + turned*(t.angle-f.angle)}
	}
	return float64(s.base.X)/float64(One) + p.r*math.Cos(p.angle), float64(s.base.Y)/float64(One) + p.r*math.Sin(p.angle)
}
