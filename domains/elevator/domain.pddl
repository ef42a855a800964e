; Lifts in a house. When a lift opens its doors at a floor, everyone in it who
; wants that floor leaves and everyone who waits there gets in: one step with
; quantified, conditional effects. Some passengers must not meet in a lift, and
; some must not be brought to certain floors. Riding costs what the distance
; costs, opening the doors costs one.
(define (domain elevator)
  (:requirements :adl :action-costs)
  (:types lift floor passenger - object)
  (:predicates
    (lift-at ?lift - lift ?floor - floor)
    (serves ?lift - lift ?floor - floor)
    (waits ?passenger - passenger ?floor - floor)
    (wants ?passenger - passenger ?floor - floor)
    (aboard ?passenger - passenger ?lift - lift)
    (arrived ?passenger - passenger)
    (shuns ?one - passenger ?other - passenger)
    (barred ?passenger - passenger ?floor - floor))
  (:functions
    (distance ?from - floor ?to - floor) - number
    (total-cost) - number)

  (:action ride
    :parameters (?lift - lift ?from - floor ?to - floor)
    :precondition (and (lift-at ?lift ?from) (serves ?lift ?to) (not (= ?from ?to)))
    :effect (and (not (lift-at ?lift ?from)) (lift-at ?lift ?to)
                 (increase (total-cost) (distance ?from ?to))))

  (:action open-doors
    :parameters (?lift - lift ?floor - floor)
    :precondition (and
      (lift-at ?lift ?floor)
      ; nobody aboard sees a floor that is barred to them
      (forall (?p - passenger)
        (not (and (aboard ?p ?lift) (barred ?p ?floor))))
      ; nobody who stays in the lift or gets in meets someone they shun
      (forall (?p ?q - passenger)
        (imply (shuns ?p ?q)
               (not (and (or (waits ?p ?floor)
                             (and (aboard ?p ?lift) (not (wants ?p ?floor))))
                         (or (waits ?q ?floor)
                             (and (aboard ?q ?lift) (not (wants ?q ?floor)))))))))
    :effect (and
      (forall (?p - passenger)
        (when (and (aboard ?p ?lift) (wants ?p ?floor))
              (and (not (aboard ?p ?lift)) (arrived ?p))))
      (forall (?p - passenger)
        (when (waits ?p ?floor)
              (and (not (waits ?p ?floor)) (aboard ?p ?lift))))
      (increase (total-cost) 1))))
