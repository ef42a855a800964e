package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/search"
)

// ShiftSet holds the shifts of tasks under schedules.
type ShiftSet struct {
	Schedules []costmodel.Named
	// Truths are in the order of the tasks; one without Schedules has no plan.
	Truths []costmodel.TaskTruth
	// open has the schedules, by index, for which the tie-breaks are not known.
	open map[int]bool
}

// ShiftRow says whether the cheapest plans of a task differ from its shortest ones under a
// schedule; see [costmodel.Shift].
type ShiftRow struct {
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

// Shifts compares the cheapest plans of tasks with their shortest ones, in their state
// spaces. Where searches is set, and the space of a single task exceeds a limit of memory
// or states, it is left to searches: these decide a certain shift, and a possible one
// where two optimal plans that differ turn up.
func Shifts(ctx context.Context, tasks []Task, opt Options, searches bool) (*ShiftSet, error) {
	a := opt.begin()
	items, err := a.ground(ctx, tasks)
	if err != nil {
		return nil, err
	}
	truths, err := a.enumerate(ctx, items)
	if err == nil {
		return &ShiftSet{Schedules: opt.Schedules, Truths: truths}, nil
	}
	var limit *search.LimitError
	if len(tasks) == 1 && searches && errors.As(err, &limit) && limit.Status != search.Timeout {
		return a.searchShifts(ctx, &tasks[0], err, limit.Status)
	}
	return nil, err
}

// searchShifts decides what it can of a task whose space a limit ended.
func (a *analysis) searchShifts(ctx context.Context, t *Task, ended error, status search.Status) (*ShiftSet, error) {
	row := costmodel.TaskTruth{ID: t.ID}
	open := map[int]bool{}
	for i, n := range a.Schedules {
		lim, err := a.left()
		if err != nil {
			return nil, ended
		}
		shift, ties, err := costmodel.ShiftBySearch(ctx, t.Parsed, n.Schedule,
			grounder.Options{Time: lim.Wall, Memory: lim.Memory}, search.Config{Limits: lim})
		switch {
		case errors.Is(err, costmodel.ErrUnsolvable):
			return &ShiftSet{Schedules: a.Schedules, Truths: []costmodel.TaskTruth{{ID: t.ID}}}, nil
		case errors.Is(err, costmodel.ErrUndecided):
			return nil, leftOpen(status, "%v; searches found under %s: %v", ended, n.Name, err)
		case errors.As(err, new(*search.LimitError)), errors.Is(err, grounder.ErrLimit):
			return nil, ended
		case err != nil:
			return nil, err
		}
		row.Schedules = append(row.Schedules, costmodel.ScheduleTruth{Named: n, Shift: shift})
		open[i] = !ties
		if i == a.Reference {
			row.Steps, row.Horizon = shift.Steps, costmodel.HorizonOf(shift.Steps)
		}
	}
	return &ShiftSet{Schedules: a.Schedules, Truths: []costmodel.TaskTruth{row}, open: open}, nil
}

// Solvable reports whether every task has a plan.
func (s *ShiftSet) Solvable() bool {
	for i := range s.Truths {
		if s.Truths[i].Schedules == nil {
			return false
		}
	}
	return true
}

// Rates counts the shifts by schedule and horizon.
func (s *ShiftSet) Rates() []costmodel.ShiftRate { return costmodel.ShiftRates(s.Truths, s.Schedules) }

// Rows gives a row for each task and schedule; named ones have an id and a schedule.
func (s *ShiftSet) Rows(named bool) (rows []ShiftRow) {
	for i := range s.Truths {
		t := &s.Truths[i]
		for k, n := range s.Schedules {
			row := ShiftRow{Status: search.Unsolvable}
			if t.Schedules != nil {
				row = s.row(t, k)
			}
			if named {
				row.ID, row.Schedule = t.ID, n.Name
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func (s *ShiftSet) row(t *costmodel.TaskTruth, schedule int) ShiftRow {
	shift := &t.Schedules[schedule].Shift
	unit, cost := shift.UnitCost.String(), shift.ScheduleCost.String()
	row := ShiftRow{
		UnitCost: &unit, ScheduleCost: &cost, FewestSteps: &shift.FewestSteps, Certain: shift.Certain, Possible: shift.Possible,
		Steps: shift.Steps, Horizon: t.Horizon,
	}
	if !s.open[schedule] {
		row.Shifted = map[costmodel.TieBreak]bool{}
		for b, tie := range costmodel.TieBreaks() {
			row.Shifted[tie] = shift.Under[b]
		}
	}
	return row
}

// writeText describes the shifts of the first task in words.
func (s *ShiftSet) writeText(w io.Writer) {
	t := &s.Truths[0]
	if t.Schedules == nil {
		fmt.Fprintln(w, "unsolvable: no plan exists")
		return
	}
	for i := range t.Schedules {
		u := &t.Schedules[i]
		shift := &u.Shift
		answer := "no shift: all shortest and all cost-optimal plans have the same sequence of action types"
		switch {
		case shift.Certain:
			answer = "certain shift: no shortest plan is cost-optimal"
		case shift.Possible:
			answer = "possible shift: it depends on which optimal plans are chosen"
		}
		fmt.Fprintf(w, "schedule  %s\nshortest  %s, cost %s at least\ncheapest  cost %s, %s at least\n%s\n",
			u.Name, spell.Plural(int(shift.FewestSteps), "step"), shift.UnitCost, shift.ScheduleCost, spell.Plural(int(shift.Steps), "step"), answer)
		for b, tie := range costmodel.TieBreaks() {
			if shift.Possible && !shift.Certain && !s.open[i] {
				fmt.Fprintf(w, "  %s: %s\n", tie, map[bool]string{true: "shifted", false: "not shifted"}[shift.Under[b]])
			}
		}
	}
}

// writeTable prints the rates like the table of the Budget-BlocksWorld paper, with an
// interval in each cell.
func (s *ShiftSet) writeTable(w io.Writer) {
	wide := len("schedule")
	for _, n := range s.Schedules {
		wide = max(wide, len(n.Name))
	}
	fmt.Fprintf(w, "shift rates of %s in %%, certain - possible\n", spell.Plural(len(s.Truths), "task"))
	fmt.Fprintf(w, "%-*s", wide, "schedule")
	for _, h := range horizons() {
		fmt.Fprintf(w, "  %13s", horizonTitle(h))
	}
	for _, tie := range costmodel.TieBreaks() {
		fmt.Fprintf(w, "  %s", tie)
	}
	fmt.Fprintln(w)
	for _, r := range s.Rates() {
		if r.Horizon == costmodel.Horizons[0] { // the first rate of a schedule
			fmt.Fprintf(w, "%-*s", wide, r.Schedule)
		}
		cell := "-"
		if r.Tasks > 0 {
			cell = fmt.Sprintf("%.1f - %.1f", r.Percent(r.Certain), r.Percent(r.Possible))
		}
		fmt.Fprintf(w, "  %13s", cell)
		if r.Horizon == "" { // the last one
			for b, tie := range costmodel.TieBreaks() {
				fmt.Fprintf(w, "  %*.1f", len(tie), r.Percent(r.Under[b]))
			}
			fmt.Fprintln(w)
		}
	}
}

// horizons lists the horizons and, last, the empty one, which stands for all.
func horizons() []costmodel.Horizon {
	return append(append([]costmodel.Horizon{}, costmodel.Horizons...), "")
}

func horizonTitle(h costmodel.Horizon) string {
	if h == "" {
		return "all"
	}
	return strings.ToLower(string(h))
}
