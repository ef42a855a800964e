package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"

	"github.com/urfave/cli/v2"
)

var costShiftCommand = command{
	name: "shift", usage: "do cost-optimal plans differ from shortest ones?", args: "DOMAIN PROBLEM | TASKS...",
	long: `
Says of each task and schedule whether the sequence of action types of its cost-optimal
plans differs from that of its shortest plans, as an interval that does not depend on
which of several optimal plans a search returns: the shift is certain when no shortest
plan is cost-optimal, and possible when some pair of a shortest and a cost-optimal plan
differs. Two named tie-breaks show what single numbers lie in between. TASKS are
folders, files of JSON Lines ("-" for standard input) and bundled names; of several,
rates are printed, or with --json the row of each. The state space is enumerated; one
task whose space is too large is left to searches, which decide a certain shift, and
a possible one where two optimal plans that differ turn up (then without tie-breaks).
Exit codes: 0 answered; 1 some task has no plan; 2 bad input; 3 a limit came first.

   planproof cost shift blocksworld:4-17 --schedule 'put-down=20,*=1' --json
   planproof generate budget-blocksworld -o tasks/
   planproof cost shift tasks/ --schedule paper --svg shift.svg
   planproof cost shift tasks/ --schedule paper --summary --json`,
	flags: append([]cli.Flag{
		schedulesFlag(),
		&cli.BoolFlag{Name: "summary", Usage: "with --json: rates of all tasks by schedule and horizon, in place of a row for each"},
		&cli.StringFlag{Name: "svg", Usage: "draw the intervals of the schedules into `FILE`"},
	}, costFlags()...),
	action: costShift,
}

// shiftReport is the object of cost shift --json; several tasks or schedules have an id and
// the name of the schedule too.
type shiftReport struct {
	ID           string                      `json:"id,omitempty"`
	Schedule     string                      `json:"schedule,omitempty"`
	Status       search.Status               `json:"status,omitempty"` // of a task without a plan
	UnitCost     *string                     `json:"unit_cost"`
	ScheduleCost *string                     `json:"schedule_cost"`
	FewestSteps  *int64                      `json:"fewest_steps"`
	Certain      bool                        `json:"certain"`
	Possible     bool                        `json:"possible"`
	Steps        int64                       `json:"steps"`
	Horizon      costmodel.Horizon           `json:"horizon,omitempty"`
	Shifted      map[costmodel.TieBreak]bool `json:"shifted,omitempty"`
}

func costShift(e env) error {
	schedules, reference, err := e.costSchedules()
	if err != nil {
		return err
	}
	if err := e.spareInputs(); err != nil {
		return err
	}
	tasks, several, err := e.costTasks(e.Args().Slice())
	if err != nil {
		return err
	}
	truths, open, err := e.shiftTruth(tasks, several, schedules, reference)
	if err != nil {
		return err
	}
	code := exitYes
	for i := range truths {
		if truths[i].Schedules == nil {
			code = exitNo
		}
	}
	rates := costmodel.ShiftRates(truths, schedules)
	if path := e.String("svg"); path != "" {
		if err := e.writeFile(path, func(w io.Writer) error { return drawShift(w, rates) }); err != nil {
			return err
		}
	}
	switch {
	case e.Bool("json") && e.Bool("summary"):
		for i := range rates {
			if err := printJSON(e.out, &rates[i]); err != nil {
				return err
			}
		}
	case e.Bool("json"):
		if err := e.printShiftRows(truths, schedules, several || len(schedules) > 1, open); err != nil {
			return err
		}
	case several:
		e.printShiftRates(rates, schedules, len(tasks))
	default:
		e.printShift(&truths[0], open)
	}
	return exit(code)
}

// openTies holds the schedules, by index, for which the tie-breaks are not known.
type openTies map[int]bool

// shiftTruth computes truths from state spaces. One task by itself whose space is beyond the
// limits of memory or states is left to searches, which may not answer everything.
func (e env) shiftTruth(tasks []costTask, several bool, schedules []costmodel.Named, reference int) ([]costmodel.TaskTruth, openTies, error) {
	lim, err := e.limits()
	if err != nil {
		return nil, nil, err
	}
	items, err := e.costItems(tasks, schedules, lim)
	if err != nil {
		return nil, nil, err
	}
	rows, err := e.enumerate(items, schedules, reference, lim, e.Int64("nodes"))
	var limit *search.LimitError
	if err == nil {
		return rows, nil, nil
	}
	if several || !errors.As(err, &limit) || limit.Status == search.Timeout || e.IsSet("svg") {
		return nil, nil, e.costError(err)
	}
	row := costmodel.TaskTruth{ID: tasks[0].id}
	open := openTies{}
	for i, n := range schedules {
		left, ok := lim.left()
		if !ok {
			return nil, nil, e.costError(err)
		}
		shift, ties, serr := costmodel.ShiftBySearch(e.Context.Context, tasks[0].prob, n.Schedule, grounder.Options{Time: left, Memory: lim.memory},
			search.Config{Limits: search.Limits{Wall: left, Memory: lim.memory, Nodes: e.Int64("nodes")}})
		switch {
		case errors.Is(serr, costmodel.ErrUnsolvable):
			return []costmodel.TaskTruth{{ID: row.ID}}, nil, nil
		case errors.Is(serr, costmodel.ErrUndecided):
			return nil, nil, e.limited(string(limit.Status), fmt.Sprintf("%v; searches found under %s: %v", err, n.Name, serr))
		case errors.As(serr, new(*search.LimitError)), errors.Is(serr, grounder.ErrLimit):
			return nil, nil, e.costError(err)
		case serr != nil:
			return nil, nil, e.costError(serr)
		}
		row.Schedules = append(row.Schedules, costmodel.ScheduleTruth{Named: n, Shift: shift})
		open[i] = !ties
		if i == reference {
			row.Steps, row.Horizon = shift.Steps, costmodel.HorizonOf(shift.Steps)
		}
	}
	return []costmodel.TaskTruth{row}, open, nil
}

