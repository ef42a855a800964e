package grounder

import "testing"

// machine interprets a Task by the comments of its types.
type machine struct{ t *Task }

func (m machine) close(s []int32) []int32 {
	t := m.t
	out := append([]int32(nil), s...)
	top := int32(-1)
	for v := range t.Variables {
		if l := t.Variables[v].Layer; l >= 0 {
			out[v] = t.Variables[v].Default
			top = max(top, l)
		}
	}
	for layer := range top + 1 {
		for changed := true; changed; {
			changed = false
			for _, a := range t.Axioms {
				if t.Variables[a.Head.Var].Layer == layer && out[a.Head.Var] != a.Head.Val && m.all(out, a.Body) {
					out[a.Head.Var], changed = a.Head.Val, true
				}
			}
		}
	}
	return out
}

func (m machine) all(s []int32, facts []Fact) bool {
	for _, f := range facts {
		if s[f.Var] != f.Val {
			return false
		}
	}
	return true
}

// apply returns the closed successor and the cost in units.
func (m machine) apply(s []int32, op Operator) ([]int32, int64) {
	next := append([]int32(nil), s...)
	for _, e := range op.Effects {
		if m.all(s, e.Cond) {
			next[e.Var] = e.Val
		}
	}
	cost := op.Cost
	for _, c := range op.CondCosts {
		if m.all(s, c.Cond) {
			cost += c.Cost
		}
	}
	return m.close(next), cost
}

// orderFree reports whether the effects that fire agree on each variable.
func (m machine) orderFree(s []int32, op Operator) bool {
	set := map[int32]int32{}
	for _, e := range op.Effects {
		if m.all(s, e.Cond) {
			if v, ok := set[e.Var]; ok && v != e.Val {
				return false
			}
			set[e.Var] = e.Val
		}
	}
	return true
}

// checkMutexes fails if two facts of a group hold in s.
func (m machine) checkMutexes(t interface{ Fatalf(string, ...any) }, s []int32) {
	for _, g := range m.t.Mutexes {
		n := 0
		for _, f := range g {
			if s[f.Var] == f.Val {
				n++
			}
		}
		if n > 1 {
			t.Fatalf("%d facts of mutex group %v hold in %v", n, g, s)
		}
	}
}

var _ testing.TB = (*testing.T)(nil)
