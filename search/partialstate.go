package search

// Unconstrained is the entry of a variable that a PartialState says nothing about.
const Unconstrained int32 = -1

// PartialState is a conjunction of facts: one entry per variable of the task, its value or
// Unconstrained. It stands for the set of states that agree with it.
type PartialState []int32

// Holds reports whether a state, one value per variable, is one of those that p stands for.
func (p PartialState) Holds(values []int32) bool {
	for v, x := range p {
		if x != Unconstrained && values[v] != x {
			return false
		}
	}
	return true
}

// Subsumes reports whether every fact of p is one of q, so that p stands for all states
// that q stands for. A partial state subsumes itself.
func (p PartialState) Subsumes(q PartialState) bool { return p.Holds(q) }
