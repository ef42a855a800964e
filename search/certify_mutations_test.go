package search

import (
	"fmt"
	"math/rand"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/certificate"
)

// mutation changes a certificate in a way that may make it wrong. It reports whether it
// found something to change, and whether it left parts and groups alone.
type mutation struct {
	name   string
	states bool // only states are changed: then the reference is exact
	change func(rng *rand.Rand, m *mutant) bool
}

type mutant struct {
	*certificate.Certificate
	task  *grounder.Task
	words int
	path  []string // rows of the states along the optimal plan, as text
}

func (m *mutant) remove(i int) {
	w := m.words
	m.Rows = slices.Delete(m.Rows, i*w, i*w+w)
	m.Bounds = slices.Delete(m.Bounds, i, i+1)
	m.Evidence = slices.Delete(m.Evidence, i, i+1)
}

// pick picks a listed state, every other time one along the optimal plan.
func (m *mutant) pick(rng *rand.Rand) (int, bool) {
	n := len(m.Bounds)
	if n == 0 {
		return 0, false
	}
	if rng.Intn(2) == 0 {
		for i := range n {
			if slices.Contains(m.path, fmt.Sprint(m.Rows[i*m.words:(i+1)*m.words])) && rng.Intn(3) == 0 {
				return i, true
			}
		}
	}
	return rng.Intn(n), true
}

func (m *mutant) table(rng *rand.Rand) *certificate.Part {
	for try := 0; try < 10 && len(m.Parts) > 0; try++ {
		if p := &m.Parts[rng.Intn(len(m.Parts))]; len(p.Vars) > 0 {
			return p
		}
	}
	return nil
}

func (m *mutant) zone(rng *rand.Rand) *certificate.Part {
	for try := 0; try < 10 && len(m.Parts) > 0; try++ {
		if p := &m.Parts[rng.Intn(len(m.Parts))]; len(p.Vars) == 0 {
			return p
		}
	}
	return nil
}

