// Package acp makes and grades questions about actions, change and planning for any task: the eight kinds of
// ACPBench Hard (Kokel et al. 2025), answered from the whole state space, so that every grade is exact.
//
//	task ─► state space, distances (Space) ─► questions with all right answers (Generate)
//	                                       └► an answer ─► right or wrong, and why (Grade)
//
// The benchmark's own grader knows some right answers and asks a planner, with a limit in seconds, about the
// others. Here "can never hold", "can never be applied", "holds on every plan" and "begins a cheapest plan" are
// looked up. A task whose states are too many has a status and no grade.
package acp
