package state

import (
	"cmp"
	"slices"

	"github.com/planproof/planproof/grounder"
)

// SuccessorGenerator lists the operators applicable in an unpacked state. It is a trie
// over the operators' preconditions (Helmert, "The Fast Downward Planning System", JAIR 26,
// 2006, section 5.3.1) stored in one slice:
//
//	node   | #ops | #one | #dense | #sparse | ops ... | one ... | dense ... | sparse ... |
//	one    | var | value | child |           a test that one value passes
//	dense  | var | base |                    child = jump[base+value], 0 for none
//	sparse | var | base | n |                n pairs (value, child) in jump, by value
//
// The operators of a node are applicable whenever the node is reached; each test of a
// node is tried. A node's offset names it; 0 is the root, so it also means "no child".
// A SuccessorGenerator is immutable and may be shared by goroutines.
type SuccessorGenerator struct {
	code []int32
	jump []int32
}

// NewSuccessorGenerator builds the generator for all operators of t. At every node the
// variable that most of its operators have a precondition on is tested first; those that
// do not are divided among further tests in the same way.
func NewSuccessorGenerator(t *grounder.Task) *SuccessorGenerator {
	b := &generatorBuilder{t: t, g: &SuccessorGenerator{}, count: make([]int32, len(t.Variables))}
	total := 0
	for o := range t.Operators.Len() {
		total += len(t.Operators.Pre(o))
	}
	arena := make([]grounder.Fact, 0, total)
	ops := make([]pendingOp, t.Operators.Len())
	for o := range ops {
		first := len(arena)
		arena = append(arena, t.Operators.Pre(o)...)
		ops[o] = pendingOp{id: grounder.OperatorID(o), pre: arena[first:len(arena):len(arena)]}
	}
	b.node(ops)
	return b.g
}

type generatorBuilder struct {
	t     *grounder.Task
	g     *SuccessorGenerator
	count []int32 // by variable, all zero between uses
}

// pendingOp is an operator with the preconditions that remain to be tested.
type pendingOp struct {
	id  grounder.OperatorID
	pre []grounder.Fact
}

type generatorTest struct {
	variable int32
	ops      []pendingOp // sorted by the value tested, which is taken off pre
	values   []int32     // distinct, ascending
	start    []int       // ops of values[i] are ops[start[i]:start[i+1]]
}

// node emits the node for operators whose other preconditions are known to hold, and
// returns its offset. It reorders ops and their preconditions.
func (b *generatorBuilder) node(ops []pendingOp) int32 {
	slices.SortStableFunc(ops, func(x, y pendingOp) int { return min(len(x.pre), 1) - min(len(y.pre), 1) })
	n := 0
	for n < len(ops) && len(ops[n].pre) == 0 {
		n++
	}
	var kinds [3][]generatorTest
	for rest := ops[n:]; len(rest) > 0; {
		t := b.split(rest)
		rest = rest[len(t.ops):]
		k := b.kind(t)
		kinds[k] = append(kinds[k], t)
	}
	at := int32(len(b.g.code))
	b.g.code = append(b.g.code, int32(n), int32(len(kinds[0])), int32(len(kinds[1])), int32(len(kinds[2])))
	for _, op := range ops[:n] {
		b.g.code = append(b.g.code, int32(op.id))
	}
	pos := len(b.g.code)
	b.g.code = append(b.g.code, make([]int32, 3*len(kinds[0])+2*len(kinds[1])+3*len(kinds[2]))...)
	for _, t := range kinds[0] {
		child := b.node(t.ops)
		copy(b.g.code[pos:], []int32{t.variable, t.values[0], child})
		pos += 3
	}
	for _, t := range kinds[1] {
		base := len(b.g.jump)
		b.g.jump = append(b.g.jump, make([]int32, b.t.Variables[t.variable].Size())...)
		for i, val := range t.values {
			child := b.node(t.ops[t.start[i]:t.start[i+1]])
			b.g.jump[base+int(val)] = child
		}
		copy(b.g.code[pos:], []int32{t.variable, int32(base)})
		pos += 2
	}
	for _, t := range kinds[2] {
		base := len(b.g.jump)
		b.g.jump = append(b.g.jump, make([]int32, 2*len(t.values))...)
		for i, val := range t.values {
			child := b.node(t.ops[t.start[i]:t.start[i+1]])
			b.g.jump[base+2*i], b.g.jump[base+2*i+1] = val, child
		}
		copy(b.g.code[pos:], []int32{t.variable, int32(base), int32(len(t.values))})
		pos += 3
	}
	return at
}

