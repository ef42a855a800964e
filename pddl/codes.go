package pddl

// The kinds of diagnostics. docs/ERRORS.md explains each with an example that a
// test runs; a code, once released, keeps its meaning.
const (
	// The text as a whole.

	EmptyFile         Code = "empty-file"        // nothing but white space and comments
	FileTooLarge      Code = "file-too-large"    // more than MaxSourceSize bytes
	NotText           Code = "not-text"          // UTF-16 or binary data
	IllegalCharacter  Code = "illegal-character" // a character not allowed in a name
	NameTooLong       Code = "name-too-long"     // more than MaxNameLength bytes
	NestingTooDeep    Code = "nesting-too-deep"  // more than MaxNesting open parentheses
	TooManyErrors     Code = "too-many-errors"   // more than MaxDiagnostics messages
	UnclosedParen     Code = "unclosed-parenthesis"
	ExtraParen        Code = "extra-parenthesis"
	UnexpectedToken   Code = "unexpected-token"   // a token not allowed here
	MalformedFile     Code = "malformed-file"     // not (define (domain NAME) ...) or (define (problem NAME) ...)
	TextAfterEnd      Code = "text-after-end"     // text after the closing parenthesis of define
	WrongKindOfFile   Code = "wrong-kind-of-file" // a problem where a domain is expected, or the reverse
	OddName           Code = "odd-name"           // warning: a name with characters outside the standard
	NameBeginsDigit   Code = "name-begins-with-digit"
	HyphenGluedToType Code = "hyphen-glued-to-type"

	// Sections.

	UnknownSection       Code = "unknown-section"
	UnsupportedSection   Code = "unsupported-section" // known, but not supported by planproof
	DuplicateSection     Code = "duplicate-section"
	MissingSection       Code = "missing-section"
	SectionOrder         Code = "section-order"
	UnknownRequirement   Code = "unknown-requirement"
	UndeclaredRequire    Code = "undeclared-requirement"
	DomainMismatch       Code = "domain-mismatch"
	UnsupportedConstruct Code = "unsupported-construct"

	// Declarations.

	TypeCycle          Code = "type-cycle"
	TooManyTypes       Code = "too-many-types"
	ReservedName       Code = "reserved-name"
	EitherSupertype    Code = "either-supertype"
	TooManyParameters  Code = "too-many-parameters"
	DuplicatePredicate Code = "duplicate-predicate"
	DuplicateFunction  Code = "duplicate-function"
	DuplicateObject    Code = "duplicate-object"
	DuplicateAction    Code = "duplicate-action"
	DuplicateParameter Code = "duplicate-parameter"

	// Uses.

	UndeclaredType       Code = "undeclared-type"
	UndeclaredPredicate  Code = "undeclared-predicate"
	UndeclaredFunction   Code = "undeclared-function"
	UndeclaredObject     Code = "undeclared-object"
	UndeclaredVariable   Code = "undeclared-variable"
	UndeclaredPreference Code = "undeclared-preference"
	WrongArity           Code = "wrong-arity"
	TypeMismatch         Code = "type-mismatch"
	LooseType            Code = "loose-type"

	// Formulas, effects and numbers.

	EmptyCondition        Code = "empty-condition" // () where (and) is meant
	WrongOperandCount     Code = "wrong-operand-count"
	MissingTimeSpecifier  Code = "missing-time-specifier"
	MisplacedTimeSpec     Code = "misplaced-time-specifier"
	MisplacedPreference   Code = "misplaced-preference"
	MisplacedConstraint   Code = "misplaced-constraint"
	MisplacedDuration     Code = "misplaced-duration"
	MisplacedContinuous   Code = "misplaced-continuous-time"
	BadDuration           Code = "bad-duration-constraint"
	BadContinuousEffect   Code = "bad-continuous-effect"
	ForallInTimedEffect   Code = "forall-inside-timed-effect"
	WhenInTimedEffect     Code = "when-inside-timed-effect"
	NestedObjectFluent    Code = "nested-object-fluent"
	BadNumber             Code = "bad-number"
	NegativeCost          Code = "negative-cost"
	DerivedInEffect       Code = "derived-predicate-in-effect"
	AddAndDelete          Code = "add-and-delete"
	AxiomCycle            Code = "negative-axiom-cycle"
	VariableInEffectScope Code = "vars-in-effect"

	// Initial states and metrics.

	AndInInit         Code = "and-in-init"
	BadInitElement    Code = "bad-init-element"
	ContradictoryInit Code = "contradictory-init"
	DuplicateInit     Code = "duplicate-init"
	DerivedInInit     Code = "derived-predicate-in-init"
	NegativeTime      Code = "negative-time"
	BadMetric         Code = "bad-metric"
	MissingInit       Code = "missing-init"

	// Plans.

	MalformedStep     Code = "malformed-step"
	EmptyStep         Code = "empty-step"
	MixedTimeStamps   Code = "mixed-time-stamps"
	NegativeDuration  Code = "negative-duration"
	MalformedDuration Code = "malformed-duration"
)
