package grounder

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/planproof/planproof/pddl"
)

// Ground compiles a problem to a finite-domain task.
//
// An error is either pddl.Diagnostics (the task uses a feature that the classical
// stage does not support, or has a negative action cost; each with its place), or
// wraps ErrLimit (and ErrMemory) or the error of ctx. A goal that grounding shows to be out of
// reach is no error: the task is then marked Unsolvable.
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
		g.checkLimits()
	}
	return g.task, nil
}

// stages in order. Why each comes where it does:
var stages = []struct {
	name string
	run  func(*grounder)
}{
	// First, so that nothing below meets a construct it does not know.
	{"refuse unsupported features", (*grounder).refuseUnsupported},
	// Before conditions: those that may read an undefined value need more care.
	{"load initial values", (*grounder).loadValues},
	// Before anything ground: splitting a schema is cheaper than its instances.
	{"normalise conditions", (*grounder).normalise},
	{"check numeric effects", (*grounder).checkNumericEffects},
	{"load the initial state", (*grounder).load},
	// Facts before instances: with every relation complete, the joins of the next
	// stage can be ordered by true sizes, and each instance is met exactly once.
	{"reach atoms", (*grounder).reach},
	{"enumerate instances", (*grounder).enumerate},
	// Invariants are lifted, but profit from knowing which parameters of the
	// instances never coincide; groups instantiate them over the reachable atoms.
	{"find invariants", (*grounder).findInvariants},
	{"instantiate mutex groups", (*grounder).instantiateGroups},
	// The goal before the variables: an atom that it demands false needs a
	// variable of its own, or the goal would be a disjunction.
	{"ground the goal", (*grounder).groundGoal},
	{"choose variables", (*grounder).chooseVariables},
	// Axioms before operators: derived atoms that turn out constant vanish from
	// conditions. After the variables: a universal condition is written out where
	// its literals are single facts and becomes an axiom where they are not.
	{"instantiate axioms", (*grounder).groundAxioms},
	{"instantiate operators", (*grounder).groundOperators},
	// Only now, with mutexes applied, can more values turn out unreachable, and
	// only then is what remains judged for relevance.
	{"remove unreachable values", (*grounder).removeUnreachable},
	{"remove the irrelevant and order variables", (*grounder).removeIrrelevant},
	{"finish", (*grounder).finish},
}

// bailout carries the error of a limit through the recursion of a join.
type bailout struct{ err error }

// defaultMemory bounds the heap when the caller sets no bound.
const defaultMemory = 8 << 30

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
	before    int64 // bytes that were live on the heap when grounding began
	diags     pddl.Diagnostics
	finished  bool // the task is complete, without the remaining stages
	hopeless  bool // the goal is out of reach, but everything is to be kept

	// Lifted.
	preds     []*predicate
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
			derived: g.dom.Predicates[i].Derived, rel: &relation{arity: n}})
	}
	return g
}

// tick is called in every loop that may run long.
func (g *grounder) tick() {
	if g.ticks++; g.ticks&0xFFFF == 0 {
		g.checkLimits()
	}
}

// work is tick for a step that takes as long as n short ones.
func (g *grounder) work(n int) {
	before := g.ticks
	if g.ticks += uint32(n); g.ticks>>16 != before>>16 {
		g.checkLimits()
	}
}

func (g *grounder) checkLimits() {
	if err := g.ctx.Err(); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%w: %w", ErrLimit, err)
		}
		panic(bailout{err})
	}
	if !g.deadline.IsZero() && time.Now().After(g.deadline) {
		panic(bailout{fmt.Errorf("%w: grounding took more than %v", ErrLimit, g.opt.Time)})
	}
	if g.heap() <= g.opt.Memory {
		return
	}
	// The figure includes garbage. Collecting it is dear, so it is done again only
	// after as much work as it takes to make as much again.
	if g.collected != 0 && g.ticks-g.collected < collectEvery {
		return
	}
	runtime.GC()
	g.collected = g.ticks
	if g.heap() > g.opt.Memory {
		panic(bailout{fmt.Errorf("%w: grounding took more than %d MB", ErrMemory, g.opt.Memory>>20)})
	}
}

const collectEvery = 1 << 20

// heap returns by how many bytes the heap has grown; objects that are not collected
// yet count.
func (g *grounder) heap() int64 {
	metrics.Read(g.memory)
	return int64(g.memory[0].Value.Uint64()) - g.before
}

// liveHeap returns the bytes that the last garbage collection found live: unlike the
// whole heap they will not be collected, and then be available once more.
func liveHeap() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}

// maxCount bounds the numbers of atoms, instances and operators, so that ids fit
// in 30 bits.
const maxCount = 1 << 30

func (g *grounder) checkSize(n *int) {
	if *n++; *n > maxCount {
		panic(bailout{fmt.Errorf("%w: more than %d atoms, instances or operators", ErrMemory, maxCount)})
	}
	g.tick()
}

