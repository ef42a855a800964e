package prompt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// Kind is what a prompt asks for: a task kind of PlanBench (Valmeekam et
// al., 2023, section 3).
type Kind string

// Kinds of tasks.
const (
	KindGeneration    Kind = "generation"      // a plan
	KindCostOptimal   Kind = "cost-optimal"    // a cheapest plan, and its cost
	KindVerification  Kind = "verification"    // is this plan valid, and if not why?
	KindReuse         Kind = "reuse"           // a plan that is part of a given one
	KindGeneralise    Kind = "generalisation"  // a plan, after plans of smaller tasks
	KindReplanning    Kind = "replanning"      // a plan after an unexpected change
	KindExecution     Kind = "execution"       // the state after given actions
	KindGoalShuffle   Kind = "goal-shuffle"    // the same task, goals in another order
	KindFullToPartial Kind = "full-to-partial" // the same task, part of the goal state
	KindPartialToFull Kind = "partial-to-full" // the same task, the whole goal state
	KindUnsolvable    Kind = "unsolvable"      // a task without a plan
)

// Kinds lists all kinds in the order of docs/PROMPTS.md.
func Kinds() []Kind {
	return []Kind{
		KindGeneration, KindCostOptimal, KindVerification, KindReuse, KindGeneralise, KindReplanning,
		KindExecution, KindGoalShuffle, KindFullToPartial, KindPartialToFull, KindUnsolvable,
	}
}

// showsOwnTask reports whether a kind shows the query's own task, solved, as an example. Such kinds test
// whether a model notices that.
func (k Kind) showsOwnTask() bool {
	return k == KindReuse || k == KindGoalShuffle || k == KindFullToPartial || k == KindPartialToFull
}

// Style is the language of a prompt.
type Style string

// Styles.
const (
	StyleNL   Style = "nl"   // sentences
	StylePDDL Style = "pddl" // domain and problem as PDDL
	// StyleCompact: only the problem, in a few lines of PDDL, for small models that learn the
	// domain from examples.
	StyleCompact Style = "compact"
)

// Reasoning says how a prompt asks a model to think.
type Reasoning string

// Kinds of reasoning.
const (
	ReasonNone  Reasoning = "none"
	ReasonCoT   Reasoning = "cot"   // think step by step, then answer
	ReasonState Reasoning = "state" // state tracking: the state before and after each action
)

// Incantations are the seven texts that Chawla (Planning with Large Language Models, table 3.2) appends
// to a prompt to make a model reason. They are conditions of an experiment, so their wording is kept.
// Options.Incantation takes their number.
var Incantations = []string{
	"Let's think step by step",
	"Step by step reason about the actions you choose to take",
	"Step by step reason about actions you play.",
	"Step by step reason about actions you take.",
	"Strategise at each step before you choose an action, then form a final plan.",
	"Wait and then",
	"Wait, reason step-by-step about the actions you choose to take. Only answer within '[PLAN] [PLAN END]' tags.",
}

// Task is a task to make a prompt of.
type Task struct {
	ID      string
	Problem *pddl.Problem
	// Bundled is the name of a bundled task, "blocksworld:4-17", or "". Examples for a bundled
	// task come from the same generator.
	Bundled string
}

