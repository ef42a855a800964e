package joint

import (
	"context"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/internal/seeded"
)

// TestFeedback spoils optimal plans: each level says what it should, and repairs are valid, keep the
// good steps, and need no more steps than the plan that was spoilt.
func TestFeedback(t *testing.T) {
	ctx := context.Background()
	r := seeded.Rand(8, "boxnet feedback")
	opt := Options{Reading: boxnet.Default}
	for n := range 8 {
		in, err := boxnet.Sample(r, boxnet.SampleOptions{Width: 3, Height: 2 + n%2, Objects: 2, Layout: boxnet.Interior})
		if err != nil {
			t.Fatal(err)
		}
		best, err := Solve(ctx, in, opt)
		if err != nil || best.Status != Solved {
			t.Fatal(best, err)
		}
		j := boxnet.NewJudge(in, boxnet.Default)
		k := r.IntN(len(best.Plan))
		bad := append(best.Plan[:k:k], boxnet.Step{{Robot: "Robot 99"}}, boxnet.Step{{Robot: "Robot 98"}})
		res := j.Judge(bad)
		said := map[Level]string{}
		for _, level := range []Level{LevelBinary, LevelFirst, LevelAll, LevelHint} {
			if said[level], err = Feedback(ctx, j, bad, res, level, opt); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(said[LevelBinary], "99") || !strings.Contains(said[LevelFirst], "Robot 99") || strings.Contains(said[LevelFirst], "Robot 98") ||
			!strings.Contains(said[LevelAll], "Robot 98") || !strings.Contains(said[LevelHint], "ou could ") {
			t.Errorf("%q", said)
		}
		repaired, err := Repair(ctx, j, bad, res, opt)
		if err != nil || !j.Judge(repaired).Verdict.Valid || len(repaired) != len(best.Plan) {
			t.Errorf("%d steps in place of %d: %v", len(repaired), len(best.Plan), err)
		}
		for i := range k {
			if repaired[i].Text() != bad[i].Text() {
				t.Errorf("step %d has changed", i+1)
			}
		}
		if text, err := Feedback(ctx, j, best.Plan, j.Judge(best.Plan), LevelAll, opt); err != nil || !strings.Contains(text, "is valid") {
			t.Errorf("%q %v", text, err)
		}
	}
}
