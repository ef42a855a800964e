package boxnet

// collision3D is the rule of BoxNet3D that two motions break, "" for none (rule 3 of docs/BOXNET.md).
// known remembers close calls; it may be nil.
func (rd Reading) collision3D(r, s *Motion, known *closeCalls) Reason {
	if squared(r.To, s.To).below(aligned3D) {
		return SameEnd
	}
	switch {
	case rd == Arms && armsTouch(r, s, known):
		return ArmsTouch
	case !r.travels() && !s.travels():
		return ""
	case !s.travels():
		return rd.swingsInto(r, s, known)
	case !r.travels():
		return rd.swingsInto(s, r, known)
	case rd.waysTouch(r, s, known):
		return PathsTouch
	case rd == Arms && (swingsThrough(r, s, known) || swingsThrough(s, r, known)):
		return MeetsMoving
	case r.Carries && s.Carries && straightWaysCross(r, s):
		return ObjectsCross
	}
	return ""
}

// armsTouch: the arms share a point after the step.
func armsTouch(r, s *Motion, known *closeCalls) bool {
	a, b := armTrack(r.Base, r.To), armTrack(s.Base, s.To)
	return a.meets(&b, nil, known)
}

// swingsInto: the way of a tip meets the tip of a robot that rests, or under Arms its arm.
func (rd Reading) swingsInto(r, resting *Motion, known *closeCalls) Reason {
	way := r.track()
	if way.passes(resting.To) {
		return MeetsResting
	}
	if rd == Arms {
		if arm := armTrack(resting.Base, resting.To); way.meets(&arm, nil, known) {
			return MeetsResting
		}
	}
	return ""
}

// waysTouch: two ways share a point that is not an end of both, or any point under NoFollow.
func (rd Reading) waysTouch(r, s *Motion, known *closeCalls) bool {
	a, b := r.track(), s.track()
	if rd == NoFollow {
		return a.meets(&b, nil, known)
	}
	if r.From == s.To && s.From == r.To && a.turn == -b.turn && (r.Base == s.Base || a.turn == 0) {
		return true // an exchange along one way
	}
	var ends [2]Point
	shared := ends[:0]
	for _, p := range [2]Point{r.From, r.To} {
		if p == s.From || p == s.To {
			shared = append(shared, p)
		}
	}
	return a.meets(&b, shared, known)
}

// swingsThrough: r's way shares a point with s's arm before or after the step, but for that arm's tip, which
// is an end of r's way where waysTouch has not refused it.
func swingsThrough(r, s *Motion, known *closeCalls) bool {
	way := r.track()
	for _, tip := range [2]Point{s.From, s.To} {
		if arm := armTrack(s.Base, tip); way.meets(&arm, []Point{tip}, known) {
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
	if !m.Moves || p == m.From || p == m.To {
		return false
	}
	way := m.track()
	return way.passes(p)
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
func (o *Obstacle) Blocks(m *Motion) bool {
	way := m.track()
	return way.meetsDisc(o.At, o.Radius)
}

// Blocked is the first obstacle in the way of a motion, nil if there is none.
func (in *Instance) Blocked(m *Motion) *Obstacle {
	for i := range in.Obstacles {
		if o := &in.Obstacles[i]; o.Blocks(m) {
			return o
		}
	}
	return nil
}
