package space

import (
	"context"
	"strings"
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/state"
)

// BenchmarkExhaust enumerates the 866 states of a task of five blocks.
func BenchmarkExhaust(b *testing.B) {
	task := tasktest.SmallTasks(b)["blocksworld-5-3"]
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		t, err := Exhaust(context.Background(), task, search.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(t.States), "states")
	}
}

// BenchmarkDistanceAfter looks up the distance after a plan of the task.
func BenchmarkDistanceAfter(b *testing.B) {
	task := tasktest.SmallTasks(b)["blocksworld-5-3"]
	tab, err := Exhaust(context.Background(), task, search.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	r, err := search.Run(context.Background(), task, search.Config{})
	if err != nil {
		b.Fatal(err)
	}
	var steps []string
	for _, op := range r.Plan {
		steps = append(steps, task.OperatorName(op))
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if _, _, err := tab.DistanceAfter(steps); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAllPairs computes the steps between all ordered pairs of the 866 states of five
// blocks, one goal at a time, and under a schedule.
func BenchmarkAllPairs(b *testing.B) {
	task := tasktest.SmallTasks(b)["blocksworld-5-3"]
	s := mustEnumerate(b, task)
	by := make([]int64, task.Operators.Len())
	for o := range by {
		if by[o] = 1; strings.HasPrefix(task.OperatorName(grounder.OperatorID(o)), "(put-down") {
			by[o] = 20
		}
	}
	schedule, err := s.OperatorCosts(by)
	if err != nil {
		b.Fatal(err)
	}
	d := s.NewDistances()
	for _, c := range []struct {
		name  string
		costs *Costs
		order Order
	}{{"steps", s.Steps(), ByCost}, {"costs", schedule, ByCost}, {"costs-then-steps", schedule, ByCostThenSteps}, {"steps-then-costs", schedule, ByStepsThenCost}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				for id := 0; id < s.Len(); id++ {
					if err := d.To([]state.StateID{state.StateID(id)}, c.costs, c.order); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*s.Len()*s.Len()), "ns/pair")
		})
	}
}

// BenchmarkTableLookUp looks up states of a mapped file of 2^20 states, in no order.
func BenchmarkTableLookUp(b *testing.B) {
	task := tasktest.Counter(20, 1)
	path, data := savedTable(b, task)
	tab, err := LoadTable(path, task)
	if err != nil {
		b.Fatal(err)
	}
	rows := make([]State, 1<<12)
	values := make([]int32, 20)
	for i := range rows {
		n := i * 0x9e3779b1 >> 4
		for v := range values {
			values[v] = int32(n >> v & 1)
		}
		if rows[i], err = tab.Pack(values); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(data))/(1<<20), "bytes/state")
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if _, ok := tab.Distance(rows[i%len(rows)]); !ok {
				b.Error("a state is missing")
			}
		}
	})
}

// BenchmarkTableLoad opens and checks a mapped file of 2^20 states.
func BenchmarkTableLoad(b *testing.B) {
	task := tasktest.Counter(20, 1)
	path, data := savedTable(b, task)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if _, err := LoadTable(path, task); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPlans lists the thousand best plans.
func BenchmarkPlans(b *testing.B) {
	task := tasktest.SmallTasks(b)["blocksworld-5-3"]
	tab, err := Exhaust(context.Background(), task, search.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		if n := len(listed(b, tab, 1000, PlanOptions{})); n != 1000 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/plan")
}
