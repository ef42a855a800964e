package validator

import "github.com/planproof/planproof/pddl"

// timedTask is the compiled text of what goes beyond instantaneous steps and a goal at the
// end: durative actions, timed literals, trajectory constraints and preferences. A Judge of
// a problem without these has none, and its plans take the shorter way of execute.go.
//
//	durative action ─► start, end   two instantaneous actions, which share one frame of variables
//	                ─► over         one condition that holds between them
//	                ─► memory       conditional effects at the end that depend on earlier states
//	timed literals  ─► one effect for each time
//	constraints     ─► watches      one small automaton for each ground instance
//	preferences     ─► softs        conditions that are counted instead of required
type timedTask struct {
	nature   *nature // nil without processes and events
	durative []durative
	softs    [][]soft // preferences in the precondition of each instantaneous action
	goal     []soft
	literals []literalGroup // by time
	watches  []watch
	// instances lists, for each instance of a constraint preference, its name.
	instances []int32
	names     []string // of preferences, as first written; "" for those without
	byName    map[string]int32
	writes    [][]int32 // symbols that each instantaneous action may change
}

// durative is a compiled durative action.
type durative struct {
	schema     *pddl.DurativeAction
	start, end action
	bounds     [2][]bound // tested at the start, at the end
	over       int32      // node of the condition over all, or -1
	reads      []int32    // symbols that over reads
	writes     [2][]int32 // symbols that start and end may change
	softs      []timedSoft
	memory     []remembered
	rates      []rate
	moving     bool // over reads fluents that change continuously
}

// bound is a constraint on a duration.
type bound struct {
	cmp    pddl.CompareOp
	value  int32 // expression
	source *pddl.Formula
}

// soft is a preference for a condition at one moment: each binding of its variables under
// which it does not hold counts as one violation.
type soft struct {
	name  int32
	bound []int32
	vars  []pddl.Variable
	cond  int32
}

// timedSoft is a preference in the condition of a durative action. An execution violates it
// at most once for each binding of its variables.
type timedSoft struct {
	name  int32
	bound []int32
	parts [3]int32 // nodes for start, over all, end; -1 where nothing is asked
}

// remembered is a conditional effect at the end of a durative action whose condition also
// speaks of the start or of the time between: the bindings that satisfy the first part are
// kept at the start, and dropped when the second part breaks.
type remembered struct {
	over    int32 // node, or -1
	effects span  // code.kids: what happens at the end, if the last part holds
}

// literalGroup is what timed literals change at one time.
type literalGroup struct {
	time   pddl.Number
	effect int32
	writes []int32
	pos    pddl.Pos
}

// parts of a durative action.
const (
	atStart = iota
	overAll
	atEnd
	partCount
)

var partNames = [partCount]string{"at start", "over all", "at end"}

// isTimed reports whether a problem needs a timedTask.
func isTimed(p *pddl.Problem) bool {
	d := p.Domain
	if len(d.Durative) > 0 || len(d.Nature()) > 0 || len(p.Init.Timed) > 0 || hasConstraints(d.Constraints) || hasConstraints(p.Constraints) || hasPreference(p.Goal.Formula) {
		return true
	}
	for _, a := range d.Actions {
		if hasPreference(a.Precondition) {
			return true
		}
	}
	return false
}

// hasConstraints reports whether a section of constraints says anything.
func hasConstraints(g *pddl.GoalSchema) bool {
	return g != nil && g.Formula != nil && g.Formula.Kind != pddl.FormulaTrue && !(g.Formula.Kind == pddl.FormulaAnd && len(g.Formula.Children) == 0)
}

// hasPreference reports whether a condition has preferences, which stand below
// conjunctions and universal quantifiers only.
func hasPreference(f *pddl.Formula) bool {
	if f == nil {
		return false
	}
	switch f.Kind {
	case pddl.FormulaPreference:
		return true
	case pddl.FormulaAnd, pddl.FormulaForall:
		for _, k := range f.Children {
			if hasPreference(k) {
				return true
			}
		}
	}
	return false
}
