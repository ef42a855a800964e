package grounder

import "github.com/planproof/planproof/pddl"

// The kinds of diagnostics that Ground reports; docs/ERRORS.md explains them with
// those of package pddl. The first group names features without an equivalent in a
// classical task.
const (
	UnsupportedDurative      pddl.Code = "unsupported-durative-actions"
	UnsupportedProcesses     pddl.Code = "unsupported-processes"
	UnsupportedEvents        pddl.Code = "unsupported-events"
	UnsupportedConstraints   pddl.Code = "unsupported-constraints"
	UnsupportedPreferences   pddl.Code = "unsupported-preferences"
	UnsupportedTimedLiterals pddl.Code = "unsupported-timed-initial-literals"
	UnsupportedObjectFluents pddl.Code = "unsupported-object-fluents"
	UnsupportedNumeric       pddl.Code = "unsupported-numeric-fluents" // a fluent that actions change is read, or its changes matter otherwise
	UnsupportedMaximize      pddl.Code = "unsupported-maximize"
	UnsupportedMetric        pddl.Code = "unsupported-metric" // not a sum of fluents that actions only increase

	UndefinedMetric    pddl.Code = "undefined-metric"     // the metric reads a fluent without a value, or divides by zero
	NegativeActionCost pddl.Code = "negative-action-cost" // in this problem, at the effect
	CostTooLarge       pddl.Code = "cost-too-large"       // more than 62 bits in the common unit
	NumberTooLarge     pddl.Code = "number-too-large"     // an expression of more than a million bits
	DerivedInEffect    pddl.Code = "derived-predicate-in-effect"
	DerivedInInit      pddl.Code = "derived-predicate-in-init"
	NegativeAxiomCycle pddl.Code = "negative-axiom-cycle"
)
