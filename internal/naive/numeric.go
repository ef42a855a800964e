package naive

import (
	"math/big"
	"sort"
	"strings"
)

// Numeric is a planner for numeric tasks (PDDL 2.1, level 2) in the manner of Task. It knows
// STRIPS, ADL without derived predicates, and numeric fluents with all operators; values
// are rationals, and undefined ones make a condition unknown in Kleene's logic. The cost of
// a step is by how much it raises the metric. It panics where that is negative.
type Numeric struct {
	*Task
	first    numState
	metricOf *node
	read     map[string]bool // functions that something but the metric reads
}

type numState struct {
	facts  state
	values map[string]*big.Rat
}

// NewNumeric reads a task.
func NewNumeric(domain, problem string) *Numeric {
	n := &Numeric{Task: &Task{parent: map[string]string{}, init: state{}}, read: map[string]bool{}}
	n.first = numState{state{}, map[string]*big.Rat{"total-cost": new(big.Rat)}}
	for _, section := range append(read(domain).List[2:], read(problem).List[2:]...) {
		body := section.List[1:]
		switch section.head() {
		case ":types":
			for _, e := range typedList(body) {
				n.parent[e.name] = e.kind
			}
		case ":constants", ":objects":
			n.objects = append(n.objects, typedList(body)...)
		case ":action":
			a := action(body)
			n.actions = append(n.actions, a)
			n.reads(a.pre)
			n.reads(a.effect)
		case ":init":
			for _, f := range body {
				if f.head() == "=" {
					n.first.values[words(f.List[1].List, nil)] = rational(f.List[2].Word)
				} else {
					n.first.facts[words(f.List, nil)] = true
				}
			}
		case ":goal":
			n.goal = body[0]
			n.reads(n.goal)
		case ":metric":
			n.metricOf = &body[1]
		case ":requirements", ":predicates", ":functions", ":domain":
		default:
			panic("naive: unknown section " + section.head())
		}
	}
	return n
}

func rational(word string) *big.Rat {
	r, ok := new(big.Rat).SetString(word)
	if !ok {
		panic("naive: not a number: " + word)
	}
	return r
}

// reads notes the functions in expressions: all heads of lists, but those that effects change.
func (n *Numeric) reads(f node) {
	list := f.List
	switch f.head() {
	case "increase", "decrease", "assign", "scale-up", "scale-down":
		list = list[2:]
	default:
		n.read[f.head()] = true
	}
	for _, c := range list {
		n.reads(c)
	}
}

func (n *Numeric) key(s numState) string {
	out := []string{s.facts.key()}
	for f, v := range s.values {
		if name, _, _ := strings.Cut(f, " "); n.read[name] {
			f += "=" + v.RatString()
		}
		out = append(out, f) // that it has a value matters to the steps that increase it
	}
	sort.Strings(out[1:])
	return strings.Join(out, ";")
}

// number evaluates an expression; nil is undefined.
func (n *Numeric) number(e node, s numState, env map[string]string) *big.Rat {
	if e.Word != "" {
		return rational(e.Word)
	}
	var args []*big.Rat
	switch e.head() {
	case "+", "-", "*", "/":
		for _, c := range e.List[1:] {
			v := n.number(c, s, env)
			if v == nil {
				return nil
			}
			args = append(args, v)
		}
	default:
		return s.values[words(e.List, env)]
	}
	if e.head() == "-" && len(args) == 1 {
		return new(big.Rat).Neg(args[0])
	}
	out := new(big.Rat).Set(args[0])
	for _, v := range args[1:] {
		switch e.head() {
		case "+":
			out.Add(out, v)
		case "-":
			out.Sub(out, v)
		case "*":
			out.Mul(out, v)
		case "/":
			if v.Sign() == 0 {
				return nil
			}
			out.Quo(out, v)
		}
	}
	return out
}

