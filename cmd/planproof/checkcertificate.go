package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/internal/taskline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/certificate"
)

var checkCertificateCommand = command{
	name: "check-certificate", usage: "verify a proof that no cheaper plan exists, or none at all", args: "DOMAIN PROBLEM CERTIFICATE [PLAN]",
	spec:      `print:bool +strict +schedule +limits`,
	wholeTime: true, wholeMemory: true,
	action: checkCertificate,
}

func checkCertificate(e env) error {
	lim, err := e.Limits()
	if err != nil {
		return err
	}
	p, rest, err := e.Scheduled()
	if err != nil {
		return err
	}
	if len(rest) < 1 || len(rest) > 2 {
		return errors.New("check-certificate needs a certificate after the task, and then at most one plan")
	}
	in, err := e.Open(rest[0])
	if err != nil {
		return err
	}
	defer in.Close()
	rd, err := certificate.NewReader(in)
	if err != nil {
		return fmt.Errorf("%s: %w", rest[0], err)
	}
	if p, err = pipeline.About(p, &rd.Header); err != nil {
		return e.certificateChecked(&certificateReply{CertificateVerdict: pipeline.Refused(&rd.Header, err)})
	}
	g, err := e.GroundProblem(p, lim, rd.Header.Whole, true)
	if err != nil {
		return err
	}
	var plan *pddl.Source // nil for that of the certificate
	if len(rest) == 2 {
		if plan, err = e.ReadSource(rest[1]); err != nil {
			return err
		}
	}
	start := cmdline.CPUSeconds()
	ctx, cancel := lim.Context(e.Context.Context)
	defer cancel()
	cert, err := rd.Read(ctx, g.Task, lim.Memory)
	if err == nil && e.Bool("print") {
		return certificate.Dump(e.Stdout, g.Task, cert)
	}
	v, diags, err := pipeline.CheckRead(ctx, p, g.Task, &rd.Header, cert, err, plan, lim.Memory)
	diags.Format(e.Stderr)
	switch {
	case errors.Is(err, certificate.ErrMemory):
		return e.Limited("memout", err.Error())
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return e.Limited("timeout", "the time limit ended the check")
	case err != nil:
		return err
	}
	if info, err := os.Stat(rest[0]); err == nil && rest[0] != "-" {
		v.Bytes = info.Size()
	}
	return e.certificateChecked(&certificateReply{v, round3(g.CPU), round3(cmdline.CPUSeconds() - start), cmdline.PeakKB()})
}

// certificateReply is the object that check-certificate --json prints.
type certificateReply struct {
	*pipeline.CertificateVerdict
	GroundCPU float64 `json:"ground_cpu_s"`
	CheckCPU  float64 `json:"check_cpu_s"`
	PeakKB    int64   `json:"peak_kb"`
}

// certificateChecked prints the verdict and sets the exit code.
func (e env) certificateChecked(r *certificateReply) error {
	code := exitYes
	if !r.Holds {
		code = exitNo
	}
	if err := e.PrintLine(r, "%s", r); err != nil {
		return err
	}
	if r.Holds && !e.Bool("json") {
		fmt.Fprintf(e.Stderr, "%s; %.2f s grounding, %.2f s checking, %d MB\n", r.Size(), r.GroundCPU, r.CheckCPU, r.PeakKB/1024)
	}
	return exit(code)
}

// certify writes the certificate of an answer to --certificate. That it cannot be made, for
// a limit or because there is no answer, is part of the report; an error is of writing.
func (e env) certify(g *taskline.Grounded, res *search.Result) (*certificate.Saved, error) {
	left, ok := g.Limits.Left()
	if !ok {
		return &certificate.Saved{Error: "the time limit came first"}, nil
	}
	observe, done := e.SearchProgress()
	saved, err := pipeline.SaveCertificate(e.Context.Context, g.Problem, g.Task, res, pipeline.Options{
		Ground: grounder.Options{Time: left, Memory: g.Limits.Memory},
		Search: search.Config{Limits: search.Limits{Wall: left, Memory: g.Limits.Memory}, Observer: observe}, Query: g.Query,
	}, e.String("certificate"), e.WriteFile)
	done()
	return saved, e.Stopped(err)
}

// certificatePath refuses a name of --certificate that cannot be one of a file.
func (e env) certificatePath() error {
	if e.IsSet("certificate") && (e.String("certificate") == "" || e.String("certificate") == "-") {
		return errors.New("--certificate needs the name of a file")
	}
	return nil
}
