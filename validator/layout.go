package validator

import "github.com/planproof/planproof/pddl"

// pred describes the storage of one predicate; doc.go draws it.
type pred struct {
	arity   int
	derived bool // defined by axioms
	fluent  bool // some effect writes it
	dense   bool // one bit per possible atom; else the atoms are interned
	base    int32
	dims
	// affects lists the derived predicates whose truth may change with this predicate.
	affects []int32
	// indexes lists the indexes that need to know new atoms (fluent predicates only).
	indexes []int32
}

// fn describes the storage of one function.
type fn struct {
	arity  int
	object bool // an object fluent; its value is the number of the object
	fluent bool
	moving bool // some effect changes it continuously
	dense  bool
	base   int32
	dims
	affects []int32
}

// dims numbers tuples of objects in mixed radix: position i holds objects
// lo[i] .. lo[i]+n[i]-1 and counts stride[i] each.
type dims struct {
	lo, n, stride []int32
}

// index of a tuple that lies within the bounds.
func (d *dims) index(args []int32) int32 {
	var x int32
	for i, a := range args {
		x += (a - d.lo[i]) * d.stride[i]
	}
	return x
}

// tuple writes the tuple with the given index to args.
func (d *dims) tuple(x int32, args []int32) {
	for i := range args {
		args[i] = d.lo[i] + x/d.stride[i]
		x %= d.stride[i]
	}
}

// layout determines where the judge keeps each atom and each value.
//
// Atoms live in three spaces of dense ids: fluent atoms (the only ones a plan
// changes, one bit each in the scratch), static atoms (one bit each in the judge)
// and derived atoms (one word each in the scratch, which also says whether it is known).
// In each space the dense predicates come first, then the interned atoms. Values of
// functions live in two such spaces.
type layout struct {
	preds []pred
	fns   []fn

	fluentInit []uint64 // initial truth of the fluent atoms
	fluents    int32    // number of fluent atoms that have an id
	fluentsD   int32    // number of the dense ones among them
	statics    []uint64
	numStatics int32
	derived    int32 // number of dense derived atoms

	// sparse interns initial atoms of sparse predicates (tag: predicate) and initial
	// values of sparse functions (tag: len(preds)+function).
	sparse table
	// atomEntry is the entry of each interned fluent atom, by id.
	atomEntry []int32

	values    []pddl.Number // initial values of fluent functions
	defined   []bool
	sizes     []int32 // bits of each
	valuesD   int32
	constants []pddl.Number // values of static functions
	constDef  []bool

	indexes []index
}

// Bounds of the dense layouts.
const (
	maxDenseAtoms  = 1 << 22 // per predicate: half a megabyte of bits
	maxDenseTotal  = 1 << 25 // over all predicates of a space
	maxDenseWords  = 1 << 20 // per derived predicate: a word each
	smallFunction  = 1 << 10 // always dense
	maxDenseValues = 1 << 20 // over all functions of a space
)

// radix computes the mixed radix numbering of e and the number of tuples, or
// false if there are more than limit.
func radix(e *extent, limit int64) (dims, int64, bool) {
	k := len(e.lo)
	d := dims{make([]int32, k), make([]int32, k), make([]int32, k)}
	size := int64(1)
	for i := k - 1; i >= 0; i-- {
		n := max(0, int64(e.hi[i])-int64(e.lo[i])+1)
		d.stride[i] = int32(max(size, 1))
		size *= n
		if size > limit {
			return dims{}, 0, false
		}
		d.n[i] = int32(n)
		if n > 0 {
			d.lo[i] = e.lo[i]
		}
	}
	return d, size, true
}

// layOut fills the layout: which predicates are dense, and the initial state.
func (c *compiler) layOut() {
	j := c.j
	preds, fns := c.extents()
	for i := range j.preds {
		p := &j.preds[i]
		space, limit := &j.numStatics, int64(maxDenseAtoms)
		switch {
		case p.derived:
			space, limit = &j.derived, maxDenseWords
		case p.fluent:
			space = &j.fluents
		}
		d, size, ok := radix(&preds[i], limit)
		if !ok || j.opt.sparse || int64(*space)+size > maxDenseTotal {
			continue
		}
		p.dense, p.dims, p.base = true, d, *space
		*space += int32(size)
	}
	j.fluentsD = j.fluents
	j.statics = make([]uint64, (int(j.numStatics)+63)/64)
	j.fluentInit = make([]uint64, (int(j.fluents)+63)/64)
	c.placeFunctions(fns)
	for i := range j.dom.Functions {
		if isTotalCost(&j.dom.Functions[i]) {
			j.totalCost = j.fns[i].base
		}
	}
	c.initialAtoms()
	c.initialValues()
}

