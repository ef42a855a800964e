package data

import (
	"encoding/json"
	"fmt"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/joint"
)

// Row is a task with its answer.
type Row struct {
	Kind      string          `json:"kind"` // "instance"
	ID        json.RawMessage `json:"id"`
	Layout    boxnet.Layout   `json:"layout,omitempty"`
	NewCoord  bool            `json:"newcoord,omitempty"`
	Structure string          `json:"structure"`
	Split     string          `json:"split,omitempty"`

	Dimensions int               `json:"dimensions,omitempty"`
	Map        [2]int            `json:"map"`
	Robots     []boxnet.Robot    `json:"robots"`
	Objects    []boxnet.Object   `json:"objects"`
	Obstacles  []boxnet.Obstacle `json:"obstacles,omitempty"`

	Reading boxnet.Reading `json:"reading"`
	Status  joint.Status   `json:"status"`
	// Steps is null if there is no plan, or none was found; Proved says which.
	Steps  *int        `json:"optimal_steps"`
	Proved bool        `json:"proved"`
	Lower  int         `json:"lower_bound"`
	Plan   boxnet.Plan `json:"plan"`
	Moves  int         `json:"moves"`
	// Fewest reports whether no plan of that many steps has fewer moves.
	Fewest   bool    `json:"fewest_moves"`
	Shortest bool    `json:"shortest_time,omitempty"`
	ParaMax  int     `json:"para_max"`
	ParaMean float64 `json:"para_mean"`
	Duration float64 `json:"duration"`

	// AStar is the number of steps of the paper's search, null if it finds no plan; absent unless asked for.
	AStar *json.RawMessage `json:"astar_steps,omitempty"`

	in *boxnet.Instance
}

// newRow makes the row of an instance from what the search has found.
func newRow(id json.RawMessage, in *boxnet.Instance, res *joint.Result) *Row {
	best := res.Optimum()
	r := &Row{
		Kind: "instance", ID: id, Structure: in.Structure(), in: in,
		Dimensions: in.Dimensions, Map: [2]int{in.Width, in.Height}, Robots: in.Robots, Objects: in.Objects, Obstacles: in.Obstacles,
		Reading: res.Reading, Status: res.Status, Proved: best.Proved, Lower: res.Lower.Steps,
	}
	if best.Steps < 0 {
		return r
	}
	got := boxnet.NewJudge(in, res.Reading).Judge(res.Plan)
	r.Steps, r.Plan, r.Moves, r.Fewest, r.Shortest = &best.Steps, res.Plan, got.Moves, res.FewestMoves, res.ShortestTime
	r.ParaMax, r.ParaMean, r.Duration = got.ParaMax, got.ParaMean(), got.Duration
	return r
}

// Words says the answer in a line, and the plan below it.
func (r *Row) Words() string {
	switch {
	case r.Steps == nil && r.Proved:
		return "there is no plan\n"
	case r.Steps == nil:
		return fmt.Sprintf("no answer: %s\n", r.Status)
	}
	return fmt.Sprintf("optimal: %d steps, %d moves, time %.2f (%s)\n%s\n", *r.Steps, r.Moves, r.Duration, r.Reading, r.Plan.Text())
}
