package reward

import "fmt"

// rewardPart is a reward with the name that an expression has for it.
type rewardPart struct {
	name string
	spec *Spec
}

// maxMixed bounds the reward of a mix, so that no slip makes a reward that swamps a
// training run.
const maxMixed = 1e6

// newWeighted is an expression over rewards: the name of a part is its reward, part.name
// one of its components. The expression's bounds are those of the reward; that
// valid plans win is promised where the bounds prove it.
func newWeighted(parts []rewardPart, source string, x *expr) (*Spec, error) {
	data := map[string]any{}
	s := &Spec{Kind: "weighted", params: map[string]any{"parts": data, "reward": source}}
	for _, p := range parts {
		data[p.name] = p.spec.data()
		s.need |= p.spec.need
	}
	components := func(valid bool) map[string]interval {
		b := map[string]interval{}
		for _, p := range parts {
			for name, i := range p.spec.bounds(valid) {
				b[partComponent(p.name, name)] = i
			}
		}
		return b
	}
	var known [2]map[string]interval // of invalid and of valid plans
	for i, valid := range [...]bool{false, true} {
		b := components(valid)
		r, err := x.bounds(func(name string) interval { return b[name] })
		plan := map[bool]string{false: "an invalid plan", true: "a valid plan"}[valid]
		if err != nil {
			return nil, fmt.Errorf("for %s %w", plan, err)
		}
		if r.lo < -maxMixed || r.hi > maxMixed {
			return nil, fmt.Errorf("for %s the reward is %s, beyond %g: clamp it", plan, r, maxMixed)
		}
		b[""], known[i] = r, b
	}
	s.bounds = func(valid bool) map[string]interval {
		if valid {
			return known[1]
		}
		return known[0]
	}
	s.eval = func(e *Evidence) (float64, Components) {
		c := Components{}
		for _, p := range parts {
			r, of := p.spec.eval(e)
			c[p.name] = r
			for name, v := range of {
				c[partComponent(p.name, name)] = v
			}
		}
		var small [32]float64
		buffer := small[:]
		if n := len(x.names) + x.depth; n > len(buffer) {
			buffer = make([]float64, n)
		}
		for i, name := range x.names {
			buffer[i] = c[name]
		}
		r := x.eval(buffer[:len(x.names)], buffer[len(x.names):])
		if r == 0 {
			r = 0 // not -0
		}
		return r, c
	}
	return s.seal(), nil
}

// partComponent is the name of a part's component in a mix; "" is the reward itself.
func partComponent(part, name string) string {
	if name == "" {
		return part
	}
	return part + "." + name
}
