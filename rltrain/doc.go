// Package rltrain turns judged responses into rewards for trainers.
//
// # Data flow
//
//	row ──► task (cached: domain, problem, judge, reader, distance table)
//	  │       │
//	  │       ▼
//	  └─► response ─► extract.Reader ─► plan ─► validator.Judge ─► verdict
//	                       │                                            │
//	                       └──────────► Evidence ◄──────────────────────┘
//	                                       │
//	                             RewardSpec (a pure function)
//	                                       ▼
//	                        Score: reward, components, status
//
// A [RewardSpec] sees one [Evidence] and nothing else: no clock, no file, no other
// row. The same row scored twice gives the same bytes, whatever the number of
// workers.
//
// # What is never a score
//
// A reward is a statement about the response. If the task cannot be read, no
// distance table can be made, the judge runs out of its budget or something breaks
// inside, there is no statement: the reward is null and the status says why. A
// trainer that is handed zeros for such rows learns that planning is bad.
// Whatever is the response's own fault (no plan, a malformed step, too long) is
// scored.
//
// # No search while scoring
//
// Process rewards need h*, the exact number of steps to the goal, for states on
// the way. These come from a goal-distance table of the whole state space, made
// once for a task before its first response is scored ([Oracle.Prepare]) and kept
// in memory and, if wanted, on disk under the hash of the task's text.
package rltrain
