(define (problem tea1) (:domain tea)
 (:objects kettle1 - kettle tap1 - tap bag1 - bag mug - cup)
 (:init (loose bag1))
 (:goal (served mug)))
