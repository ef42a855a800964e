package main

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/treesearch"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"
)

var benchCommand = command{
	name: "bench", usage: "measure planproof on published benchmarks", args: "SUBCOMMAND",
	long: `
Each subcommand runs one experiment and prints its table.

   planproof bench treesearch --count 9 --method cats,tot`,
	subs: []command{benchTreesearchCommand},
}

var benchTreesearchCommand = command{
	name: "treesearch", usage: "tree searches on Budget-BlocksWorld, per budget and horizon", args: " ",
	long: `
Plans the 1,008 tasks of Budget-BlocksWorld with methods of planproof ask and prints
success rate, optimality and efficiency per budget and horizon, as the paper's tables do
(docs/TREESEARCH.md says how expansions and rounds are counted). Every plan is judged.
plain and cot, which ask a model for a whole plan once, count no expansions.
Exit codes: 0 success everywhere; 1 some task was not solved within its budget; 2 bad
command line, or a model gave no answer; 3 interrupted. A run that ends early prints the
table of the tasks it has finished, which are spread over the lengths, and draws nothing. With
--transcript the methods share the model's answers, and the same command goes on.

   planproof bench treesearch
   planproof bench treesearch --guide table --json
   planproof bench treesearch --method rap --guide uniform --count 100 --budgets loose
   planproof bench treesearch --method cats,tot,rap,plain --guide model --model NAME --base-url URL --style pddl --transcript run.jsonl --svg run.svg`,
	flags: append([]cli.Flag{
		&cli.StringFlag{Name: "method", Usage: "cats, tot, tot-dfs, rap, best-first, plain or cot; several are separated by commas", Value: "cats"},
		&cli.StringFlag{Name: "budgets", Usage: "budgets, separated by commas", Value: "tight,loose,unlimited"},
		&cli.StringFlag{Name: "schedule", Usage: "costs of the four actions", Value: costmodel.ReferenceSchedule},
		&cli.IntFlag{Name: "set", Usage: "number of the set of tasks", Value: 1},
		&cli.IntFlag{Name: "count", Usage: "number of tasks, spread over the lengths; more hold all of fewer", Value: domains.BudgetTasks},
		&cli.StringFlag{Name: "svg", Usage: "draw the success rates with their intervals into `FILE`"},
		styleFlag,
		&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "tasks worked on at the same time (0: one per processor)"},
	}, append(methodFlags(), modelFlags()...)...),
	action: benchTreesearch,
}

// benchMethod is a tree search, or a way of prompting (the words of a method of eval).
type benchMethod struct {
	name  string
	tree  treesearch.Method // nil: prompting
	words string
}

// benchMethods reads --method.
func (e env) benchMethods() ([]benchMethod, error) {
	var out []benchMethod
	var trees []string
	for _, name := range strings.Split(e.String("method"), ",") {
		m := benchMethod{name: strings.TrimSpace(name)}
		if slices.ContainsFunc(out, func(o benchMethod) bool { return o.name == m.name }) {
			return nil, fmt.Errorf("--method names %s twice", m.name)
		}
		words, prompts := promptMethods[m.name]
		switch {
		case m.name == "modulo":
			return nil, errors.New("--method modulo: planproof eval measures it")
		case prompts && e.String("guide") != "model":
			return nil, fmt.Errorf("--method %s needs --guide model", m.name)
		case prompts:
			m.words = words
		default:
			tree, err := treesearch.Lookup(m.name)
			if err == nil {
				m.tree, err = e.shaped(tree)
			}
			if err != nil {
				return nil, fmt.Errorf("--method: %w", err)
			}
			trees = append(trees, m.name)
		}
		out = append(out, m)
	}
	return out, e.searchFlags(trees)
}

// benchTask is what one task gave: an outcome by method and budget.
type benchTask struct {
	horizon  costmodel.Horizon
	outcomes [][]benchOutcome
}

// benchOutcome is what one method gave under one budget.
type benchOutcome struct {
	score  costmodel.Score
	result *treesearch.Result // nil: prompting
	asked  treesearch.LanguageTotals
}

