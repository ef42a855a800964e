package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/report"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/treebench"
	"github.com/planproof/planproof/llmbridge/treesearch"
	"github.com/planproof/planproof/pddl"
)

// cats is "CATS: Cost-Augmented Tree Search for LLM-Assisted Planning".
func cats() *Paper {
	const prompts = "a prompt; `planproof ask TASK --guide model --transcript FILE` keeps those that it asks"
	return &Paper{Name: "cats", Title: "CATS: Cost-Augmented Tree Search for LLM-Assisted Planning", Items: []Item{
		{ID: "lengths", Title: "Appendix A: lengths of the 1,008 tasks", make: catsLengths},
		{ID: "table-1", Title: "Table 1: solution shift rates", make: catsShifts},
		{ID: "tables-2-3", Title: "Tables 2 and 3: success, optimality and efficiency by budget and horizon", make: catsMethods},
		{ID: "figure-3-left", Title: "Figure 3, left: CATS with models of three sizes", Asks: true, make: catsModel},
		{ID: "figure-3-right", Title: "Figure 3, right: the weight of the confidence reward", make: catsWeights},
		{ID: "figures-1-2", Title: "Figures 1 and 2: the domain, and an example of the search", Missing: "drawings; `planproof ask TASK --draw trees.svg` draws the trees of a search"},
		{ID: "figures-4-9", Title: "Figures 4 to 9: prompts", Missing: prompts},
	}}
}

const budgetKind = "budget-blocksworld"

// budgetTasks makes the tasks of the reference set, n of them spread over it.
func budgetTasks(n int) ([]*domains.Task, error) {
	tasks, err := domains.Generate(budgetKind, domains.GenerateOptions{Count: domains.BudgetTasks})
	if err != nil || n >= len(tasks) {
		return tasks, err
	}
	var some []*domains.Task
	for i := range n {
		some = append(some, tasks[i*len(tasks)/n])
	}
	return some, nil
}

// printedLengths are the tasks by the steps of a cheapest plan, from 2 to 32 (appendix A).
var printedLengths = []int{5, 12, 29, 67, 108, 177, 191, 163, 109, 78, 33, 20, 7, 6, 2, 1}

// catsTruths computes the costs of tasks of the set.
func catsTruths(ctx context.Context, o *Options) ([]costmodel.TaskTruth, error) {
	tasks, err := budgetTasks(o.sized(60, domains.BudgetTasks))
	if err != nil {
		return nil, err
	}
	return report.PaperTruths(ctx, tasks, nil)
}

func catsLengths(ctx context.Context, o *Options) (*Result, error) {
	truths, err := catsTruths(ctx, o)
	if err != nil {
		return nil, err
	}
	counts := make([]int, len(printedLengths))
	for i := range truths {
		k := int(truths[i].Steps)/2 - 1
		if k < 0 || k >= len(counts) || truths[i].Steps%2 != 0 {
			return nil, fmt.Errorf("internal error: %s has a cheapest plan of %d steps", truths[i].ID, truths[i].Steps)
		}
		counts[k]++
	}
	t := Table{Columns: []string{"steps", "paper", "ours"}}
	for k, n := range printedLengths {
		t.add(strconv.Itoa(2*k+2), strconv.Itoa(n), strconv.Itoa(counts[k]))
	}
	r := &Result{Status: Reproduced, Tables: []Table{t}, Notes: []string{
		"The steps are those of the cheapest plan under [1,1,20,1], ties broken by fewest steps, found by enumeration of the state space. " +
			"No shortest plan of six blocks has more than 20 steps, so the paper's lengths, too, must be those of cheapest plans.",
	}}
	if !slices.Equal(counts, printedLengths) {
		r.Status = Measured
		r.Notes = append(r.Notes, fmt.Sprintf("This is a sample of %d tasks.", len(truths)))
	}
	return r, nil
}

