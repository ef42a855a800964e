// Package costmodel changes what actions cost.
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
package costmodel
