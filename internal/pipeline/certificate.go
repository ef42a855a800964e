package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/certificate"
	"github.com/planproof/planproof/search/lifted"
	"github.com/planproof/planproof/validator"
)

// Certify makes the certificate of a search's outcome, with the texts of the problem, and
// returns the task that it belongs to. That is another one than task where grounding has
// decided the problem and left nothing to look at: then all of it is certified. Limits and
// observer are those of opt.Search. Errors are those of [grounder.Ground] and
// [search.Certify]. Of a query p is its problem; opt.Query says so in the certificate, and a step
// is certified with everything kept, so that its operators are there.
func Certify(ctx context.Context, p *pddl.Problem, task *grounder.Task, res *search.Result, opt Options) (*search.Certification, *grounder.Task, error) {
	whole := task.Unsolvable || task.Trivial || opt.Query != nil && opt.Query.Step != ""
	if whole {
		opt.Ground.KeepIrrelevant, opt.Ground.ObjectFluents, opt.Ground.NumericFluents = true, true, true
		var err error
		if task, err = grounder.Ground(ctx, p, opt.Ground); err != nil {
			return nil, nil, err
		}
	}
	cert, err := search.Certify(ctx, task, res, opt.Search.Limits, opt.Search.Observer)
	if err != nil {
		return nil, nil, err
	}
	cert.Whole = whole
	certificate.SetTexts(&cert.Header, p)
	if q := opt.Query; q != nil {
		cert.Goal, cert.Step = q.Goal, q.Step
	}
	return cert, task, nil
}

// SaveCertificate makes the certificate of a search's outcome and writes it to path; see [Certify] and
// [certificate.Save], which explains replace. That there is none, for a limit or because nothing was
// claimed, is part of what is returned; an error is of grounding or of writing.
func SaveCertificate(ctx context.Context, p *pddl.Problem, task *grounder.Task, res *search.Result, opt Options, path string, replace func(path string, write func(io.Writer) error) error) (*certificate.Saved, error) {
	if res.Search == lifted.Name {
		return &certificate.Saved{Error: lifted.Name + " makes no certificates: they are about ground tasks"}, nil
	}
	cert, task, err := Certify(ctx, p, task, res, opt)
	var limit *search.LimitError
	switch {
	case errors.As(err, &limit):
		return &certificate.Saved{Error: fmt.Sprintf("%s after %d states", limit.Status, limit.States)}, nil
	case errors.Is(err, search.ErrNoClaim), errors.Is(err, search.ErrNumbers):
		return &certificate.Saved{Error: err.Error()}, nil
	case err != nil:
		return nil, err
	}
	return certificate.Save(path, task, cert.Certificate, cert.CPUSeconds, replace)
}

// CertificateVerdict is the outcome of CheckCertificate, in the form of
// `check-certificate --json`.
type CertificateVerdict struct {
	Holds bool    `json:"holds"`
	Claim string  `json:"claim"`
	Cost  *string `json:"cost,omitempty"` // of the claim: no plan costs less
	// Goal and Step are what the certificate is about, if that is not the problem's own goal.
	Goal   string `json:"goal,omitempty"`
	Step   string `json:"step,omitempty"`
	Reason string `json:"reason,omitempty"`
	// PlanSteps is the length of the plan that the judge found to be valid, of the claimed
	// cost.
	PlanSteps *int  `json:"plan_steps,omitempty"`
	SameTexts bool  `json:"same_texts"` // byte by byte; the task is always the same
	Bytes     int64 `json:"bytes"`      // of the file, for the caller to fill in
	certificate.Report
}

// Size says how large the certificate is.
func (r *CertificateVerdict) Size() string {
	return fmt.Sprintf("%d bytes, %s (%d direct), %d transitions, %s, %s, %s", r.Bytes, spell.Plural(r.States, "state"), r.Direct, r.Transitions,
		spell.Plural(r.Groups, "group"), spell.Plural(r.Zones, "zone"), spell.Plural(r.Tables, "table"))
}

// String says in a line what is proven, or why nothing is.
func (r *CertificateVerdict) String() string {
	switch {
	case !r.Holds:
		return "refused: " + r.Reason
	case r.Step != "" && r.Cost == nil:
		return "holds: the step " + r.Step + " can never be applied"
	case r.Goal != "" && r.Cost == nil:
		return "holds: " + r.Goal + " can never hold"
	case r.Cost == nil:
		return "holds: there is no plan"
	case r.PlanSteps != nil:
		return fmt.Sprintf("holds: the plan is valid, and no plan costs less than its %s (%s)", *r.Cost, spell.Plural(*r.PlanSteps, "step"))
	}
	return "holds: no plan costs less than " + *r.Cost
}

