// Package grade decides whether an answer to a prompt is right.
//
//	prompt.Record ─► Grader                                            grade.go
//	answer ─► the reader for its kind of question ─► judge or gold ─► [Grade]
//
//	prompt.Gold of others ─► checked against the task                  gold.go
//	query of PlanBench    ─► the prompt.Record that it stands for      planbench.go
//
// A record made by prompt.Make has gold that the judge has confirmed. Records of other origin may not:
// CheckGold compares theirs with the task, because a wrong gold answer makes right answers look wrong.
package grade
