package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/taskline"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/llmbridge/treesearch"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
)

var askCommand = command{
	name: "ask", usage: "plan by a language model, or by guided tree search within a budget", args: "DOMAIN PROBLEM",
	spec:      `method=cats rounds:int=5 feedback budget=unlimited output,o log draw +style +reader +keep-old +strict +schedule +method +model +limits`,
	wholeTime: true, wholeMemory: true,
	action: ask,
}

// method reads --method and the flags that shape it.
func (e env) method() (treesearch.Method, error) {
	m, err := treesearch.Lookup(e.String("method"))
	if err != nil {
		return nil, fmt.Errorf("--method: %w; and with --model plain, cot, modulo", err)
	}
	if e.IsSet("rounds") {
		return nil, fmt.Errorf("--rounds has no meaning for --method %s: it searches", m.Name())
	}
	if err := e.searchFlags([]string{m.Name()}); err != nil {
		return nil, err
	}
	return e.shaped(m)
}

// searchFlags refuses flags that mean nothing to any of some methods.
func (e env) searchFlags(methods []string) error {
	if e.Int("expansions") < 1 {
		return errors.New("--expansions must be at least 1")
	}
	for _, name := range flagNames("method") {
		takers := treesearch.Takers(name)
		fits := func(m string) bool { return slices.Contains(takers, m) }
		if takers != nil && e.IsSet(name) && !slices.ContainsFunc(methods, fits) {
			return fmt.Errorf("--%s has no meaning for --method %s; it is for %s", name, strings.Join(methods, ","), strings.Join(takers, " and "))
		}
	}
	if style := prompt.Style(e.String("style")); style != prompt.StyleNL && style != prompt.StylePDDL {
		return fmt.Errorf("--style %s: it is nl or pddl", style)
	}
	for _, name := range append([]string{"style", "confidence"}, flagNames("model")...) {
		if e.IsSet(name) && e.String("guide") != "model" && !(name == "base-url" && os.Getenv("OPENAI_BASE_URL") != "") {
			return fmt.Errorf("--%s needs --guide model: the guide %s asks no model", name, e.String("guide"))
		}
	}
	return nil
}

// shaped gives a method what the flags say.
func (e env) shaped(m treesearch.Method) (treesearch.Method, error) {
	// A model's answers cost too much to go on asking for a proof.
	first := e.Bool("first") || e.String("guide") == "model" && !e.IsSet("first")
	shape := treesearch.Shape{
		First: first, Weight: e.Float64("weight"), Distance: treesearch.Distance(e.String("distance")), Norm: treesearch.Norm(e.String("norm")),
		Beam: e.Int("beam"), Branches: e.Int("branches"), Depth: e.Int("depth"), Exploration: e.Float64("exploration"),
	}
	return m, shape.Give(m)
}

// guideSpec reads --guide and --bound, and what else shapes a guide. The model is set later.
func (e env) guideSpec() (*treesearch.GuideSpec, error) {
	spec := &treesearch.GuideSpec{Name: e.String("guide"), Language: treesearch.LanguageOptions{
		Style: prompt.Style(e.String("style")), Parts: treesearch.Parts(e.String("confidence")),
	}}
	if e.IsSet("bound") {
		spec.Bound = e.String("bound")
	}
	if err := spec.Check(); err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	return spec, nil
}

// askReport is the object that ask --json prints.
type askReport struct {
	treesearch.Report
	GroundCPU float64 `json:"ground_cpu_s"`
	SearchCPU float64 `json:"search_cpu_s"`
	PeakKB    int64   `json:"peak_kb"`
}

func ask(e env) error {
	if words, ok := promptMethods[e.String("method")]; ok {
		return e.askPrompt(words)
	}
	if e.IsSet("reader") {
		return fmt.Errorf("--reader has no meaning for --method %s, which reads no plans", e.String("method"))
	}
	if e.IsSet("feedback") {
		return fmt.Errorf("--feedback has no meaning for --method %s", e.String("method"))
	}
	method, err := e.method()
	if err != nil {
		return err
	}
	guide, err := e.guideSpec()
	if err != nil {
		return err
	}
	spec, err := costmodel.ParseBudget(e.String("budget"))
	if err != nil {
		return fmt.Errorf("--budget: %w", err)
	}
	draw := e.String("draw")
	if draw != "" && treesearch.Drawer(draw) == nil {
		return fmt.Errorf("--draw %s: the file must end in .dot or .svg", draw)
	}
	if err := e.Outputs("output", "log", "draw"); err != nil {
		return err
	}
	defer e.RemoveStale("output")()
	g, err := e.GroundTask(false)
	if err != nil {
		return err
	}
	ctx, cancel := g.Limits.Context(e.Context.Context)
	defer cancel()
	budget, err := e.findBudget(ctx, g, spec)
	if err != nil {
		return err
	}
	var log bytes.Buffer
	r := &treesearch.Request{Problem: g.Problem, Task: g.Task, Method: method, Budget: budget, Options: treesearch.Options{
		Expansions: e.Int("expansions"), Seed: e.Uint64("seed"), KeepTrees: draw != "",
	}}
	if e.String("log") != "" {
		r.Observer = func(x treesearch.Expansion) { log.Write(rowjson.Append(nil, x)); log.WriteByte('\n') }
	}
	return e.askTree(ctx, g, r, guide, &log)
}

