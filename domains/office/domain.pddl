; Papers in an office. Papers go from state to state by aids that one carries and by machines that stand in rooms, some of
; them locked. Every step costs minutes.
(define (domain office)
  (:requirements :typing :action-costs)
  (:types room item state - object
          paper keycard device - item
          aid machine - device)
  (:predicates
    (here ?r - room)
    (linked ?from ?to - room)
    (locked ?r - room)
    (unlocked ?r - room)
    (fits ?k - keycard ?r - room)
    (lies ?x - item ?r - room)
    (carried ?x - item)
    (stands ?m - machine ?r - room)
    (is ?p - paper ?s - state)
    (suits ?w - device ?p - paper)
    (turns ?w - device ?from ?to - state)
    (shared ?w - device)
    (cloud ?w - device)
    (loud ?w - device)
    (costly ?w - device)
    (wasteful ?w - device)
    (slow ?w - device)
    (insecure ?w - device))
  (:functions
    (minutes ?w - device) - number
    (total-cost) - number)

  (:action walk
    :parameters (?from - room ?to - room)
    :precondition (and (here ?from) (linked ?from ?to) (unlocked ?to))
    :effect (and (not (here ?from)) (here ?to) (increase (total-cost) 1)))

  (:action unlock
    :parameters (?k - keycard ?r - room ?from - room)
    :precondition (and (here ?from) (linked ?from ?r) (carried ?k) (fits ?k ?r) (locked ?r))
    :effect (and (not (locked ?r)) (unlocked ?r) (increase (total-cost) 1)))

  (:action pick-up
    :parameters (?x - item ?r - room)
    :precondition (and (here ?r) (lies ?x ?r))
    :effect (and (not (lies ?x ?r)) (carried ?x) (increase (total-cost) 1)))

  (:action leave
    :parameters (?x - item ?r - room)
    :precondition (and (here ?r) (carried ?x))
    :effect (and (not (carried ?x)) (lies ?x ?r) (increase (total-cost) 1)))

  (:action use
    :parameters (?w - aid ?p - paper ?from - state ?to - state)
    :precondition (and (carried ?w) (carried ?p) (is ?p ?from) (suits ?w ?p) (turns ?w ?from ?to))
    :effect (and (not (is ?p ?from)) (is ?p ?to) (increase (total-cost) (minutes ?w))))

  (:action operate
    :parameters (?m - machine ?p - paper ?from - state ?to - state ?r - room)
    :precondition (and (here ?r) (stands ?m ?r) (carried ?p) (is ?p ?from) (suits ?m ?p) (turns ?m ?from ?to))
    :effect (and (not (is ?p ?from)) (is ?p ?to) (increase (total-cost) (minutes ?m)))))
