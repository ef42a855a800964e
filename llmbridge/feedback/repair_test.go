package feedback

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/validator"
)

// editNode is a node of the tests' own search for the nearest plan: a state and how many
// steps of the given plan are behind.
type editNode struct {
	st          space.State
	pos         int
	edits, cost int64
}

type editQueue []editNode

func (q editQueue) Len() int { return len(q) }
func (q editQueue) Less(i, k int) bool {
	return q[i].edits < q[k].edits || q[i].edits == q[k].edits && q[i].cost < q[k].cost
}
func (q editQueue) Swap(i, k int) { q[i], q[k] = q[k], q[i] }
func (q *editQueue) Push(x any)   { *q = append(*q, x.(editNode)) }
func (q *editQueue) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

// nearestByDijkstra returns the fewest edits and, among those, the least cost, or false if
// there is no plan. It tries every action in every state.
func nearestByDijkstra(t *testing.T, w *walker, steps []string) (edits, cost int64, ok bool) {
	t.Helper()
	q := &editQueue{{st: w.sim.Initial()}}
	done := map[string]bool{}
	for q.Len() > 0 {
		x := heap.Pop(q).(editNode)
		key := fmt.Sprint(x.st, x.pos)
		if done[key] {
			continue
		}
		done[key] = true
		if w.sim.IsGoal(x.st) && x.pos == len(steps) {
			return x.edits, x.cost, true
		}
		if x.pos < len(steps) {
			heap.Push(q, editNode{x.st, x.pos + 1, x.edits + 1, x.cost})
			if next, c, err := w.sim.Apply(x.st, steps[x.pos]); err == nil {
				heap.Push(q, editNode{next, x.pos + 1, x.edits, x.cost + c})
			}
		}
		for _, a := range w.actions {
			next, c, err := w.sim.Apply(x.st, a)
			if errors.Is(err, space.ErrInapplicable) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			heap.Push(q, editNode{next, x.pos, x.edits + 1, x.cost + c})
		}
	}
	return 0, 0, false
}

// oneWayDomain has dead ends: a bridge that burns behind whoever crosses it, and costs.
const (
	oneWayDomain = `(define (domain oneway) (:requirements :typing :action-costs :conditional-effects)
  (:types place) (:predicates (at ?p - place) (bridge ?a ?b - place) (key) (done)) (:functions (total-cost) (toll ?a ?b - place))
  (:action cross :parameters (?a ?b - place) :precondition (and (at ?a) (bridge ?a ?b))
    :effect (and (at ?b) (not (at ?a)) (not (bridge ?a ?b)) (increase (total-cost) (toll ?a ?b))))
  (:action take :parameters (?p - place) :precondition (or (at ?p) (done)) :effect (and (when (at ?p) (key)) (increase (total-cost) 2)))
  (:action finish :parameters () :precondition (key) :effect (and (done) (increase (total-cost) 1))))`
	oneWayProblem = `(define (problem oneway) (:domain oneway) (:objects a b c d - place)
  (:init (at a) (bridge a b) (bridge a c) (bridge b a) (bridge b d) (bridge c d) (bridge d c)
    (= (total-cost) 0) (= (toll a b) 3) (= (toll a c) 1) (= (toll b a) 1) (= (toll b d) 5) (= (toll c d) 2) (= (toll d c) 0.5))
  (:goal (and (done) (at d))) (:metric minimize (total-cost)))`
)

// repairTasks are small enough for the tests' own search.
func repairTasks(t testing.TB) map[string]*pddl.Problem {
	t.Helper()
	out := map[string]*pddl.Problem{}
	_, out["oneway"] = pddltest.Parse(t, oneWayDomain, oneWayProblem)
	_, out["adl"] = pddltest.Parse(t, pddltest.ADLDomain, pddltest.ADLProblem)
	for _, name := range []string{"blocksworld:3-5", "gripper:1", "elevator:3-2-1-1"} {
		out[name] = pddltest.Load(t, name)
	}
	return out
}

