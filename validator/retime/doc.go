// Package retime mends plans with times: it moves steps, changes durations, and inserts or
// removes one step, and has the judge try every candidate.
//
//	plan ─► grid ─► schedule: one variable for each start and end, a whole number of grid units
//	                   │
//	                   ▼
//	            ┌─ cheapest node ─► flow: times with the least change under its constraints ─► judge ─► valid: done
//	            │                                                                               │
//	            └──────────────── children, one for each way to be different ◄──────────── cause of the failure
//
// The search is a branch and bound over difference constraints (x - y >= w). Its root has no
// constraint but that steps start at 0 or later and keep their durations, so it is the plan as
// given. When the judge refuses the times of a node, every valid timing differs from them in one
// of few ways: the two things that interfere are apart, in one order or the other; the duration
// satisfies its bound; or some pair of happenings on which the failing condition depends has
// another order. Each way is a child. The least change under a set of difference constraints is
// the dual of a minimum-cost circulation (Ahuja, Magnanti, Orlin, Network Flows, 1993, chapter
// 9), so it is a whole number of grid units and exact. Nodes are taken in the order of their
// change: the first valid one is the smallest repair, unless [validator.Judge.Clocked] says that
// validity depends on more than the order.
package retime
