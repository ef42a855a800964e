; Chores in a home. Things change from state to state by means of tools, some by hand and some at a socket; tools lie in
; rooms or in closed cupboards. Every step costs minutes.
(define (domain household)
  (:requirements :typing :action-costs)
  (:types room cupboard item state - object
          thing tool - item)
  (:predicates
    (here ?r - room)
    (linked ?from ?to - room)
    (socket ?r - room)
    (stands ?c - cupboard ?r - room)
    (closed ?c - cupboard)
    (opened ?c - cupboard)
    (inside ?x - item ?c - cupboard)
    (lies ?x - item ?r - room)
    (carried ?x - item)
    (is ?t - thing ?s - state)
    (suits ?w - tool ?t - thing)
    (turns ?w - tool ?from ?to - state)
    (manual ?w - tool)
    (electric ?w - tool)
    (hot ?w - tool)
    (noisy ?w - tool)
    (sharp ?w - tool)
    (chemical ?w - tool)
    (fragile ?w - tool)
    (heavy ?w - tool)
    (borrowed ?w - tool)
    (disposable ?w - tool))
  (:functions
    (minutes ?w - tool) - number
    (total-cost) - number)

  (:action walk
    :parameters (?from - room ?to - room)
    :precondition (and (here ?from) (linked ?from ?to))
    :effect (and (not (here ?from)) (here ?to) (increase (total-cost) 1)))

  (:action open
    :parameters (?c - cupboard ?r - room)
    :precondition (and (here ?r) (stands ?c ?r) (closed ?c))
    :effect (and (not (closed ?c)) (opened ?c) (increase (total-cost) 1)))

  (:action take-out
    :parameters (?x - item ?c - cupboard ?r - room)
    :precondition (and (here ?r) (stands ?c ?r) (opened ?c) (inside ?x ?c))
    :effect (and (not (inside ?x ?c)) (carried ?x) (increase (total-cost) 1)))

  (:action take
    :parameters (?x - item ?r - room)
    :precondition (and (here ?r) (lies ?x ?r))
    :effect (and (not (lies ?x ?r)) (carried ?x) (increase (total-cost) 1)))

  (:action put-down
    :parameters (?x - item ?r - room)
    :precondition (and (here ?r) (carried ?x))
    :effect (and (not (carried ?x)) (lies ?x ?r) (increase (total-cost) 1)))

  (:action use
    :parameters (?w - tool ?t - thing ?from - state ?to - state)
    :precondition (and (manual ?w) (carried ?w) (carried ?t) (is ?t ?from) (suits ?w ?t) (turns ?w ?from ?to))
    :effect (and (not (is ?t ?from)) (is ?t ?to) (increase (total-cost) (minutes ?w))))

  (:action plug-in
    :parameters (?w - tool ?t - thing ?from - state ?to - state ?r - room)
    :precondition (and (electric ?w) (here ?r) (socket ?r) (carried ?w) (carried ?t)
                       (is ?t ?from) (suits ?w ?t) (turns ?w ?from ?to))
    :effect (and (not (is ?t ?from)) (is ?t ?to) (increase (total-cost) (minutes ?w)))))
