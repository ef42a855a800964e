package validator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// maxReasons bounds the unmet conditions that a verdict lists, maxTraced those
// whose history is looked up.
const (
	maxReasons = 64
	maxTraced  = 16
)

// Reason is one unmet part of a condition.
type Reason struct {
	// Literal is the ground literal, comparison or formula that does not hold.
	Literal string
	// Because says which step made it false, or that it never held.
	Because string

	node   int32
	source *pddl.Formula // Literal is an instance of it
	env    []int32
	want   bool // the condition is Literal itself, not its negation
	// held and changedBy are those of Unmet.
	held      bool
	changedBy *StepRef
}

// reasons collects the unmet parts of a condition in the current state.
type reasons struct {
	s    *Scratch
	vars []pddl.Variable
	list []Reason
	more int
	seen map[string]bool // those that are not in list
}

// collect adds the unmet parts of node i: each unmet conjunct, and for a universal
// quantifier each binding that breaks it. An unmet disjunction, implication or
// existential quantifier is one part.
func (r *reasons) collect(i int32, env []int32) {
	s := r.s
	n := &s.j.nodes[i]
	if s.stop != goOn || s.eval(i, env) == isTrue {
		return
	}
	switch n.op {
	case opAnd:
		for _, k := range s.j.kids[n.kids.from:n.kids.to] {
			r.collect(k, env)
		}
	case opExists:
		if !n.neg {
			r.add(i, n.source, n.pol, env)
			return
		}
		r.broken(i, n, env)
	default:
		r.add(i, n.source, n.pol, env)
	}
}

// broken collects from each binding that a negated block finds.
func (r *reasons) broken(i int32, n *node, env []int32) {
	s := r.s
	b := &s.j.blocks[n.sym]
	leaf, block := s.leaf, s.leafBlock
	var found [][]int32
	s.leafBlock = b
	s.leaf = func(env []int32) {
		found = append(found, append([]int32(nil), env...))
		s.settled = len(found) > maxReasons
	}
	s.exists(b, env)
	s.leaf, s.leafBlock = leaf, block
	before := len(r.list)
	for _, e := range found {
		if n.body >= 0 {
			r.collect(n.body, e)
		} else {
			r.add(i, n.source.Children[0], false, e)
		}
	}
	if len(r.list) == before && r.more == 0 {
		r.add(i, n.source, n.pol, env)
	}
}

func (r *reasons) add(i int32, f *pddl.Formula, pol bool, env []int32) {
	text := r.s.j.textIn(&r.s.words, f, pol, r.vars, env)
	if slices.ContainsFunc(r.list, func(x Reason) bool { return x.Literal == text }) || r.seen[text] {
		return
	}
	if len(r.list) == maxReasons {
		if r.seen == nil {
			r.seen = map[string]bool{}
		}
		r.seen[text] = true
		r.more++
		return
	}
	r.list = append(r.list, Reason{Literal: text, node: i, source: f, env: env, want: pol})
}

// unmet returns the unmet parts of a condition.
func (s *Scratch) unmet(node int32, vars []pddl.Variable, env []int32) reasons {
	r := reasons{s: s, vars: vars, list: s.reasons[:0]}
	s.allow(min(s.j.opt.MaxWork, reasonWork))
	r.collect(node, append([]int32(nil), env...))
	if s.stop != goOn { // the reasons took too much work: the verdict stands without them
		s.stop = goOn
	}
	s.reasons, r.list = r.list, append(s.spareReasons, r.list...)
	s.spareReasons = nil
	return r
}

// trace fills the reasons' Because from the plan up to its failure.
func (s *Scratch) trace(plan *pddl.Plan, list []Reason) {
	list = list[:min(len(list), maxTraced)]
	if len(list) == 0 {
		return
	}
	if !s.traceAtoms(plan, list) {
		s.replay(plan, list)
	}
}

