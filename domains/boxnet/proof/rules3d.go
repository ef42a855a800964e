package proof

import "github.com/planproof/planproof/domains/boxnet"

// collision is the rule that two motions of an instance break, "" for none.
func collision(in *boxnet.Instance, rd boxnet.Reading, r, s *boxnet.Motion) boxnet.Reason {
	if in.Dimensions == 3 {
		return Collision3D(rd, r, s)
	}
	return Collision(rd, r, s)
}

// Collision3D is the rule of BoxNet3D that two motions break, "" for none. It must say the same as
// [boxnet.Instance.Collision].
func Collision3D(rd boxnet.Reading, a, b *boxnet.Motion) boxnet.Reason {
	u := newRuler(a.Base, a.From, a.To, b.Base, b.From, b.To, boxnet.Point{X: boxnet.One / 10})
	ends := u.minus(u.spot(a.To), u.spot(b.To))
	tenth := u.coord(boxnet.One / 10)
	if u.compare(u.dot(ends, ends), u.mul(tenth, tenth)) < 0 {
		return boxnet.SameEnd
	}
	meet := func(v, w *way) bool { list, _ := v.shared(w); return len(list) > 0 }
	armOf := func(m *boxnet.Motion, tip boxnet.Point) *way { return u.way(m.Base, m.Base, tip) }
	arms := rd == boxnet.Arms
	if arms && meet(armOf(a, a.To), armOf(b, b.To)) {
		return boxnet.ArmsTouch
	}
	ways := [2]*way{u.way(a.Base, a.From, a.To), u.way(b.Base, b.From, b.To)}
	rests := func(m *boxnet.Motion) bool { return !m.Moves || m.From == m.To }
	if rests(a) || rests(b) {
		for i, m := range [2]*boxnet.Motion{a, b} {
			other := [2]*boxnet.Motion{b, a}[i]
			if !rests(m) && (ways[i].holds(u.spot(other.To)) || arms && meet(ways[i], armOf(other, other.To))) {
				return boxnet.MeetsResting
			}
		}
		return ""
	}
	list, many := ways[0].shared(ways[1])
	for _, p := range list {
		many = many || rd == boxnet.NoFollow || !u.in(p, ways[0].ends[:]...) || !u.in(p, ways[1].ends[:]...)
	}
	if many {
		return boxnet.PathsTouch
	}
	for i, m := range [2]*boxnet.Motion{b, a} {
		for _, tip := range []boxnet.Point{m.From, m.To} {
			list, many := ways[i].shared(armOf(m, tip))
			for _, p := range list {
				many = many || !u.same(p, u.spot(tip)) || !u.in(p, ways[i].ends[:]...)
			}
			if arms && many {
				return boxnet.MeetsMoving
			}
		}
	}
	if a.Carries && b.Carries {
		lines := [2]segment{{spotOf(a.From), spotOf(a.To)}, {spotOf(b.From), spotOf(b.To)}}
		shared := common(lines[0], lines[1])
		for _, p := range shared {
			if len(shared) > 1 || !isEnd(p, lines[0]) || !isEnd(p, lines[1]) {
				return boxnet.ObjectsCross
			}
		}
	}
	return ""
}

// Sweeps reports whether the way of a motion passes over a point that is none of its ends.
func Sweeps(m *boxnet.Motion, p boxnet.Point) bool {
	u := newRuler(m.Base, m.From, m.To, p)
	return m.Moves && p != m.From && p != m.To && u.way(m.Base, m.From, m.To).holds(u.spot(p))
}

// Blocks reports whether an obstacle is in the way of a motion.
func Blocks(o *boxnet.Obstacle, m *boxnet.Motion) bool {
	u := newRuler(m.Base, m.From, m.To, o.At, boxnet.Point{X: o.Radius})
	return u.way(m.Base, m.From, m.To).near2(u.spot(o.At), u.coord(o.Radius))
}
