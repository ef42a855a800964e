(define (problem sailing-1) (:domain sailing)
  (:objects b - boat p q - person)
  (:init (= (x b) 0) (= (y b) 0) (= (d p) 5) (= (d q) 1))
  (:goal (and (saved p) (saved q))))
