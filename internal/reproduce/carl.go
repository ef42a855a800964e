package reproduce

import (
	"context"
	"fmt"
	"strconv"

	"github.com/planproof/planproof/domains/travel"
)

// carl is "Constraint-Aware Reinforcement Learning for planning".
func carl() *Paper {
	const trained = "trains 8B parameters; docs/TRAINING.md does it in small, where "
	return &Paper{Name: "carl", Title: "CARL: Constraint-Aware Reinforcement Learning for Planning", Items: []Item{
		{ID: "table-8", Title: "Table 8: agents and solvers on TravelPlanner", make: carlTravel},
		{ID: "blocksworld", Title: "Table 1, BlocksWorld: accuracy of a model", Asks: true, make: carlBlocks},
		{ID: "table-1", Title: "Table 1: trained models, and T-Eval", Missing: trained + "`planproof travel` and `planproof tools` score answers"},
		{ID: "figures-3-4-table-2", Title: "Figures 3 and 4, table 2: CA-DPO, sizes, PPO", Missing: trained + "`rl --set algorithm=ppo` and `dpo --set rule=ca-dpo` are its methods"},
		{ID: "table-3", Title: "Table 3: what is masked", Missing: trained + "`rl --set masked=constraints|goal|both` varies it"},
		{ID: "table-4", Title: "Table 4 and figure 9: estimators", Missing: trained + "`rl --set estimator=dif|abs|mse|low_var_kl` varies it"},
		{ID: "figure-5", Title: "Figure 5: attribution", Missing: "needs log-probabilities of trained models"},
		{ID: "figure-6", Title: "Figure 6: masking ratio", Missing: trained + "`planproof prompt --without constraints --ratio PERCENT` masks a share"},
		{ID: "figure-7-table-5", Title: "Figure 7, table 5: training by step, seconds per step", Missing: trained + "each run keeps metrics.csv and timing.csv"},
		{ID: "tables-6-7", Title: "Tables 6 and 7: SFT, prompting methods", Missing: trained + "docs/PROMPTS.md has the prompts"},
		{ID: "tables-9-11", Title: "Tables 9 to 11: other benchmarks and models", Missing: "needs trained models, ALFWorld, WebShop and TripCraft"},
		{ID: "tables-12-14", Title: "Tables 12 to 14, figure 8: threshold, noise, pairs, weight", Missing: trained + "rewards take `noise`, `planproof group` has `--drop-lowest`, `rl` has `alpha`, and `planproof pairs` samples as in table 14"},
	}}
}

// carlTravel solves travel queries exactly.
func carlTravel(ctx context.Context, o *Options) (*Result, error) {
	t := Table{Columns: []string{"planner", "queries", "commonsense", "hard", "final", "share of the budget spent"}}
	for _, p := range []struct{ name, commonsense, hard, final string }{
		{"LLM-Modulo, GPT-4, paper", "-", "-", "20.0 %"}, {"Multi-Agent, GPT-4, paper", "41.7 %", "48.3 %", "31.7 %"}, {"CARL, Qwen3-8B, paper", "81.7 %", "59.4 %", "56.1 %"},
		{"SMT solver, GPT-4, paper (245 s a query)", "95.0 %", "98.9 %", "93.3 %"},
	} {
		t.add(p.name, "180", p.commonsense, p.hard, p.final, "-")
	}
	status := Beaten // the printed solver fails 6.7 % of its queries
	for _, level := range []string{"easy", "medium", "hard"} {
		size := travel.DefaultSize
		size.Level = level
		n := o.sized(3, 60)
		var commonsense, hard, final int
		spent := 0.0
		for i := range n {
			trip, err := travel.Generate(ctx, size, o.Seed+uint64(i))
			if err != nil {
				return nil, err
			}
			best, err := travel.FreeOptimum(ctx, trip.World, trip.Query)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", trip.Name, err)
			}
			j := travel.Judge(trip.World, trip.Query, best.Plan)
			commonsense, hard, final = commonsense+one(j.Commonsense()), hard+one(j.Hard()), final+one(j.Commonsense() && j.Hard())
			cost, _ := best.Cost.Rat().Float64()
			budget, _ := trip.Query.Budget.Rat().Float64()
			spent += cost / budget
		}
		if final < n {
			status = Measured
		}
		t.add(fmt.Sprintf("exact search, %s queries, ours", level), strconv.Itoa(n), percent(float64(commonsense)/float64(n)), percent(float64(hard)/float64(n)),
			percent(float64(final)/float64(n)), percent(spent/float64(n)))
	}
	return &Result{Status: status, Tables: []Table{t}, Notes: []string{
		"Macro rates. Our queries are of a seeded world of our own, because TravelPlanner's data are not part of planproof; `planproof travel optimum --batch FILE` takes the benchmark's. The itinerary is the cheapest that " +
			"keeps every rule, and the judge, which shares nothing with the search, grades it.",
	}}, nil
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// carlBlocks asks a model for plans of blocksworld tasks.
func carlBlocks(ctx context.Context, o *Options) (*Result, error) {
	tasks, err := blocksTasks(4, o.Seed, o.sized(10, 500))
	if err != nil {
		return nil, err
	}
	n, err := o.solved(ctx, tasks, "")
	if err != nil {
		return nil, err
	}
	t := Table{Columns: []string{"model", "tasks", "accuracy"}}
	for _, p := range []struct{ name, accuracy string }{
		{"o1-preview", "97.8"}, {"DeepSeek-R1", "98.2"}, {"GPT-4o", "42.4"}, {"Qwen3-8B", "31.2"}, {"Qwen3-8B, RFT", "73.8"}, {"Qwen3-8B, CARL", "77.2"},
	} {
		t.add(p.name+", paper", "500", p.accuracy+" %")
	}
	t.add(o.Model.Name()+", ours", strconv.Itoa(len(tasks)), percent(float64(n)/float64(len(tasks))))
	return &Result{Status: Measured, Tables: []Table{t}, Notes: []string{"PlanBench's tasks are not part of planproof: these are tasks of four blocks of our own, with one example. `planproof eval --prompts FILE` takes the benchmark's prompts."}}, nil
}
