package search

import (
	"slices"

	"planproof/grounder"
)

// mutexIndex tells whether a partial state holds two facts of one mutex group of the task.
// Groups whose facts all belong to one variable say nothing new and are left out.
type mutexIndex struct {
	factBase []int32
	start    []int32 // groups of fact f: groups[start[f]:start[f+1]]
	groups   []int32
	seen     []uint32 // by group: the epoch in which a fact of it was met
	epoch    uint32
}

func newMutexIndex(t *grounder.Task, factBase []int32) *mutexIndex {
	m := &mutexIndex{factBase: factBase}
	facts := factBase[len(factBase)-1]
	m.start = make([]int32, facts+1)
	var kept [][]int32
	for _, g := range t.Mutexes {
		several := false
		var numbers []int32
		for _, f := range g {
			several = several || f.Var != g[0].Var
			numbers = append(numbers, factBase[f.Var]+f.Val)
		}
		if several {
			slices.Sort(numbers)
			kept = append(kept, slices.Compact(numbers))
		}
	}
	for _, g := range kept {
		for _, f := range g {
			m.start[f+1]++
		}
	}
	for f := range facts {
		m.start[f+1] += m.start[f]
	}
	m.groups = make([]int32, m.start[facts])
	next := slices.Clone(m.start)
	for i, g := range kept {
		for _, f := range g {
			m.groups[next[f]] = int32(i)
			next[f]++
		}
	}
	m.seen = make([]uint32, len(kept))
	return m
}

// free reports whether no two facts of p are in one group.
func (m *mutexIndex) free(p PartialState) bool {
	if len(m.seen) == 0 {
		return true
	}
	m.epoch++
	if m.epoch == 0 { // wrapped around
		clear(m.seen)
		m.epoch = 1
	}
	for v, x := range p {
		if x == Unconstrained {
			continue
		}
		f := m.factBase[v] + x
		for _, g := range m.groups[m.start[f]:m.start[f+1]] {
			if m.seen[g] == m.epoch {
				return false
			}
			m.seen[g] = m.epoch
		}
	}
	return true
}
