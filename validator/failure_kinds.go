package validator

// FailureNames are what the outputs call one kind of failure.
type FailureNames struct {
	// Kind is failure.kind in every verdict: of validate, score, eval and feedback.
	Kind FailureKind
	// Word sums the verdict up in the oracle's replies ("verdict"), which tell fewer kinds
	// apart; "" where there is no verdict. A plan without steps that misses the goal is "empty"
	// there.
	Word string
	// Doc says when a plan fails so.
	Doc string
}

// failureNames is the one place where kinds get their names.
var failureNames = []FailureNames{
	{FailSyntax, "parse", "its text cannot be read at this place"},
	{FailUnknownAction, "unknown_symbol", "a step names an action that does not exist"},
	{FailUnknownObject, "unknown_symbol", "a step names an object that does not exist"},
	{FailArity, "arity_type", "a step has the wrong number of arguments"},
	{FailType, "arity_type", "a step has an argument of the wrong type"},
	{FailPrecondition, "precondition", "the precondition of a step does not hold"},
	{FailNumeric, "numeric", "a value that matters is undefined"},
	{FailEffectConflict, "effect_conflict", "the effects of a step change one value in conflicting ways"},
	{FailMutex, "mutex", "two steps at the same time interfere"},
	{FailInvariant, "invariant", "a condition over all of a durative action does not hold"},
	{FailEvent, "event", "the processes and events of the world contradict each other or do not end"},
	{FailConstraint, "constraint", "a trajectory constraint does not hold"},
	{FailGoal, "goal", "the goal does not hold at the end"},
	{FailTimeout, "", "the judge's budget of work was spent: there is no verdict"},
}

var failureWords = func() map[FailureKind]string {
	words := map[FailureKind]string{}
	for _, n := range failureNames {
		words[n.Kind] = n.Word
	}
	return words
}()

// FailureKinds lists the kinds of failures with their names, in the order of docs/FEEDBACK.md.
func FailureKinds() []FailureNames { return append([]FailureNames(nil), failureNames...) }

// Word is FailureNames.Word of the kind.
func (k FailureKind) Word() string { return failureWords[k] }
