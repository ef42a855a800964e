package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Options are what [Run] does.
type Options struct {
	Strict bool  // deviations from the standard are errors
	Layout bool  // a file that is not laid out canonically is a finding
	Memory int64 // bytes that judging a plan may take; 0: no limit
}

// Status is what became of a file.
type Status string

// Statuses, from good to bad.
const (
	OK         Status = "ok"
	NotLaidOut Status = "not-laid-out" // its layout is not the canonical one
	Invalid    Status = "invalid"      // a plan that is not valid
	Faulty     Status = "errors"       // it has errors
	NotJudged  Status = "not-judged"   // a plan whose task has errors, or that a limit kept from being judged
	NotRead    Status = "not-read"     // it cannot be read, or has nothing to be read with
)

// Finding is one thing to mend, at its place.
type Finding struct {
	Rule    string `json:"rule"`  // the code of docs/ERRORS.md, or plan-KIND, layout, file
	Level   string `json:"level"` // "error" or "warning"
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Lines and columns count from 1, columns in characters; the end is exclusive.
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"end_line"`
	EndColumn int `json:"end_column"`
}

// Row is the report on a file.
type Row struct {
	File     string    `json:"file"`
	Kind     Kind      `json:"kind"`
	Of       string    `json:"of,omitempty"` // the domain of a problem, the problem of a plan
	Status   Status    `json:"status"`
	Cost     string    `json:"cost,omitempty"` // of a valid plan
	Findings []Finding `json:"findings"`
}

// Summary counts the rows.
type Summary struct {
	Files, Plans                  int
	Errors, Warnings, Unformatted int
	Invalid, NotJudged, NotRead   int
}

// ExitCode is what `planproof lint` ends with: 0 nothing but warnings, 1 something to mend, 2 a
// file could not be read, 3 a plan was not judged.
func (s *Summary) ExitCode() int {
	switch {
	case s.NotRead > 0:
		return 2
	case s.Errors+s.Unformatted+s.Invalid > 0:
		return 1
	case s.NotJudged > 0:
		return 3
	}
	return 0
}

// WriteText writes the counts on a line.
func (s *Summary) WriteText(w io.Writer) error {
	text := fmt.Sprintf("%s, %s: %s, %s", spell.Plural(s.Files, "PDDL file"), spell.Plural(s.Plans, "plan"),
		spell.Plural(s.Errors, "error"), spell.Plural(s.Warnings, "warning"))
	for _, more := range []struct {
		n    int
		what string
	}{{s.Unformatted, "not laid out (planproof fmt -w)"}, {s.Invalid, "invalid"}, {s.NotJudged, "not judged"}, {s.NotRead, "not read"}} {
		if more.n > 0 {
			text += fmt.Sprintf(", %d %s", more.n, more.what)
		}
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// Run reports on files, which [Find] has paired, a row for each in their order. It ends with the
// context's error when that is done.
func Run(ctx context.Context, files []*File, opt Options, row func(*Row) error) (Summary, error) {
	r := runner{ctx: ctx, opt: opt, domains: map[*File]*domain{}}
	var sum Summary
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		out := r.report(f)
		sum.add(out)
		if err := row(out); err != nil {
			return sum, err
		}
	}
	return sum, ctx.Err()
}

func (s *Summary) add(r *Row) {
	if r.Kind == Plan {
		s.Plans++
	} else {
		s.Files++
	}
	for i := range r.Findings {
		switch {
		case r.Findings[i].Level == "warning":
			s.Warnings++
		case r.Status == Faulty:
			s.Errors++
		}
	}
	switch r.Status {
	case NotLaidOut:
		s.Unformatted++
	case Invalid:
		s.Invalid++
	case NotJudged:
		s.NotJudged++
	case NotRead:
		s.NotRead++
	}
}

type runner struct {
	ctx     context.Context
	opt     Options
	domains map[*File]*domain

	// The last problem whose plans were judged: they follow each other.
	problem *File
	judge   *validator.Judge
	reason  error // why judge is nil
}

type domain struct {
	domain *pddl.Domain
	diags  pddl.Diagnostics
}

func (r *runner) domain(f *File) *domain {
	d := r.domains[f]
	if d == nil {
		d = &domain{}
		d.domain, d.diags = pddl.ParseDomain(f.Source, pddl.Options{Strict: r.opt.Strict})
		r.domains[f] = d
	}
	return d
}

func (r *runner) report(f *File) *Row {
	row := &Row{File: filepath.ToSlash(f.Path), Kind: f.Kind, Status: OK, Findings: []Finding{}}
	if f.Of != nil {
		row.Of = filepath.ToSlash(f.Of.Path)
	}
	if f.Err != nil {
		row.Status = NotRead
		row.Findings = append(row.Findings, atStart("file", f.Err.Error()))
		return row
	}
	switch f.Kind {
	case Plan:
		r.plan(f, row)
		return row
	case Problem:
		d := r.domain(f.Of)
		_, diags := pddl.ParseProblem(f.Source, d.domain, pddl.Options{Strict: r.opt.Strict})
		row.diagnostics(diags)
	default: // of a file that is neither, the reader says what it lacks
		row.diagnostics(r.domain(f).diags)
	}
	if row.Status == OK && r.opt.Layout {
		if text, diags := pddl.Format(f.Source); text != f.Source.Text && !diags.HasErrors() {
			row.Status = NotLaidOut
			row.Findings = append(row.Findings, Finding{
				Rule: "layout", Level: "error", Message: "the layout is not the canonical one",
				Hint: "planproof fmt -w " + row.File, Line: differs(f.Source.Text, text), Column: 1, EndLine: differs(f.Source.Text, text), EndColumn: 1,
			})
		}
	}
	return row
}

// plan judges a plan.
func (r *runner) plan(f *File, row *Row) {
	if r.problem != f.Of {
		r.problem = f.Of
		r.judge, r.reason = r.compile(f.Of)
	}
	if r.reason != nil {
		row.Status = NotJudged
		row.Findings = append(row.Findings, atStart("not-judged", "the plan is not judged: "+r.reason.Error()))
		return
	}
	s := r.judge.NewScratch()
	s.Context, s.MaxBytes = r.ctx, r.opt.Memory
	v, diags := r.judge.ValidateText(f.Source, s)
	switch {
	case v.Valid:
		row.diagnostics(diags)
		if v.CostDefined {
			row.Cost = v.Cost.String()
		}
	case !v.Decided():
		row.Status = NotJudged
		row.Findings = append(row.Findings, atStart("not-judged", v.Failure.Message))
	case diags.HasErrors():
		row.diagnostics(diags)
		row.Status = Invalid
	default:
		row.Status = Invalid
		f := Finding{Rule: "plan-" + string(v.Failure.Kind), Level: "error", Message: v.Failure.Message, Hint: v.Failure.Because,
			Line: max(1, v.Failure.Line), Column: max(1, v.Failure.Column)}
		f.EndLine, f.EndColumn = f.Line, f.Column
		row.Findings = append(row.Findings, f)
	}
}

// compile returns the judge of a problem, or why there is none.
func (r *runner) compile(p *File) (*validator.Judge, error) {
	switch {
	case p.Err != nil:
		return nil, p.Err
	case p.Kind != Problem:
		return nil, fmt.Errorf("%s is no problem", p.Path)
	}
	d := r.domain(p.Of)
	prob, diags := pddl.ParseProblem(p.Source, d.domain, pddl.Options{Strict: r.opt.Strict})
	if err := cmp.Or(d.diags.FirstError(), diags.FirstError()); err != nil {
		return nil, err
	}
	j, err := validator.NewJudge(prob, validator.Options{})
	if diags := (pddl.Diagnostics)(nil); errors.As(err, &diags) {
		err = diags.FirstError()
	}
	return j, err
}

// diagnostics adds what the reader says of a file.
func (r *Row) diagnostics(diags pddl.Diagnostics) {
	for i := range diags {
		d := &diags[i]
		f := Finding{Rule: string(d.Code), Level: d.Severity.String(), Message: d.Message, Hint: d.Hint}
		f.Line, f.Column = d.LineCol()
		f.EndLine, f.EndColumn = f.Line, f.Column
		if d.Source != nil && d.End > d.Pos {
			f.EndLine, f.EndColumn = d.Source.LineCol(d.End)
		}
		r.Findings = append(r.Findings, f)
		if d.Severity == pddl.Error {
			r.Status = Faulty
		}
	}
}

func atStart(rule, message string) Finding {
	return Finding{Rule: rule, Level: "error", Message: message, Line: 1, Column: 1, EndLine: 1, EndColumn: 1}
}

// differs is the first line, from 1, in which two texts differ.
func differs(a, b string) int {
	line := 1
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return line
		}
		if a[i] == '\n' {
			line++
		}
	}
	return line
}

// WriteText writes a row's findings, a line each with its place, and its hint below.
func (r *Row) WriteText(w io.Writer) error {
	var errs []error
	for _, f := range r.Findings {
		_, err := fmt.Fprintf(w, "%s:%d:%d: %s[%s]: %s\n", r.File, f.Line, f.Column, f.Level, f.Rule, f.Message)
		errs = append(errs, err)
		if f.Hint != "" {
			_, err = fmt.Fprintf(w, "  hint: %s\n", f.Hint)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
