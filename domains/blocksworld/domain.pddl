; Blocks on a table and one arm (four operators).
; A block stands on the table or on exactly one other block; the arm holds one
; block at a time and takes only blocks with nothing on them.
(define (domain blocksworld)
  (:requirements :strips)
  (:predicates
    (on ?upper ?lower)
    (ontable ?block)
    (clear ?block)
    (holding ?block)
    (handempty))

  (:action pick-up
    :parameters (?block)
    :precondition (and (clear ?block) (ontable ?block) (handempty))
    :effect (and (holding ?block)
                 (not (clear ?block)) (not (ontable ?block)) (not (handempty))))

  (:action put-down
    :parameters (?block)
    :precondition (holding ?block)
    :effect (and (ontable ?block) (clear ?block) (handempty)
                 (not (holding ?block))))

  (:action stack
    :parameters (?block ?under)
    :precondition (and (holding ?block) (clear ?under))
    :effect (and (on ?block ?under) (clear ?block) (handempty)
                 (not (holding ?block)) (not (clear ?under))))

  (:action unstack
    :parameters (?block ?under)
    :precondition (and (on ?block ?under) (clear ?block) (handempty))
    :effect (and (holding ?block) (clear ?under)
                 (not (on ?block ?under)) (not (clear ?block)) (not (handempty)))))
