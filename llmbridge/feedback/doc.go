// Package feedback answers a plan that is not valid.
//
//	plan ─► judge ─► verdict ─► what to tell the model      critic.go, wording.go
//	                         ─► a hint how to go on         hint.go
//	                         ─► a report for people         explain.go
//	plan ─► the valid plans that are nearest to it          repair.go, edit_task.go, write_repair.go
//
// A [Critic] says what is wrong, at a chosen level of detail. A [Repairer] proposes valid plans; search
// finds them, and the judge confirms each. docs/FEEDBACK.md shows what both return.
package feedback
