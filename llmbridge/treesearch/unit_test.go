package treesearch

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
	"pgregory.net/rapid"
)

// line is a task with variables x and y of three values each. Its operators are given as
// "x0 y1 > x2 = 3": from the facts before > to those after it, at a cost.
func line(tb testing.TB, goal string, operators ...string) *grounder.Task {
	tb.Helper()
	facts := func(text string) (fs []grounder.Fact) {
		for _, w := range strings.Fields(text) {
			fs = append(fs, grounder.Fact{Var: int32(w[0] - 'x'), Val: int32(w[1] - '0')})
		}
		return fs
	}
	t := &grounder.Task{Init: []int32{0, 0}, Goal: facts(goal), Metric: true}
	for _, v := range []string{"x", "y"} {
		values := []string{}
		for _, d := range []string{"0", "1", "2"} {
			values = append(values, "Atom "+v+d+"()")
		}
		t.Variables = append(t.Variables, grounder.Variable{Layer: -1, Values: values})
	}
	for i, text := range operators {
		left, cost, _ := strings.Cut(text, "=")
		pre, eff, _ := strings.Cut(left, ">")
		op := grounder.Operator{Schema: int32(i), Pre: facts(pre), Cost: int64(strings.TrimSpace(cost)[0] - '0')}
		for _, f := range facts(eff) {
			op.Effects = append(op.Effects, grounder.Effect{Var: f.Var, Val: f.Val})
		}
		t.SchemaNames = append(t.SchemaNames, strings.TrimSpace(left))
		t.Operators.Append(op)
	}
	return t
}

