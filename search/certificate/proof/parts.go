package proof

import (
	"slices"

	"github.com/planproof/planproof/grounder/fdr"
)

// share is what a part needs of an operator's cost.
type share struct {
	op   fdr.OperatorID
	cost int64
}

// zoneShares finds what a zone N needs of each operator's cost, for a value of 1: 1 for those in
// its cut, the operators that can bring about a fact of N
// when none holds. What makes the zone sound:
//   - a fact of N is in the goal, so that one of them must come true;
//   - no fact of N is the default value of a derived variable, and every axiom that derives a
//     fact of N has another in its body: axioms alone never bring the first one about;
//   - no fact of N is about a comparison, which numbers alone can bring about.
func (c *checker) zoneShares(i int, p *Part) (out []share) {
	in := func(facts []fdr.Fact) bool {
		for _, f := range facts {
			if c.mark[c.fact(f)] == c.round {
				return true
			}
		}
		return false
	}
	c.round++
	c.worked(len(p.Facts) + len(c.t.Goal))
	for _, f := range p.Facts {
		c.mark[c.fact(f)] = c.round
	}
	if !in(c.t.Goal) {
		refuse(zoneName(i), "no fact of the goal is in it")
	}
	for _, f := range p.Facts {
		if v := &c.t.Variables[f.Var]; v.Layer >= 0 && v.Default == f.Val {
			refuse(zoneName(i), "the default value %s is in it", c.factName(f))
		}
		if c.t.compares(f.Var) {
			refuse(zoneName(i), "the comparison %s is in it", c.factName(f))
		}
		for _, a := range c.achievers[c.fact(f)] {
			if a < 0 {
				body := c.t.Axioms[^a].Body
				if c.worked(len(body)); !in(body) {
					refuse(zoneName(i), "an axiom enters it at no cost, with %s", c.factName(f))
				}
				continue
			}
			op := &c.t.Operators[a]
			c.worked(len(op.Pre) + len(op.Effects))
			if c.inCut[a] == c.round || in(op.Pre) {
				continue
			}
			for k := range op.Effects {
				e := &op.Effects[k]
				if (fdr.Fact{Var: e.Var, Val: e.Val}) == f && !in(e.Cond) && compatible(op.Pre, e.Cond) {
					c.inCut[a] = c.round
					out = append(out, share{fdr.OperatorID(a), 1})
					break
				}
			}
		}
	}
	return out
}

// compatible reports whether no fact of b contradicts one of a.
func compatible(a, b []fdr.Fact) bool {
	return !slices.ContainsFunc(b, func(f fdr.Fact) bool {
		return slices.ContainsFunc(a, func(g fdr.Fact) bool { return f.Var == g.Var && f.Val != g.Val })
	})
}

// indexAchievers lists, by fact, the operators (o) and axioms (^a) with it as an effect.
func (c *checker) indexAchievers() {
	c.achievers = make([][]int32, len(c.mark))
	for o := range c.t.Operators {
		for _, e := range c.t.Operators[o].Effects {
			f := c.base[e.Var] + int(e.Val)
			c.achievers[f] = append(c.achievers[f], int32(o))
		}
	}
	for a := range c.t.Axioms {
		f := c.fact(c.t.Axioms[a].Head)
		c.achievers[f] = append(c.achievers[f], ^int32(a))
	}
}

// tableShares finds what a table needs of each operator's cost, in the abstract space of its variables. An entry must
// be 0 in every abstract goal state; the share of an operator is the most by which one of its
// abstract transitions lowers the entry. Preconditions and goals on other variables are
// left out; a conditional effect whose condition mentions other variables may or may not happen.
func (c *checker) tableShares(i int, p *Part) (out []share) {
	s := newTableSpace(c.machine, p)
	if len(p.Values) != s.entries {
		refuse(tableName(i), "it has %d entries where its variables have %d combinations of values", len(p.Values), s.entries)
	}
	s.each(c.t.Goal, func(at int) {
		if p.Values[at] != 0 {
			refuse(c.entryName(i, s), "it is %s, and the goal holds there", CostName(p.Values[at]))
		}
	})
	for o := range c.t.Operators {
		op := &c.t.Operators[o]
		if c.worked(len(op.Effects)); !s.touches(op) {
			continue
		}
		most := int64(0)
		s.each(op.Pre, func(at int) {
			from := p.Values[at]
			if from <= most {
				return
			}
			least := s.least(op)
			if from == Infinite && least < Infinite {
				refuse(c.entryName(i, s), "it is infinite, but %s leads to an entry that is not", c.t.OperatorName(fdr.OperatorID(o)))
			}
			most = max(most, from-least)
		})
		if most > 0 {
			out = append(out, share{fdr.OperatorID(o), most})
		}
	}
	return out
}

// tableSpace walks the abstract states of a table.
type tableSpace struct {
	*machine
	p       *Part
	pos     []int // by variable: its position in p.Vars, or -1
	size    []int32
	digits  []int32 // of the current abstract state
	entries int
	options [][]int32  // by position: values after an operator
	known   []fdr.Fact // of the variables outside too
}

