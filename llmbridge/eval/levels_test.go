package eval

import (
	"math"
	"testing"

	"github.com/planproof/planproof/llmbridge/extract"
)

// TestMeans: the means are those of all answers, whatever their order.
func TestMeans(t *testing.T) {
	var l LevelCounts
	var m StateMeans
	for _, v := range []float64{1, 0.25, 0.25} {
		l.add(&extract.VerdictScore{Conditions: &extract.ConditionScore{Precision: v, Recall: v / 2, F1: v / 4}})
		m.add(&extract.StateScore{Precision: v, Recall: v / 2, F1: v / 4})
	}
	l.add(&extract.VerdictScore{}) // of a valid plan: no conditions
	if l.Rows != 4 || l.Conditions.Rows != 3 || m.Rows != 3 {
		t.Errorf("%+v %+v", l, m)
	}
	for what, got := range map[string][3]float64{
		"conditions": {l.Conditions.Precision, l.Conditions.Recall, l.Conditions.F1}, "states": {m.Precision, m.Recall, m.F1},
	} {
		for i, want := range []float64{0.5, 0.25, 0.125} {
			if math.Abs(got[i]-want) > 1e-12 {
				t.Errorf("%s: mean %d is %v, not %v", what, i, got[i], want)
			}
		}
	}
}
