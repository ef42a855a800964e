package boxnet

import "math/big"

// The arcs of BoxNet3D meet at points whose coordinates are (a + b*sqrt(c)) / d with integers. Their
// signs are decided by squaring.

// surd is a + b*sqrt(c), where c belongs to the point that it is about. The integers are never changed.
type surd struct{ a, b *big.Int }

// vec is a place or a way in units of coordinates.
type vec struct{ x, y *big.Int }

var zero = new(big.Int)

func vecOf(from, to Point) vec {
	return vec{big.NewInt(int64(to.X - from.X)), big.NewInt(int64(to.Y - from.Y))}
}

func mulInt(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
func addInt(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }
func subInt(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }

func (v vec) cross(w vec) *big.Int { return subInt(mulInt(v.x, w.y), mulInt(v.y, w.x)) }
func (v vec) dot(w vec) *big.Int   { return addInt(mulInt(v.x, w.x), mulInt(v.y, w.y)) }
func (v vec) isZero() bool         { return v.x.Sign() == 0 && v.y.Sign() == 0 }

// spot is the point ((x.a + x.b*sqrt(root)) / den, ...) in an origin's coordinates. den is positive.
type spot struct {
	x, y      surd
	root, den *big.Int
}

func spotAt(v vec) *spot { return &spot{surd{v.x, zero}, surd{v.y, zero}, zero, big.NewInt(1)} }

// from is the spot seen from another place, times den.
func (p *spot) from(v vec) (x, y surd) {
	return surd{subInt(p.x.a, mulInt(v.x, p.den)), p.x.b}, surd{subInt(p.y.a, mulInt(v.y, p.den)), p.y.b}
}

// moved is the spot seen from an origin that lies by -v from its own.
func (p *spot) moved(v vec) *spot {
	x, y := p.from(vec{new(big.Int).Neg(v.x), new(big.Int).Neg(v.y)})
	return &spot{x, y, p.root, p.den}
}

// is reports whether the spot is a place.
func (p *spot) is(v vec) bool {
	x, y := p.from(v)
	return x.sign(p.root) == 0 && y.sign(p.root) == 0
}

// sign of a + b*sqrt(root).
func (s surd) sign(root *big.Int) int {
	if s.b.Sign() == 0 || root.Sign() == 0 {
		return s.a.Sign()
	}
	if s.a.Sign() == 0 || s.a.Sign() == s.b.Sign() {
		return s.b.Sign()
	}
	// The signs differ: the larger square decides.
	return s.a.Sign() * mulInt(s.a, s.a).Cmp(mulInt(mulInt(s.b, s.b), root))
}

// weigh is m*x + n*y.
func weigh(m *big.Int, x surd, n *big.Int, y surd) surd {
	return surd{addInt(mulInt(m, x.a), mulInt(n, y.a)), addInt(mulInt(m, x.b), mulInt(n, y.b))}
}

// crossed is the cross product of v and (x, y).
func (v vec) crossed(x, y surd) surd { return weigh(v.x, y, new(big.Int).Neg(v.y), x) }

// dotted is the scalar product of v and (x, y).
func (v vec) dotted(x, y surd) surd { return weigh(v.x, x, v.y, y) }

// square is x*x + y*y.
func square(x, y surd, root *big.Int) surd {
	a := addInt(addInt(mulInt(x.a, x.a), mulInt(y.a, y.a)), mulInt(root, addInt(mulInt(x.b, x.b), mulInt(y.b, y.b))))
	b := addInt(mulInt(x.a, x.b), mulInt(y.a, y.b))
	return surd{a, b.Lsh(b, 1)}
}

// less is s - n, for an integer n.
func (s surd) less(n *big.Int) surd { return surd{subInt(s.a, n), s.b} }

// Places where lines and circles meet. A line leads from the origin to d, a circle is given by its
// middle and its squared radius.

// lineLine is where the lines along d and, through w, along e meet; none if they are parallel.
func lineLine(d, w, e vec) []*spot {
	det := d.cross(e)
	if det.Sign() == 0 {
		return nil
	}
	t := w.cross(e)
	if det.Sign() < 0 {
		det, t = new(big.Int).Neg(det), new(big.Int).Neg(t)
	}
	return []*spot{{surd{mulInt(d.x, t), zero}, surd{mulInt(d.y, t), zero}, zero, det}}
}

// lineCircle is where the line along d meets a circle.
func lineCircle(d, middle vec, radius2 *big.Int) []*spot {
	if d.isZero() {
		return nil
	}
	den, along := d.dot(d), d.dot(middle)
	root := subInt(mulInt(along, along), mulInt(den, subInt(middle.dot(middle), radius2)))
	return both(vec{mulInt(d.x, along), mulInt(d.y, along)}, d, root, den)
}

// circleCircle is where a circle around the origin meets another one with another middle.
func circleCircle(radius2 *big.Int, middle vec, other2 *big.Int) []*spot {
	if middle.isZero() {
		return nil
	}
	w2 := middle.dot(middle)
	k := subInt(addInt(w2, radius2), other2)
	root := mulInt(radius2, w2)
	root = subInt(root.Lsh(root, 2), mulInt(k, k))
	return both(vec{mulInt(k, middle.x), mulInt(k, middle.y)}, vec{new(big.Int).Neg(middle.y), middle.x}, root, new(big.Int).Lsh(w2, 1))
}

// both are the spots (a + b*sqrt(root)) / den and (a - b*sqrt(root)) / den, one if root is zero.
func both(a, b vec, root, den *big.Int) []*spot {
	switch root.Sign() {
	case -1:
		return nil
	case 0:
		return []*spot{{surd{a.x, zero}, surd{a.y, zero}, zero, den}}
	}
	return []*spot{
		{surd{a.x, b.x}, surd{a.y, b.y}, root, den},
		{surd{a.x, new(big.Int).Neg(b.x)}, surd{a.y, new(big.Int).Neg(b.y)}, root, den},
	}
}