func benchTreesearch(e env) error {
	if e.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", e.Args().First())
	}
	methods, err := e.benchMethods()
	if err != nil {
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
	if err := e.outputs("svg"); err != nil {
		return err
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
	tasks := make([]*benchTask, len(pairs)) // nil where a task is not among the chosen, or not finished
	group, ctx := errgroup.WithContext(e.Context.Context)
	group.SetLimit(jobs)
	bar := e.rowProgress()
	b := &bench{env: e, methods: methods, specs: specs, schedule: schedule, model: m}
	for _, k := range spreadOrder(len(pairs))[:count] {
		group.Go(func() error {
			name := fmt.Sprintf("budget-blocksworld:%d-%d", set, k+1)
			t, err := b.task(ctx, name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			t.horizon = costmodel.HorizonOf(int64(pairs[k].Steps))
			tasks[k] = t
			bar.Add(1)
			return nil
		})
	}
	err = group.Wait()
	bar.Done()
	var failed *model.Error
	isModel := errors.As(err, &failed)
	interrupted := err != nil && e.Context.Context.Err() != nil || isModel && failed.Kind == model.KindCancelled
	if err != nil && !interrupted && !isModel {
		return err
	}
	finished := slices.DeleteFunc(tasks, func(t *benchTask) bool { return t == nil })
	if err == nil {
		return b.report(finished)
	}
	if err := b.partial(finished, count); err != nil {
		return err
	}
	if interrupted {
		return e.limited(statusInterrupted, fmt.Sprintf("interrupted after %d of %s", len(finished), plural(count, "task")))
	}
	return e.askFailed(failed)
}

// spreadOrder returns the numbers from 0 to n-1 in an order whose every beginning is spread
// over them: thirds, and then halves of what lies between (a van der Corput sequence, scaled).
// So a run of more tasks holds those of one of fewer, and those worked on before an
// interruption are of all lengths of plans.
func spreadOrder(n int) []int {
	order := make([]int, 0, n)
	seen := make([]bool, n)
	for i := 0; len(order) < n; i++ {
		half := float64(bits.Reverse32(uint32(i/3))) / (1 << 32)
		at := int((float64(i%3) + half) * float64(n) / 3)
		if !seen[at] {
			seen[at] = true
			order = append(order, at)
		}
	}
	return order
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

// bench is one run.
type bench struct {
	env
	methods  []benchMethod
	specs    []costmodel.BudgetSpec
	schedule costmodel.Schedule
	model    model.Model // nil without
}

// guideOf makes the guide of one task.
func (b *bench) guideOf(ctx context.Context, g *grounded) (treesearch.Guide, error) {
	if b.model == nil {
		return b.guide(ctx, g.task, search.Limits{})
	}
	return b.languageGuide(ctx, g, b.model, search.Limits{})
}

// asked is what a guide has asked a language model for so far.
func asked(g treesearch.Guide) treesearch.LanguageTotals {
	if l, ok := g.Evaluator.(*treesearch.Language); ok {
		return l.Totals()
	}
	return treesearch.LanguageTotals{}
}

// benchInstance is a task with what its budgets depend on.
type benchInstance struct {
	name string
	grounded
	space   *treesearch.Space
	budgets costmodel.Budgets
}

func (b *bench) instance(ctx context.Context, name string) (*benchInstance, error) {
	d, p, err := domains.Load(name)
	if err != nil {
		return nil, err
	}
	dom, _ := pddl.ParseDomain(d, pddl.Options{})
	problem, diags := pddl.ParseProblem(p, dom, pddl.Options{})
	if diags.HasErrors() {
		return nil, diags
	}
	schedule := b.schedule
	if !schedule.Empty() {
		if problem, err = schedule.Apply(problem); err != nil {
			return nil, err
		}
	}
	in := &benchInstance{name: name, grounded: grounded{problem: problem}}
	if in.task, err = grounder.Ground(ctx, problem, grounder.Options{}); err != nil {
		return nil, err
	}
	truth, err := pipeline.Search(ctx, problem, in.task, pipeline.Options{})
	if err != nil {
		return nil, err
	}
	if truth.Status != search.SolvedOptimally {
		return nil, fmt.Errorf("no optimal cost: %s", truth.Status)
	}
	if schedule.Empty() {
		schedule = costmodel.Unit()
	}
	slack, err := costmodel.RoundsOf(in.task).Slack(schedule)
	if err != nil {
		return nil, err
	}
	in.budgets = costmodel.Budgets{Optimal: truth.Cost, Slack: slack}
	in.space, err = treesearch.NewSpace(in.task)
	return in, err
}

// task plans one task by every method under every budget.
func (b *bench) task(ctx context.Context, name string) (*benchTask, error) {
	in, err := b.instance(ctx, name)
	if err != nil {
		return nil, err
	}
	out := &benchTask{}
	var guide treesearch.Guide
	for k, m := range b.methods {
		var row []benchOutcome
		// A model's memory starts empty for each method, so that its counts are those of the
		// method alone.
		if m.tree != nil && (guide.Evaluator == nil || b.model != nil && k > 0) {
			if guide, err = b.guideOf(ctx, &in.grounded); err != nil {
				return nil, err
			}
		}
		for _, spec := range b.specs {
			budget, err := spec.Of(in.budgets)
			if err != nil {
				return nil, err
			}
			var o benchOutcome
			if m.tree != nil {
				o, err = b.search(ctx, in, m.tree, guide, budget)
			} else {
				o, err = b.prompt(ctx, in, m, budget)
			}
			if err != nil {
				return nil, err
			}
			row = append(row, o)
		}
		out.outcomes = append(out.outcomes, row)
	}
	return out, nil
}

// search runs one search and has its plan judged.
func (b *bench) search(ctx context.Context, in *benchInstance, m treesearch.Method, guide treesearch.Guide, budget costmodel.Budget) (benchOutcome, error) {
	before := asked(guide)
	limit, _ := budgetUnits(in.task, budget)
	n := b.Int("expansions")
	r, err := m.Search(ctx, in.space, guide, treesearch.Options{Budget: limit, Expansions: n, Seed: b.Uint64("seed")})
	if err != nil {
		return benchOutcome{}, err
	}
	outcome := costmodel.Outcome{Expanded: int64(r.Expanded)}
	switch {
	case r.Status == treesearch.Timeout:
		return benchOutcome{}, context.Canceled
	case r.HasPlan():
		a, err := pipeline.Confirm(in.problem, in.task, &search.Result{Status: search.Solved, Plan: r.Plan, Cost: r.Cost}, nil)
		if err != nil {
			return benchOutcome{}, err
		}
		outcome.Valid, outcome.Cost = true, a.Cost
	}
	score, err := costmodel.Evaluate(outcome, in.budgets.Optimal, budget, int64(n))
	return benchOutcome{score, r, asked(guide).Since(before)}, err
}

// prompt asks the model for a whole plan. No answer at all is an error, not a failure of
// the model.
func (b *bench) prompt(ctx context.Context, in *benchInstance, m benchMethod, budget costmodel.Budget) (benchOutcome, error) {
	t := &eval.Task{ID: in.name, Bundled: in.name, Problem: in.problem}
	if budget.Bounded() {
		t.Budget = &budget.Limit
	}
	method, err := eval.ParseMethod(b.String("style")+m.words, t.Budget)
	if err != nil {
		return benchOutcome{}, fmt.Errorf("--method %w", err)
	}
	seed := int64(b.Uint64("seed"))
	set := &eval.Settings{Seed: &seed, Temperature: b.Float64("temperature"), TopP: b.Float64("top-p"), MaxTokens: b.Int("max-tokens")}
	row, rounds, err := eval.Ask(ctx, b.model, method, t, set, 0)
	if err != nil {
		return benchOutcome{}, err
	}
	if !row.Status.Graded() {
		return benchOutcome{}, &model.Error{Kind: model.ErrorKind(row.Status), Message: row.Message}
	}
	outcome := costmodel.Outcome{Expanded: -1}
	if row.Correct {
		cost, ok := pddl.ParseFraction(row.Cost)
		if !ok {
			return benchOutcome{}, fmt.Errorf("internal error: a valid plan costs %q", row.Cost)
		}
		outcome.Valid, outcome.Cost = true, cost
	}
	o := benchOutcome{asked: treesearch.LanguageTotals{Prompts: len(rounds)}}
	if row.Usage == nil {
		o.asked.Uncounted = 1
	} else {
		o.asked.Usage = *row.Usage
	}
	o.score, err = costmodel.Evaluate(outcome, in.budgets.Optimal, budget, 0)
	return o, err
}