// replay is trace for all conditions.
func (s *Scratch) replay(plan *pddl.Plan, list []Reason) {
	h := make([]history, len(list))
	before := 0
	if s.timed != nil {
		s.timed.observeWorld = func(what string) {
			for i := range list {
				if now := s.eval(list[i].node, list[i].env) == isTrue; now != h[i].last {
					h[i].last, h[i].world = now, what
				}
			}
		}
		defer func() { s.timed.observeWorld = nil }()
	}
	s.j.judge(plan, s, func(applied int) {
		for i := range list {
			now := s.eval(list[i].node, list[i].env) == isTrue
			if h[i].last && !now {
				h[i].made, h[i].from, h[i].world = applied, before, ""
			}
			h[i].last = now
			if s.j.nodes[list[i].node].op == opCompare {
				if v := s.operands(&list[i]); v != h[i].values {
					if applied > 0 {
						h[i].moved, h[i].movedA = applied, before
					}
					h[i].values = v
				}
			}
		}
		before = applied
	})
	if s.stop != goOn {
		return
	}
	for i := range list {
		s.tell(plan, &list[i], &h[i])
	}
}

// traceAtoms is trace for atoms of a classical plan, whose changes the scratch has kept: it need not be replayed.
func (s *Scratch) traceAtoms(plan *pddl.Plan, list []Reason) bool {
	if s.timed != nil {
		return false
	}
	for i := range list {
		switch s.j.nodes[list[i].node].op {
		case opFluent, opSparseFluent, opStatic, opSparseStatic, opEqual:
		default:
			return false
		}
	}
	s.allow(s.j.workFor(plan, true))
	for i := range list {
		h := s.lastChange(&s.j.nodes[list[i].node], list[i].env)
		s.tell(plan, &list[i], &h)
	}
	return true
}

// lastChange finds the last happening that changed an atom, which has now the value that it got then.
func (s *Scratch) lastChange(n *node, env []int32) (h history) {
	var id int32
	switch n.op {
	case opFluent:
		id = s.address(n.base, n.coef, env)
	case opSparseFluent:
		id = s.findSparse(n.sym, s.ground(n.args, env))
	default:
		return h
	}
	for i := len(s.marks) - 1; i >= 0; i-- {
		var from mark
		if i > 0 {
			from = s.marks[i-1]
		}
		flips := 0
		for _, x := range s.undo[from.changes:s.marks[i].changes] {
			if x == id {
				flips++
			}
		}
		if flips%2 == 1 {
			return history{made: int(s.marks[i].applied), from: int(from.applied)}
		}
	}
	return h
}

// history is when a literal of the failed condition was last true.
type history struct {
	last bool
	made int // steps applied when it last turned false, 0 if never
	from int // steps applied before that
	// of a comparison: the values of its fluents, and the last happening that changed one
	values        string
	moved, movedA int
	world         string // what made it false, if no step did
}

// tell says why a literal does not hold at the failure.
func (s *Scratch) tell(plan *pddl.Plan, r *Reason, h *history) {
	if h.last && s.eval(r.node, r.env) != isTrue {
		r.held = true
		r.Because = s.drift(r)
		return
	}
	if h.world != "" {
		r.held = true
		r.Because = s.byWorld(r, h.world)
		return
	}
	r.Because = s.because(plan, r, h.from, h.made)
	// Steps may have changed the values of a comparison that never held.
	if h.made == 0 && h.moved == h.movedA+1 && s.firstUndefined(&s.j.nodes[r.node], r.env) == nil {
		name, by := s.moment(plan, h.movedA)
		r.changedBy = by
		r.Because += "; " + name + " last changed what it compares"
	}
}

// moment names the k-th thing that happens, from 0, and the step it belongs to, if any.
func (s *Scratch) moment(plan *pddl.Plan, k int) (string, *StepRef) {
	if s.timed == nil {
		by := &StepRef{k + 1, s.words.step(&plan.Steps[s.at(plan, k)])}
		return s.words.join("step ", strconv.Itoa(by.Step), " ", by.Action), by
	}
	x := &s.timed.snaps[k]
	text := s.snapText(plan, x)
	if x.kind == snapLiteral {
		return text, nil
	}
	return text, &StepRef{s.rank(plan, x.of), stepText(&plan.Steps[x.of])}
}

