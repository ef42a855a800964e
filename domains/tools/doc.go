// Package tools scores, executes and guards plans whose steps are calls of tools.
//
//	plan ──────► ReadPlan ─► ByName, ByCall, ByDependency ─► Measure: precision, recall, F1 against a gold plan
//	                   │     Compat.Score ────────────────► the measure that T-Eval's evaluator gives
//	schemas ───► ReadSet ─► Set.Check ────────────────────► Faults: unknown functions, missing or wrong arguments
//	PDDL task ─► NewRunner ─► Runner.Judge ───────────────► Judgement: faults, and the verdict of the steps in PDDL
//	                          Runner.Decide ──────────────► Decision: allow, or deny with the reason and a repair
//
// docs/TOOLS.md has the forms of plans, schemas and rows.
package tools
