package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/llmbridge/treesearch"
	"github.com/planproof/planproof/search"
)

// promptMethods are the methods of ask that prompt instead of searching, as methods of
// eval.
var promptMethods = map[string]string{"plain": "", "cot": "+cot", "modulo": "+modulo"}

// oneModel makes the model that ask asks.
func (e env) oneModel() (*model.Set, model.Model, error) {
	b, err := e.models()
	if err != nil {
		return nil, nil, err
	}
	if len(b.Models) != 1 {
		return nil, nil, errors.Join(fmt.Errorf("ask asks one model, not %d", len(b.Models)), b.Close())
	}
	return b, b.Models[0], nil
}

// guideOrModel makes the guide. For --guide model it is a language model, whose name is
// returned and which done closes; done is never nil.
func (e env) guideOrModel(ctx context.Context, g *grounded) (guide treesearch.Guide, name string, done func(), err error) {
	lim := search.Limits{Memory: g.limits.memory}
	done = func() {}
	if e.String("guide") != "model" {
		guide, err = e.guide(ctx, g.task, lim)
		return guide, "", done, err
	}
	b, m, err := e.oneModel()
	if err != nil {
		return guide, "", done, err
	}
	guide, err = e.languageGuide(ctx, g, m, lim)
	return guide, m.Name(), func() { b.Close() }, err
}

// languageGuide is a guide by a language model, with bounds only if --bound asks for them.
func (e env) languageGuide(ctx context.Context, g *grounded, m model.Model, lim search.Limits) (guide treesearch.Guide, err error) {
	o := treesearch.LanguageOptions{Style: prompt.Style(e.String("style")), Parts: treesearch.Parts(e.String("confidence"))}
	if guide.Evaluator, err = treesearch.NewLanguage(ctx, m, g.problem, g.task, o); err == nil && e.IsSet("bound") {
		guide.Bounds, err = treesearch.NewBounds(ctx, e.String("bound"), g.task, lim)
	}
	return guide, err
}

// askFailed reports that a model gave no answer: a status, and no verdict.
func (e env) askFailed(err *model.Error) error {
	if e.Bool("json") {
		if perr := printJSON(e.out, map[string]any{"status": err.Kind, "error": err.Message}); perr != nil {
			return perr
		}
	}
	fmt.Fprintf(e.err, "planproof: the model gave no answer: %v\n", err)
	return exit(exitBad)
}

// promptReport is what ask --json prints for methods that prompt.
type promptReport struct {
	Status eval.Status      `json:"status"`
	Method string           `json:"method"`
	Model  string           `json:"model"`
	Cost   string           `json:"cost,omitempty"`
	Steps  int              `json:"steps"`
	Plan   []string         `json:"plan,omitempty"`
	Budget costmodel.Budget `json:"budget"`
	Rounds []eval.Round     `json:"rounds"`
	Usage  *model.Usage     `json:"usage"`
	Error  string           `json:"error,omitempty"`
}

// askPrompt is ask with a method that prompts.
func (e env) askPrompt(words string) error {
	if words == "+modulo" {
		if e.Int("rounds") < 1 {
			return errors.New("--rounds must be at least 1")
		}
		words = fmt.Sprintf("+modulo-%d", e.Int("rounds"))
		if level := e.String("feedback"); level != "" {
			words += "+feedback-" + level
		}
	} else if e.IsSet("feedback") {
		return fmt.Errorf("--feedback has no meaning for --method %s", e.String("method"))
	}
	for _, f := range methodFlags() {
		if name := f.Names()[0]; name != "seed" && e.IsSet(name) {
			return fmt.Errorf("--%s has no meaning for --method %s", name, e.String("method"))
		}
	}
	spec, err := costmodel.ParseBudget(e.String("budget"))
	if err != nil {
		return fmt.Errorf("--budget: %w", err)
	}
	p, err := e.onlyTask()
	if err != nil {
		return err
	}
	report := &promptReport{Method: e.String("method")}
	t := &eval.Task{ID: p.Name, Problem: p}
	if taskref.IsBundled(e.Args().First()) {
		t.Bundled = e.Args().First()
	}
	if err := e.promptBudget(spec, t, report); err != nil {
		return err
	}
	method, err := eval.ParseMethod(e.String("style")+words, t.Budget)
	if err != nil {
		return fmt.Errorf("--method %w", err)
	}
	return e.askRounds(t, method, report)
}

