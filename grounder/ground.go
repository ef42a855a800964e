package grounder

import (
	"context"
	"runtime/metrics"
	"time"

	"github.com/planproof/planproof/pddl"
)

// Ground compiles a problem to a finite-domain task.
//
// The error is either pddl.Diagnostics (located: the task uses a feature that a
// classical task has no equivalent of, or has a negative action cost), or wraps
// ErrLimit (and ErrMemory) or the error of ctx. A goal that grounding shows to be
// unreachable is not an error: the task is then marked Unsolvable.
func Ground(ctx context.Context, prob *pddl.Problem, opt Options) (*Task, error) {
	return newGrounder(ctx, prob, opt).run()
}

func (g *grounder) run() (task *Task, err error) {
	defer func() {
		if r := recover(); r != nil {
			b, ok := r.(bailout)
			if !ok {
				panic(r)
			}
			task, err = nil, b.err
		}
	}()
	for _, s := range stages {
		s.run(g)
		if len(g.diags) > 0 {
			g.sortDiagnostics()
			return nil, g.diags
		}
		if g.finished {
			break
		}
		g.checkTime()
		g.checkMemory()
	}
	return g.task, nil
}

type stage struct {
	name string
	run  func(*grounder)
}

// stages of grounding, in order, with the reasons for the order.
var stages = []stage{
	// First, so that no later stage meets a construct it does not know.
	{"refuse unsupported features", (*grounder).refuseUnsupported},
	// Before conditions: a condition that may read an undefined value needs more care.
	{"load initial values", (*grounder).loadValues},
	// Before instances exist: splitting a schema is cheaper than splitting each instance.
	{"normalise conditions", (*grounder).normalise},
	{"check numeric effects", (*grounder).checkNumericEffects},
	{"load the initial state", (*grounder).load},
	// Facts before instances: with every relation complete, the joins of the next
	// stage can be ordered by true sizes, and each instance is found exactly once.
	{"reach atoms", (*grounder).reach},
	{"enumerate instances", (*grounder).enumerate},
	// Invariants are lifted, but profit from knowing which parameters of the
	// instances never coincide; groups instantiate them over the reachable atoms.
	{"find invariants", (*grounder).findInvariants},
	{"instantiate mutex groups", (*grounder).instantiateGroups},
	// The goal before the variables: an atom that the goal requires to be false needs a
	// variable of its own, or the goal would be a disjunction.
	{"ground the goal", (*grounder).groundGoal},
	{"choose variables", (*grounder).chooseVariables},
	// After the variables: what changes one value of a variable matters for the others.
	{"drop irrelevant instances", (*grounder).dropIrrelevant},
	// Axioms before operators: derived atoms that turn out constant vanish from
	// conditions. After the variables: a universal condition is written out if its
	// literals are single facts and becomes an axiom if not.
	{"instantiate axioms", (*grounder).groundAxioms},
	{"instantiate operators", (*grounder).groundOperators},
	// Only now, with mutexes applied, can more values turn out unreachable; relevance
	// is a question about what remains.
	{"remove unreachable values", (*grounder).removeUnreachable},
	{"remove the irrelevant and order variables", (*grounder).removeIrrelevant},
	{"finish", (*grounder).finish},
}

