package pddl

// Typed indices, which the rest of planproof uses instead of names. All are dense
// and start at 0, so they index slices directly; -1 means "none".
type (
	// TypeID indexes Domain.Types. 0 is always the root type `object`.
	TypeID int32
	// PredicateID indexes Domain.Predicates.
	PredicateID int32
	// FunctionID indexes Domain.Functions.
	FunctionID int32
	// ObjectID indexes Problem.Objects. The domain's constants come first, so an
	// ObjectID below len(Domain.Constants) means the same in every problem of
	// that domain.
	ObjectID int32
)

// RootType is the type every other type inherits from.
const RootType TypeID = 0

// Term is an argument of an atom or a fluent: an object, or a variable of the
// enclosing Schema.
//
//	t >= 0   object ObjectID(t)
//	t <  0   variable in slot ^t of the enclosing Schema.Vars
type Term int32

// ObjectTerm returns the term that stands for object o.
func ObjectTerm(o ObjectID) Term { return Term(o) }

// VarTerm returns the term that stands for the variable in the given slot.
func VarTerm(slot int) Term { return Term(^slot) }

// IsVar reports whether t is a variable.
func (t Term) IsVar() bool { return t < 0 }

// Slot returns the slot of a variable term in Schema.Vars.
func (t Term) Slot() int { return int(^t) }

// Object returns the object of a ground term.
func (t Term) Object() ObjectID { return ObjectID(t) }
