package groups

import (
	"math"
	"testing"

	"github.com/planproof/planproof/rltrain/rows"
	"pgregory.net/rapid"
)

func rewards(rs ...float64) Group {
	var out Group
	for _, r := range rs {
		s := &rows.Score{}
		if !math.IsNaN(r) {
			s.Reward = &r
		}
		out = append(out, s)
	}
	return out
}

func TestAdvantages(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct{ rewards, want []float64 }{
		{[]float64{0, 1}, []float64{-1, 1}},
		{[]float64{0, 0, 0, 1}, []float64{-1 / math.Sqrt(3), -1 / math.Sqrt(3), -1 / math.Sqrt(3), math.Sqrt(3)}},
		{[]float64{1, 1, 1}, []float64{0, 0, 0}},
		{[]float64{1}, []float64{0}},
		{[]float64{none, 1}, []float64{0, 0}},
		{[]float64{none, 0, 1}, []float64{0, -1, 1}},
		{nil, nil},
	} {
		got := rewards(c.rewards...).Advantages()
		for i := range c.want {
			if math.Abs(got[i]-c.want[i]) > 1e-12 {
				t.Errorf("%v: %v, want %v", c.rewards, got, c.want)
			}
		}
	}
}

func TestAdvantagesAreStandardised(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := rapid.SliceOfN(rapid.Float64Range(0, 105), 2, 16).Draw(t, "rewards")
		sum, squares := 0.0, 0.0
		as := rewards(rs...).Advantages()
		for i, a := range as {
			sum += a
			squares += a * a
			for j, b := range as {
				if (rs[i] < rs[j]) && a > b {
					t.Fatalf("%v gives %v", rs, as)
				}
			}
		}
		n := float64(len(rs))
		if squares != 0 && (math.Abs(sum) > 1e-6*n || math.Abs(squares-n) > 1e-6*n) {
			t.Fatalf("%v gives %v", rs, as)
		}
	})
}
