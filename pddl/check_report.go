package pddl

import (
	"fmt"
	"io"

	"github.com/planproof/planproof/internal/spell"
)

// CheckReport is what a check of files has found, in the form of planproof check --json.
type CheckReport struct {
	OK          bool        `json:"ok"`
	Errors      int         `json:"errors"`
	Warnings    int         `json:"warnings"`
	Diagnostics Diagnostics `json:"diagnostics"`
	Unreadable  []string    `json:"unreadable,omitempty"` // names of files

	files int
}

// Check reads a domain and problems of it and reports all faults of all of them. unreadable are
// further files that could not be read.
func Check(domain *Source, problems []*Source, unreadable []string, opt Options) *CheckReport {
	d, diags := ParseDomain(domain, opt)
	for _, src := range problems {
		_, more := ParseProblem(src, d, opt)
		diags = append(diags, more...)
	}
	r := &CheckReport{Diagnostics: diags, Unreadable: unreadable, files: 1 + len(problems)}
	if r.Diagnostics == nil {
		r.Diagnostics = Diagnostics{}
	}
	r.Errors = len(diags.Errors())
	r.Warnings = len(diags) - r.Errors
	r.OK = r.Errors == 0 && len(unreadable) == 0
	return r
}

// WriteText writes the counts; [Diagnostics.Format] writes the faults.
func (r *CheckReport) WriteText(w io.Writer) (err error) {
	warnings := spell.Plural(r.Warnings, "warning")
	if r.OK {
		_, err = fmt.Fprintf(w, "ok: %s (%s)\n", spell.Plural(r.files, "file"), warnings)
	} else {
		_, err = fmt.Fprintf(w, "%s, %s\n", spell.Plural(r.Errors, "error"), warnings)
	}
	return err
}
