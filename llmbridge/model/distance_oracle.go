package model

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"strings"
	"sync"

	"github.com/emirpasic/gods/queues/priorityqueue"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
)

// distancePenalty is how much each unit of cost above the cheapest plan lowers a log-probability.
const distancePenalty = 5

// leastLogprob is the log-probability of actions that are on no plan.
const leastLogprob = -1000

// maxDistanceStates bounds the number of states of a task for the model "distance".
const maxDistanceStates = 1 << 20

// oracle scores by the true distances of each task. It reads the prompts of tree search like any model. The
// log-probability of an action, or of the word "good" after it, is -5 for each unit of cost by which the
// action exceeds the cheapest plan. These are scores, not the probabilities of one distribution.
type oracle struct {
	mu    sync.Mutex
	tasks map[*pddl.Problem]func() (*distances, error)
}

// maxOracleTasks bounds the number of tasks whose tables are kept.
const maxOracleTasks = 16

func (o *oracle) distances(prob *pddl.Problem) (*distances, error) {
	o.mu.Lock()
	get := o.tasks[prob]
	if get == nil {
		if len(o.tasks) >= maxOracleTasks {
			clear(o.tasks)
		}
		// Not the caller's context, because others wait for the same table.
		get = sync.OnceValues(func() (*distances, error) { return newDistances(context.Background(), prob) })
		o.tasks[prob] = get
	}
	o.mu.Unlock()
	return get()
}

