; What the calls of a booking service do: a call can be made once its inputs are known.
(define (domain booking)
  (:requirements :strips :typing :conditional-effects :universal-preconditions :action-costs)
  (:types place hotel guest)
  (:predicates (in ?h - hotel ?p - place) (free ?h - hotel) (found ?h - hotel) (checked ?h - hotel)
    (booked ?g - guest ?h - hotel) (told ?g - guest))
  (:functions (total-cost) - number)
  (:action search
    :parameters (?p - place)
    :precondition (and)
    :effect (and (forall (?h - hotel) (when (in ?h ?p) (found ?h))) (increase (total-cost) 2)))
  (:action check
    :parameters (?h - hotel)
    :precondition (found ?h)
    :effect (and (checked ?h) (increase (total-cost) 1)))
  (:action book
    :parameters (?g - guest ?h - hotel)
    :precondition (and (checked ?h) (free ?h))
    :effect (and (booked ?g ?h) (not (free ?h)) (increase (total-cost) 5)))
  (:action tell
    :parameters (?g - guest ?h - hotel)
    :precondition (booked ?g ?h)
    :effect (and (told ?g) (increase (total-cost) 1))))
