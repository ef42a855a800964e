package pddl

import "slices"

// feature is a construct of the language that not every planner supports.
type feature uint8

// The features, in the order in which Features lists them.
const (
	usesTyping feature = iota
	usesEither
	usesEquality
	usesNegative
	usesDisjunctive
	usesExistential
	usesUniversal
	usesConditionalEffects
	usesUniversalEffects
	usesDerived
	usesActionCosts
	usesNumericFluents
	usesObjectFluents
	usesDurative
	usesDurationInequalities
	usesContinuousEffects
	usesProcesses
	usesEvents
	usesTimedLiterals
	usesTimedFluents
	usesConstraints
	usesPreferences
	numFeatures
)

// featureTable names each feature and the requirement that declares it.
var featureTable = [numFeatures]struct{ name, requirement string }{
	usesTyping:               {"typing", ":typing"},
	usesEither:               {"either-types", ":typing"},
	usesEquality:             {"equality", ":equality"},
	usesNegative:             {"negative-preconditions", ":negative-preconditions"},
	usesDisjunctive:          {"disjunctive-preconditions", ":disjunctive-preconditions"},
	usesExistential:          {"existential-preconditions", ":existential-preconditions"},
	usesUniversal:            {"universal-preconditions", ":universal-preconditions"},
	usesConditionalEffects:   {"conditional-effects", ":conditional-effects"},
	usesUniversalEffects:     {"universal-effects", ":conditional-effects"},
	usesDerived:              {"derived-predicates", ":derived-predicates"},
	usesActionCosts:          {"action-costs", ":action-costs"},
	usesNumericFluents:       {"numeric-fluents", ":numeric-fluents"},
	usesObjectFluents:        {"object-fluents", ":object-fluents"},
	usesDurative:             {"durative-actions", ":durative-actions"},
	usesDurationInequalities: {"duration-inequalities", ":duration-inequalities"},
	usesContinuousEffects:    {"continuous-effects", ":continuous-effects"},
	usesProcesses:            {"processes", ":time"},
	usesEvents:               {"events", ":time"},
	usesTimedLiterals:        {"timed-initial-literals", ":timed-initial-literals"},
	usesTimedFluents:         {"timed-initial-fluents", ":timed-initial-literals"},
	usesConstraints:          {"trajectory-constraints", ":constraints"},
	usesPreferences:          {"preferences", ":preferences"},
}

// FeatureNames lists the names of all language features, in the order in which
// Features reports them. `planproof capabilities` and refusals use the same names.
func FeatureNames() []string {
	names := make([]string, numFeatures)
	for i := range names {
		names[i] = featureTable[i].name
	}
	return names
}

// Feature is a language construct that an input uses, with its first use.
type Feature struct {
	Name   string
	Source *Source
	Pos    Pos
}

// implied lists, for each known requirement, those it includes. The closures are those
// of the PDDL 3.1 BNF (Kovacs 2011), with the names of PDDL 1.2 added.
var implied = map[string][]string{
	":strips":                    nil,
	":typing":                    nil,
	":equality":                  nil,
	":negative-preconditions":    nil,
	":disjunctive-preconditions": nil,
	":existential-preconditions": nil,
	":universal-preconditions":   nil,
	":quantified-preconditions":  {":existential-preconditions", ":universal-preconditions"},
	":conditional-effects":       nil,
	":fluents":                   {":numeric-fluents", ":object-fluents"},
	":numeric-fluents":           {":action-costs"},
	":object-fluents":            nil,
	":action-costs":              nil,
	":adl": {":strips", ":typing", ":negative-preconditions", ":disjunctive-preconditions", ":equality",
		":quantified-preconditions", ":conditional-effects"},
	":ucpop":                  {":adl", ":domain-axioms", ":safety-constraints"},
	":durative-actions":       nil,
	":duration-inequalities":  {":durative-actions"},
	":continuous-effects":     {":durative-actions"},
	":derived-predicates":     nil,
	":domain-axioms":          {":derived-predicates"},
	":timed-initial-literals": {":durative-actions"},
	":timed-initial-fluents":  {":timed-initial-literals"},
	":constraints":            nil,
	":preferences":            nil,
	":goal-utilities":         {":preferences"},
	":time":                   {":durative-actions", ":continuous-effects"},
	// From PDDL 1.2; their constructs are refused where they are used.
	":safety-constraints":     nil,
	":subgoal-through-axioms": nil,
	":expression-evaluation":  nil,
	":action-expansions":      nil,
	":foreach-expansions":     nil,
	":dag-expansions":         nil,
	":open-world":             nil,
	":true-negation":          nil,
	":quantified-effects":     {":conditional-effects"},
}

// requirementNames lists the known requirements for hints, in a fixed order.
var requirementNames = []string{
	":strips", ":typing", ":equality", ":negative-preconditions", ":disjunctive-preconditions",
	":existential-preconditions", ":universal-preconditions", ":quantified-preconditions",
	":conditional-effects", ":fluents", ":numeric-fluents", ":object-fluents", ":action-costs", ":adl",
	":durative-actions", ":duration-inequalities", ":continuous-effects", ":derived-predicates",
	":timed-initial-literals", ":constraints", ":preferences", ":time",
}

// RequirementNames lists the known requirements, with their colon.
func RequirementNames() []string { return slices.Clone(requirementNames) }

// closure returns the given requirements and all that they include.
func closure(declared []string) map[string]bool {
	all := map[string]bool{}
	var add func(string)
	add = func(q string) {
		if !all[q] {
			all[q] = true
			for _, i := range implied[q] {
				add(i)
			}
		}
	}
	for _, q := range declared {
		add(q)
	}
	return all
}

// usage records the first use of each feature in one source.
type usage struct {
	src  *Source
	used [numFeatures]bool
	pos  [numFeatures]int
}

// use records that the construct at pos belongs to feature f.
func (r *reader) use(f feature, pos int) {
	if u := r.usage; !u.used[f] || pos < u.pos[f] {
		u.used[f], u.pos[f] = true, pos
	}
}

// list returns the features used, in the order of their table.
func (u *usage) list() []Feature {
	var out []Feature
	for f, used := range u.used {
		if used {
			out = append(out, Feature{featureTable[f].name, u.src, Pos(u.pos[f])})
		}
	}
	return out
}

// checkRequirements warns of each feature whose requirement is not declared, once
// for each requirement. A file without any (:requirements ...) means :strips.
func (r *reader) checkRequirements(declared map[string]bool) {
	told := map[string]bool{}
	for f := range featureTable {
		q := featureTable[f].requirement
		if !r.usage.used[f] || declared[q] || told[q] {
			continue
		}
		told[q] = true
		r.warnf(UndeclaredRequire, r.usage.pos[f], r.usage.pos[f]+1, "", "%s is used, but %s is not in (:requirements ...)", featureTable[f].name, q)
	}
}

// numericEffectUse records whether a numeric effect goes beyond action costs.
func (r *reader) numericEffectUse(e *Effect, pos int) {
	cost := r.dom != nil && FunctionID(r.idx.totalCost) == e.Func && e.Op == OpIncrease && !e.Continuous &&
		(e.Value.Kind == NumConst || e.Value.Kind == NumFluent)
	if cost {
		r.use(usesActionCosts, pos)
	} else {
		r.use(usesNumericFluents, pos)
	}
}