// split picks the variable that most of ops test (the one with most values among equals,
// then the first), moves the operators that test it to the front and sorts them by value.
func (b *generatorBuilder) split(ops []pendingOp) generatorTest {
	best := ops[0].pre[0].Var
	for _, op := range ops {
		for _, f := range op.pre {
			b.count[f.Var]++
			if b.better(f.Var, best) {
				best = f.Var
			}
		}
	}
	for _, op := range ops {
		for _, f := range op.pre {
			b.count[f.Var] = 0
		}
	}
	for i := range ops {
		for k, f := range ops[i].pre {
			if f.Var == best {
				ops[i].pre[0], ops[i].pre[k] = ops[i].pre[k], ops[i].pre[0]
				break
			}
		}
	}
	key := func(op *pendingOp) int32 {
		if op.pre[0].Var != best {
			return 1<<31 - 1
		}
		return op.pre[0].Val
	}
	slices.SortStableFunc(ops, func(x, y pendingOp) int { return cmp.Compare(key(&x), key(&y)) })
	t := generatorTest{variable: best}
	n := 0
	for n < len(ops) && ops[n].pre[0].Var == best {
		if val := ops[n].pre[0].Val; len(t.values) == 0 || t.values[len(t.values)-1] != val {
			t.values = append(t.values, val)
			t.start = append(t.start, n)
		}
		ops[n].pre = ops[n].pre[1:]
		n++
	}
	t.ops, t.start = ops[:n], append(t.start, n)
	return t
}

func (b *generatorBuilder) better(v, best int32) bool {
	x, y := b.count[v], b.count[best]
	if x != y {
		return x > y
	}
	m, n := b.t.Variables[v].Size(), b.t.Variables[best].Size()
	return m > n || m == n && v < best
}

// kind picks the cheapest test: 0 one value, 1 dense, 2 sparse. Dense tables may be at
// most four times larger than their content, which keeps memory linear in the task.
func (b *generatorBuilder) kind(t generatorTest) int {
	switch {
	case len(t.values) == 1:
		return 0
	case b.t.Variables[t.variable].Size() <= 4*len(t.values)+8:
		return 1
	}
	return 2
}

// Append adds the operators applicable in the unpacked state values to dst, in an order
// that depends on the task only. stack is scratch; both are returned for reuse.
func (g *SuccessorGenerator) Append(dst []grounder.OperatorID, values []int32, stack []int32) ([]grounder.OperatorID, []int32) {
	code, jump := g.code, g.jump
	if len(code) == 0 {
		return dst, stack
	}
	stack = append(stack[:0], 0)
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		head := code[at : at+4 : at+4]
		rest := code[at+4:]
		for _, op := range rest[:head[0]] {
			dst = append(dst, grounder.OperatorID(op))
		}
		rest = rest[head[0]:]
		for n := head[1]; n > 0; n-- {
			t := rest[:3:3]
			if values[t[0]] == t[1] {
				stack = append(stack, t[2])
			}
			rest = rest[3:]
		}
		for n := head[2]; n > 0; n-- {
			t := rest[:2:2]
			if c := jump[t[1]+values[t[0]]]; c != 0 {
				stack = append(stack, c)
			}
			rest = rest[2:]
		}
		for n := head[3]; n > 0; n-- {
			t := rest[:3:3]
			if c := lookup(jump[t[1]:t[1]+2*t[2]], values[t[0]]); c != 0 {
				stack = append(stack, c)
			}
			rest = rest[3:]
		}
	}
	return dst, stack
}

// lookup finds the child for val among sorted (value, child) pairs.
func lookup(pairs []int32, val int32) int32 {
	lo, hi := 0, len(pairs)/2
	for lo < hi {
		m := (lo + hi) / 2
		if pairs[2*m] < val {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if 2*lo < len(pairs) && pairs[2*lo] == val {
		return pairs[2*lo+1]
	}
	return 0
}
