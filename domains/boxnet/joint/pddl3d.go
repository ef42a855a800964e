package joint

import (
	"strings"

	"github.com/planproof/planproof/domains/boxnet"
)

// pddlDomain3D is the domain of BoxNet3D. It has in addition: tips take objects that are near to them, the nearest of
// those that no robot before has taken in the step; ways are not swept over objects, which count where they lie before
// the step; some motions collide only if both robots carry. A robot that rests may take an object to its tip.
const pddlDomain3D = `; BoxNet3D on points: robots choose the motions of a step one after the other.
(define (domain boxnet3d)
  (:requirements :typing :negative-preconditions :disjunctive-preconditions :universal-preconditions :conditional-effects :equality :action-costs)
  (:types turn point thing motion - object  robot - turn)
  (:constants clock - turn)
  (:predicates (turn ?t - turn) (next ?r - robot ?t - turn) (first ?r - robot)
    (tip ?r - robot ?p - point) (at ?o - thing ?p - point)
    (goes ?m - motion ?r - robot ?from ?to - point)
    (collide ?m ?n - motion) (collide-loaded ?m ?n - motion) (sweeps ?m - motion ?p - point)
    (takes ?tip ?p - point) (rather ?tip ?p ?than - point) (alike ?tip ?p ?q - point) (before ?a ?b - thing)
    (chosen ?m - motion) (loaded ?m - motion) (moved ?o - thing) (left ?p - point))
  (:functions (total-cost) - number)
  (:action go
    :parameters (?r - robot ?t - turn ?m - motion ?p ?q - point)
    :precondition (and (turn ?r) (next ?r ?t) (goes ?m ?r ?p ?q) (tip ?r ?p)
      (forall (?n - motion) (not (and (collide ?m ?n) (chosen ?n))))
      (forall (?w - point) (not (and (sweeps ?m ?w) (left ?w))))
      (forall (?w - point ?x - thing) (not (and (sweeps ?m ?w) (at ?x ?w) (not (moved ?x))))))
    :effect (and (not (turn ?r)) (turn ?t) (not (tip ?r ?p)) (tip ?r ?q) (chosen ?m)))
  (:action carry
    :parameters (?r - robot ?t - turn ?m - motion ?p ?q - point ?o - thing ?from - point)
    :precondition (and (turn ?r) (next ?r ?t) (goes ?m ?r ?p ?q) (tip ?r ?p) (takes ?p ?from) (at ?o ?from) (not (moved ?o))
      (forall (?n - motion) (not (and (collide ?m ?n) (chosen ?n))))
      (forall (?n - motion) (not (and (collide-loaded ?m ?n) (loaded ?n))))
      (forall (?w - point) (not (and (sweeps ?m ?w) (left ?w))))
      (forall (?w - point ?x - thing) (not (and (sweeps ?m ?w) (not (= ?x ?o)) (at ?x ?w) (not (moved ?x)))))
      (forall (?w - point ?x - thing) (not (and (rather ?p ?w ?from) (at ?x ?w) (not (moved ?x)))))
      (forall (?w - point ?x - thing) (not (and (alike ?p ?w ?from) (before ?x ?o) (at ?x ?w) (not (moved ?x))))))
    :effect (and (not (turn ?r)) (turn ?t) (not (tip ?r ?p)) (tip ?r ?q) (chosen ?m) (loaded ?m)
      (not (at ?o ?from)) (at ?o ?q) (moved ?o) (left ?from)))
  (:action end-step
    :parameters (?r - robot)
    :precondition (and (turn clock) (first ?r)
      (forall (?p - point ?a ?b - thing) (not (and (not (= ?a ?b)) (at ?a ?p) (at ?b ?p)))))
    :effect (and (not (turn clock)) (turn ?r) (forall (?m - motion) (and (not (chosen ?m)) (not (loaded ?m))))
      (forall (?o - thing) (not (moved ?o))) (forall (?p - point) (not (left ?p)))
      (increase (total-cost) 1))))
`

// swings writes what only BoxNet3D has: what motions sweep over, and which object a tip takes.
func (w *pddlWriter) swings() {
	for m := range w.motions {
		for q, at := range w.points[:w.ordinary] {
			if w.motions[m].Sweeps(at) {
				w.line("    (sweeps m%d p%d)", m, q)
			}
		}
	}
	for o := range w.at {
		for other := range o {
			w.line("    (before o%d o%d)", other, o)
		}
	}
	for i, tip := range w.points {
		var near []int
		for q, at := range w.points[:w.ordinary] {
			if w.in.Aligned(tip, at) {
				w.line("    (takes p%d p%d)", i, q)
				near = append(near, q)
			}
		}
		for _, q := range near {
			for _, p := range near {
				switch at, other := w.points[q], w.points[p]; {
				case boxnet.Nearer(tip, other, at):
					w.line("    (rather p%d p%d p%d)", i, p, q)
				case p != q && !boxnet.Nearer(tip, at, other):
					w.line("    (alike p%d p%d p%d)", i, p, q)
				}
			}
		}
	}
}

// dimensions is "3" or "2", for names.
func (p *places) dimensions() string {
	if p.in.Swings() {
		return "3"
	}
	return "2"
}

// domain is the text of the instance's domain.
func (p *places) domain() string {
	if p.in.Swings() {
		return pddlDomain3D
	}
	return pddlDomain
}

// domainName is the name that its text has.
func (p *places) domainName() string {
	return strings.TrimSuffix("boxnet"+p.dimensions()+"d", "2d")
}
