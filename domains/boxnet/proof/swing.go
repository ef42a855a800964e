package proof

import (
	"math/big"

	"github.com/planproof/planproof/domains/boxnet"
)

// The geometry of BoxNet3D in this package works with binary fractions that are long enough to decide: what
// is compared are numbers with two square roots of integers of known length, and such a number is zero
// or farther from zero than eps.

type num = *big.Float

type spot3 struct{ x, y num }

// ruler computes with so many digits that its comparisons are right for the points that it was made for.
type ruler struct {
	unit *big.Int // of coordinates: their greatest common divisor
	prec uint
	eps  num
}

func newRuler(points ...boxnet.Point) *ruler {
	g := new(big.Int)
	var largest int64
	for _, p := range points {
		for _, c := range []boxnet.Coord{p.X, p.Y} {
			n := int64(max(c, -c))
			largest = max(largest, n)
			g.GCD(nil, nil, g, big.NewInt(n))
		}
	}
	if g.Sign() == 0 {
		g.SetInt64(1)
	}
	digits := new(big.Int).Quo(big.NewInt(largest), g).BitLen() + 2
	r := &ruler{unit: g, prec: uint(64*digits + 256)}
	r.eps = r.new().SetMantExp(big.NewFloat(1), -(40*digits + 128))
	return r
}

func (r *ruler) new() num         { return new(big.Float).SetPrec(r.prec) }
func (r *ruler) add(a, b num) num { return r.new().Add(a, b) }
func (r *ruler) sub(a, b num) num { return r.new().Sub(a, b) }
func (r *ruler) mul(a, b num) num { return r.new().Mul(a, b) }
func (r *ruler) quo(a, b num) num { return r.new().Quo(a, b) }

// root of a number that is not below zero but for its error.
func (r *ruler) root(a num) num {
	if r.sign(a) <= 0 {
		return r.new()
	}
	return r.new().Sqrt(a)
}

func (r *ruler) sign(a num) int {
	if new(big.Float).Abs(a).Cmp(r.eps) < 0 {
		return 0
	}
	return a.Sign()
}
func (r *ruler) compare(a, b num) int { return r.sign(r.sub(a, b)) }

func (r *ruler) coord(c boxnet.Coord) num {
	return r.new().SetInt(new(big.Int).Quo(big.NewInt(int64(c)), r.unit))
}
func (r *ruler) spot(p boxnet.Point) spot3  { return spot3{r.coord(p.X), r.coord(p.Y)} }
func (r *ruler) minus(p, q spot3) spot3     { return spot3{r.sub(p.x, q.x), r.sub(p.y, q.y)} }
func (r *ruler) plus(p, q spot3) spot3      { return spot3{r.add(p.x, q.x), r.add(p.y, q.y)} }
func (r *ruler) times(p spot3, t num) spot3 { return spot3{r.mul(p.x, t), r.mul(p.y, t)} }
func (r *ruler) dot(p, q spot3) num         { return r.add(r.mul(p.x, q.x), r.mul(p.y, q.y)) }
func (r *ruler) det(p, q spot3) num         { return r.sub(r.mul(p.x, q.y), r.mul(p.y, q.x)) }
func (r *ruler) same(p, q spot3) bool       { return r.compare(p.x, q.x) == 0 && r.compare(p.y, q.y) == 0 }
func (r *ruler) in(p spot3, list ...spot3) bool {
	for _, q := range list {
		if r.same(p, q) {
			return true
		}
	}
	return false
}

// way is what a tip passes: an arc around a base, and a straight part between its end and the far end.
type way struct {
	*ruler
	base, near, far spot3 // near and far seen from the base
	joint           spot3 // between arc and straight part
	radius2         num   // of the arc
	left            int   // the arc leads from near to the joint to the left (1), to the right (-1), nowhere (0)
	ends            [2]spot3
}

func (r *ruler) way(base, from, to boxnet.Point) *way {
	w := &way{ruler: r, base: r.spot(base), ends: [2]spot3{r.spot(from), r.spot(to)}}
	a, b := r.minus(w.ends[0], w.base), r.minus(w.ends[1], w.base)
	turn := r.sign(r.det(a, b))
	if turn == 0 && r.sign(r.dot(a, b)) < 0 {
		turn = 1
	}
	w.near, w.far, w.left = a, b, turn
	if r.compare(r.dot(a, a), r.dot(b, b)) > 0 {
		w.near, w.far, w.left = b, a, -turn
	}
	w.radius2 = r.dot(w.near, w.near)
	w.joint = w.base
	if far2 := r.dot(w.far, w.far); r.sign(far2) > 0 {
		w.joint = r.plus(w.base, r.times(w.far, r.root(r.quo(w.radius2, far2))))
	}
	return w
}

func (w *way) tip() spot3 { return w.plus(w.base, w.far) }

// onArc reports whether a spot of the circle is on the arc: on its side, and within its angle.
func (w *way) onArc(p spot3) bool {
	v := w.minus(p, w.base)
	if w.compare(w.dot(v, v), w.radius2) != 0 || w.left == 0 {
		return w.left == 0 && w.same(p, w.joint)
	}
	if w.sign(w.det(w.near, v))*w.left < 0 {
		return false
	}
	size := w.root(w.mul(w.radius2, w.dot(w.far, w.far)))
	return w.compare(w.mul(w.dot(v, w.near), size), w.mul(w.dot(w.near, w.far), w.radius2)) >= 0
}

