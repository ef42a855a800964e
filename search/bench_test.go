package search

import (
	"context"
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// benchTasks are bundled tasks of some size.
var benchTasks = []string{"blocksworld-5-3", "logistics-3-2-2-2", "gripper-4", "elevator-6-6-1-3", "powergrid-5-1-2-2"}

func benchRun(b *testing.B, search string) {
	tasks := tasktest.SmallTasks(b)
	for _, name := range benchTasks {
		task := tasks[name]
		if task == nil {
			b.Fatalf("no task %s", name)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var evaluated, expanded int64
			for i := 0; i < b.N; i++ {
				r, err := Run(context.Background(), task, Config{Search: search})
				if err != nil || r.Status != SolvedOptimally {
					b.Fatalf("%+v, %v", r, err)
				}
				evaluated += r.Evaluated
				expanded += r.Expanded
			}
			b.ReportMetric(float64(evaluated)/b.Elapsed().Seconds(), "evaluations/s")
			b.ReportMetric(float64(expanded)/float64(b.N), "expansions/op")
		})
	}
}

func BenchmarkAStarLMCut(b *testing.B) { benchRun(b, "astar(lmcut())") }
func BenchmarkAStarHMax(b *testing.B)  { benchRun(b, "astar(hmax())") }
func BenchmarkBlind(b *testing.B)      { benchRun(b, "astar(blind())") }
func BenchmarkAuto(b *testing.B)       { benchRun(b, "auto()") }

// BenchmarkLMCut estimates the initial state.
func BenchmarkLMCut(b *testing.B) {
	tasks := tasktest.SmallTasks(b)
	for _, name := range benchTasks {
		b.Run(name, func(b *testing.B) {
			h, err := heuristic.NewLMCut(tasks[name])
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; i++ {
				h.Estimate(tasks[name].Init)
			}
		})
	}
}

// BenchmarkSuccessors lists and builds the successors of the initial state.
func BenchmarkSuccessors(b *testing.B) {
	tasks := tasktest.SmallTasks(b)
	for _, name := range benchTasks {
		b.Run(name, func(b *testing.B) {
			s := state.NewSystem(tasks[name])
			x := s.NewScratch()
			row := s.Initial()
			var ops []grounder.OperatorID
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; i++ {
				s.Unpack(row, x)
				ops = s.Applicable(x)
				for _, op := range ops {
					s.Applier.Apply(x.Next, row, x.Values, op)
				}
			}
			b.ReportMetric(float64(len(ops)), "successors/op")
		})
	}
}

// BenchmarkRegistry inserts a million states, each twice.
func BenchmarkRegistry(b *testing.B) {
	row := make([]uint64, 2)
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		r := state.NewRegistry(2, 2)
		for k := uint64(0); k < 1<<20; k++ {
			row[0], row[1] = k*0x9e3779b97f4a7c15, k>>3
			h := r.Hash(row)
			r.Insert(row, h)
			r.Insert(row, h)
		}
		b.ReportMetric(float64(r.Bytes())/float64(r.Len()), "bytes/state")
	}
}
