package joint

import (
	"context"
	"testing"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/internal/seeded"
)

// TestShortestTime: with time as the second objective no plan takes longer than with moves, and none
// needs more steps; with moves none has more moves.
func TestShortestTime(t *testing.T) {
	r := seeded.Rand(2, "boxnet time")
	shorter, fewer := 0, 0
	for n := range 12 {
		in, err := boxnet.Sample(r, boxnet.SampleOptions{Width: 2 + n%2, Height: 2, Objects: 1 + n%3, Layout: boxnet.Interior})
		if err != nil {
			t.Fatal(err)
		}
		var got [2]*Result
		for i, second := range []Objective{Moves, Time} {
			if got[i], err = Solve(context.Background(), in, Options{Reading: boxnet.Default, Second: second}); err != nil || got[i].Status != Solved {
				t.Fatalf("%v, %+v", err, got[i])
			}
		}
		moves, time := got[0], got[1]
		if len(moves.Plan) != len(time.Plan) || !moves.FewestMoves || !time.ShortestTime {
			t.Errorf("%d: %+v %+v", n, moves, time)
		}
		switch a, b := (&search{places: newPlaces(in)}).duration(moves.Plan), (&search{places: newPlaces(in)}).duration(time.Plan); {
		case b > a+1e-9:
			t.Errorf("%d: time %f with moves first, %f with time first", n, a, b)
		case b < a-1e-9:
			shorter++
		}
		if moves.Moves > time.Moves {
			t.Errorf("%d: %d moves with moves first, %d with time first", n, moves.Moves, time.Moves)
		}
		if moves.Moves < time.Moves {
			fewer++
		}
	}
	if shorter == 0 || fewer == 0 {
		t.Errorf("time first makes %d of 12 plans shorter, moves first %d", shorter, fewer)
	}
}
