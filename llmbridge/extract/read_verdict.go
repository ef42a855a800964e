package extract

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/pddl"
)

// VerdictReader reads answers to "is this plan valid, and if not, why?". It is compiled
// once for a problem and may be used by several goroutines.
//
// It is phrases (verdictPhrases) and a small engine: the phrases are a trie over the
// words of the answer, sentences that ask or suppose do not count, and the last verdict
// does. Steps and facts are found by the readers of plans and states.
type VerdictReader struct {
	r     *lexicon // phrases only
	plan  *Reader
	state *StateReader
}

// VerdictReading is the verdict that an answer gives.
type VerdictReading struct {
	PlanVerdict
	// Found is false when the answer gives no verdict; Valid then means nothing.
	Found bool `json:"found"`
	// Reading names the rule that was used: json, only-verdict, last-verdict (others
	// before it differ), before-plan (others differ that stand after a plan which the
	// answer made), single-word, yes-no; nothing-found, too-long.
	Reading    string     `json:"reading"`
	Confidence Confidence `json:"confidence"`
}

// sign is what a phrase of an answer says.
type sign int32

const (
	signValid sign = iota + 1
	signInvalid
	signPrecondition // why: a precondition
	signGoal         // why: the goal
	signForbidden    // why: the step is forbidden
	signSupposes     // what follows in the sentence is no statement
)

// verdictPhrases are looked for in every sentence, the longest at each word.
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

// NewVerdictReader compiles a reader. Both arguments must be non-nil.
func NewVerdictReader(dom *pddl.Domain, prob *pddl.Problem) *VerdictReader {
	return &VerdictReader{r: verdictBasis(), plan: NewReader(dom, prob), state: NewStateReader(dom, prob)}
}

