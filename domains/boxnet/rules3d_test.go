package boxnet_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/proof"
)

// randomSwings returns two motions of neighbouring robots of BoxNet3D, many of which share points: tips are at
// middles of cells, beside bases, in lattices of a tenth, or on one circle around their base.
func randomSwings(r *rand.Rand) (a, b boxnet.Motion) {
	const tenth = boxnet.One / 10
	a.Base = boxnet.Point{X: 22 * tenth, Y: 22 * tenth}
	b.Base = boxnet.Point{X: boxnet.Coord(11*(1+r.IntN(3))) * tenth, Y: boxnet.Coord(11*(1+r.IntN(3))) * tenth}
	if r.IntN(3) > 0 {
		b.Base = boxnet.Point{X: boxnet.Coord(16+r.IntN(13)) * tenth, Y: boxnet.Coord(16+r.IntN(13)) * tenth}
	}
	in := &boxnet.Instance{Dimensions: 3, Width: 5, Height: 5}
	used := []boxnet.Point{}
	place := func(base boxnet.Point) boxnet.Point {
		for {
			var p boxnet.Point
			switch r.IntN(8) {
			case 0, 1:
				list := in.Cells(base)
				if len(list) == 0 {
					continue
				}
				p = list[r.IntN(len(list))]
			case 2:
				p = in.Beside(base)[r.IntN(4)]
			case 3:
				if len(used) == 0 {
					continue
				}
				p = used[r.IntN(len(used))]
			case 4: // at distance 0.5
				d := [][2]boxnet.Coord{{3, 4}, {4, 3}, {5, 0}, {0, 5}}[r.IntN(4)]
				p = boxnet.Point{X: base.X + d[0]*boxnet.Coord(2*r.IntN(2)-1)*tenth, Y: base.Y + d[1]*boxnet.Coord(2*r.IntN(2)-1)*tenth}
			case 5:
				p = boxnet.Point{X: base.X + boxnet.Coord(r.IntN(161)-80)*tenth/10, Y: base.Y + boxnet.Coord(r.IntN(161)-80)*tenth/10}
			default:
				p = boxnet.Point{X: base.X + boxnet.Coord(r.IntN(17)-8)*tenth, Y: base.Y + boxnet.Coord(r.IntN(17)-8)*tenth}
			}
			if in.Reaches(base, p) || r.IntN(100) == 0 {
				used = append(used, p)
				return p
			}
		}
	}
	for _, m := range []*boxnet.Motion{&a, &b} {
		m.From = place(m.Base)
		m.To = m.From
		if m.Moves = r.IntN(4) > 0; m.Moves {
			m.Carries = r.IntN(2) == 0
			if r.IntN(16) > 0 {
				m.To = place(m.Base)
			}
		}
	}
	return a, b
}

// TestSecondChecker3D compares the rules of BoxNet3D with a checker of another style on random pairs of moves, and
// what a move passes over and what obstacles are in its way.
func TestSecondChecker3D(t *testing.T) {
	pairs := 1_000
	if os.Getenv("PLANPROOF_LONG") != "" {
		pairs = 100_000
	}
	in := &boxnet.Instance{Dimensions: 3}
	for _, rd := range boxnet.Readings3D() {
		r := rand.New(rand.NewPCG(11, uint64(len(rd))))
		seen := map[boxnet.Reason]int{}
		for range pairs {
			a, b := randomSwings(r)
			got := in.Collision(rd, &a, &b)
			if want := proof.Collision3D(rd, &a, &b); got != want {
				t.Fatalf("%s: %+v %+v: %q, the second checker says %q", rd, a, b, got, want)
			}
			if back := in.Collision(rd, &b, &a); back != got {
				t.Fatalf("%s: %+v %+v: %q, in the other order %q", rd, a, b, got, back)
			}
			seen[got]++
			if sweeps := a.Sweeps(b.To); sweeps != proof.Sweeps(&a, b.To) {
				t.Fatalf("%+v sweeps %v: %v, the second checker says otherwise", a, b.To, sweeps)
			} else if sweeps {
				seen[boxnet.SweepsObject]++
			}
			o := &boxnet.Obstacle{At: b.From, Radius: boxnet.Coord(1+r.IntN(40)) * boxnet.One / 100}
			if r.IntN(20) == 0 {
				o.At = a.Base
			}
			if blocks := o.Blocks(&a); blocks != proof.Blocks(o, &a) {
				t.Fatalf("%+v blocks %+v: %v, the second checker says otherwise", o, a, blocks)
			} else if blocks {
				seen[boxnet.MeetsObstacle]++
			}
		}
		want := []boxnet.Reason{"", boxnet.SameEnd, boxnet.MeetsResting, boxnet.PathsTouch, boxnet.SweepsObject, boxnet.MeetsObstacle}
		if rd == boxnet.Arms {
			want = append(want, boxnet.ArmsTouch, boxnet.MeetsMoving)
		} else {
			want = append(want, boxnet.ObjectsCross)
		}
		for _, why := range want {
			if seen[why] == 0 {
				t.Errorf("%s: %q never came up", rd, why)
			}
		}
		t.Log(rd, seen)
	}
}
