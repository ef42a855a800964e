package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// Structure identifies a task up to the names of its objects.
type Structure struct {
	// Hash is equal for two tasks only if one is the other under other names of objects:
	// a bijection of the problems' own objects that keeps types, initial state, goal,
	// constraints and metric, with domains that mean the same. The domain's constants keep
	// their names. The order of facts, objects and conjuncts plays no part, nor do the
	// names of domain, problem and variables.
	Hash [32]byte
	// Exact tells that the converse holds, too: all renamed forms have this Hash. It is
	// false where the canonical form was not found within bounded work; Hash then depends
	// on the names.
	Exact bool
	// Coarse is equal for all renamed forms in any case, and perhaps for other tasks.
	Coarse [32]byte
	// Domain is equal for tasks of domains that mean the same.
	Domain [32]byte
}

// String returns the hash as rows have it: "sha256:...".
func (s *Structure) String() string { return sumText(s.Hash) }

func sumText(sum [32]byte) string { return "sha256:" + hex.EncodeToString(sum[:]) }

// canonWork bounds the work on one task, in visits of facts: about a second. Larger tasks
// get a multiple of their size.
const canonWork = 40_000_000

// StructureOf computes the structure of a task: a canonical form by colour refinement and
// individualisation with backtracking, pruned by the automorphisms that are found on the
// way (McKay and Piperno, Practical graph isomorphism II, 2014).
func StructureOf(p *pddl.Problem) Structure {
	return structureOf(p, hashText(domainKeyText(p.Domain)), 0)
}

// structureOf takes what the domain means from the caller; a budget of 0 is the usual one.
func structureOf(p *pddl.Problem, domain [32]byte, budget int64) Structure {
	r := newRelations(p)
	if budget == 0 {
		budget = max(canonWork, 50*int64(len(r.args)+r.n+r.formulaSize()))
	}
	c := &canonizer{relations: r, domain: domain, budget: budget}
	st := c.run()
	st.Domain = domain
	return st
}

// relations is a task as a relational structure over the problem's own objects.
type relations struct {
	n     int
	types []string // of the objects
	names []string // of the objects, for the form that depends on names
	// Tuple t is in relation rel[t] and has args[start[t]:start[t+1]]. What a relation's
	// name says includes constants and values.
	relNames []string
	rel      []int32
	start    []int32
	args     []int32
	of       [][]int32 // tuples by object
	// Formulas are the parts of goal and constraints that are no ground literals.
	formulas []topFormula
	inside   []bool          // the object occurs in some formula
	tupleSet map[string]bool // for swaps; made when first needed
}

// topFormula is a formula with what it is part of.
type topFormula struct {
	role   string
	schema *pddl.Schema
	f      *pddl.Formula
	expr   *pddl.NumExpr // a metric, when f is nil
	prob   *pddl.Problem
}

func newRelations(p *pddl.Problem) *relations {
	d := p.Domain
	first := len(d.Constants)
	r := &relations{n: len(p.Objects) - first, start: []int32{0}}
	r.types, r.names, r.inside = make([]string, r.n), make([]string, r.n), make([]bool, r.n)
	for i := range r.n {
		o := &p.Objects[first+i]
		r.types[i], r.names[i] = typeText(d, o.Type), strings.ToLower(o.Name)
	}
	b := relationBuilder{relations: r, first: first, prob: p, ids: map[string]int32{}}
	in := &p.Init
	for i := range in.Atoms.Len() {
		pred, args := in.Atoms.Atom(i)
		b.tuple("init "+d.Predicates[pred].Name, args, "")
	}
	for i := range in.Values.Len() {
		f, args, v := in.Values.Fluent(i)
		b.tuple("value "+d.Functions[f].Name, args, v.String())
	}
	for _, o := range in.Objects {
		b.tuple("object "+d.Functions[o.Func].Name, append(slices.Clone(o.Args), o.Value), "")
	}
	for _, t := range in.Timed {
		switch {
		case t.Func >= 0:
			b.tuple("timed value "+d.Functions[t.Func].Name, t.Args, t.Time.String()+" "+t.Value.String())
		case t.Negated:
			b.tuple("timed not "+d.Predicates[t.Pred].Name, t.Args, t.Time.String())
		default:
			b.tuple("timed "+d.Predicates[t.Pred].Name, t.Args, t.Time.String())
		}
	}
	b.conjuncts("goal", &p.Goal.Schema, p.Goal.Formula)
	if p.Constraints != nil {
		b.conjuncts("constraint", &p.Constraints.Schema, p.Constraints.Formula)
	}
	if m := p.Metric; m != nil {
		role := "minimize"
		if m.Maximize {
			role = "maximize"
		}
		r.formulas = append(r.formulas, topFormula{role: role, schema: &pddl.Schema{}, expr: m.Expr, prob: p})
	}
	b.finish()
	return r
}

