package dataset

import "strings"

// phraseKind says what a line of a reasoning text tells.
type phraseKind int

const (
	phraseState  phraseKind = iota // the facts that hold and that actions can change
	phraseTodo                     // the facts of the goal that do not hold
	phraseStep                     // the next step of the plan
	phraseNeeds                    // facts that it needs, which hold
	phraseAbsent                   // facts that it must not find, which do not hold
	phraseNever                    // a step that only a constraint forbids here
	phraseAdds                     // facts that it makes true
	phraseEnds                     // facts that it makes false
	phraseDone                     // the goal holds
	phraseKinds
)

// phrase is a line: what stands before and after what varies.
type phrase struct{ before, after string }

// phrases are the lines of one language. None begins as another does, so that a line is
// read back as what it was written for.
type phrases [phraseKinds]phrase

// nothing stands for an empty list of facts.
const nothing = "nothing"

var sentences = phrases{
	phraseState:  {"These facts hold now: ", "."},
	phraseTodo:   {"The goal still asks that ", "."},
	phraseStep:   {"Step ", "."},
	phraseNeeds:  {"It needs that ", ", which is so."},
	phraseAbsent: {"It must not be done while ", ", which is not so."},
	phraseNever:  {"A constraint matters here, for it alone rules this out: ", "."},
	phraseAdds:   {"It brings about that ", "."},
	phraseEnds:   {"It is no longer so that ", "."},
	phraseDone:   {"Everything that the goal asks for holds now.", ""},
}

var symbols = phrases{
	phraseState:  {"state: ", ""},
	phraseTodo:   {"todo: ", ""},
	phraseStep:   {"step: ", ""},
	phraseNeeds:  {"needs: ", ""},
	phraseAbsent: {"absent: ", ""},
	phraseNever:  {"forbidden: ", ""},
	phraseAdds:   {"add: ", ""},
	phraseEnds:   {"del: ", ""},
	phraseDone:   {"done", ""},
}

func (p phrase) write(payload string) string { return p.before + payload + p.after }

// read finds out what a line tells.
func (p *phrases) read(line string) (kind phraseKind, payload string, ok bool) {
	for k := range p {
		rest, begins := strings.CutPrefix(line, p[k].before)
		if !begins {
			continue
		}
		rest, ends := strings.CutSuffix(rest, p[k].after)
		return phraseKind(k), rest, ends && (rest == "") == (phraseKind(k) == phraseDone)
	}
	return 0, "", false
}