// abbreviate shortens a formula so that it fits in a sentence; Literal has all of it.
func abbreviate(text string) string {
	if len(text) > 240 {
		return text[:200] + "..."
	}
	return text
}

// because puts the history of one reason into words.
func (s *Scratch) because(plan *pddl.Plan, r *Reason, from, made int) string {
	n := &s.j.nodes[r.node]
	text, verb := r.Literal, "false"
	if !r.want {
		text, verb = strings.TrimSuffix(strings.TrimPrefix(text, "(not "), ")"), "true"
	}
	text = abbreviate(text)
	if made > 0 {
		r.held = true
		if made == from+1 {
			name, by := s.moment(plan, from)
			r.changedBy = by
			return s.words.join(name, " made ", text, " ", verb)
		}
		if s.timed != nil {
			return fmt.Sprintf("what happened at %s made %s %s", numberText(s.timed.snaps[from].time), text, verb)
		}
		return fmt.Sprintf("steps %d to %d, at the same time, made %s %s", from+1, made, text, verb)
	}
	switch n.op {
	case opEqual:
		return ""
	case opCompare:
		if x := s.firstUndefined(n, r.env); x != nil {
			name := s.j.exprText(x.source, r.env)
			if x.fluent {
				return name + " has no initial value and no earlier step assigns it"
			}
			return name + " has no value in the problem"
		}
	case opStatic, opSparseStatic:
		if r.want {
			return s.words.join(text, " is not in the initial state, and no action adds it")
		}
		return s.words.join(text, " is in the initial state, and no action deletes it")
	case opFluent, opSparseFluent:
		if r.want {
			return s.words.join(text, " was never true: it is not in the initial state and no earlier step adds it")
		}
		return s.words.join(text, " is in the initial state and no earlier step deletes it")
	}
	if r.want {
		return text + " was never true"
	}
	return text + " was never false"
}

// operands puts the fluents of a comparison into words: "(fuel t) is 3".
func (s *Scratch) operands(r *Reason) string {
	n := &s.j.nodes[r.node]
	if n.op != opCompare {
		return ""
	}
	var parts []string
	seen := map[string]bool{}
	s.eachFluent(n, func(x *expr) {
		text := s.j.exprText(x.source, r.env)
		if seen[text] || len(parts) == 8 {
			return
		}
		seen[text] = true
		if v, _, ok := s.fluentValue(x, r.env); ok {
			parts = append(parts, text+" is "+numberText(v))
		} else {
			parts = append(parts, text+" has no value")
		}
	})
	return strings.Join(parts, ", ")
}

// eachFluent visits the fluents of a comparison.
func (s *Scratch) eachFluent(n *node, f func(x *expr)) {
	if n.op != opCompare {
		return
	}
	var visit func(i int32)
	visit = func(i int32) {
		switch x := &s.j.exprs[i]; x.op {
		case pddl.NumFluent:
			f(x)
		case pddl.NumConst:
		default:
			for _, k := range s.j.kids[x.kids.from:x.kids.to] {
				visit(k)
			}
		}
	}
	visit(n.left)
	visit(n.right)
}

// firstUndefined returns the first fluent of a comparison without a value.
func (s *Scratch) firstUndefined(n *node, env []int32) (first *expr) {
	s.eachFluent(n, func(x *expr) {
		if _, _, ok := s.fluentValue(x, env); !ok && first == nil {
			first = x
		}
	})
	return first
}

// numberText writes a value for people: very long ones are shortened.
func numberText(v pddl.Number) string {
	t := v.String()
	if len(t) > 64 {
		return fmt.Sprintf("%s... (%d characters)", t[:40], len(t))
	}
	return t
}
