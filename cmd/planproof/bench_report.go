package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/treesearch"
)

// benchRow is a row of bench treesearch --json: the tasks of one horizon under one budget.
type benchRow struct {
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

// report prints the table and draws it.
func (b *bench) report(tasks []*benchTask) error {
	rows := b.rows(tasks)
	if err := b.drawRows(rows); err != nil {
		return err
	}
	if err := b.printRows(rows); err != nil {
		return err
	}
	if slices.ContainsFunc(rows, func(r *benchRow) bool { return r.Success < 1 }) {
		return exit(exitNo)
	}
	return exit(exitYes)
}

// partial prints the table of the tasks that were finished of a run that ended early.
func (b *bench) partial(finished []*benchTask, count int) error {
	if len(finished) == 0 {
		return nil
	}
	if !b.Bool("json") {
		fmt.Fprintf(b.out, "%d of %s\n", len(finished), plural(count, "task"))
	}
	return b.printRows(b.rows(finished))
}

// rows sums up the tasks by method, budget and horizon.
func (b *bench) rows(tasks []*benchTask) []*benchRow {
	var rows []*benchRow
	for k := range b.methods {
		for j := range b.specs {
			for _, h := range append(slices.Clone(costmodel.Horizons), "all") {
				if row := b.row(k, j, h, tasks); row.Tasks > 0 {
					rows = append(rows, row)
				}
			}
		}
	}
	return rows
}

func (b *bench) printRows(rows []*benchRow) error {
	for i, row := range rows {
		if b.Bool("json") {
			if err := printJSON(b.out, row); err != nil {
				return err
			}
			continue
		}
		if i == 0 || rows[i-1].Method != row.Method {
			b.printHead(row)
		}
		b.printRow(row)
	}
	return nil
}

func (b *bench) printHead(row *benchRow) {
	if len(b.methods) > 1 {
		fmt.Fprintf(b.out, "%s\n", row.Method)
	}
	fmt.Fprintf(b.out, "%-10s %-6s %6s %8s %10s %8s | %10s %10s %10s | %9s %9s %9s\n", "budget", "plans", "tasks", "success", "optimality", "proven",
		"efficiency", "first plan", "in rounds", "to first", "to best", "to end")
}

func (b *bench) printRow(row *benchRow) {
	fmt.Fprintf(b.out, "%-10s %-6s %6d %8.4f %10.4f %8.4f |", row.Budget, row.Horizon, row.Tasks, row.Success, row.Optimality, row.Proven)
	if row.Efficiency == nil {
		fmt.Fprintf(b.out, " %10s %10s %10s | %9s %9s %9s\n", "-", "-", "-", "-", "-", "-")
	} else {
		fmt.Fprintf(b.out, " %10.4f %10.4f %10.4f | %9.2f %9.2f %9.2f\n", *row.Efficiency, row.FirstEfficiency, row.RoundEfficiency, row.First, row.Best, row.Expanded)
	}
	if a := row.Asked; a != nil {
		fmt.Fprintf(b.out, "%-17s success %s; %d prompts, %d prompt and %d completion tokens\n", "", eval.Percent(row.Success, row.Wilson), a.Prompts, a.Usage.Prompt, a.Usage.Completion)
	}
}

// drawRows draws the success rates.
func (b *bench) drawRows(rows []*benchRow) error {
	name := b.String("svg")
	if name == "" {
		return nil
	}
	var bars []eval.Bar
	for _, r := range rows {
		bars = append(bars, eval.Bar{
			Label: fmt.Sprintf("%s, %s, %s", r.Method, r.Budget, r.Horizon), Rate: r.Success, Interval: r.Wilson, Mark: r.Success, Note: plural(int(r.Tasks), "task"),
		})
	}
	title := fmt.Sprintf("Budget-BlocksWorld, guide %s: success within %d expansions, with 95 %% Wilson intervals", b.String("guide"), b.Int("expansions"))
	return b.writeFile(name, func(w io.Writer) error { return eval.WriteChart(w, title, bars) })
}

// row sums up the tasks of a horizon by the k-th method under the j-th budget.
func (b *bench) row(k, j int, h costmodel.Horizon, tasks []*benchTask) *benchRow {
	row := &benchRow{Method: b.methods[k].name, Guide: b.String("guide"), Limit: b.Int("expansions"), Budget: b.specs[j].Label(), Horizon: h}
	searches := b.methods[k].tree != nil
	if b.model != nil {
		row.Model, row.Asked = b.model.Name(), &treesearch.LanguageTotals{}
	}
	var tally costmodel.Tally
	var first, rounds, best, expanded, all, evaluated, calls, proven int
	for _, t := range tasks {
		if h != "all" && t.horizon != h {
			continue
		}
		o := &t.outcomes[k][j]
		tally.Add(o.score)
		if row.Asked != nil {
			row.Asked.Add(o.asked)
		}
		r := o.result
		if r != nil && r.Proven() {
			proven++
		}
		if r != nil && o.score.Success {
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
		limit := float64(b.Int("expansions"))
		row.FirstEfficiency, row.RoundEfficiency = 1-mean(first)/limit, 1-mean(rounds)/limit
		row.First, row.Best, row.Expanded, row.Rounds = mean(first), mean(best), mean(expanded), mean(all)
		row.Evaluated, row.Calls = mean(evaluated), mean(calls)
	}
	return row
}
