package extract

import (
	"slices"

	"github.com/planproof/planproof/internal/atomtext"
)

// PlanVerdict says whether a plan is valid, and if not, why.
type PlanVerdict struct {
	Valid bool `json:"valid"`
	// Kind is "precondition" or "goal"; "" for a valid plan or if the answer does not say.
	Kind string `json:"kind,omitempty"`
	// Step is the 1-based number of the first step that cannot be executed, or 0.
	Step   int    `json:"step,omitempty"`
	Action string `json:"action,omitempty"` // in PDDL
	// Unmet are the conditions that do not hold, in PDDL. Forbidden: the task forbids the step
	// (domains.Forbidden).
	Unmet     []string `json:"unmet,omitempty"`
	Forbidden bool     `json:"forbidden,omitempty"`
}

// VerdictScore grades a verification answer like PlanBench, and in more detail.
type VerdictScore struct {
	// Truth is the true class, Told the class that the answer gives.
	Truth VerdictClass `json:"truth"`
	Told  VerdictClass `json:"told"`
	// Binary: "valid" or "invalid" is right. Type: and so is the kind of failure. Explanation:
	// and the answer names a predicate of the unmet conditions.
	Binary      bool `json:"binary"`
	Type        bool `json:"type"`
	Explanation bool `json:"explanation"`
	// Step: the answer names the failing step, by number or action. Exact: type, step and all
	// unmet conditions are right, and there are no other conditions.
	Step  bool `json:"step"`
	Exact bool `json:"exact"`
	// Conditions scores the unmet conditions that the answer names; nil for a valid plan.
	Conditions *ConditionScore `json:"conditions,omitempty"`
}

// VerdictClass sorts verdicts on a plan.
type VerdictClass string

// Classes of verdicts.
const (
	ClassValid        VerdictClass = "valid"
	ClassPrecondition VerdictClass = "precondition" // a step cannot be executed
	ClassGoal         VerdictClass = "goal"         // the goal does not hold at the end
	ClassForbidden    VerdictClass = "forbidden"    // a step is forbidden (domains.Forbidden)
	ClassInvalid      VerdictClass = "invalid"      // only of answers: invalid without a reason
	ClassNone         VerdictClass = "none"         // only of answers: no verdict was found
)

// VerdictClasses lists the classes in the order of reports.
func VerdictClasses() []VerdictClass {
	return []VerdictClass{ClassValid, ClassPrecondition, ClassGoal, ClassForbidden, ClassInvalid, ClassNone}
}

// Class returns the class of a verdict, ClassInvalid if no reason is given.
func (v *PlanVerdict) Class() VerdictClass {
	switch {
	case v.Valid:
		return ClassValid
	case v.Forbidden:
		return ClassForbidden
	case v.Kind == "precondition":
		return ClassPrecondition
	case v.Kind == "goal":
		return ClassGoal
	}
	return ClassInvalid
}

// ConditionScore compares the conditions that an answer calls unmet with those that are. A forbidden step
// counts as one condition.
type ConditionScore struct {
	// Precision is the fraction of named conditions that are unmet, Recall the fraction of unmet
	// conditions that are named. Both are 0 if none is named.
	Precision float64  `json:"precision"`
	Recall    float64  `json:"recall"`
	F1        float64  `json:"f1"`
	Missing   []string `json:"missing,omitempty"`
	Extra     []string `json:"extra,omitempty"`
}

// conditions lists the unmet conditions of a verdict, sorted, each once.
func conditions(unmet []string, forbidden bool) []string {
	out := slices.Clone(unmet)
	if forbidden {
		out = append(out, string(ClassForbidden))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func scoreConditions(told, truth []string) *ConditionScore {
	s := &ConditionScore{Missing: atomtext.Gained(told, truth), Extra: atomtext.Gained(truth, told)}
	if hits := len(told) - len(s.Extra); hits > 0 {
		s.Precision, s.Recall = float64(hits)/float64(len(told)), float64(hits)/float64(len(truth))
		s.F1 = 2 * float64(hits) / float64(len(told)+len(truth))
	}
	return s
}

// Score grades a reading by the true verdict.
func (x *VerdictReading) Score(want *PlanVerdict) VerdictScore {
	s := VerdictScore{Truth: want.Class(), Told: ClassNone}
	if x.Found {
		s.Told = (&PlanVerdict{Valid: x.Valid, Kind: x.Kind, Forbidden: x.Forbidden}).Class()
	}
	truth := conditions(want.Unmet, want.Forbidden)
	var told []string
	if x.Found && !x.Valid {
		told = conditions(x.Unmet, x.Forbidden)
	}
	if !want.Valid {
		s.Conditions = scoreConditions(told, truth)
	}
	if !x.Found || x.Valid != want.Valid {
		return s
	}
	s.Binary = true
	if want.Valid {
		s.Type, s.Explanation, s.Step, s.Exact = true, true, true, true
		return s
	}
	s.Type = x.Kind == want.Kind
	s.Step = want.Step == 0 || x.Step == want.Step || x.Step == 0 && x.Action == want.Action
	names := map[string]bool{}
	for _, u := range want.Unmet {
		names[atomtext.Words(u)[0]] = true
	}
	for _, u := range x.Unmet {
		s.Explanation = s.Explanation || s.Type && names[atomtext.Words(u)[0]]
	}
	s.Explanation = s.Explanation || s.Type && want.Forbidden && x.Forbidden
	s.Exact = s.Type && s.Step && (x.Forbidden || !want.Forbidden) && slices.Equal(conditions(x.Unmet, false), conditions(want.Unmet, false))
	return s
}
