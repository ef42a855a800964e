package validator

import "github.com/planproof/planproof/pddl"

// Happening is what one step of a plan, or several at the same time, changes.
type Happening struct {
	Steps []int // by their place in Plan.Steps
	// Changes are the atoms that become true, "+ (on a b)", or false, "- (clear b)"; of more than 200 it keeps the
	// first and "...". Derived atoms are left out.
	Changes []string
	// Values are the fluents that get another value, each with the value after it.
	Values []FluentValue
}

// Trace judges a plan and returns what its happenings change, in order, until one fails. The problem must be Untimed: for
// another one there are none, and the kind is timeout.
func (j *Judge) Trace(plan *pddl.Plan, s *Scratch) ([]Happening, Result) {
	if j.timed != nil {
		return nil, Result{Kind: FailTimeout}
	}
	var out []Happening
	flips, applied := 0, 0
	type value struct {
		number  pddl.Number
		defined bool
	}
	before := map[int32]value{}
	r := j.judge(plan, s, func(n int) {
		if n == 0 {
			return
		}
		h := Happening{Changes: s.changesOf(s.undo[flips:])}
		for k := applied; k < n; k++ {
			h.Steps = append(h.Steps, s.at(plan, k))
		}
		for _, id := range s.touched {
			now := value{s.values[id], s.defined[id]}
			old, known := before[id]
			if !known && int(id) < len(j.values) {
				old = value{j.values[id], j.defined[id]}
			}
			if before[id] = now; old.defined == now.defined && (!now.defined || old.number.Equal(now.number)) {
				continue
			}
			text := s.valueText(id)
			show := valueOf
			if s.isObjectValue(text) {
				show = s.objectOf
			}
			h.Values = append(h.Values, FluentValue{text, show(now.number, now.defined)})
		}
		out = append(out, h)
		flips, applied = len(s.undo), n
	})
	return out, r
}