// onStraight reports whether a spot is on the straight part.
func (w *way) onStraight(p spot3) bool {
	d, v := w.minus(w.tip(), w.joint), w.minus(p, w.joint)
	along := w.dot(d, v)
	return w.sign(w.det(d, v)) == 0 && w.sign(along) >= 0 && w.compare(along, w.dot(d, d)) <= 0 && (w.sign(w.dot(d, d)) > 0 || w.same(p, w.joint))
}

func (w *way) holds(p spot3) bool { return w.onArc(p) || w.onStraight(p) }

// shared are spots that two ways have in common: all of them unless there are infinitely many.
func (w *way) shared(v *way) (list []spot3, many bool) {
	note := func(p spot3) {
		if w.holds(p) && v.holds(p) && !w.in(p, list...) {
			list = append(list, p)
		}
	}
	for _, p := range []spot3{w.ends[0], w.ends[1], w.joint, v.ends[0], v.ends[1], v.joint} {
		note(p)
	}
	d, e := w.minus(w.tip(), w.joint), v.minus(v.tip(), v.joint)
	gap := w.minus(v.joint, w.joint)
	if det := w.det(d, e); w.sign(det) != 0 {
		note(w.plus(w.joint, w.times(d, w.quo(w.det(gap, e), det))))
	}
	for _, p := range append(w.cut(v), v.cut(w)...) {
		note(p)
	}
	for _, p := range w.circles(v) {
		note(p)
	}
	for i, p := range list {
		for _, q := range list[:i] {
			many = many || w.between(v, p, q)
		}
	}
	return list, many
}

// cut are the spots where the line of the straight part meets the circle of another way.
func (w *way) cut(v *way) []spot3 {
	d := w.minus(w.tip(), w.joint)
	dd := w.dot(d, d)
	if w.sign(dd) == 0 {
		return nil
	}
	back := w.minus(w.joint, v.base)
	half := w.quo(w.dot(d, back), dd)
	rest := w.sub(w.mul(half, half), w.quo(w.sub(w.dot(back, back), v.radius2), dd))
	if w.sign(rest) < 0 {
		return nil
	}
	s := w.root(rest)
	return []spot3{w.plus(w.joint, w.times(d, w.sub(s, half))), w.minus(w.joint, w.times(d, w.add(s, half)))}
}

// circles are the spots where the circles of two ways meet, by the triangle of the two bases and the spot.
func (w *way) circles(v *way) []spot3 {
	c := w.minus(v.base, w.base)
	cc := w.dot(c, c)
	if w.sign(cc) == 0 {
		return nil
	}
	two := w.new().SetInt64(2)
	foot := w.quo(w.sub(w.add(cc, w.radius2), v.radius2), w.mul(two, cc)) // as a part of c
	high2 := w.sub(w.quo(w.radius2, cc), w.mul(foot, foot))
	if w.sign(high2) < 0 {
		return nil
	}
	up := w.times(spot3{w.sub(w.new(), c.y), c.x}, w.root(high2))
	middle := w.plus(w.base, w.times(c, foot))
	return []spot3{w.plus(middle, up), w.minus(middle, up)}
}

// between reports whether what lies between two shared spots, straight or on the circle of the first way, is shared.
func (w *way) between(v *way, p, q spot3) bool {
	half := w.new().SetFloat64(0.5)
	middle := w.times(w.plus(p, q), half)
	if w.onStraight(middle) && v.onStraight(middle) {
		return true
	}
	a, b := w.minus(p, w.base), w.minus(q, w.base)
	if !w.same(w.base, v.base) || w.compare(w.dot(a, a), w.radius2) != 0 || w.compare(w.dot(b, b), w.radius2) != 0 {
		return false
	}
	m := w.plus(a, b)
	if w.sign(w.dot(m, m)) == 0 {
		m = spot3{w.sub(w.new(), a.y), a.x}
	}
	m = w.times(m, w.root(w.quo(w.radius2, w.dot(m, m))))
	for _, x := range []spot3{w.plus(w.base, m), w.minus(w.base, m)} {
		if w.onArc(x) && v.onArc(x) {
			return true
		}
	}
	return false
}

// near reports whether the way comes to a place as near as a radius.
func (w *way) near2(middle spot3, radius num) bool {
	within := func(p spot3) bool {
		d := w.minus(p, middle)
		return w.compare(w.dot(d, d), w.mul(radius, radius)) <= 0
	}
	if within(w.ends[0]) || within(w.ends[1]) || within(w.joint) {
		return true
	}
	d, v := w.minus(w.tip(), w.joint), w.minus(middle, w.joint)
	if dd := w.dot(d, d); w.sign(dd) > 0 {
		if foot := w.plus(w.joint, w.times(d, w.quo(w.dot(d, v), dd))); w.onStraight(foot) && within(foot) {
			return true
		}
	}
	out := w.minus(middle, w.base)
	oo := w.dot(out, out)
	if w.sign(oo) == 0 {
		return w.compare(w.radius2, w.mul(radius, radius)) <= 0
	}
	nearest := w.plus(w.base, w.times(out, w.root(w.quo(w.radius2, oo))))
	return w.onArc(nearest) && within(nearest)
}
