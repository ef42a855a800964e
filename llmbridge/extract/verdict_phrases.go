package extract

import (
	"strconv"
	"strings"
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

// signNames has their names in words.txt, in order.
const signNames = "valid invalid precondition goal forbidden supposes"

// verdictBasis has the phrases. They are the same for all tasks and compiled once.
var verdictBasis = sync.OnceValue(func() *lexicon {
	r := baseLexicon()
	for i, name := range strings.Fields(signNames) {
		r.addPhrases(r.claims, "verdict "+name, int32(i+1))
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
		found, end := l.longest(l.r.claims, i)
		switch sgn := sign(found); sgn {
		case -1:
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
					if why, _ := l.longest(l.r.claims, k); sign(why) == signGoal || sign(why) == signPrecondition {
						s.reason = sign(why)
					}
				}
			}
		}
		i = end - 1
	}
	return append(all, s)
}
