// Package joint finds plans of BoxNet2D with the fewest steps, and proves that there are none
// with fewer.
//
//	instance ─► places ─► bounds ─────────────────────► first horizon, or no way at all
//	                 └──► formula of a horizon ─► sat ─► a solution ─► collisions? ─► clauses, once more
//	                                               │           └──── none ─► plan ─► the judge confirms it
//	                                               └─► no solution ─► the next horizon
//
// The formula of a horizon leaves out what happens on the way of two arms. Where a solution has a
// collision, that one and its like are forbidden for every step, and the solver goes on with what it
// has learned. The last horizon without a solution is the proof that the plan is optimal.
//
// Plans are over the four points of each cell and the starts and targets of objects. An
// unsatisfiable horizon never shows that there is no plan at all: that is known only where some object
// cannot be carried to its target by any robots.
package joint