// askTree searches and prints the outcome.
func (e env) askTree(ctx context.Context, g *taskline.Grounded, r *treesearch.Request, guide *treesearch.GuideSpec, log *bytes.Buffer) error {
	start, closeModel := 0.0, func() error { return nil }
	defer func() { closeModel() }()
	r.Guide = func(ctx context.Context) (_ treesearch.Guide, err error) {
		start = cmdline.CPUSeconds()
		if guide.Name == "model" {
			var opened func() error
			if guide.Model, opened, err = e.oneModel(); err != nil {
				return treesearch.Guide{}, err
			}
			closeModel = opened
		}
		return guide.New(ctx, g.Problem, g.Task, search.Limits{Memory: g.Limits.Memory})
	}
	o, err := treesearch.Plan(ctx, r)
	report := &askReport{Report: o.Report, GroundCPU: round3(g.CPU)}
	report.Guide = guide.Name
	if guide.Model != nil {
		report.Model = guide.Model.Name()
	}
	if err != nil {
		return e.askRefused(report, err)
	}
	if o.Result == nil { // the budget alone has decided
		return e.asked(report)
	}
	report.SearchCPU, report.PeakKB = round3(cmdline.CPUSeconds()-start), cmdline.PeakKB()
	if report.Status == treesearch.Timeout && e.Interrupted() {
		report.Status = cmdline.Interrupted
	}
	if err := e.askFiles(g, o.Result, log); err != nil {
		return err
	}
	if o.Answer != nil {
		if err := e.writePlan(o.Answer); err != nil {
			return err
		}
	}
	return e.asked(report)
}

// asked prints the outcome and sets the exit code.
func (e env) asked(r *askReport) error {
	code := map[treesearch.Status]int{
		treesearch.SolvedOptimally: exitYes, treesearch.Solved: exitYes,
		treesearch.Unsolvable: exitNo, treesearch.NoPlanInBudget: exitNo,
		treesearch.GaveUp: exitLimit, treesearch.Nodeout: exitLimit, treesearch.Timeout: exitLimit, cmdline.Interrupted: exitLimit,
	}[r.Status]
	if !e.Bool("json") {
		r.WriteText(e.Stdout, e.Stderr)
		return exit(code)
	}
	if code == exitLimit {
		fmt.Fprintf(e.Stderr, "planproof: %s before an answer\n", r.Status)
	}
	if err := rowjson.WriteLine(e.Stdout, r); err != nil {
		return err
	}
	return exit(code)
}

// findBudget finds the budget that --budget means. The search that some levels need for the
// optimal cost is not part of the report.
func (e env) findBudget(ctx context.Context, g *taskline.Grounded, spec costmodel.BudgetSpec) (*treesearch.TaskBudget, error) {
	var s costmodel.Schedule
	if spec.Level == costmodel.Tight || spec.Level == costmodel.Loose {
		var err error
		if s, err = e.Schedule(); err != nil {
			return nil, err
		}
	}
	b, err := treesearch.FindBudget(ctx, g.Problem, g.Task, spec, s, search.Limits{Memory: g.Limits.Memory})
	switch {
	case err != nil:
		return nil, err
	case b.Status == "" || b.Status == search.SolvedOptimally || b.Status == search.Unsolvable:
		return b, nil
	case b.Status == search.Unsupported:
		return nil, fmt.Errorf("--budget %s needs the optimal cost: unsupported: %s", spec.Level, b.Reason)
	}
	return nil, e.Limited(string(b.Status), fmt.Sprintf("--budget %s needs the optimal cost, and a limit came first", spec.Level))
}

// askRefused reports what a guide or a method does not support.
func (e env) askRefused(report *askReport, err error) error {
	var refusal *heuristic.Refusal
	var limit *search.LimitError
	var asked *model.Error
	switch {
	case errors.Is(err, context.Canceled):
		if e.Context.Context.Err() != nil {
			return e.Limited(cmdline.Interrupted, "interrupted")
		}
		return e.Limited("timeout", "the time ended before an answer")
	case errors.As(err, &asked):
		return e.askFailed(asked)
	case errors.As(err, &limit):
		return e.Limited(string(limit.Status), "the table of exact distances: "+err.Error())
	case !errors.As(err, &refusal) && !errors.Is(err, treesearch.ErrRegression):
		return err
	}
	report.Status, report.Reason = treesearch.Status(search.Unsupported), err.Error()
	if e.Bool("json") {
		if err := rowjson.WriteLine(e.Stdout, report); err != nil {
			return err
		}
	}
	fmt.Fprintf(e.Stderr, "unsupported: %s\n", report.Reason)
	return exit(exitBad)
}

// askFiles writes the log and the drawing.
func (e env) askFiles(g *taskline.Grounded, res *treesearch.Result, log *bytes.Buffer) error {
	if path := e.String("log"); path != "" {
		if err := e.WriteFile(path, func(w io.Writer) error { _, err := w.Write(log.Bytes()); return err }); err != nil {
			return err
		}
	}
	path := e.String("draw")
	if path == "" {
		return nil
	}
	return e.WriteFile(path, func(w io.Writer) error { return treesearch.Drawer(path)(w, g.Task, res.Trees) })
}