// truth is 1, 0 or -1: true, unknown, false.
func (n *Numeric) truth(f node, s numState, env map[string]string) int {
	sign := func(b bool) int {
		if b {
			return 1
		}
		return -1
	}
	switch f.head() {
	case "", "and":
		t := 1
		for _, c := range f.List[min(1, len(f.List)):] {
			t = min(t, n.truth(c, s, env))
		}
		return t
	case "or":
		t := -1
		for _, c := range f.List[1:] {
			t = max(t, n.truth(c, s, env))
		}
		return t
	case "not":
		return -n.truth(f.List[1], s, env)
	case "imply":
		return max(-n.truth(f.List[1], s, env), n.truth(f.List[2], s, env))
	case "forall":
		t := 1
		n.each(typedList(f.List[1].List), env, func(e map[string]string) bool { t = min(t, n.truth(f.List[2], s, e)); return true })
		return t
	case "exists":
		t := -1
		n.each(typedList(f.List[1].List), env, func(e map[string]string) bool { t = max(t, n.truth(f.List[2], s, e)); return true })
		return t
	case "<", "<=", ">", ">=", "=":
		if f.head() == "=" && f.List[1].Word != "" && f.List[2].Word != "" && !strings.ContainsAny(f.List[1].Word+f.List[2].Word, "0123456789") {
			return sign(value(f.List[1].Word, env) == value(f.List[2].Word, env))
		}
		a, b := n.number(f.List[1], s, env), n.number(f.List[2], s, env)
		if a == nil || b == nil {
			return 0
		}
		c := a.Cmp(b)
		return sign(map[string]bool{"<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0, "=": c == 0}[f.head()])
	}
	return sign(s.facts[words(f.List, env)])
}

// outcome collects the effects of a step.
type outcome struct {
	del, add state
	plus     map[string]*big.Rat
	set      map[string]*big.Rat
	bad      bool // something is undefined, or effects conflict
}

func (n *Numeric) apply(e node, s numState, env map[string]string, o *outcome) {
	switch e.head() {
	case "", "and":
		for _, c := range e.List[min(1, len(e.List)):] {
			n.apply(c, s, env, o)
		}
	case "forall":
		n.each(typedList(e.List[1].List), env, func(inner map[string]string) bool { n.apply(e.List[2], s, inner, o); return true })
	case "when":
		switch n.truth(e.List[1], s, env) {
		case 1:
			n.apply(e.List[2], s, env, o)
		case 0:
			o.bad = true
		}
	case "not":
		o.del[words(e.List[1].List, env)] = true
	case "increase", "decrease", "assign", "scale-up", "scale-down":
		n.change(e.head(), words(e.List[1].List, env), n.number(e.List[2], s, env), s, o)
	default:
		o.add[words(e.List, env)] = true
	}
}

func (n *Numeric) change(op, f string, v *big.Rat, s numState, o *outcome) {
	old := s.values[f]
	if v == nil || op != "assign" && old == nil || op == "scale-down" && v.Sign() == 0 {
		o.bad = true
		return
	}
	additive := op == "increase" || op == "decrease"
	if o.set[f] != nil || !additive && o.plus[f] != nil {
		o.bad = true
		return
	}
	switch op {
	case "decrease":
		v = new(big.Rat).Neg(v)
	case "scale-up":
		v = new(big.Rat).Mul(old, v)
	case "scale-down":
		v = new(big.Rat).Quo(old, v)
	}
	if !additive {
		o.set[f] = v
		return
	}
	if o.plus[f] != nil {
		v = new(big.Rat).Add(v, o.plus[f])
	}
	o.plus[f] = v
}

// steps calls f for each applicable action, with what it costs and leads to.
func (n *Numeric) steps(s numState, f func(name string, cost *big.Rat, next numState)) {
	for _, a := range n.actions {
		n.each(a.params, nil, func(env map[string]string) bool {
			if n.truth(a.pre, s, env) < 1 {
				return true
			}
			o := outcome{state{}, state{}, map[string]*big.Rat{}, map[string]*big.Rat{}, false}
			if n.apply(a.effect, s, env, &o); o.bad {
				return true
			}
			next := numState{state{}, map[string]*big.Rat{}}
			for p := range s.facts {
				if !o.del[p] {
					next.facts[p] = true
				}
			}
			for p := range o.add {
				next.facts[p] = true
			}
			for k, v := range s.values {
				next.values[k] = v
			}
			for k, v := range o.plus {
				next.values[k] = new(big.Rat).Add(s.values[k], v)
			}
			for k, v := range o.set {
				next.values[k] = v
			}
			name := "(" + a.name
			for _, p := range a.params {
				name += " " + env[p.name]
			}
			f(name+")", n.stepCost(s, next), next)
			return true
		})
	}
}

func (n *Numeric) stepCost(s, next numState) *big.Rat {
	if n.metricOf == nil {
		return big.NewRat(1, 1)
	}
	c := new(big.Rat).Sub(n.number(*n.metricOf, next, nil), n.number(*n.metricOf, s, nil))
	if c.Sign() < 0 {
		panic("naive: a step of negative cost")
	}
	return c
}

// NumericSolution is the answer of Solve.
type NumericSolution struct {
	Solved  bool
	Decided bool // false where there are more states than the limit
	Cost    *big.Rat
	Plan    []string
}

// Solve finds a cheapest plan among at most limit states.
func (n *Numeric) Solve(limit int) NumericSolution {
	type entry struct {
		s      numState
		cost   *big.Rat
		parent string
		action string
		closed bool
	}
	root := n.key(n.first)
	seen := map[string]*entry{root: {s: n.first, cost: new(big.Rat)}}
	for expanded := 0; ; expanded++ {
		best := ""
		for k, e := range seen { // the cheapest open state, by name among equals
			if !e.closed && (best == "" || e.cost.Cmp(seen[best].cost) < 0 || e.cost.Cmp(seen[best].cost) == 0 && k < best) {
				best = k
			}
		}
		if best == "" {
			return NumericSolution{Decided: true}
		}
		e := seen[best]
		if n.truth(n.goal, e.s, nil) == 1 {
			base := new(big.Rat)
			if n.metricOf != nil {
				base = n.number(*n.metricOf, n.first, nil)
			}
			out := NumericSolution{Solved: true, Decided: true, Cost: base.Add(base, e.cost)}
			for ; best != root; best = seen[best].parent {
				out.Plan = append([]string{seen[best].action}, out.Plan...)
			}
			return out
		}
		if expanded == limit {
			return NumericSolution{}
		}
		e.closed = true
		n.steps(e.s, func(name string, cost *big.Rat, next numState) {
			k, c := n.key(next), new(big.Rat).Add(e.cost, cost)
			if old := seen[k]; old == nil || c.Cmp(old.cost) < 0 {
				seen[k] = &entry{s: next, cost: c, parent: best, action: name}
			}
		})
	}
}