// score implements Model.Score for Scripted.
func (o *oracle) score(_ context.Context, req *ScoreRequest) ([]float64, error) {
	if req.Problem == nil {
		return nil, errorf(KindUnsupported, "this scripted model answers only requests about a task")
	}
	text := req.Prompt
	for _, m := range req.Messages {
		text = m.Content
	}
	at := strings.LastIndex(text, "[STATEMENT]")
	if at < 0 {
		return nil, errorf(KindUnsupported, "this scripted model scores only the prompts of tree search")
	}
	d, err := o.distances(req.Problem)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, said := range req.Continuations {
		p, err := d.logprob(text[at:], said)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// distances knows all states of one task and the costs between them, in the task's integer units.
type distances struct {
	plans *extract.Reader
	facts *extract.StateReader
	table *space.Table
	fact  map[string]int // index of each fact that varies, in lower case
	words int            // number of words for the facts of a state
	// By state: the bits of its facts, the least cost from the initial state, its outgoing edges.
	bits  []uint64
	cost  []int64
	edges [][]distanceEdge

	mu   sync.Mutex
	back map[string]*backward
}

type distanceEdge struct {
	op, to int32
	cost   int64
}

// backward has, for a partial state, the least cost of reaching it, and the least cost of reaching it with
// each possible last action.
type backward struct {
	best int64
	by   map[string]int64
}

func newDistances(ctx context.Context, prob *pddl.Problem) (*distances, error) {
	task, err := groundFor(ctx, prob)
	if err != nil {
		return nil, err
	}
	table, err := space.Exhaust(ctx, task, search.Limits{Nodes: maxDistanceStates})
	if err != nil {
		return nil, errorf(KindUnsupported, "the task is too large for exact distances: %v", err)
	}
	d := &distances{
		plans: extract.NewReader(prob.Domain, prob, extract.Natural), facts: extract.NewStateReader(prob.Domain, prob),
		table: table, fact: map[string]int{}, back: map[string]*backward{},
	}
	for i := range task.Variables {
		for _, v := range task.Variables[i].Values {
			if fact, positive := atomtext.OfValue(v); positive {
				if _, ok := d.fact[fact]; !ok {
					d.fact[fact] = len(d.fact)
				}
			}
		}
	}
	d.words = (len(d.fact) + 63) / 64
	return d, d.explore(task)
}

// explore finds all states and their costs with Dijkstra's algorithm.
func (d *distances) explore(task *grounder.Task) error {
	ids := map[string]int32{}
	var states []space.State
	open := priorityqueue.NewWith(func(a, b any) int { return cmp.Compare(a.(distanceItem).cost, b.(distanceItem).cost) })
	var key []byte
	reach := func(s space.State, cost int64) int32 {
		key = key[:0]
		for _, w := range s {
			key = binary.LittleEndian.AppendUint64(key, w)
		}
		id, ok := ids[string(key)]
		if !ok {
			id = int32(len(states))
			ids[string(key)] = id
			states = append(states, s)
			d.cost = append(d.cost, math.MaxInt64)
			d.edges = append(d.edges, nil)
			d.bits = append(d.bits, d.factBits(task, s)...)
		}
		if cost < d.cost[id] {
			d.cost[id] = cost
			open.Enqueue(distanceItem{cost, id})
		}
		return id
	}
	reach(d.table.Initial(), 0)
	var ops []grounder.OperatorID
	for !open.Empty() {
		first, _ := open.Dequeue()
		it := first.(distanceItem)
		if it.cost > d.cost[it.state] || d.edges[it.state] != nil {
			continue
		}
		edges := []distanceEdge{}
		ops = d.table.Applicable(states[it.state], ops[:0])
		for _, op := range ops {
			next, cost, err := d.table.Apply(states[it.state], task.OperatorName(op))
			if err != nil {
				return err
			}
			edges = append(edges, distanceEdge{int32(op), reach(next, it.cost+cost), cost})
		}
		d.edges[it.state] = edges
	}
	return nil
}

func (d *distances) factBits(task *grounder.Task, s space.State) []uint64 {
	bits := make([]uint64, d.words)
	for v, x := range d.table.Values(s) {
		if fact, positive := atomtext.OfValue(task.Variables[v].Values[x]); positive {
			bits[d.fact[fact]/64] |= 1 << (d.fact[fact] % 64)
		}
	}
	return bits
}

// logprob scores one continuation of a prompt.
func (d *distances) logprob(story, said string) (float64, error) {
	action := said
	if strings.TrimSpace(said) == "good" {
		action = between(story, "ACTION]\n", "\n\n")
	}
	steps := d.steps(action)
	if len(steps) != 1 {
		return 0, errorf(KindUnsupported, "%q is not an action of the task", strings.TrimSpace(action))
	}
	var extra int64
	var ok bool
	if strings.Contains(story, "[LAST ACTION]\n") || strings.Contains(story, "The last action of my plan") {
		extra, ok = d.backward(story, steps[0])
	} else {
		extra, ok = d.forward(story, steps[0])
	}
	if !ok {
		return leastLogprob, nil
	}
	return max(leastLogprob, -distancePenalty*float64(extra)), nil
}

// between returns the text between the last open mark and the next shut mark.
func between(text, open, shut string) string {
	at := strings.LastIndex(text, open)
	if at < 0 {
		return ""
	}
	inside, _, _ := strings.Cut(text[at+len(open):], shut)
	return inside
}

func (d *distances) steps(text string) []string {
	return d.plans.Extract("[PLAN]\n" + text + "\n[PLAN END]\n").Plan
}

// forward returns what an action, after the steps in the prompt, adds to the cost of the cheapest plan. It
// returns false if no plan goes on with the action.
func (d *distances) forward(story, action string) (int64, bool) {
	state, _, _, err := d.table.Replay(d.steps(between(story, "[PREVIOUS PLAN]\n", "[PREVIOUS PLAN END]")))
	if err != nil {
		return 0, false
	}
	next, cost, err := d.table.Apply(state, action)
	if err != nil {
		return 0, false
	}
	here, _ := d.table.Distance(state)
	there, _ := d.table.Distance(next)
	if here.DeadEnd || there.DeadEnd {
		return 0, false
	}
	return cost + there.Cost - here.Cost, true
}

// backward returns what an action, as the last one before the goal in the prompt, adds to the cost of the
// cheapest way there. It returns false if it cannot be the last action.
func (d *distances) backward(story, action string) (int64, bool) {
	goal := between(story, "My goal is to have that ", ".\n")
	if goal == "" {
		goal = between(story, "\nBefore them must hold: ", "\n")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.back[goal]
	if b == nil {
		if len(d.back) >= 1<<12 {
			clear(d.back)
		}
		b = d.backwardTo(d.facts.Read(goal).Facts)
		d.back[goal] = b
	}
	by, ok := b.by[action]
	return by - b.best, ok
}

func (d *distances) backwardTo(facts []string) *backward {
	b := &backward{best: math.MaxInt64, by: map[string]int64{}}
	goal := make([]uint64, d.words)
	for _, f := range facts {
		if i, ok := d.fact[f]; ok {
			goal[i/64] |= 1 << (i % 64)
		}
	}
	holds := make([]bool, len(d.cost))
	for s := range holds {
		holds[s] = true
		for k, g := range goal {
			holds[s] = holds[s] && d.bits[s*d.words+k]&g == g
		}
		if holds[s] {
			b.best = min(b.best, d.cost[s])
		}
	}
	task := d.table.Task()
	by := map[int32]int64{}
	for s := range d.edges {
		for _, e := range d.edges[s] {
			if !holds[e.to] {
				continue
			}
			cost := d.cost[s] + e.cost
			if old, ok := by[e.op]; !ok || cost < old {
				by[e.op] = cost
			}
		}
	}
	for op, cost := range by {
		name := task.OperatorName(grounder.OperatorID(op)) // several operators may have one name
		if old, ok := b.by[name]; !ok || cost < old {
			b.by[name] = cost
		}
	}
	return b
}

type distanceItem struct {
	cost  int64
	state int32
}
