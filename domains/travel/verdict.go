package travel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// A Rule is one of the rules of section 1.9 of travel-tools.md. They are reported in this order.
type Rule uint8

// The rules. FMT is about form, C1 to C8 are common sense, H1 to H5 come from the query.
const (
	FMT Rule = iota
	C1
	C2
	C3
	C4
	C5
	C6
	C7
	C8
	H1
	H2
	H3
	H4
	H5
	rules
)

var ruleNames = [rules]string{"FMT", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "H1", "H2", "H3", "H4", "H5"}

// ruleTitles say what each rule asks for.
var ruleTitles = [rules]string{
	"the plan can be read",
	"the route is a round trip through the right cities",
	"everything named exists, on that day",
	"everything is in a city of the day",
	"all days and fields are there",
	"no restaurant twice",
	"no attraction twice",
	"transport on travel days only, no car beside flights or taxis",
	"minimum nights",
	"budget", "house rule", "room type", "cuisines", "means of transport",
}

// String is the rule's id, "C2".
func (r Rule) String() string { return ruleNames[r] }

// title says what the rule asks for.
func (r Rule) title() string { return ruleTitles[r] }

// hard reports whether the rule comes from the query.
func (r Rule) hard() bool { return r >= H1 }

// A Finding is one violation of a rule.
type Finding struct {
	Rule  Rule
	Day   int    // from 1; 0 for the plan as a whole
	Field string // "" for the day as a whole
	// Reason is a sentence; Compared is the row or number that the plan was compared with, "" for none.
	Reason, Compared string
}

// String writes "C3, day 2, lunch: ...".
func (f *Finding) String() string {
	s := f.Rule.String()
	if f.Day > 0 {
		s += fmt.Sprintf(", day %d", f.Day)
	}
	if f.Field != "" {
		s += ", " + f.Field
	}
	s += ": " + f.Reason
	if f.Compared != "" {
		s += " (" + f.Compared + ")"
	}
	return s
}

// A Judgement is what the judge finds about a plan.
type Judgement struct {
	Findings []Finding // by rule, then by day
	// Cost is the cost of everything in the plan that is in the tables.
	Cost pddl.Number
	// Delivered is false where there is no plan.
	Delivered bool
	// Ambiguous names entities with several rows: the first counted.
	Ambiguous []string
	days      int
}

// Violations lists the rules that are violated, each once.
func (j *Judgement) Violations() []Rule {
	var list []Rule
	for _, f := range j.Findings {
		if len(list) == 0 || list[len(list)-1] != f.Rule {
			list = append(list, f.Rule)
		}
	}
	return list
}

// Valid reports whether there are no violations.
func (j *Judgement) Valid() bool { return len(j.Findings) == 0 }

// Violates reports whether a rule is violated.
func (j *Judgement) Violates(r Rule) bool {
	return slices.ContainsFunc(j.Findings, func(f Finding) bool { return f.Rule == r })
}

// Commonsense reports whether FMT and C1 to C8 hold.
func (j *Judgement) Commonsense() bool {
	return !slices.ContainsFunc(j.Findings, func(f Finding) bool { return !f.Rule.hard() })
}

// Hard reports whether H1 to H5 hold.
func (j *Judgement) Hard() bool {
	return !slices.ContainsFunc(j.Findings, func(f Finding) bool { return f.Rule.hard() })
}

// Verdict is the judgement as a verdict on a plan with one step for each day, for rewards and rows that know only
// those. The failure is the violation of the earliest day.
func (j *Judgement) Verdict() *validator.Verdict {
	v := &validator.Verdict{Valid: j.Valid(), Cost: j.Cost, CostDefined: true, Steps: j.days, Executed: j.days, GoalReached: j.Valid()}
	if v.Valid {
		return v
	}
	first := j.Findings[0]
	for _, f := range j.Findings[1:] {
		if f.Day > 0 && (first.Day == 0 || f.Day < first.Day) {
			first = f
		}
	}
	kind := validator.FailConstraint
	if first.Rule == FMT {
		kind = validator.FailSyntax
	}
	if first.Day > 0 {
		v.Executed = first.Day - 1
	}
	v.Failure = &validator.Failure{Kind: kind, Step: first.Day, Action: first.Field, Message: first.String()}
	for i := range j.Findings {
		v.Failure.Unsatisfied = append(v.Failure.Unsatisfied, j.Findings[i].String())
	}
	return v
}

// Explain writes the findings for people or for a model, one to a line, the first only or all of them.
func (j *Judgement) Explain(all bool) string {
	var b strings.Builder
	for i := range j.Findings {
		fmt.Fprintf(&b, "%s\n", &j.Findings[i])
		if !all {
			break
		}
	}
	return b.String()
}
