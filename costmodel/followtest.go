package costmodel

import "github.com/planproof/planproof/grounder"

// followTest knows which facts of each group the operators of an action type need, and
// which they leave behind.
type followTest struct {
	groups [][]int32 // facts by group
	of     [][]int32 // groups by fact
	base   []int32   // first fact of each variable

	operators   []int           // by type
	needs       []factSet       // by type
	leaves      []factSet       // by type
	needCount   []map[int32]int // by type: operators that need a fact of the group
	leavesCount []map[int32]int
}

type factSet map[int32]bool

func newFollowTest(t *grounder.Task) *followTest {
	f := &followTest{}
	facts := int32(0)
	for v := range t.Variables {
		f.base = append(f.base, facts)
		facts += int32(t.Variables[v].Size())
	}
	f.of = make([][]int32, facts)
	add := func(group []int32) {
		for _, x := range group {
			f.of[x] = append(f.of[x], int32(len(f.groups)))
		}
		f.groups = append(f.groups, group)
	}
	for v := range t.Variables {
		group := make([]int32, t.Variables[v].Size())
		for i := range group {
			group[i] = f.base[v] + int32(i)
		}
		add(group)
	}
	for _, m := range t.Mutexes {
		group := make([]int32, len(m))
		for i, x := range m {
			group[i] = f.base[x.Var] + x.Val
		}
		add(group)
	}
	for range t.SchemaNames {
		f.operators = append(f.operators, 0)
		f.needs, f.leaves = append(f.needs, factSet{}), append(f.leaves, factSet{})
		f.needCount, f.leavesCount = append(f.needCount, map[int32]int{}), append(f.leavesCount, map[int32]int{})
	}
	for o := range t.Operators.Len() {
		f.add(t, t.Operators.At(o))
	}
	return f
}

// add counts one operator. What it leaves behind are the facts that surely hold after it:
// its preconditions as its effects change them, but nothing that is derived or that a
// conditional effect may change.
func (f *followTest) add(t *grounder.Task, op grounder.Operator) {
	f.operators[op.Schema]++
	needs, leaves := []int32{}, map[int32]int32{} // by variable
	for _, p := range op.Pre {
		needs = append(needs, f.base[p.Var]+p.Val)
		if t.Variables[p.Var].Layer < 0 {
			leaves[p.Var] = p.Val
		}
	}
	for _, e := range op.Effects {
		if len(e.Cond) == 0 {
			leaves[e.Var] = e.Val
		}
	}
	for _, e := range op.Effects {
		if len(e.Cond) > 0 && leaves[e.Var] != e.Val {
			delete(leaves, e.Var)
		}
	}
	f.count(needs, f.needs[op.Schema], f.needCount[op.Schema])
	var left []int32
	for v, x := range leaves {
		left = append(left, f.base[v]+x)
	}
	f.count(left, f.leaves[op.Schema], f.leavesCount[op.Schema])
}

func (f *followTest) count(facts []int32, set factSet, count map[int32]int) {
	counted := map[int32]bool{}
	for _, x := range facts {
		set[x] = true
		for _, g := range f.of[x] {
			if !counted[g] {
				counted[g] = true
				count[g]++
			}
		}
	}
}

// may reports whether an operator of type b may be applicable right after one of type a.
func (f *followTest) may(a, b int32) bool {
	for g, n := range f.leavesCount[a] {
		if n != f.operators[a] || f.needCount[b][g] != f.operators[b] {
			continue
		}
		common := false
		for _, x := range f.groups[g] {
			common = common || f.leaves[a][x] && f.needs[b][x]
		}
		if !common {
			return false
		}
	}
	return true
}
