package validator

import (
	"errors"

	"github.com/planproof/planproof/internal/pace"
	"github.com/planproof/planproof/pddl"
)

// Options of a Judge. The zero value is the standard judge.
type Options struct {
	// MaxWork bounds the elementary evaluations for one plan (visits of condition nodes
	// and quantifier bindings), so that nested quantifiers or an expensive axiom cannot
	// stall a caller. It counts work, not time: the same plan always ends the same way. 0
	// means DefaultMaxWork; every plan gets at least 2,000 per step.
	MaxWork int64
	// MaxNumberBits bounds the numerator and denominator of a value together, so that a
	// plan that scales up a fluent again and again cannot fill the memory. 0 means
	// DefaultMaxNumberBits.
	MaxNumberBits int

	sparse bool // for tests: intern everything, as if no predicate were dense
}

// Defaults of Options.
const (
	DefaultMaxWork       = 2e8 // one or two seconds
	DefaultMaxNumberBits = 1 << 16
)

// action is a compiled action schema.
type action struct {
	schema *pddl.Action
	types  []pddl.TypeID // of the parameters
	vars   int           // slots of the schema
	pre    int32         // node of the precondition, or -1 if it is always true
	eff    int32         // effect program, or -1 if there is no effect
	// plain is true if the effect only adds and deletes atoms, without a condition: then
	// it is applied while it is read.
	plain bool
}

// rule is a compiled axiom: the predicate holds of the parameters when body does.
type rule struct {
	types []pddl.TypeID
	vars  int
	body  int32
}

// Judge judges plans for one problem. It is compiled once and read-only afterwards: any
// number of goroutines may use it, each with a Scratch of its own.
type Judge struct {
	dom  *pddl.Domain
	prob *pddl.Problem
	opt  Options

	actionNames nameTable
	objectNames nameTable
	actions     []action
	types       typeRelation

	layout
	code

	goal     int32
	goalVars int
	timed    *timedTask // nil for a classical problem
	metric   int32      // expression, or -1
	maximize bool
	// totalCost is the value index of the fluent (total-cost), or -1.
	totalCost int32
	hasCosts  bool // some action changes total-cost
	// warnings about the problem that a verdict repeats
	scc      []int32  // of each predicate; derived predicates of one component share it
	recurs   []bool   // for each derived predicate, whether it depends on itself
	rules    [][]rule // of each predicate
	maxArity int
}

// errForeignScratch is the panic value if a Judge gets the Scratch of another Judge.
var errForeignScratch = errors.New("validator: scratch belongs to another judge")

// NewJudge compiles a problem. The error, of type pddl.Diagnostics, locates every
// construct that the judge does not support; such a problem cannot be judged.
func NewJudge(prob *pddl.Problem, opt Options) (*Judge, error) {
	return newJudge(prob, opt, pace.Pace{})
}

func newJudge(prob *pddl.Problem, opt Options, until pace.Pace) (*Judge, error) {
	if opt.MaxWork <= 0 {
		opt.MaxWork = DefaultMaxWork
	}
	if opt.MaxNumberBits <= 0 {
		opt.MaxNumberBits = DefaultMaxNumberBits
	}
	if diags := unsupported(prob); len(diags) > 0 {
		return nil, diags
	}
	j := &Judge{dom: prob.Domain, prob: prob, opt: opt, totalCost: -1, metric: -1}
	c := &compiler{j: j, Pace: until}
	c.run()
	if err := c.Err(); err != nil {
		return nil, err
	}
	if len(c.diags) > 0 {
		return nil, c.diags
	}
	if !j.occur() {
		c.fail(prob.Domain.Source, prob.Domain.NamePos, CodeUnsupported+"events", "more than a million processes and events with their objects")
		return nil, c.diags
	}
	return j, nil
}

// Problem returns the problem whose plans j judges.
func (j *Judge) Problem() *pddl.Problem { return j.prob }

// Timed reports whether the problem has durative actions, timed literals, trajectory
// constraints or preferences.
func (j *Judge) Timed() bool { return j.timed != nil }

// typeRelation answers whether an object may be the value of a variable.
type typeRelation struct {
	dom     *pddl.Domain
	objType []pddl.TypeID
	words   int      // of one row of sub; 0 if the relation is too large to tabulate
	sub     []uint64 // row per type: the types that include it
}

// maxTypeTable bounds the table of the subtype relation, in bits: 2,048 types take half a
// megabyte.
const maxTypeTable = 1 << 22

func newTypeRelation(p *pddl.Problem) typeRelation {
	r := typeRelation{dom: p.Domain, objType: make([]pddl.TypeID, len(p.Objects))}
	for i := range p.Objects {
		r.objType[i] = p.Objects[i].Type
	}
	n := len(p.Domain.Types)
	if n*n > maxTypeTable {
		return r
	}
	r.words = (n + 63) / 64
	r.sub = make([]uint64, n*r.words)
	for a := 0; a < n; a++ {
		for b := 0; b < n; b++ {
			if p.Domain.IsSubtype(pddl.TypeID(a), pddl.TypeID(b)) {
				r.sub[a*r.words+b>>6] |= 1 << (b & 63)
			}
		}
	}
	return r
}

// subtype reports whether every value of type a is a value of type b.
func (r *typeRelation) subtype(a, b pddl.TypeID) bool {
	if a == b || b == pddl.RootType {
		return true
	}
	if r.words == 0 {
		return r.dom.IsSubtype(a, b)
	}
	return r.sub[int(a)*r.words+int(b)>>6]>>(uint(b)&63)&1 != 0
}

// is reports whether object o is a value of type t.
func (r *typeRelation) is(o int32, t pddl.TypeID) bool { return r.subtype(r.objType[o], t) }

// isAll reports whether object o is a value of every one of the types.
func (r *typeRelation) isAll(o int32, types []pddl.TypeID) bool {
	for _, t := range types {
		if !r.is(o, t) {
			return false
		}
	}
	return true
}
