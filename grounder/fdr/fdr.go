// Package fdr has the parts of a ground finite-domain task (package grounder): facts, variables,
// effects and axioms. They are apart from the grounder so that what reads a ground task alone, such
// as the checker of certificates, links nothing else.
package fdr

// Fact is one value of one variable. It fits in eight bytes and is compared with ==.
type Fact struct{ Var, Val int32 }

// Variable is a finite-domain variable of a Task.
//
// A derived variable (Layer >= 0) is binary: value 0 or 1 is the derived atom,
// the other its negation, and Default is the value it has when no axiom fires.
type Variable struct {
	// Layer is the axiom layer of a derived variable, -1 for a state variable.
	Layer int32
	// Default is the value that axioms start from (derived variables only).
	Default int32
	// Auxiliary marks variables that grounding introduced. Their values are named like
	// atoms but are not atoms of the problem, even if a predicate has the same name.
	Auxiliary bool
	// Values names each value: "Atom on(a, b)", "NegatedAtom on(a, b)" or
	// "<none of those>", as Fast Downward's translator does. len(Values) is the
	// size of the variable's domain.
	Values []string
}

// Size returns the number of values of v.
func (v *Variable) Size() int { return len(v.Values) }

// Effect sets Var to Val when every fact of Cond holds in the state before the operator.
type Effect struct {
	Cond     []Fact // sorted by Var; empty for an unconditional effect
	Var, Val int32
}

// CondCost is a cost increase inside a conditional effect: added to the operator's
// cost when every fact of Cond holds in the state before the operator.
type CondCost struct {
	Cond []Fact
	Cost int64
}

// OperatorID indexes Task.Operators.
type OperatorID int32

// Axiom derives Head when every fact of Body holds. Head is a derived variable's
// non-default value. Axioms are evaluated layer by layer to a fixpoint.
type Axiom struct {
	Body []Fact
	Head Fact
}
