package pddl

import "slices"

// FormulaKind determines which fields of a Formula are in use.
type FormulaKind uint8

// Kinds of formulas. The comments list the fields in use besides Kind and Pos.
const (
	FormulaTrue        FormulaKind = iota // (and) or a missing condition
	FormulaAtom                           // Pred, Args
	FormulaEqual                          // Args[0] = Args[1], both terms
	FormulaAnd                            // Children
	FormulaOr                             // Children; empty = false
	FormulaNot                            // Children[0]
	FormulaImply                          // Children[0] -> Children[1]
	FormulaExists                         // Bound, Children[0]
	FormulaForall                         // Bound, Children[0]
	FormulaCompare                        // Cmp, Left, Right
	FormulaObjectEqual                    // Func, Args; Value: the object fluent (Func Args...) equals the term Value (PDDL 3.1)
	FormulaPreference                     // Name (may be ""), Children[0] (PDDL 3.0)

	// Time specifiers of durative conditions (PDDL 2.1); Children[0].
	FormulaAtStart
	FormulaOverAll
	FormulaAtEnd

	// Trajectory constraints (PDDL 3.0); Children, and Bounds where noted.
	FormulaAlways         // Children[0]
	FormulaSometime       // Children[0]
	FormulaWithin         // Bounds[0], Children[0]
	FormulaAtMostOnce     // Children[0]
	FormulaSometimeAfter  // Children[0], Children[1]
	FormulaSometimeBefore // Children[0], Children[1]
	FormulaAlwaysWithin   // Bounds[0], Children[0], Children[1]
	FormulaHoldDuring     // Bounds[0], Bounds[1], Children[0]
	FormulaHoldAfter      // Bounds[0], Children[0]
)

// CompareOp is a numeric comparison.
type CompareOp uint8

// The five numeric comparisons of PDDL 2.1.
const (
	CompareEqual CompareOp = iota
	CompareLess
	CompareLessEqual
	CompareGreater
	CompareGreaterEqual
)

// Holds reports whether a comparison holds where its left side less its right side has this sign.
func (op CompareOp) Holds(sign int) bool {
	switch op {
	case CompareEqual:
		return sign == 0
	case CompareLess:
		return sign < 0
	case CompareLessEqual:
		return sign <= 0
	case CompareGreater:
		return sign > 0
	}
	return sign >= 0
}

// Formula is a node of a condition: precondition, goal, context of a conditional
// effect, body of a derived predicate, durative condition or trajectory
// constraint. Names are resolved: atoms carry ids, variables carry slots of the
// enclosing Schema, and shadowing has been settled (a quantified variable has a
// slot of its own).
type Formula struct {
	Kind     FormulaKind
	Cmp      CompareOp
	Pos      Pos
	Pred     PredicateID
	Func     FunctionID
	Value    Term
	Bound    []int32 // slots of the quantified variables
	Args     []Term
	Children []*Formula
	Left     *NumExpr
	Right    *NumExpr
	Name     string
	Bounds   [2]Number
}

// NumKind determines which fields of a NumExpr are in use.
type NumKind uint8

// Kinds of numeric expressions.
const (
	NumConst      NumKind = iota // Value
	NumFluent                    // Func, Args
	NumAdd                       // Children (one or more)
	NumSub                       // Children (two or more); one child is NumNeg
	NumMul                       // Children
	NumDiv                       // Children[0] / Children[1]
	NumNeg                       // Children[0]
	NumDuration                  // ?duration of the enclosing durative action
	NumTime                      // #t, the time since the start of a continuous effect
	NumTotalTime                 // total-time, in a metric
	NumIsViolated                // (is-violated Name), in a metric
)

// NumExpr is a numeric expression. Its value is an exact rational or undefined.
type NumExpr struct {
	Kind     NumKind
	Pos      Pos
	Func     FunctionID
	Args     []Term
	Value    Number
	Children []*NumExpr
	Name     string
}

// EffectKind determines which fields of an Effect are in use.
type EffectKind uint8

// Kinds of effects.
const (
	EffectAnd          EffectKind = iota // Children; empty = no effect
	EffectAdd                            // Pred, Args
	EffectDelete                         // Pred, Args
	EffectForall                         // Bound, Children[0]
	EffectWhen                           // Condition, Children[0]
	EffectNumeric                        // Op, Func, Args, Value
	EffectAssignObject                   // Func, Args, Object: assigns an object fluent (PDDL 3.1)
	EffectAtStart                        // Children[0] (PDDL 2.1)
	EffectAtEnd                          // Children[0] (PDDL 2.1)
)

// AssignOp is the operator of a numeric effect.
type AssignOp uint8

// The numeric effects of PDDL 2.1.
const (
	OpAssign AssignOp = iota
	OpIncrease
	OpDecrease
	OpScaleUp
	OpScaleDown
)

// Effect is a node of an action's effect.
type Effect struct {
	Kind      EffectKind
	Op        AssignOp
	Pos       Pos
	Pred      PredicateID
	Func      FunctionID
	Object    Term // EffectAssignObject: the object; UndefinedTerm for `undefined`
	Bound     []int32
	Args      []Term
	Condition *Formula
	Children  []*Effect
	Value     *NumExpr
	// Continuous marks a numeric effect outside `at start`/`at end` whose value
	// depends on #t.
	Continuous bool
}

// Changes reports whether the effect adds or deletes atoms of a predicate.
func (e *Effect) Changes(pred PredicateID) bool {
	if e.Kind == EffectAdd || e.Kind == EffectDelete {
		return e.Pred == pred
	}
	return slices.ContainsFunc(e.Children, func(c *Effect) bool { return c.Changes(pred) })
}
