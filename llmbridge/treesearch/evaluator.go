package treesearch

import (
	"context"
	"fmt"
	"math"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/heuristic"
)

// Direction is the direction a tree grows in.
type Direction string

// Directions.
const (
	Forward  Direction = "forward"  // from the initial state
	Backward Direction = "backward" // from the goal
)

// Query asks an Evaluator about some of the actions at one node. All slices are read-only
// and valid during the call only.
type Query struct {
	Direction Direction
	// State has one value per variable of the task. In a backward query it is a partial
	// state: search.Unconstrained marks variables that it says nothing about.
	State []int32
	// Path is the way from the root to the node: in a backward query it starts at the goal,
	// so the plan executes it from its end.
	Path []grounder.OperatorID
	// Spent is the cost of Path, Budget the bound on the plan's cost (Unlimited for none).
	Spent, Budget int64
	// Opposite says that a second tree grows towards this one.
	Opposite bool
	// Steps are the actions in question: those whose result the search would keep.
	Steps []Step
}

// Step is an action at a node and what it leads to.
type Step struct {
	Op   grounder.OperatorID
	Cost int64
	// Next is the state after Op; in a backward query, the partial state before it.
	Next []int32
	// Bound is what Guide.Bounds says of Next, 0 without bounds.
	Bound int64
}

// Score answers a Query: for each step two natural logarithms of probabilities, both at
// most 0. Their sum is the confidence reward R_conf (CATS, equation 1).
type Score struct {
	Action []float64 // log P(action | state, path, spent, budget)
	Good   []float64 // log P("good" | action, state, spent, budget)
}

// Evaluator rates actions: a language model, a script, a heuristic. Queries come in
// batches, so that a model can answer them side by side.
type Evaluator interface {
	// Score answers every query, in order.
	Score(ctx context.Context, queries []Query) ([]Score, error)
}

// Bounder gives admissible bounds.
type Bounder interface {
	// Bound returns a lower bound, in units of Task.CostUnit: forward, on the cost from
	// the state values to the goal; backward, on the cost from the initial state to any
	// state of the partial state values. heuristic.DeadEnd says that there is no way at all.
	Bound(dir Direction, values []int32) int64
}

// Guide is what directs a search: an Evaluator ranks, a Bounder prunes and proves.
type Guide struct {
	Evaluator Evaluator
	// Bounds may be nil: then only what has been spent counts against the budget.
	Bounds Bounder
	// Pairs has CATS choose only among the leaves on which the proven lower bound depends
	// (see lowerBound): for guides without an opinion of their own.
	Pairs bool
}

func (g Guide) bound(dir Direction, values []int32) int64 {
	if g.Bounds == nil {
		return 0
	}
	return g.Bounds.Bound(dir, values)
}

// untilDone is bounds that cost nothing once the context has ended: an expansion with
// thousands of successors is then over soon.
type untilDone struct {
	Bounder
	ctx context.Context
}

// Bound implements Bounder; 0 is a bound, too.
func (u untilDone) Bound(dir Direction, values []int32) int64 {
	if u.ctx.Err() != nil {
		return 0
	}
	return u.Bounder.Bound(dir, values)
}

// until returns the guide with bounds that end with the context.
func (g Guide) until(ctx context.Context) Guide {
	if g.Bounds != nil {
		g.Bounds = untilDone{g.Bounds, ctx}
	}
	return g
}

// Uniform is the Evaluator without an opinion: all actions are equally likely and good.
type Uniform struct{}

// Score implements Evaluator.
func (Uniform) Score(_ context.Context, queries []Query) ([]Score, error) {
	scores := make([]Score, len(queries))
	for i, q := range queries {
		scores[i] = newScore(len(q.Steps))
		for k := range q.Steps {
			scores[i].Action[k] = -math.Log(float64(len(q.Steps)))
		}
	}
	return scores, nil
}

// ByBound is the Evaluator that trusts the bounds. log P("good") is -Sharpness times the
// bound on the cost of plans through the step, spent + cost + bound; where a second tree
// grows, that or twice the cost of the path, whichever is more, so that the
// trees meet in the middle (Holte, Felner, Sharon and Sturtevant, "Bidirectional search that
// is guaranteed to meet in the middle", AAAI 2016). It has no opinion on actions beyond that:
// log P(action) is 0. At the default sharpness one unit of cost weighs more than any
// distance reward, so a search expands nodes in order of that priority and the distance
// reward decides among equals.
type ByBound struct {
	// Sharpness is in nats per unit of cost; DefaultSharpness when 0.
	Sharpness float64
}

// DefaultSharpness makes a unit of cost a factor of e^20 in probability.
const DefaultSharpness = 20

// Score implements Evaluator.
func (b ByBound) Score(_ context.Context, queries []Query) ([]Score, error) {
	sharp := b.Sharpness
	if sharp == 0 {
		sharp = DefaultSharpness
	}
	scores := make([]Score, len(queries))
	for i, q := range queries {
		scores[i] = newScore(len(q.Steps))
		for k, s := range q.Steps {
			spent := float64(q.Spent) + float64(s.Cost)
			priority := spent + float64(s.Bound)
			if q.Opposite {
				priority = max(priority, 2*spent)
			}
			scores[i].Good[k] = -sharp * priority
		}
	}
	return scores, nil
}

func newScore(n int) Score {
	both := make([]float64, 2*n)
	return Score{Action: both[:n:n], Good: both[n:]}
}

// confidences asks the evaluator and returns R_conf for every step of every query. It
// refuses answers that no probabilities give.
func (c *counted) confidences(ctx context.Context, e Evaluator, queries []Query) ([][]float64, error) {
	scores, err := e.Score(ctx, queries)
	if err != nil {
		return nil, err
	}
	if len(scores) != len(queries) {
		return nil, fmt.Errorf("the evaluator answered %d of %d queries", len(scores), len(queries))
	}
	c.Calls++
	conf := make([][]float64, len(queries))
	for i, q := range queries {
		s := scores[i]
		if len(s.Action) != len(q.Steps) || len(s.Good) != len(q.Steps) {
			return nil, fmt.Errorf("the evaluator rated %d and %d of %d actions", len(s.Action), len(s.Good), len(q.Steps))
		}
		c.Evaluated += len(q.Steps)
		conf[i] = make([]float64, len(q.Steps))
		for k := range q.Steps {
			if !(s.Action[k] <= 0) || !(s.Good[k] <= 0) {
				return nil, fmt.Errorf("the evaluator gave the log-probabilities %v and %v, which must be at most 0", s.Action[k], s.Good[k])
			}
			conf[i][k] = s.Action[k] + s.Good[k]
		}
	}
	return conf, nil
}

// plus adds costs and bounds; what overflows, and a dead end, stays heuristic.DeadEnd.
func plus(a, b int64) int64 {
	if c := a + b; c >= 0 {
		return c
	}
	return heuristic.DeadEnd
}
