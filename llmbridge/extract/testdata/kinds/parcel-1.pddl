(define (problem parcel1) (:domain parcel)
 (:objects alice bob - robot box1 - item lobby hall lab - room)
 (:init (at alice lobby) (at bob hall) (lies box1 lobby) (free alice) (free bob) (may alice lobby hall) (may alice hall lobby) (may bob hall lab) (may bob lab hall))
 (:goal (lies box1 lab)))