// TestRepairNearest corrupts plans and compares repairs with the tests' own search: the
// same edits and cost, and the cheapest completion of the longest beginning.
func TestRepairNearest(t *testing.T) {
	ctx := context.Background()
	per := 25
	if testing.Short() {
		per = 6
	}
	for name, p := range repairTasks(t) {
		r, err := NewRepairer(ctx, p, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		actions, err := constrain.GroundActions(ctx, p, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		w := &walker{r.sim, actions}
		solved, err := search.Run(ctx, r.task, search.Config{})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(21, 22))
		for range per {
			var steps []string
			for _, op := range solved.Plan {
				switch rng.IntN(6) {
				case 0: // left out
				case 1:
					steps = append(steps, actions[rng.IntN(len(actions))])
				case 2:
					steps = append(steps, r.task.OperatorName(op), actions[rng.IntN(len(actions))])
				default:
					steps = append(steps, r.task.OperatorName(op))
				}
			}
			if rng.IntN(4) == 0 {
				steps = append(steps, "(nonsense x y)")
			}
			checkRepair(t, name, r, w, steps)
		}
		checkRepair(t, name, r, w, nil)
	}
}

func checkRepair(t *testing.T, name string, r *Repairer, w *walker, steps []string) {
	t.Helper()
	plan, diags := pddl.ParsePlan(pddl.NewSource("plan", strings.Join(steps, "\n")))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	got, err := r.Repair(context.Background(), plan, search.Limits{})
	if err != nil {
		t.Fatalf("%s %v: %v", name, steps, err)
	}
	edits, cost, ok := nearestByDijkstra(t, w, steps)
	want := r.task.CostBase.Add(r.task.CostUnit.Mul(pddl.Int(cost))).String()
	n := &got.Nearest
	if !ok || n.Status != ProposalFound || !n.Proven || int64(n.Edits) != edits || n.Cost != want {
		t.Fatalf("%s %v:\n%+v\nwant %d edits at cost %s", name, steps, n, edits, want)
	}
	checkScript(t, n, steps)
	checkScript(t, &got.Completion, steps)
	// The completion: the cheapest way from the last beginning that has one.
	_, _, done, _ := w.sim.Replay(steps)
	if got.Executed != done {
		t.Fatalf("%s %v: %d executed, not %d", name, steps, got.Executed, done)
	}
	for kept := done; ; kept-- {
		st, before, _, _ := w.sim.Replay(steps[:kept])
		_, way, ok := nearestByDijkstra(t, w.from(st), nil)
		if !ok {
			continue
		}
		c := &got.Completion
		want := r.task.CostBase.Add(r.task.CostUnit.Mul(pddl.Int(before + way))).String()
		// Without steps to leave out, edits are what is put in: fewest is not cheapest.
		if c.Kept != kept || !c.Proven || cheaper(t, want, c.Cost) {
			t.Fatalf("%s %v:\n%+v\nwant %d kept at cost %s or less", name, steps, c, kept, want)
		}
		return
	}
}

func cheaper(t *testing.T, a, b string) bool {
	t.Helper()
	x, ok := pddl.ParseNumber(a)
	y, fine := pddl.ParseNumber(b)
	if !ok || !fine {
		t.Fatalf("costs %s and %s", a, b)
	}
	return x.Cmp(y) < 0
}

// walker tries every action in every state, with nothing of the repairer but its simulator.
type walker struct {
	sim     *space.Simulator
	actions []string
}

// from is a walker that starts elsewhere.
func (w *walker) from(st space.State) *walker {
	task := *w.sim.Task()
	task.Init = w.sim.Values(st)
	sim, err := space.NewSimulator(&task)
	if err != nil {
		panic(err)
	}
	return &walker{sim, w.actions}
}

// checkScript follows a script: it leads from the steps to the plan.
func checkScript(t *testing.T, p *Proposal, steps []string) {
	t.Helper()
	var given, made []string
	edits := 0
	for _, e := range p.Script {
		if e.Op != EditInsert {
			given = append(given, e.Action)
			if e.Step != len(given) {
				t.Fatalf("step %d of %+v", len(given), p.Script)
			}
		}
		if e.Op != EditDelete {
			made = append(made, e.Action)
		}
		if e.Op != EditKeep {
			edits++
		}
	}
	if !slices.Equal(given, steps) || !slices.Equal(made, p.Plan) || edits != p.Edits || p.Kept != len(p.Script)-edits {
		t.Fatalf("script %+v\nof %v\nto %v", p.Script, steps, p.Plan)
	}
}

func TestRepairOdd(t *testing.T) {
	ctx := context.Background()
	_, p := pddltest.Parse(t, oneWayDomain, oneWayProblem)
	r, err := NewRepairer(ctx, p, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	read := func(text string) *pddl.Plan {
		plan, diags := pddl.ParsePlan(pddl.NewSource("plan", text))
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return plan
	}
	// A valid plan needs no edit, and keeps its cost although there is a cheaper one.
	got, err := r.Repair(ctx, read("(CROSS a b) (cross b d) (take d) (finish)"), search.Limits{})
	if err != nil || got.Nearest.Edits != 0 || got.Nearest.Cost != "11" || got.Completion.Edits != 0 || got.Executed != 4 {
		t.Errorf("valid plan: %+v, %v", got, err)
	}
	// Behind a dead end the longest beginning that has a completion counts.
	for dead := 1; dead <= 4; dead++ {
		text := "(cross a c) (cross c d) (cross d c)" + strings.Repeat(" (take c)", dead-1)
		got, err = r.Repair(ctx, read(text), search.Limits{})
		if c := &got.Completion; err != nil || got.Executed != 2+dead || c.Kept != 2 || !c.Proven || c.Cost != "6" {
			t.Errorf("dead end %d steps back: %+v, %v", dead, got, err)
		}
	}
	// A limit is no answer, and says so.
	got, err = r.Repair(ctx, read("(cross a b)"), search.Limits{Nodes: 1})
	if err != nil || got.Completion.Status != ProposalLimit || got.Nearest.Status != ProposalLimit || got.Nearest.Reason == "" || got.Nearest.Plan != nil {
		t.Errorf("limit: %+v, %v", got, err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if got, err = r.Repair(stopped, read("(cross a b)"), search.Limits{}); err != nil || got.Completion.Status != ProposalLimit {
		t.Errorf("cancelled: %+v, %v", got, err)
	}
	// Stamped plans are repaired in the order of their times, unless steps coincide.
	got, err = r.Repair(ctx, read("2: (cross b d)\n1: (cross a b)\n4: (finish)"), search.Limits{})
	if err != nil || got.Executed != 2 || got.Nearest.Edits != 1 {
		t.Errorf("stamped: %+v, %v", got, err)
	}
	if _, err = r.Repair(ctx, read("1: (cross a b)\n1: (take a)"), search.Limits{}); !errors.Is(err, ErrRepair) {
		t.Errorf("steps at one time: %v", err)
	}
	// A task without a plan.
	_, stuck := pddltest.Parse(t, oneWayDomain, strings.Replace(oneWayProblem, "(bridge b d) (bridge c d)", "", 1))
	if r, err = NewRepairer(ctx, stuck, search.Limits{}); err != nil {
		t.Fatal(err)
	}
	if got, err = r.Repair(ctx, read("(cross a b)"), search.Limits{}); err != nil || got.Completion.Status != ProposalNone || got.Nearest.Status != ProposalNone || !got.Nearest.Proven {
		t.Errorf("unsolvable: %+v, %v", got, err)
	}
}

// TestRepairValid: what is proposed for random answers is valid.
func TestRepairValid(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"blocksworld:4-17", "logistics:2-2-1-1"} {
		d, src, err := domains.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		_, p := pddltest.Parse(t, d.Text, src.Text)
		r, err := NewRepairer(ctx, p, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		judge, err := validator.NewJudge(p, validator.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(31, 32))
		for range 10 {
			var b strings.Builder
			drawPlan(rng, p, &b)
			plan, _ := pddl.ParsePlan(pddl.NewSource("plan", b.String()))
			got, err := r.Repair(ctx, plan, search.Limits{Nodes: 20_000})
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range []*Proposal{&got.Completion, &got.Nearest} {
				if x.Status != ProposalFound {
					continue
				}
				v, _ := judge.ValidateText(pddl.NewSource("plan", strings.Join(x.Plan, "\n")), judge.NewScratch())
				if !v.Valid || v.Cost.String() != x.Cost {
					t.Fatalf("%s: %+v: %+v", name, x, v)
				}
			}
		}
	}
}

func BenchmarkRepair(b *testing.B) {
	d, src, err := domains.Load("blocksworld:5-7")
	if err != nil {
		b.Fatal(err)
	}
	_, p := pddltest.Parse(b, d.Text, src.Text)
	r, err := NewRepairer(context.Background(), p, search.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	plan, _ := pddl.ParsePlan(pddl.NewSource("plan", "(pick-up a) (stack a b) (pick-up c) (stack c c)"))
	for b.Loop() {
		if _, err := r.Repair(context.Background(), plan, search.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

// drawPlan writes up to ten steps whose objects have the types that the actions ask for.
func drawPlan(rng *rand.Rand, p *pddl.Problem, b *strings.Builder) {
	for range rng.IntN(11) {
		a := p.Domain.Actions[rng.IntN(len(p.Domain.Actions))]
		step := "(" + a.Name
		for _, v := range a.Vars[:a.NumParams] {
			objects := p.ObjectsOfType(v.Type)
			step += " " + p.Objects[objects[rng.IntN(len(objects))]].Name
		}
		b.WriteString(strings.ToLower(step) + ")\n")
	}
}
