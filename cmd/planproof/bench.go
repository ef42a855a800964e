package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"planproof/costmodel"
	"planproof/domains"
	"planproof/grounder"
	"planproof/llmbridge/model"
	"planproof/llmbridge/treesearch"
	"planproof/pddl"
	"planproof/search"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"
)

var benchCommand = command{
	name: "bench", usage: "measure planproof on published benchmarks", args: "SUBCOMMAND",
	long: `
Each subcommand runs one experiment and prints its table.`,
	subs: []command{benchTreesearchCommand},
}

var benchTreesearchCommand = command{
	name: "treesearch", usage: "tree searches on Budget-BlocksWorld, per budget and horizon", args: " ",
	long: `
Plans the 1,008 tasks of Budget-BlocksWorld with a method of planproof ask and prints
success rate, optimality and efficiency per budget and horizon, as the paper's tables do
(docs/TREESEARCH.md says how expansions and rounds are counted). Every plan is judged.
Exit codes: 0 success everywhere; 1 some task was not solved within its budget; 2 bad
command line; 3 interrupted.

   planproof bench treesearch
   planproof bench treesearch --guide table --json
   planproof bench treesearch --method rap --guide uniform --count 100 --budgets loose
   planproof bench treesearch --guide model --model NAME --base-url URL --transcript run.jsonl`,
	flags: append([]cli.Flag{
		&cli.StringFlag{Name: "method", Usage: "cats, tot, tot-dfs, rap or best-first", Value: "cats"},
		&cli.StringFlag{Name: "budgets", Usage: "budgets, separated by commas", Value: "tight,loose,unlimited"},
		&cli.StringFlag{Name: "schedule", Usage: "costs of the four actions", Value: costmodel.ReferenceSchedule},
		&cli.IntFlag{Name: "set", Usage: "number of the set of tasks", Value: 1},
		&cli.IntFlag{Name: "count", Usage: "number of tasks, spread over the lengths", Value: domains.BudgetTasks},
		styleFlag,
		&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "tasks worked on at the same time (0: one per processor)"},
	}, append(methodFlags(), modelFlags()...)...),
	action: benchTreesearch,
}

// benchRow is a row of bench treesearch --json: the tasks of one horizon under one budget.
type benchRow struct {
	Method  string            `json:"method"`
	Guide   string            `json:"guide"`
	Budget  string            `json:"budget"`
	Horizon costmodel.Horizon `json:"horizon"` // "all" for all
	Tasks   int64             `json:"tasks"`
	// Success, Optimality and Efficiency are means over all tasks; Efficiency counts the
	// expansions until the search ended, with a proof or at its limit.
	Success    float64 `json:"success_rate"`
	Optimality float64 `json:"optimality"`
	Efficiency float64 `json:"efficiency"`
	// The others are means over the tasks with success. FirstEfficiency counts the
	// expansions until the first plan, RoundEfficiency the rounds until the first plan.
	FirstEfficiency float64 `json:"efficiency_first"`
	RoundEfficiency float64 `json:"efficiency_first_rounds"`
	Proven          float64 `json:"proven_rate"` // of all tasks: the answer is proven
	First           float64 `json:"expanded_first"`
	Best            float64 `json:"expanded_best"`
	Expanded        float64 `json:"expanded"`
	Rounds          float64 `json:"rounds"`
	Evaluated       float64 `json:"evaluated"`
	Calls           float64 `json:"calls"`
	// Model and Asked are about the language model, where one is the guide: Asked is the
	// total over all tasks.
	Model string                     `json:"model,omitempty"`
	Asked *treesearch.LanguageTotals `json:"asked,omitempty"`
}

// benchTask is what one task gave under each budget.
type benchTask struct {
	horizon costmodel.Horizon
	results []*treesearch.Result
	scores  []costmodel.Score
	asked   []treesearch.LanguageTotals
}