// printedShifts are the percentages of table 1, by schedule: short, mid, long, total.
var printedShifts = map[string][4]int{
	"[20,1,1,1]": {80, 79, 95, 84}, "[1,20,1,1]": {81, 68, 76, 71}, "[1,1,20,1]": {86, 86, 96, 90}, "[1,1,1,20]": {74, 62, 75, 67},
	"[20,1,20,1]": {62, 83, 97, 87}, "[1,20,1,20]": {21, 58, 79, 58}, "[20,20,1,1]": {48, 67, 85, 69}, "[1,1,20,20]": {44, 66, 83, 67},
	"[20,1,1,20]": {26, 58, 80, 59}, "[1,20,20,1]": {53, 71, 75, 69},
}

func catsShifts(ctx context.Context, o *Options) (*Result, error) {
	truths, err := catsTruths(ctx, o)
	if err != nil {
		return nil, err
	}
	t := Table{Columns: []string{"schedule", "short, paper", "short, ours", "mid, paper", "mid, ours", "long, paper", "long, ours", "total, paper", "total, ours"}}
	inside, cells := 0, 0
	var row []string
	for _, r := range costmodel.ShiftRates(truths, costmodel.PaperSchedules()) {
		if len(row) == 0 {
			row = append(row, r.Schedule)
		}
		printed := printedShifts[r.Schedule][(len(row)-1)/2]
		low, high := r.Percent(r.Certain), r.Percent(r.Possible)
		if cells++; low-0.5 <= float64(printed) && float64(printed) <= high+0.5 {
			inside++
		}
		if row = append(row, fmt.Sprintf("%d %%", printed), fmt.Sprintf("%.1f - %.1f %%", low, high)); len(row) == len(t.Columns) {
			t.add(row...)
			row = nil
		}
	}
	return &Result{Status: Differs, Tables: []Table{t}, Notes: []string{
		fmt.Sprintf("Ours are ranges: the tasks in which no shortest plan is cheapest, and those in which some shortest and some cheapest plan have different sequences of "+
			"action types. A rate between them depends on the plans that a search happens to return. %d of the paper's %d cells lie in our ranges.", inside, cells),
		"[20,1,1,1], [1,1,20,1] and [20,1,20,1] differ by a constant for each task, so they have the same cheapest plans and one true rate. The paper's 84, 90 and 87 % " +
			"are three tie-breaks of it.",
	}}, nil
}

// printedMethods are rows of tables 2 and 3 with Qwen3-8B by method and budget: success and optimality for short, mid, long
// and all tasks, and efficiency; negative: n/a.
var printedMethods = map[[2]string][3][4]float64{
	{"tot", "tight"}:      {{.08, 0, 0, .01}, {.04, 0, 0, .01}, {.92, -1, -1, .92}},
	{"rap", "tight"}:      {{.34, .01, 0, .04}, {.16, .01, 0, .02}, {.90, .50, -1, .85}},
	{"cats", "tight"}:     {{.34, .08, .01, .08}, {.16, .04, .01, .04}, {.99, .97, .97, .98}},
	{"tot", "loose"}:      {{.14, 0, 0, .02}, {.06, 0, 0, .02}, {.92, -1, -1, .92}},
	{"rap", "loose"}:      {{.61, .04, .01, .09}, {.21, .01, .01, .03}, {.77, .48, .71, .71}},
	{"cats", "loose"}:     {{.96, .84, .36, .65}, {.31, .29, .24, .27}, {.97, .94, .92, .93}},
	{"tot", "unlimited"}:  {{.15, .02, 0, .02}, {.06, .01, 0, .01}, {.92, .93, -1, .92}},
	{"rap", "unlimited"}:  {{.69, .04, .01, .10}, {.25, .01, 0, .03}, {.76, .74, -1, .70}},
	{"cats", "unlimited"}: {{1, 1, 1, 1}, {.29, .32, .34, .33}, {.97, .93, .91, .93}},
}

