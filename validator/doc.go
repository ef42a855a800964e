// Package validator judges plans. It takes a checked problem and a plan and says
// whether the plan is valid, and if not, which step fails, which literals are unmet
// and which earlier step made them so. It interprets the lifted task itself: it
// grounds nothing, shares no code with the grounder or the search, and computes
// with exact rationals.
//
// # From a problem to verdicts
//
//	pddl.Problem ── NewJudge ──► Judge (read-only, shared) ─┐
//	                                 │ NewScratch           ├─► Judge.Judge ──► Result   (no allocation)
//	                                 ▼                      │
//	pddl.Plan ───────────────────► Scratch (per goroutine) ─┴─► Judge.Validate ─► Verdict (with reasons)
//	JSON Lines ──────────────────────────────────────────────► ValidateBatch ──► JSON Lines
//
// NewJudge refuses what the judge does not support (durative actions, timed
// literals, constraints, preferences) with located diagnostics, lays the state out
// (layout.go), and compiles conditions and effects into flat arrays (compile.go,
// condition.go, quant.go, effect.go). Judging a step costs as much as its condition
// and effect, whatever the size of the task; going back to the initial state costs
// as much as the plan changed.
//
// # Data layout
//
// An atom is a number. Predicates whose possible atoms are few enough are dense: the
// number is a mixed-radix index of the argument objects, so that a literal of a
// condition compiles to a constant plus one multiplication per variable. The others
// are sparse: their atoms are interned in a hash table as they turn up.
//
//	fluent atoms    Scratch.bits     | dense p | dense q | ... | interned initially | interned by the plan |
//	static atoms    Judge.statics    | dense r | dense s | ... |   sparse: in Judge.sparse or false
//	derived atoms   Scratch.known    | dense d | dense e | ... | interned by the plan |   epoch<<2 | value
//	fluent values   Scratch.values   | dense f | ... | interned initially | interned by the plan |
//	static values   Judge.constants  | dense g | ... | interned initially |
//
// The scratch logs each flip of a bit and each overwritten value; undoing the log
// restores the initial state.
//
// Conditions are trees of nodes in negation normal form (code.go); a quantifier is a
// block: a sequence of levels, each of which binds variables (from an index of a
// relation, from an equality, or from a type) and tests the guards that have become
// ground. Values are those of Kleene's three-valued logic: an undefined fluent makes
// a condition unknown unless its value cannot matter, and unknown is not satisfied.
//
// Derived predicates are evaluated goal-directed and cached per epoch; derived.go
// explains how recursion is solved.
//
// # Rules where the standard is open
//
//   - All conditions and right-hand sides of a step read the state before it; deletes
//     come before adds, so an atom that is both deleted and added holds.
//   - Increases and decreases of one fluent in one step add up. Two assignments (also
//     of the same value), an assignment and an increase, or a scaling with anything
//     else are an effect conflict.
//   - A step whose precondition, effect condition or right-hand side is undefined
//     fails with kind numeric. So does a scaling down by 0 and an increase of an
//     undefined fluent. (total-cost) alone starts at 0 without an initial value.
//   - Steps with equal time stamps happen together; interference between them is a
//     mutex failure (happening.go). The failing step is the first bad one in execution
//     order; a step that is bad in several ways is reported as the first of: unknown
//     action, arity, unknown object, type, precondition, effects, interference.
//   - Without a metric the cost is the number of steps; total-time in a metric is the
//     time of the last step, unstamped steps happening at 1, 2, 3, ...
//   - A limit that ends judging gives kind timeout, which is no verdict on the plan.
package validator
