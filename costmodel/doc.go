// Package costmodel changes what actions cost, and says what follows from that.
//
// # Schedules
//
// A [Schedule] gives every action schema one cost, written
//
//	pick-up=1,unstack=1,put-down=20,stack=1
//	put-down=2.5,*=1
//
// and [Schedule.Apply] rewrites a problem so that its actions cost that and
// nothing else:
//
//	problem ─► Apply ─► problem whose domain increases (total-cost) by the
//	                    schedule's cost in every action, once, unconditionally,
//	                    and whose metric is to minimise (total-cost)
//
// The result is an ordinary problem: judge, grounder and search read the prices
// from the same place and cannot disagree about them. Costs are exact; decimals
// and fractions stay what they are.
//
// The schedule must name every action of the domain, or have a default (`*`). A
// cost that is left alone by accident would be a wrong ground truth that nobody
// notices.
//
// # Truths
//
//	problem ─► Ground ─► Task ─► state space ─► distances to a goal under a schedule
//	  │  (unit costs, nothing      │  shared          │        distances.go
//	  │   left out)                │  by tasks        ▼
//	  │         space.go           │            optimal paths ─► Shift, Budgets ─► TaskTruth
//	  │                            │                  │        optimalpaths.go
//	  └────────── judge ◄──────────┴─── plan ◄────────┘        confirm.go
//
// A state space holds states and transitions but no costs: a schedule, a goal and an initial
// state come later, and each is cheap. [Truth] computes exact costs, budgets and shifts of
// sets of tasks this way, and shares spaces and goals among them. [Solve] and
// [ShiftBySearch] find the same by search where a space is too large. Whatever is found,
// the judge confirms by a plan. docs/COSTS.md defines budgets, shift and metrics.
//
// # Plans
//
// [Evaluate] measures an [Outcome] against an optimal cost and a [Budget]; [Tally] adds up.
package costmodel
