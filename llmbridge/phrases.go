package llmbridge

import "strings"

// wordClass sorts the English words that the engine itself knows. Everything
// that belongs to one domain is in the template files.
type wordClass uint8

const (
	classNone    wordClass = iota
	classArticle           // the: left out of text and sentences
	classLetter            // a, an: an article only before a noun
	classLead              // first, then, we: may stand before a step
	classDo                // perform, execute: "perform the action X"
	classLabel             // action, step: "Action 3: X"
	classJoin              // from, on, to: between arguments
	classIt                // it, itself
	classNot               // not, cannot, impossible
	classIs                // is, are, was
)

// role is what a heading says about the list below it.
type role uint8

const (
	roleNone    role = iota
	roleCommit       // "Plan:", "Final answer:"
	roleExplain      // "Explanation:", "Let's verify:"
	roleChoice       // "Option 2:", "Alternatively:"
)

// phraseTable holds the indices of words that are looked for by name.
type phraseTable struct {
	and, then, so, it, step, action int32
	roles                           map[int32]role
	strong                          map[int32]bool // words that name the plan itself
}

// basePhrases enters the engine's own words into the vocabulary.
func basePhrases(r *Reader) phraseTable {
	set := func(class wordClass, words string) {
		for _, w := range strings.Fields(words) {
			r.info[r.intern(w)].class = class
		}
	}
	set(classArticle, "the")
	set(classLetter, "a an")
	set(classLead, "first firstly second secondly third thirdly fourth fifth next now finally lastly last then and afterwards afterward after that subsequently initially again so also we you i need must will can let's just instead simply only")
	set(classDo, "perform execute apply do")
	set(classLabel, "action actions step move operator act")
	set(classJoin, "from on onto to into in at with of off")
	set(classIt, "it itself")
	set(classNot, "not cannot can't isn't aren't wasn't impossible unnecessary invalid wrong incorrect redundant illegal inapplicable")
	set(classIs, "is are was were be becomes would")
	roles := map[int32]role{}
	for role, words := range map[role]string{
		roleCommit:  "plan plans answer solution final summary sequence actions corrected revised optimized optimised steps",
		roleExplain: "explanation explanations explain explained reasoning breakdown break verification verify verifying review analysis why key how happens justification rationale details trace check checking walk overview",
		roleChoice:  "option alternative alternatively alternatives",
	} {
		for _, w := range strings.Fields(words) {
			roles[r.intern(w)] = role
		}
	}
	strong := map[int32]bool{}
	for _, w := range strings.Fields("plan answer solution final") {
		strong[r.intern(w)] = true
	}
	return phraseTable{
		strong: strong,
		and:    r.intern("and"), then: r.intern("then"), so: r.intern("so"), it: r.intern("it"),
		step: r.intern("step"), action: r.intern("action"), roles: roles,
	}
}

// Phrases of whole responses, in lower case. They are looked for only where a
// response commits to no steps.
var (
	unsolvablePhrases = []string{
		"no plan", "no valid plan", "no feasible plan", "no possible plan", "no viable plan", "no solution", "no valid solution",
		"not possible to", "is impossible", "it's impossible", "it is impossible", "impossible to achieve", "cannot be achieved", "can't be achieved", "cannot achieve",
		"unachievable", "unattainable", "unreachable", "unsolvable", "not solvable", "not achievable", "no sequence of actions", "no feasible sequence", "no valid sequence", "no possible sequence",
		"not feasible", "infeasible", "cannot be created", "cannot be reached", "cannot be solved", "not possible", "no way to",
	}
	goalHoldsPhrases = []string{
		"no further action", "no more action", "no actions are needed", "no action is needed", "no actions needed", "no actions are required", "no action is required", "no actions required", "no action needed", "no additional action",
		"goal has been achieved", "goal has already been", "goal is already", "goal state is already", "already satisfied", "already achieved", "already holds", "already matches", "already in the goal",
		"empty plan", "plan is empty", "plan is therefore empty", "don't need to do anything", "no plan is needed", "no plan needed", "no steps are needed", "no steps needed", "nothing needs to be done",
	}
)
