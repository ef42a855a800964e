package pddl

// Name spellings: names are case-insensitive and keep the spelling of their
// declaration. Fields called Name hold that spelling; Key fields and the look-up
// methods use the lower-case form.

// Type is a node of the type hierarchy. `(either a b)` becomes a type of its own
// with an empty Name whose Either lists the alternatives, so that variables and
// objects always carry one TypeID.
type Type struct {
	Name    string
	Pos     Pos
	Parents []TypeID // direct supertypes; several when listed several times
	Either  []TypeID // alternatives of an anonymous `(either ...)` type
}

// Variable is a parameter or a quantified variable, or a named parameter in the
// declaration of a predicate or function. Name includes the question mark.
type Variable struct {
	Name string
	Type TypeID
	Pos  Pos
	// Fluent marks a variable for the value of an object fluent that was written as a term
	// (see read_nested.go).
	Fluent bool
}

// Predicate declares a predicate. Derived is true when some (:derived ...) rule
// defines it.
type Predicate struct {
	Name    string
	Pos     Pos
	Params  []Variable
	Derived bool
}

// Function declares a numeric fluent (Numeric) or an object fluent with values
// of type Type (PDDL 3.1).
type Function struct {
	Name    string
	Pos     Pos
	Params  []Variable
	Numeric bool
	Type    TypeID
}

// Object is a constant of the domain or an object of the problem.
type Object struct {
	Name string
	Type TypeID
	Pos  Pos
}

// Schema is what actions, derived predicates, goals and constraints share: a
// table of variable slots. The first NumParams slots are the parameters in the
// order of their declaration; the others belong to quantifiers inside.
type Schema struct {
	Name      string
	Pos       Pos // of the name
	Vars      []Variable
	NumParams int
}

// Action is an instantaneous action schema. Precondition is FormulaTrue when
// missing, Effect an empty EffectAnd when missing.
type Action struct {
	Schema
	Precondition *Formula
	Effect       *Effect
}

// DurativeAction is a PDDL 2.1 durative action. Duration is a conjunction of
// comparisons with ?duration on the left, each optionally under FormulaAtStart
// or FormulaAtEnd. Condition and Effect carry time specifiers.
type DurativeAction struct {
	Schema
	Duration  *Formula
	Condition *Formula
	Effect    *Effect
}

// Axiom is one rule of a derived predicate: Pred holds of the parameters when
// Body does. Several rules of one predicate are alternatives.
type Axiom struct {
	Schema // Name is the predicate's
	Pred   PredicateID
	Body   *Formula
}

// Domain is a parsed and checked domain.
type Domain struct {
	Source       *Source
	Name         string
	NamePos      Pos
	Requirements []string // as written, lower case, with the colon
	Types        []Type
	Constants    []Object
	Predicates   []Predicate
	Functions    []Function
	Actions      []*Action
	Durative     []*DurativeAction
	// Processes and Events are those of PDDL+ (Fox and Long, JAIR 27, 2006): what the world
	// does by itself. The effect of a process is continuous, that of an event instantaneous.
	Processes, Events []*Action
	Axioms            []*Axiom
	// Constraints of the domain (PDDL 3.0); nil when there are none. Its schema has no parameters.
	Constraints *GoalSchema

	index *domainIndex
}

// GoalSchema is a goal or a constraint section: a formula whose variables are all
// quantified.
type GoalSchema struct {
	Schema
	Formula *Formula
}
