package episode

import (
	"fmt"
	"os"
	"testing"

	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/search"
)

// TestErrandsAreSolvable: search finds a plan for every task of the household set and for tasks of the other worlds, and
// the judge accepts it. Without PLANPROOF_LONG=1 it takes the first quarter.
func TestErrandsAreSolvable(t *testing.T) {
	count := map[string]int{"household": 307, "office": 60, "robots": 60, "trip": 60}
	for kind, n := range count {
		switch {
		case testing.Short():
			n /= 60
		case os.Getenv("PLANPROOF_LONG") == "":
			n /= 4
		}
		for i := 1; i <= n; i++ {
			name := fmt.Sprintf("%s:2-3-%d", kind, i)
			if kind == "robots" {
				name = fmt.Sprintf("%s:1-3-%d", kind, i)
			}
			a, err := pipeline.Decide(t.Context(), load(t, name), search.Limits{})
			if err != nil || a == nil || len(a.Plan) == 0 {
				t.Errorf("%s: %v, %v", name, a, err)
			}
		}
	}
}
