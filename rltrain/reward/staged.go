package reward

import "github.com/planproof/planproof/validator"

// Checks count what a plan satisfies where an environment judges by rules instead of executing steps: itineraries, for
// instance (domains/travel).
type Checks struct {
	// Schema reports whether the response has the form that was asked for.
	Schema bool
	// Of the rules of common sense and of the constraints of the query, those that hold, and all of them.
	Commonsense, CommonsenseAll, Hard, HardAll int
}

// Densities of the staged reward.
const (
	dense  = "dense"
	middle = "middle"
	sparse = "sparse"
)

// newStaged is a reward in stages, after Planner-R1: the form of the answer, common sense, the constraints, and passing
// all of them. A curriculum goes from dense to sparse:
//
//	dense   the mean of schema, commonsense, hard, commonsense_all, hard_all and pass
//	middle  the mean of schema, commonsense_all, hard_all and pass
//	sparse  pass
//
// commonsense and hard are shares, their _all forms 1 if the share is 1. Without the form nothing else counts. Where
// steps are executed, common sense is the share of steps that could be carried out, and the goal is the constraint.
func newStaged(density string) *Spec {
	return (&Spec{
		Kind: "staged", params: map[string]any{"density": density}, ValidWins: true,
		bounds: func(valid bool) map[string]interval {
			b := map[string]interval{"": {1, 1}}
			for _, name := range [...]string{"schema", "commonsense", "hard", "commonsense_all", "hard_all", "pass"} {
				b[name] = interval{1, 1}
				if !valid {
					b[name] = unit
				}
			}
			if !valid {
				b["pass"] = zero
				b[""] = interval{0, map[string]float64{dense: 5.0 / 6, middle: 3.0 / 4}[density]}
			}
			return b
		},
		eval: func(e *Evidence) (float64, Components) {
			c := e.stages()
			switch density {
			case dense:
				return (c["schema"] + c["commonsense"] + c["hard"] + c["commonsense_all"] + c["hard_all"] + c["pass"]) / 6, c
			case middle:
				return (c["schema"] + c["commonsense_all"] + c["hard_all"] + c["pass"]) / 4, c
			}
			return c["pass"], c
		},
	}).seal()
}

// stages are the components of the staged reward.
func (e *Evidence) stages() Components {
	c := Components{"schema": 0, "commonsense": 0, "hard": 0, "commonsense_all": 0, "hard_all": 0, "pass": 0}
	k := e.Checks
	if k == nil {
		k = executed(e.Verdict, e.Verdict.Valid || e.parsed())
	}
	if e.Refused || !k.Schema {
		return c
	}
	all := func(share, whole string, n, of int) {
		if c[share] = 1; of > 0 {
			c[share] = float64(n) / float64(of)
		}
		c[whole] = boolFloat(n >= of)
	}
	all("commonsense", "commonsense_all", k.Commonsense, k.CommonsenseAll)
	all("hard", "hard_all", k.Hard, k.HardAll)
	c["schema"], c["pass"] = 1, boolFloat(e.Verdict.Valid)
	return c
}

// executed are the checks of a plan whose steps were executed.
func executed(v *validator.Verdict, schema bool) *Checks {
	k := &Checks{Schema: schema, Commonsense: v.Executed, CommonsenseAll: v.Steps, HardAll: 1}
	if v.Valid {
		k.Commonsense, k.Hard = v.Steps, 1
	} else if v.GoalReached {
		k.Hard = 1
	}
	return k
}
