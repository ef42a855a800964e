package lifted

import "github.com/planproof/planproof/pddl"

// joiner runs programs on the state of a view.
type joiner struct {
	*meter
	t    *task
	view *view
	env  []pddl.ObjectID // by slot
	key  []pddl.ObjectID // scratch
}

func (j *joiner) value(t pddl.Term) pddl.ObjectID {
	if t.IsVar() {
		return j.env[t.Slot()]
	}
	return t.Object()
}

// values appends the objects that terms stand for.
func (j *joiner) values(out []pddl.ObjectID, terms []pddl.Term) []pddl.ObjectID {
	for _, t := range terms {
		out = append(out, j.value(t))
	}
	return out
}

// run calls emit for each instance that step i and those after it find, until it returns true. It reports whether it
// has, or work must end; without emit, whether there is an instance.
func (j *joiner) run(p *program, i int, emit func() bool) bool {
	if emit != nil && i == p.cut {
		if i < len(p.steps) && !j.run(p, i, nil) {
			return false
		}
		return j.halted || emit()
	}
	if i == len(p.steps) {
		return true
	}
	if j.tick(1) {
		return true
	}
	s := &p.steps[i]
	switch s.kind {
	case stepTest:
		return j.holds(s.cond) && j.run(p, i+1, emit) || j.halted
	case stepAssign:
		j.env[s.slot] = j.value(s.term)
		return s.types.has(j.env[s.slot]) && j.run(p, i+1, emit)
	case stepObject:
		for _, o := range s.types.objects {
			j.env[s.slot] = o
			if j.run(p, i+1, emit) {
				return true
			}
		}
		return false
	case stepStatic:
		return j.static(p, i, emit)
	}
	return j.fluent(p, i, emit)
}

// static is run for a step over a static predicate.
func (j *joiner) static(p *program, i int, emit func() bool) bool {
	s := &p.steps[i]
	rel := j.t.preds[s.pred].rel
	if s.index == nil {
		for k := range uint32(rel.n) {
			if j.matches(s, rel.row(k)) && j.run(p, i+1, emit) {
				return true
			}
		}
		return j.tick(rel.n)
	}
	j.key = j.values(j.key[:0], s.key)
	rows := s.index.find(j.key)
	for _, k := range rows {
		if j.matches(s, rel.row(k)) && j.run(p, i+1, emit) {
			return true
		}
	}
	return j.tick(len(rows))
}

// fluent is run for a step over the atoms of the state.
func (j *joiner) fluent(p *program, i int, emit func() bool) bool {
	s := &p.steps[i]
	v := &j.view.preds[s.pred]
	if s.col >= 0 && v.n > shortList {
		k, chain := j.view.first(s.pred, s.col, j.value(s.key[0]))
		n := 0
		for ; k > 0; k = chain.next[k-1] {
			n++
			if j.matches(s, v.rows[int(k-1)*v.arity:int(k)*v.arity]) && j.run(p, i+1, emit) {
				return true
			}
		}
		return j.tick(n)
	}
	for k := range v.n {
		row := v.rows[k*v.arity : (k+1)*v.arity]
		if s.col >= 0 && row[s.col] != j.value(s.key[0]) {
			continue
		}
		if j.matches(s, row) && j.run(p, i+1, emit) {
			return true
		}
	}
	return j.tick(v.n)
}

// matches compares a row with what is bound, and binds the rest.
func (j *joiner) matches(s *step, row []pddl.ObjectID) bool {
	for k := range s.match {
		m := &s.match[k]
		o := row[m.col]
		switch {
		case !m.bind:
			if o != j.value(m.term) {
				return false
			}
		case !m.types.has(o):
			return false
		default:
			j.env[m.slot] = o
		}
	}
	return true
}

// holds evaluates a condition whose slots are bound.
func (j *joiner) holds(c *cond) bool {
	switch c.kind {
	case condEqual:
		return (j.value(c.args[0]) == j.value(c.args[1])) != c.neg
	case condAnd:
		for _, k := range c.kids {
			if !j.holds(k) {
				return false
			}
		}
		return true
	case condOr:
		for _, k := range c.kids {
			if j.holds(k) {
				return true
			}
		}
		return false
	case condSome:
		return j.run(c.some, 0, nil) != c.neg
	}
	j.key = j.values(j.key[:0], c.args)
	if p := &j.t.preds[c.pred]; p.rel != nil {
		return (len(p.whole.find(j.key)) > 0) != c.neg
	}
	return j.view.holds(j.view.atoms.find(c.pred, j.key)) != c.neg
}