func spaceOf(tb testing.TB, t *grounder.Task) *Space {
	tb.Helper()
	s, err := NewSpace(t)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// grown is a tree with its root expanded.
func grown(tb testing.TB, t *grounder.Task, dir Direction, limit int64) (*tree, *expansion) {
	s := spaceOf(tb, t)
	tr := newTree(s, dir, true)
	root := s.initial()
	if dir == Backward {
		root, _ = s.goal()
	}
	tr.addRoot(root, 0)
	tr.remove(0)
	return tr, tr.expand(0, Guide{Evaluator: Uniform{}}, limit, limit)
}

// TestMerging: of two ways to one state the cheaper is kept, within one expansion and
// later.
func TestMerging(t *testing.T) {
	task := line(t, "x2", "x0 > x1 = 5", "x0 y0 > x1 = 3", "x0 > y1 = 1", "y1 x0 > x1 y0 = 1", "x1 > x1 = 0")
	tr, x := grown(t, task, Forward, Unlimited)
	if len(x.kept) != 2 || x.generated != 3 {
		t.Fatalf("kept %d of %d, want 2 of 3", len(x.kept), x.generated)
	}
	dear := x.kept[0].id
	if tr.nodes[dear].g != 3 || tr.nodes[dear].op != 1 || x.kept[0].step.Cost != 3 {
		t.Errorf("the dearer of two operators was kept: %+v", tr.nodes[dear])
	}
	side := x.kept[1].id
	y := tr.expand(side, Guide{}, Unlimited, Unlimited)
	if i := slices.IndexFunc(y.kept, func(k kept) bool { return k.id == dear }); i < 0 || tr.nodes[dear].g != 2 || tr.nodes[dear].parent != side {
		t.Errorf("a cheaper path was not taken over: %+v", tr.nodes[dear])
	}
	// From x1 y0 nothing leads on but to itself: no successor improves.
	z := tr.expand(dear, Guide{}, Unlimited, Unlimited)
	if len(z.kept) != 0 || z.merged != 1 {
		t.Errorf("kept %d, merged %d, want none and 1", len(z.kept), z.merged)
	}
}

// TestVisited: a node without a successor that improves stays a leaf for distances and is
// never chosen again (U = 0).
func TestVisited(t *testing.T) {
	task := line(t, "x2", "x0 > x1 = 1", "x1 > x0 = 1", "x0 > y1 = 1", "x0 y1 > x2 = 9")
	var expanded []int
	opt := DefaultOptions()
	opt.Observer = func(e Expansion) {
		if e.Tree == Forward {
			expanded = append(expanded, e.Node)
			if e.Action == "x0 > x1" && e.Kept != 0 {
				t.Errorf("a dead end kept %d", e.Kept)
			}
		}
	}
	r, err := NewCATS().Search(context.Background(), spaceOf(t, task), Guide{Evaluator: Uniform{}}, opt)
	if err != nil || r.Status != SolvedOptimally || r.Cost != 10 {
		t.Fatalf("%+v, %v", r, err)
	}
	slices.Sort(expanded)
	if len(slices.Compact(expanded)) != r.ExpandedForward {
		t.Errorf("a node was expanded twice: %v", expanded)
	}
}

// TestPruning: successors beyond the budget are left out, by what is spent and by bounds.
func TestPruning(t *testing.T) {
	task := line(t, "x2", "x0 > x1 = 4", "x0 > y1 = 3", "x1 > x2 = 1")
	_, x := grown(t, task, Forward, 3)
	if len(x.kept) != 1 || x.pruned != 1 || !x.overBudget {
		t.Errorf("kept %d, pruned %d", len(x.kept), x.pruned)
	}
	ctx := context.Background()
	for budget, want := range map[int64]Status{4: NoPlanInBudget, 5: SolvedOptimally, Unlimited: SolvedOptimally} {
		for _, guide := range []string{"uniform", "blind", "hmax", "lmcut", "table"} {
			g, err := NewGuide(ctx, guide, task, search.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := NewCATS().Search(ctx, spaceOf(t, task), g, Options{Budget: budget, Expansions: 50})
			if err != nil || r.Status != want {
				t.Errorf("budget %d, %s: %+v, %v", budget, guide, r, err)
			}
			if guide == "table" && budget == 4 && r.Expanded != 0 {
				t.Errorf("the bound of the root exceeds the budget, and yet %d were expanded", r.Expanded)
			}
		}
	}
}

// TestMeeting: the trees meet where a forward state satisfies a backward partial state,
// which says nothing about the other variable.
func TestMeeting(t *testing.T) {
	task := line(t, "x2", "x0 > y1 = 1", "x0 y1 > x1 = 1", "x1 > x2 = 1")
	var last Expansion
	opt := DefaultOptions()
	opt.Observer = func(e Expansion) { last = e }
	r, err := NewCATS().Search(context.Background(), spaceOf(t, task), Guide{Evaluator: Uniform{}}, opt)
	if err != nil || r.Cost != 3 || !reflect.DeepEqual(r.Plan, []grounder.OperatorID{0, 1, 2}) {
		t.Fatalf("%+v, %v", r, err)
	}
	// Forward x0y1, backward x1, forward x1y1: it satisfies x1 before x1 is expanded.
	if r.Expanded != 3 || r.Rounds != 2 || last.Tree != Forward || last.Plan != 3 {
		t.Errorf("met after %d expansions in %d rounds, last %+v", r.Expanded, r.Rounds, last)
	}
	tr, x := grown(t, task, Backward, Unlimited)
	if len(x.kept) != 1 || !slices.Equal(x.kept[0].step.Next, []int32{1, search.Unconstrained}) {
		t.Fatalf("regression gave %+v", x.kept)
	}
	row := make([]uint64, tr.space.packer.Words())
	for y := range int32(3) {
		for x := range int32(3) {
			tr.space.pack(row, []int32{x, y})
			if got := tr.satisfies(row, 1); got != (x == 1) {
				t.Errorf("x%d y%d satisfies x1: %v", x, y, got)
			}
		}
	}
}

// TestTrivial: goals that hold, goals that cannot, and tasks that regression refuses.
func TestTrivial(t *testing.T) {
	ctx := context.Background()
	for _, m := range Methods() {
		g := Guide{Evaluator: Uniform{}}
		r, err := m.Search(ctx, spaceOf(t, line(t, "x0", "x0 > x1 = 1")), g, DefaultOptions())
		if err != nil || r.Status != SolvedOptimally || r.Cost != 0 || len(r.Plan) != 0 || r.Expanded != 0 {
			t.Errorf("%s: %+v, %v", m.Name(), r, err)
		}
		r, err = m.Search(ctx, spaceOf(t, line(t, "x2", "x0 > x1 = 0", "x1 > x0 = 0")), g, DefaultOptions())
		if err != nil || r.Status != Unsolvable {
			t.Errorf("%s: %+v, %v", m.Name(), r, err)
		}
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		r, err = m.Search(cancelled, spaceOf(t, line(t, "x1", "x0 > x1 = 1")), g, DefaultOptions())
		if err != nil || r.Status != Timeout && r.Status != Solved {
			t.Errorf("%s: %+v, %v", m.Name(), r, err)
		}
		r, err = m.Search(ctx, spaceOf(t, line(t, "x2", "x0 > x1 = 1", "x1 > x2 = 1")), g, Options{Budget: Unlimited, Expansions: 1})
		if err != nil || r.Status != Nodeout || r.Expanded != 1 {
			t.Errorf("%s: %+v, %v", m.Name(), r, err)
		}
	}
	task := line(t, "y1", "x0 > x1 = 1")
	task.Variables[1] = grounder.Variable{Layer: 0, Default: 0, Values: task.Variables[1].Values[:2]}
	task.Axioms = []grounder.Axiom{{Body: []grounder.Fact{{Var: 0, Val: 1}}, Head: grounder.Fact{Var: 1, Val: 1}}}
	_, err := NewCATS().Search(ctx, spaceOf(t, task), Guide{Evaluator: Uniform{}}, DefaultOptions())
	var refusal *heuristic.Refusal
	if !errors.Is(err, ErrRegression) || !errors.As(err, &refusal) || refusal.Features[0] != heuristic.Axioms {
		t.Errorf("axioms: %v", err)
	}
}

// TestLowerBound compares the bound on pairs with its definition.
func TestLowerBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (tr *tree) {
			tr = &tree{}
			for i := range rapid.IntRange(1, 6).Draw(t, name) {
				g := int64(rapid.IntRange(0, 9).Draw(t, "g"))
				tr.nodes = append(tr.nodes, node{g: g, bound: int64(rapid.IntRange(0, 9).Draw(t, "h"))})
				tr.open = append(tr.open, stateID(i))
			}
			return tr
		}
		fw, bw := draw("forward"), draw("backward")
		least := int64(rapid.IntRange(0, 2).Draw(t, "least"))
		want := heuristic.DeadEnd
		pair := func(u, v node) int64 { return max(u.f(), v.f(), u.g+v.g+least) }
		for _, u := range fw.nodes {
			for _, v := range bw.nodes {
				want = min(want, pair(u, v))
			}
		}
		if got := lowerBound(fw.frontier(), bw.frontier(), least); got != want {
			t.Fatalf("bound %d, want %d", got, want)
		}
		may := inPairs(fw.frontier(), bw.frontier(), 0, least)
		for i := range fw.nodes {
			in := slices.ContainsFunc(bw.nodes, func(v node) bool { return pair(fw.nodes[i], v) == want })
			if may(&fw.nodes[i]) != in {
				t.Fatalf("leaf %d in a pair of least bound: %v, want %v", i, !in, in)
			}
		}
	})
}

