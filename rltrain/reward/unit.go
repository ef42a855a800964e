package reward

import "maps"

// withUnit brings a reward to 0 to 1 by its bounds: (reward - Min) / (Max - Min). A reward that
// is within 0 to 1, or is always the same, stays as it is. The order of responses stays, and with it what is promised
// about valid plans; the components stay what they are, with the reward itself as "raw".
func withUnit(s *Spec) *Spec {
	if s.Min >= 0 && s.Max <= 1 || s.Min == s.Max {
		return s
	}
	least, wide := s.Min, s.Max-s.Min
	scale := func(r float64) float64 { return (r - least) / wide }
	u := &Spec{Kind: s.Kind, need: s.need, ValidWins: s.ValidWins, params: maps.Clone(s.params)}
	if u.params == nil {
		u.params = map[string]any{}
	}
	u.params["unit"] = true
	u.bounds = func(valid bool) map[string]interval {
		b := maps.Clone(s.bounds(valid))
		r := b[""]
		b["raw"], b[""] = r, interval{scale(r.lo), scale(r.hi)}
		return b
	}
	u.eval = func(e *Evidence) (float64, Components) {
		r, c := s.eval(e)
		if c == nil {
			c = Components{}
		}
		c["raw"] = r
		return scale(r), c
	}
	return u.seal()
}
