package tasktest

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/planproof/planproof/grounder"
)

// Twins is a random small task beside itself, with the goals of both: the two halves can be exchanged. Where they begin
// in the same state, that keeps the initial state.
func Twins(choose Choose) *grounder.Task {
	one := Any(choose)
	for len(Enumerate(one).States) > 16 { // the twins have as many pairs of states
		one = Any(choose)
	}
	two := beside(one)
	if choose(0, 1) == 1 {
		n := len(one.Variables)
		for v := range one.Variables {
			if one.Variables[v].Layer < 0 {
				two.Init[n+v] = int32(choose(0, one.Variables[v].Size()-1))
			}
		}
	}
	return two
}

// beside puts a task beside itself.
func beside(one *grounder.Task) *grounder.Task {
	n := int32(len(one.Variables))
	move := func(facts []grounder.Fact) (out []grounder.Fact) {
		for _, f := range facts {
			out = append(out, grounder.Fact{Var: f.Var + n, Val: f.Val})
		}
		return out
	}
	two := *one
	two.Variables = append(slices.Clone(one.Variables), one.Variables...)
	two.Init = append(slices.Clone(one.Init), one.Init...)
	two.Goal = append(slices.Clone(one.Goal), move(one.Goal)...)
	two.Operators, two.Axioms = one.Operators.Clone(), slices.Clone(one.Axioms)
	for _, a := range one.Axioms {
		two.Axioms = append(two.Axioms, grounder.Axiom{Head: move([]grounder.Fact{a.Head})[0], Body: move(a.Body)})
	}
	for o := range one.Operators.Len() {
		op := one.Operators.At(o)
		op.Pre = move(op.Pre)
		effects, costs := op.Effects, op.CondCosts
		op.Effects, op.CondCosts = nil, nil
		for _, e := range effects {
			op.Effects = append(op.Effects, grounder.Effect{Var: e.Var + n, Val: e.Val, Cond: move(e.Cond)})
		}
		for _, c := range costs {
			op.CondCosts = append(op.CondCosts, grounder.CondCost{Cond: move(c.Cond), Cost: c.Cost})
		}
		two.Operators.Append(op)
	}
	return &two
}

// Carrier is a task of n balls that a robot with two hands carries from one room to another: all balls, and both hands,
// can be exchanged.
func Carrier(tb testing.TB, n int) *grounder.Task {
	tb.Helper()
	const domain = `(define (domain carrier) (:requirements :strips)
(:predicates (ball ?b) (hand ?h) (room ?r) (robot ?r) (at ?b ?r) (free ?h) (holds ?h ?b))
(:action move :parameters (?a ?b) :precondition (and (room ?a) (room ?b) (robot ?a)) :effect (and (robot ?b) (not (robot ?a))))
(:action take :parameters (?b ?r ?h) :precondition (and (ball ?b) (room ?r) (hand ?h) (robot ?r) (at ?b ?r) (free ?h))
 :effect (and (holds ?h ?b) (not (at ?b ?r)) (not (free ?h))))
(:action put :parameters (?b ?r ?h) :precondition (and (ball ?b) (room ?r) (hand ?h) (robot ?r) (holds ?h ?b))
 :effect (and (at ?b ?r) (free ?h) (not (holds ?h ?b)))))`
	objects := "left right here there"
	init := "(hand left) (hand right) (room here) (room there) (robot here) (free left) (free right)"
	goal := ""
	for i := range n {
		b := "b" + strconv.Itoa(i)
		objects += " " + b
		init += " (ball " + b + ") (at " + b + " here)"
		goal += " (at " + b + " there)"
	}
	return Ground(tb, domain, fmt.Sprintf(
		"(define (problem p) (:domain carrier) (:objects %s) (:init %s) (:goal (and %s)))", objects, init, goal))
}