func (g *grounder) refuse(src *pddl.Source, pos pddl.Pos, code pddl.Code, message string) {
	g.diags = append(g.diags, pddl.Diagnostic{Severity: pddl.Error, Code: code, Source: src, Pos: pos, End: pos, Message: message})
}

func (g *grounder) sortDiagnostics() {
	slices.SortStableFunc(g.diags, func(a, b pddl.Diagnostic) int {
		if (a.Source == g.dom.Source) != (b.Source == g.dom.Source) {
			if a.Source == g.dom.Source {
				return -1
			}
			return 1
		}
		return int(a.Pos) - int(b.Pos)
	})
	g.diags = slices.CompactFunc(g.diags, func(a, b pddl.Diagnostic) bool {
		return a.Source == b.Source && a.Pos == b.Pos && a.Code == b.Code
	})
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

// holds evaluates a literal that does not depend on the state.
func (g *grounder) holds(l *lit, env []pddl.ObjectID) bool {
	var key [16]pddl.ObjectID
	switch l.kind {
	case litAtom:
		return (g.preds[l.pred].rel.find(groundArgs(key[:0], l.args, env)) >= 0) != l.neg
	case litEqual:
		k := groundArgs(key[:0], l.args, env)
		return (k[0] == k[1]) != l.neg
	case litDefined:
		return g.definedSides(l.cmp, env) != l.neg
	}
	return g.compare(l.cmp, l.neg, env)
}

// enumerate lists the instances of every action and rule whose positive atoms
// are reachable and whose static conditions hold.
func (g *grounder) enumerate() {
	g.columns = nil
	for _, a := range g.actions {
		a.tuples, a.count = g.instances(a.types, a.params, a.pre.lits)
		a.effects = slices.DeleteFunc(a.effects, func(e effect) bool { return !g.possible(&e.cond) })
		for i := range a.effects {
			a.effects[i].join = g.effectJoin(a, a.effects[i].vars, &a.effects[i].cond)
		}
		for i := range a.costs {
			a.costs[i].join = g.effectJoin(a, a.costs[i].vars, &a.costs[i].cond)
		}
	}
	for _, r := range g.rules {
		r.tuples, r.count = g.instances(r.types, r.vars, r.body.lits)
	}
	g.numberAtoms()
}

// instances returns the bindings of vars, len(vars) objects each, and their number.
func (g *grounder) instances(types []pddl.TypeID, vars []int32, lits []lit) ([]pddl.ObjectID, int) {
	atoms, checks, ok := g.relax(lits)
	if !ok {
		return nil, 0
	}
	for _, a := range atoms {
		if g.preds[a.pred].rel.n == 0 {
			return nil, 0
		}
	}
	if len(vars) == 0 {
		for _, a := range atoms {
			if g.preds[a.pred].rel.find(groundArgs(nil, a.args, nil)) < 0 {
				return nil, 0
			}
		}
		return nil, 1
	}
	var tuples []pddl.ObjectID
	count := 0
	j := g.newJoin(query{types: types, atoms: atoms, checks: checks, vars: vars})
	j.each(func() bool {
		for _, s := range vars {
			tuples = append(tuples, j.env[s])
		}
		g.checkSize(&count)
		return false
	})
	return tuples, count
}

// possible reports whether the ground static literals of a condition hold.
func (g *grounder) possible(c *conj) bool {
	_, _, ok := g.relax(c.lits)
	return ok
}

// effectJoin enumerates the quantified variables of an effect; nil if it has none.
func (g *grounder) effectJoin(a *action, vars []int32, cond *conj) *join {
	if len(vars) == 0 {
		return nil
	}
	atoms, checks, _ := g.relax(cond.lits)
	return g.newJoin(query{types: a.types, atoms: atoms, checks: checks, bound: a.params, vars: vars})
}

// numberAtoms gives ids to the atoms of changing predicates.
func (g *grounder) numberAtoms() {
	for p, pred := range g.preds {
		if !pred.changes() {
			continue
		}
		pred.base = int32(g.atoms)
		g.atoms += pred.rel.n
		for t := range pred.rel.n {
			g.atomPred = append(g.atomPred, int32(p))
			g.initial = append(g.initial, t < pred.initial)
		}
	}
}

// atomArgs returns the arguments of an atom.
func (g *grounder) atomArgs(atom int32) []pddl.ObjectID {
	p := g.preds[g.atomPred[atom]]
	return p.rel.row(atom - p.base)
}

// lookup returns the id of a ground atom of a changing predicate, or -1 if it is
// not reachable.
func (g *grounder) lookup(pred int32, args []pddl.Term, env []pddl.ObjectID) int32 {
	var key [16]pddl.ObjectID
	p := g.preds[pred]
	t := p.rel.find(groundArgs(key[:0], args, env))
	if t < 0 {
		return -1
	}
	return p.base + t
}
