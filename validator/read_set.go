package validator

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// place is an argument of a pattern: an object, or a wildcard (a quantified variable)
// that has several types at once. Equal wildcards stand for equal objects.
type place struct {
	object int32 // -1 for a wildcard
	wild   int32
	types  []pddl.TypeID // of a wildcard, sorted; none includes another
}

// pattern is an atom or value that a step reads. sym is the predicate, or the
// number of predicates plus the function.
type pattern struct {
	sym  int32
	args []place
}

// ground returns the objects of a pattern without wildcards, or nil.
func (p *pattern) ground() []int32 {
	args := make([]int32, len(p.args))
	for i := range p.args {
		if p.args[i].object < 0 {
			return nil
		}
		args[i] = p.args[i].object
	}
	return args
}

// readSet collects what a step reads.
type readSet struct {
	j        *Judge
	patterns []pattern
	seen     map[string]bool
	vars     []place // of the current schema, by slot
	schema   []pddl.Variable
}

func newReadSet(j *Judge) *readSet { return &readSet{j: j, seen: map[string]bool{}} }

// action collects the precondition and the conditions of the effects.
func (r *readSet) action(a *action, env []int32) {
	r.vars = r.vars[:0]
	for i, v := range a.schema.Vars {
		p := place{object: -1, wild: int32(i), types: []pddl.TypeID{v.Type}}
		if i < a.schema.NumParams {
			p.object = env[i]
		}
		r.vars = append(r.vars, p)
	}
	r.schema = a.schema.Vars
	r.formula(a.schema.Precondition)
	r.effect(a.schema.Effect)
	r.expand()
}

// void reports whether one of the variables has no possible value, so that a quantifier
// over it has no instance.
func (r *readSet) void(bound []int32) bool {
	for _, s := range bound {
		if len(r.j.prob.ObjectsOfType(r.schema[s].Type)) == 0 {
			return true
		}
	}
	return false
}

// formula collects the atoms and values in f.
func (r *readSet) formula(f *pddl.Formula) {
	if f == nil || r.void(f.Bound) {
		return
	}
	switch f.Kind {
	case pddl.FormulaAtom:
		r.add(int32(f.Pred), f.Args)
	case pddl.FormulaObjectEqual:
		r.add(int32(len(r.j.preds))+int32(f.Func), f.Args)
	case pddl.FormulaCompare:
		r.terms(f.Left)
		r.terms(f.Right)
	}
	for _, k := range f.Children {
		r.formula(k)
	}
}

// effect collects the conditions in e.
func (r *readSet) effect(e *pddl.Effect) {
	if e == nil || r.void(e.Bound) {
		return
	}
	r.formula(e.Condition)
	for _, k := range e.Children {
		r.effect(k)
	}
}

func (r *readSet) terms(e *pddl.NumExpr) {
	walkExpr(e, func(e *pddl.NumExpr) {
		if e.Kind == pddl.NumFluent {
			r.add(int32(len(r.j.preds))+int32(e.Func), e.Args)
		}
	})
}

// expr collects the values in the right-hand side of an effect that fires.
func (r *readSet) expr(e *pddl.NumExpr, env []int32) {
	saved := r.vars
	r.vars = make([]place, len(env))
	for i, o := range env {
		r.vars[i].object = o
	}
	r.terms(e)
	r.vars = saved
}

// add collects one atom or value, once. Those that nothing ever writes are left out.
func (r *readSet) add(sym int32, args []pddl.Term) {
	if n := int32(len(r.j.preds)); sym < n && !r.j.preds[sym].fluent && !r.j.preds[sym].derived || sym >= n && !r.j.fns[sym-n].fluent {
		return
	}
	p := pattern{sym: sym, args: make([]place, len(args))}
	for i, t := range args {
		if t.IsVar() {
			p.args[i] = r.vars[t.Slot()]
		} else {
			p.args[i] = place{object: int32(t)}
		}
	}
	key := p.canonical()
	if !r.seen[key] {
		r.seen[key] = true
		r.patterns = append(r.patterns, p)
	}
}

// canonical renumbers the wildcards of p by first occurrence and returns a key.
func (p *pattern) canonical() string {
	old := make([]int32, 0, len(p.args))
	key := []byte{byte(p.sym), byte(p.sym >> 8), byte(p.sym >> 16), byte(p.sym >> 24)}
	for i := range p.args {
		a := &p.args[i]
		x := a.object
		if x < 0 {
			n := -1
			for k, w := range old {
				if w == a.wild {
					n = k
				}
			}
			if n < 0 {
				n, old = len(old), append(old, a.wild)
			}
			a.wild = int32(n)
			x = -1 - a.wild
			for _, t := range a.types {
				key = append(key, byte(t), byte(t>>8), byte(t>>16), byte(t>>24))
			}
			key = append(key, 0xff, 0xff, 0xff, 0xff)
		}
		key = append(key, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return string(key)
}

// expand replaces derived atoms by what their rules read, down to base atoms.
func (r *readSet) expand() {
	for i := 0; i < len(r.patterns); i++ {
		p := r.patterns[i]
		if p.sym >= int32(len(r.j.preds)) || !r.j.preds[p.sym].derived {
			continue
		}
		for _, a := range r.j.dom.Axioms {
			if int32(a.Pred) == p.sym && r.unify(a, p.args) {
				r.formula(a.Body)
			}
		}
	}
}

// unify gives the parameters of an axiom the places of a pattern, and reports
// whether their types allow that. Wildcards take the types of the parameters too.
func (r *readSet) unify(a *pddl.Axiom, args []place) bool {
	r.schema = a.Vars
	r.vars = make([]place, len(a.Vars))
	types := map[int32][]pddl.TypeID{} // by wildcard of args
	for i := range args {
		t := a.Vars[i].Type
		if p := &args[i]; p.object < 0 {
			if types[p.wild] == nil {
				types[p.wild] = p.types
			}
			types[p.wild] = r.narrow(types[p.wild], t)
		} else if !r.j.types.is(p.object, t) {
			return false
		}
	}
	for i, v := range a.Vars {
		switch {
		case i >= a.NumParams:
			r.vars[i] = place{object: -1, wild: int32(len(args) + i), types: []pddl.TypeID{v.Type}}
		case args[i].object >= 0:
			r.vars[i] = args[i]
		default:
			p := place{object: -1, wild: args[i].wild, types: types[args[i].wild]}
			if !r.inhabited(p.types) {
				return false
			}
			r.vars[i] = p
		}
	}
	return true
}

// narrow adds a type to a conjunction of types.
func (r *readSet) narrow(types []pddl.TypeID, t pddl.TypeID) []pddl.TypeID {
	out := []pddl.TypeID{}
	for _, u := range types {
		if r.j.types.subtype(u, t) {
			return types
		}
		if !r.j.types.subtype(t, u) {
			out = append(out, u)
		}
	}
	out = append(out, t)
	slices.Sort(out)
	return out
}

// inhabited reports whether some object has all the types.
func (r *readSet) inhabited(types []pddl.TypeID) bool {
	for _, o := range r.j.prob.ObjectsOfType(types[0]) {
		if r.j.types.isAll(int32(o), types) {
			return true
		}
	}
	return false
}
