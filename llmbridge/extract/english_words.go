package extract

import "strings"

// wordClass sorts the English words that the engine itself knows. Words of a domain are in its template
// files.
type wordClass uint8

const (
	classNone    wordClass = iota
	classArticle           // only "the": left out of text and sentences
	classLetter            // a, an: an article only before a noun
	classLead              // first, then, we: may stand before a step
	classTell              // we, can, must: talks about a step
	classDo                // perform, execute: "perform the action X"
	classLabel             // action, step: "Action 3: X"
	classJoin              // from, on, to: between arguments
	classIt                // it, itself
	classNot               // not, cannot, impossible
	classIs                // is, are, was
	classVerb              // requires, creates: after an action's name, the line explains the action
	classSub               // once, if, since: begins a sentence without a step
	classAdverb            // directly, carefully: may stand anywhere in a sentence
	classPhase             // phase, part: "Phase 2: ..." continues a plan
	classOr                // or: between steps that exclude each other
	classNo                // no, none: "(no plan)" is no step
	classWrap              // define, begin: "(define" encloses steps
	classMeasure           // cost, minutes: what a step takes, "(cost 1)"
	classIf                // unless, otherwise: a step with a condition
	classTimes             // twice, times: a step done more than once
)

// role is what a heading says about the list below it. If its words have several roles, the highest one
// counts.
type role uint8

const (
	roleNone    role = iota
	roleFinal        // "Final ...": commits, unless to a final state
	roleState        // "Initial conditions:", "Goal:"
	roleBelow        // another heading below one of a state
	roleCommit       // "Plan:", "Answer:"
	roleChoice       // "Option 2:": one of several plans
	roleExplain      // "Explanation:", "Let's verify:"
	roleReject       // "The wrong way:", "Available actions:": never the plan
)

// phraseTable has the vocabulary indices of words that the code asks for by name.
type phraseTable struct {
	leads *patternNode // leadPhrases

	and, then, so, br, to, by, action, followed, after, that, this, next, finally, lastly, either, first, firstly, would int32
}

// basePhrases adds the engine's own words to the vocabulary.
func basePhrases(r *lexicon) phraseTable {
	set := func(class wordClass, words string) {
		for _, w := range strings.Fields(words) {
			r.info[r.intern(w)].class = class
		}
	}
	set(classArticle, "the")
	set(classLetter, "a an")
	set(classLead, "first firstly second secondly third thirdly fourth fifth sixth seventh eighth ninth tenth eleventh twelfth next now finally lastly last then and afterwards afterward after that subsequently initially again so also just instead simply only there 首先 然后 然後 接着 接著 再 之后 最后 最後 其次 まず 次に 最後に")
	set(classTell, "we you i we'd you'd i'd we'll you'll i'll it's need must will would can should let's let us have")
	set(classDo, "perform execute apply do")
	set(classLabel, "action actions step move operator act")
	set(classJoin, "from on onto to into in at with of off")
	set(classIt, "it itself")
	set(classNot, "skip ignore omit undo never don't not cannot can't isn't aren't wasn't impossible unnecessary invalid wrong incorrect redundant illegal inapplicable")
	set(classIs, "is are was were be become becomes remain remains")
	set(classVerb, "requires require needs creates create adds add sets makes removes restores deletes does has gives leads allows produces takes holds carries contains supports wants waits serves joins")
	set(classSub, "once since if when while as because that these those both all each every for by after before until although though however thus hence therefore note goal initial which where here what how why result and/or plan e.g i.e")
	set(classAdverb, "directly back carefully gently immediately straight safely")
	set(classPhase, "phase part stage")
	set(classOr, "or alternatively")
	set(classIf, "either optional if unless otherwise else whenever optionally provided providing assuming guess falls sofern")
	set(classTimes, "twice thrice times repeat repeated")
	set(classNo, "no none nothing empty null nil n/a")
	set(classWrap, "define begin progn domain problem")
	set(classMeasure, "cost costs total time duration minute minutes min seconds hours ok okay done yes fine good success completed checked")
	for role, words := range map[role]string{
		roleFinal:   "final",
		roleState:   "initial initially goal goals state states condition conditions facts configuration arrangement preconditions precondition effects effect restrictions constraints outcome",
		roleCommit:  "plan plans answer solution summary sequence actions corrected revised optimized optimised steps",
		roleExplain: "explanation explanations explain explained reasoning breakdown break verification verify verifying validate validation review analysis why key works happens justification rationale trace check checking walk walkthrough simulate simulation confirm",
		roleChoice:  "options",
		roleReject:  "wrong incorrect invalid mistake mistakes draft drafts comparison example considered fail fails flawed rejected discarded reverse available naive",
	} {
		for _, w := range strings.Fields(words) {
			r.info[r.intern(w)].role = role
		}
	}
	for _, w := range strings.Fields("plan answer solution final") {
		r.info[r.intern(w)].strong = true
	}
	for _, w := range strings.Fields("corrected revised fixed correct right better improved final") {
		r.info[r.intern(w)].mends = true
	}
	for _, w := range strings.Fields("option candidate solution plan attempt approach method strategy version variant alternative possibility either way route idea try") {
		r.info[r.intern(w)].option = true
	}
	for _, w := range strings.Fields("choose chose chosen go going answer final pick select selected prefer recommend use best therefore correct submit settle settled adopt") {
		r.info[r.intern(w)].settles = true
	}
	addDenials(r)
	leads := new(patternNode).setup()
	for _, text := range leadPhrases {
		r.addPhrase(leads, text, 0)
	}
	return phraseTable{leads: leads, and: r.intern("and"), then: r.intern("then"), so: r.intern("so"), br: r.intern("br"), to: r.intern("to"), by: r.intern("by"), action: r.intern("action"), followed: r.intern("followed"), after: r.intern("after"), that: r.intern("that"), this: r.intern("this"), next: r.intern("next"), finally: r.intern("finally"), lastly: r.intern("lastly"), either: r.intern("either"), first: r.intern("first"), firstly: r.intern("firstly"), would: r.intern("would")}
}

