// Package val is the judge behind the command line of VAL's Validate: its arguments and its phrases, for
// scripts that run Validate and look for "Plan valid" in what it prints.
//
//	arguments ─► options ─► pddl.Problem ─► validator.Judge ─► Verdict ─► VAL's phrases
//
// The verdicts are ours, and so are the exit codes, which VAL's cannot be trusted for: 0 all plans are valid,
// 1 some plan is not, 2 the input is bad, 3 a limit came before a verdict. What VAL can do and this cannot
// (LaTeX reports, robustness) is refused, never ignored.
//
// The phrases follow applications/Validate/src/main.cpp and libraries/VAL/src/RepairAdvice.cpp of
// KCL-Planning/VAL at commit 3c7a1f3.
package val

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Exit codes.
const (
	Valid   = 0 // all plans
	Invalid = 1 // at least one plan
	Bad     = 2 // arguments, domain, problem or a plan file: something was not judged
	Limit   = 3 // ended judging before a verdict
)

const usage = `Usage: validate [options] domainFile problemFile planFile1 ...
Options, as of VAL:
    -t <n>  -- Set tolerance to n, a number (default 0: exact; VAL's default is 0.01).
    -v      -- Verbose reporting: the plan, and repair advice.
    -e      -- Repair advice without the rest of -v.
    -a      -- No repair advice.
    -s      -- Silent: only errors.
    -S      -- Silent with values: only the value of each plan, or "failed".
    -m      -- Use makespan as the metric.
    -d, -g, -i -- Accepted; they change nothing here.
    -h      -- Print this message.
Exit code: 0 all plans are valid, 1 some plan is not, 2 bad input, 3 no verdict.
`

// options are those of a command line.
type options struct {
	verbose, report, advice, makespan bool
	silent                            int // 1: -s, 2: -S
	tolerance                         pddl.Number
}

// Run executes a command line without its name, and returns the exit code.
func Run(ctx context.Context, args []string, out, errs io.Writer) int {
	w := &writer{w: out}
	code := run(ctx, args, w, errs)
	if w.err != nil {
		fmt.Fprintln(errs, w.err)
		return Bad
	}
	return code
}

// writer keeps the first error.
type writer struct {
	w   io.Writer
	err error
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	if w.err == nil {
		_, w.err = w.w.Write(p)
	}
	return len(p), w.err
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	opt, files, help, err := parse(args)
	switch {
	case err != nil:
		fmt.Fprintln(errs, err)
		return Bad
	case help || len(files) == 0:
		fmt.Fprint(out, usage)
		if help {
			return Valid
		}
		return Bad
	}
	problem, code := read(files, errs)
	if problem == nil {
		return code
	}
	judge, err := validator.NewJudgeContext(ctx, problem, validator.Options{})
	if err != nil {
		fmt.Fprintln(errs, err)
		return Bad
	}
	scratch := judge.NewScratch()
	scratch.Context, scratch.Tolerance, scratch.Epsilon = ctx, opt.tolerance, pddl.Number{}
	s := &session{options: opt, problem: problem, judge: judge, scratch: scratch, out: out, errs: errs}
	for _, name := range files[2:] {
		s.plan(name)
	}
	s.summary()
	return s.code
}

// usageError is a fault of the command line, in VAL's words.
type usageError string

// Error implements error.
func (e usageError) Error() string { return string(e) }

// parse reads the options, which stand before the files.
func parse(args []string) (opt options, files []string, help bool, err error) {
	opt.advice = true
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		flag := args[0]
		args = args[1:]
		switch flag {
		case "-v":
			opt.verbose = true
		case "-e":
			opt.report = true
		case "-a":
			opt.advice = false
		case "-s":
			opt.silent = 1
		case "-S":
			opt.silent = 2
		case "-m":
			opt.makespan = true
		case "-d", "-g", "-i":
		case "-h":
			return opt, nil, true, nil
		case "-t":
			if len(args) == 0 {
				return opt, nil, false, fmt.Errorf("-t needs a number")
			}
			if opt.tolerance, err = validator.ParseGap("-t", args[0]); err != nil {
				return opt, nil, false, err
			}
			args = args[1:]
		case "-c", "-j", "-l", "-f", "-p", "-o", "-q", "-r", "-ra", "-rp", "-rm", "-rd", "-L":
			return opt, nil, false, fmt.Errorf("%s is an option of VAL that is not supported here: planproof validate --help shows what there is", flag)
		default:
			return opt, nil, false, usageError("Unrecognised command line switch: " + flag)
		}
	}
	return opt, args, false, nil
}

// read reads domain and problem, with VAL's words for what is wrong. Without a problem file there is nothing to judge.
func read(files []string, errs io.Writer) (*pddl.Problem, int) {
	src, err := pddl.ReadSource(files[0])
	if err != nil {
		fmt.Fprintf(errs, "Bad domain file!\n%v\n", err)
		return nil, Bad
	}
	domain, diags := pddl.ParseDomain(src, pddl.Options{})
	diags.Format(errs)
	if diags.HasErrors() {
		fmt.Fprintln(errs, "Problem in domain definition!")
		return nil, Bad
	}
	if len(files) == 1 {
		return nil, Valid
	}
	if src, err = pddl.ReadSource(files[1]); err != nil {
		fmt.Fprintf(errs, "Bad problem file!\n%v\n", err)
		return nil, Bad
	}
	problem, diags := pddl.ParseProblem(src, domain, pddl.Options{})
	diags.Format(errs)
	if diags.HasErrors() {
		fmt.Fprintln(errs, "Type problem in problem specification!")
		return nil, Bad
	}
	return problem, Valid
}

