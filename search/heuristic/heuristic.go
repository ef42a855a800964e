package heuristic

import (
	"fmt"
	"math"
	"strings"

	"github.com/planproof/planproof/grounder"
)

// DeadEnd is the estimate of a state from which the goal is proven unreachable.
const DeadEnd int64 = math.MaxInt64

// Heuristic estimates the cost of the cheapest plan from a state, in units of
// Task.CostUnit. It keeps scratch memory and is used by one goroutine at a time.
type Heuristic interface {
	// Estimate returns a bound for the unpacked state values, or DeadEnd. Entries of
	// derived variables are not read.
	Estimate(values []int32) int64
	// Work returns a running count of elementary steps (touched precondition and effect
	// entries). It depends on the task and the states only, so interleaved searches
	// share time by it without looking at a clock.
	Work() int64
	// Bytes returns the memory held.
	Bytes() int64
}

// Inheriting is a Heuristic that also bounds the successors of the state it evaluated last.
type Inheriting interface {
	Heuristic
	// Inherited returns an admissible estimate of the successor under op of the state
	// given to Estimate last.
	Inherited(op grounder.OperatorID) int64
}

// Resumable is a Heuristic whose evaluation of a state can be cut into pieces, so that one
// long evaluation exceeds neither a limit nor its share of the work.
type Resumable interface {
	Heuristic
	// Begin begins the evaluation of a state and goes on until Work has reached until, but
	// for at least one piece. It reports whether the evaluation has ended; what it returns
	// is then the estimate, and before a bound from below.
	Begin(values []int32, until int64) (bound int64, done bool)
	// Continue goes on with it in the same way.
	Continue(until int64) (bound int64, done bool)
}

// pieceWork is the work between two questions whether to stop, a few milliseconds.
const pieceWork = 1 << 20

// EstimateUntil is h.Estimate, but asks stop every few milliseconds of work whether to give
// the evaluation up. It then returns the bound proven so far, and false.
func EstimateUntil(h Heuristic, values []int32, stop func() bool) (bound int64, done bool) {
	r, ok := h.(Resumable)
	if !ok {
		return h.Estimate(values), true
	}
	bound, done = r.Begin(values, r.Work()+pieceWork)
	for !done && !stop() {
		bound, done = r.Continue(r.Work() + pieceWork)
	}
	return bound, done
}

// Properties are what a search may rely on.
type Properties struct {
	// Admissible: never above the exact cost. Needed for optimal plans.
	Admissible bool `json:"admissible"`
	// Consistent: h(s) <= cost(o) + h(s[o]); A* need not reopen.
	Consistent bool `json:"consistent"`
	// Safe: DeadEnd is a proof.
	Safe bool `json:"safe"`
}

// Feature is a feature of ground tasks that a heuristic may refuse. The names are those
// of `planproof capabilities` and of refusals.
type Feature string

// Features.
const (
	Axioms             Feature = "axioms"
	ConditionalEffects Feature = "conditional-effects"
	ConditionalCosts   Feature = "conditional-costs"
	ActionCosts        Feature = "action-costs"
	ZeroCostActions    Feature = "zero-cost-actions"
	NumericFluents     Feature = "numeric-fluents"
)

// AllFeatures lists the features in the order of tables.
var AllFeatures = []Feature{ActionCosts, ZeroCostActions, ConditionalEffects, Axioms, ConditionalCosts, NumericFluents}

// FeaturesOf returns the features that t uses, in the order of AllFeatures.
func FeaturesOf(t *grounder.Task) []Feature {
	used := map[Feature]bool{NumericFluents: t.Numeric != nil}
	for i := range t.Variables {
		if t.Variables[i].Layer >= 0 {
			used[Axioms] = true
		}
	}
	for i := range t.Operators.Len() {
		op := t.Operators.At(i)
		used[ZeroCostActions] = used[ZeroCostActions] || op.Cost == 0
		used[ActionCosts] = used[ActionCosts] || op.Cost != 1
		used[ConditionalCosts] = used[ConditionalCosts] || len(op.CondCosts) > 0
		for j := range op.Effects {
			used[ConditionalEffects] = used[ConditionalEffects] || len(op.Effects[j].Cond) > 0
		}
		if t.Numeric != nil {
			for j := range t.Numeric.Changes[i] {
				used[ConditionalEffects] = used[ConditionalEffects] || len(t.Numeric.Changes[i][j].Cond) > 0
			}
		}
	}
	var out []Feature
	for _, f := range AllFeatures {
		if used[f] {
			out = append(out, f)
		}
	}
	return out
}

// Option is an integer option of a search or heuristic.
type Option struct {
	Name     string `json:"name"`
	Synopsis string `json:"synopsis"`
	Default  int64  `json:"default"`
	Min      int64  `json:"min"`
	Max      int64  `json:"max"`
}