// promptBudget finds the limit of the budget. Levels that depend on the optimal cost need
// a grounded task.
func (e env) promptBudget(spec costmodel.BudgetSpec, t *eval.Task, report *promptReport) error {
	var err error
	if spec.Level != costmodel.Tight && spec.Level != costmodel.Loose {
		report.Budget, err = spec.Of(costmodel.Budgets{})
	} else {
		var g *grounded
		if g, err = e.groundTask(); err != nil {
			return err
		}
		var b *treesearch.TaskBudget
		if b, err = e.findBudget(e.Context.Context, g, spec); b != nil {
			report.Budget = b.Budget
		}
	}
	if report.Budget.Bounded() {
		t.Budget = &report.Budget.Limit
	}
	return err
}

// askRounds asks, and prints the plan or why there is none.
func (e env) askRounds(t *eval.Task, method *eval.Method, report *promptReport) error {
	ctx := e.Context.Context
	b, m, err := e.oneModel()
	if err != nil {
		return err
	}
	report.Model = m.Name()
	seed := int64(e.Uint64("seed"))
	set := &eval.Settings{Seed: &seed, Temperature: e.Float64("temperature"), TopP: e.Float64("top-p"), MaxTokens: e.Int("max-tokens")}
	if isTerminal(e.err) {
		set.OnChunk = func(c model.Chunk) {
			if c.Restart {
				fmt.Fprint(e.err, "\n[the connection failed; again:]\n")
			}
			fmt.Fprint(e.err, c.Text)
		}
	}
	row, rounds, err := eval.Ask(ctx, m, method, t, set, 0)
	err = errors.Join(err, b.Close())
	if errors.Is(err, context.Canceled) {
		return e.limited(statusInterrupted, "interrupted")
	}
	if err != nil {
		return err
	}
	report.Status, report.Rounds, report.Usage = row.Status, rounds, row.Usage
	if !row.Status.Graded() {
		report.Error = row.Message
	}
	code := exitLimit // the method gave up
	switch {
	case row.Correct:
		code = exitYes
		report.Cost, report.Steps, report.Plan = row.Cost, row.Steps, rounds[len(rounds)-1].Plan
		if err := e.writePlanText(report); err != nil {
			return err
		}
	case !row.Status.Graded():
		code = exitBad
	}
	if e.Bool("json") {
		if err := printJSON(e.out, report); err != nil {
			return err
		}
		return exit(code)
	}
	e.printRounds(report, row.Message, code)
	return exit(code)
}

// printRounds prints what became of each answer, and of all together.
func (e env) printRounds(r *promptReport, message string, code int) {
	for i := range r.Rounds {
		fmt.Fprintf(e.err, "answer %d: %s", i+1, r.Rounds[i].Status)
		if r.Rounds[i].Message != "" {
			fmt.Fprintf(e.err, ": %s", r.Rounds[i].Message)
		}
		fmt.Fprintln(e.err)
	}
	switch code {
	case exitYes:
		fmt.Fprintf(e.err, "valid: cost %s in %s, by %s\n", r.Cost, plural(r.Steps, "step"), r.Model)
	case exitBad:
		fmt.Fprintf(e.err, "planproof: %s gave no answer: %s: %s\n", r.Model, r.Status, message)
	default:
		fmt.Fprintf(e.err, "no valid plan after %s\n", plural(len(r.Rounds), "answer"))
	}
}

// writePlanText writes the plan where it was asked for.
func (e env) writePlanText(r *promptReport) error {
	if e.String("output") == "" && e.Bool("json") {
		return nil
	}
	return e.writeFile(cmp.Or(e.String("output"), "-"), func(w io.Writer) error {
		for _, step := range r.Plan {
			fmt.Fprintln(w, step)
		}
		_, err := fmt.Fprintf(w, "; cost = %s\n", r.Cost)
		return err
	})
}
