// Package eval measures models on planning tasks, and grades answers that others collected.
//
//	rows, records ─► TaskReader ─► tasks ─► FindOptima        read_tasks.go, optimum.go
//	                                 │      (ground, search, judge)
//	"nl+cot+2-shot" ─► ParseMethod ─► methods                 method_words.go, feedback.go
//	                                 │
//	model.Model ────────────────────► Run ─► rows, in order   run.go
//	                                           │   each answer: read, judged, graded   grade.go
//	                                           ▼
//	                                       Summarise ─► cells summary.go, interval.go
//	                                           └─► tables, charts                report.go
//
//	response file ─► ReadResponses ─► NewResponseTasks        responses_read.go
//	                                     └─► GradeResponses ─► rows, and how they
//	                                         differ from what was recorded     responses.go
//
// A run puts every task to every model by every method, some samples each. [Ask] does this
// for one of them: it makes the prompt, reads the plan out of the answer, has the judge
// decide and, for methods with several rounds, tells the model what was wrong. Nothing
// depends on the order in which answers arrive, so a replayed run gives the same bytes.
//
// A row has a status. Statuses that the model answers for (valid, invalid, no plan, ...)
// are graded. Those that it does not answer for (an outage, an unreadable task, a limit of
// the judge) are not graded, and every rate is reported over both denominators: the graded
// rows, and all rows with the ungraded ones counted as wrong. An outage therefore never
// makes a model look better or worse without being seen.
//
// Whether a plan is cheapest is decided by an optimum that the judge has confirmed, and
// never by what a file says of itself alone: [FindOptima] compares the cost of the search
// with the judge's, and [PromptTask] checks gold answers against their tasks.
//
// Answers of others come in two layouts: rows of JSON Lines, and PlanBench's result files.
// They are graded in the same way, and the causes of differences from the recorded verdicts
// are counted, so that a published figure can be checked.
package eval
