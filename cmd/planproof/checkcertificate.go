package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search/certificate"
	"github.com/planproof/planproof/validator"

	"github.com/urfave/cli/v2"
)

var checkCertificateCommand = command{
	name: "check-certificate", usage: "verify a proof that no cheaper plan exists, or none at all", args: "DOMAIN PROBLEM CERTIFICATE [PLAN]",
	long: `
Verifies a certificate written by solve --certificate without searching, and without
trusting what made it: docs/CERTIFICATES.md says what is checked and what is trusted.
The plan in the certificate, or PLAN, is judged by the validator too, so that
"optimal" is confirmed in full: a valid plan of cost C, and no cheaper one. --schedule
must be the one that was given to solve. A certificate compressed by gzip is recognised.

Exit codes: 0 it holds; 1 it is refused, with the place and the reason; 2 it, or the task,
is not readable; 3 a limit came first.

   planproof solve blocksworld:4-17 --certificate proof.cert
   planproof check-certificate blocksworld:4-17 proof.cert
   planproof check-certificate domain.pddl problem.pddl proof.cert.gz plan.txt --json
   planproof check-certificate domain.pddl problem.pddl proof.cert --print | less`,
	flags: append([]cli.Flag{
		&cli.BoolFlag{Name: "print", Usage: "print the certificate as text instead of checking it"},
		strictFlag, scheduleFlag,
	}, limitFlags()...),
	action: func(e env) error {
		lim, err := e.limits()
		if err != nil {
			return err
		}
		p, rest, err := e.scheduled()
		if err != nil {
			return err
		}
		if len(rest) < 1 || len(rest) > 2 {
			return errors.New("check-certificate needs a certificate after the task, and then at most one plan")
		}
		in, size, err := e.openCertificate(rest[0])
		if err != nil {
			return err
		}
		defer in.Close()
		rd, err := certificate.NewReader(in)
		if err != nil {
			return fmt.Errorf("%s: %w", rest[0], err)
		}
		g, err := e.groundProblem(p, lim, rd.Header.Whole)
		if err != nil {
			return err
		}
		c := certificateCheck{env: e, g: g, report: certificateVerdict{
			Claim: rd.Header.Claim.String(), Bytes: size,
			SameTexts: rd.Header.Domain == sha256.Sum256([]byte(p.Domain.Source.Text)) && rd.Header.Problem == sha256.Sum256([]byte(p.Source.Text)),
		}}
		if len(rest) == 2 {
			if c.plan, err = e.readSource(rest[1]); err != nil {
				return err
			}
		}
		return c.finish(c.check(rd))
	},
}

// openCertificate opens a file, or standard input for "-", and tells its size, 0 if unknown.
func (e env) openCertificate(name string) (io.ReadCloser, int64, error) {
	if name == "-" {
		if *e.stdinRead {
			return nil, 0, errors.New("only one input can be standard input")
		}
		*e.stdinRead = true
		return io.NopCloser(e.in), 0, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = folderError(name)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// certificateVerdict is the object that check-certificate --json prints.
type certificateVerdict struct {
	Holds  bool    `json:"holds"`
	Claim  string  `json:"claim"`
	Cost   *string `json:"cost,omitempty"` // of the claim: no plan costs less
	Reason string  `json:"reason,omitempty"`
	// PlanSteps is the length of the plan that the validator found to be valid, of the
	// claimed cost.
	PlanSteps *int `json:"plan_steps,omitempty"`
	// SameTexts tells whether domain and problem are byte by byte those that were solved; the
	// task they mean is always the same.
	SameTexts   bool    `json:"same_texts"`
	Bytes       int64   `json:"bytes"`
	States      int     `json:"states"`
	Direct      int     `json:"states_direct"`
	Transitions int64   `json:"transitions"`
	Groups      int     `json:"groups"`
	Zones       int     `json:"zones"`
	Tables      int     `json:"tables"`
	Entries     int64   `json:"table_entries"`
	GroundCPU   float64 `json:"ground_cpu_s"`
	CheckCPU    float64 `json:"check_cpu_s"`
	PeakKB      int64   `json:"peak_kb"`
}

// certificateCheck is one run of the command.
type certificateCheck struct {
	env
	g      *grounded
	plan   *pddl.Source // nil for that of the certificate
	report certificateVerdict
}

// programBytes is for the program and the task, beside the memory that --memory allows.
const programBytes = 64 << 20

// errPrinted ends a run that has printed the certificate instead of checking it.
var errPrinted = errors.New("printed")

func (c *certificateCheck) check(rd *certificate.Reader) error {
	ctx := c.Context.Context
	if !c.g.limits.deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, c.g.limits.deadline)
		defer cancel()
	}
	// What the reader has outgrown is collected before it takes memory beyond the limit.
	debug.SetMemoryLimit(c.g.limits.memory + programBytes)
	start := cpuSeconds()
	cert, err := rd.Read(ctx, c.g.task, c.g.limits.memory)
	if err != nil {
		return err
	}
	if c.Bool("print") {
		if err := certificate.Dump(c.out, c.g.task, cert); err != nil {
			return err
		}
		return errPrinted
	}
	if cert.Claim != certificate.Unsolvable {
		cost := c.price(cert.Bound).String()
		c.report.Cost = &cost
	}
	r, err := certificate.Check(ctx, c.g.task, cert, c.g.limits.memory)
	c.report.CheckCPU = round3(cpuSeconds() - start)
	if err != nil {
		return err
	}
	c.report.States, c.report.Direct, c.report.Transitions = r.States, r.Direct, r.Transitions
	c.report.Groups, c.report.Zones, c.report.Tables, c.report.Entries = r.Groups, r.Zones, r.Tables, r.Entries
	return c.judge(cert)
}