func newTableSpace(m *machine, p *Part) *tableSpace {
	k := len(p.Vars)
	s := &tableSpace{machine: m, p: p, pos: make([]int, len(m.t.Variables)), size: make([]int32, k), digits: make([]int32, k), options: make([][]int32, k), entries: 1}
	for v := range s.pos {
		s.pos[v] = -1
	}
	for i := range k {
		s.pos[p.Vars[i]] = i
		s.size[i] = int32(m.t.Variables[p.Vars[i]].Size())
		s.entries *= int(s.size[i])
	}
	return s
}

func (s *tableSpace) touches(op *Operator) bool {
	return slices.ContainsFunc(op.Effects, func(e fdr.Effect) bool { return s.pos[e.Var] >= 0 })
}

// each visits the abstract states in which the facts on the table's variables hold: digits is
// set, at is the index. The facts also fix the values of other variables, which decide conditions of
// effects.
func (s *tableSpace) each(facts []fdr.Fact, visit func(at int)) {
	s.known = facts
	fixed := slices.Repeat([]int32{-1}, len(s.digits))
	for _, f := range facts {
		if i := s.pos[f.Var]; i >= 0 {
			fixed[i] = f.Val
		}
	}
	s.walk(fixed, 0, 0, visit)
}

// walk goes on with each from variable i.
func (s *tableSpace) walk(fixed []int32, i, at int, visit func(at int)) {
	if s.worked(1); i == len(fixed) {
		visit(at)
		return
	}
	for d := range s.size[i] {
		if s.digits[i] = d; fixed[i] < 0 || fixed[i] == d {
			s.walk(fixed, i+1, at*int(s.size[i])+int(d), visit)
		}
	}
}

// least returns the least entry to which op may lead from the current abstract state. Where
// it is not known whether an effect happens, its variable may have the old or the new value.
// The choices may be as many as the entries.
func (s *tableSpace) least(op *Operator) int64 {
	for i, d := range s.digits {
		s.options[i] = append(s.options[i][:0], d)
	}
	for k := range op.Effects {
		e := &op.Effects[k]
		i := s.pos[e.Var]
		if i < 0 {
			continue
		}
		switch s.truth(e.Cond) {
		case yes:
			s.options[i] = append(s.options[i][:0], e.Val)
		case unknown:
			if !slices.Contains(s.options[i], e.Val) {
				s.options[i] = append(s.options[i], e.Val)
			}
		}
	}
	return s.choose(0, 0)
}

// choose returns the least entry over all choices of options for the variables from i on.
func (s *tableSpace) choose(i, at int) int64 {
	if i == len(s.options) {
		return s.p.Values[at]
	}
	best := Infinite
	s.worked(len(s.options[i]))
	for _, val := range s.options[i] {
		best = min(best, s.choose(i+1, at*int(s.size[i])+int(val)))
	}
	return best
}

type truth int

const (
	no truth = iota
	yes
	unknown
)

// truth reports whether a condition holds in the current abstract state.
func (s *tableSpace) truth(cond []fdr.Fact) truth {
	if !compatible(s.known, cond) {
		return no
	}
	result := yes
	for _, f := range cond {
		if i := s.pos[f.Var]; i < 0 && !slices.Contains(s.known, f) {
			result = unknown
		} else if i >= 0 && s.digits[i] != f.Val {
			return no
		}
	}
	return result
}

// checkGroup adds up what the parts of a group need of each operator's cost.
func (c *checker) checkGroup(i int) {
	c.touched = c.touched[:0]
	for _, term := range c.cert.Groups[i] {
		zone := len(c.cert.Parts[term.Part].Vars) == 0
		if c.worked(1 + len(c.needs[term.Part])); !zone && term.Cost != 0 {
			refuse(groupName(i), "a value is given for a table")
		}
		for _, s := range c.needs[term.Part] {
			if c.spent[s.op] == 0 {
				c.touched = append(c.touched, s.op)
			}
			need := s.cost
			if zone {
				need = term.Cost
			}
			c.spent[s.op] = plus(c.spent[s.op], need)
		}
	}
	for _, o := range c.touched {
		if have := c.t.Operators[o].Cost; c.spent[o] > have {
			refuse(groupName(i), "its parts need %s of the cost of %s, which is %d", CostName(c.spent[o]), c.t.OperatorName(o), have)
		}
		c.spent[o] = 0
	}
}

// groupValue returns the bound of a group in a state. Facts of zones on derived variables
// need no look: axioms do not enter a zone. A sum of finite values is finite, and cut off
// where it exceeds 63 bits: an expensive plan is still a plan.
func (c *checker) groupValue(g int, values []int32) int64 {
	sum := int64(0)
	for _, term := range c.cert.Groups[g] {
		value := c.termValue(term, values)
		if c.worked(0); value == Infinite {
			return value
		}
		sum = min(plus(sum, value), Infinite-1)
	}
	return sum
}

func (c *checker) termValue(term Term, values []int32) int64 {
	p := &c.cert.Parts[term.Part]
	if len(p.Vars) > 0 {
		at := 0
		for _, v := range p.Vars {
			at = at*c.t.Variables[v].Size() + int(values[v])
		}
		c.ticks += int64(len(p.Vars))
		return p.Values[at]
	}
	for i, f := range p.Facts {
		if c.t.Variables[f.Var].Layer < 0 && values[f.Var] == f.Val {
			c.ticks += int64(i)
			return 0
		}
	}
	c.ticks += int64(len(p.Facts))
	return term.Cost
}