type grounder struct {
	ctx       context.Context
	prob      *pddl.Problem
	dom       *pddl.Domain
	opt       Options
	deadline  time.Time
	ticks     uint32
	collected uint32 // ticks at the last forced garbage collection
	limits    limits
	memory    []metrics.Sample
	before    int64 // live bytes on the heap when grounding began
	diags     pddl.Diagnostics
	finished  bool // the task is complete, without the remaining stages
	hopeless  bool // the goal is unreachable, but KeepIrrelevant keeps everything
	worker    bool // a copy for another thread, which must not change what threads share

	// Lifted.
	preds     []*predicate
	ownPreds  int     // predicates of the problem; those after them are auxiliary
	valuePred []int32 // by function: the predicate of an object fluent, or -1
	actions   []*action
	rules     []*rule
	goal      conj
	goalTypes []pddl.TypeID
	sets      [][]uint64 // by type
	triggers  []triggers
	columns   [][]float64 // distinct objects by predicate and column
	num       numeric
	atomCount int

	// Ground, by atom id.
	atoms    int // number of ids
	atomPred []int32
	initial  []bool
	names    nameOrder

	invariants []*invariant
	groups     [][]int32 // mutex groups of two or more atoms
	atomGroups groupIndex

	goalLits []glit
	mirrors  map[int32]int32 // atom -> derived atom that is true with it
	axioms   axiomTable
	vars     variables
	sas      sasTask
	task     *Task
}

func newGrounder(ctx context.Context, prob *pddl.Problem, opt Options) *grounder {
	g := &grounder{ctx: ctx, prob: prob, dom: prob.Domain, opt: opt, limits: defaultLimits,
		sets:    make([][]uint64, len(prob.Domain.Types)),
		mirrors: make(map[int32]int32),
		memory:  []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}}
	g.before = liveHeap()
	if opt.Time > 0 {
		g.deadline = time.Now().Add(opt.Time)
	}
	if opt.Memory <= 0 {
		g.opt.Memory = defaultMemory
	}
	for i := range g.dom.Predicates {
		n := len(g.dom.Predicates[i].Params)
		g.preds = append(g.preds, &predicate{name: g.dom.Predicates[i].Name, arity: n,
			derived: g.dom.Predicates[i].Derived, rel: &relation{arity: n, objects: len(prob.Objects)}})
	}
	g.addObjectFluents()
	return g
}

// typeSet returns the objects of a type as a bitset; nil for the root type.
func (g *grounder) typeSet(t pddl.TypeID) []uint64 {
	if t == pddl.RootType {
		return nil
	}
	if g.sets[t] == nil {
		set := make([]uint64, len(g.prob.Objects)/64+1)
		for _, o := range g.prob.ObjectsOfType(t) {
			set[o>>6] |= 1 << (uint(o) & 63)
		}
		g.sets[t] = set
	}
	return g.sets[t]
}

// load fills the relations with the initial state.
func (g *grounder) load() {
	init := &g.prob.Init.Atoms
	for i := range init.Len() {
		p, args := init.Atom(i)
		pred := g.preds[p]
		if pred.derived {
			g.refuse(g.prob.Source, init.Pos[i], DerivedInInit, "the initial state sets the derived predicate "+pred.name)
			continue
		}
		pred.rel.add(args)
		g.checkSize(&g.atomCount)
	}
	g.loadObjectFluents()
	for _, p := range g.preds {
		p.initial = p.rel.n
	}
}

// columnSize is the number of objects that a column of a predicate may hold.
func (g *grounder) columnSize(pred int32, col int) int {
	if int(pred) >= len(g.dom.Predicates) {
		return len(g.prob.Objects)
	}
	return len(g.prob.ObjectsOfType(g.dom.Predicates[pred].Params[col].Type))
}

// distinct counts the objects in a column of a complete relation.
func (g *grounder) distinct(pred int32, col int) float64 {
	for len(g.columns) <= int(pred) {
		g.columns = append(g.columns, nil)
	}
	p := g.preds[pred]
	if g.columns[pred] == nil {
		g.columns[pred] = make([]float64, p.arity)
		for c := range g.columns[pred] {
			seen := make([]uint64, len(g.prob.Objects)/64+1)
			n := 0
			for t := range int32(p.rel.n) {
				if o := p.rel.row(t)[c]; seen[o>>6]>>(uint(o)&63)&1 == 0 {
					seen[o>>6] |= 1 << (uint(o) & 63)
					n++
				}
			}
			g.columns[pred][c] = float64(n)
		}
	}
	return g.columns[pred][col]
}