// leadPhrases may stand before a step: "to begin with, pick up a".
var leadPhrases = []string{"to (begin|start) [with]", "(at|in) (last|end)", "as [a] (first|second|third|next|last|final) step", "(once|with) (that|this) [is] done", "(don't|not) forget to"}

// leadPhrase returns the token after one of leadPhrases at token i, or 0.
func (l *lineReader) leadPhrase(i int) int {
	end := 0
	for n := l.r.phrases.leads; i < len(l.toks) && l.toks[i].word >= 0; i++ {
		if n = n.find(l.toks[i].word); n == nil {
			break
		}
		if n.done >= 0 {
			end = i + 1
		}
	}
	return end
}

// claim is what an answer says besides its steps.
type claim int32

const (
	claimUnsolvable claim = iota + 1 // there is no plan
	claimHolds                       // nothing needs to be done
	claimRejects                     // what stands before, or below a heading, is not to be done
)

// claimPhrases are looked for in lines without steps. "There is no plan" counts before "nothing needs to be done".
var claimPhrases = map[claim][]string{
	claimUnsolvable: {
		"no (valid|feasible|possible|viable|such|available|legal) (plan|plans|solution|way|sequence)", "no (action|actions) can be (performed|executed|taken|applied)", "no (plan|solution|way)", "(plan|plans) does not exist",
		"no [(valid|feasible|possible|viable|such|available)] sequence of [(available|possible|valid)] actions",
		"not [(actually|currently|physically|logically)] (possible|feasible|achievable|solvable|reachable|attainable)",
		"(kein|keinen|keine|ningún|ninguna|aucun|aucune|nessun|nessuna|nenhum|nenhuma) [(gültiger|gültigen|gültige|válido|válida|valide)] (plan|lösung|solución|solution|piano|soluzione|plano|solução|weg)",
		"(impossible|unsolvable|unachievable|unattainable|unreachable|infeasible|unsatisfiable|unlösbar|irresoluble|insoluble)",
		"(cannot|can't) be (achieved|reached|solved|created|satisfied|found|accomplished)", "(cannot|can't) (achieve|reach|satisfy|solve)",
	},
	claimHolds: {
		"no [(further|more|additional)] (action|actions|steps|moves|plan) (is|are) (needed|required|necessary)", "no [(further|more|additional)] (action|actions|steps|moves|plan) (needed|required|necessary)",
		"goal [(state|condition|conditions|configuration)] (has|have|is|are) [(already|been)] [been] (achieved|satisfied|met|reached|fulfilled)",
		"already (satisfied|achieved|met|holds|hold|matches|match|fulfilled|solved|reached)",
		"(empty|blank) (plan|sequence)", "plan is [therefore] empty", "plan is an empty", "(don't|not) need to (do|take|perform|move) (anything|any)", "nothing (needs|has) to be done", "do nothing",
	},
	claimRejects: {
		"(not|never|don't|wouldn't) (execute|use|follow|carry|do|perform|try|apply|submit|run|take|trust|endorse|recommend|approve) (this|that|it|these|out|following)", "(not|isn't) (my|the|a) [valid|real|proper] (plan|answer|solution)", "should have been (left|omitted|skipped|removed|deleted|replaced|swapped|different)", "(geht|funktioniert) [es|das|so] [leider] nicht", "(marche|fonctionne) pas", "(no|não|non) (es|é) [la|una|mi|a|uma|una] (solución|plan|respuesta|solução|plano|soluzione)", "(non|não) (funziona|funciona)", "не работает", "(does|will|would|did) not work", "(doesn't|won't|wouldn't|didn't|can't|cannot) work",
		"(would|will) fail", "(this|that|it) [(plan|one)] (is|was) (wrong|incorrect|invalid)", "that's (wrong|incorrect|invalid)", "(this|that) fails",
		"(ignore|disregard|discard) [(this|that|my|above|previous)] (plan|answer|list|solution|above)", "take (this|that|it) back", "what (you|to) [should] avoid", "(should|must) be avoided", "(what|how) not to do", "disagree", "read from (bottom|end|last)", "from (bottom to top|last to first|end to (start|beginning)|back to front)", "(might|may|could) (propose|suggest)", "no (funciona|sirve|ejecutar|ejecute|usar)",
		"(should|must|may) not be (executed|used|followed|performed|done|trusted)", "(retract|withdraw) (this|that|it|my)", "scratch that", "strike that", "forget (it|that|this)", "(never mind|nevermind)", "(merely|only|just) an illustration",
		"(is|are) not (executable|applicable|feasible)", "violates [(a|an|its|one|some)] (precondition|preconditions|constraint|constraints|rule|rules)", "none of (this|these|that|it|them) (is|are|can|will|works)",
		"(this|that) (plan|sequence|list|solution|approach|attempt) (does not|doesn't|fails to|cannot|can't|will not|won't) (achieve|reach|satisfy|solve|meet|accomplish)", "(steps|actions|list) [above] (is|are) (wrong|incorrect|invalid|infeasible)", "goal is not (reached|achieved|satisfied|met) by",
	},
}

