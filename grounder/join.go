package grounder

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// A join enumerates the bindings of a conjunction of atoms. It is compiled once to a
// small program, which runs by backtracking over indexes; it never tries a substitution
// that the atoms bound so far rule out.
//
// Two devices keep it from enumerating what does not matter. First, parts of the query
// that share no unbound variable are separated: a part that binds no wanted variable is
// only tested (opExists), and several wanted parts are all tested before the first is
// enumerated. Second, once every wanted variable is bound, the caller may cut the
// branch (opCut), because reachability only needs new atoms.

type opcode uint8

const (
	opScan   opcode = iota // tuples that agree with the bound columns
	opMember               // the atom is bound and must be there
	opType                 // every object of a type
	opCopy                 // slot := term
	opTest                 // a check whose variables are bound
	opExists               // sub has a solution
	opCut                  // the caller's test of the wanted variables
)

type binding struct {
	col, slot int32
	set       []uint64 // the type of the slot; nil = any object
}

type instr struct {
	op    opcode
	rel   *relation
	ix    *index      // opScan with bound columns
	terms []pddl.Term // opScan: per column of ix; opMember: per column; opCopy: one
	key   []pddl.ObjectID
	bind  []binding // columns that bind a slot
	same  []binding // columns that repeat a slot bound by this tuple
	slot  int32
	set   []uint64
	objs  []pddl.ObjectID
	lit   *lit
	sub   []instr
	// A limited scan sees only the tuples propagated before the trigger, and the trigger
	// itself if that comes from the same relation at an earlier position.
	limited bool
	extra   int
	// from and to bound an opScan without bound columns in the first loop of a join; see within.
	from, to int
}

// queryAtom is a positive atom of a query.
type queryAtom struct {
	pred    int32
	args    []pddl.Term
	limited bool
	extra   int
}

// query is what a join is compiled from.
type query struct {
	types  []pddl.TypeID
	atoms  []queryAtom
	checks []lit
	bound  []int32 // slots bound by the caller
	vars   []int32 // slots to bind
	need   []int32 // the wanted ones among vars; nil = all
	cut    bool    // emit opCut once the wanted ones are bound
}

type join struct {
	g    *grounder
	q    query
	prog []instr
	done bool // compiled
	env  []pddl.ObjectID
	leaf func() bool
	// first is the instruction of the first loop, and objs what it runs over if that is a type.
	first *instr
	objs  []pddl.ObjectID
	test  func() bool // opCut: whether to go on
}

func (g *grounder) newJoin(q query) *join {
	return &join{g: g, q: q, env: make([]pddl.ObjectID, len(q.types))}
}

// each calls leaf with j.env bound for every solution; leaf stops the join by
// returning true.
func (j *join) each(leaf func() bool) {
	if !j.done {
		j.prog = compile(j.g, &j.q)
		j.done = true
	}
	j.leaf = leaf
	j.run(j.prog, 0, true)
}

// loop compiles the join and returns how many rounds its first loop has, or 0 if that is none that can be cut. What is
// independent of the loop must only have a solution; known says that it does.
func (j *join) loop(known bool) int {
	j.prog, j.done = compile(j.g, &j.q), true
	i := slices.IndexFunc(j.prog, func(in instr) bool { return in.op == opType || in.op == opScan })
	if i < 0 {
		return 0
	}
	if known {
		before := slices.DeleteFunc(j.prog[:i:i], func(in instr) bool { return in.op == opExists })
		j.prog, i = append(before, j.prog[i:]...), len(before)
	}
	j.first = &j.prog[i]
	if j.objs = j.first.objs; j.first.op == opType {
		return len(j.objs)
	}
	if j.first.ix != nil || j.first.limited {
		return 0
	}
	return j.first.rel.n
}

// within has the first loop run over some of its rounds only.
func (j *join) within(from, to int) {
	if j.first.op == opType {
		j.first.objs = j.objs[from:to]
	} else {
		j.first.from, j.first.to = from, to
	}
}

func (j *join) value(t pddl.Term) pddl.ObjectID {
	if t.IsVar() {
		return j.env[t.Slot()]
	}
	return t.Object()
}

func (j *join) fill(key []pddl.ObjectID, terms []pddl.Term) []pddl.ObjectID {
	for i, t := range terms {
		key[i] = j.value(t)
	}
	return key
}

// run executes prog from instruction i and reports whether to stop. At the end of the
// main program the caller's leaf decides; a test stops at its first solution.
func (j *join) run(prog []instr, i int, main bool) bool {
	for ; i < len(prog); i++ {
		in := &prog[i]
		switch in.op {
		case opMember:
			t := in.rel.find(j.fill(in.key, in.terms))
			if t < 0 || in.limited && int(t) >= in.rel.done+in.extra {
				return false
			}
		case opCopy:
			o := j.value(in.terms[0])
			if !contains(in.set, o) {
				return false
			}
			j.env[in.slot] = o
		case opTest:
			if !j.g.holds(in.lit, j.env) {
				return false
			}
		case opExists:
			if !j.run(in.sub, 0, false) {
				return false
			}
		case opCut:
			if !j.test() {
				return false
			}
		case opType:
			for _, o := range in.objs {
				j.g.tick()
				j.env[in.slot] = o
				if j.run(prog, i+1, main) {
					return true
				}
			}
			return false
		case opScan:
			return j.scan(in, prog, i, main)
		}
	}
	return !main || j.leaf()
}

func (j *join) scan(in *instr, prog []instr, i int, main bool) bool {
	rel := in.rel
	limit := rel.n
	if in.limited {
		limit = rel.done + in.extra
	}
	if in.ix == nil {
		if in.to > 0 {
			limit = in.to
		}
		for t := in.from; t < limit; t++ {
			j.g.tick()
			if j.take(in, rel.row(int32(t))) && j.run(prog, i+1, main) {
				return true
			}
		}
		return false
	}
	for t := in.ix.lookup(rel, j.fill(in.key, in.terms)); t >= 0 && int(t) < limit; t = in.ix.next[t] {
		j.g.tick()
		if j.take(in, rel.row(t)) && j.run(prog, i+1, main) {
			return true
		}
	}
	return false
}

// take binds the slots that a tuple determines.
func (j *join) take(in *instr, row []pddl.ObjectID) bool {
	for k := range in.bind {
		b := &in.bind[k]
		o := row[b.col]
		if !contains(b.set, o) {
			return false
		}
		j.env[b.slot] = o
	}
	for k := range in.same {
		if b := &in.same[k]; row[b.col] != j.env[b.slot] {
			return false
		}
	}
	return true
}

func contains(set []uint64, o pddl.ObjectID) bool {
	return set == nil || set[o>>6]>>(uint(o)&63)&1 != 0
}
