package validator

// addTimed adds to a verdict what only timed plans have. The scratch has just judged the plan.
func (s *Scratch) addTimed(v *Verdict) {
	t := s.timed
	v.Makespan, v.HasMakespan = t.makespan, true
	for i, n := range t.counts {
		if n == 0 {
			continue
		}
		x := Violation{Preference: s.j.timed.names[i], Times: n}
		t.counts[i] = 0
		if s.j.metric >= 0 && v.CostDefined {
			if without, _, ok := s.number(s.j.metric, nil); ok && !without.Equal(v.Cost) {
				c := v.Cost.Sub(without).String()
				x.Cost = &c
			}
		}
		t.counts[i] = n
		v.Violated = append(v.Violated, x)
	}
}
