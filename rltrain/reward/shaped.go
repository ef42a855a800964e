package reward

// shapedWeight is the default weight of the potential.
const shapedWeight = 0.5

// newShaped adds potential-based shaping (Ng, Harada and Russell 1999) to a reward:
//
//	reward = base + sum over steps of phi(next) - phi(state)
//	phi(s) = -weight * min(h*(s), 2g) / g           g = h*(initial), a dead end has 2g
//
// The sum telescopes to phi(reached) - phi(initial), so what a response passes on its
// way does not matter: neither circles nor steps forth and back gain anything. There is
// no discount; with one, phi(reached) of a plan that fails would be worth less the
// longer it is, and padding would pay.
//
// Optimal policies stay what they are. At the goal phi is 0, so all valid plans have the
// same sum, the largest possible: their order is that of the base, and no response
// that was not best becomes best. That needs a base under which valid plans win, which is
// required. With g = 0 there is nothing to come closer to, and the sum is 0.
//
// A response that is no plan, or whose first step fails, stays where it is: 0. One that
// leads away from the goal has less than that.
func newShaped(base *Spec, weight float64) *Spec {
	s := &Spec{
		Kind: "shaped", need: base.need | needProgress, ValidWins: base.ValidWins,
		params: map[string]any{"base": base.data(), "weight": weight},
	}
	s.bounds = func(valid bool) map[string]interval {
		b := map[string]interval{}
		for name, i := range base.bounds(valid) {
			if name != "" {
				b["base."+name] = i
			}
		}
		r, shaping := base.bounds(valid)[""], interval{-weight, weight}
		if valid {
			shaping.lo = 0
		}
		b["base"], b["shaping"] = r, shaping
		b[""] = interval{r.lo + shaping.lo, r.hi + shaping.hi}
		b["gold_steps"], b["steps_from_goal"], b["revisits"] = natural, interval{-1, natural.hi}, natural
		if valid {
			b["steps_from_goal"] = zero
		}
		return b
	}
	s.eval = func(e *Evidence) (float64, Components) {
		r, parts := base.eval(e)
		c := Components{"base": r}
		for name, x := range parts {
			c["base."+name] = x
		}
		shaping := 0.0
		if g := e.Progress.Initial; g > 0 {
			closer := g - e.Progress.Distance()
			shaping = float64(weight * (float64(closer) / float64(g)))
		}
		c["shaping"] = shaping
		c["gold_steps"], c["steps_from_goal"], c["revisits"] = float64(e.Progress.Initial), float64(e.Progress.Reached), float64(e.Progress.Revisits)
		return r + shaping, c
	}
	return s.seal()
}

// Distance is h* of the state that was reached, with a dead end as far away as any
// state counts.
func (p *Progress) Distance() int64 {
	far := 2 * p.Initial
	if p.Reached < 0 {
		return far
	}
	return min(p.Reached, far)
}
