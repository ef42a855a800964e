package reproduce

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/data"
	"github.com/planproof/planproof/domains/boxnet/joint"
)

// boxNet is "Collision- and Reachability-Aware Multi-Robot Control with Grounded LLM Planners".
func boxNet() *Paper {
	const trained = "needs models of 3B and 4B parameters, trained on 16 GPUs; `planproof boxnet generate`, `trace` and the reward `multirobot` are what such a run takes, and `python -m planproof.reftrain boxnet` trains small ones"
	return &Paper{Name: "boxnet", Title: "Collision- and Reachability-Aware Multi-Robot Control with Grounded LLM Planners", Items: []Item{
		{ID: "table-6", Title: "Table 6 and row A* of table 2: steps and parallelism of reference plans", make: boxNetSets},
		{ID: "figure-3", Title: "Figure 3: success by number of objects", make: boxNetObjects},
		{ID: "sizes", Title: "Table 6 by size of the map: truncated A* against the optimum", make: boxNetSizes},
		{ID: "table-4", Title: "Table 4: checks in reasoning traces", make: boxNetChecks},
		{ID: "table-1", Title: "Table 1: an example of a trace", Missing: "text; `planproof boxnet trace` writes one for every task"},
		{ID: "table-2", Title: "Table 2: language models", Missing: trained},
		{ID: "table-3", Title: "Table 3: language models on RANDROB and NEWCOORD", Missing: trained + "; `table-6` has both sets"},
		{ID: "table-5", Title: "Table 5: without thinking, without the efficiency term", Missing: trained + " with the same ablations"},
		{ID: "figure-5", Title: "Figure 5: reward by step of training", Missing: trained},
		{ID: "figures-1-2-4", Title: "Figures 1, 2, 4, 6 to 9: pictures", Missing: "pictures; `planproof boxnet draw` makes them"},
		{ID: "figure-10", Title: "Figure 10: pictures of BoxNet3D", Missing: "pictures; `planproof boxnet draw` makes them, and `planproof.boxnet3d` replays plans in MuJoCo"},
	}}
}

// boxNetSet is a set of tasks of the paper, with the printed means.
type boxNetSet struct {
	name        string
	maps        [2]int
	square      bool
	layout      boxnet.Layout
	newCoord    bool
	tasks       int
	steps, para float64
	dimensions  int
	objects     [2]int
}

var boxNetPrinted = []boxNetSet{
	{"BoxNet2D-train", [2]int{2, 6}, false, boxnet.Interior, false, 55000, 8.13, 1.73, 2, [2]int{1, 5}},
	{"BoxNet2D-test", [2]int{2, 6}, true, boxnet.Interior, false, 250, 8.32, 1.75, 2, [2]int{1, 5}},
	{"RANDROB", [2]int{2, 5}, true, boxnet.RandRob, false, 200, 7.06, 1.49, 2, [2]int{1, 5}},
	{"NEWCOORD", [2]int{2, 6}, true, boxnet.Interior, true, 250, 8.59, 1.77, 2, [2]int{1, 5}},
	{"BoxNet3D-test", [2]int{2, 4}, false, boxnet.Interior, false, 160, 5.62, 1.88, 3, [2]int{1, 4}},
}

// boxNetReference is the weight of the heuristic with which truncated A* gives plans like those of the paper's data
// (docs/BOXNET.md).
const boxNetReference = 10

// generate draws tasks of a set, up to count for each size and number of objects.
func (s *boxNetSet) generate(ctx context.Context, o *Options, count int) (*bytes.Buffer, error) {
	var rows bytes.Buffer
	maps := s.maps
	if o.Smoke {
		maps[1] = min(maps[1], 3)
	}
	_, err := data.Generate(ctx, &rows, data.GenerateOptions{
		Dimensions: s.dimensions, Widths: maps, Heights: maps, Objects: s.objects, Square: s.square, Layout: s.layout, NewCoord: s.newCoord, Count: count, Seed: o.Seed,
		Options: joint.Options{Reading: boxnet.Default},
	})
	return &rows, err
}

// compare puts truncated A* beside the optimum on a set: all tasks, those of each number of objects, of each map.
func (s *boxNetSet) compare(ctx context.Context, o *Options) (all data.Figures, objects, maps []data.Figures, err error) {
	count := o.sized(1, 10)
	switch {
	case s.dimensions == 3:
		count = o.sized(1, 5)
	case !s.square:
		count = o.sized(1, 2)
	}
	rows, err := s.generate(ctx, o, count)
	if err != nil {
		return all, nil, nil, err
	}
	c, bad, err := data.Compare(ctx, rows, io.Discard, data.CompareOptions{
		Options: joint.Options{Reading: boxnet.Default}, Weights: []float64{boxNetReference}, Workers: o.Jobs,
	})
	if err == nil && bad > 0 {
		err = fmt.Errorf("%d generated tasks could not be solved", bad)
	}
	if err != nil {
		return all, nil, nil, err
	}
	for _, f := range c.Table() {
		switch {
		case f.Group == "all":
			all = f
		case len(f.Group) > 3: // "1 object"; maps are "2x2"
			objects = append(objects, f)
		default:
			maps = append(maps, f)
		}
	}
	return all, objects, maps, nil
}