func benchTreesearch(e env) error {
	if e.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", e.Args().First())
	}
	if _, err := e.method(); err != nil {
		return err
	}
	specs, err := costmodel.ParseBudgets(e.String("budgets"))
	if err != nil {
		return fmt.Errorf("--budgets: %w", err)
	}
	schedule, err := e.schedule()
	if err != nil {
		return err
	}
	set, count := e.Int("set"), e.Int("count")
	if set < 1 || set > domains.MaxBudgetSet || count < 1 || count > domains.BudgetTasks || e.Int("jobs") < 0 {
		return fmt.Errorf("--set must be from 1 to %d, --count from 1 to %d, --jobs not negative", domains.MaxBudgetSet, domains.BudgetTasks)
	}
	jobs := e.Int("jobs")
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	m, done, err := e.benchModel()
	if err != nil {
		return err
	}
	defer done()
	pairs := domains.BudgetSet(set)
	tasks := make([]*benchTask, count)
	group, ctx := errgroup.WithContext(e.Context.Context)
	group.SetLimit(jobs)
	bar := e.rowProgress()
	for i := range tasks {
		group.Go(func() error {
			k := i * domains.BudgetTasks / count
			name := fmt.Sprintf("budget-blocksworld:%d-%d", set, k+1)
			t, err := e.benchTask(ctx, name, schedule, specs, m)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			t.horizon = costmodel.HorizonOf(int64(pairs[k].Steps))
			tasks[i] = t
			bar.add(1)
			return nil
		})
	}
	err = group.Wait()
	bar.done()
	if errors.Is(err, context.Canceled) {
		return e.limited("timeout", "interrupted")
	}
	if err != nil {
		return err
	}
	return e.benched(specs, tasks, m)
}

// benchModel makes the language model for --guide model, nil otherwise.
func (e env) benchModel() (m model.Model, done func(), err error) {
	if e.String("guide") != "model" {
		return nil, func() {}, nil
	}
	b, m, err := e.oneModel(e.Context.Context)
	if err != nil {
		return nil, nil, err
	}
	return m, func() { b.Close() }, nil
}

// benchGuide makes the guide of one task.
func (e env) benchGuide(ctx context.Context, g *grounded, m model.Model) (treesearch.Guide, error) {
	if m == nil {
		return e.guide(ctx, g.task, search.Limits{})
	}
	return e.languageGuide(ctx, g, m, search.Limits{})
}

// asked is what a guide has asked a language model for so far.
func asked(g treesearch.Guide) treesearch.LanguageTotals {
	if l, ok := g.Evaluator.(*treesearch.Language); ok {
		return l.Totals()
	}
	return treesearch.LanguageTotals{}
}

// benchTask plans one task under every budget.
func (e env) benchTask(ctx context.Context, name string, schedule costmodel.Schedule, specs []costmodel.BudgetSpec, m model.Model) (*benchTask, error) {
	method, err := e.method()
	if err != nil {
		return nil, err
	}
	d, p, err := domains.Load(name)
	if err != nil {
		return nil, err
	}
	dom, _ := pddl.ParseDomain(d, pddl.Options{})
	problem, diags := pddl.ParseProblem(p, dom, pddl.Options{})
	if diags.HasErrors() {
		return nil, diags
	}
	if !schedule.Empty() {
		if problem, err = schedule.Apply(problem); err != nil {
			return nil, err
		}
	}
	g := &grounded{problem: problem}
	if g.task, err = grounder.Ground(ctx, problem, grounder.Options{}); err != nil {
		return nil, err
	}
	truth, err := search.Run(ctx, g.task, search.Config{})
	if err != nil {
		return nil, err
	}
	if truth.Status != search.SolvedOptimally {
		return nil, fmt.Errorf("no optimal cost: %s", truth.Status)
	}
	if schedule.Empty() {
		schedule = costmodel.Unit()
	}
	slack, err := costmodel.RoundsOf(g.task).Slack(schedule)
	if err != nil {
		return nil, err
	}
	guide, err := e.benchGuide(ctx, g, m)
	if err != nil {
		return nil, err
	}
	space, err := treesearch.NewSpace(g.task)
	if err != nil {
		return nil, err
	}
	budgets := costmodel.Budgets{Optimal: g.task.CostBase.Add(g.task.CostUnit.Mul(pddl.Int(truth.Cost))), Slack: slack}
	out := &benchTask{}
	for _, spec := range specs {
		b, err := spec.Of(budgets)
		if err != nil {
			return nil, err
		}
		before := asked(guide)
		r, score, err := e.benchSearch(ctx, g, method, guide, space, b, budgets.Optimal)
		if err != nil {
			return nil, err
		}
		out.results = append(out.results, r)
		out.scores = append(out.scores, score)
		out.asked = append(out.asked, asked(guide).Since(before))
	}
	return out, nil
}