// relationBuilder fills relations.
type relationBuilder struct {
	*relations
	first int
	prob  *pddl.Problem
	ids   map[string]int32
}

// tuple adds a tuple. Constants go into the name of the relation.
func (b *relationBuilder) tuple(name string, args []pddl.ObjectID, value string) {
	var n strings.Builder
	n.WriteString(strings.ToLower(name))
	for _, o := range args {
		if int(o) < b.first {
			n.WriteString(" " + strings.ToLower(b.prob.Objects[o].Name))
		} else {
			n.WriteString(" _")
			b.args = append(b.args, int32(int(o)-b.first))
		}
	}
	n.WriteString(" = " + value)
	id, ok := b.ids[n.String()]
	if !ok {
		id = int32(len(b.relNames))
		b.ids[n.String()] = id
		b.relNames = append(b.relNames, n.String())
	}
	b.rel = append(b.rel, id)
	b.start = append(b.start, int32(len(b.args)))
}

// conjuncts splits a conjunction into tuples for its ground literals and formulas for the
// rest.
func (b *relationBuilder) conjuncts(role string, s *pddl.Schema, f *pddl.Formula) {
	switch {
	case f.Kind == pddl.FormulaTrue:
		return
	case f.Kind == pddl.FormulaAnd:
		for _, c := range f.Children {
			b.conjuncts(role, s, c)
		}
		return
	case f.Kind == pddl.FormulaAtom:
		b.literal(role+" ", f)
		return
	case f.Kind == pddl.FormulaNot && f.Children[0].Kind == pddl.FormulaAtom:
		b.literal(role+" not ", f.Children[0])
		return
	}
	b.formulas = append(b.formulas, topFormula{role: role, schema: s, f: f, prob: b.prob})
}

// literal adds a ground atom of a goal; one that the conjunction has already is left out.
func (b *relationBuilder) literal(prefix string, f *pddl.Formula) {
	args := make([]pddl.ObjectID, len(f.Args))
	for i, t := range f.Args {
		args[i] = t.Object() // no quantifier is around it
	}
	b.tuple(prefix+b.prob.Domain.Predicates[f.Pred].Name, args, "")
}

// finish numbers relations by their names, drops repeated tuples and indexes the rest.
func (b *relationBuilder) finish() {
	order := make([]int32, len(b.relNames))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int { return strings.Compare(b.relNames[x], b.relNames[y]) })
	place := make([]int32, len(order))
	names := make([]string, len(order))
	for i, old := range order {
		place[old], names[i] = int32(i), b.relNames[old]
	}
	b.relNames = names
	for t := range b.rel {
		b.rel[t] = place[b.rel[t]]
	}
	seen := make(map[string]bool, len(b.rel))
	var rel, args []int32
	start := []int32{0}
	for t := range b.rel {
		key := b.key(int32(t), nil)
		if seen[key] {
			continue
		}
		seen[key] = true
		rel = append(rel, b.rel[t])
		args = append(args, b.args[b.start[t]:b.start[t+1]]...)
		start = append(start, int32(len(args)))
	}
	b.rel, b.args, b.start, b.tupleSet = rel, args, start, seen
	b.of = make([][]int32, b.n)
	for t := range b.rel {
		for _, o := range b.tupleArgs(int32(t)) {
			if l := b.of[o]; len(l) == 0 || l[len(l)-1] != int32(t) {
				b.of[o] = append(l, int32(t))
			}
		}
	}
	for i := range b.formulas {
		f := &b.formulas[i]
		f.text(func(o pddl.ObjectID) string {
			if int(o) >= b.first {
				b.inside[int(o)-b.first] = true
			}
			return ""
		})
	}
}

