package audit

import (
	"slices"
	"strings"
	"unicode"

	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
)

// Causes of wrong verdicts, found by comparing the plan that the record has with the one that we read.
const (
	causeWeakGoal   = "a weaker goal was graded than the prompt states"
	causeName       = "the problem's name begins with a digit, which the record's validator cannot read"
	causeSet        = "every answer to this set of tasks without plans is recorded as wrong"
	causeNothing    = "nothing was extracted from an answer that has a plan"
	causeWords      = "the plan file holds words that are no steps"
	causeTwice      = "a draft and its restatement were joined: the plan was executed twice"
	causeAppended   = "steps from a commentary or another list were added to the plan"
	causeDropped    = "steps of the plan were dropped"
	causeOrder      = "the steps were put in another order"
	causeOtherSteps = "other steps or objects were read"
	causeSame       = "the same plan, but another verdict"
	causeVerdict    = "the answer about a plan or a state was read otherwise"
)

// holes say what of the benchmark's scripts each cause shows.
var holes = map[string]string{
	causeWeakGoal:   "A plan that destroys a part of the stated goal counts: the script validates against an instance whose goal is a part of it.",
	causeName:       "A right plan counts as wrong: the verdict is whether the validator's output has the words \"Plan valid\", and a file that it cannot parse gives none.",
	causeSet:        "A right answer, that there is no plan, counts as wrong, and so does a valid plan of a task that has one after all.",
	causeNothing:    "A right plan counts as wrong: lines count only if an action's name is a word between spaces and the objects are as many as its parameters.",
	causeWords:      "A right plan counts as wrong: words of the translating model go to the validator as they are.",
	causeTwice:      "A right plan counts as wrong: every line of the answer that looks like a step is executed, drafts included.",
	causeAppended:   "A right plan counts as wrong, or a wrong one as right: lines after the plan that mention an action are executed.",
	causeDropped:    "A plan with an impossible step counts as right, or a right one as wrong: a line with another number of objects than parameters is left out silently.",
	causeOrder:      "A wrong plan counts as right: the translating model puts the steps in an order that can be executed.",
	causeOtherSteps: "Objects are all names that occur in a line, in the order of their first place.",
	causeSame:       "The plan file has one fixed name, and runs in one folder overwrite it.",
	causeVerdict:    "Answers about a plan or a state are compared by words of one wording.",
}

// causeOf explains a difference between our grade and the record.
func causeOf(r *record, g *eval.GradedResponse, stated *statedTasks) string {
	if r.Kind == prompt.KindVerification || r.Kind == prompt.KindExecution {
		return causeVerdict
	}
	if r.UnsolvableSet {
		return causeSet
	}
	p, err := stated.of(r.Query)
	if err != nil {
		return causeOtherSteps
	}
	reader := extract.NewReader(p.Domain, p, extract.Natural)
	ours := reader.Extract(r.Text).Plan
	if strings.TrimSpace(r.Extracted) == "" && len(ours) > 0 {
		return causeNothing
	}
	theirs, other := recordedSteps(reader, r.Extracted)
	switch {
	case g.Difference == "gained" && slices.Equal(ours, theirs) && badName(p.Name):
		return causeName
	case other:
		return causeWords
	case slices.Equal(ours, theirs) && (r.Kind == prompt.KindReuse || r.Kind == prompt.KindPartialToFull):
		return causeWeakGoal
	case slices.Equal(ours, theirs):
		return causeSame
	case len(theirs) >= 2*len(ours) && len(ours) > 0 && slices.Equal(theirs[:len(ours)], ours) && contains(theirs[len(ours):], ours),
		twice(theirs):
		return causeTwice
	case contains(theirs, ours):
		return causeAppended
	case contains(ours, theirs):
		return causeDropped
	}
	a, b := slices.Clone(ours), slices.Clone(theirs)
	slices.Sort(a)
	slices.Sort(b)
	if slices.Equal(a, b) {
		return causeOrder
	}
	return causeOtherSteps
}

func badName(name string) bool { return name != "" && unicode.IsDigit(rune(name[0])) }

// recordedSteps reads the plan of a record, whose objects may be the words of the prompt, and reports whether
// it has lines that are no steps.
func recordedSteps(reader *extract.Reader, text string) (steps []string, other bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, ";"):
		case !strings.HasPrefix(line, "(") || !strings.HasSuffix(line, ")"):
			other = true
		default:
			if x := reader.Extract("[PLAN]\n" + line + "\n[PLAN END]"); len(x.Plan) == 1 && len(x.Malformed) == 0 {
				line = x.Plan[0]
			}
			steps = append(steps, line)
		}
	}
	return steps, other
}

// contains reports whether the steps of part are in all, in their order.
func contains(all, part []string) bool {
	for _, s := range all {
		if len(part) > 0 && s == part[0] {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// twice reports whether a plan is one half, repeated.
func twice(steps []string) bool {
	h := len(steps) / 2
	return h > 0 && len(steps)%2 == 0 && slices.Equal(steps[:h], steps[h:])
}
