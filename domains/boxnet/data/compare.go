package data

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/astar"
	"github.com/planproof/planproof/domains/boxnet/joint"
	"github.com/planproof/planproof/internal/rowstream"
	"github.com/planproof/planproof/internal/spell"
)

// CompareOptions of Compare.
type CompareOptions struct {
	joint.Options
	Weights []float64 // of the heuristic of truncated A*
	Workers int
}

// Figures are means over the tasks of a group that truncated A* solves.
type Figures struct {
	Weight float64 `json:"weight"`
	Group  string  `json:"group"`
	Tasks  int     `json:"tasks"`  // with a plan
	Solved int     `json:"solved"` // by truncated A*
	// Optimum and Steps are the fewest steps and those of truncated A*.
	Optimum float64 `json:"optimal_steps"`
	Steps   float64 `json:"astar_steps"`
	// Excess counts the tasks by the difference: 0 to 7, and more.
	Excess       [9]int         `json:"excess"`
	ParaMax      float64        `json:"para_max"` // of truncated A*, likewise below
	ParaMean     float64        `json:"para_mean"`
	OptimalParas [2]float64     `json:"optimal_para_max_mean"`
	Reading      boxnet.Reading `json:"reading"`
	order        int
}

// Comparison is truncated A* beside the optimum, by weight and group.
type Comparison struct {
	mu      sync.Mutex
	opt     CompareOptions
	results []compared
}

// compared are the results of one row, the second for each weight; nil where nothing was found.
type compared struct {
	row     int
	in      *boxnet.Instance
	optimal *boxnet.Result
	got     []*boxnet.Result
}

// Compare solves the tasks of rows and searches for plans as the paper does. Rows that cannot be read are
// reported on errs and counted.
func Compare(ctx context.Context, in io.Reader, errs io.Writer, opt CompareOptions) (c *Comparison, bad int, err error) {
	c = &Comparison{opt: opt}
	bad, err = Each(ctx, in, errs, opt.Workers, func(ctx context.Context, line *rowstream.Line) ([]byte, error) {
		task, err := boxnet.ReadInstance(line.Text, true)
		if err != nil {
			return nil, err
		}
		return nil, c.add(ctx, line.Row, task)
	})
	return c, bad, err
}

func (c *Comparison) add(ctx context.Context, row int, in *boxnet.Instance) error {
	best, err := joint.Solve(ctx, in, c.opt.Options)
	if err != nil || best.Status == joint.Unsolvable {
		return err
	}
	if best.Status != joint.Solved {
		return fmt.Errorf("no optimum: %s", best.Status)
	}
	j := boxnet.NewJudge(in, c.opt.Reading)
	out := compared{row: row, in: in, optimal: j.Judge(best.Plan)}
	for _, weight := range c.opt.Weights {
		found, err := astar.Search(ctx, in, astar.Options{Reading: c.opt.Reading, Weight: weight})
		if err != nil {
			return err
		}
		var got *boxnet.Result
		if found.Found {
			got = j.Judge(found.Plan)
		}
		out.got = append(out.got, got)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.results = append(c.results, out)
	return nil
}

// sums adds up the results of each group, in the order of the rows: sums of floats depend on it.
func (c *Comparison) sums() map[string]*Figures {
	slices.SortFunc(c.results, func(a, b compared) int { return cmp.Compare(a.row, b.row) })
	groups := map[string]*Figures{}
	for _, r := range c.results {
		for w, weight := range c.opt.Weights {
			for i, name := range []string{fmt.Sprintf("%dx%d", r.in.Width, r.in.Height), spell.Plural(len(r.in.Objects), "object"), "all"} {
				key := fmt.Sprint(weight, " ", name)
				if groups[key] == nil {
					groups[key] = &Figures{Weight: weight, Group: name, Reading: c.opt.Reading, order: i}
				}
				groups[key].add(r.optimal, r.got[w])
			}
		}
	}
	return groups
}

// add keeps sums; Table divides them.
func (f *Figures) add(optimal, got *boxnet.Result) {
	f.Tasks++
	if got == nil {
		return
	}
	f.Solved++
	best, steps := optimal.Verdict.Executed, got.Verdict.Executed
	f.Optimum += float64(best)
	f.Steps += float64(steps)
	f.Excess[min(steps-best, len(f.Excess)-1)]++
	f.ParaMax += float64(got.ParaMax)
	f.ParaMean += got.ParaMean()
	f.OptimalParas[0] += float64(optimal.ParaMax)
	f.OptimalParas[1] += optimal.ParaMean()
}

// Table returns the figures, by weight, then maps, numbers of objects, and all.
func (c *Comparison) Table() []Figures {
	var list []Figures
	for _, f := range c.sums() {
		row := *f
		for _, sum := range []*float64{&row.Optimum, &row.Steps, &row.ParaMax, &row.ParaMean, &row.OptimalParas[0], &row.OptimalParas[1]} {
			if *sum /= float64(max(1, row.Solved)); row.Solved == 0 {
				*sum = 0
			}
		}
		list = append(list, row)
	}
	slices.SortFunc(list, func(a, b Figures) int {
		return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.order, b.order), cmp.Compare(len(a.Group), len(b.Group)), strings.Compare(a.Group, b.Group))
	})
	return list
}

// WriteText writes the table for people.
func (c *Comparison) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-7s %-10s %6s %7s %8s %6s %7s  %-29s %9s %9s\n", "weight", "group", "tasks", "solved", "optimum", "A*", "excess", "excess 0/1/2/3/4/5/6/7/8+", "para max", "mean")
	for _, f := range c.Table() {
		counts := make([]string, len(f.Excess))
		for i, n := range f.Excess {
			counts[i] = fmt.Sprint(n)
		}
		fmt.Fprintf(&b, "%-7g %-10s %6d %7d %8.2f %6.2f %+7.2f  %-29s %4.2f/%4.2f %4.2f/%4.2f\n", f.Weight, f.Group, f.Tasks, f.Solved, f.Optimum, f.Steps, f.Steps-f.Optimum,
			strings.Join(counts, "/"), f.ParaMax, f.OptimalParas[0], f.ParaMean, f.OptimalParas[1])
	}
	fmt.Fprintf(&b, "means over what truncated A* solves; para: of A*/of the optimum; reading %s\n", c.opt.Reading)
	_, err := io.WriteString(w, b.String())
	return err
}
