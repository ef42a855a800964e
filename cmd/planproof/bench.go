package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/treebench"
	"github.com/planproof/planproof/llmbridge/treesearch"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

var benchCommand = command{
	name: "bench", usage: "measure planproof on published benchmarks", args: "SUBCOMMAND",
	subs: []command{benchTreesearchCommand},
}

var benchTreesearchCommand = command{
	name: "treesearch", usage: "tree searches on Budget-BlocksWorld, per budget and horizon", args: "",
	spec:   fmt.Sprintf(`method=cats budgets=tight,loose,unlimited schedule=%v set:int=1 count:int=%v svg jobs,j:int +style +method +model`, costmodel.ReferenceSchedule, domains.BudgetTasks),
	action: benchTreesearch,
}

// benchMethods reads --method.
func (e env) benchMethods() ([]treebench.Method, error) {
	words := map[string]string{}
	for name, suffix := range promptMethods {
		if words[name] = e.String("style") + suffix; e.String("guide") != "model" {
			words[name] = ""
		}
	}
	methods, trees, err := treebench.ParseMethods(e.String("method"), words, e.shaped)
	if err != nil {
		return nil, fmt.Errorf("--method %w", err)
	}
	return methods, e.searchFlags(trees)
}

func benchTreesearch(e env) error {
	methods, err := e.benchMethods()
	if err != nil {
		return err
	}
	specs, err := costmodel.ParseBudgets(e.String("budgets"))
	if err != nil {
		return fmt.Errorf("--budgets: %w", err)
	}
	schedule, err := e.Schedule()
	if err != nil {
		return err
	}
	set, count := e.Int("set"), e.Int("count")
	if set < 1 || set > domains.MaxBudgetSet || count < 1 || count > domains.BudgetTasks {
		return fmt.Errorf("--set must be from 1 to %d, --count from 1 to %d", domains.MaxBudgetSet, domains.BudgetTasks)
	}
	if err := e.Outputs("svg"); err != nil {
		return err
	}
	jobs := e.Int("jobs")
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	guide, err := e.guideSpec()
	if err != nil {
		return err
	}
	if guide.Name == "model" {
		var closeIt func() error
		if guide.Model, closeIt, err = e.oneModel(); err != nil {
			return err
		}
		defer closeIt()
	}
	bar := e.RowProgress()
	c := &treebench.Config{
		Set: set, Count: count, Jobs: jobs, Methods: methods, Budgets: specs, Schedule: schedule,
		Guide: func(ctx context.Context, p *pddl.Problem, t *grounder.Task) (treesearch.Guide, error) {
			return guide.New(ctx, p, t, search.Limits{})
		},
		GuideName: guide.Name, Model: guide.Model, Expansions: e.Int("expansions"), Seed: e.Uint64("seed"),
		Settings: e.settings(),
		Finished: func() { bar.Add(1) },
	}
	finished, err := treebench.Run(e.Context.Context, c)
	bar.Done()
	return e.benchEnded(c, finished, err)
}

// benchEnded prints the table of a run. One that ended early has the table of the tasks that
// it finished.
func (e env) benchEnded(c *treebench.Config, finished []*treebench.Task, err error) error {
	var failed *model.Error
	isModel := errors.As(err, &failed)
	interrupted := err != nil && e.Context.Context.Err() != nil || isModel && failed.Kind == model.KindCancelled
	if err != nil && !interrupted && !isModel {
		return err
	}
	rows := c.Rows(finished)
	if err == nil {
		return e.benchReport(rows)
	}
	if len(finished) > 0 {
		if !e.Bool("json") {
			fmt.Fprintf(e.Stdout, "%d of %s\n", len(finished), plural(c.Count, "task"))
		}
		if err := e.benchRows(rows); err != nil {
			return err
		}
	}
	if interrupted {
		return e.Limited(cmdline.Interrupted, fmt.Sprintf("interrupted after %d of %s", len(finished), plural(c.Count, "task")))
	}
	return e.askFailed(failed)
}

// benchReport draws and prints the table.
func (e env) benchReport(rows []*treebench.Row) error {
	if err := e.Draw(func(w io.Writer) error { return treebench.Draw(w, e.String("guide"), e.Int("expansions"), rows) }); err != nil {
		return err
	}
	if err := e.benchRows(rows); err != nil {
		return err
	}
	if slices.ContainsFunc(rows, func(r *treebench.Row) bool { return r.Success < 1 }) {
		return exit(exitNo)
	}
	return exit(exitYes)
}

func (e env) benchRows(rows []*treebench.Row) error {
	if !e.Bool("json") {
		treebench.WriteRows(e.Stdout, rows)
		return nil
	}
	return rowjson.WriteLines(e.Stdout, rows)
}
