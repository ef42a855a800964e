package treebench

import (
	"fmt"
	"io"
	"slices"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/treesearch"
)

// Row is a row of bench treesearch --json: the tasks of one horizon under one budget.
type Row struct {
	Method  string            `json:"method"`
	Guide   string            `json:"guide"`
	Limit   int               `json:"expansion_limit"`
	Budget  string            `json:"budget"`
	Horizon costmodel.Horizon `json:"horizon"` // "all" for all
	Tasks   int64             `json:"tasks"`
	// Success, Optimality and Efficiency are means over all tasks; Efficiency counts the
	// expansions until the search ended, with a proof or at its limit.
	Success    float64       `json:"success_rate"`
	Wilson     eval.Interval `json:"success_wilson"` // 95 %
	Optimality float64       `json:"optimality"`
	// Null where no expansions are counted: plain, cot.
	Efficiency *float64 `json:"efficiency"`
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

// Rows sums up the tasks by method, budget and horizon.
func (c *Config) Rows(tasks []*Task) []*Row {
	var rows []*Row
	for k := range c.Methods {
		for j := range c.Budgets {
			for _, h := range append(slices.Clone(costmodel.Horizons), "all") {
				if row := c.row(k, j, h, tasks); row.Tasks > 0 {
					rows = append(rows, row)
				}
			}
		}
	}
	return rows
}

// WriteRows writes rows as a table for people.
func WriteRows(out io.Writer, rows []*Row) {
	several := slices.ContainsFunc(rows, func(r *Row) bool { return r.Method != rows[0].Method })
	for i, row := range rows {
		if i == 0 || rows[i-1].Method != row.Method {
			if several {
				fmt.Fprintf(out, "%s\n", row.Method)
			}
			fmt.Fprintf(out, "%-10s %-6s %6s %8s %10s %8s | %10s %10s %10s | %9s %9s %9s\n", "budget", "plans", "tasks", "success", "optimality", "proven",
				"efficiency", "first plan", "in rounds", "to first", "to best", "to end")
		}
		row.write(out)
	}
}

func (row *Row) write(out io.Writer) {
	fmt.Fprintf(out, "%-10s %-6s %6d %8.4f %10.4f %8.4f |", row.Budget, row.Horizon, row.Tasks, row.Success, row.Optimality, row.Proven)
	if row.Efficiency == nil {
		fmt.Fprintf(out, " %10s %10s %10s | %9s %9s %9s\n", "-", "-", "-", "-", "-", "-")
	} else {
		fmt.Fprintf(out, " %10.4f %10.4f %10.4f | %9.2f %9.2f %9.2f\n", *row.Efficiency, row.FirstEfficiency, row.RoundEfficiency, row.First, row.Best, row.Expanded)
	}
	if a := row.Asked; a != nil {
		fmt.Fprintf(out, "%-17s success %s; %d prompts, %d prompt and %d completion tokens\n", "", eval.Percent(row.Success, row.Wilson), a.Prompts, a.Usage.Prompt, a.Usage.Completion)
	}
}

// Draw writes the success rates of a run as an SVG chart.
func Draw(w io.Writer, guide string, expansions int, rows []*Row) error {
	var bars []eval.Bar
	for _, r := range rows {
		bars = append(bars, eval.Bar{
			Label: fmt.Sprintf("%s, %s, %s", r.Method, r.Budget, r.Horizon), Rate: r.Success, Interval: r.Wilson, Mark: r.Success, Note: spell.Plural(int(r.Tasks), "task"),
		})
	}
	title := fmt.Sprintf("Budget-BlocksWorld, guide %s: success within %d expansions, with 95 %% Wilson intervals", guide, expansions)
	return eval.WriteChart(w, title, bars)
}

// row sums up the tasks of a horizon by the k-th method under the j-th budget.
func (c *Config) row(k, j int, h costmodel.Horizon, tasks []*Task) *Row {
	row := &Row{Method: c.Methods[k].Name, Guide: c.GuideName, Limit: c.Expansions, Budget: c.Budgets[j].Label(), Horizon: h}
	searches := c.Methods[k].Tree != nil
	if c.Model != nil {
		row.Model, row.Asked = c.Model.Name(), &treesearch.LanguageTotals{}
	}
	var tally costmodel.Tally
	var first, rounds, best, expanded, all, evaluated, calls, proven int
	for _, t := range tasks {
		if h != "all" && t.Horizon != h {
			continue
		}
		o := &t.Outcomes[k][j]
		tally.Add(o.Score)
		if row.Asked != nil {
			row.Asked.Add(o.Asked)
		}
		r := o.Result
		if r != nil && r.Proven() {
			proven++
		}
		if r != nil && o.Score.Success {
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
	row.Wilson = eval.Wilson(row.Success, int(row.Tasks))
	row.Optimality, _ = tally.Optimality()
	row.Proven = float64(proven) / float64(row.Tasks)
	if !searches {
		return row
	}
	efficiency, _ := tally.Efficiency()
	row.Efficiency = &efficiency
	if tally.Successes > 0 {
		mean := func(sum int) float64 { return float64(sum) / float64(tally.Successes) }
		limit := float64(c.Expansions)
		row.FirstEfficiency, row.RoundEfficiency = 1-mean(first)/limit, 1-mean(rounds)/limit
		row.First, row.Best, row.Expanded, row.Rounds = mean(first), mean(best), mean(expanded), mean(all)
		row.Evaluated, row.Calls = mean(evaluated), mean(calls)
	}
	return row
}
