package grounder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/planproof/planproof/pddl"
	"pgregory.net/rapid"
)

// sameOperator compares operators by what they are, nil slices being empty ones.
func sameOperator(a, b Operator) bool {
	return a.Schema == b.Schema && a.Cost == b.Cost && slices.Equal(a.Args, b.Args) && slices.Equal(a.Pre, b.Pre) &&
		slices.EqualFunc(a.Effects, b.Effects, equalEffects) &&
		slices.EqualFunc(a.CondCosts, b.CondCosts, func(x, y CondCost) bool { return x.Cost == y.Cost && slices.Equal(x.Cond, y.Cond) })
}

// TestOperators compares a table with a slice of operators through any changes.
func TestOperators(t *testing.T) {
	if n := unsafe.Sizeof(operatorRow{}); n != 32 {
		t.Errorf("an operator takes %d bytes", n)
	}
	rapid.Check(t, func(t *rapid.T) {
		few := func(what string) int { return rapid.IntRange(0, 3).Draw(t, what) }
		facts := func() (out []Fact) {
			for v := range few("facts") {
				out = append(out, Fact{Var: int32(v), Val: int32(few("value"))})
			}
			return out
		}
		var kept []Effect // of an operator before
		draw := func() (op Operator) {
			op = Operator{Schema: int32(few("schema")), Pre: facts(), Cost: int64(few("cost"))}
			for range few("args") {
				op.Args = append(op.Args, pddl.ObjectID(few("object")))
			}
			if op.Effects = kept; few("new effects") > 0 {
				for range few("effects") {
					op.Effects = append(slices.Clip(op.Effects), Effect{Var: int32(few("variable")), Val: 1, Cond: facts()})
				}
			}
			kept = op.Effects
			for range few("costs") / 2 {
				op.CondCosts = append(op.CondCosts, CondCost{Cond: facts(), Cost: 1})
			}
			return op
		}
		var table, frozen Operators
		var want, old []Operator
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			i := 0
			if len(want) > 0 {
				i = rapid.IntRange(0, len(want)-1).Draw(t, "operator")
			}
			switch what := few("step"); {
			case what == 0 && len(want) > 0:
				op := draw()
				table.Set(i, op)
				want[i] = op
			case what == 1 && len(want) > 0:
				table.SetCost(i, 9)
				want[i].Cost = 9
			case what == 2:
				frozen, old = table, slices.Clone(want)
				table = table.Clone()
			default:
				op := draw()
				table.Append(op)
				want = append(want, op)
			}
		}
		for _, c := range []struct {
			table Operators
			want  []Operator
		}{{table, want}, {frozen, old}, {NewOperators(want...), want}} {
			if c.table.Len() != len(c.want) {
				t.Fatalf("%d operators, want %d", c.table.Len(), len(c.want))
			}
			for i, op := range c.want {
				if got := c.table.At(i); !sameOperator(got, op) {
					t.Fatalf("operator %d is %v, want %v", i, got, op)
				}
			}
		}
	})
}

// TestSharedEffects: what leads to one state from many lies in the table once.
func TestSharedEffects(t *testing.T) {
	const n = 40
	var objects strings.Builder
	for i := range n {
		objects.WriteString(" o" + string(rune('a'+i/26)) + string(rune('a'+i%26)))
	}
	d := `(define (domain d) (:predicates (at ?x)) (:action go :parameters (?x ?y) :precondition (at ?x) :effect (and (not (at ?x)) (at ?y))))`
	p := `(define (problem p) (:domain d) (:objects` + objects.String() + `) (:init (at oaa)) (:goal (at oab)))`
	task, err := Ground(context.Background(), parse(t, d, p), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if ops := &task.Operators; ops.Len() != n*(n-1) || len(ops.effects) != n {
		t.Errorf("%d operators with %d lists of effects, want %d with %d", ops.Len(), len(ops.effects), n*(n-1), n)
	}
}

// TestSharingGivesUp: lists that all differ are kept apart, and no longer looked up.
func TestSharingGivesUp(t *testing.T) {
	worthSharing := int32(defaultLimits.sharing)
	x := newSharing(defaultLimits.sharing)
	var lists [][]Effect
	for i := range 4 * worthSharing {
		for range 1 + i%2*max(0, 1-i/100) { // half of the first hundred are asked for twice
			effects := []Effect{{Var: i, Val: 1, Cond: []Fact{{Var: i, Val: 0}}}}
			if l := x.find(lists, effects); l >= 0 {
				if !slices.EqualFunc(lists[l], effects, equalEffects) {
					t.Fatalf("list %d is %v, want %v", l, lists[l], effects)
				}
				continue
			}
			lists = append(lists, effects)
		}
	}
	if int32(len(lists)) != 4*worthSharing || !x.off {
		t.Errorf("%d lists, off %v, want %d and given up", len(lists), x.off, 4*worthSharing)
	}
}

// TestReserve: room is made once, and only what it takes counts against the limit on memory.
func TestReserve(t *testing.T) {
	d, p := small(logisticsLike, logisticsProblem(5, 3))
	g := newGrounder(t.Context(), parse(t, d, p), Options{})
	var ops Operators
	for range 100 {
		ops.emit(&Operator{Args: []pddl.ObjectID{1}, Pre: []Fact{{Var: 1}}}, 0)
	}
	ops.reserve(mark{}, 1e5, g)
	rows, facts := cap(ops.rows), cap(ops.facts)
	if rows < 1e7 || facts < 1e7 {
		t.Fatalf("room for %d operators and %d facts", rows, facts)
	}
	g.opt.Memory = g.heap() + 1<<20
	ops.reserve(mark{}, 1e5, g) // there is room
	if cap(ops.rows) != rows {
		t.Errorf("room for %d operators became room for %d", rows, cap(ops.rows))
	}
	defer func() {
		if b, ok := recover().(bailout); !ok || !errors.Is(b.err, ErrMemory) {
			t.Errorf("beyond the limit: %v", b.err)
		}
	}()
	ops.reserve(mark{}, 2e5, g)
}

// TestOwnEffects: a task does not depend on whether operators share their effects, nor on how the edges of the causal
// graph are kept, nor on how reachability is explored.
func TestOwnEffects(t *testing.T) {
	other := defaultLimits
	other.sharing, other.dense, other.sweeps = 0, 0, 0
	d, p := small(logisticsLike, logisticsProblem(9, 6))
	task := sameTask(t, d, p, Options{}, Options{}, defaultLimits, other)
	if own := len(task.Operators.own(0)); own == 0 {
		t.Error("no operator has effects of its own")
	}
	rapid.Check(t, func(t *rapid.T) {
		g := &randomTask{t: t, head: -1}
		domain, problem := g.draw()
		opt := Options{KeepIrrelevant: rapid.Bool().Draw(t, "keep")}
		sameTask(t, domain, problem, opt, opt, defaultLimits, other)
	})
}

// sameTask grounds a task in two ways, which must not differ, and returns what the second makes.
func sameTask(t fatal, domain, problem string, opt, opt2 Options, by, by2 limits) *Task {
	t.Helper()
	p := parse(t, domain, problem)
	want, err := groundWith(p, opt, by)
	got, err2 := groundWith(p, opt2, by2)
	if err != nil || err2 != nil {
		if fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("%s%s\n%v, %v", domain, problem, err, err2)
		}
		return nil
	}
	if a, b := dumpTask(want), dumpTask(got); a != b || want.Bytes() != got.Bytes() {
		t.Fatalf("%s%s\none way:\n%s\nthe other:\n%s", domain, problem, a, b)
	}
	return got
}