// session judges the plans of a command line.
type session struct {
	options
	problem *pddl.Problem
	judge   *validator.Judge
	scratch *validator.Scratch
	out     io.Writer
	errs    io.Writer

	good    []ranked
	failed  []string
	queries []string
	code    int
}

// ranked is a valid plan.
type ranked struct {
	name  string
	value pddl.Number
}

// loud writes what -s and -S leave out; talk what only -S leaves out.
func (s *session) loud(format string, args ...any) {
	if s.silent == 0 {
		fmt.Fprintf(s.out, format, args...)
	}
}

func (s *session) talk(format string, args ...any) {
	if s.silent < 2 {
		fmt.Fprintf(s.out, format, args...)
		return
	}
}

// fail notes a plan that is not valid.
func (s *session) fail(name string, code int) {
	s.failed = append(s.failed, name)
	s.code = max(s.code, code)
	if s.silent == 2 {
		fmt.Fprintln(s.out, "failed")
	}
}

func (s *session) plan(name string) {
	s.loud("Checking plan: %s\n", name)
	src, err := pddl.ReadSource(name)
	if err != nil {
		fmt.Fprintln(s.errs, err)
		s.talk("Bad plan file!\n")
		s.fail(name, Bad)
		return
	}
	v, diags := s.judge.ExplainText(src, s.scratch)
	diags.Format(s.errs)
	f := v.Failure
	if s.verbose && !diags.HasErrors() {
		s.listing(src)
	}
	switch {
	case !v.Decided():
		s.talk("Error occurred in validation attempt:\n  %s\n", f.Message)
		s.queries = append(s.queries, name)
		s.code = max(s.code, Limit)
		return
	case v.Valid:
		s.valid(name, v)
		return
	case isDescription(f.Kind):
		fmt.Fprintln(s.errs, f.Message)
		s.talk("Bad plan description!\n")
	case f.Kind == validator.FailGoal || f.Kind == validator.FailConstraint:
		s.loud("Plan executed successfully - checking goal\n")
		s.talk("Goal not satisfied\nPlan invalid\n")
	default:
		if s.verbose {
			s.talk("Plan failed because of unsatisfied precondition in:\n%s\n", lower(f.Action))
		}
		s.talk("\nPlan failed to execute\n")
	}
	s.fail(name, Invalid)
	if s.advice && (s.verbose || s.report) && s.silent < 2 {
		s.advise(v)
	}
}

// isDescription reports whether VAL calls a failure one of the plan's description.
func isDescription(k validator.FailureKind) bool {
	switch k {
	case validator.FailSyntax, validator.FailUnknownAction, validator.FailArity, validator.FailUnknownObject, validator.FailType:
		return true
	}
	return false
}

func (s *session) valid(name string, v *validator.Verdict) {
	value := v.Cost
	if s.makespan && v.HasMakespan {
		value = v.Makespan
	}
	s.good = append(s.good, ranked{name, value})
	s.loud("Plan executed successfully - checking goal\nPlan valid\nFinal value: ")
	if s.silent != 1 {
		fmt.Fprintf(s.out, "%s \n", value)
	}
}

// listing prints the plan as -v does.
func (s *session) listing(src *pddl.Source) {
	plan, _ := pddl.ParsePlan(src)
	s.loud("Plan to validate:\n\nPlan size: %d\n", len(plan.Steps))
	for i := range plan.Steps {
		st := &plan.Steps[i]
		at := fmt.Sprint(i + 1)
		if plan.Timed {
			at = st.Time.String()
		}
		words := append([]string{st.Name}, st.Args...)
		s.loud("%s:\n(%s)\n \n", at, lower(strings.Join(words, " ")))
	}
	s.loud("\n")
}

// summary lists the plans by value, as Validate does at its end.
func (s *session) summary() {
	if len(s.good) > 0 && s.silent == 0 {
		fmt.Fprint(s.out, "\nSuccessful plans:")
		m := s.problem.Metric
		slices.SortStableFunc(s.good, func(a, b ranked) int {
			if m != nil && m.Maximize {
				a, b = b, a
			}
			return a.value.Cmp(b.value)
		})
		for i, r := range s.good {
			if i == 0 || !r.value.Equal(s.good[i-1].value) {
				fmt.Fprintf(s.out, "\nValue: %s\n ", r.value)
			}
			fmt.Fprintf(s.out, "%s %s \n", r.name, r.value)
		}
		fmt.Fprintln(s.out)
	}
	if len(s.failed) > 0 {
		s.talk("\n\nFailed plans:\n %s \n", strings.Join(s.failed, " "))
	}
	if len(s.queries) > 0 {
		s.talk("\n\nQueries (validator failed):\n %s \n", strings.Join(s.queries, " "))
	}
}
