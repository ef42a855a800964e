package boxnet

// glance looks at two ways in floats. Each way is an arc and a straight part; where two such parts cross, their
// circles or lines do. found is set for a shared point that is not allowed, open for what floats cannot decide.
type glance struct {
	way     [2]*track
	at      [2]inFloats
	between [2]arrow // from the base of each way to that of the other
	allowed []Point

	found, open bool
}

// inFloats is a way seen from its base.
type inFloats struct {
	from, to, far arrow
	inner, outer  approx // squared distances
	near          approx // the product of the distances: arc and straight part meet at far times near/outer
}

// newGlance prepares one; ok is false where numbers are too large for it.
func newGlance(a, b *track, allowed []Point) (g glance, ok bool) {
	g = glance{way: [2]*track{a, b}, allowed: allowed}
	w, ok := scaled(a.base, b.base)
	g.between = [2]arrow{w, w.back()}
	for i := 0; ok && i < 2; i++ {
		g.at[i], ok = g.way[i].inFloats()
	}
	return g, ok
}

func (t *track) inFloats() (f inFloats, ok bool) {
	if t.full {
		r, ok := scaled(Point{}, Point{X: t.radius})
		f.inner = r.dot(r)
		f.outer, f.near = f.inner, f.inner
		return f, ok
	}
	from, ok1 := scaled(t.base, t.from)
	to, ok2 := scaled(t.base, t.to)
	near, far := from, to
	if t.far == t.from {
		near, far = to, from
	}
	f = inFloats{from: from, to: to, far: far, inner: near.dot(near), outer: far.dot(far)}
	f.near = f.inner.times(f.outer).root()
	return f, ok1 && ok2
}

// tooFar reports that the ways are too far from each other to share a point, for certain.
func (g *glance) tooFar() bool {
	reach := g.at[0].outer.root().plus(g.at[1].outer.root())
	return g.between[0].dot(g.between[0]).minus(reach.times(reach)).positive()
}

// A part of a way.
type part int8

const (
	arc      part = iota // on the circle around the base at the smaller distance
	straight             // on the line from the base to the far end
)

// has reports whether a way has a part that is more than its ends.
func (t *track) has(p part) bool {
	if p == arc {
		return t.full || t.turn != 0
	}
	return !t.full && t.inner != t.outer
}

// on reports whether a point is on the circle or line of a part.
func (t *track) on(p part, q Point) bool {
	if p == arc {
		return squared(t.base, q) == t.inner
	}
	return orient(t.base, t.far, q) == 0
}

// holds reports whether a place on the circle or line of a part is on that part, seen from the base and times den.
func (g *glance) holds(way int, p part, at arrow, den approx) answer {
	f, t := &g.at[way], g.way[way]
	switch {
	case t.full:
		return yes
	case p == straight:
		along := f.far.dot(at)
		return all(f.outer.times(den).minus(along), along.minus(f.near.times(den)))
	case t.turn < 0:
		return all(at.cross(f.from), f.to.cross(at))
	}
	return all(f.from.cross(at), at.cross(f.to))
}

// crossing looks at the places, seen from the base of a way and times den, where the line or circle of its part p and
// that of part q of the other way cross. There is no other such place.
func (g *glance) crossing(way int, p, q part, den approx, places ...arrow) {
	if !den.positive() {
		g.open = true
		return
	}
	for i, at := range places {
		there := at.minus(g.between[way].times(den))
		first := g.holds(way, p, at, den)
		if first == no {
			continue
		}
		second := g.holds(1-way, q, there, den)
		switch {
		case second == no || g.isEnd(way, p, q, den, places, i):
		case first == unsure || second == unsure || g.mayBeAllowed(way, at, den):
			g.open = true
		default:
			g.found = true
		}
	}
}