// price turns a cost in the task's units into one of the problem.
func (c *certificateCheck) price(cost int64) pddl.Number {
	return c.g.task.CostBase.Add(c.g.task.CostUnit.Mul(pddl.Int(cost)))
}

// judge lets the validator judge the plan.
func (c *certificateCheck) judge(cert *certificate.Certificate) error {
	src := c.plan
	if src == nil {
		if cert.Claim != certificate.Optimal {
			return nil
		}
		src = pddl.NewSource("plan of the certificate", planText(c.g.task, cert.Plan))
	}
	plan, diags := pddl.ParsePlan(src)
	if diags.HasErrors() {
		diags.Format(c.err)
		return &certificate.Refusal{Where: src.Name, Reason: "the plan cannot be read"}
	}
	judge, err := validator.NewJudge(c.g.problem, validator.Options{})
	if err != nil {
		return err
	}
	v := judge.Validate(plan)
	switch {
	case !v.Valid:
		return &certificate.Refusal{Where: src.Name, Reason: "the plan is not valid: " + v.Failure.Message}
	case cert.Claim == certificate.Unsolvable:
		return &certificate.Refusal{Where: src.Name, Reason: "the plan is valid, yet the certificate claims that there is none: please report it"}
	case !v.CostDefined || !v.Cost.Equal(c.price(cert.Bound)):
		return &certificate.Refusal{Where: src.Name, Reason: fmt.Sprintf("the plan costs %s, which is not the proven bound %s", v.Cost, c.price(cert.Bound))}
	}
	c.report.PlanSteps = &v.Steps
	return nil
}

func planText(t *grounder.Task, plan []grounder.OperatorID) string {
	var b strings.Builder
	for _, o := range plan {
		b.WriteString(t.OperatorName(o))
		b.WriteByte('\n')
	}
	return b.String()
}

// finish prints the verdict and sets the exit code.
func (c *certificateCheck) finish(err error) error {
	var no *certificate.Refusal
	switch {
	case err == nil:
		c.report.Holds = true
	case errors.Is(err, errPrinted):
		return nil
	case errors.As(err, &no):
		c.report.Reason = no.Error()
	case errors.Is(err, certificate.ErrMemory):
		return c.limited("memout", err.Error())
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return c.limited("timeout", "the time limit ended the check")
	default:
		return err
	}
	code := exitYes
	if !c.report.Holds {
		code = exitNo
	}
	r := &c.report
	r.GroundCPU, r.PeakKB = round3(c.g.cpu), peakKB()
	if c.Bool("json") {
		if err := printJSON(c.out, r); err != nil {
			return err
		}
		return exit(code)
	}
	if !r.Holds {
		fmt.Fprintf(c.out, "refused: %s\n", r.Reason)
		return exit(code)
	}
	switch {
	case r.Cost == nil:
		fmt.Fprintln(c.out, "holds: there is no plan")
	case r.PlanSteps != nil:
		fmt.Fprintf(c.out, "holds: the plan is valid, and no plan costs less than its %s (%s)\n", *r.Cost, plural(*r.PlanSteps, "step"))
	default:
		fmt.Fprintf(c.out, "holds: no plan costs less than %s\n", *r.Cost)
	}
	fmt.Fprintf(c.err, "%d bytes, %s (%d direct), %d transitions, %s, %s, %s; %.2f s grounding, %.2f s checking, %d MB\n",
		r.Bytes, plural(r.States, "state"), r.Direct, r.Transitions, plural(r.Groups, "group"), plural(r.Zones, "zone"), plural(r.Tables, "table"),
		r.GroundCPU, r.CheckCPU, r.PeakKB/1024)
	return exit(code)
}