// benchSearch runs one search and has its plan judged.
func (e env) benchSearch(ctx context.Context, g *grounded, m treesearch.Method, guide treesearch.Guide, s *treesearch.Space, b costmodel.Budget, optimal pddl.Number) (*treesearch.Result, costmodel.Score, error) {
	limit, _ := budgetUnits(g.task, b)
	n := e.Int("expansions")
	r, err := m.Search(ctx, s, guide, treesearch.Options{Budget: limit, Expansions: n, Seed: e.Uint64("seed")})
	if err != nil {
		return nil, costmodel.Score{}, err
	}
	outcome := costmodel.Outcome{Expanded: int64(r.Expanded)}
	switch {
	case r.Status == treesearch.Timeout:
		return nil, costmodel.Score{}, context.Canceled
	case r.HasPlan():
		_, verdict, err := judgeFound(g, &search.Result{Plan: r.Plan, Cost: r.Cost})
		if err != nil {
			return nil, costmodel.Score{}, err
		}
		outcome.Valid, outcome.Cost = true, verdict.Cost
	}
	score, err := costmodel.Evaluate(outcome, optimal, b, int64(n))
	return r, score, err
}

// benched prints the table.
func (e env) benched(specs []costmodel.BudgetSpec, tasks []*benchTask, m model.Model) error {
	code := exitYes
	if !e.Bool("json") {
		fmt.Fprintf(e.out, "%-10s %-6s %6s %8s %10s %8s | %10s %10s %10s | %9s %9s %9s\n", "budget", "plans", "tasks", "success", "optimality", "proven",
			"efficiency", "first plan", "in rounds", "to first", "to best", "to end")
	}
	for k, spec := range specs {
		for _, h := range append(slices.Clone(costmodel.Horizons), "all") {
			row := e.benchRow(spec.Label(), h, k, tasks)
			if m != nil {
				row.Model = m.Name()
				row.Asked = &treesearch.LanguageTotals{}
				for _, t := range tasks {
					if h == "all" || t.horizon == h {
						row.Asked.Add(t.asked[k])
					}
				}
			}
			if row.Success < 1 {
				code = exitNo
			}
			if row.Tasks == 0 {
				continue
			}
			if e.Bool("json") {
				if err := printJSON(e.out, row); err != nil {
					return err
				}
				continue
			}
			fmt.Fprintf(e.out, "%-10s %-6s %6d %8.4f %10.4f %8.4f | %10.4f %10.4f %10.4f | %9.2f %9.2f %9.2f\n", row.Budget, row.Horizon, row.Tasks, row.Success, row.Optimality, row.Proven,
				row.Efficiency, row.FirstEfficiency, row.RoundEfficiency, row.First, row.Best, row.Expanded)
			if m != nil {
				fmt.Fprintf(e.out, "%-17s %d prompts scored, %d prompt and %d completion tokens\n", "", row.Asked.Prompts, row.Asked.Usage.Prompt, row.Asked.Usage.Completion)
			}
		}
	}
	return exit(code)
}

// benchRow sums up the tasks of a horizon under the k-th budget.
func (e env) benchRow(budget string, h costmodel.Horizon, k int, tasks []*benchTask) benchRow {
	row := benchRow{Method: e.String("method"), Guide: e.String("guide"), Budget: budget, Horizon: h}
	var tally costmodel.Tally
	var first, rounds, best, expanded, all, evaluated, calls, proven int
	for _, t := range tasks {
		if h != "all" && t.horizon != h {
			continue
		}
		r := t.results[k]
		tally.Add(t.scores[k])
		if r.Proven() {
			proven++
		}
		if t.scores[k].Success {
			first += r.FirstExpanded
			rounds += r.FirstRounds
			best += r.BestExpanded
			expanded += r.Expanded
			all += r.Rounds
			evaluated += r.Evaluated
			calls += r.Calls
		}
	}
	row.Tasks = tally.Tasks
	if row.Tasks == 0 {
		return row
	}
	row.Success, _ = tally.SuccessRate()
	row.Optimality, _ = tally.Optimality()
	row.Efficiency, _ = tally.Efficiency()
	row.Proven = float64(proven) / float64(row.Tasks)
	if tally.Successes > 0 {
		mean := func(sum int) float64 { return float64(sum) / float64(tally.Successes) }
		limit := float64(e.Int("expansions"))
		row.FirstEfficiency, row.RoundEfficiency = 1-mean(first)/limit, 1-mean(rounds)/limit
		row.First, row.Best, row.Expanded, row.Rounds = mean(first), mean(best), mean(expanded), mean(all)
		row.Evaluated, row.Calls = mean(evaluated), mean(calls)
	}
	return row
}
