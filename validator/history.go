package validator

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// History is what a plan does over time, for pictures.
type History struct {
	Spans    []Span  // of the steps, by start and then as written
	Literals []Event // timed literals, by time
	Curves   []Curve // of the numeric fluents that change, in the order of their first change
	// Until is when the last step ends or the last literal happens, at least.
	Until pddl.Number
	// Seen is how far the values are known: Until, or when the plan fails.
	Seen    pddl.Number
	Verdict *Verdict
}

// Span is a step in time.
type Span struct {
	Step       int // by its place in Plan.Steps
	Action     string
	Start, End pddl.Number // equal for an instantaneous step
	Durative   bool
	Failed     bool // it is the step that fails
	// Broken, if the condition over all breaks, is when; the condition must hold until End.
	Broken *pddl.Number
}

// Event is a group of timed literals.
type Event struct {
	Time pddl.Number
	Text []string // "(day)", "(not (day))", "(= (load) 3)"
}

// Curve is a fluent over time: from each sample on, it has the value plus the rate times what has
// passed. Samples may share a time; the last of these counts.
type Curve struct {
	Fluent  string
	Samples []Sample
}

// Sample is a value from a moment on.
type Sample struct {
	Time        pddl.Number
	Value, Rate pddl.Number
	Defined     bool
}

// History judges a plan and records what it does until its end, or until it fails.
func (j *Judge) History(plan *pddl.Plan, s *Scratch) *History {
	h := &History{}
	rec := &recorder{s: s, of: map[int32]int{}, h: h}
	if s.timed != nil { // events change values, and processes rates, at times of their own
		s.timed.observeTurn = rec.sample
	}
	j.judge(plan, s, func(int) { rec.sample() })
	rec.sample() // where it failed
	failed := s.now
	if s.timed != nil {
		s.timed.observeTurn = nil
	}
	h.Verdict = j.ValidateWith(plan, s)
	h.spans(j, plan, s)
	h.events(j)
	if h.Seen = h.Until; h.Verdict.Failure != nil && h.Verdict.Failure.Step > 0 {
		h.Seen = failed
	}
	return h
}

// recorder collects samples while a plan is judged.
type recorder struct {
	s  *Scratch
	h  *History
	of map[int32]int // curve, by value
}

// sample records the values and rates that differ from those recorded last.
func (r *recorder) sample() {
	s := r.s
	ids := slices.Clone(s.touched)
	if s.timed != nil {
		for i := range s.timed.flows {
			ids = append(ids, s.timed.flows[i].id)
		}
	}
	for _, id := range ids {
		k, known := r.of[id]
		if !known {
			name := s.valueText(id)
			if s.isObjectValue(name) {
				continue
			}
			k = len(r.h.Curves)
			r.of[id] = k
			c := Curve{Fluent: name, Samples: []Sample{{}}}
			if int(id) < len(s.j.values) {
				c.Samples[0].Value, c.Samples[0].Defined = s.j.values[id], s.j.defined[id]
			}
			r.h.Curves = append(r.h.Curves, c)
		}
		r.add(&r.h.Curves[k], Sample{s.now, s.values[id], r.rate(id), s.defined[id]})
	}
}

// add appends a sample unless the curve has that value at that time, and that rate, already.
func (r *recorder) add(c *Curve, x Sample) {
	last := &c.Samples[len(c.Samples)-1]
	if v, ok := last.at(x.Time); ok == x.Defined && last.Rate.Equal(x.Rate) && (!ok || v.Equal(x.Value)) {
		return
	}
	c.Samples = append(c.Samples, x)
}

// at is the value at a later moment.
func (x *Sample) at(t pddl.Number) (pddl.Number, bool) {
	return x.Value.Add(x.Rate.Mul(t.Sub(x.Time))), x.Defined
}

// At is the value that a sample gives a later moment.
func (x *Sample) At(t pddl.Number) pddl.Number {
	v, _ := x.at(t)
	return v
}

func (r *recorder) rate(id int32) pddl.Number {
	if r.s.timed != nil {
		for i := range r.s.timed.flows {
			if f := &r.s.timed.flows[i]; f.id == id {
				return f.rate
			}
		}
	}
	return pddl.Number{}
}

// spans lists the steps, and marks the one that fails. The scratch has just judged the plan.
func (h *History) spans(j *Judge, plan *pddl.Plan, s *Scratch) {
	bad := -1
	if f := h.Verdict.Failure; f != nil && f.Step > 0 {
		bad = s.at(plan, f.Step-1)
	}
	for i := range plan.Steps {
		st := &plan.Steps[i]
		x := Span{Step: i, Action: stepText(st), Start: st.Time, Durative: j.Durative(st) && st.HasDuration, Failed: i == bad}
		if !plan.Timed {
			x.Start = pddl.Int(int64(i) + 1)
		}
		if x.End = x.Start; x.Durative {
			x.End = x.Start.Add(st.Duration)
		}
		if x.Failed && h.Verdict.Failure.Kind == FailInvariant {
			when := s.timed.when
			x.Broken = &when
		}
		if x.End.Cmp(h.Until) > 0 {
			h.Until = x.End
		}
		h.Spans = append(h.Spans, x)
	}
	slices.SortStableFunc(h.Spans, func(a, b Span) int { return a.Start.Cmp(b.Start) })
}

// events lists the timed literals.
func (h *History) events(j *Judge) {
	for _, at := range j.Literals() {
		e := Event{Time: at}
		for i := range j.prob.Init.Timed {
			x := &j.prob.Init.Timed[i]
			if !x.Time.Equal(at) {
				continue
			}
			args := ""
			for _, o := range x.Args {
				args += " " + j.prob.Objects[o].Name
			}
			switch {
			case x.Func >= 0:
				e.Text = append(e.Text, "(= ("+j.dom.Functions[x.Func].Name+args+") "+x.Value.String()+")")
			case x.Negated:
				e.Text = append(e.Text, "(not ("+j.dom.Predicates[x.Pred].Name+args+"))")
			default:
				e.Text = append(e.Text, "("+j.dom.Predicates[x.Pred].Name+args+")")
			}
		}
		h.Literals = append(h.Literals, e)
		if at.Cmp(h.Until) > 0 {
			h.Until = at
		}
	}
}