func (c *compiler) placeFunctions(ext []extent) {
	j := c.j
	given := make([]int64, len(j.fns))
	for _, f := range j.prob.Init.Values.Func {
		given[f]++
	}
	for i := range j.prob.Init.Objects {
		given[j.prob.Init.Objects[i].Func]++
	}
	var nv, nc int32
	for i := range j.fns {
		f := &j.fns[i]
		space := &nc
		if f.fluent {
			space = &nv
		}
		d, size, ok := radix(&ext[i], max(smallFunction, 4*given[i]))
		if !ok || size > 1 && (j.opt.sparse || int64(*space)+size > maxDenseValues) {
			continue
		}
		f.dense, f.dims, f.base = true, d, *space
		*space += int32(size)
	}
	j.valuesD = nv
	j.values, j.defined = make([]pddl.Number, nv), make([]bool, nv)
	j.constants, j.constDef = make([]pddl.Number, nc), make([]bool, nc)
}

// initialAtoms enters the initial atoms. The parser has checked them, and an argument
// that it let through despite its type has widened the extents.
func (c *compiler) initialAtoms() {
	j := c.j
	atoms := &j.prob.Init.Atoms
	var buf []int32
	for i := 0; i < atoms.Len() && !c.Stop(); i++ {
		p, args := atoms.Atom(i)
		buf = toInts(buf[:0], args)
		pr := &j.preds[p]
		switch {
		case pr.dense && pr.fluent:
			setBit(j.fluentInit, pr.base+pr.index(buf))
		case pr.dense:
			setBit(j.statics, pr.base+pr.index(buf))
		default:
			h := hashTuple(int32(p), buf)
			if j.sparse.find(int32(p), buf, h) >= 0 {
				continue
			}
			id := int32(0) // a static atom is true because it is there
			if pr.fluent {
				id = j.fluents
				j.fluents++
				for int(id)>>6 >= len(j.fluentInit) {
					j.fluentInit = append(j.fluentInit, 0)
				}
				setBit(j.fluentInit, id)
			}
			e := j.sparse.insert(int32(p), buf, h, id)
			if pr.fluent {
				j.atomEntry = append(j.atomEntry, e)
			}
		}
	}
}

// initialValues enters the initial values of functions; (total-cost) starts at 0
// if it has no initial value.
func (c *compiler) initialValues() {
	j := c.j
	if j.totalCost >= 0 {
		j.values[j.totalCost], j.defined[j.totalCost] = pddl.Int(0), true
	}
	table := &j.prob.Init.Values
	for i := 0; i < table.Len() && !c.Stop(); i++ {
		f, args, v := table.Fluent(i)
		c.initialValue(int32(f), args, v)
	}
	for i := range j.prob.Init.Objects {
		o := &j.prob.Init.Objects[i]
		c.initialValue(int32(o.Func), o.Args, pddl.Int(int64(o.Value)))
	}
	j.sizes = make([]int32, len(j.values))
	for i := range j.values {
		j.sizes[i] = exactBits(j.values[i])
	}
}

func (c *compiler) initialValue(f int32, args []pddl.ObjectID, v pddl.Number) {
	j := c.j
	c.buf = toInts(c.buf[:0], args)
	buf := c.buf
	fu := &j.fns[f]
	vals, defs := &j.constants, &j.constDef
	if fu.fluent {
		vals, defs = &j.values, &j.defined
	}
	if fu.dense {
		x := fu.base + fu.index(buf)
		(*vals)[x], (*defs)[x] = v, true
		return
	}
	tag := int32(len(j.preds)) + f
	h := hashTuple(tag, buf)
	if e := j.sparse.find(tag, buf, h); e >= 0 {
		(*vals)[j.sparse.id[e]] = v
		return
	}
	j.sparse.insert(tag, buf, h, int32(len(*vals)))
	*vals, *defs = append(*vals, v), append(*defs, true)
}

func toInts(buf []int32, args []pddl.ObjectID) []int32 {
	for _, a := range args {
		buf = append(buf, int32(a))
	}
	return buf
}

func setBit(words []uint64, i int32) { words[i>>6] |= 1 << (uint(i) & 63) }

func getBit(words []uint64, i int32) bool { return words[i>>6]>>(uint(i)&63)&1 != 0 }

// size returns how many tuples the dimensions number.
func (d *dims) size() int32 {
	if len(d.n) == 0 {
		return 1
	}
	return d.n[0] * d.stride[0]
}
