package debugger

import (
	"errors"
	"slices"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
)

// maxStates bounds the state space that is drawn.
const maxStates = 600

// spaceOut is the state space of a task as a picture.
type spaceOut struct {
	SVG      string `json:"svg"`
	States   int64  `json:"states"`
	Edges    int64  `json:"edges"`
	Goals    int64  `json:"goals"`
	DeadEnds int64  `json:"dead_ends"`
	// Distance is the least cost from the initial state to the goal; nil if it cannot be reached.
	Distance *int64 `json:"distance"`
	// Path is the distance to the goal after each step of the plan, as far as it can be executed; nil for a
	// dead end.
	Path []*int64 `json:"path"`
}

// node is a state in the picture.
type node struct {
	facts []string
	h     *int64 // the distance to the goal; nil for a dead end
	goal  bool
	x, y  float64
	out   []edge
}

type edge struct {
	to   int
	name string
}

func (c *call) space(in *planIn) (any, error) {
	t, err := c.read(&in.taskIn)
	if err != nil {
		return nil, err
	}
	task, err := world.GroundAll(c.ctx, t.Problem, c.limits())
	if err != nil {
		return nil, err
	}
	lim := c.limits()
	lim.Nodes = maxStates
	table, err := pipeline.Exhaust(c.ctx, t.Problem, task, lim, nil)
	var limit *search.LimitError
	if errors.As(err, &limit) && limit.Status == search.Nodeout {
		return nil, problem(TooLarge, "the task has more than %d reachable states; smaller tasks are drawn", maxStates)
	}
	if err != nil {
		return nil, err
	}
	out := &spaceOut{
		States: table.States, Edges: table.Edges, Goals: table.GoalStates, DeadEnds: table.DeadEnds,
		Distance: distance(table.InitialDistance()), Path: []*int64{},
	}
	nodes, err := nodesOf(table, world.FromTask(t.Problem, task, table.Simulator))
	if err != nil {
		return nil, err
	}
	var steps []string
	if plan, diags := pddl.ParsePlan(pddl.NewSource("plan", in.Plan)); !diags.HasErrors() {
		for i := range plan.Steps {
			steps = append(steps, atomtext.LowerASCII(plan.Steps[i].String()))
		}
	}
	out.SVG, err = drawSpace(nodes, out.follow(nodes, steps))
	return out, err
}

func distance(d space.Distance) *int64 {
	if d.DeadEnd {
		return nil
	}
	return &d.Cost
}

func nodesOf(table *space.Table, w *world.World) ([]node, error) {
	nodes := make([]node, 0, table.States)
	err := table.Rows(func(r *space.StateRow) error {
		n := node{facts: w.Facts(r.State), h: distance(r.Distance), goal: r.Goal}
		for _, t := range r.Transitions {
			n.out = append(n.out, edge{int(t.To), w.Task.OperatorName(t.Operator)})
		}
		nodes = append(nodes, n)
		return nil
	})
	return nodes, err
}

// follow is the way of a plan through the states, as far as it can be executed.
func (o *spaceOut) follow(nodes []node, steps []string) (path []int) {
	at := 0
	path = append(path, at)
	for _, s := range steps {
		i := slices.IndexFunc(nodes[at].out, func(e edge) bool { return e.name == s })
		if i < 0 {
			break
		}
		at = nodes[at].out[i].to
		path = append(path, at)
		o.Path = append(o.Path, nodes[at].h)
	}
	return path
}
