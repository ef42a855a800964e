; A robot with two grippers carries balls between rooms.
(define (domain gripper)
  (:requirements :strips :typing)
  (:types room ball gripper - object)
  (:predicates
    (at-robby ?room - room)
    (at ?ball - ball ?room - room)
    (free ?gripper - gripper)
    (carry ?ball - ball ?gripper - gripper))

  (:action move
    :parameters (?from - room ?to - room)
    :precondition (at-robby ?from)
    :effect (and (not (at-robby ?from)) (at-robby ?to)))

  (:action pick
    :parameters (?ball - ball ?room - room ?gripper - gripper)
    :precondition (and (at ?ball ?room) (at-robby ?room) (free ?gripper))
    :effect (and (carry ?ball ?gripper)
                 (not (at ?ball ?room)) (not (free ?gripper))))

  (:action drop
    :parameters (?ball - ball ?room - room ?gripper - gripper)
    :precondition (and (carry ?ball ?gripper) (at-robby ?room))
    :effect (and (at ?ball ?room) (free ?gripper)
                 (not (carry ?ball ?gripper)))))
