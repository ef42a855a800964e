// Package grade decides whether an answer to a prompt is right.
//
//	prompt record ─► the reader that its question needs ─► judge, or gold state ─► [Grade]  (grade.go)
//	made-up gold   ─► refused by the judge                                                  (gold.go)
//	PlanBench row  ─► the prompt record that its query stands for                           (planbench.go)
package grade