// Options says which prompt to make. The zero value is a zero-shot prompt for a plan, in the domain's
// sentences.
type Options struct {
	Kind  Kind
	Style Style
	// Templates names a template file, as for NewRenderer.
	Templates string
	// Shots is the number of worked examples before the query. Kinds that show their own task do so
	// in addition. Negative: the usual number of the kind.
	Shots int
	// Examples are problems of the same domain for the examples. Without them the bundled generator
	// makes some, or random walks in the query's state space. No example has the query's initial
	// state and goal.
	Examples []*pddl.Problem
	Seed     uint64

	Reasoning   Reasoning
	Incantation string // text, or the number of one of Incantations
	// System is the system message; "think" stands for the one of Chawla, figure 12.
	System string
	// Answer is the reader that the answer is for; "" is natural. For the strict one the prompt states the
	// answer contract (package contract), ends before the answer's beginning and has PlanTags. A compact
	// prompt says as little of the contract as of the domain: its examples show both.
	Answer extract.Kind
	// PlanTags puts plans between <plan> and </plan> rather than [PLAN] and [PLAN END].
	PlanTags bool

	// Budget limits the cost of the plan, worded as a time limit in minutes (Budget-BlocksWorld,
	// CATS, appendix C). Slack computes what a loose budget adds to the least cost.
	Budget *costmodel.BudgetSpec
	Slack  func(*pddl.Problem) (pddl.Number, error)
	// Reprice, if set, changes the costs of actions (a cost schedule), in the task and in examples.
	Reprice func(*pddl.Problem) (*pddl.Problem, error)
	// Constraints are additional sentences that restrict the plan.
	Constraints []string
	// Rename replaces the names of the task.
	Rename RenameStyle
	// Candidate is the kind of plan to verify: valid, inexecutable, goal-unmet or, for restricted
	// tasks, forbidden. "" draws one.
	Candidate string

	// Without leaves out parts of the prompt.
	Without Mask
	// NoGold leaves out the gold answer, and the search for it unless the prompt needs one (for an
	// example, a plan or a budget). The prompt stays the same.
	NoGold bool
	Limits search.Limits
	// Solve, if set, replaces the search for a cheapest plan, for the query and for examples. If it
	// returns solvable false, there is no plan.
	Solve func(ctx context.Context, p *pddl.Problem) (plan []string, cost string, solvable bool, err error)
}

// ErrOption is wrapped by errors about options that do not fit the task or each other.
var ErrOption = errors.New("bad prompt option")

func optionError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrOption, fmt.Sprintf(format, args...))
}

// normal checks the options and fills in defaults.
func (o Options) normal() (Options, error) {
	if o.Kind == "" {
		o.Kind = KindGeneration
	}
	if o.Style == "" {
		o.Style = StyleNL
	}
	if o.Reasoning == "" {
		o.Reasoning = ReasonNone
	}
	if o.Shots < 0 {
		o.Shots = 0
		if o.Kind == KindGeneralise {
			o.Shots = 3
		}
	}
	if !slices.Contains(Kinds(), o.Kind) {
		return o, optionError("there is no task kind %q: there are %s", o.Kind, spell.Names(Kinds()))
	}
	if o.Style != StyleNL && o.Style != StylePDDL && o.Style != StyleCompact {
		return o, optionError("there is no style %q: it is nl, pddl or compact", o.Style)
	}
	switch o.Reasoning {
	case ReasonNone, ReasonCoT, ReasonState:
	default:
		return o, optionError("there is no reasoning %q: it is none, cot or state", o.Reasoning)
	}
	switch o.Answer {
	case "", extract.Natural:
	case extract.Strict:
		if o.Kind == KindVerification || o.Kind == KindExecution || o.Kind == KindUnsolvable {
			return o, optionError("the answer contract is for plans, and %s asks for something else", o.Kind)
		}
		o.PlanTags = true
	default:
		return o, optionError("there is no kind of answer %q: it is strict or natural", o.Answer)
	}
	if o.Reasoning == ReasonState && (o.Kind == KindVerification || o.Kind == KindExecution || o.Kind == KindUnsolvable) {
		return o, optionError("state tracking is a way to give a plan, which %s does not ask for", o.Kind)
	}
	switch o.Candidate {
	case "", candidateValid, candidateInexecutable, candidateGoal, candidateForbidden:
	default:
		return o, optionError("there is no candidate %q: it is valid, inexecutable, goal-unmet or forbidden", o.Candidate)
	}
	if o.Kind == KindGeneralise && o.Shots == 0 {
		return o, optionError("generalisation needs examples: --shots must not be 0")
	}
	if n := len(o.Incantation); n == 1 && o.Incantation[0] >= '1' && int(o.Incantation[0]-'1') < len(Incantations) {
		o.Incantation = Incantations[o.Incantation[0]-'1']
	} else if n > 0 && strings.Trim(o.Incantation, "-0123456789") == "" {
		return o, optionError("there is no incantation %s: their numbers go from 1 to %d", o.Incantation, len(Incantations))
	}
	for _, c := range o.Constraints {
		if strings.TrimSpace(c) == "" || strings.ContainsAny(c, "\n\r") {
			return o, optionError("a constraint is one line of text, not %q", c)
		}
	}
	return o, o.Without.check()
}