// isEnd reports whether one of the places is for certain an end of a way: an end is on both lines or circles, and may
// be this place and no other one. Ends have been looked at already.
func (g *glance) isEnd(way int, p, q part, den approx, places []arrow, i int) bool {
	for _, t := range g.way {
		if t.full {
			continue
		}
		for _, end := range [2]Point{t.from, t.to} {
			if !g.way[way].on(p, end) || !g.way[1-way].on(q, end) {
				continue
			}
			here := true
			for k, other := range places {
				here = here && g.mayBe(way, other, den, end) == (k == i)
			}
			if here {
				return true
			}
		}
	}
	return false
}

func (g *glance) mayBeAllowed(way int, at arrow, den approx) bool {
	for _, p := range g.allowed {
		if g.mayBe(way, at, den, p) {
			return true
		}
	}
	return false
}

// mayBe reports whether a place could be a point.
func (g *glance) mayBe(way int, at arrow, den approx, p Point) bool {
	w, ok := scaled(g.way[way].base, p)
	off := at.minus(w.times(den))
	return !ok || !off.x.differs() && !off.y.differs()
}

// straights looks at where the lines of both straight parts cross.
func (g *glance) straights() {
	a, b := g.way[0], g.way[1]
	if !a.has(straight) || !b.has(straight) {
		return
	}
	d, e, w := g.at[0].far, g.at[1].far, g.between[0]
	det, t := d.cross(e), w.cross(e)
	switch parallel := compareProducts(a.far.X-a.base.X, b.far.Y-b.base.Y, a.far.Y-a.base.Y, b.far.X-b.base.X); {
	case parallel == 0:
		g.parallels()
		return
	case parallel < 0:
		det, t = det.neg(), t.neg()
	}
	g.crossing(0, straight, straight, det, d.times(t))
}

// parallels looks at two straight parts in one direction or in opposite ones.
func (g *glance) parallels() {
	a, b := g.way[0], g.way[1]
	if orient(a.base, a.far, b.base) != 0 {
		return
	}
	// Along a's line, times the squared length of b's far end: b leads from one place to the other.
	f, o := &g.at[0], &g.at[1]
	start, per := f.far.dot(g.between[0]).times(o.outer), f.far.dot(o.far)
	first, last := start.plus(per.times(o.near)), start.plus(per.times(o.outer))
	low, high := f.near.times(o.outer), f.outer.times(o.outer)
	if below := first.minus(low).negative() && last.minus(low).negative(); below {
		return
	}
	if above := first.minus(high).positive() && last.minus(high).positive(); above {
		return
	}
	g.open = true
}

// straightAndArc looks at where the line of a way crosses the circle of the other one.
func (g *glance) straightAndArc(way int) {
	if !g.way[way].has(straight) || !g.way[1-way].has(arc) {
		return
	}
	d, w, den := g.at[way].far, g.between[way], g.at[way].outer
	along := d.dot(w)
	root := along.times(along).minus(den.times(w.dot(w).minus(g.at[1-way].inner)))
	if root.negative() {
		return
	}
	if !root.positive() {
		g.open = true
		return
	}
	root = root.root()
	g.crossing(way, straight, arc, den, d.times(along.plus(root)), d.times(along.minus(root)))
}

// arcs looks at where the circles of both ways cross.
func (g *glance) arcs() {
	if !g.way[0].has(arc) || !g.way[1].has(arc) {
		return
	}
	w, r2 := g.between[0], g.at[0].inner
	w2 := w.dot(w)
	k := w2.plus(r2).minus(g.at[1].inner)
	root := r2.times(w2).times(approx{v: 4}).minus(k.times(k))
	switch {
	case g.way[0].base == g.way[1].base && g.way[0].inner != g.way[1].inner, root.negative():
		return
	case !root.positive():
		g.open = true
		return
	}
	root = root.root()
	middle, side := w.times(k), arrow{w.y.neg(), w.x}.times(root)
	g.crossing(0, arc, arc, w2.times(approx{v: 2}), middle.plus(side), middle.minus(side))
}
