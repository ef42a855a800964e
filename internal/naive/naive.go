// Package naive is a planner for tests that shares no code with planproof. It is slow and
// short, so that reading it is enough to trust its answers about tiny tasks:
//
//	text ─► s-expressions ─► Task ─► states (sets of strings) ─► Solve, Distances, Run
//	        read.go          read.go  naive.go                    search.go
//
// It reads PDDL with a reader of its own, evaluates formulas by recursion over the text and
// searches by Dijkstra's algorithm.
//
// It knows STRIPS, ADL, typing (without either), equality, derived predicates and increases
// of total-cost by integers. It panics at anything else, since a guess would be worthless
// as a reference.
package naive

import (
	"sort"
	"strings"
)

// Task is a planning task.
type Task struct {
	parent  map[string]string
	objects []typed
	actions []schema
	derived []schema // name is the predicate's
	init    state
	costs   map[string]int
	goal    node
	metric  bool
	// Prices, if not nil, replaces the costs of actions, by action name.
	Prices map[string]int
}

// state is a set of facts, "on a b".
type state map[string]bool

func (s state) key() string {
	facts := make([]string, 0, len(s))
	for f := range s {
		facts = append(facts, f)
	}
	sort.Strings(facts)
	return strings.Join(facts, ",")
}

// words writes an atom with its variables replaced.
func words(list []node, env map[string]string) string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = value(w.Word, env)
	}
	return strings.Join(out, " ")
}

func value(word string, env map[string]string) string {
	if v, ok := env[word]; ok {
		return v
	}
	if strings.HasPrefix(word, "?") {
		panic("naive: free variable " + word)
	}
	return word
}

// each calls f with every extension of env to the variables; f returns false to stop.
func (t *Task) each(vars []typed, env map[string]string, f func(map[string]string) bool) bool {
	if len(vars) == 0 {
		return f(env)
	}
	for _, o := range t.objects {
		k := o.kind
		for k != "" && k != vars[0].kind {
			if k == "object" {
				k = ""
			} else if k = t.parent[k]; k == "" {
				k = "object"
			}
		}
		if k == "" {
			continue
		}
		next := map[string]string{vars[0].name: o.name}
		for a, b := range env {
			if a != vars[0].name {
				next[a] = b
			}
		}
		if !t.each(vars[1:], next, f) {
			return false
		}
	}
	return true
}

func (t *Task) holds(f node, s state, env map[string]string) bool {
	switch f.head() {
	case "", "and":
		for _, c := range f.List[min(1, len(f.List)):] {
			if !t.holds(c, s, env) {
				return false
			}
		}
		return true
	case "or":
		for _, c := range f.List[1:] {
			if t.holds(c, s, env) {
				return true
			}
		}
		return false
	case "not":
		return !t.holds(f.List[1], s, env)
	case "imply":
		return !t.holds(f.List[1], s, env) || t.holds(f.List[2], s, env)
	case "forall":
		return t.each(typedList(f.List[1].List), env, func(e map[string]string) bool { return t.holds(f.List[2], s, e) })
	case "exists":
		return !t.each(typedList(f.List[1].List), env, func(e map[string]string) bool { return !t.holds(f.List[2], s, e) })
	case "=":
		return value(f.List[1].Word, env) == value(f.List[2].Word, env)
	}
	return s[words(f.List, env)]
}

// complete adds the derived facts. It takes the rules in the order of the domain file, each
// to its own fixpoint. That is right if a rule only uses itself and earlier ones, as in all
// domains of the callers.
func (t *Task) complete(basic state) state {
	s := state{}
	for f := range basic {
		s[f] = true
	}
	for _, d := range t.derived {
		for grown := true; grown; {
			grown = false
			t.each(d.params, nil, func(env map[string]string) bool {
				atom := d.name
				for _, p := range d.params {
					atom += " " + env[p.name]
				}
				if !s[atom] && t.holds(d.pre, s, env) {
					s[atom], grown = true, true
				}
				return true
			})
		}
	}
	return s
}

// apply collects an effect: facts to delete and add, and the cost.
func (t *Task) apply(e node, s state, env map[string]string, del, add state) (cost int) {
	switch e.head() {
	case "", "and":
		for _, c := range e.List[min(1, len(e.List)):] {
			cost += t.apply(c, s, env, del, add)
		}
	case "forall":
		t.each(typedList(e.List[1].List), env, func(inner map[string]string) bool {
			cost += t.apply(e.List[2], s, inner, del, add)
			return true
		})
	case "when":
		if t.holds(e.List[1], s, env) {
			cost = t.apply(e.List[2], s, env, del, add)
		}
	case "not":
		del[words(e.List[1].List, env)] = true
	case "increase":
		if w := e.List[2].Word; w != "" {
			return number(w)
		}
		c, ok := t.costs[words(e.List[2].List, env)]
		if !ok {
			panic("naive: no value of " + words(e.List[2].List, env))
		}
		return c
	default:
		add[words(e.List, env)] = true
	}
	return cost
}

// step is one applicable action.
type step struct {
	name string
	cost int
	next state // without derived facts
}

func (t *Task) steps(basic state) []step {
	s := t.complete(basic)
	var out []step
	for _, a := range t.actions {
		t.each(a.params, nil, func(env map[string]string) bool {
			if !t.holds(a.pre, s, env) {
				return true
			}
			del, add := state{}, state{}
			cost := t.apply(a.effect, s, env, del, add)
			if !t.metric {
				cost = 1
			}
			if t.Prices != nil {
				cost = t.Prices[a.name]
			}
			next := state{}
			for f := range basic {
				if !del[f] {
					next[f] = true
				}
			}
			for f := range add {
				next[f] = true
			}
			name := "(" + a.name
			for _, p := range a.params {
				name += " " + env[p.name]
			}
			out = append(out, step{name + ")", cost, next})
			return true
		})
	}
	return out
}
