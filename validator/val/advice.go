package val

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// advise prints VAL's repair advice: what to make true or false, for the first failure.
func (s *session) advise(v *validator.Verdict) {
	f := v.Failure
	var head string
	at := fmt.Sprint(f.Step)
	if f.Time != "" {
		at = f.Time
	}
	switch {
	case isDescription(f.Kind):
		return
	case f.Kind == validator.FailGoal:
		head = "The goal is not satisfied"
	case f.Kind == validator.FailMutex:
		fmt.Fprintf(s.out, "\nPlan Repair Advice:\n\n%s has a mutex violation at time %s\nSeparate these actions!\n", lower(f.Action), at)
		return
	case f.Kind == validator.FailInvariant:
		head = fmt.Sprintf("%s has its condition unsatisfied at time %s", lower(f.Action), at)
	default:
		head = fmt.Sprintf("%s has an unsatisfied precondition at time %s", lower(f.Action), at)
	}
	fmt.Fprintf(s.out, "\nPlan Repair Advice:\n\n%s\n", head)
	var lines []string
	if v.Explanation != nil {
		for _, u := range v.Explanation.Unmet {
			lines = append(lines, piece(&u))
		}
	}
	switch len(lines) {
	case 0:
		fmt.Fprintf(s.out, "(%s)\n", f.Message)
	case 1:
		fmt.Fprintln(s.out, lines[0])
	default:
		fmt.Fprintf(s.out, "(Follow each of:\n    %s\n)\n", strings.Join(lines, "\n    and "))
	}
}

// lower writes names as VAL does, whatever their case in the files: scripts compare them.
func lower(text string) string { return atomtext.LowerASCII(text) }

// piece is the advice for one unmet part of a condition.
func piece(u *validator.Unmet) string {
	literal := lower(u.Literal)
	if u.Formula != nil {
		switch u.Formula.Kind {
		case pddl.FormulaAtom:
			return "(Set " + literal + " to true)"
		case pddl.FormulaNot:
			if inner, ok := strings.CutPrefix(literal, "(not "); ok {
				return "(Set " + strings.TrimSuffix(inner, ")") + " to false)"
			}
		}
	}
	return literal
}
