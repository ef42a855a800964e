// Package reward holds the rewards: pure functions of the evidence about one response.
//
//	verdict  extraction  layout  distances  gold of the task
//	   └─────────┴─────────┼─────────┴─────────────┘
//	                       ▼
//	                   Evidence ──► Spec.Eval ──► reward and its Components
//	                                  ▲
//	       built in (Builtin) or read from a file (Read)
//
// A [Spec] sees one [Evidence] and nothing else: no clock, no file, no other response. The
// same evidence gives the same bits on every machine. A spec states its bounds, what it
// needs to know of a task ([Spec.NeedsTable], [Spec.Gold]), and whether a valid plan always
// earns more than an invalid one. Its address ([Spec.SHA]) is a hash of the formula and all
// parameters, so that a logged number can be traced to the formula that made it.
//
// docs/REWARDS.md describes every kind and the format of reward files.
package reward
