package joint

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/domains/boxnet"
)

// pddlDomain says what every exported problem has in common. A step is built robot by robot: each
// chooses a motion (to rest is one, too) that collides with none of those chosen before, and carries along
// at most one object that has not moved in this step. Only the end of a step costs.
const pddlDomain = `; BoxNet2D on points: robots choose the motions of a step one after the other.
(define (domain boxnet)
  (:requirements :typing :negative-preconditions :disjunctive-preconditions :universal-preconditions :conditional-effects :equality :action-costs)
  (:types turn point thing motion - object  robot - turn)
  (:constants clock - turn)
  (:predicates (turn ?t - turn) (next ?r - robot ?t - turn) (first ?r - robot)
    (tip ?r - robot ?p - point) (at ?o - thing ?p - point)
    (goes ?m - motion ?r - robot ?from ?to - point) (leaves ?m - motion)
    (collide ?m ?n - motion) (chosen ?m - motion) (moved ?o - thing))
  (:functions (total-cost) - number)
  (:action go
    :parameters (?r - robot ?t - turn ?m - motion ?p ?q - point)
    :precondition (and (turn ?r) (next ?r ?t) (goes ?m ?r ?p ?q) (tip ?r ?p)
      (forall (?n - motion) (not (and (collide ?m ?n) (chosen ?n)))))
    :effect (and (not (turn ?r)) (turn ?t) (not (tip ?r ?p)) (tip ?r ?q) (chosen ?m)))
  (:action carry
    :parameters (?r - robot ?t - turn ?m - motion ?p ?q - point ?o - thing)
    :precondition (and (turn ?r) (next ?r ?t) (goes ?m ?r ?p ?q) (leaves ?m) (tip ?r ?p) (at ?o ?p) (not (moved ?o))
      (forall (?n - motion) (not (and (collide ?m ?n) (chosen ?n)))))
    :effect (and (not (turn ?r)) (turn ?t) (not (tip ?r ?p)) (tip ?r ?q) (chosen ?m)
      (not (at ?o ?p)) (at ?o ?q) (moved ?o)))
  (:action end-step
    :parameters (?r - robot)
    :precondition (and (turn clock) (first ?r)
      (forall (?p - point ?a ?b - thing) (not (and (not (= ?a ?b)) (at ?a ?p) (at ?b ?p)))))
    :effect (and (not (turn clock)) (turn ?r) (forall (?m - motion) (not (chosen ?m))) (forall (?o - thing) (not (moved ?o)))
      (increase (total-cost) 1))))
`

// MaxMotions bounds the motions of an instance that is exported: 3 robots in the open have 768.
const MaxMotions = 3000

// PDDL writes the instance as a classical planning task with the same optimum: a cheapest plan costs as
// much as the fewest steps. Points, robots and objects have numbers for names; comments say which
// is which. The error is about an instance that would be too large.
func PDDL(in *boxnet.Instance, reading boxnet.Reading) (domain, problem string, err error) {
	p := newPlaces(in)
	count := 0
	for _, own := range p.reach {
		count += len(own) * len(own)
	}
	if count > MaxMotions {
		return "", "", fmt.Errorf("the robots have %d motions between two points, more than the %d that can be exported", count, MaxMotions)
	}
	w := &pddlWriter{places: p, reading: reading}
	w.problem()
	return p.domain(), w.b.String(), nil
}

type pddlWriter struct {
	*places
	reading boxnet.Reading
	b       strings.Builder
	motions []boxnet.Motion
	owner   []int
}

func (w *pddlWriter) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

func (w *pddlWriter) problem() {
	w.line("; BoxNet%sD under the reading %s", w.dimensions(), w.reading)
	for i, q := range w.points {
		w.line("; p%d is %v", i, q)
	}
	for r := range w.in.Robots {
		w.line("; r%d is %s, base %v", r, oneLine(w.in.Robots[r].Name), w.in.Robots[r].Base)
	}
	for o := range w.in.Objects {
		w.line("; o%d is %s", o, oneLine(w.in.Objects[o].Name))
	}
	w.line("(define (problem boxnet-task) (:domain %s)\n  (:objects", w.domainName())
	w.names("p", len(w.points), "point")
	w.names("r", len(w.reach), "robot")
	w.names("o", len(w.at), "thing")
	var goes strings.Builder
	for r, own := range w.reach {
		for i := range own {
			for k := range own {
				if w.odd[r] && k == len(own)-1 && i != k {
					continue // nothing leads back to a start off the points
				}
				m := w.motion(int32(r), int32(i), int32(k))
				if m.Moves && w.in.Blocked(&m) != nil {
					continue
				}
				fmt.Fprintf(&goes, "    (goes m%d r%d p%d p%d)", len(w.motions), r, own[i], own[k])
				if m.Moves && !w.in.Swings() {
					fmt.Fprintf(&goes, " (leaves m%d)", len(w.motions))
				}
				goes.WriteByte('\n')
				w.motions, w.owner = append(w.motions, m), append(w.owner, r)
			}
		}
	}
	w.names("m", len(w.motions), "motion")
	w.line("  )\n  (:init (= (total-cost) 0)")
	w.state()
	w.b.WriteString(goes.String())
	w.collisions()
	if w.in.Swings() {
		w.swings()
	}
	w.line("  )\n  (:goal (and (turn r0)")
	for o, q := range w.target {
		w.line("    (at o%d p%d)", o, q)
	}
	w.line("  ))\n  (:metric minimize (total-cost)))")
}

func (w *pddlWriter) names(letter string, n int, kind string) {
	if n == 0 {
		return
	}
	w.b.WriteString("   ")
	for i := range n {
		fmt.Fprintf(&w.b, " %s%d", letter, i)
	}
	w.line(" - %s", kind)
}

func (w *pddlWriter) state() {
	w.line("    (turn r0) (first r0)")
	for r := range w.reach {
		next := fmt.Sprintf("r%d", r+1)
		if r == len(w.reach)-1 {
			next = "clock"
		}
		w.line("    (next r%d %s) (tip r%d p%d)", r, next, r, w.reach[r][w.start[r]])
	}
	for o, q := range w.at {
		w.line("    (at o%d p%d)", o, q)
	}
}

// collisions lists the motions of robots that collide with those of robots before them, which choose first.
func (w *pddlWriter) collisions() {
	for m := range w.motions {
		for n := range m {
			if w.owner[m] == w.owner[n] || !w.near(w.owner[m], w.owner[n]) {
				continue
			}
			a, b := w.motions[m], w.motions[n]
			a.Carries, b.Carries = true, true
			switch w.in.Collision(w.reading, &a, &b) {
			case "":
			case boxnet.ObjectsCross:
				w.line("    (collide-loaded m%d m%d)", m, n)
			default:
				w.line("    (collide m%d m%d)", m, n)
			}
		}
	}
}

// oneLine is a name as it may stand in a comment.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