func (r *relations) tupleArgs(t int32) []int32 { return r.args[r.start[t]:r.start[t+1]] }

// key identifies a tuple, after swap (nil for none) of its objects.
func (r *relations) key(t int32, swap func(int32) int32) string {
	args := r.tupleArgs(t)
	b := make([]byte, 4, 4+4*len(args))
	binary.LittleEndian.PutUint32(b, uint32(r.rel[t]))
	for _, o := range args {
		if swap != nil {
			o = swap(o)
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(o))
	}
	return string(b)
}

// twins tells whether swapping two objects of one colour leaves the task as it is.
func (r *relations) twins(x, y int32) bool {
	if r.types[x] != r.types[y] || len(r.of[x]) != len(r.of[y]) || r.inside[x] || r.inside[y] {
		return false
	}
	swap := func(o int32) int32 {
		switch o {
		case x:
			return y
		case y:
			return x
		}
		return o
	}
	for _, o := range []int32{x, y} {
		for _, t := range r.of[o] {
			if !r.tupleSet[r.key(t, swap)] {
				return false
			}
		}
	}
	return true
}

// text writes the formula with objects named by name.
func (f *topFormula) text(name func(pddl.ObjectID) string) string {
	w := newTextWriter(f.prob.Domain, f.schema, name)
	if f.f == nil {
		return f.role + " " + w.expr(f.expr)
	}
	return f.role + " " + w.formula(f.f)
}

// formulaSize is the work of looking at the formulas once.
func (r *relations) formulaSize() int {
	n := 0
	for i := range r.formulas {
		n += len(r.formulas[i].text(func(pddl.ObjectID) string { return "x" })) / 4
	}
	return n
}

// texts writes all formulas with the problem's own objects named by name, sorted.
func (r *relations) texts(name func(int32) string) []string {
	out := make([]string, len(r.formulas))
	for i := range r.formulas {
		f := &r.formulas[i]
		first := len(f.prob.Domain.Constants)
		out[i] = f.text(func(o pddl.ObjectID) string {
			if int(o) < first {
				return "c:" + strings.ToLower(f.prob.Objects[o].Name)
			}
			return name(int32(int(o) - first))
		})
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// certificate hashes the task with object o numbered label[o]. Equal certificates are
// those of tasks that are the same but for names.
func (r *relations) certificate(domain [32]byte, label []int32) [32]byte {
	h := sha256.New()
	h.Write(domain[:])
	buf := binary.LittleEndian.AppendUint32(nil, uint32(r.n))
	types := make([]string, r.n)
	for o, l := range label {
		types[l] = r.types[o]
	}
	text := func(s string) {
		buf = binary.LittleEndian.AppendUint32(buf, uint32(len(s)))
		buf = append(buf, s...)
	}
	for _, t := range types {
		text(t)
	}
	order := make([]int32, len(r.rel))
	for t := range order {
		order[t] = int32(t)
	}
	slices.SortFunc(order, func(a, b int32) int {
		if r.rel[a] != r.rel[b] {
			return int(r.rel[a] - r.rel[b])
		}
		x, y := r.tupleArgs(a), r.tupleArgs(b)
		for i := range x {
			if x[i] != y[i] {
				return int(label[x[i]] - label[y[i]])
			}
		}
		return 0
	})
	last := int32(-1)
	for _, t := range order {
		if r.rel[t] != last {
			last = r.rel[t]
			buf = append(buf, 'R')
			text(r.relNames[last])
		} else {
			buf = append(buf, 'T')
		}
		for _, o := range r.tupleArgs(t) {
			buf = binary.LittleEndian.AppendUint32(buf, uint32(label[o]))
		}
	}
	for _, f := range r.texts(func(o int32) string { return "#" + itoa(label[o]) }) {
		buf = append(buf, 'F')
		text(f)
	}
	h.Write(buf)
	var sum [32]byte
	h.Sum(sum[:0])
	return sum
}
