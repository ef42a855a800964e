package pddl

import (
	"math"
	"slices"
	"strings"
)

// ofNature stands in domainIndex.actionAt for the name of a process or an event: it is taken,
// but no action has it.
const ofNature = math.MinInt32

// naturePos is the place of the process or event with a name.
func (r *reader) naturePos(id int32) Pos {
	for _, x := range r.dom.Nature() {
		if k, ok := r.idx.actions.lookup(strings.ToLower(x.Name)); ok && k == id {
			return x.Pos
		}
	}
	return 0
}

// Nature lists the processes and events of a domain: what a stage must refuse that knows only
// of actions.
func (d *Domain) Nature() []*Action { return slices.Concat(d.Processes, d.Events) }

// process reads (:process ...), whose effect is continuous.
func (r *reader) process(s section) {
	r.inProcess = true
	defer func() { r.inProcess = false }()
	r.nature(s, usesProcesses, &r.dom.Processes, func() *Effect {
		return flat(r, "effects of processes", func(r *reader) *Effect { return r.effect(effProcess) })
	})
}

// event reads (:event ...), whose effect is that of an instantaneous action.
func (r *reader) event(s section) {
	r.nature(s, usesEvents, &r.dom.Events, func() *Effect { return r.effect(effInstant) })
}

// nature reads a process or an event into list.
func (r *reader) nature(s section, f feature, list *[]*Action, effect func() *Effect) {
	if !r.enter(s) {
		return
	}
	r.use(f, s.open)
	x := &Action{}
	if r.actionHead(&x.Schema, ofNature) {
		*list = append(*list, x)
	}
	r.parts(s, r.parameters(&x.Schema), []part{
		{":precondition", func() { x.Precondition = r.condition(ctxPlain) }},
		{":effect", func() { x.Effect = effect() }},
	})
	if x.Precondition == nil {
		x.Precondition = r.newFormula(FormulaTrue, int(x.Pos))
	}
	if x.Effect == nil {
		x.Effect = r.newEffect(EffectAnd, int(x.Pos))
	}
	r.demandValues(x)
}

// notContinuous refuses an effect of a process that happens at once.
func (r *reader) notContinuous(open int) *Effect {
	r.badContinuous(open)
	r.skipList(open)
	return nil
}

// badContinuous reports what a continuous effect must look like.
func (r *reader) badContinuous(open int) {
	r.errorf(BadContinuousEffect, open, open+1, "a continuous effect is (increase FLUENT (* #t VALUE)) or (decrease FLUENT (* #t VALUE))")
}
