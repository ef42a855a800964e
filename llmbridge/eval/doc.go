// Package eval measures models on planning tasks, and grades answers that others
// collected.
//
//	tasks x models x methods x samples ─► Run ─► rows, in order ─► Summarise ─► cells
//	response file of somebody else     ─► GradeResponses ─► rows, and how they differ
//	                                                        from what was recorded
//
// A row has a status. Statuses that the model answers for (valid, invalid, no plan, ...)
// are graded; those it does not (an outage, an unreadable task, a limit of the judge) are
// not, and every rate is reported over both denominators: the graded rows, and all rows
// with the ungraded ones counted as wrong.
package eval