func boxNetSets(ctx context.Context, o *Options) (*Result, error) {
	t := Table{Columns: []string{"set", "tasks, paper", "tasks, ours", "steps of A*, paper", "steps of truncated A*, ours", "fewest steps, ours", "Para of A*, paper", "para_max of truncated A*", "para_mean", "A* finds a plan"}}
	status := Beaten
	for i := range boxNetPrinted {
		s := &boxNetPrinted[i]
		f, _, _, err := s.compare(ctx, o)
		if err != nil {
			return nil, err
		}
		if f.Optimum >= f.Steps {
			status = Measured
		}
		t.add(s.name, strconv.Itoa(s.tasks), strconv.Itoa(f.Tasks), figure(s.steps), figure(f.Steps), figure(f.Optimum), figure(s.para), figure(f.ParaMax), figure(f.ParaMean), percent(float64(f.Solved)/float64(max(1, f.Tasks))))
	}
	return &Result{Status: status, Tables: []Table{t}, Notes: []string{
		"The paper's reference plans are of a search that keeps 20 successors of a node, and are called optimal. The columns of truncated A* are that search with weight 10; \"fewest steps\" is proved " +
			"for the same tasks. StepDiff is measured against the former, so a model below 0 there can still be far from the optimum.",
		"Para is defined as the most robots that move in one step (2.24 in table 2); the smaller numbers of table 6 look like the mean over steps, so both are here.",
		"BoxNet3D is judged by exact rules in the plane, the paper's by MuJoCo; its training set has 6.27 steps and Para 1.89 in the paper.",
		"The sets are drawn anew by `planproof boxnet generate`: the paper's own are not published. Means are over what truncated A* solves.",
	}}, nil
}

func boxNetObjects(ctx context.Context, o *Options) (*Result, error) {
	t := Table{Columns: []string{"objects", "tasks", "truncated A* finds a plan, ours", "optimum proved, ours", "steps more than the fewest"}}
	plot := &Plot{Title: "Square maps from 2x2 to 6x6: share of tasks with a plan", Axis: "objects", Max: 1, Lines: []Line{{Name: "optimal search"}, {Name: "truncated A*"}}}
	_, objects, _, err := boxNetPrinted[1].compare(ctx, o)
	if err != nil {
		return nil, err
	}
	for i, f := range objects {
		rate := float64(f.Solved) / float64(max(1, f.Tasks))
		t.add(strconv.Itoa(i+1), strconv.Itoa(f.Tasks), percent(rate), percent(1), figure(f.Steps-f.Optimum))
		plot.Places = append(plot.Places, strconv.Itoa(i+1))
		plot.Lines[0].Values = append(plot.Lines[0].Values, 1)
		plot.Lines[1].Values = append(plot.Lines[1].Values, rate)
	}
	return &Result{Status: Measured, Tables: []Table{t}, Plot: plot, Notes: []string{
		"The paper's curves are of language models; the best one loses 0.53 of its success from one object to five. A search does not.",
	}}, nil
}

func boxNetSizes(ctx context.Context, o *Options) (*Result, error) {
	t := Table{Columns: []string{"set", "map", "tasks, ours", "A* finds a plan", "steps of truncated A*, ours", "fewest steps, ours", "excess", "para_max of A*", "of the optimum"}}
	for _, s := range []*boxNetSet{&boxNetPrinted[1], &boxNetPrinted[4]} {
		_, _, maps, err := s.compare(ctx, o)
		if err != nil {
			return nil, err
		}
		for _, f := range maps {
			t.add(s.name, f.Group, strconv.Itoa(f.Tasks), percent(float64(f.Solved)/float64(max(1, f.Tasks))), figure(f.Steps), figure(f.Optimum), figure(f.Steps-f.Optimum), figure(f.ParaMax), figure(f.OptimalParas[0]))
		}
	}
	return &Result{Status: Measured, Tables: []Table{t}, Notes: []string{
		"The paper prints means over all sizes only (table 6). Means are over what truncated A* solves, each optimum is proved.",
	}}, nil
}

// boxNetPrintedChecks are reachability and collision checks per trace (table 4, BoxNet2D).
var boxNetPrintedChecks = []struct {
	model             string
	reach, collisions float64
}{{"Qwen2.5-3B-SFT", 8.0, 9.8}, {"Qwen2.5-3B-RL", 8.6, 10.4}, {"Qwen3-4B-SFT", 9.1, 7.4}, {"Qwen3-4B-RL", 10.1, 8.2}}

func boxNetChecks(ctx context.Context, o *Options) (*Result, error) {
	t := Table{Columns: []string{"traces", "reachability checks", "collision checks"}}
	for _, p := range boxNetPrintedChecks {
		t.add(p.model+", BoxNet2D, paper", figure(p.reach), figure(p.collisions))
	}
	for i := range boxNetPrinted[1:4] {
		s := &boxNetPrinted[i+1]
		rows, err := s.generate(ctx, o, o.sized(1, 10))
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		if bad, err := data.Traces(ctx, rows, &out, data.TraceOptions{Options: joint.Options{Reading: boxnet.Default}, Workers: o.Jobs}); err != nil || bad > 0 {
			return nil, fmt.Errorf("%d traces of %s were not made: %w", bad, s.name, err)
		}
		traces, err := rowsOf[data.Example](out.Bytes())
		if err != nil {
			return nil, err
		}
		var reach, collisions []int
		for _, x := range traces {
			reach, collisions = append(reach, x.Reach), append(collisions, x.Collisions)
		}
		t.add(s.name+", training traces, ours", figure(meanOf(reach)), figure(meanOf(collisions)))
	}
	return &Result{Status: Measured, Tables: []Table{t}, Notes: []string{
		"The paper counts the checks in the answers of trained models, by asking another model. Ours are those of the traces that a model is trained on; each is a computed fact.",
	}}, nil
}
