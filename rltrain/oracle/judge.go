package oracle

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/rltrain/rows"
	"github.com/planproof/planproof/validator"
)

// judge decides the plan of an extraction.
func (o *Oracle) judge(ctx context.Context, t *task, x *extract.Extraction, item *rows.Item) (*validator.Verdict, rows.Status) {
	if v, status := o.unjudged(x, item); v != nil {
		return v, status
	}
	v := o.run(ctx, t, x)
	switch {
	case v.Valid:
		return v, rows.StatusValid
	case v.Failure.Kind == validator.FailTimeout:
		return v, rows.StatusTimeout
	}
	return v, rows.StatusInvalid
}

// unjudged is the verdict on an answer that commits to no plan that could be judged, nil for
// one that does.
func (o *Oracle) unjudged(x *extract.Extraction, item *rows.Item) (*validator.Verdict, rows.Status) {
	steps := x.Steps()
	switch {
	case x.Status == extract.StatusClaimsUnsolvable:
		return notRead(0, "the response says that there is no plan"), rows.StatusClaimsUnsolvable
	case x.Status == extract.StatusNoPlan && !(x.Reader == extract.Strict && cutOff(item)):
		return notRead(0, "no plan in the response"), rows.StatusNoPlan
	case x.Status == extract.StatusAmbiguous && steps == 0:
		return notRead(0, "the response offers different plans and commits to none"), rows.StatusAmbiguous
	case steps > o.opt.Limits.PlanSteps:
		return notRead(steps, fmt.Sprintf("the plan has %d steps, more than %d", steps, o.opt.Limits.PlanSteps)), rows.StatusTooLong
	case cutOff(item):
		return notRead(steps, "the response was cut off inside its plan"), rows.StatusTruncated
	}
	return nil, ""
}

// cutOff reports whether an answer ended for its length inside its plan.
func cutOff(item *rows.Item) bool { return item.Truncated && reward.OpenPlan(item.Response) }

// run judges the steps before the first malformed one. If they are all applicable
// the malformed step is the failure, at its place: it is never skipped, and what
// stands after it is never tried.
func (o *Oracle) run(ctx context.Context, t *task, x *extract.Extraction) *validator.Verdict {
	steps, malformed := x.Plan, extract.Malformed{}
	if len(x.Malformed) > 0 {
		malformed = x.Malformed[0]
		steps = steps[:min(max(malformed.Step-1, 0), len(steps))]
	}
	r := planReaders.Get().(*planReader)
	defer planReaders.Put(r)
	diags := r.read(steps)
	if diags.HasErrors() {
		// A name with a character that no PDDL name has: a malformed step as well.
		n := badLine(diags)
		malformed = extract.Malformed{Step: n, Text: steps[n-1]}
		if n <= len(x.Lines) {
			malformed.Line = x.Lines[n-1]
		}
		steps = steps[:n-1]
		if diags = r.read(steps); diags.HasErrors() {
			panic(fmt.Sprintf("steps before the first bad one cannot be read: %v", diags))
		}
	}
	scratch := t.borrow(ctx)
	v := t.judge.ValidateWith(&r.plan, scratch)
	t.scratch.Put(scratch)
	v.Steps = x.Steps()
	if malformed.Step > 0 && (v.Valid || v.Failure.Kind == validator.FailGoal) {
		v.Valid, v.Reasons = false, nil
		v.Failure = &validator.Failure{
			Kind: validator.FailSyntax, Step: malformed.Step, Line: malformed.Line,
			Message: fmt.Sprintf("step %d is not a step: %s", malformed.Step, malformed.Text),
		}
		return v
	}
	// Positions of the judge are in the plan that was extracted; the row's reader
	// wants them in the response.
	if f := v.Failure; f != nil && f.Step >= 1 && f.Step <= len(x.Lines) {
		f.Line, f.Column = x.Lines[f.Step-1], 0
	}
	return v
}

// planReader reads plans into the same memory again and again.
type planReader struct {
	reader pddl.PlanReader
	plan   pddl.Plan
}

var planReaders = sync.Pool{New: func() any { return new(planReader) }}

// read reads extracted steps, one a line, into r.plan.
func (r *planReader) read(steps []string) pddl.Diagnostics {
	return r.reader.Read(&pddl.Source{Name: "response", Text: strings.Join(steps, "\n")}, &r.plan)
}

// planOf reads extracted steps, one a line.
func planOf(steps []string) (*pddl.Plan, pddl.Diagnostics) {
	return pddl.ParsePlan(&pddl.Source{Name: "response", Text: strings.Join(steps, "\n")})
}

// badLine is the line of the first error.
func badLine(diags pddl.Diagnostics) int {
	for i := range diags {
		if diags[i].Severity == pddl.Error {
			line, _ := diags[i].LineCol()
			return line
		}
	}
	return 1
}

// notRead is the verdict on a response without a plan that could be judged.
func notRead(steps int, message string) *validator.Verdict {
	return &validator.Verdict{
		Steps: steps, CostDefined: true,
		Failure: &validator.Failure{Kind: validator.FailSyntax, Message: message},
	}
}

// extracted writes the plan that was judged, malformed steps in their places.
func extracted(x *extract.Extraction) string {
	var b strings.Builder
	m := 0
	for i := 0; i < len(x.Plan) || m < len(x.Malformed); {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if m < len(x.Malformed) && (x.Malformed[m].Step <= i+m+1 || i == len(x.Plan)) {
			b.WriteString(x.Malformed[m].Text)
			m++
			continue
		}
		b.WriteString(x.Plan[i])
		i++
	}
	return b.String()
}