func (e env) printShiftRows(truths []costmodel.TaskTruth, schedules []costmodel.Named, named bool, open openTies) error {
	for i := range truths {
		t := &truths[i]
		for k := range schedules {
			row := shiftReport{Status: search.Unsolvable}
			if t.Schedules != nil {
				s := &t.Schedules[k].Shift
				unit, cost := s.UnitCost.String(), s.ScheduleCost.String()
				row = shiftReport{
					UnitCost: &unit, ScheduleCost: &cost, FewestSteps: &s.FewestSteps, Certain: s.Certain, Possible: s.Possible,
					Steps: s.Steps, Horizon: t.Horizon,
				}
				if !open[k] {
					row.Shifted = map[costmodel.TieBreak]bool{}
					for b, tie := range costmodel.TieBreaks() {
						row.Shifted[tie] = s.Under[b]
					}
				}
			}
			if named {
				row.ID, row.Schedule = t.ID, schedules[k].Name
			}
			if err := printJSON(e.out, &row); err != nil {
				return err
			}
		}
	}
	return nil
}

// printShift tells about one task in words.
func (e env) printShift(t *costmodel.TaskTruth, open openTies) {
	if t.Schedules == nil {
		fmt.Fprintln(e.out, "unsolvable: no plan exists")
		return
	}
	for i := range t.Schedules {
		u := &t.Schedules[i]
		s := &u.Shift
		answer := "no shift: all shortest and all cost-optimal plans have the same sequence of action types"
		switch {
		case s.Certain:
			answer = "certain shift: no shortest plan is cost-optimal"
		case s.Possible:
			answer = "possible shift: it depends on which optimal plans are chosen"
		}
		fmt.Fprintf(e.out, "schedule  %s\nshortest  %s, cost %s at least\ncheapest  cost %s, %s at least\n%s\n",
			u.Name, plural(int(s.FewestSteps), "step"), s.UnitCost, s.ScheduleCost, plural(int(s.Steps), "step"), answer)
		for b, tie := range costmodel.TieBreaks() {
			if s.Possible && !s.Certain && !open[i] {
				fmt.Fprintf(e.out, "  %s: %s\n", tie, map[bool]string{true: "shifted", false: "not shifted"}[s.Under[b]])
			}
		}
	}
}

// printShiftRates prints a table like the paper's, an interval in each cell.
func (e env) printShiftRates(rates []costmodel.ShiftRate, schedules []costmodel.Named, tasks int) {
	wide := len("schedule")
	for _, n := range schedules {
		wide = max(wide, len(n.Name))
	}
	fmt.Fprintf(e.out, "shift rates of %s in %%, certain - possible\n", plural(tasks, "task"))
	fmt.Fprintf(e.out, "%-*s", wide, "schedule")
	groups := append(append([]costmodel.Horizon{}, costmodel.Horizons...), "")
	for _, h := range groups {
		fmt.Fprintf(e.out, "  %13s", horizonTitle(h))
	}
	for _, tie := range costmodel.TieBreaks() {
		fmt.Fprintf(e.out, "  %s", tie)
	}
	fmt.Fprintln(e.out)
	for _, n := range schedules {
		fmt.Fprintf(e.out, "%-*s", wide, n.Name)
		for i := range rates {
			r := &rates[i]
			if r.Schedule != n.Name {
				continue
			}
			cell := "-"
			if r.Tasks > 0 {
				cell = fmt.Sprintf("%.1f - %.1f", r.Percent(r.Certain), r.Percent(r.Possible))
			}
			fmt.Fprintf(e.out, "  %13s", cell)
			if r.Horizon == "" {
				for b, tie := range costmodel.TieBreaks() {
					fmt.Fprintf(e.out, "  %*.1f", len(tie), r.Percent(r.Under[b]))
				}
			}
		}
		fmt.Fprintln(e.out)
	}
}

func horizonTitle(h costmodel.Horizon) string {
	if h == "" {
		return "all"
	}
	return strings.ToLower(string(h))
}
