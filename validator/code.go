package validator

import "github.com/planproof/planproof/pddl"

// op is the kind of a condition node.
type op uint8

const (
	opTrue op = iota
	opFalse
	opFluent       // dense fluent atom
	opStatic       // dense static atom
	opSparseFluent // interned fluent atom
	opSparseStatic // interned static atom
	opDerived      // derived atom
	opEqual        // two terms are the same object
	opCompare      // numeric comparison
	opObject       // an object fluent has a value
	opAnd
	opOr
	opImply  // opOr of a negated antecedent and a consequent, kept apart for explanations
	opExists // some binding of a block
)

// node is a condition in negation normal form. Conditions are trees in one flat
// array: children are ranges of code.kids, arguments ranges of code.terms and
// code.coefs. Negation sits in the leaves and on opExists (a universal
// quantifier is a negated block over the negated body).
type node struct {
	op  op
	neg bool
	cmp pddl.CompareOp

	// pol is the polarity of src: the node means src if true, (not src) if false.
	pol bool

	// sym is the predicate, the function (opObject) or the block (opExists).
	sym int32
	// base + sum of coefs is the id of a dense atom.
	base   int32
	coef   span
	args   span // terms: of the atom, the two sides of opEqual, the arguments and value of opObject
	kids   span
	left   int32 // expressions of opCompare
	right  int32
	body   int32 // opExists of a universal quantifier: its body, for explanations; else -1
	source *pddl.Formula
}

// span is a range of one of the flat arrays.
type span struct{ from, to int32 }

// coef adds the object in a slot, times a stride, to the id of an atom.
type coef struct{ slot, stride int32 }

// expr is a node of a numeric expression; children are a range of code.kids.
type expr struct {
	op     pddl.NumKind
	dense  bool
	fluent bool
	fn     int32
	base   int32
	coef   span
	args   span
	kids   span
	value  pddl.Number
	bits   int32 // of value
	source *pddl.NumExpr
}

// block is a compiled quantifier. It binds variables; its body is a conjunction, cut into
// guards that are tested as soon as their variables are bound.
type block struct {
	pre    span // guards without a variable of the block (code.kids)
	levels span // of code.levels
	slots  []int32
	effect int32 // what to do for each binding of a universal effect, or -1
}

// genKind says how a level finds the values of its variables.
type genKind uint8

const (
	genType  genKind = iota // every object of the variable's type
	genIndex                // the initial and added atoms that an index lists
	genEqual                // the value of another term
)

// level of a block binds one variable (genType, genEqual) or the free positions of
// an atom (genIndex), then tests its guards.
type level struct {
	gen     genKind
	typ     pddl.TypeID
	slot    int32
	term    int32           // genEqual: the other term
	index   int32           // genIndex
	key     span            // genIndex: terms of the bound positions
	slots   []int32         // genIndex: variables of the free positions, ^v where v is repeated
	types   []pddl.TypeID   // of those variables
	objects []pddl.ObjectID // genType
	guards  span            // code.kids
	// cut marks the first level of variables that share no guard with earlier ones: if
	// they have no values, other values of earlier ones do not help.
	cut bool
}

// effOp is the kind of an effect instruction.
type effOp uint8

const (
	effAdd effOp = iota
	effDelete
	effNumeric
	effObject   // assigns an object fluent
	effWhen     // children, if the condition holds
	effForall   // a block whose leaves are the children
	effSeq      // children
	effRemember // keeps the binding for the end of a durative step
)

// effect is a node of an effect program.
type effect struct {
	op     effOp
	assign pddl.AssignOp
	dense  bool
	sym    int32 // predicate, function or block
	base   int32
	coef   span
	args   span
	kids   span
	cond   int32 // effWhen
	value  int32 // effNumeric: expression
	term   int32 // effObject: the object
	source *pddl.Effect
}

// code is the compiled text of a problem: flat arrays that the evaluator walks.
type code struct {
	nodes   []node
	exprs   []expr
	effects []effect
	blocks  []block
	levels  []level
	kids    []int32
	terms   []int32 // >= 0: object; < 0: ^slot
	coefs   []coef
}
