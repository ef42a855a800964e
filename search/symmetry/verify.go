package symmetry

import (
	"encoding/binary"
	"slices"

	"github.com/planproof/planproof/grounder"
)

// verifier checks on the task itself, not on its graph, that a permutation of facts is a symmetry. It knows operators
// and axioms by a text in which facts stand for their images.
type verifier struct {
	t         *grounder.Task
	base      []int32
	owner     []int32 // of a fact: its variable
	fixed     bool    // the initial state must be mapped to itself
	goal      []bool  // by fact
	operators map[string]grounder.OperatorID
	axioms    map[string]bool
	using     [][]int32 // by fact: operators, and behind them axioms, that mention it

	image []int32 // by fact, itself outside of a check
	round int32
	seen  []int32 // by operator and axiom
	text  []byte
	facts []int32
}

func newVerifier(t *grounder.Task, fixed bool) *verifier {
	v := &verifier{t: t, base: factBase(t), fixed: fixed, operators: map[string]grounder.OperatorID{}, axioms: map[string]bool{}}
	for x := range t.Variables {
		for range t.Variables[x].Values {
			v.owner = append(v.owner, int32(x))
		}
	}
	n := len(v.owner)
	v.goal, v.image, v.using = make([]bool, n), make([]int32, n), make([][]int32, n)
	for f := range v.image {
		v.image[f] = int32(f)
	}
	for _, f := range t.Goal {
		v.goal[v.fact(f)] = true
	}
	v.seen = make([]int32, t.Operators.Len()+len(t.Axioms))
	for o := range t.Operators.Len() {
		v.operators[string(v.operatorText(v.image, o))] = grounder.OperatorID(o)
		v.mention(o, t.Operators.Pre(o))
		for _, e := range t.Operators.Effects(o) {
			v.mention(o, e.Cond, []grounder.Fact{{Var: e.Var, Val: e.Val}})
		}
		for _, c := range t.Operators.CondCosts(o) {
			v.mention(o, c.Cond)
		}
	}
	for i := range t.Axioms {
		v.axioms[string(v.axiomText(v.image, i))] = true
		v.mention(t.Operators.Len()+i, t.Axioms[i].Body, []grounder.Fact{t.Axioms[i].Head})
	}
	return v
}

func (v *verifier) mention(i int, lists ...[]grounder.Fact) {
	for _, l := range lists {
		for _, f := range l {
			x := v.fact(f)
			if u := v.using[x]; len(u) == 0 || u[len(u)-1] != int32(i) {
				v.using[x] = append(u, int32(i))
			}
		}
	}
}

func (v *verifier) fact(f grounder.Fact) int32 { return v.base[f.Var] + f.Val }

// check returns 0 if mapping facts as pairs say, and all others to themselves, is no symmetry, else the work of
// checking.
func (v *verifier) check(pairs []pair) int64 {
	defer func() {
		for _, p := range pairs {
			v.image[p.from] = p.from
		}
	}()
	targets := map[int32]bool{}
	for _, p := range pairs {
		if targets[p.to] || v.image[p.from] != p.from {
			return 0
		}
		v.image[p.from], targets[p.to] = p.to, true
	}
	work := int64(len(pairs)) + 1
	for _, p := range pairs {
		// A permutation of what moves: each target is moved itself.
		if v.image[p.to] == p.to || v.goal[p.from] != v.goal[p.to] || !v.variable(v.owner[p.from]) {
			return 0
		}
	}
	v.round++
	for _, p := range pairs {
		for _, i := range v.using[p.from] {
			if v.seen[i] == v.round {
				continue
			}
			v.seen[i] = v.round
			ok := false
			if int(i) < v.t.Operators.Len() {
				_, ok = v.operators[string(v.operatorText(v.image, int(i)))]
			} else {
				ok = v.axioms[string(v.axiomText(v.image, int(i)-v.t.Operators.Len()))]
			}
			work += int64(len(v.text))
			if !ok {
				return 0
			}
		}
	}
	return work
}

// variable reports whether the facts of a variable are mapped to those of one that is alike.
func (v *verifier) variable(x int32) bool {
	y := v.owner[v.image[v.base[x]]]
	from, to := &v.t.Variables[x], &v.t.Variables[y]
	if from.Size() != to.Size() || from.Layer != to.Layer {
		return false
	}
	for f := v.base[x]; f < v.base[x+1]; f++ {
		if v.owner[v.image[f]] != y {
			return false
		}
	}
	if from.Layer >= 0 {
		return v.image[v.base[x]+from.Default] == v.base[y]+to.Default
	}
	return !v.fixed || v.image[v.base[x]+v.t.Init[x]] == v.base[y]+v.t.Init[y]
}

// operatorText writes an operator with its facts mapped: equal texts mean operators that do the same at the same cost.
func (v *verifier) operatorText(image []int32, o int) []byte {
	op := v.t.Operators.At(o)
	v.text = binary.AppendVarint(v.text[:0], op.Cost)
	v.conditions(image, op.Pre)
	effects := effectsOf(op)
	// The order of effects on one variable is kept.
	slices.SortStableFunc(effects, func(a, b effect) int {
		return int(v.owner[image[v.fact(grounder.Fact{Var: a.Var, Val: a.Val})]]) - int(v.owner[image[v.fact(grounder.Fact{Var: b.Var, Val: b.Val})]])
	})
	v.text = binary.AppendUvarint(v.text, uint64(len(effects)))
	for _, e := range effects {
		v.text = binary.AppendUvarint(v.text, uint64(image[v.fact(grounder.Fact{Var: e.Var, Val: e.Val})]))
		v.conditions(image, e.Cond)
	}
	return v.costs(image, op.CondCosts)
}

// costs appends conditional costs, whose order does not matter.
func (v *verifier) costs(image []int32, costs []grounder.CondCost) []byte {
	if len(costs) == 0 {
		return v.text
	}
	var texts []string
	start := len(v.text)
	for _, c := range costs {
		v.text = binary.AppendVarint(v.text, c.Cost)
		v.conditions(image, c.Cond)
		texts = append(texts, string(v.text[start:]))
		v.text = v.text[:start]
	}
	slices.Sort(texts)
	for _, t := range texts {
		v.text = append(v.text, t...)
	}
	return v.text
}

func (v *verifier) axiomText(image []int32, i int) []byte {
	a := &v.t.Axioms[i]
	v.text = binary.AppendUvarint(v.text[:0], uint64(image[v.fact(a.Head)]))
	v.conditions(image, a.Body)
	return v.text
}

// conditions appends a set of facts, mapped.
func (v *verifier) conditions(image []int32, facts []grounder.Fact) {
	v.facts = v.facts[:0]
	for _, f := range facts {
		v.facts = append(v.facts, image[v.fact(f)])
	}
	slices.Sort(v.facts)
	v.text = binary.AppendUvarint(v.text, uint64(len(v.facts)))
	for _, f := range v.facts {
		v.text = binary.AppendUvarint(v.text, uint64(f))
	}
}
