// Package treebench measures ways to plan on the tasks of Budget-BlocksWorld: the tables of
// CATS (section 5), methods by budgets by lengths of plans.
//
//	domains.BudgetSet ─► each task: optimum, judged ─► budgets ─┐
//	treesearch methods, guides; prompts by a model ─────────────┴─► outcomes ─► rows, chart
//
// Tasks are worked on in an order whose every beginning is spread over the lengths, so that
// a run which ends early has a table, and a longer run holds a shorter one.
package treebench
