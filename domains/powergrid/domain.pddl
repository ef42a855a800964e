; Restoring a power grid after a storm. Substations are joined by lines, each
; with one breaker; power flows from a plant over closed breakers. Which
; substation has power follows from the breakers alone: derived predicates, one
; of them recursive. Crews drive on roads, switch breakers where they stand and
; mend broken lines that no power reaches. Two plants must never feed the same
; substation.
(define (domain powergrid)
  (:requirements :typing :equality :negative-preconditions
                 :disjunctive-preconditions :quantified-preconditions
                 :derived-predicates :action-costs)
  (:types substation line crew - object
          plant - substation)
  (:predicates
    (ends ?line - line ?a - substation ?b - substation)
    (road ?from - substation ?to - substation)
    (customer ?station - substation)
    (at ?crew - crew ?station - substation)
    (closed ?line - line)
    (broken ?line - line)
    (fed ?station - substation ?plant - plant)
    (powered ?station - substation)
    (dead ?line - line))
  (:functions
    (drive-time ?from - substation ?to - substation) - number
    (mending ?line - line) - number
    (total-cost) - number)

  (:derived (fed ?station - substation ?plant - plant)
    (or (= ?station ?plant)
        (exists (?line - line ?next - substation)
          (and (closed ?line)
               (or (ends ?line ?station ?next) (ends ?line ?next ?station))
               (fed ?next ?plant)))))

  (:derived (powered ?station - substation)
    (exists (?plant - plant) (fed ?station ?plant)))

  ; A line is dead, and safe to mend, when its breaker is open and no power
  ; stands at either end.
  (:derived (dead ?line - line)
    (and (not (closed ?line))
         (forall (?a ?b - substation)
           (imply (ends ?line ?a ?b)
                  (and (not (powered ?a)) (not (powered ?b)))))))

  (:action drive
    :parameters (?crew - crew ?from - substation ?to - substation)
    :precondition (and (at ?crew ?from) (road ?from ?to))
    :effect (and (not (at ?crew ?from)) (at ?crew ?to)
                 (increase (total-cost) (drive-time ?from ?to))))

  (:action open-breaker
    :parameters (?crew - crew ?line - line ?station - substation)
    :precondition (and (at ?crew ?station) (closed ?line)
                       (exists (?other - substation)
                         (or (ends ?line ?station ?other) (ends ?line ?other ?station))))
    :effect (and (not (closed ?line)) (increase (total-cost) 1)))

  (:action close-breaker
    :parameters (?crew - crew ?line - line ?station - substation ?other - substation)
    :precondition (and (at ?crew ?station) (not (closed ?line)) (not (broken ?line))
                       (or (ends ?line ?station ?other) (ends ?line ?other ?station))
                       (forall (?p ?q - plant)
                         (imply (and (fed ?station ?p) (fed ?other ?q)) (= ?p ?q))))
    :effect (and (closed ?line) (increase (total-cost) 1)))

  (:action mend
    :parameters (?crew - crew ?line - line ?station - substation ?other - substation)
    :precondition (and (at ?crew ?station) (broken ?line) (dead ?line)
                       (or (ends ?line ?station ?other) (ends ?line ?other ?station)))
    :effect (and (not (broken ?line)) (increase (total-cost) (mending ?line)))))
