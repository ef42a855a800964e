package validator

import "github.com/planproof/planproof/pddl"

// softSpec is a preference found in a condition, under the variables quantified around it.
type softSpec struct {
	f     *pddl.Formula // the preference
	bound []int32
}

// harden splits a condition into what is required, nil if that is nothing, and preferences.
func harden(f *pddl.Formula, bound []int32) (*pddl.Formula, []softSpec) {
	if !hasPreference(f) {
		return f, nil
	}
	if f.Kind == pddl.FormulaPreference {
		return nil, []softSpec{{f, bound}}
	}
	var softs []softSpec
	hard := *f
	hard.Children = nil
	inner := append(bound[:len(bound):len(bound)], f.Bound...)
	for _, k := range f.Children {
		h, s := harden(k, inner)
		softs = append(softs, s...)
		if h != nil {
			hard.Children = append(hard.Children, h)
		}
	}
	if len(hard.Children) == 0 {
		return nil, softs
	}
	return &hard, softs
}

// timedParts splits a durative condition without preferences into its parts at start, over
// all and at end; a part is nil if it asks nothing.
func timedParts(f *pddl.Formula) (parts [partCount]*pddl.Formula) {
	if f == nil {
		return
	}
	switch f.Kind {
	case pddl.FormulaAtStart:
		parts[atStart] = f.Children[0]
	case pddl.FormulaOverAll:
		parts[overAll] = f.Children[0]
	case pddl.FormulaAtEnd:
		parts[atEnd] = f.Children[0]
	case pddl.FormulaForall:
		for i, k := range timedParts(f.Children[0]) {
			if k != nil {
				q := *f
				q.Children = []*pddl.Formula{k}
				parts[i] = &q
			}
		}
	case pddl.FormulaAnd:
		for _, k := range f.Children {
			for i, p := range timedParts(k) {
				parts[i] = both(parts[i], p)
			}
		}
	}
	return parts
}

// both is the conjunction of two conditions; either may be nil.
func both(a, b *pddl.Formula) *pddl.Formula {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.Kind == pddl.FormulaAnd && a.Name == joined:
		a.Children = append(a.Children, b)
		return a
	}
	return &pddl.Formula{Kind: pddl.FormulaAnd, Pos: a.Pos, Name: joined, Children: []*pddl.Formula{a, b}}
}

// joined marks conjunctions made by both, which may grow.
const joined = "joined"

// timedEffects is a durative effect, sorted by when it happens.
type timedEffects struct {
	at       [partCount]*pddl.Effect // at start and at end: what an instantaneous action could have
	memories []memorySpec
	misfits  []*pddl.Effect // effects at the start that depend on later states
	rates    []rateSpec
	// conditional are continuous effects under a condition.
	conditional []*pddl.Effect
}

// memorySpec is a conditional effect at the end that depends on earlier states.
type memorySpec struct {
	bound []int32
	parts [partCount]*pddl.Formula
	body  *pddl.Effect
}

// rateSpec is a continuous effect under quantified variables.
type rateSpec struct {
	bound []int32
	e     *pddl.Effect
}

// scope is what stands around a timed effect.
type scope struct {
	bound []int32
	parts [partCount]*pddl.Formula
}

// splitEffect sorts a durative effect by time.
func splitEffect(e *pddl.Effect) *timedEffects {
	x := &timedEffects{}
	x.add(e, scope{})
	return x
}

func (x *timedEffects) add(e *pddl.Effect, in scope) {
	switch e.Kind {
	case pddl.EffectAnd:
		for _, k := range e.Children {
			x.add(k, in)
		}
	case pddl.EffectForall:
		in.bound = append(in.bound[:len(in.bound):len(in.bound)], e.Bound...)
		x.add(e.Children[0], in)
	case pddl.EffectWhen:
		for i, p := range timedParts(e.Condition) {
			in.parts[i] = conjunction(in.parts[i], p)
		}
		x.add(e.Children[0], in)
	case pddl.EffectNumeric:
		if in.parts != [partCount]*pddl.Formula{} {
			x.conditional = append(x.conditional, e)
			return
		}
		x.rates = append(x.rates, rateSpec{in.bound, e})
	case pddl.EffectAtStart:
		if in.parts[overAll] != nil || in.parts[atEnd] != nil {
			x.misfits = append(x.misfits, e)
			return
		}
		x.at[atStart] = joinEffects(x.at[atStart], under(in.bound, in.parts[atStart], e.Children[0]))
	case pddl.EffectAtEnd:
		if in.parts[atStart] == nil && in.parts[overAll] == nil {
			x.at[atEnd] = joinEffects(x.at[atEnd], under(in.bound, in.parts[atEnd], e.Children[0]))
			return
		}
		x.memories = append(x.memories, memorySpec{in.bound, in.parts, e.Children[0]})
	}
}

// conjunction is like both, but never changes its operands.
func conjunction(a, b *pddl.Formula) *pddl.Formula {
	if a == nil || b == nil {
		return both(a, b)
	}
	return &pddl.Formula{Kind: pddl.FormulaAnd, Pos: a.Pos, Children: []*pddl.Formula{a, b}}
}

// under puts an effect under quantified variables and a condition.
func under(bound []int32, cond *pddl.Formula, e *pddl.Effect) *pddl.Effect {
	if cond != nil {
		e = &pddl.Effect{Kind: pddl.EffectWhen, Pos: e.Pos, Condition: cond, Children: []*pddl.Effect{e}}
	}
	if len(bound) > 0 {
		e = &pddl.Effect{Kind: pddl.EffectForall, Pos: e.Pos, Bound: bound, Children: []*pddl.Effect{e}}
	}
	return e
}

func joinEffects(a, b *pddl.Effect) *pddl.Effect {
	if a == nil {
		a = &pddl.Effect{Kind: pddl.EffectAnd, Pos: b.Pos}
	}
	a.Children = append(a.Children, b)
	return a
}
