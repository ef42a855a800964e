package retime

import (
	"slices"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// schedule is a plan whose times are variables.
type schedule struct {
	judge    *validator.Judge
	plan     *pddl.Plan // with a time for each step, and a duration for each durative one
	grid     *grid
	gap      int64 // between things that interfere
	elastic  bool  // durations may change
	given    []int64
	start    []int32 // nodes, by step
	end      []int32 // -1 for instantaneous steps
	literals []int64 // times of the groups of timed literals
	moments  []validator.Moment
	writes   [][]validator.Touch // by moment
	reads    [][]validator.Touch // what the effects depend on
}

// newSchedule prepares a plan.
func newSchedule(j *validator.Judge, given *pddl.Plan, o *Options) (*schedule, error) {
	s := &schedule{judge: j, plan: timed(j, given)}
	times, decimals := append([]pddl.Number{o.Epsilon}, j.Literals()...), minDecimals
	if o.coarse {
		decimals = 0
	}
	for i := range s.plan.Steps {
		times = append(times, s.plan.Steps[i].Time, s.plan.Steps[i].Duration)
	}
	var err error
	if s.grid, err = newGrid(times, decimals); err != nil {
		return nil, err
	}
	n, _ := s.grid.units(o.Epsilon)
	s.gap, s.given = n+1, []int64{0}
	for i := range s.plan.Steps {
		st := &s.plan.Steps[i]
		t, _ := s.grid.units(st.Time)
		s.start, s.end = append(s.start, int32(len(s.given))), append(s.end, -1)
		s.given = append(s.given, t)
		if !j.Durative(st) {
			s.moments = append(s.moments, validator.Moment{Of: i, Part: validator.PartInstant})
			continue
		}
		d, _ := s.grid.units(st.Duration)
		s.end[i] = int32(len(s.given))
		s.given = append(s.given, t+d)
		s.moments = append(s.moments, validator.Moment{Of: i, Part: validator.PartStart}, validator.Moment{Of: i, Part: validator.PartEnd})
	}
	for i, t := range j.Literals() {
		at, _ := s.grid.units(t)
		s.literals = append(s.literals, at)
		s.moments = append(s.moments, validator.Moment{Of: i, Part: validator.PartLiterals})
	}
	for _, m := range s.moments {
		w, r := j.Touches(s.plan, m)
		s.writes, s.reads = append(s.writes, w), append(s.reads, r)
	}
	return s, nil
}

// timed returns a copy of a plan in which each step has a time, 1, 2, 3, ... if it has none, and
// each durative one a duration.
func timed(j *validator.Judge, plan *pddl.Plan) *pddl.Plan {
	p := &pddl.Plan{Steps: slices.Clone(plan.Steps), Timed: true}
	for i := range p.Steps {
		st := &p.Steps[i]
		if !plan.Timed {
			st.Time = pddl.Int(int64(i) + 1)
		}
		st.HasDuration = j.Durative(st)
		if !st.HasDuration {
			st.Duration = pddl.Number{}
		}
	}
	return p
}

// place returns the node of a moment and what to add to its time.
func (s *schedule) place(m validator.Moment) (node int32, offset int64) {
	switch m.Part {
	case validator.PartLiterals:
		return 0, s.literals[m.Of]
	case validator.PartEnd:
		return s.end[m.Of], 0
	}
	return s.start[m.Of], 0
}

// apart is the constraint that b happens at least so much later than a.
func (s *schedule) apart(a, b validator.Moment, least int64) difference {
	from, x := s.place(a)
	to, y := s.place(b)
	return difference{from, to, least + x - y}
}

// solve finds the times with the least change under constraints, and the change.
func (s *schedule) solve(list []difference) (times []int64, change int64, ok bool) {
	n := newNetwork(s.given)
	stretched := map[int32]bool{}
	for _, d := range list {
		n.require(d)
		stretched[d.from] = stretched[d.from] || d.to == d.from+1
		stretched[d.to] = stretched[d.to] || d.from == d.to+1
	}
	soft := [][2]int32{}
	for i := range s.start {
		a, b := s.start[i], s.end[i]
		n.require(difference{0, a, 0})
		soft = append(soft, [2]int32{0, a})
		if b < 0 {
			continue
		}
		if s.elastic || stretched[a] {
			n.require(difference{a, b, 0})
			soft = append(soft, [2]int32{a, b})
			continue
		}
		d := s.given[b] - s.given[a]
		n.require(difference{a, b, d})
		n.require(difference{b, a, -d})
	}
	for _, x := range soft {
		n.prefer(x[0], x[1])
	}
	if times, ok = n.solve(); !ok {
		return nil, 0, false
	}
	for _, x := range soft {
		off := (times[x[1]] - times[x[0]]) - (s.given[x[1]] - s.given[x[0]])
		change += max(off, -off)
	}
	return times, change, true
}

// at returns the plan with the given times.
func (s *schedule) at(times []int64) *pddl.Plan {
	p := &pddl.Plan{Steps: slices.Clone(s.plan.Steps), Timed: true}
	for i := range p.Steps {
		st := &p.Steps[i]
		if t := times[s.start[i]]; t != s.given[s.start[i]] {
			st.Time = s.grid.time(t)
		}
		if s.end[i] < 0 {
			continue
		}
		if d := times[s.end[i]] - times[s.start[i]]; d != s.given[s.end[i]]-s.given[s.start[i]] {
			st.Duration = s.grid.time(d)
			st.Decimals = places(st.Duration)
		}
	}
	return p
}