// addClaims compiles claimPhrases.
func (r *lexicon) addClaims() {
	for c := claimUnsolvable; c <= claimRejects; c++ {
		for _, text := range claimPhrases[c] {
			r.addPhrase(r.claims, text, int32(c))
		}
	}
	for _, text := range verdictPhrases[signInvalid] {
		r.addPhrase(r.claims, text, int32(claimRejects))
	}
}

// claimsIn returns the claims of a line from token i on. At each word the longest phrase counts: "no plan
// is needed" is not "no plan".
func (l *lineReader) claimsIn(i int) (unsolvable, holds, rejects bool) {
	no := false // "no step violates a precondition" rejects nothing
	for ; i < len(l.toks); i++ {
		t := &l.toks[i]
		if t.bits&hasClaim == 0 {
			if t.bits&hasDenial != 0 {
				no = no || l.info(i).class == classNo
			} else if t.punct == '.' || t.punct == ',' || t.punct == ';' {
				no = false
			}
			continue
		}
		longest := int32(-1)
		for n, k := l.r.claimAt[t.word], i+1; n != nil; k++ {
			if n.done >= 0 {
				longest = n.done
			}
			if k == len(l.toks) || l.toks[k].word < 0 {
				break
			}
			n = n.find(l.toks[k].word)
		}
		no = no || longest < 0 && l.info(i).class == classNo
		if longest < 0 || i > 0 && strings.EqualFold(l.text(i-1), "why") {
			continue
		}
		unsolvable = unsolvable || longest == int32(claimUnsolvable)
		holds = holds || longest == int32(claimHolds)
		rejects = rejects || longest == int32(claimRejects) && !no
	}
	return unsolvable, holds, rejects
}
