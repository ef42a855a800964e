package grounder

import (
	"github.com/planproof/planproof/pddl"
)

// The lifted task after normalisation. Conditions are in negation normal form and
// disjunctions outside universal quantifiers are split: every condition is one
// conj. Variables keep the slots of the pddl.Schema they came from.

type litKind uint8

const (
	litAtom    litKind = iota // pred, args
	litEqual                  // args[0] = args[1]
	litCompare                // cmp: a comparison of fluents
	litDefined                // both sides of the comparison cmp have a value
)

// lit is a literal. A negated comparison is not the opposite comparison: both
// are false when a value is undefined.
type lit struct {
	kind litKind
	neg  bool
	pred int32
	args []pddl.Term
	cmp  *pddl.Formula
	// dynamic marks a comparison that reads a fluent that actions change.
	dynamic bool
	src     *pddl.Source // that cmp is in
}

type nodeKind uint8

const (
	nodeLit nodeKind = iota
	nodeAnd          // kids; empty = true
	nodeOr           // kids; empty = false
	nodeExists
	nodeForall // bound, kids[0]
)

// node is a formula in negation normal form.
type node struct {
	kind  nodeKind
	lit   lit
	kids  []*node
	bound []int32
	free  []int32 // forall: the slots that its instances depend on
	id    int32   // forall: key of the cache of instances
	join  *join   // quantifiers: enumerates the instances that can matter
	// positive marks formulas in bodies of axioms: see expand.
	positive bool
}

// conj is a conjunction of literals and universally quantified formulas; the
// latter are expanded per ground instance, when static atoms are known. vars are the
// slots that this conjunction binds existentially.
type conj struct {
	lits []lit
	univ []*node
	vars []int32
}

// add makes c the conjunction of c and d. c must own its slices.
func (c *conj) add(d *conj) {
	c.lits = append(c.lits, d.lits...)
	c.univ = append(c.univ, d.univ...)
	c.vars = append(c.vars, d.vars...)
}

// action is one alternative of an action schema: a schema whose precondition is
// a disjunction becomes several.
type action struct {
	schema  int32 // index in Domain.Actions
	src     *pddl.Action
	types   []pddl.TypeID // by slot
	params  []int32       // slots to enumerate: the parameters, then existential ones
	pre     conj
	effects []effect
	costs   []costTerm
	hasUniv bool

	tuples tuples // enumerated instances, len(params) objects each
	count  int
}

// effect adds or deletes an atom for every instance of vars that satisfies cond.
type effect struct {
	vars []int32
	cond conj
	neg  bool
	pred int32
	args []pddl.Term
	join *join // enumerates vars; nil when there are none
}

// costTerm is a numeric effect, for every instance of vars that satisfies cond.
type costTerm struct {
	vars []int32
	cond conj
	op   pddl.AssignOp
	fn   pddl.FunctionID
	args []pddl.Term
	expr *pddl.NumExpr
	pos  pddl.Pos
	join *join
}

// rule derives pred(args) for every instance of vars that satisfies body.
type rule struct {
	pred   int32
	args   []pddl.Term
	types  []pddl.TypeID
	vars   []int32
	body   conj
	tuples tuples
	count  int
}

// predicate is a predicate of the domain or one that normalisation introduced.
type predicate struct {
	name    string
	arity   int
	fluent  bool // changed by an action
	derived bool
	numeric bool // stands for a comparison: true or false as the fluents are
	rel     *relation
	initial int   // number of tuples that hold initially; they come first
	base    int32 // atom id of its first tuple (fluent and derived ones)
}

// changes reports whether atoms of p have ids: their truth depends on the state.
func (p *predicate) changes() bool { return p.fluent || p.derived }
