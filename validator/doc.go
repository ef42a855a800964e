// Package validator judges plans. It takes a checked problem and a plan and reports
// whether the plan is valid; if not, it reports which step fails, which literals are
// unmet and which earlier step made them so. It interprets the lifted task itself: it
// grounds nothing, shares no code with the grounder or the search, and computes with
// exact rationals.
//
// # From a problem to verdicts
//
//	pddl.Problem ── NewJudge ──► Judge (read-only, shared) ─┐
//	                                 │ NewScratch           ├─► Judge.Judge ──► Result   (no allocation)
//	                                 ▼                      ├─► Judge.Validate ─► Verdict (with reasons)
//	pddl.Plan ───────────────────► Scratch (per goroutine) ─┴─► Judge.Explain ──► Verdict with Explanation
//	JSON Lines ──────────────────────────────────────────────► ValidateBatch ───► JSON Lines
//
// NewJudge refuses what the judge does not support (continuous change that is not linear)
// with located diagnostics (unsupported.go, unsupported_timed.go), lays out the
// state (layout.go), and compiles conditions and effects into flat arrays:
//
//	condition.go   formulas to negation normal form
//	block_plan.go  quantifiers to blocks, with the order of their variables
//	index.go       indexes of the initial relations, for blocks
//	effect.go      effects
//	timed.go       durative actions, timed literals, constraints, preferences
//
// Judging a plan executes its steps (execute.go; concurrent steps in happening.go),
// evaluating conditions (eval.go), numbers (numeric.go) and derived predicates
// (derived.go). A step costs as much as its condition and effect, whatever the size of
// the task; returning to the initial state costs as much as the plan has changed. The
// words for a failure are made afterwards (reasons.go, failure_words.go).
//
// A problem with time, constraints or preferences is judged happening by happening instead
// (timed_run.go), once the names of the plan are resolved (timed_load.go):
// timed_happening.go checks and applies what has one time, timed_flow.go lets continuous
// effects change values in between, timed_constraint.go feeds the states to the
// constraints. docs/SEMANTICS.md has the rules.
//
// # Data layout
//
// An atom is a number. A predicate with few enough possible atoms is dense: the number
// is a mixed-radix index of the argument objects, so that a literal of a condition
// compiles to a constant plus one multiplication per variable. The other predicates are
// sparse: their atoms are interned in a hash table when they first occur.
//
//	fluent atoms    Scratch.bits     | dense p | dense q | ... | interned initially | interned by the plan |
//	static atoms    Judge.statics    | dense r | dense s | ... |   sparse: in Judge.sparse or false
//	derived atoms   Scratch.known    | dense d | dense e | ... | interned by the plan |   epoch<<2 | value
//	fluent values   Scratch.values   | dense f | ... | interned initially | interned by the plan |
//	static values   Judge.constants  | dense g | ... | interned initially |
//
// The scratch logs each flipped bit and each overwritten value; undoing the log restores
// the initial state.
//
// Conditions are trees of nodes in negation normal form (code.go). A quantifier is a
// block: a sequence of levels. Each binds variables (from an index of a
// relation, from an equality, or from a type) and tests the guards that have become
// ground. Truth values are those of Kleene's three-valued logic: an undefined fluent
// makes a condition unknown unless its value cannot matter, and an unknown condition is
// not satisfied.
//
// Derived predicates are evaluated on demand and cached per epoch; derived.go explains
// how recursion is solved.
//
// # Rules where the standard is open
//
//   - All conditions and right-hand sides of a step read the state before it; deletes
//     come before adds, so an atom that is both deleted and added holds.
//   - Increases and decreases of one fluent in one step add up. Two assignments (also
//     of the same value), an assignment and an increase, or a scaling and anything
//     else are an effect conflict.
//   - A step whose precondition, effect condition or right-hand side is undefined
//     fails with kind numeric. So do a division by 0 (scale-down) and an increase of an
//     undefined fluent. (total-cost) alone starts at 0 without an initial value.
//   - Steps with equal time stamps happen together; interference between them is a
//     mutex failure (happening.go). The failing step is the first bad one in execution
//     order; a step that is bad in several ways is reported as the first of: unknown
//     action, arity, unknown object, type, precondition, effects, interference.
//   - Without a metric the cost is the number of steps; total-time in a metric is the
//     time of the last step, where unstamped steps happen at 1, 2, 3, ...
//   - A limit that ends judging gives kind timeout, which is not a verdict on the plan.
package validator
