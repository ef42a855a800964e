package boxnet

import "slices"

// track is a way as [swing] is, for quick decisions: ends are compared in integers, crossings in floats whose errors
// are bounded, and only what they leave open is looked at as a swing.
type track struct {
	base, from, to, far Point // far is the end that is not nearer to the base than the other
	inner, outer        square128
	turn                int // as of swing
	// full is the edge of an obstacle: the whole circle of that radius around the base, and nothing else.
	full   bool
	radius Coord
}

// track is the way of a motion.
func (m *Motion) track() track { return newTrack(m.Base, m.From, m.To) }

// armTrack is the arm of a base, with its tip at a point.
func armTrack(base, tip Point) track { return newTrack(base, base, tip) }

func newTrack(base, from, to Point) track {
	t := track{base: base, from: from, to: to, far: to, inner: squared(base, from), outer: squared(base, to)}
	if t.inner.compare(t.outer) > 0 {
		t.inner, t.outer, t.far = t.outer, t.inner, from
	}
	if t.turn = orient(base, from, to); t.turn == 0 && dotSign(base, from, to) < 0 {
		t.turn = 1
	}
	return t
}

// dotSign is the sign of the scalar product of the ways from a to b and to c.
func dotSign(a, b, c Point) int {
	return compareProducts(b.X-a.X, c.X-a.X, -(b.Y - a.Y), c.Y-a.Y)
}

// exact is the same way for exact decisions.
func (t *track) exact() *swing { return newSwing(t.base, t.from, t.to) }

// passes reports whether a point is on the way.
func (t *track) passes(q Point) bool {
	d := squared(t.base, q)
	nearest := d.compare(t.inner)
	if nearest == 0 && t.turn != 0 && t.turn*orient(t.base, t.from, q) >= 0 && t.turn*orient(t.base, q, t.to) >= 0 {
		return true
	}
	return nearest >= 0 && d.compare(t.outer) <= 0 && orient(t.base, t.far, q) == 0 && dotSign(t.base, t.far, q) >= 0
}

// meets reports whether two ways share a point that is none of those allowed.
func (t *track) meets(other *track, allowed []Point, known *closeCalls) bool {
	got := t.glance(other, allowed)
	if got == unsure {
		return known.meets(t, other, allowed)
	}
	return got == yes
}

// meetsDisc reports whether the way shares a point with a closed disc.
func (t *track) meetsDisc(middle Point, radius Coord) bool {
	edge := track{base: middle, inner: squared(Point{}, Point{X: radius}), full: true, radius: radius}
	if squared(middle, t.from).compare(edge.inner) <= 0 || squared(middle, t.to).compare(edge.inner) <= 0 {
		return true
	}
	got := t.glance(&edge, nil)
	if got == unsure {
		return t.exact().meetsEdge(middle, radius)
	}
	return got == yes
}

// glance is meets as far as integers and floats can say.
func (t *track) glance(other *track, allowed []Point) answer {
	for _, w := range [2][2]*track{{t, other}, {other, t}} {
		for _, end := range [2]Point{w[1].from, w[1].to} {
			if !w[0].full && !w[1].full && w[0].passes(end) && !slices.Contains(allowed, end) {
				return yes
			}
		}
	}
	g, ok := newGlance(t, other, allowed)
	if !ok {
		return unsure
	}
	if g.tooFar() {
		return no
	}
	g.straights()
	g.straightAndArc(0)
	g.straightAndArc(1)
	g.arcs()
	switch {
	case g.found:
		return yes
	case g.open:
		return unsure
	}
	return no
}

// closeCalls remembers what exact arithmetic has decided about two ways. nil remembers nothing.
type closeCalls struct{ seen map[closeCall]bool }

type closeCall struct {
	ends    [2][3]Point
	allowed [2]Point
	n       int
}

// closeCallsKept bounds what is remembered: 150 bytes each.
const closeCallsKept = 4096

func (c *closeCalls) meets(a, b *track, allowed []Point) bool {
	if c == nil {
		return a.exact().meets(b.exact(), allowed)
	}
	key := closeCall{ends: [2][3]Point{{a.base, a.from, a.to}, {b.base, b.from, b.to}}, n: len(allowed)}
	copy(key.allowed[:], allowed)
	got, known := c.seen[key]
	if known {
		return got
	}
	got = a.exact().meets(b.exact(), allowed)
	if c.seen == nil {
		c.seen = map[closeCall]bool{}
	}
	if len(c.seen) >= closeCallsKept {
		clear(c.seen)
	}
	c.seen[key] = got
	return got
}