// CheckCertificate checks a certificate of a grounded problem and has the judge confirm its
// plan, or another one if plan is not nil. A certificate that is refused is a verdict that
// does not hold, with the diagnostics of a plan that cannot be read. Errors are those of
// [certificate.Check] but refusals, of a problem that cannot be judged, and of a plan that
// the judge could not decide within its limits (search.ErrLimit): nothing is decided then.
func CheckCertificate(ctx context.Context, p *pddl.Problem, task *grounder.Task, cert *certificate.Certificate, plan *pddl.Source, memory int64) (*CertificateVerdict, pddl.Diagnostics, error) {
	r := &CertificateVerdict{Claim: cert.Claim.String(), Goal: cert.Goal, Step: cert.Step, SameTexts: certificate.SameTexts(&cert.Header, p)}
	if cert.Claim != certificate.Unsolvable {
		cost := task.PlanCost(cert.Bound).String()
		r.Cost = &cost
	}
	var diags pddl.Diagnostics
	report, err := certificate.Check(ctx, task, cert, memory)
	if err == nil {
		r.Report = *report
		diags, err = r.judge(ctx, p, task, cert, plan)
	}
	var no *certificate.Refusal
	switch {
	case errors.As(err, &no):
		r.Reason = no.Error()
		return r, diags, nil
	case err != nil:
		return nil, nil, err
	}
	r.Holds = true
	return r, nil, nil
}

// Refused is the verdict on a certificate that does not hold for a reason that its header has.
func Refused(h *certificate.Header, why error) *CertificateVerdict {
	return &CertificateVerdict{Claim: h.Claim.String(), Goal: h.Goal, Step: h.Step, Reason: why.Error()}
}

// CheckFile is [CheckCertificate] of a file for a problem that is grounded for it. memory bounds the bytes of
// grounding and check; 0 is no bound. The error is that the file cannot be read, or a limit.
func CheckFile(ctx context.Context, p *pddl.Problem, file io.Reader, memory int64) (*CertificateVerdict, error) {
	room := cmp.Or(memory, math.MaxInt64)
	r, err := certificate.NewReader(file)
	if err != nil {
		return nil, err
	}
	if p, err = About(p, &r.Header); err != nil {
		return Refused(&r.Header, err), nil
	}
	task, err := grounder.Ground(ctx, p, grounder.Options{Memory: memory, KeepIrrelevant: r.Header.Whole, ObjectFluents: true, NumericFluents: true})
	if err != nil {
		return nil, err
	}
	c, err := r.Read(ctx, task, room)
	v, _, err := CheckRead(ctx, p, task, &r.Header, c, err, nil, room)
	return v, err
}

// CheckRead is [CheckCertificate] of what reading a certificate has given. That it is about
// another task turns out while it is read, and is a verdict, too.
func CheckRead(ctx context.Context, p *pddl.Problem, task *grounder.Task, h *certificate.Header, cert *certificate.Certificate, err error, plan *pddl.Source, memory int64) (*CertificateVerdict, pddl.Diagnostics, error) {
	var no *certificate.Refusal
	switch {
	case errors.As(err, &no):
		return &CertificateVerdict{Claim: h.Claim.String(), Goal: h.Goal, Step: h.Step, SameTexts: certificate.SameTexts(h, p), Reason: no.Error()}, nil, nil
	case err != nil:
		return nil, nil, err
	}
	return CheckCertificate(ctx, p, task, cert, plan, memory)
}

// judge has the judge confirm the plan: it must be valid and cost what the certificate
// proves to be the least.
func (r *CertificateVerdict) judge(ctx context.Context, p *pddl.Problem, task *grounder.Task, cert *certificate.Certificate, src *pddl.Source) (pddl.Diagnostics, error) {
	if src == nil {
		if cert.Claim != certificate.Optimal {
			return nil, nil
		}
		src = pddl.NewSource("plan of the certificate", strings.Join(stepsOf(task, cert.Plan), "\n")+"\n")
	}
	refuse := func(format string, args ...any) error {
		return &certificate.Refusal{Where: src.Name, Reason: fmt.Sprintf(format, args...)}
	}
	plan, diags := pddl.ParsePlan(src)
	if diags.HasErrors() {
		return diags, refuse("the plan cannot be read")
	}
	judge, err := validator.NewJudgeContext(ctx, p, validator.Options{})
	if err != nil {
		return nil, err
	}
	scratch := judge.NewScratch()
	scratch.Context = ctx
	v := judge.ValidateWith(plan, scratch)
	switch bound := task.PlanCost(cert.Bound); {
	case !v.Decided():
		return nil, fmt.Errorf("judging the plan: %w: %s", search.ErrLimit, v.Failure.Message)
	case !v.Valid:
		return nil, refuse("the plan is not valid: %s", v.Failure.Message)
	case cert.Claim == certificate.Unsolvable:
		return nil, refuse("the plan is valid, yet the certificate claims that there is none: please report it")
	case !v.CostDefined || !v.Cost.Equal(bound):
		return nil, refuse("the plan costs %s, which is not the proven bound %s", v.Cost, bound)
	}
	r.PlanSteps = &v.Steps
	return nil, nil
}
