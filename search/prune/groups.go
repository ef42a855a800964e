package prune

import "github.com/planproof/planproof/grounder"

// maxGroups bounds the mutex groups of the reduced task.
const maxGroups = 1 << 10

// mutexes covers dead pairs of facts that are alive with groups: each begins with a pair that no group has yet and
// takes in whatever excludes all of its facts.
func (m *mapper) mutexes() (out []grounder.MutexGroup) {
	a := m.a
	owner := make([]int32, a.facts)
	for v := range m.vars {
		for f := a.base[v]; f < a.base[v+1]; f++ {
			owner[f] = int32(v)
		}
	}
	covered := newPairs(a.facts)
	open := make([]uint64, a.dead.words)
	for f := range int32(a.facts) {
		if m.value[f] < 0 {
			continue
		}
		for g := a.base[owner[f]+1]; g < int32(a.facts); g++ {
			if m.value[g] < 0 || !a.dead.has(f, g) || covered.has(f, g) {
				continue
			}
			if len(out) == maxGroups || !a.spend(4) {
				return out
			}
			group := []int32{f, g}
			for w := range open {
				open[w] = a.dead.row(f)[w] & a.dead.row(g)[w]
			}
			each(open, func(h int32) {
				if m.value[h] >= 0 && holds(open, h) {
					group = append(group, h)
					for w, d := range a.dead.row(h) {
						open[w] &= d
					}
				}
			})
			out = append(out, m.group(group, owner, covered))
		}
	}
	return out
}

func (m *mapper) group(facts, owner []int32, covered *pairs) (group grounder.MutexGroup) {
	for _, f := range facts {
		for _, g := range facts {
			covered.add(f, g)
		}
		group = append(group, grounder.Fact{Var: owner[f], Val: m.value[f]})
	}
	return group
}
