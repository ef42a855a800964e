package eval

import (
	"math/big"
	"slices"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/model"
)

// Row is the result of one sample.
type Row struct {
	Task   string `json:"task"`
	Model  string `json:"model"`
	Method string `json:"method"`
	Sample int    `json:"sample"`
	Grade
	// Rounds is the number of answers that the method asked for.
	Rounds      int          `json:"rounds"`
	Constrained bool         `json:"constrained,omitempty"`
	Usage       *model.Usage `json:"usage"` // null: not known
}

// Rate is a mean over tasks with its intervals.
type Rate struct {
	// Rate is null without tasks.
	Rate   *float64 `json:"rate"`
	Tasks  int      `json:"tasks"`
	Wilson Interval `json:"wilson"`
	Wald   Interval `json:"wald"`
}

// Pass is pass@k over the tasks with at least k graded samples, and over all tasks with
// ungraded samples counted as wrong.
type Pass struct {
	K      int  `json:"k"`
	Graded Rate `json:"graded"`
	All    Rate `json:"all"`
}

// StatusCount counts rows of one status.
type StatusCount struct {
	Status Status `json:"status"`
	Rows   int    `json:"rows"`
}

// Cell summarises one model under one method.
type Cell struct {
	Model  string `json:"model"`
	Method string `json:"method"`
	Tasks  int    `json:"tasks"`
	Rows   int    `json:"rows"`
	// Graded rows, and correct ones among them.
	Graded  int `json:"graded"`
	Correct int `json:"correct"`
	// Optimal counts plans of least cost, among OptimalKnown valid ones whose tasks have a
	// known least cost.
	Optimal      int           `json:"optimal"`
	OptimalKnown int           `json:"optimal_known"`
	Statuses     []StatusCount `json:"statuses"`
	Pass         []Pass        `json:"pass"`
	Scores
	Rounds int         `json:"rounds"`
	Usage  model.Usage `json:"usage"`
	// Uncounted rows have no usage, so Usage and Cost are lower bounds.
	Uncounted int `json:"uncounted"`
	// Cost is what Usage costs, an exact decimal or fraction; "" without a price.
	Cost string `json:"cost,omitempty"`
}

// Scores sum up the graded answers that are no plans.
type Scores struct {
	// States are of answers that tell states, Levels of those that judge plans.
	States *StateMeans  `json:"states,omitempty"`
	Levels *LevelCounts `json:"levels,omitempty"`
}

// StateMeans are means over answers: precision, recall and F1 of facts, and how many
// answers tell the very state.
type StateMeans struct {
	Rows      int     `json:"rows"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	Exact     int     `json:"exact"`
}

// add takes the score of one more answer into the means.
func (m *StateMeans) add(s *extract.StateScore) {
	m.Rows++
	n := float64(m.Rows)
	m.Precision += (s.Precision - m.Precision) / n
	m.Recall += (s.Recall - m.Recall) / n
	m.F1 += (s.F1 - m.F1) / n
	m.Exact += count(s.Exact)
}

// count is 1 for what holds.
func count(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

// taskCount counts the samples of one task.
type taskCount struct{ rows, graded, correct int }

// Summarise makes a cell for each model and method, in the order of their first rows, with
// pass@k for each k of ks.
func Summarise(rows []Row, ks []int, prices model.Prices) []Cell {
	type key struct{ model, method string }
	var order []key
	cells := map[key]*Cell{}
	counts := map[key][]*taskCount{}
	byTask := map[key]map[string]*taskCount{}
	for i := range rows {
		r := &rows[i]
		k := key{r.Model, r.Method}
		c := cells[k]
		if c == nil {
			c = &Cell{Model: r.Model, Method: r.Method}
			cells[k], byTask[k] = c, map[string]*taskCount{}
			order = append(order, k)
		}
		t := byTask[k][r.Task]
		if t == nil {
			t = &taskCount{}
			byTask[k][r.Task] = t
			counts[k] = append(counts[k], t)
		}
		c.add(r, t)
	}
	out := make([]Cell, 0, len(order))
	for _, k := range order {
		c := cells[k]
		c.Tasks = len(counts[k])
		c.Levels.finish()
		for _, n := range ks {
			c.Pass = append(c.Pass, pass(n, counts[k]))
		}
		if cost, ok := prices.Cost(c.Model, c.Usage); ok {
			c.Cost = decimal(cost)
		}
		slices.SortStableFunc(c.Statuses, func(a, b StatusCount) int {
			return slices.Index(statusOrder, a.Status) - slices.Index(statusOrder, b.Status)
		})
		out = append(out, *c)
	}
	return out
}

func (c *Cell) add(r *Row, t *taskCount) {
	c.Rows++
	t.rows++
	c.Rounds += r.Rounds
	if r.Status.Graded() {
		c.Graded++
		t.graded++
		if r.Correct {
			c.Correct++
			t.correct++
		}
		c.score(&r.Grade)
	}
	if r.Optimal != nil {
		c.OptimalKnown++
		if *r.Optimal {
			c.Optimal++
		}
	}
	if r.Usage != nil {
		c.Usage.Add(*r.Usage)
	} else {
		c.Uncounted++
	}
	for i := range c.Statuses {
		if c.Statuses[i].Status == r.Status {
			c.Statuses[i].Rows++
			return
		}
	}
	c.Statuses = append(c.Statuses, StatusCount{r.Status, 1})
}

// score takes the scores of a graded answer that is no plan.
func (c *Scores) score(g *Grade) {
	if g.StateScore != nil {
		if c.States == nil {
			c.States = &StateMeans{}
		}
		c.States.add(g.StateScore)
	}
	if g.Levels != nil {
		if c.Levels == nil {
			c.Levels = &LevelCounts{}
		}
		c.Levels.add(g.Levels)
	}
}

func pass(k int, tasks []*taskCount) Pass {
	p := Pass{K: k}
	graded, all := new(big.Rat), new(big.Rat)
	for _, t := range tasks {
		if t.graded >= k {
			p.Graded.Tasks++
			graded.Add(graded, PassAtK(t.graded, t.correct, k))
		}
		if t.rows >= k {
			p.All.Tasks++
			all.Add(all, PassAtK(t.rows, t.correct, k))
		}
	}
	p.Graded.mean(graded)
	p.All.mean(all)
	return p
}

func (r *Rate) mean(sum *big.Rat) {
	if r.Tasks > 0 {
		rate, _ := sum.Quo(sum, big.NewRat(int64(r.Tasks), 1)).Float64()
		r.Rate = &rate
	}
	r.Wilson, r.Wald = Wilson(r.Value(), r.Tasks), Wald(r.Value(), r.Tasks)
}

// Value is the rate, 0 without tasks.
func (r *Rate) Value() float64 {
	if r.Rate == nil {
		return 0
	}
	return *r.Rate
}

// decimal writes a rational exactly: as a decimal if it has one, else as a fraction.
func decimal(r *big.Rat) string {
	if n, exact := r.FloatPrec(); exact {
		return r.FloatString(n)
	}
	return r.RatString()
}
