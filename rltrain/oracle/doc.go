// Package oracle scores responses: it reads the plan out of a response, has it judged, and
// computes a reward.
//
//	row ──► task (cached: domain, problem, judge, reader, distance table)
//	  │       │
//	  │       ▼
//	  └─► response ─► extract.Reader ─► plan ─► validator.Judge ─► verdict
//	                       │                                            │
//	                       └────────► reward.Evidence ◄─────────────────┘
//	                                       │
//	                                  reward.Spec
//	                                       ▼
//	                        rows.Score: reward, components, status
//
// An [Oracle] answers in three ways: [Oracle.Score] one item, [Oracle.ScoreStream] and
// [Oracle.ServeStdio] JSON Lines, and [Oracle.Call] requests with a schema, which also ask
// for extraction, validation, ground truth, the possible next steps and episodes
// (docs/ORACLE.md). Episodes of training environments begin with [Oracle.Reset].
//
// # No search while scoring
//
// Process rewards need h*, the exact number of steps to the goal, for states on
// the way. These come from a goal-distance table of the whole state space, made
// once for a task before its first response is scored ([Oracle.Prepare]) and kept
// in memory and, if wanted, on disk under the hash of the task's text.
package oracle
