package proof

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/grounder/fdr"
)

// share is what a part needs of an operator's cost.
type share struct {
	op   fdr.OperatorID
	cost int64
}

// shares finds what a part needs of the cost of each operator to be a lower bound, or
// refuses it. For a zone of value 1 that is 1 for the operators in its cut.
func (c *checker) shares(i int) ([]share, error) {
	p := &c.cert.Parts[i]
	if len(p.Vars) > 0 {
		return c.tableShares(i, p)
	}
	return c.zoneShares(i, p)
}

// zoneShares finds the cut of a zone N: the operators that can bring about a fact of N
// when none holds. What makes the zone sound:
//   - a fact of N is in the goal, so that one of them must come true;
//   - no fact of N is the default value of a derived variable, and every axiom that derives a
//     fact of N has another in its body: axioms alone never bring the first one about;
//   - no fact of N is about a comparison, which numbers alone can bring about.
func (c *checker) zoneShares(i int, p *Part) ([]share, error) {
	in := func(facts []fdr.Fact) bool {
		for _, f := range facts {
			if c.mark[c.fact(f)] == c.round {
				return true
			}
		}
		return false
	}
	c.round++
	if err := c.worked(len(p.Facts) + len(c.t.Goal)); err != nil {
		return nil, err
	}
	for _, f := range p.Facts {
		c.mark[c.fact(f)] = c.round
	}
	if !in(c.t.Goal) {
		return nil, &Refusal{Where: zoneName(i), Reason: "no fact of the goal is in it"}
	}
	var out []share
	for _, f := range p.Facts {
		if v := &c.t.Variables[f.Var]; v.Layer >= 0 && v.Default == f.Val {
			return nil, &Refusal{Where: zoneName(i), Reason: "the default value " + c.factName(f) + " is in it"}
		}
		if c.t.compares(f.Var) {
			return nil, &Refusal{Where: zoneName(i), Reason: "the comparison " + c.factName(f) + " is in it"}
		}
		for _, a := range c.achievers[c.fact(f)] {
			if a < 0 {
				body := c.t.Axioms[^a].Body
				if err := c.worked(len(body)); err != nil {
					return nil, err
				}
				if !in(body) {
					return nil, &Refusal{Where: zoneName(i), Reason: "an axiom enters it at no cost, with " + c.factName(f)}
				}
				continue
			}
			op := &c.t.Operators[a]
			if err := c.worked(len(op.Pre) + len(op.Effects)); err != nil {
				return nil, err
			}
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
	return out, nil
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

// tableShares checks a table in the abstract space of its variables. A table entry must be
// 0 in every abstract goal state; the share of an operator is the most by which one of its
// abstract transitions lowers the entry. Preconditions and goals on other variables are
// left out; a conditional effect whose condition mentions other variables may or may not happen.
func (c *checker) tableShares(i int, p *Part) ([]share, error) {
	s := newTableSpace(c.t, p)
	s.worked = c.worked
	if len(p.Values) != s.entries {
		return nil, &Refusal{Where: tableName(i), Reason: fmt.Sprintf("it has %d entries where its variables have %d combinations of values", len(p.Values), s.entries)}
	}
	var refusal error
	s.each(c.t.Goal, func(at int) bool {
		if refusal = c.worked(1); refusal != nil {
			return false
		}
		if p.Values[at] != 0 {
			refusal = &Refusal{Where: c.entryName(i, s), Reason: fmt.Sprintf("it is %s, and the goal holds there", CostName(p.Values[at]))}
		}
		return refusal == nil
	})
	if refusal != nil {
		return nil, refusal
	}
	var out []share
	for o := range c.t.Operators {
		op := &c.t.Operators[o]
		if refusal = c.worked(len(op.Effects)); refusal != nil {
			return nil, refusal
		}
		if !s.touches(op) {
			continue
		}
		most := int64(0)
		s.each(op.Pre, func(at int) bool {
			from := p.Values[at]
			if refusal = c.worked(1); refusal != nil || from <= most {
				return refusal == nil
			}
			least := s.least(op)
			switch {
			case c.halt != nil:
				refusal = c.halt
			case from == Infinite && least < Infinite:
				refusal = &Refusal{Where: c.entryName(i, s), Reason: "it is infinite, but " + c.t.OperatorName(fdr.OperatorID(o)) + " leads to an entry that is not"}
			case least < from:
				most = max(most, from-least)
			}
			return refusal == nil
		})
		if refusal != nil {
			return nil, refusal
		}
		if most > 0 {
			out = append(out, share{fdr.OperatorID(o), most})
		}
	}
	return out, nil
}

// tableSpace walks the abstract states of a table.
type tableSpace struct {
	p       *Part
	pos     []int // by variable: its position in p.Vars, or -1
	size    []int32
	mult    []int
	digits  []int32 // of the current abstract state
	entries int
	options [][]int32  // by position: values after an operator
	known   []fdr.Fact // of the variables outside too
	worked  func(n int) error
}

func newTableSpace(t *Task, p *Part) *tableSpace {
	k := len(p.Vars)
	s := &tableSpace{p: p, pos: make([]int, len(t.Variables)), size: make([]int32, k), mult: make([]int, k), digits: make([]int32, k), options: make([][]int32, k), entries: 1}
	for v := range s.pos {
		s.pos[v] = -1
	}
	for i := k - 1; i >= 0; i-- {
		s.pos[p.Vars[i]] = i
		s.size[i] = int32(t.Variables[p.Vars[i]].Size())
		s.mult[i] = s.entries
		s.entries *= int(s.size[i])
	}
	return s
}

func (s *tableSpace) touches(op *Operator) bool {
	return slices.ContainsFunc(op.Effects, func(e fdr.Effect) bool { return s.pos[e.Var] >= 0 })
}

// each visits the abstract states in which the facts on the table's variables hold: digits
// is set, at is the index. It ends when visit returns false. The facts also fix the values
// of other variables, which decide conditions of effects.
func (s *tableSpace) each(facts []fdr.Fact, visit func(at int) bool) {
	s.known = facts
	fixed := make([]bool, len(s.digits))
	clear(s.digits)
	for _, f := range facts {
		if i := s.pos[f.Var]; i >= 0 {
			fixed[i] = true
			s.digits[i] = f.Val
		}
	}
	for {
		at := 0
		for i, d := range s.digits {
			at += int(d) * s.mult[i]
		}
		if !visit(at) {
			return
		}
		i := len(s.digits) - 1
		for ; i >= 0; i-- {
			if fixed[i] {
				continue
			}
			if s.digits[i]++; s.digits[i] < s.size[i] {
				break
			}
			s.digits[i] = 0
		}
		if i < 0 {
			return
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
	if s.worked(len(s.options[i])) != nil {
		return best
	}
	for _, val := range s.options[i] {
		best = min(best, s.choose(i+1, at+int(val)*s.mult[i]))
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
	result := yes
	for _, f := range cond {
		if i := s.pos[f.Var]; i >= 0 {
			if s.digits[i] != f.Val {
				return no
			}
			continue
		}
		known := unknown
		for _, g := range s.known {
			if g.Var == f.Var {
				known = no
				if g.Val == f.Val {
					known = yes
				}
			}
		}
		if known == no {
			return no
		}
		result = max(result, known)
	}
	return result
}

// checkGroup adds up what the parts of a group need of each operator's cost.
func (c *checker) checkGroup(i int) error {
	c.touched = c.touched[:0]
	var refusal error
	for _, term := range c.cert.Groups[i] {
		p := &c.cert.Parts[term.Part]
		if err := c.worked(1 + len(c.needs[term.Part])); err != nil {
			return err
		}
		zone := len(p.Vars) == 0
		if !zone && term.Cost != 0 {
			refusal = &Refusal{Where: groupName(i), Reason: "a value is given for a table"}
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
		if have := c.t.Operators[o].Cost; c.spent[o] > have && refusal == nil {
			refusal = &Refusal{Where: groupName(i), Reason: fmt.Sprintf("its parts need %s of the cost of %s, which is %d", CostName(c.spent[o]), c.t.OperatorName(o), have)}
		}
		c.spent[o] = 0
	}
	return refusal
}

// groupValue returns the bound of a group in a state. Facts of zones on derived variables
// need no look: axioms do not enter a zone. A sum of finite values is finite, and cut off
// where it exceeds 63 bits: an expensive plan is still a plan.
func (c *checker) groupValue(g int, values []int32) int64 {
	sum := int64(0)
	for _, term := range c.cert.Groups[g] {
		value := c.termValue(term, values)
		if value == Infinite || c.worked(0) != nil {
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