// verdictBasis holds the phrases: the same for all tasks, and therefore made once.
var verdictBasis = sync.OnceValue(func() *lexicon {
	r := &lexicon{root: new(patternNode).setup(), claims: new(patternNode).setup()}
	r.phrases = basePhrases(r)
	for s := signValid; s <= signSupposes; s++ {
		for _, text := range verdictPhrases[s] {
			for _, n := range r.addParts([]*patternNode{r.claims.setup()}, splitPattern(text)) {
				if n.done < 0 {
					n.done = int32(s)
				}
			}
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
	// forbidden: the sentence says that something is forbidden.
	forbidden bool
}

// Read returns the verdict that an answer commits to. Thoughts are not read.
func (v *VerdictReader) Read(text string) VerdictReading {
	if len(text) > maxBytes {
		return VerdictReading{Reading: "too-long", Confidence: ConfidenceLow}
	}
	text = WithoutThoughts(text)
	if k := strings.Index(text, "[STATEMENT]"); k > 0 {
		// A model that goes on after its answer makes up a task, and verifies that too.
		if x := v.about(text[:k]); x.Found {
			return x
		}
	}
	return v.about(text)
}

// about is Read of what is about one task.
func (v *VerdictReader) about(text string) VerdictReading {
	if k := strings.Index(text, planMark); k > 0 {
		if x := v.verdict(text[:k]); x.Found {
			return v.again(x, text[k:])
		}
	}
	return v.verdict(text)
}

// planMark begins a plan in PlanBench's prompts.
const planMark = "[PLAN]"

// again reads what an answer with the verdict x writes from a plan on. A plan after "invalid"
// is a mended one: the verdicts after it are about that, and where they differ x is not
// sure. There is nothing to mend about a plan that was found valid: the plan is told again,
// and as ever the last verdict counts, but for those of a verification that is made up too.
func (v *VerdictReader) again(x VerdictReading, text string) VerdictReading {
	ours, after, _ := strings.Cut(text, "[VERIFICATION]")
	for _, part := range strings.Split(ours, planMark) {
		y := v.stated(part)
		if !y.Found || y.Valid == x.Valid {
			continue
		}
		if x.Confidence = ConfidenceMedium; !x.Valid {
			x.Reading = "before-plan"
			return x
		}
		x, x.Reading, x.Confidence = y, "last-verdict", ConfidenceMedium
	}
	if y := v.stated(after); x.Valid && y.Found && !y.Valid {
		x.Reading, x.Confidence = "before-plan", ConfidenceMedium
	}
	return x
}

// verdict reads a text in which all verdicts are about the plan.
func (v *VerdictReader) verdict(text string) VerdictReading {
	text = afterMarker(text)
	if x, ok := v.fromJSON(text); ok {
		return x
	}
	if x := v.stated(text); x.Found {
		return x
	}
	return singleWord(text)
}

// stated reads the last verdict that is a statement.
func (v *VerdictReader) stated(text string) VerdictReading {
	lines := strings.Split(text, "\n")
	l := v.r.buffers.Get().(*lineReader)
	defer v.r.buffers.Put(l)
	var all []sentenceSigns
	for i, line := range lines {
		if len(line) > maxLine {
			line = line[:maxLine]
		}
		all = v.sentences(l, line, i, all)
	}
	last, first := -1, -1
	for i := range all {
		if all[i].verdict != 0 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if last < 0 {
		return VerdictReading{Reading: "nothing-found", Confidence: ConfidenceHigh}
	}
	x := VerdictReading{Found: true, Reading: "only-verdict", Confidence: ConfidenceHigh}
	x.Valid = all[last].verdict == signValid
	for i := first; i < last; i++ {
		if all[i].verdict != 0 && all[i].verdict != all[last].verdict {
			x.Reading, x.Confidence = "last-verdict", ConfidenceMedium
		}
	}
	if !x.Valid {
		v.reason(&x, all, last, lines)
	}
	return x
}

// afterMarker returns what stands after the last [VERIFICATION], up to a new problem.
func afterMarker(text string) string {
	if k := strings.LastIndex(text, "[VERIFICATION]"); k >= 0 {
		if after := text[k+len("[VERIFICATION]"):]; strings.TrimSpace(after) != "" {
			text = after
		}
	}
	if k := strings.Index(text, "[STATEMENT]"); k > 0 {
		text = text[:k]
	}
	return text
}

// sentences reads the signs of each sentence of a line.
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
			s, supposes = sentenceSigns{line: at}, false // a question says nothing
			continue
		}
		if w := l.toks[i].word; w >= 0 && l.info(i).class == classLabel && l.numberAhead(i+1) && s.step == 0 {
			s.step, _ = strconv.Atoi(l.text(i + 1))
		}
		if !l.info(i).claim {
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
				if l.info(k).claim {
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

// longestPhrase returns the sign of the longest phrase at token i, 0 for none, and the
// token after it.
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

// reason fills in why a plan is invalid, from the verdict's sentence on; failing that,
// from what stands before it.
func (v *VerdictReader) reason(x *VerdictReading, all []sentenceSigns, last int, lines []string) {
	from := all[last].line
	for _, i := range reasonOrder(len(all), last) {
		if all[i].reason != 0 {
			x.Kind = map[sign]string{signPrecondition: "precondition", signGoal: "goal"}[all[i].reason]
			if i < last {
				from = all[i].line
			}
			break
		}
	}
	sc := v.state.r.buffers.Get().(*stateScan)
	o := v.plan.outline()
	defer v.state.r.buffers.Put(sc)
	for i := from; i < len(lines); i++ {
		line := lines[i]
		if len(line) > maxLine {
			line = line[:maxLine]
		}
		if x.Action == "" && x.Kind != "goal" {
			x.Action = o.firstStep(line)
		}
		sc.load(line)
		sc.facts, sc.denied, sc.odd = nil, nil, nil
		sc.readFacts(0)
		x.Unmet = append(append(x.Unmet, sc.facts...), sc.denied...)
	}
	o.release()
	atomtext.Sort(x.Unmet)
	x.Unmet = compactStrings(x.Unmet)
	if x.Kind == "goal" {
		return
	}
	for i := range all {
		x.Forbidden = x.Forbidden || all[i].forbidden && all[i].line >= from
	}
	for i := last; i < len(all); i++ {
		if all[i].step > 0 {
			x.Step = all[i].step
			return
		}
	}
}

// reasonOrder lists the sentences from the verdict on, then those before it, the
// nearest first.
func reasonOrder(n, last int) []int {
	var out []int
	for i := last; i < n; i++ {
		out = append(out, i)
	}
	for i := last - 1; i >= 0; i-- {
		out = append(out, i)
	}
	return out
}

// firstStep finds the first step that a line mentions, "" for none.
func (o *outline) firstStep(line string) string {
	o.load(line)
	for i := range o.toks {
		if w := o.info(i); !w.step && o.punct(i) != '(' {
			continue
		}
		f, status := o.one(i, nil)
		if status != parsedStep {
			continue
		}
		known := o.r.lookup(f.name)
		if known < 0 || o.r.info[known].action < 0 || len(f.args) != o.r.actions[o.r.info[known].action].arity {
			continue
		}
		ok := true
		for _, a := range f.args {
			ok = ok && a.object >= 0
		}
		if ok {
			return o.format(&f)
		}
	}
	return ""
}

func compactStrings(s []string) []string {
	out := s[:0]
	for i, w := range s {
		if i == 0 || w != s[i-1] {
			out = append(out, w)
		}
	}
	return out
}

// fromJSON reads an answer that is one JSON object with "valid", in a code fence or not.
func (v *VerdictReader) fromJSON(text string) (VerdictReading, bool) {
	t := strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(t, "```json"); ok {
		t = rest
	} else if rest, ok := strings.CutPrefix(t, "```"); ok {
		t = rest
	}
	t = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(t), "```"))
	if !strings.HasPrefix(t, "{") {
		return VerdictReading{}, false
	}
	var row struct {
		Valid  *bool    `json:"valid"`
		Kind   string   `json:"kind"`
		Step   int      `json:"step"`
		Action string   `json:"action"`
		Unmet  []string `json:"unmet"`

		Forbidden bool `json:"forbidden"`
	}
	if json.Unmarshal([]byte(t), &row) != nil || row.Valid == nil {
		return VerdictReading{}, false
	}
	x := VerdictReading{Found: true, Reading: "json", Confidence: ConfidenceHigh}
	x.Valid = *row.Valid
	if x.Valid {
		return x, true
	}
	switch row.Kind {
	case "precondition", "goal":
		x.Kind = row.Kind
	}
	x.Step, x.Forbidden = max(row.Step, 0), row.Forbidden
	o := v.plan.outline()
	x.Action = o.firstStep(row.Action)
	o.release()
	for _, u := range row.Unmet {
		s := v.state.Read(u)
		for _, f := range s.Facts {
			if v.state.Says(f) {
				x.Unmet = append(x.Unmet, f)
			}
		}
		x.Unmet = append(x.Unmet, s.Denied...)
	}
	atomtext.Sort(x.Unmet)
	x.Unmet = compactStrings(x.Unmet)
	return x, true
}

// singleWord reads an answer that begins with yes or no, or is one word.
func singleWord(text string) VerdictReading {
	f := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return (c < 'a' || c > 'z') && c != '\'' })
	if len(f) == 0 {
		return VerdictReading{Reading: "nothing-found", Confidence: ConfidenceHigh}
	}
	x := VerdictReading{Found: true, Reading: "single-word", Confidence: ConfidenceHigh}
	switch {
	case len(f) <= 2 && f[len(f)-1] == "valid" && f[0] != "not":
		x.Valid = true
	case len(f) <= 2 && (f[len(f)-1] == "invalid" || f[0] == "not" && f[len(f)-1] == "valid"):
	case f[0] == "yes":
		x.Valid, x.Reading, x.Confidence = true, "yes-no", ConfidenceMedium
	case f[0] == "no":
		x.Reading, x.Confidence = "yes-no", ConfidenceMedium
	default:
		return VerdictReading{Reading: "nothing-found", Confidence: ConfidenceHigh}
	}
	return x
}