var mutations = []mutation{
	{"a state is dropped", true, func(rng *rand.Rand, m *mutant) bool {
		i, ok := m.pick(rng)
		if ok {
			m.remove(i)
		}
		return ok
	}},
	{"a bound is raised", true, func(rng *rand.Rand, m *mutant) bool {
		i, ok := m.pick(rng)
		if ok && m.Bounds[i] != certificate.Infinite {
			m.Bounds[i] += int64(1 + rng.Intn(2))
		}
		return ok && m.Bounds[i] != certificate.Infinite
	}},
	{"a bound is lowered", true, func(rng *rand.Rand, m *mutant) bool {
		i, ok := m.pick(rng)
		if ok && m.Bounds[i] == certificate.Infinite {
			m.Bounds[i] = int64(rng.Intn(100))
		} else if ok {
			m.Bounds[i] = max(m.Bounds[i]-int64(1+rng.Intn(3)), 0)
		}
		return ok
	}},
	{"the evidence of a state is changed", true, func(rng *rand.Rand, m *mutant) bool {
		i, ok := m.pick(rng)
		if ok {
			m.Evidence[i] = certificate.EvidenceOf(rng.Intn(len(m.Groups)+1)-1, rng.Intn(2) == 0)
		}
		return ok
	}},
	{"a state is replaced by another", true, func(rng *rand.Rand, m *mutant) bool {
		i, ok := m.pick(rng)
		if !ok {
			return false
		}
		values := append([]int32(nil), m.task.Init...)
		for v := range values {
			values[v] = int32(rng.Intn(m.task.Variables[v].Size()))
		}
		row := make([]uint64, m.words)
		certificate.NewLayout(m.task).Pack(row, values)
		for k := 0; k < len(m.Rows); k += m.words {
			if slices.Equal(m.Rows[k:k+m.words], row) {
				return false
			}
		}
		copy(m.Rows[i*m.words:], row)
		return true
	}},
	{"a goal state is listed", true, func(rng *rand.Rand, m *mutant) bool {
		if len(m.path) == 0 {
			return false
		}
		values := append([]int32(nil), m.task.Init...)
		for _, f := range m.task.Goal {
			values[f.Var] = f.Val
		}
		row := make([]uint64, m.words)
		certificate.NewLayout(m.task).Pack(row, values)
		for k := 0; k < len(m.Rows); k += m.words {
			if slices.Equal(m.Rows[k:k+m.words], row) {
				return false
			}
		}
		m.Rows = append(m.Rows, row...)
		m.Bounds = append(m.Bounds, int64(1+rng.Intn(3)))
		m.Evidence = append(m.Evidence, 0)
		return true
	}},
	{"the claim is raised", true, func(rng *rand.Rand, m *mutant) bool {
		if m.Claim != certificate.Optimal {
			return false
		}
		m.Claim, m.Plan = certificate.LowerBound, nil
		m.Bound += int64(1 + rng.Intn(3))
		if rng.Intn(3) == 0 {
			m.Claim, m.Bound = certificate.Unsolvable, certificate.Infinite
		}
		return true
	}},
	{"the claim of an optimal plan is changed", true, func(rng *rand.Rand, m *mutant) bool {
		if m.Claim != certificate.Optimal {
			return false
		}
		m.Bound = max(m.Bound+int64(1-2*rng.Intn(2)), 0)
		return true
	}},
	{"the plan is changed", true, func(rng *rand.Rand, m *mutant) bool {
		if len(m.Plan) == 0 {
			return false
		}
		i := rng.Intn(len(m.Plan))
		if rng.Intn(2) == 0 {
			m.Plan = slices.Delete(slices.Clone(m.Plan), i, i+1)
		} else {
			m.Plan[i] = grounder.OperatorID(rng.Intn(m.task.Operators.Len()))
		}
		return true
	}},
	{"a table entry is raised", false, func(rng *rand.Rand, m *mutant) bool {
		p := m.table(rng)
		if p == nil {
			return false
		}
		i := rng.Intn(len(p.Values))
		if p.Values[i] == certificate.Infinite {
			return false
		}
		p.Values[i] += int64(1 + rng.Intn(3))
		if rng.Intn(4) == 0 {
			p.Values[i] = certificate.Infinite
		}
		return true
	}},
	{"a table entry is lowered", false, func(rng *rand.Rand, m *mutant) bool {
		p := m.table(rng)
		if p == nil {
			return false
		}
		i := rng.Intn(len(p.Values))
		if p.Values[i] == certificate.Infinite {
			p.Values[i] = int64(rng.Intn(4))
		}
		p.Values[i] = max(p.Values[i]-int64(1+rng.Intn(2)), 0)
		return true
	}},
	{"two entries of a table change places", false, func(rng *rand.Rand, m *mutant) bool {
		p := m.table(rng)
		if p == nil {
			return false
		}
		i, j := rng.Intn(len(p.Values)), rng.Intn(len(p.Values))
		p.Values[i], p.Values[j] = p.Values[j], p.Values[i]
		return p.Values[i] != p.Values[j]
	}},
	{"the value of a zone is raised", false, func(rng *rand.Rand, m *mutant) bool {
		if len(m.Groups) == 0 {
			return false
		}
		g := m.Groups[rng.Intn(len(m.Groups))]
		if len(g) == 0 {
			return false
		}
		t := &g[rng.Intn(len(g))]
		if t.Cost == certificate.Infinite {
			return false
		}
		if t.Cost++; rng.Intn(4) == 0 {
			t.Cost = certificate.Infinite
		}
		return true
	}},
	{"the initial state is put outside a zone of a goal fact", false, func(rng *rand.Rand, m *mutant) bool {
		if len(m.task.Goal) == 0 {
			return false
		}
		m.Parts = append(m.Parts, certificate.Part{Facts: []grounder.Fact{m.task.Goal[rng.Intn(len(m.task.Goal))]}})
		m.Groups = append(m.Groups, certificate.Group{{Part: int32(len(m.Parts) - 1), Cost: certificate.Infinite}})
		row := make([]uint64, m.words)
		certificate.NewLayout(m.task).Pack(row, m.task.Init)
		m.Rows, m.Bounds = row, []int64{certificate.Infinite}
		m.Evidence = []uint32{certificate.EvidenceOf(len(m.Groups)-1, true)}
		m.Claim, m.Bound, m.Plan = certificate.Unsolvable, certificate.Infinite, nil
		return true
	}},
	{"a fact is left out of a zone", false, func(rng *rand.Rand, m *mutant) bool {
		p := m.zone(rng)
		if p == nil || len(p.Facts) == 0 {
			return false
		}
		i := rng.Intn(len(p.Facts))
		p.Facts = slices.Delete(p.Facts, i, i+1)
		return true
	}},
	{"a term is counted twice", false, func(rng *rand.Rand, m *mutant) bool {
		if len(m.Groups) == 0 {
			return false
		}
		g := rng.Intn(len(m.Groups))
		if len(m.Groups[g]) == 0 {
			return false
		}
		m.Groups[g] = append(m.Groups[g], m.Groups[g][rng.Intn(len(m.Groups[g]))])
		return true
	}},
	{"a group is replaced by another's terms", false, func(rng *rand.Rand, m *mutant) bool {
		if len(m.Groups) < 2 {
			return false
		}
		m.Groups[rng.Intn(len(m.Groups))] = slices.Clone(m.Groups[rng.Intn(len(m.Groups))])
		return true
	}},
}
