(define (problem one) (:domain blocksworld-4ops) (:objects a b c)
  (:init (handempty) (ontable b) (ontable c) (on a b) (clear a) (clear c))
  (:goal (and (on b c))))
