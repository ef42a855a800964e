package pddltest

// SixBlocksProblem is a task of BlocksDomain, and SixBlocksPlan a valid plan of it with 14 steps.
const SixBlocksProblem = `(define (problem six) (:domain blocks)
  (:objects a b c d e f)
  (:init (handempty) (clear a) (on a b) (on b c) (ontable c) (clear d) (on d e) (on e f) (ontable f))
  (:goal (and (on c a) (on f c) (on d f))))`

const SixBlocksPlan = `(unstack a b)
(put-down a)
(unstack b c)
(put-down b)
(pick-up c)
(stack c a)
(unstack d e)
(put-down d)
(unstack e f)
(put-down e)
(pick-up f)
(stack f c)
(pick-up d)
(stack d f)
`
