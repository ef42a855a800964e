; Errands on a trip. A traveller rides between cities by means of transport, and brings errands from state to state at
; services that are in some cities or, for those that can be called, from anywhere. Every step costs money.
(define (domain trip)
  (:requirements :typing :action-costs)
  (:types city means service errand state - object)
  (:predicates
    (here ?c - city)
    (route ?m - means ?from ?to - city)
    (offered ?w - service ?c - city)
    (callable ?w - service)
    (is ?e - errand ?s - state)
    (suits ?w - service ?e - errand)
    (turns ?w - service ?from ?to - state)
    (polluting ?m - means)
    (nightly ?m - means)
    (crowded ?m - means)
    (shaky ?m - means)
    (prepaid ?w - service)
    (foreign ?w - service)
    (anonymous ?w - service)
    (unrated ?w - service)
    (binding ?w - service)
    (paper-based ?w - service))
  (:functions
    (fare ?m - means) - number
    (fee ?w - service) - number
    (total-cost) - number)

  (:action ride
    :parameters (?m - means ?from - city ?to - city)
    :precondition (and (here ?from) (route ?m ?from ?to))
    :effect (and (not (here ?from)) (here ?to) (increase (total-cost) (fare ?m))))

  (:action visit
    :parameters (?w - service ?e - errand ?from - state ?to - state ?c - city)
    :precondition (and (here ?c) (offered ?w ?c) (is ?e ?from) (suits ?w ?e) (turns ?w ?from ?to))
    :effect (and (not (is ?e ?from)) (is ?e ?to) (increase (total-cost) (fee ?w))))

  (:action call
    :parameters (?w - service ?e - errand ?from - state ?to - state)
    :precondition (and (callable ?w) (is ?e ?from) (suits ?w ?e) (turns ?w ?from ?to))
    :effect (and (not (is ?e ?from)) (is ?e ?to) (increase (total-cost) (fee ?w)))))
