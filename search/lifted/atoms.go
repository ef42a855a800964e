package lifted

import "github.com/planproof/planproof/pddl"

// atoms numbers the atoms of fluent predicates as they are reached.
type atoms struct {
	objects int
	preds   []int32 // by atom
	start   []uint32
	args    []pddl.ObjectID
	direct  [][]uint32 // by predicate with few possible atoms: its atoms, 1 higher, by their arguments; else nil
	table   []uint32   // open addressing: the other atoms, 1 higher
	hashed  int

	// What the expanded state and the goal say of each atom.
	epoch []uint32 // the last state that had it
	at    []uint32 // where it stood there
	goal  []int8   // 1 if the goal requires it, -1 if the goal forbids it
}

const (
	noAtom   = 1<<32 - 1
	maxAtoms = 1<<32 - 2
	// directSize is the number of possible atoms up to which a predicate has a table of them; all tables have four times as many.
	directSize = 1 << 16
)

func newAtoms(t *task) *atoms {
	a := &atoms{objects: len(t.prob.Objects), table: make([]uint32, 1024), direct: make([][]uint32, len(t.preds))}
	all := 0
	for p := range t.preds {
		size := 1
		for range t.preds[p].arity {
			size = min(size*a.objects, directSize+1)
		}
		if t.preds[p].fluent && size <= directSize && all+size <= 4*directSize {
			a.direct[p] = make([]uint32, size)
			all += size
		}
	}
	return a
}

func (a *atoms) argsOf(id uint32) []pddl.ObjectID {
	end := uint32(len(a.args))
	if int(id)+1 < len(a.start) {
		end = a.start[id+1]
	}
	return a.args[a.start[id]:end]
}

// slot is where the number of an atom is, or would be.
func (a *atoms) slot(pred int32, args []pddl.ObjectID) *uint32 {
	if d := a.direct[pred]; d != nil {
		i := 0
		for _, o := range args {
			i = i*a.objects + int(o)
		}
		return &d[i]
	}
	mask := uint64(len(a.table) - 1)
probe:
	for i := hashAtom(pred, args) & mask; ; i = (i + 1) & mask {
		id := a.table[i] - 1
		if id == noAtom {
			return &a.table[i]
		}
		if a.preds[id] != pred {
			continue
		}
		for k, o := range a.argsOf(id) {
			if args[k] != o {
				continue probe
			}
		}
		return &a.table[i]
	}
}

// find returns an atom, noAtom if it was never reached.
func (a *atoms) find(pred int32, args []pddl.ObjectID) uint32 { return *a.slot(pred, args) - 1 }

// add returns an atom and gives it a number if it has none.
func (a *atoms) add(pred int32, args []pddl.ObjectID) uint32 {
	slot := a.slot(pred, args)
	if *slot != 0 {
		return *slot - 1
	}
	id := uint32(len(a.preds))
	*slot = id + 1
	a.preds, a.start = append(a.preds, pred), append(a.start, uint32(len(a.args)))
	a.args = append(a.args, args...)
	a.epoch, a.at, a.goal = append(a.epoch, 0), append(a.at, 0), append(a.goal, 0)
	if a.direct[pred] != nil {
		return id
	}
	if a.hashed++; a.hashed > len(a.table)/4*3 {
		old := a.table
		a.table = make([]uint32, 2*len(old))
		for _, e := range old {
			if e != 0 {
				*a.slot(a.preds[e-1], a.argsOf(e-1)) = e
			}
		}
	}
	return id
}

// atomBytes is what is kept of an atom beside its arguments and the table.
const atomBytes = 4 + 4 + 4 + 4 + 1

// growBytes bounds the memory that adding an atom takes.
func (a *atoms) growBytes(arity int) (b int64) {
	if len(a.preds) == cap(a.preds) {
		b += int64(2*len(a.preds)+64) * atomBytes
	}
	if len(a.args)+arity > cap(a.args) {
		b += int64(2*len(a.args)+64) * 4
	}
	if a.hashed+1 > len(a.table)/4*3 {
		b += int64(len(a.table)) * 8
	}
	return b
}

func (a *atoms) bytes() int64 {
	b := int64(cap(a.preds))*atomBytes + int64(cap(a.args)+len(a.table))*4
	for _, d := range a.direct {
		b += int64(len(d)) * 4
	}
	return b
}
