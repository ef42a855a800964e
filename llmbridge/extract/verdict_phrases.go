package extract

import (
	"strconv"
	"sync"
)

// sign is what a phrase of an answer says.
type sign int32

const (
	signValid sign = iota + 1
	signInvalid
	signPrecondition // why: a precondition
	signGoal         // why: the goal
	signForbidden    // why: the step is forbidden
	signSupposes     // the rest of the sentence states nothing
)

// verdictPhrases are looked for in every sentence; at each word the longest counts.
var verdictPhrases = map[sign][]string{
	signValid: {
		"plan [(above|provided|given|proposed|in question)] (is|was|appears|seems|remains) [(to be)] [(indeed|thus|therefore|actually|completely|fully|entirely|perfectly|still|hence|both)] [a] [an] (valid|correct|executable|successful|sound)",
		"(is|was|it's) [(indeed|thus|therefore)] [a] (valid|correct|executable|successful) plan", "plan (works|succeeds)", "verdict [is] valid", "(answer|result|conclusion) [is] valid",
	},
	signInvalid: {
		"plan [(above|provided|given|proposed|in question)] (is|was|appears|seems|remains) [(to be)] [(indeed|thus|therefore|actually|completely|fully|entirely|still|hence)] [a] [an] (invalid|incorrect|inexecutable|unsuccessful|flawed|wrong|unsound)",
		"plan [(above|provided|given|proposed|in question)] (is|was) [(indeed|thus|therefore|actually)] not [(a|fully|completely|entirely|actually)] (valid|correct|executable|successful|sound)",
		"plan (isn't|wasn't) [a] (valid|correct|executable|successful|sound)",
		"(is|was|it's) [(indeed|thus|therefore)] [an] (invalid|incorrect|inexecutable|unsuccessful) plan", "(is|was|it's) not [a] (valid|correct|executable|successful) plan",
		"plan (fails|failed)", "plan (cannot|can't) be executed", "plan (does|did|will|would) not (work|succeed|achieve|reach)", "plan (doesn't|didn't|won't) (work|succeed|achieve|reach)", "verdict [is] invalid", "(answer|result|conclusion) [is] invalid",
	},
	signPrecondition: {
		"(unmet|unsatisfied|violated|failed|missing) (precondition|preconditions|pre-condition|pre-conditions)", "(precondition|preconditions) [of] [(for|it|this|that)] (is|are|was|were) not (met|satisfied|fulfilled|true)",
		"(precondition|preconditions) (is|are|was|were) (unmet|unsatisfied|violated)", "(precondition|preconditions) (does|do|did) not hold", "(cannot|can't) be (executed|performed|applied|carried)",
		"(is|was) not (applicable|executable|possible)", "(is|was) (inapplicable|inexecutable)", "precondition failure",
	},
	signGoal: {
		"(unmet|unsatisfied|missing) goal", "(unmet|unsatisfied|missing) goals", "goal [(condition|conditions|state)] (is|are|was|were) not (met|satisfied|reached|achieved|fulfilled|true)",
		"goal [(condition|conditions|state)] (is|are|was|were) (unmet|unsatisfied)", "(not|doesn't|didn't|fails to) [to] (achieve|reach|satisfy|meet) [(my|all|every)] goal", "goal [(condition|conditions)] (does|do|did) not hold", "goal failure",
	},
	signForbidden: {"(is|was|it's) [(also|explicitly|strictly)] (forbidden|prohibited)", "(is|was) not (allowed|permitted)"},
	signSupposes:  {"(answer|say|report|claim|claims|pretend) that", "if", "whether", "suppose", "assuming", "unless", "would be", "to be valid", "in order to be"},
}

// verdictBasis has the phrases. They are the same for all tasks and compiled once.
var verdictBasis = sync.OnceValue(func() *lexicon {
	r := &lexicon{root: new(patternNode).setup(), claims: new(patternNode).setup()}
	r.phrases = basePhrases(r)
	for s := signValid; s <= signSupposes; s++ {
		for _, text := range verdictPhrases[s] {
			r.addPhrase(r.claims, text, int32(s))
		}
	}
	r.finish()
	r.buffers.New = func() any { return &lineReader{r: r} }
	return r
})

// sentenceSigns is what one sentence says.
type sentenceSigns struct {
	verdict sign // signValid, signInvalid or 0
	reason  sign // signPrecondition, signGoal or 0
	line    int
	step    int // "step 3", 0 for none
	// forbidden: the sentence calls something forbidden.
	forbidden bool
}

// sentences appends the signs of each sentence on a line.
func (v *VerdictReader) sentences(l *lineReader, line string, at int, all []sentenceSigns) []sentenceSigns {
	l.load(line)
	s := sentenceSigns{line: at}
	supposes := false
	for i := 0; i < len(l.toks); i++ {
		switch l.punct(i) {
		case '.', '!', ';':
			all = append(all, s)
			s, supposes = sentenceSigns{line: at}, false
			continue
		case '?':
			s, supposes = sentenceSigns{line: at}, false // a question states nothing
			continue
		}
		if w := l.toks[i].word; w >= 0 && l.info(i).class == classLabel && l.numberAhead(i+1) && s.step == 0 {
			s.step, _ = strconv.Atoi(l.text(i + 1))
		}
		if l.toks[i].bits&hasClaim == 0 {
			continue
		}
		sgn, end := l.longestPhrase(i)
		switch sgn {
		case 0:
			continue
		case signSupposes:
			supposes = true
		case signForbidden:
			s.forbidden = s.forbidden || !supposes
		case signPrecondition, signGoal:
			if !supposes && s.reason == 0 {
				s.reason = sgn
			}
		default:
			if !supposes {
				s.verdict = sgn
			}
			// "The plan does not achieve the goal" is a verdict and a reason.
			for k := i + 1; k < end; k++ {
				if l.toks[k].bits&hasClaim != 0 {
					if why, _ := l.longestPhrase(k); why == signGoal || why == signPrecondition {
						s.reason = why
					}
				}
			}
		}
		i = end - 1
	}
	return append(all, s)
}

// longestPhrase returns the sign of the longest phrase at token i, or 0, and the token after it.
func (l *lineReader) longestPhrase(i int) (sign, int) {
	n, found, end := l.r.claims, int32(0), i+1
	for k := i; k < len(l.toks) && l.toks[k].word >= 0; k++ {
		if n = n.find(l.toks[k].word); n == nil {
			break
		}
		if n.done >= 0 {
			found, end = n.done, k+1
		}
	}
	return sign(found), end
}
