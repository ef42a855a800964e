package state

import (
	"fmt"
	"runtime"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/randomsas"
)

// randomTask draws a task with all features.
func randomTask(t *rapid.T) *grounder.Task {
	choose := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") }
	text := randomsas.Text(choose, randomsas.Options{Axioms: true, ConditionalEffects: true, MaxCost: 3})
	task, err := grounder.ReadSAS(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return task
}

func randomValues(t *rapid.T, task *grounder.Task) []int32 {
	values := make([]int32, len(task.Variables))
	for v := range values {
		values[v] = int32(rapid.IntRange(0, task.Variables[v].Size()-1).Draw(t, "value"))
	}
	return values
}

func TestPackerKeepsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := &grounder.Task{}
		for i, n := 0, rapid.IntRange(0, 60).Draw(t, "variables"); i < n; i++ {
			size := rapid.SampledFrom([]int{1, 2, 3, 4, 5, 9, 200, 70000}).Draw(t, "size")
			v := grounder.Variable{Layer: -1, Values: make([]string, size)}
			if rapid.IntRange(0, 4).Draw(t, "derived") == 0 {
				v = grounder.Variable{Layer: 0, Values: make([]string, 2)}
			}
			task.Variables = append(task.Variables, v)
		}
		p := NewPacker(task)
		values := randomValues(t, task)
		row := make([]uint64, p.Words())
		p.Pack(row, values)
		again := make([]int32, len(values))
		p.Unpack(again, row)
		set := make([]uint64, p.Words())
		for v := range task.Variables {
			if task.Variables[v].Layer >= 0 {
				if p.Stored(int32(v)) {
					t.Fatalf("derived variable %d is stored", v)
				}
				continue
			}
			if again[v] != values[v] || p.Get(row, int32(v)) != values[v] {
				t.Fatalf("variable %d: %d became %d", v, values[v], again[v])
			}
			p.Set(set, int32(v), values[v])
		}
		if fmt.Sprint(set) != fmt.Sprint(row) {
			t.Fatalf("Set gives %x, Pack %x", set, row)
		}
	})
}

// TestPackerIsTight checks the packing of a typical task: 100 variables of 5 bits are 12
// to a word.
func TestPackerIsTight(t *testing.T) {
	task := &grounder.Task{}
	for i := 0; i < 100; i++ {
		task.Variables = append(task.Variables, grounder.Variable{Layer: -1, Values: make([]string, 20+i%10)})
	}
	if got := NewPacker(task).Words(); got != 9 {
		t.Errorf("%d words, want 9", got)
	}
}

func TestRegistryIsASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 3).Draw(t, "words")
		r := NewRegistry(words, rapid.IntRange(0, 3).Draw(t, "extra"))
		known := map[string]StateID{}
		n := rapid.IntRange(1, 4000).Draw(t, "states")
		top := rapid.Uint64Range(1, 1<<40).Draw(t, "range")
		seed := rapid.Uint64().Draw(t, "seed")
		row := make([]uint64, words)
		for i := 0; i < n; i++ {
			for w := range row {
				seed = seed*6364136223846793005 + 1442695040888963407
				row[w] = (seed >> 20) % top
			}
			id, isNew := r.Insert(row, r.Hash(row))
			want, known1 := known[fmt.Sprint(row)]
			if isNew == known1 || known1 && id != want || isNew && int(id) != len(known) {
				t.Fatalf("Insert(%v) = %d, %v; known as %d, %v", row, id, isNew, want, known1)
			}
			if isNew {
				known[fmt.Sprint(row)] = id
				for _, x := range r.Record(id)[words:] {
					if x != 0 {
						t.Fatal("extra words of a new record are not zero")
					}
				}
				for w := range r.Record(id)[words:] {
					r.Record(id)[words+w] = uint64(id) + 7
				}
			}
			if got, ok := r.Find(row); !ok || got != id {
				t.Fatalf("Find(%v) = %d, %v", row, got, ok)
			}
		}
		if r.Len() != len(known) {
			t.Fatalf("Len %d, want %d", r.Len(), len(known))
		}
		for key, id := range known {
			rec := r.Record(id)
			if fmt.Sprint(rec[:words]) != key {
				t.Fatalf("record %d is %v, want %s", id, rec, key)
			}
			for _, x := range rec[words:] {
				if x != uint64(id)+7 {
					t.Fatalf("record %d lost its extra words", id)
				}
			}
		}
		r.Widen(1)
		for key, id := range known {
			rec := r.Record(id)
			if again, isNew := r.Insert(rec, r.Hash(rec)); isNew || again != id || fmt.Sprint(rec[:words]) != key {
				t.Fatalf("after widening, record %d of %s is %v", id, key, rec)
			}
			for i, x := range rec[words:] {
				if last := words+i == len(rec)-1; last && x != 0 || !last && x != uint64(id)+7 {
					t.Fatalf("widened record %d is %v", id, rec)
				}
			}
		}
		row[0] = top + 1
		if _, ok := r.Find(row); ok {
			t.Fatal("found a state that was never added")
		}
	})
}

