package episode

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/domains/constraints"
	"github.com/planproof/planproof/validator"
)

// A Rubric grades a plan from 1 to 5 in dimensions that are measured exactly; a plan meets it with at least Gamma in each.
type Rubric struct {
	Feasibility   int `json:"feasibility"`   // the share of steps that can be carried out
	Effectiveness int `json:"effectiveness"` // is the goal reached?
	Grounding     int `json:"grounding"`     // constraints of the world that the plan violates
	Consideration int `json:"consideration"` // constraints of the user that the plan violates
	Economy       int `json:"economy"`       // its cost in relation to the least under all constraints
}

// Gamma is what a plan needs in each dimension (AdaPlanBench, threshold).
const Gamma = 4

// pass reports whether every dimension reaches Gamma.
func (r *Rubric) pass() bool {
	return min(r.Feasibility, r.Effectiveness, r.Grounding, r.Consideration, r.Economy) >= Gamma
}

// economies are the greatest ratios of cost to optimum for 5, 4, 3 and 2 points.
var economies = []float64{1.1, 1.25, 1.5, 2}

// rubric measures a plan.
func (e *Env) rubric(v *validator.Verdict, violations []constraints.Violation) Rubric {
	r := Rubric{Feasibility: 5, Effectiveness: 1, Grounding: 5, Consideration: 5, Economy: 1}
	if v.Executed < v.Steps {
		r.Feasibility = 1 + 4*v.Executed/v.Steps
	}
	if v.GoalReached {
		r.Effectiveness = 5
	}
	for i := range violations {
		if violations[i].Constraint.World() {
			r.Grounding = max(1, r.Grounding-2)
		} else {
			r.Consideration = max(1, r.Consideration-2)
		}
	}
	if v.Valid {
		cost, _ := v.Cost.Rat().Float64()
		least, _ := e.profile.Cost.Rat().Float64()
		for i, most := range economies {
			if cost <= most*least {
				r.Economy = 5 - i
				break
			}
		}
	}
	return r
}

// words tells what does not reach Gamma.
func (r *Rubric) words() string {
	var b strings.Builder
	for _, d := range []struct {
		points int
		text   string
	}{
		{r.Feasibility, "feasibility %d of 5: not every step can be carried out"}, {r.Effectiveness, "effectiveness %d of 5: the goal is not reached"},
		{r.Grounding, "grounding %d of 5: the world does not permit it"}, {r.Consideration, "consideration %d of 5: the user does not want it"},
		{r.Economy, "economy %d of 5: there is a cheaper way"},
	} {
		if d.points < Gamma {
			fmt.Fprintf(&b, " Rubric, "+d.text+".", d.points)
		}
	}
	return b.String()
}
