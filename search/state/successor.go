package state

import (
	"sort"

	"planproof/grounder"
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

// NewSuccessorGenerator builds the generator for all operators of t.
func NewSuccessorGenerator(t *grounder.Task) *SuccessorGenerator {
	ids := make([]grounder.OperatorID, len(t.Operators))
	for i := range ids {
		ids[i] = grounder.OperatorID(i)
	}
	b := &generatorBuilder{t: t, g: &SuccessorGenerator{}}
	b.sort(ids)
	b.node(ids, 0)
	return b.g
}

type generatorBuilder struct {
	t *grounder.Task
	g *SuccessorGenerator
}

// sort orders operators by their precondition lists, so that operators that share a
// prefix are neighbours; equal lists keep the order of ids.
func (b *generatorBuilder) sort(ids []grounder.OperatorID) {
	ops := b.t.Operators
	sort.SliceStable(ids, func(i, j int) bool {
		p, q := ops[ids[i]].Pre, ops[ids[j]].Pre
		for k := 0; k < len(p) && k < len(q); k++ {
			if p[k] != q[k] {
				if p[k].Var != q[k].Var {
					return p[k].Var < q[k].Var
				}
				return p[k].Val < q[k].Val
			}
		}
		return len(p) < len(q)
	})
}

type generatorTest struct {
	variable int32
	first    int // the operators that test it are ids[first:last]
	last     int
	values   int
}

// node emits the node for operators that share their first depth preconditions and
// returns its offset.
func (b *generatorBuilder) node(ids []grounder.OperatorID, depth int) int32 {
	ops := b.t.Operators
	n := 0
	for n < len(ids) && len(ops[ids[n]].Pre) == depth {
		n++ // sorting has put the shortest lists first
	}
	var kinds [3][]generatorTest
	for i := n; i < len(ids); {
		test := generatorTest{variable: ops[ids[i]].Pre[depth].Var, first: i}
		val := int32(-1)
		for i < len(ids) && ops[ids[i]].Pre[depth].Var == test.variable {
			if v := ops[ids[i]].Pre[depth].Val; v != val {
				val = v
				test.values++
			}
			i++
		}
		test.last = i
		k := b.kind(test)
		kinds[k] = append(kinds[k], test)
	}
	at := int32(len(b.g.code))
	b.g.code = append(b.g.code, int32(n), int32(len(kinds[0])), int32(len(kinds[1])), int32(len(kinds[2])))
	for _, id := range ids[:n] {
		b.g.code = append(b.g.code, int32(id))
	}
	pos := len(b.g.code)
	b.g.code = append(b.g.code, make([]int32, 3*len(kinds[0])+2*len(kinds[1])+3*len(kinds[2]))...)
	for _, t := range kinds[0] {
		child := b.node(ids[t.first:t.last], depth+1)
		copy(b.g.code[pos:], []int32{t.variable, ops[ids[t.first]].Pre[depth].Val, child})
		pos += 3
	}
	for _, t := range kinds[1] {
		base := len(b.g.jump)
		b.g.jump = append(b.g.jump, make([]int32, b.t.Variables[t.variable].Size())...)
		b.children(ids[t.first:t.last], depth, func(_ int, val, child int32) { b.g.jump[base+int(val)] = child })
		copy(b.g.code[pos:], []int32{t.variable, int32(base)})
		pos += 2
	}
	for _, t := range kinds[2] {
		base := len(b.g.jump)
		b.g.jump = append(b.g.jump, make([]int32, 2*t.values)...)
		b.children(ids[t.first:t.last], depth, func(i int, val, child int32) {
			b.g.jump[base+2*i], b.g.jump[base+2*i+1] = val, child
		})
		copy(b.g.code[pos:], []int32{t.variable, int32(base), int32(t.values)})
		pos += 3
	}
	return at
}

// kind picks the cheapest test: 0 one value, 1 dense, 2 sparse. Dense tables may be at
// most four times larger than their content, which keeps memory linear in the task.
func (b *generatorBuilder) kind(t generatorTest) int {
	switch {
	case t.values == 1:
		return 0
	case b.t.Variables[t.variable].Size() <= 4*t.values+8:
		return 1
	}
	return 2
}

// children emits one child per value of the tested variable.
func (b *generatorBuilder) children(ids []grounder.OperatorID, depth int, put func(i int, val, child int32)) {
	ops := b.t.Operators
	for i, n := 0, 0; i < len(ids); n++ {
		val, first := ops[ids[i]].Pre[depth].Val, i
		for i < len(ids) && ops[ids[i]].Pre[depth].Val == val {
			i++
		}
		put(n, val, b.node(ids[first:i], depth+1))
	}
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

// Bytes returns the memory held.
func (g *SuccessorGenerator) Bytes() int64 { return int64(cap(g.code)+cap(g.jump)) * 4 }