// Info describes a heuristic: the entry of the catalogue from which help, the table of
// capabilities and refusals are made.
type Info struct {
	Name       string     `json:"name"`
	Synopsis   string     `json:"synopsis"`
	Properties Properties `json:"properties"`
	// Refuses lists the features for which no sound estimate is implemented.
	Refuses []Feature `json:"refuses,omitempty"`
	// Numeric is true if the heuristic estimates tasks with numeric fluents. Such tasks
	// are refused otherwise.
	Numeric bool     `json:"numeric,omitempty"`
	Options []Option `json:"options,omitempty"`
	// New builds the heuristic for a task that uses no refused feature.
	New func(*grounder.Task) (Heuristic, error) `json:"-"`
	// NewWith builds a heuristic that has options, or takes long to build: it takes a value
	// for each option, and a budget.
	NewWith func(*grounder.Task, map[string]int64, *Budget) (Heuristic, error) `json:"-"`
}

// Build builds the heuristic. It needs a value for every option.
// The budget may be nil. Errors are ErrTime, ErrMemory, and that the task cannot be read.
func (i *Info) Build(t *grounder.Task, values map[string]int64, b *Budget) (Heuristic, error) {
	if i.NewWith != nil {
		return i.NewWith(t, values, b)
	}
	return i.New(t)
}

// Catalogue lists all heuristics.
var Catalogue = []Info{
	{
		Name:       "blind",
		Synopsis:   "the cost of the cheapest operator, 0 where the goal holds",
		Properties: Properties{Admissible: true, Consistent: true, Safe: true},
		Numeric:    true,
		New:        func(t *grounder.Task) (Heuristic, error) { return NewBlind(t), nil },
	},
	{
		Name:       "hmax",
		Synopsis:   "h-max: the cost of the most expensive goal fact under delete relaxation",
		Properties: Properties{Admissible: true, Consistent: true, Safe: true},
		Numeric:    true,
		New:        func(t *grounder.Task) (Heuristic, error) { return NewHMax(t) },
		NewWith: func(t *grounder.Task, _ map[string]int64, b *Budget) (Heuristic, error) {
			return newHMaxWithin(t, b)
		},
	},
	{
		Name:       "lmcut",
		Synopsis:   "LM-cut: a sum of disjunctive action landmarks found by cuts of the justification graph of h-max",
		Properties: Properties{Admissible: true, Safe: true},
		Numeric:    true,
		Refuses:    []Feature{ConditionalCosts},
		New:        func(t *grounder.Task) (Heuristic, error) { return NewLMCut(t) },
		NewWith: func(t *grounder.Task, _ map[string]int64, b *Budget) (Heuristic, error) {
			return newLMCutWithin(t, b)
		},
	},
	{
		Name:       "pdb",
		Synopsis:   "sums of pattern databases under saturated cost partitioning, the best of a few",
		Properties: Properties{Admissible: true, Consistent: true, Safe: true},
		Options:    pdbOptions,
		New: func(t *grounder.Task) (Heuristic, error) {
			return NewPDB(t, map[string]int64{"states": pdbOptions[0].Default, "total": pdbOptions[1].Default, "orders": pdbOptions[2].Default}, nil)
		},
		NewWith: func(t *grounder.Task, values map[string]int64, b *Budget) (Heuristic, error) {
			return NewPDB(t, values, b)
		},
	},
	{
		Name:       "landmarks",
		Synopsis:   "facts that every plan makes true and that are still to come, sharing the costs of what achieves them",
		Properties: Properties{Admissible: true, Safe: true},
		Options:    landmarkOptions,
		New: func(t *grounder.Task) (Heuristic, error) {
			return newLandmarks(t, map[string]int64{}, nil)
		},
		NewWith: func(t *grounder.Task, values map[string]int64, b *Budget) (Heuristic, error) {
			return newLandmarks(t, values, b)
		},
	},
	scpInfo("scp", "sums of pattern databases and Cartesian abstractions under saturated cost partitioning, the best of many",
		nil),
	scpInfo("pdbs", "scp() over pattern databases only", map[string]int64{"cartesian": 0}),
	scpInfo("cegar", "scp() over Cartesian abstractions only", map[string]int64{"total": 0}, ConditionalEffects, Axioms, ConditionalCosts),
}

// Lookup returns the catalogue entry of a name, or nil.
func Lookup(name string) *Info {
	for i := range Catalogue {
		if Catalogue[i].Name == name {
			return &Catalogue[i]
		}
	}
	return nil
}

// Refusal says which features of a task a heuristic does not support.
type Refusal struct {
	Heuristic string
	Features  []Feature
}

func (r *Refusal) Error() string {
	names := make([]string, len(r.Features))
	for i, f := range r.Features {
		names[i] = string(f)
	}
	return fmt.Sprintf("%s does not support %s", r.Heuristic, strings.Join(names, ", "))
}

// Check returns a *Refusal when t uses a feature that the heuristic refuses.
func (i *Info) Check(t *grounder.Task) error {
	var bad []Feature
	for _, f := range FeaturesOf(t) {
		if f == NumericFluents && !i.Numeric {
			bad = append(bad, f)
		}
		for _, r := range i.Refuses {
			if f == r {
				bad = append(bad, f)
			}
		}
	}
	if bad != nil {
		return &Refusal{Heuristic: i.Name, Features: bad}
	}
	return nil
}
