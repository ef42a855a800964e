package costmodel

import "github.com/planproof/planproof/internal/rowjson"

// ShiftRate counts the shifts of the tasks of one horizon under one schedule.
type ShiftRate struct {
	Schedule string
	// Horizon is "" for all tasks.
	Horizon                  Horizon
	Tasks, Certain, Possible int64
	// Under counts the shifts under each tie-break, in the order of [TieBreaks].
	Under [len(tieBreaks)]int64
}

// ShiftRates counts by schedule, and for each by horizon and then over all tasks. Tasks
// without a plan do not count.
func ShiftRates(tasks []TaskTruth, schedules []Named) []ShiftRate {
	var rates []ShiftRate
	for k, n := range schedules {
		all := ShiftRate{Schedule: n.Name}
		for _, h := range Horizons {
			r := ShiftRate{Schedule: n.Name, Horizon: h}
			for i := range tasks {
				if t := &tasks[i]; t.Horizon == h && t.Schedules != nil {
					r.add(&t.Schedules[k].Shift)
					all.add(&t.Schedules[k].Shift)
				}
			}
			rates = append(rates, r)
		}
		rates = append(rates, all)
	}
	return rates
}

func (r *ShiftRate) add(s *Shift) {
	r.Tasks++
	count := func(n *int64, shifted bool) {
		if shifted {
			*n++
		}
	}
	count(&r.Certain, s.Certain)
	count(&r.Possible, s.Possible)
	for i := range r.Under {
		count(&r.Under[i], s.Under[i])
	}
}

// Percent is n as a percentage of the tasks, 0 without any.
func (r *ShiftRate) Percent(n int64) float64 {
	if r.Tasks == 0 {
		return 0
	}
	return 100 * float64(n) / float64(r.Tasks)
}

// MarshalJSON writes {"schedule","horizon","tasks","certain","possible","shifted":{...}},
// all counts; the horizon of all tasks is "all".
func (r *ShiftRate) MarshalJSON() ([]byte, error) {
	shifted := map[TieBreak]int64{}
	for i, tie := range tieBreaks {
		shifted[tie] = r.Under[i]
	}
	horizon := string(r.Horizon)
	if horizon == "" {
		horizon = "all"
	}
	return rowjson.AppendValue(nil, struct {
		Schedule string             `json:"schedule"`
		Horizon  string             `json:"horizon"`
		Tasks    int64              `json:"tasks"`
		Certain  int64              `json:"certain"`
		Possible int64              `json:"possible"`
		Shifted  map[TieBreak]int64 `json:"shifted"`
	}{r.Schedule, horizon, r.Tasks, r.Certain, r.Possible, shifted})
}