// TestDistanceReward compares the distance reward, which is kept from choice to choice, with
// its definition while the opposite tree grows.
func TestDistanceReward(t *testing.T) {
	task := bundled(t, "blocksworld:4-17", nil)
	for _, d := range []Distance{Jaccard, Printed} {
		r := Rewards{Weight: 0.5, Distance: d, Norm: Likelihood}
		s := spaceOf(t, task)
		fw, bw := newTree(s, Forward, true), newTree(s, Backward, true)
		fw.addRoot(s.initial(), 0)
		goal, _ := s.goal()
		bw.addRoot(goal, 0)
		for step := range 60 {
			tr, other := fw, bw
			if step%2 == 1 {
				tr, other = bw, fw
			}
			for id := range tr.nodes {
				least := math.Inf(1)
				for k := range other.nodes {
					if j := similarity(tr.set(stateID(id)), other.set(stateID(k))); other.nodes[k].leaf {
						if d == Jaccard {
							j = 1 - j
						}
						least = min(least, j)
					}
				}
				if got := r.distance(tr, other, stateID(id)); got != 1-least {
					t.Fatalf("%s, step %d, node %d: %v, want %v", d, step, id, got, 1-least)
				}
			}
			at := step * 7 % len(tr.open)
			id := tr.open[at]
			tr.remove(at)
			x := tr.expand(id, Guide{}, Unlimited, Unlimited)
			tr.nodes[id].leaf = len(x.kept) == 0
			for _, k := range x.kept {
				tr.push(k.id)
			}
		}
	}
}

