package pddl

import "strings"

// endMarker ends a plan of PDDL+, as ENHSP writes it: the goal must hold at its time, until
// which processes and events go on.
const endMarker = "@PlanEND"

// planEnd reads the end marker of a plan, whose time has been read.
func (r *PlanReader) planEnd(begin int, at Number) {
	end := r.wordEnd(r.pos)
	w := r.text[r.pos:end]
	switch {
	case !strings.EqualFold(w, endMarker):
		r.errorHint(MalformedStep, r.pos, max(end, r.pos+1), "the end of a plan is TIME: "+endMarker, "text outside a step: %s", quote(w))
		r.skipLine()
		return
	case r.plan.HasEnd:
		r.errorf(MalformedStep, begin, end, "a second end of the plan")
	}
	r.pos, r.plan.End, r.plan.HasEnd, r.endAt = end, at, true, span{begin, end}
}

// checkEnd refuses a plan with a step that begins after its end.
func (r *PlanReader) checkEnd() {
	if !r.plan.HasEnd || r.mixed {
		return
	}
	if len(r.plan.Steps) > 0 && !r.plan.Timed {
		r.errorf(MixedTimeStamps, r.endAt.off, r.endAt.lim, "the end has a time, but the steps have none")
		return
	}
	for i := range r.plan.Steps {
		if st := &r.plan.Steps[i]; st.Time.Cmp(r.plan.End) > 0 {
			r.errorf(MalformedStep, int(st.Pos), int(st.Pos)+1, "this step begins after the end of the plan at %s", r.plan.End)
		}
	}
}
