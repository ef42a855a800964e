; Robots in a workshop. Each robot can mount some of the tools, one at a time, and returns it to its rack; a part is worked on where it lies, by a robot
; that stands there. Every step costs minutes.
(define (domain robots)
  (:requirements :typing :action-costs)
  (:types station robot part tool state - object)
  (:predicates
    (robot-at ?b - robot ?s - station)
    (linked ?from ?to - station)
    (lies ?p - part ?s - station)
    (grasped ?b - robot ?p - part)
    (empty ?b - robot)
    (rack ?w - tool ?s - station)
    (hangs ?w - tool)
    (mounted ?b - robot ?w - tool)
    (bare ?b - robot)
    (can-mount ?b - robot ?w - tool)
    (is ?p - part ?s - state)
    (suits ?w - tool ?p - part)
    (turns ?w - tool ?from ?to - state)
    (hot ?w - tool)
    (sparking ?w - tool)
    (dusty ?w - tool)
    (loud ?w - tool)
    (worn ?w - tool)
    (toxic ?w - tool)
    (imprecise ?w - tool))
  (:functions
    (minutes ?w - tool) - number
    (total-cost) - number)

  (:action drive
    :parameters (?b - robot ?from - station ?to - station)
    :precondition (and (robot-at ?b ?from) (linked ?from ?to))
    :effect (and (not (robot-at ?b ?from)) (robot-at ?b ?to) (increase (total-cost) 1)))

  (:action grasp
    :parameters (?b - robot ?p - part ?s - station)
    :precondition (and (robot-at ?b ?s) (lies ?p ?s) (empty ?b))
    :effect (and (not (lies ?p ?s)) (not (empty ?b)) (grasped ?b ?p) (increase (total-cost) 1)))

  (:action release
    :parameters (?b - robot ?p - part ?s - station)
    :precondition (and (robot-at ?b ?s) (grasped ?b ?p))
    :effect (and (not (grasped ?b ?p)) (empty ?b) (lies ?p ?s) (increase (total-cost) 1)))

  (:action mount
    :parameters (?b - robot ?w - tool ?s - station)
    :precondition (and (robot-at ?b ?s) (rack ?w ?s) (hangs ?w) (bare ?b) (can-mount ?b ?w))
    :effect (and (not (hangs ?w)) (not (bare ?b)) (mounted ?b ?w) (increase (total-cost) 1)))

  (:action dismount
    :parameters (?b - robot ?w - tool ?s - station)
    :precondition (and (robot-at ?b ?s) (rack ?w ?s) (mounted ?b ?w))
    :effect (and (not (mounted ?b ?w)) (bare ?b) (hangs ?w) (increase (total-cost) 1)))

  (:action process
    :parameters (?b - robot ?w - tool ?p - part ?from - state ?to - state ?s - station)
    :precondition (and (robot-at ?b ?s) (mounted ?b ?w) (lies ?p ?s) (is ?p ?from) (suits ?w ?p) (turns ?w ?from ?to))
    :effect (and (not (is ?p ?from)) (is ?p ?to) (increase (total-cost) (minutes ?w)))))
