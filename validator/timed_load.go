package validator

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// stepFrame is the variables of a step.
func (s *Scratch) stepFrame(step int32) []int32 {
	st := &s.timed.steps[step]
	return s.timed.frames[st.env : st.env+s.j.varsOf(st.action)]
}

func (j *Judge) varsOf(action int32) int32 {
	if action < 0 {
		return int32(j.timed.durative[^action].start.vars)
	}
	return int32(j.actions[action].vars)
}

// load resolves the names of a plan's steps and sorts what happens by time.
func (s *Scratch) load(plan *pddl.Plan) {
	t := s.timed
	for i := range s.j.timed.literals {
		t.snaps = append(t.snaps, snap{s.j.timed.literals[i].time, int32(i), snapLiteral, false})
	}
	for k := range plan.Steps {
		st := &plan.Steps[k]
		at := st.Time
		if !plan.Timed {
			at = pddl.Int(int64(k) + 1)
		}
		x := s.resolve(st)
		t.steps = append(t.steps, x)
		kind := snapInstant
		if x.action < 0 && (x.fault == "" || x.fault == FailSyntax && st.Time.Sign() >= 0 || x.fault == FailType || x.fault == FailArity || x.fault == FailUnknownObject) {
			kind = snapStart
			if x.fault == "" {
				t.snaps = append(t.snaps, snap{at.Add(st.Duration), int32(k), snapEnd, st.Duration.Sign() == 0})
			}
		}
		t.snaps = append(t.snaps, snap{at, int32(k), kind, false})
	}
	slices.SortFunc(t.snaps, func(a, b snap) int {
		if c := a.time.Cmp(b.time); c != 0 {
			return c
		}
		if a.turn() != b.turn() {
			return a.turn() - b.turn()
		}
		return int(a.of - b.of)
	})
}

// resolve looks up the names of a step and keeps its arguments.
func (s *Scratch) resolve(st *pddl.Step) (x stepState) {
	j, t := s.j, s.timed
	i := j.actionNames.find(st.Name)
	if st.Time.Sign() < 0 {
		x.fault = FailSyntax
		return x
	}
	if i < 0 {
		x.fault = FailUnknownAction
		return x
	}
	x.action, x.env = i, int32(len(t.frames))
	types := []pddl.TypeID(nil)
	if n := int32(len(j.actions)); i >= n {
		x.action = ^(i - n)
		types = j.timed.durative[i-n].start.types
	} else {
		types = j.actions[i].types
	}
	if len(st.Args) != len(types) {
		x.fault = FailArity
		return x
	}
	for range j.varsOf(x.action) {
		t.frames = append(t.frames, 0)
	}
	env := t.frames[x.env:]
	for k, name := range st.Args {
		o := j.objectNames.find(name)
		if o < 0 {
			x.fault, x.arg = FailUnknownObject, int32(k)
			return x
		}
		env[k] = o
	}
	for k, p := range types {
		if !j.types.is(env[k], p) {
			x.fault, x.arg = FailType, int32(k)
			return x
		}
	}
	if x.action < 0 && !st.HasDuration {
		x.fault = FailSyntax
	}
	return x
}