// catsExpansions is the paper's limit on expansions.
const catsExpansions = 500

// catsWeight is the paper's weight of the confidence reward.
const catsWeight = 0.5

// bench runs methods under a guide, CATS with a weight of the confidence reward, and returns the rows by method, budget and horizon.
func (o *Options) bench(ctx context.Context, guide, methods, budgets string, count int, weight float64) (map[[3]string]*treebench.Row, error) {
	spec := &treesearch.GuideSpec{Name: guide}
	if guide == "model" {
		spec.Model = o.Model
	}
	list, _, err := treebench.ParseMethods(methods, nil, func(m treesearch.Method) (treesearch.Method, error) {
		if c, ok := m.(*treesearch.CATS); ok {
			c.First, c.Weight = true, weight
		}
		return m, m.Check()
	})
	if err != nil {
		return nil, err
	}
	specs, err := costmodel.ParseBudgets(budgets)
	if err != nil {
		return nil, err
	}
	reference, err := costmodel.ParseNamed(costmodel.ReferenceSchedule)
	if err != nil {
		return nil, err
	}
	c := &treebench.Config{
		Set: 1, Count: count, Jobs: o.Jobs, Methods: list, Budgets: specs, Schedule: reference,
		Guide: func(ctx context.Context, p *pddl.Problem, t *grounder.Task) (treesearch.Guide, error) {
			return spec.New(ctx, p, t, o.Limits)
		},
		GuideName: guide, Model: spec.Model, Expansions: catsExpansions, Seed: o.Seed,
		Settings: eval.Settings{Temperature: o.Temperature, MaxTokens: o.MaxTokens},
	}
	tasks, err := treebench.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	rows := map[[3]string]*treebench.Row{}
	for _, r := range c.Rows(tasks) {
		rows[[3]string{r.Method, r.Budget, string(r.Horizon)}] = r
	}
	return rows, nil
}

// catsGuides are the guides of a run, with their names in tables.
func (o *Options) catsGuides() (guides [][2]string) {
	guides = [][2]string{{"uniform", "no guide"}, {"lmcut", "LM-cut"}}
	if o.Model != nil {
		guides = append(guides, [2]string{"model", o.Model.Name()})
	}
	return guides
}

var catsHorizons = []string{"short", "mid", "long", "all"}

func catsMethods(ctx context.Context, o *Options) (*Result, error) {
	const methods = "cats,tot,rap"
	guides := o.catsGuides()
	var measured []map[[3]string]*treebench.Row
	for _, g := range guides {
		rows, err := o.bench(ctx, g[0], methods, "tight,loose,unlimited", o.sized(24, domains.BudgetTasks), catsWeight)
		if err != nil {
			return nil, err
		}
		measured = append(measured, rows)
	}
	r := &Result{Status: Measured}
	for k, name := range []string{"Success", "Optimality (0.5 is optimal)", "Efficiency, over the tasks solved"} {
		t := Table{Title: name, Columns: []string{"budget", "planner", "short", "mid", "long", "all"}}
		for _, budget := range []string{"tight", "loose", "unlimited"} {
			for _, method := range []string{"tot", "rap", "cats"} {
				cells := []string{budget, method + ", Qwen3-8B, paper"}
				for _, v := range printedMethods[[2]string{method, budget}][k] {
					cells = append(cells, figureOrNone(v, v >= 0))
				}
				t.add(cells...)
				for i, g := range guides {
					cells := []string{budget, method + ", " + g[1] + ", ours"}
					for _, h := range catsHorizons {
						row := measured[i][[3]string{method, budget, h}]
						cells = append(cells, catsFigure(row, k))
					}
					t.add(cells...)
				}
			}
		}
		r.Tables = append(r.Tables, t)
	}
	all := measured[1][[3]string{"cats", "tight", "all"}]
	if all != nil && all.Success == 1 && all.Optimality == 0.5 {
		r.Status = Beaten
	}
	r.Notes = []string{
		fmt.Sprintf("Every search has %d expansions of both trees together and ends at its first plan; every plan is judged. CATS guided by LM-cut, an admissible heuristic in "+
			"place of the model, solves %s of the tasks under the tight budget. Without a guide CATS ranks by the distance reward alone.", catsExpansions, percent(all.Success)),
		"Raw models (CoT) and closed ones were not asked: the paper's rows of them are left out. docs/TREESEARCH.md says how the algorithms are read.",
	}
	return r, nil
}