func TestSuccessorGeneratorFindsTheApplicable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := randomTask(t)
		g := NewSuccessorGenerator(task)
		a := NewApplier(task, NewPacker(task))
		values := randomValues(t, task)
		ops, _ := g.Append(nil, values, nil)
		again, _ := g.Append(nil, values, []int32{5, 6, 7})
		if fmt.Sprint(ops) != fmt.Sprint(again) {
			t.Fatal("the order is not fixed")
		}
		sort.Slice(ops, func(i, j int) bool { return ops[i] < ops[j] })
		var want []grounder.OperatorID
		for o := range task.Operators.Len() {
			ok := true
			for _, f := range task.Operators.Pre(o) {
				ok = ok && values[f.Var] == f.Val
			}
			if ok {
				want = append(want, grounder.OperatorID(o))
			}
			if a.Applicable(values, grounder.OperatorID(o)) != ok {
				t.Fatalf("Applicable(%d) is %v", o, !ok)
			}
		}
		if fmt.Sprint(ops) != fmt.Sprint(want) {
			t.Fatalf("%v, want %v", ops, want)
		}
	})
}

// TestSparseTests checks the generator's table for large domains with few tested values.
func TestSparseTests(t *testing.T) {
	task := &grounder.Task{Variables: []grounder.Variable{{Layer: -1, Values: make([]string, 1000)}}}
	for _, val := range []int32{3, 500, 999} {
		task.Operators.Append(grounder.Operator{Pre: []grounder.Fact{{Var: 0, Val: val}}})
	}
	g := NewSuccessorGenerator(task)
	for val := int32(0); val < 1000; val++ {
		ops, _ := g.Append(nil, []int32{val}, nil)
		want := map[int32]string{3: "[0]", 500: "[1]", 999: "[2]"}[val]
		if want == "" {
			want = "[]"
		}
		if fmt.Sprint(ops) != want {
			t.Errorf("value %d: %v, want %s", val, ops, want)
		}
	}
}

func TestApplyFollowsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := randomTask(t)
		if task.Operators.Len() == 0 {
			return
		}
		p := NewPacker(task)
		a := NewApplier(task, p)
		values := randomValues(t, task)
		row, next := make([]uint64, p.Words()), make([]uint64, p.Words())
		p.Pack(row, values)
		for o := range task.Operators.Len() {
			want := append([]int32(nil), values...)
			for _, e := range task.Operators.Effects(o) {
				fires := true
				for _, f := range e.Cond {
					fires = fires && values[f.Var] == f.Val
				}
				if fires {
					want[e.Var] = e.Val
				}
			}
			a.Apply(next, row, values, grounder.OperatorID(o))
			got := append([]int32(nil), values...)
			p.Unpack(got, next)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("operator %d in %v gives %v, want %v", o, values, got, want)
			}
		}
	})
}

func TestCostOverflowIsReported(t *testing.T) {
	task := &grounder.Task{Operators: grounder.NewOperators(grounder.Operator{
		Cost:      1<<63 - 1,
		CondCosts: []grounder.CondCost{{Cost: 1}},
	})}
	a := NewApplier(task, NewPacker(task))
	if c, ok := a.Cost(nil, 0); ok {
		t.Errorf("cost %d, want a report of overflow", c)
	}
}

// naiveAxioms derives layer by layer until nothing changes.
func naiveAxioms(task *grounder.Task, values []int32) []int32 {
	values = append([]int32(nil), values...)
	top := int32(-1)
	for v := range task.Variables {
		if l := task.Variables[v].Layer; l >= 0 {
			values[v] = task.Variables[v].Default
			top = max(top, l)
		}
	}
	for l := int32(0); l <= top; l++ {
		for changed := true; changed; {
			changed = false
			for _, a := range task.Axioms {
				if task.Variables[a.Head.Var].Layer == l && holds(a.Body, values) && values[a.Head.Var] != a.Head.Val {
					values[a.Head.Var] = a.Head.Val
					changed = true
				}
			}
		}
	}
	return values
}

func TestAxiomEvaluatorComputesTheFixpoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := randomTask(t)
		values := randomValues(t, task)
		want := naiveAxioms(task, values)
		got := append([]int32(nil), values...)
		if e := NewAxiomEvaluator(task); e != nil {
			var s AxiomScratch
			e.Evaluate(got, &s)
			e.Evaluate(got, &s) // a second time, with used scratch
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestRegistryLeavesNoGarbage counts what a registry allocates for 200,000 states: what it does not hold any more is
// garbage. Lists of chunks are.
func TestRegistryLeavesNoGarbage(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := NewRegistry(1, 1)
	row := make([]uint64, 1)
	for i := range uint64(200_000) {
		row[0] = i
		r.Insert(row, r.Hash(row))
	}
	runtime.ReadMemStats(&after)
	if took := int64(after.TotalAlloc - before.TotalAlloc); took > r.Bytes()+r.Bytes()/8 {
		t.Errorf("%d bytes allocated, %d held", took, r.Bytes())
	}
}

// FuzzRegistry reads the input as a sequence of 8-byte states.
func FuzzRegistry(f *testing.F) {
	f.Add([]byte("aaaaaaaabbbbbbbbaaaaaaaa"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewRegistry(1, 1)
		known := map[uint64]bool{}
		for ; len(data) >= 8; data = data[8:] {
			row := []uint64{uint64(data[0]) | uint64(data[3])<<32}
			if _, isNew := r.Insert(row, r.Hash(row)); isNew == known[row[0]] {
				t.Fatalf("%x: new is %v", row, isNew)
			}
			known[row[0]] = true
		}
	})
}
