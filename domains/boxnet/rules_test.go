package boxnet_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/proof"
)

// randomMotions returns two motions of neighbouring robots. Many of them share points: places
// are the four points of each cell, now and then a base, a middle of two, or one off the grid.
func randomMotions(r *rand.Rand) (a, b boxnet.Motion) {
	a.Base = boxnet.Point{2 * boxnet.One, 2 * boxnet.One}
	for {
		b.Base = boxnet.Point{boxnet.Coord(1+r.IntN(3)) * boxnet.One, boxnet.Coord(1+r.IntN(3)) * boxnet.One}
		if r.IntN(4) == 0 { // off the joints, or too far to meet
			b.Base = boxnet.Point{boxnet.Coord(r.IntN(9)) * boxnet.One / 2, boxnet.Coord(r.IntN(9)) * boxnet.One / 2}
		}
		if b.Base != a.Base {
			break
		}
	}
	var used []boxnet.Point
	place := func(base boxnet.Point) boxnet.Point {
		for {
			p := boxnet.Point{base.X + (2*boxnet.Coord(r.IntN(4))-3)*boxnet.One/4, base.Y + (2*boxnet.Coord(r.IntN(4))-3)*boxnet.One/4}
			switch r.IntN(12) {
			case 0:
				p = boxnet.Point{base.X + boxnet.Coord(r.IntN(199)-99)*boxnet.One/100, base.Y + boxnet.Coord(r.IntN(199)-99)*boxnet.One/100}
			case 1:
				p = boxnet.Point{base.X + boxnet.Coord(r.IntN(7)-3)*boxnet.One/4, base.Y + boxnet.Coord(r.IntN(7)-3)*boxnet.One/4}
			case 2, 3:
				if len(used) > 0 {
					p = used[r.IntN(len(used))]
				}
			}
			if boxnet.Within(base, p) {
				used = append(used, p)
				return p
			}
		}
	}
	for _, m := range []*boxnet.Motion{&a, &b} {
		m.From = place(m.Base)
		m.To = m.From
		if m.Moves = r.IntN(4) > 0; m.Moves {
			m.To = place(m.Base)
		}
	}
	return a, b
}

// TestSecondChecker compares the rules with a checker of another style on random pairs of moves.
// Each reason must come up, and be the same whichever robot comes first.
func TestSecondChecker(t *testing.T) {
	pairs := 20_000
	if os.Getenv("PLANPROOF_LONG") != "" {
		pairs = 1_000_000
	}
	for _, rd := range boxnet.Readings() {
		r := rand.New(rand.NewPCG(7, uint64(len(rd))))
		seen := map[boxnet.Reason]int{}
		for range pairs {
			a, b := randomMotions(r)
			got := rd.Collision(&a, &b)
			if want := proof.Collision(rd, &a, &b); got != want {
				t.Fatalf("%s: %+v %+v: %q, the second checker says %q", rd, a, b, got, want)
			}
			if back := rd.Collision(&b, &a); back != got {
				t.Fatalf("%s: %+v %+v: %q, in the other order %q", rd, a, b, got, back)
			}
			seen[got]++
		}
		for _, why := range []boxnet.Reason{"", boxnet.SameEnd, boxnet.ArmsTouch, boxnet.MeetsResting, boxnet.PathsCross, boxnet.PathsTouch, boxnet.MeetsMoving} {
			if n := seen[why]; n == 0 != (rd == boxnet.CrossingOnly && (why == boxnet.PathsTouch || why == boxnet.MeetsMoving)) {
				t.Errorf("%s: %q came up %d times", rd, why, n)
			}
		}
		t.Log(rd, seen)
	}
}
