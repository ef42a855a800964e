package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/model"
)

// promptMethods are the methods of ask that prompt instead of searching, as methods of
// eval.
var promptMethods = map[string]string{"plain": "", "cot": "+cot", "modulo": "+modulo"}

// oneModel opens the model that ask asks.
func (e env) oneModel() (m model.Model, closeIt func() error, err error) {
	b, err := e.models()
	if err != nil {
		return nil, nil, err
	}
	if len(b.Models) != 1 {
		return nil, nil, errors.Join(fmt.Errorf("ask asks one model, not %d", len(b.Models)), b.Close())
	}
	return b.Models[0], b.Close, nil
}

// askFailed reports that a model gave no answer: a status, and no verdict.
func (e env) askFailed(err *model.Error) error {
	if e.Bool("json") {
		if perr := rowjson.WriteLine(e.Stdout, map[string]any{"status": err.Kind, "error": err.Message}); perr != nil {
			return perr
		}
	}
	fmt.Fprintf(e.Stderr, "planproof: the model gave no answer: %v\n", err)
	return exit(exitBad)
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
	for _, name := range flagNames("method") {
		if name != "seed" && e.IsSet(name) {
			return fmt.Errorf("--%s has no meaning for --method %s", name, e.String("method"))
		}
	}
	spec, err := costmodel.ParseBudget(e.String("budget"))
	if err != nil {
		return fmt.Errorf("--budget: %w", err)
	}
	p, err := e.OnlyTask()
	if err != nil {
		return err
	}
	reader, err := e.reader()
	if err != nil {
		return err
	}
	t := &eval.Task{ID: p.Name, Problem: p, Reader: reader}
	if taskref.IsBundled(e.Args().First()) {
		t.Bundled = e.Args().First()
	}
	budget, err := e.promptBudget(spec)
	if err != nil {
		return err
	}
	if budget.Bounded() {
		t.Budget = &budget.Limit
	}
	method, err := eval.ParseMethod(e.String("style")+words, t.Budget)
	if err != nil {
		return fmt.Errorf("--method %w", err)
	}
	return e.askRounds(t, method, budget)
}

// promptBudget finds the budget. Levels that depend on the optimal cost need a grounded task.
func (e env) promptBudget(spec costmodel.BudgetSpec) (costmodel.Budget, error) {
	if spec.Level != costmodel.Tight && spec.Level != costmodel.Loose {
		return spec.Of(costmodel.Budgets{})
	}
	g, err := e.GroundTask(false)
	if err != nil {
		return costmodel.Budget{}, err
	}
	b, err := e.findBudget(e.Context.Context, g, spec)
	if err != nil {
		return costmodel.Budget{}, err
	}
	return b.Budget, nil
}

// askRounds asks, and prints the plan or why there is none.
func (e env) askRounds(t *eval.Task, method *eval.Method, budget costmodel.Budget) error {
	m, closeIt, err := e.oneModel()
	if err != nil {
		return err
	}
	set := e.settings()
	if cmdline.IsTerminal(e.Stderr) {
		set.OnChunk = model.Echo(e.Stderr)
	}
	row, rounds, err := eval.Ask(e.Context.Context, m, method, t, &set, 0)
	err = errors.Join(err, closeIt())
	if err != nil {
		return e.OrInterrupted(err, "interrupted")
	}
	report := eval.NewAskReport(e.String("method"), budget, &row, rounds)
	code := exitLimit // the method gave up
	switch {
	case row.Correct:
		code = exitYes
		if e.String("output") != "" || !e.Bool("json") {
			if err := e.WriteFile(cmp.Or(e.String("output"), "-"), report.WritePlan); err != nil {
				return err
			}
		}
	case !row.Status.Graded():
		code = exitBad
	}
	if e.Bool("json") {
		err = rowjson.WriteLine(e.Stdout, report)
	} else {
		err = report.WriteText(e.Stderr)
	}
	if err != nil {
		return err
	}
	return exit(code)
}

// settings are those of all requests, by the flags of models.
func (e env) settings() eval.Settings {
	seed := e.Int64("seed")
	if u := e.Uint64("seed"); u > 0 {
		seed = int64(u)
	}
	return eval.Settings{Samples: e.Int("samples"), Seed: &seed, Temperature: e.Float64("temperature"), TopP: e.Float64("top-p"), MaxTokens: e.Int("max-tokens")}
}
