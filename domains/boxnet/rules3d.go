package boxnet

// collision3D is the rule of BoxNet3D that two motions break, "" for none (rule 3 of docs/BOXNET.md).
func (rd Reading) collision3D(r, s *Motion) Reason {
	switch {
	case squared(r.To, s.To).below(aligned3D):
		return SameEnd
	case rd == Arms && arm(r.Base, r.To).meets(arm(s.Base, s.To), none):
		return ArmsTouch
	case !r.Moves && !s.Moves:
		return ""
	case !s.Moves:
		return rd.swingsInto(r, s)
	case !r.Moves:
		return rd.swingsInto(s, r)
	case rd.waysTouch(r, s):
		return PathsTouch
	case rd == Arms && (swingsThrough(r, s) || swingsThrough(s, r)):
		return MeetsMoving
	case r.Carries && s.Carries && straightWaysCross(r, s):
		return ObjectsCross
	}
	return ""
}

// swingsInto: the way of a tip meets the tip of a robot that rests, or under Arms its arm.
func (rd Reading) swingsInto(r, resting *Motion) Reason {
	if r.way().passes(resting.To) || rd == Arms && r.way().meets(arm(resting.Base, resting.To), none) {
		return MeetsResting
	}
	return ""
}

// waysTouch: two ways share a point that is not an end of both, or any point under NoFollow.
func (rd Reading) waysTouch(r, s *Motion) bool {
	a, b := r.way(), s.way()
	if rd == NoFollow {
		return a.meets(b, none)
	}
	if r.From == s.To && s.From == r.To && a.turn == -b.turn && (r.Base == s.Base || a.turn == 0) {
		return true // an exchange along one way
	}
	return a.meets(b, func(p *spot) bool { return isEnd(p, r, r.Base) && isEnd(p, s, r.Base) })
}

// isEnd reports whether a spot, seen from origin, is an end of a motion.
func isEnd(p *spot, m *Motion, origin Point) bool {
	return p.is(vecOf(origin, m.From)) || p.is(vecOf(origin, m.To))
}

// swingsThrough: r's way shares a point with s's arm before or after the step, but for that arm's tip, which
// is an end of r's way where waysTouch has not refused it.
func swingsThrough(r, s *Motion) bool {
	for _, tip := range [2]Point{s.From, s.To} {
		at := vecOf(r.Base, tip)
		if r.way().meets(arm(s.Base, tip), func(p *spot) bool { return p.is(at) }) {
			return true
		}
	}
	return false
}

// straightWaysCross: the straight lines of two moves share a point that is not an end of both.
func straightWaysCross(r, s *Motion) bool {
	return r.From == s.To && s.From == r.To || Default.pathsTouch(r, s)
}

// Sweeps reports whether the way of a motion of BoxNet3D passes over a point that is none of its ends.
func (m *Motion) Sweeps(p Point) bool {
	return m.Moves && p != m.From && p != m.To && m.way().passes(p)
}

// Obstacle is a round pillar in a map of BoxNet3D that no tip may touch.
type Obstacle struct {
	Name   string `json:"name"`
	At     Point  `json:"at"`
	Radius Coord  `json:"radius"`
	// Height is for physics: in the plane a pillar is in the way at every height.
	Height Coord `json:"height"`
}

// Blocks reports whether the obstacle is in the way of a motion.
func (o *Obstacle) Blocks(m *Motion) bool { return m.way().meetsDisc(o.At, o.Radius) }

// Blocked is the first obstacle in the way of a motion, nil if there is none.
func (in *Instance) Blocked(m *Motion) *Obstacle {
	for i := range in.Obstacles {
		if o := &in.Obstacles[i]; o.Blocks(m) {
			return o
		}
	}
	return nil
}
