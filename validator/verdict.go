package validator

import "github.com/planproof/planproof/pddl"

// FailureKind is the reason why a plan is invalid, spelled as in the JSON verdict.
type FailureKind string

// Kinds of failures.
const (
	FailSyntax         FailureKind = "syntax"
	FailUnknownAction  FailureKind = "unknown-action"
	FailArity          FailureKind = "arity"
	FailUnknownObject  FailureKind = "unknown-object"
	FailType           FailureKind = "type"
	FailPrecondition   FailureKind = "precondition"
	FailMutex          FailureKind = "mutex"
	FailInvariant      FailureKind = "invariant"
	FailEffectConflict FailureKind = "effect-conflict"
	FailNumeric        FailureKind = "numeric"
	FailEvent          FailureKind = "event"
	FailConstraint     FailureKind = "constraint"
	FailGoal           FailureKind = "goal"
	FailTimeout        FailureKind = "timeout"
)

// Failure is the first thing that makes a plan invalid.
type Failure struct {
	Kind FailureKind `json:"kind"`
	// Step is the 1-based number of the failing step in execution order, 0 for a
	// goal or syntax failure.
	Step int `json:"step,omitempty"`
	// Action is the failing step as written, "(stack a b)".
	Action string `json:"action,omitempty"`
	// Time is when a timed plan fails, and At the part of the durative step that does:
	// "start", "over all" or "end".
	Time string `json:"time,omitempty"`
	At   string `json:"at,omitempty"`
	// Line and Column place the step or the syntax error in the plan's text, 1-based.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Unsatisfied lists the ground literals and comparisons that do not hold.
	Unsatisfied []string `json:"unsatisfied,omitempty"`
	// Because says which earlier step made the first of them false.
	Because string `json:"because,omitempty"`
	Message string `json:"message"`
}

// Violation is a preference that a plan violates.
type Violation struct {
	Preference string `json:"preference"`
	Times      int64  `json:"times"`
	// Cost is what the violations add to the metric: its value less what it would be without
	// them. It is nil if the metric does not name the preference.
	Cost *string `json:"cost,omitempty"`
}

// Verdict is the result of judging a plan. Exit codes, JSON, explanations, rewards and
// rows of data sets are all functions of it.
type Verdict struct {
	Valid bool
	// Cost is the exact value of the metric for the executed prefix, or the number of
	// executed steps if the problem has no metric. CostDefined is false if the metric's
	// value is undefined.
	Cost        pddl.Number
	CostDefined bool
	// TotalCost is the accumulated total-cost, if the problem has no metric but the domain
	// increases total-cost; HasTotalCost reports that.
	TotalCost    pddl.Number
	HasTotalCost bool
	// Makespan is the end of the last action, of a plan judged in time; HasMakespan reports that.
	Makespan    pddl.Number
	HasMakespan bool
	// Violated lists the preferences that the plan violates, in the order of the text.
	Violated []Violation
	// Steps in the plan, and steps applied before the first failure.
	Steps, Executed int
	// GoalReached reports whether the goal holds in the state after the executed steps.
	GoalReached bool
	Failure     *Failure // nil when valid

	// Warnings list deviations that were tolerated in the plan.
	Warnings []string
	// Reasons are the unmet parts of the failing condition with their histories, for the
	// function Explain; Failure.Unsatisfied and Failure.Because are taken from them.
	Reasons []Reason
	// Changes lists atoms in which the state before the failure differs from the
	// initial state: "+ (atom)" or "- (atom)".
	Changes []string
	// Explanation has more details; nil unless Judge.Explain made the verdict and the plan
	// is invalid.
	Explanation *Explanation
	// World lists what happened by itself until the plan's end or failure, in order: events, and
	// processes that started or stopped. Only Judge.Explain fills it in; of more than 200 changes
	// it keeps the first, and WorldOmitted counts the others.
	World        []WorldChange
	WorldOmitted int
}

// NatureChange is something that happens by itself.
type NatureChange string

// What processes and events do.
const (
	EventHappens  NatureChange = "event"
	ProcessStarts NatureChange = "start"
	ProcessStops  NatureChange = "stop"
)

// WorldChange is one event, or a process that starts or stops.
type WorldChange struct {
	Time string       `json:"time"` // exact: a decimal or a fraction
	What NatureChange `json:"what"`
	Name string       `json:"name"` // with its objects, as in PDDL
}

// Decided reports whether the plan is valid or invalid. If not, a limit ended judging
// (kind timeout).
func (v *Verdict) Decided() bool { return v.Failure == nil || v.Failure.Kind != FailTimeout }