// TestSimilarity by hand: {1, 2, 3, 64} and {2, 3, 4, 64} share three of five.
func TestSimilarity(t *testing.T) {
	if got := similarity([]uint64{0b1110, 1}, []uint64{0b11100, 1}); got != 0.6 {
		t.Errorf("similarity %v, want 3/5", got)
	}
	if got := similarity([]uint64{0}, []uint64{0}); got != 1 {
		t.Errorf("of empty sets %v, want 1", got)
	}
}

// TestScale: both normalisations are monotone, within [0, 1], and take impossible steps.
func TestScale(t *testing.T) {
	for _, norm := range []Norm{Likelihood, MinMax} {
		s := newScale(norm)
		confs := []float64{math.Inf(-1), -9, -2, -1}
		for _, c := range confs {
			s.add(c)
		}
		last := -1.0
		for _, c := range confs {
			v := s.of(c)
			if !(v >= last && v >= 0 && v <= 1) {
				t.Errorf("%s: %v becomes %v after %v", norm, c, v, last)
			}
			last = v
		}
		if last != 1 {
			t.Errorf("%s: the greatest becomes %v", norm, last)
		}
	}
	if s := (scale{Likelihood, -3, -1}); s.of(-2) != math.Exp(-1) {
		t.Errorf("likelihood of -2 among -3 and -1: %v", s.of(-2))
	}
	if s := (scale{MinMax, -3, -1}); s.of(-2) != 0.5 {
		t.Errorf("minmax of -2 among -3 and -1: %v", s.of(-2))
	}
}

// badEvaluator gives what no probability has.
type badEvaluator struct{ value float64 }

func (b badEvaluator) Score(_ context.Context, queries []Query) ([]Score, error) {
	scores, _ := Uniform{}.Score(context.Background(), queries)
	scores[0].Good[0] = b.value
	return scores, nil
}

// TestBadEvaluator: answers that are no log-probabilities end the search with an error.
func TestBadEvaluator(t *testing.T) {
	task := line(t, "x2", "x0 > x1 = 1", "x1 > x2 = 1")
	for _, v := range []float64{0.1, math.NaN(), math.Inf(1)} {
		for _, m := range Methods() {
			if _, err := m.Search(context.Background(), spaceOf(t, task), Guide{Evaluator: badEvaluator{v}}, DefaultOptions()); err == nil {
				t.Errorf("%s took the log-probability %v", m.Name(), v)
			}
		}
	}
}

// TestDeterminism: the same search gives the same trace and trees, on a fresh space and on
// a used one.
func TestDeterminism(t *testing.T) {
	task := bundled(t, "blocksworld:5-3", nil)
	ctx := context.Background()
	used := spaceOf(t, task)
	for _, guide := range GuideNames {
		for _, m := range Methods() {
			var first []Expansion
			var result *Result
			for round := range 3 {
				g, err := NewGuide(ctx, guide, task, search.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				s := used
				if round == 1 {
					s = spaceOf(t, task)
				}
				var trace []Expansion
				opt := Options{Budget: Unlimited, Expansions: 100, Seed: 7, KeepTrees: true, Observer: func(e Expansion) { trace = append(trace, e) }}
				r, err := m.Search(ctx, s, g, opt)
				if err != nil {
					t.Fatal(err)
				}
				if round > 0 && (!reflect.DeepEqual(trace, first) || !reflect.DeepEqual(r, result)) {
					t.Errorf("%s with %s: run %d differs", m.Name(), guide, round)
				}
				first, result = trace, r
			}
		}
	}
}

// TestSeed: RAP with a uniform evaluator depends on the seed.
func TestSeed(t *testing.T) {
	task := bundled(t, "blocksworld:4-17", nil)
	plans := map[int]bool{}
	for seed := range uint64(8) {
		r, err := NewRAP().Search(context.Background(), spaceOf(t, task), Guide{Evaluator: Uniform{}}, Options{Budget: Unlimited, Expansions: 500, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		plans[len(r.Plan)*1000+r.Expanded] = true
	}
	if len(plans) < 2 {
		t.Error("eight seeds gave one result")
	}
}
