package extract

import (
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

// VerdictReader reads answers to "is this plan valid, and if not, why?". It is compiled once for a problem,
// and several goroutines may use it at once.
//
// It looks for phrases (words.txt) in each sentence, skips sentences that ask or suppose, and takes
// the last verdict. The readers of plans and states find the steps and facts.
type VerdictReader struct {
	r     *lexicon // phrases only
	plan  *Reader
	state *StateReader
}

// VerdictReading is the verdict that an answer gives.
type VerdictReading struct {
	PlanVerdict
	// Found is false if the answer gives no verdict; Valid then means nothing.
	Found bool `json:"found"`
	// Reading names the rule that was used: json, only-verdict, last-verdict (earlier ones
	// differ), before-plan (verdicts after a plan that the answer itself wrote differ),
	// single-word, yes-no; nothing-found, too-long.
	Reading    string     `json:"reading"`
	Confidence Confidence `json:"confidence"`
}

// NewVerdictReader compiles a reader. Both arguments must be non-nil.
func NewVerdictReader(dom *pddl.Domain, prob *pddl.Problem) *VerdictReader {
	return &VerdictReader{r: verdictBasis(), plan: NewReader(dom, prob, Natural), state: NewStateReader(dom, prob)}
}

// Read returns the verdict that an answer commits to. Thoughts are not read.
func (v *VerdictReader) Read(text string) VerdictReading {
	if len(text) > maxBytes {
		return VerdictReading{Reading: "too-long", Confidence: ConfidenceLow}
	}
	text = WithoutThoughts(text)
	if k := strings.Index(text, statementMark); k > 0 {
		// Models that go on after their answer make up a task and verify that too.
		if x := v.about(text[:k]); x.Found {
			return x
		}
	}
	return v.about(text)
}

// about reads the part of an answer that is about one task.
func (v *VerdictReader) about(text string) VerdictReading {
	if k := strings.Index(text, planMark); k > 0 {
		if x := v.verdict(text[:k]); x.Found {
			return v.again(x, text[k:])
		}
	}
	return v.verdict(text)
}

// The marks of a problem, a plan and a verification in PlanBench's prompts.
const statementMark, planMark, verificationMark = "[STATEMENT]", "[PLAN]", "[VERIFICATION]"

// again reads what follows after verdict x once the answer writes a plan itself. After "invalid" that is
// a corrected plan: later verdicts are about it, and only lower the confidence in x. After "valid" it is
// the same plan again, so the last verdict counts as always, except in a verification that the model
// made up.
func (v *VerdictReader) again(x VerdictReading, text string) VerdictReading {
	ours, after, _ := strings.Cut(text, verificationMark)
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

// verdict reads a text in which all verdicts are about the plan: what stands after the last [VERIFICATION].
func (v *VerdictReader) verdict(text string) VerdictReading {
	if k := strings.LastIndex(text, verificationMark); k >= 0 && strings.TrimSpace(text[k+len(verificationMark):]) != "" {
		text = text[k+len(verificationMark):]
	}
	if x, ok := v.fromJSON(text); ok {
		return x
	}
	if x := v.stated(text); x.Found {
		return x
	}
	return singleWord(text)
}

// stated reads the last verdict that the text states, rather than asks or supposes.
func (v *VerdictReader) stated(text string) VerdictReading {
	lines := strings.Split(text, "\n")
	l := v.r.buffers.Get().(*lineReader)
	defer v.r.buffers.Put(l)
	var all []sentenceSigns
	for i, line := range lines {
		all = v.sentences(l, line[:min(len(line), maxLine)], i, all)
	}
	x := VerdictReading{Reading: "nothing-found", Confidence: ConfidenceHigh}
	last := -1
	for i := range all {
		switch told := all[i].verdict; {
		case told == 0:
			continue
		case last < 0:
			x.Found, x.Reading = true, "only-verdict"
		case told != all[last].verdict:
			x.Reading, x.Confidence = "last-verdict", ConfidenceMedium
		}
		last, x.Valid = i, all[i].verdict == signValid
	}
	if !x.Found {
		return x
	}
	if !x.Valid {
		v.reason(&x, all, last, lines)
	}
	return x
}

// reason fills in why a plan is invalid, from the sentences after the verdict or else from those before.
func (v *VerdictReader) reason(x *VerdictReading, all []sentenceSigns, last int, lines []string) {
	from := all[last].line
	for n := range all { // from the verdict on, and then those before it, nearest first
		i := last + n
		if i >= len(all) {
			i = len(all) - 1 - n
		}
		if all[i].reason == 0 {
			continue
		}
		if x.Kind = "goal"; all[i].reason == signPrecondition {
			x.Kind = "precondition"
		}
		from = min(from, all[i].line)
		break
	}
	sc := v.state.r.buffers.Get().(*stateScan)
	o := v.plan.outline()
	defer v.state.r.buffers.Put(sc)
	for _, line := range lines[from:] {
		line = line[:min(len(line), maxLine)]
		if x.Action == "" && x.Kind != "goal" {
			x.Action = o.firstStep(line)
		}
		sc.load(line)
		sc.run = stateRun{}
		sc.readFacts(0)
		x.Unmet = append(append(x.Unmet, sc.run.facts...), sc.run.denied...)
	}
	o.release()
	atomtext.Sort(x.Unmet)
	x.Unmet = slices.Compact(x.Unmet)
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

// firstStep returns the first complete step that a line mentions, or "".
func (o *outline) firstStep(line string) string {
	o.load(line)
	for i := range o.toks {
		if f, status := o.one(i, nil); status == parsedStep && o.proper(&f) {
			return o.format(&f)
		}
	}
	return ""
}

// fromJSON reads an answer that is one JSON object with a member "valid", possibly in a code fence.
func (v *VerdictReader) fromJSON(text string) (VerdictReading, bool) {
	text = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(text), "```"), "json")
	var row struct {
		PlanVerdict
		Valid *bool `json:"valid"`
	}
	if rowjson.Unmarshal([]byte(strings.TrimSuffix(text, "```")), &row, false) != nil || row.Valid == nil {
		return VerdictReading{}, false
	}
	x := VerdictReading{Found: true, Reading: "json", Confidence: ConfidenceHigh}
	if x.Valid = *row.Valid; x.Valid {
		return x, true
	}
	if row.Kind == "precondition" || row.Kind == "goal" {
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
	x.Unmet = slices.Compact(x.Unmet)
	return x, true
}

// singleWord reads an answer of one word, or one that begins with yes or no.
func singleWord(text string) VerdictReading {
	f := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return (c < 'a' || c > 'z') && c != '\'' })
	if len(f) == 0 {
		return VerdictReading{Reading: "nothing-found", Confidence: ConfidenceHigh}
	}
	x := VerdictReading{Found: true, Reading: "single-word", Confidence: ConfidenceHigh}
	switch last := f[len(f)-1]; {
	case len(f) <= 2 && (last == "valid" || last == "invalid"):
		x.Valid = last == "valid" && f[0] != "not"
	case f[0] == "yes":
		x.Valid, x.Reading, x.Confidence = true, "yes-no", ConfidenceMedium
	case f[0] == "no":
		x.Reading, x.Confidence = "yes-no", ConfidenceMedium
	default:
		return VerdictReading{Reading: "nothing-found", Confidence: ConfidenceHigh}
	}
	return x
}
