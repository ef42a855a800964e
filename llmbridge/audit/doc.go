// Package audit grades again what the repositories of benchmarks record, exactly, and reports where a record is
// wrong: verdicts on answers, gold answers, and what the benchmark's scripts let through or refuse by mistake.
//
//	checkout ─► records of answers ─► the task that each prompt states ─► our grade ─► differences, causes
//	                                         (stated.go)                 (llmbridge/eval)   (cause.go)
//	         ─► gold answers ────────────────────────────────────────► our grade ─► wrong gold answers
//	                                                                            ─► cells, leaderboard (report.go)
//
// An answer is graded on the task that its prompt states, not on the one that the benchmark's script names.
// What cannot be graded has a status and is never counted as a wrong answer. Equal checkouts give equal reports.
package audit
