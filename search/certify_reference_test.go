package search

import (
	"fmt"

	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/certificate"
)

// reference decides by the definition whether a certificate can be right: with sets of
// states as text, naive successors, and the bounds of parts compared over all reachable
// transitions. What it refuses the checker must refuse. (The converse need not hold for
// parts: the checker looks at abstract transitions, and these are more.)
type reference struct {
	*tasktest.Space
	cert *certificate.Certificate
	lay  *certificate.Layout
	list map[string]int
}

func referenceCheck(sp *tasktest.Space, cert *certificate.Certificate) error {
	r := &reference{Space: sp, cert: cert, lay: certificate.NewLayout(sp.Task), list: map[string]int{}}
	for i := range cert.Bounds {
		k := r.rowKey(r.row(i))
		if _, twice := r.list[k]; twice {
			return fmt.Errorf("state %d twice", i)
		}
		r.list[k] = i
	}
	if cert.Claim == certificate.Optimal {
		if cost, goal := r.Replay(cert.Plan); !goal || cost != cert.Bound {
			return fmt.Errorf("plan of cost %d, goal %v", cost, goal)
		}
	}
	for g := range cert.Groups {
		if err := r.group(g); err != nil {
			return err
		}
	}
	for i := range cert.Bounds {
		if err := r.state(i); err != nil {
			return err
		}
	}
	if have := r.value(r.Initial(), -1); have < cert.Bound {
		return fmt.Errorf("the initial state has %d of %d", have, cert.Bound)
	}
	return nil
}

func (r *reference) row(i int) []uint64 {
	w := r.lay.Words()
	return r.cert.Rows[i*w : i*w+w]
}

func (r *reference) rowKey(row []uint64) string { return fmt.Sprint(row) }

func (r *reference) key(values []int32) string {
	row := make([]uint64, r.lay.Words())
	r.lay.Pack(row, values)
	return r.rowKey(row)
}

// partValue is a part's value, of a zone 1 or 0.
func (r *reference) partValue(p *certificate.Part, values []int32) int64 {
	if len(p.Vars) == 0 {
		for _, f := range p.Facts {
			if values[f.Var] == f.Val {
				return 0
			}
		}
		return 1
	}
	at := int64(0)
	for _, v := range p.Vars {
		at = at*int64(r.Task.Variables[v].Size()) + int64(values[v])
	}
	return p.Values[at]
}

func (r *reference) termValue(t certificate.Term, values []int32) int64 {
	p := &r.cert.Parts[t.Part]
	v := r.partValue(p, values)
	if len(p.Vars) == 0 && v > 0 {
		return t.Cost
	}
	return v
}

func (r *reference) groupValue(g int, values []int32) int64 {
	sum := int64(0)
	for _, t := range r.cert.Groups[g] {
		sum = plus(sum, r.termValue(t, values))
	}
	return sum
}

// group adds up by how much each term falls along reachable transitions.
func (r *reference) group(g int) error {
	for o := range r.Task.Operators.Len() {
		most := make([]int64, len(r.cert.Groups[g]))
		for _, s := range r.States {
			next, _, ok := r.Apply(s, o)
			if !ok {
				continue
			}
			for k, t := range r.cert.Groups[g] {
				from, to := r.termValue(t, s), r.termValue(t, next)
				if from > to {
					most[k] = max(most[k], from-to)
				}
			}
		}
		sum := int64(0)
		for _, x := range most {
			sum = plus(sum, x)
		}
		if sum > r.Task.Operators.Cost(o) {
			return fmt.Errorf("group %d needs %d of operator %d", g, sum, o)
		}
	}
	for _, s := range r.States {
		if r.Holds(r.Task.Goal, s) && r.groupValue(g, s) > 0 {
			return fmt.Errorf("group %d is positive in a goal state", g)
		}
	}
	return nil
}

// unpack finds the values of a listed state by trying all values of all variables.
func (r *reference) unpack(row []uint64) []int32 {
	values := append([]int32(nil), r.Task.Init...)
	try := make([]uint64, len(row))
	for v := range values {
		if r.Task.Variables[v].Layer >= 0 {
			continue
		}
		for val := range r.Task.Variables[v].Size() {
			x := make([]int32, len(values))
			x[v] = int32(val)
			r.lay.Pack(try, x)
			x[v] = 0
			zero := make([]uint64, len(row))
			r.lay.Pack(zero, x)
			// The variable's own bits: those that its largest pattern can set.
			x[v] = int32(1)<<bitsFor(r.Task.Variables[v].Size()) - 1
			mask := make([]uint64, len(row))
			r.lay.Pack(mask, x)
			same := true
			for w := range row {
				same = same && row[w]&mask[w] == try[w]
			}
			if same {
				values[v] = int32(val)
			}
		}
	}
	return r.Close(values)
}

func bitsFor(size int) (n uint) {
	for 1<<n < size {
		n++
	}
	return n
}

func (r *reference) value(values []int32, group int) int64 {
	have := int64(0)
	if i, ok := r.list[r.key(values)]; ok {
		have = r.cert.Bounds[i]
	}
	for g := range r.cert.Base {
		have = max(have, r.groupValue(g, values))
	}
	if group >= 0 {
		have = max(have, r.groupValue(group, values))
	}
	if !r.Holds(r.Task.Goal, values) && r.Task.Operators.Len() > 0 {
		least := int64(tasktest.NoPlan)
		for o := range r.Task.Operators.Len() {
			least = min(least, r.Task.Operators.Cost(o))
		}
		have = max(have, least)
	}
	return have
}

func (r *reference) state(i int) error {
	values, bound := r.unpack(r.row(i)), r.cert.Bounds[i]
	group, direct := int(r.cert.Evidence[i]>>1)-1, r.cert.Evidence[i]&1 != 0
	if direct {
		if group < 0 || r.groupValue(group, values) < bound {
			return fmt.Errorf("state %d is not proven by its group", i)
		}
		return nil
	}
	if bound > 0 && r.Holds(r.Task.Goal, values) {
		return fmt.Errorf("state %d is a goal", i)
	}
	for o := range r.Task.Operators.Len() {
		if next, c, ok := r.Apply(values, o); ok {
			if have := r.value(next, group); plus(have, c) < bound {
				return fmt.Errorf("state %d has bound %d, operator %d leads to %d", i, bound, o, have)
			}
		}
	}
	return nil
}
