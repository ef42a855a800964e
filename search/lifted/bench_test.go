package lifted

import (
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/search"
)

// BenchmarkLifted searches bundled tasks to their end.
func BenchmarkLifted(b *testing.B) {
	for _, name := range []string{"blocksworld:6-77", "logistics:2-3-2-1", "gripper:6", "elevator:5-3-2-1"} {
		p := pddltest.Load(b, name)
		b.Run(name, func(b *testing.B) {
			expanded := int64(0)
			for b.Loop() {
				r, _, err := Run(b.Context(), p, search.Limits{}, nil)
				if err != nil || r.Status != search.SolvedOptimally {
					b.Fatalf("%+v, %v", r, err)
				}
				expanded += r.Expanded
			}
			b.ReportMetric(float64(expanded)/b.Elapsed().Seconds(), "expansions/s")
		})
	}
}