func figureOrNone(v float64, there bool) string {
	if !there {
		return "n/a"
	}
	return figure(v)
}

// catsFigure is success, optimality or efficiency of a row.
func catsFigure(row *treebench.Row, k int) string {
	switch {
	case row == nil:
		return "n/a"
	case k == 0:
		return figure(row.Success)
	case k == 1:
		return figure(row.Optimality)
	}
	return figureOrNone(row.FirstEfficiency, row.Success > 0)
}

// catsModel measures one model; runs of models of several sizes are put beside each other.
func catsModel(ctx context.Context, o *Options) (*Result, error) {
	rows, err := o.bench(ctx, "model", "cats", "tight,loose,unlimited", o.sized(12, domains.BudgetTasks), catsWeight)
	if err != nil {
		return nil, err
	}
	t := Table{Columns: []string{"model", "budget", "success", "optimality", "efficiency"}}
	for _, budget := range []string{"tight", "loose", "unlimited"} {
		p := printedMethods[[2]string{"cats", budget}]
		t.add("Qwen3-8B, paper", budget, figure(p[0][3]), figure(p[1][3]), figure(p[2][3]))
		row := rows[[3]string{"cats", budget, "all"}]
		t.add(o.Model.Name()+", ours", budget, catsFigure(row, 0), catsFigure(row, 1), catsFigure(row, 2))
	}
	return &Result{Status: Measured, Tables: []Table{t}, Notes: []string{"The bars of the paper's figure have no numbers but those of table 2."}}, nil
}

// catsWeights varies the weight of the confidence reward from 0 to 1 in steps of 0.1.
func catsWeights(ctx context.Context, o *Options) (*Result, error) {
	t := Table{Columns: []string{"guide", "weight", "success", "optimality", "efficiency"}}
	plot := &Plot{Title: "CATS by the weight of the confidence reward, no budget", Axis: "weight", Max: 1}
	for _, g := range o.catsGuides() {
		lines := []Line{{Name: "success, " + g[1]}, {Name: "optimality x 2, " + g[1]}, {Name: "efficiency, " + g[1]}}
		plot.Places = nil
		for step := 0; step <= 10; step++ {
			w := float64(step) / 10
			rows, err := o.bench(ctx, g[0], "cats", "unlimited", o.sized(12, 252), w)
			if err != nil {
				return nil, err
			}
			row := rows[[3]string{"cats", "unlimited", "all"}]
			t.add(g[1], fmt.Sprintf("%.1f", w), catsFigure(row, 0), catsFigure(row, 1), catsFigure(row, 2))
			plot.Places = append(plot.Places, fmt.Sprintf("%.1f", w))
			for k, v := range []float64{row.Success, 2 * row.Optimality, row.FirstEfficiency} {
				lines[k].Values = append(lines[k].Values, v)
			}
		}
		plot.Lines = append(plot.Lines, lines...)
	}
	return &Result{Status: Measured, Tables: []Table{t}, Plot: plot, Notes: []string{
		"The paper's curve is of Qwen3-8B and has no numbers: success is nearly 1 from 0.3 on, optimality rises with the weight, and efficiency falls towards 1. " +
			"Without a guide the confidence of an action is its share of the applicable ones, which says little: it does harm as its weight grows, and alone it fails.",
	}}, nil
}
