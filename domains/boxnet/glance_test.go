package boxnet

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
)

// closeWays draws two ways of neighbouring robots and points that may be shared. Many are close calls: ends on common
// lattices, on one circle, circles that touch, ends of the other way, and any of these by a few units of 10^-12 off.
func closeWays(r *rand.Rand) (a, b track, allowed []Point) {
	const tenth = One / 10
	bases := [2]Point{{22 * tenth, 22 * tenth}, {Coord(11*(1+r.IntN(3))) * tenth, Coord(11*(1+r.IntN(3))) * tenth}}
	if r.IntN(3) == 0 {
		bases[1] = Point{bases[0].X + Coord(r.IntN(17)-8)*tenth, bases[0].Y + Coord(r.IntN(17)-8)*tenth}
	}
	var used []Point
	pythagorean := [][2]Coord{{3, 4}, {4, 3}, {5, 0}, {0, 5}, {6, 8}, {8, 6}, {0, 6}, {6, 0}}
	place := func(base Point) (p Point) {
		switch r.IntN(6) {
		case 0:
			if len(used) > 0 {
				p = used[r.IntN(len(used))]
				break
			}
			fallthrough
		case 1:
			d := pythagorean[r.IntN(len(pythagorean))]
			p = Point{base.X + d[0]*Coord(2*r.IntN(2)-1)*tenth, base.Y + d[1]*Coord(2*r.IntN(2)-1)*tenth}
		case 2: // half-way to the other base
			p = Point{(bases[0].X + bases[1].X) / 2, (bases[0].Y + bases[1].Y) / 2}
		case 3:
			p = Point{Coord(11*r.IntN(8)) * tenth / 2, Coord(11*r.IntN(8)) * tenth / 2}
		case 4:
			p = Point{base.X + Coord(r.Int64N(int64(2*One))) - One, base.Y + Coord(r.Int64N(int64(2*One))) - One}
		default:
			p = Point{base.X + Coord(r.IntN(17)-8)*tenth, base.Y + Coord(r.IntN(17)-8)*tenth}
		}
		if r.IntN(4) == 0 {
			p.X, p.Y = p.X+Coord(r.IntN(7)-3), p.Y+Coord(r.IntN(7)-3)
		}
		used = append(used, p)
		return p
	}
	way := func(base Point) track {
		if r.IntN(4) == 0 {
			return armTrack(base, place(base))
		}
		return newTrack(base, place(base), place(base))
	}
	a, b = way(bases[0]), way(bases[1])
	if r.IntN(2) == 0 {
		allowed = []Point{b.to}
	}
	return a, b, allowed
}

// TestGlance compares what floats decide with the exact decision, on close calls above all.
func TestGlance(t *testing.T) {
	pairs := 3_000
	if os.Getenv("PLANPROOF_LONG") != "" {
		pairs = 1_000_000
	}
	r := rand.New(rand.NewPCG(5, 6))
	var got [3]int
	for range pairs {
		a, b, allowed := closeWays(r)
		s := a.glance(&b, allowed)
		got[s]++
		if s == unsure && r.IntN(10) > 0 {
			continue // nothing to compare; TestSecondChecker3D looks at exact decisions
		}
		want := a.exact().meets(b.exact(), allowed)
		if s != unsure && want != (s == yes) {
			t.Fatalf("%+v %+v, allowed %v: exactly %v, at a glance %v", a, b, allowed, want, s == yes)
		}
		radius := Coord(1+r.IntN(40)) * One / 100
		edge := squared(Point{}, Point{X: radius})
		want = squared(b.to, a.from).compare(edge) <= 0 || squared(b.to, a.to).compare(edge) <= 0 || a.exact().meetsEdge(b.to, radius)
		if a.meetsDisc(b.to, radius) != want {
			t.Fatalf("%+v, a disc at %v of radius %v: exactly %v, at a glance %v", a, b.to, radius, want, !want)
		}
		p := spotAt(vecOf(a.base, b.to))
		if on := a.exact().holds(p.x, p.y, p); on != a.passes(b.to) {
			t.Fatalf("%+v passes %v: %v, in integers %v", a, b.to, on, !on)
		}
	}
	t.Logf("no %d, yes %d, left open %d", got[no], got[yes], got[unsure])
	if got[no] < pairs/10 || got[yes] < pairs/10 || got[unsure] > pairs/5 || got[unsure] == 0 {
		t.Errorf("no %d, yes %d, left open %d of %d", got[no], got[yes], got[unsure], pairs)
	}
}

// TestGlanceAtDisc: a disc that a way only touches at one of its ends is met.
func TestGlanceAtDisc(t *testing.T) {
	base, near, far := Point{}, Point{X: One}, Point{X: 2 * One}
	for _, c := range []struct {
		middle Point
		want   bool
	}{
		{Point{X: One / 2}, true}, {Point{X: 5 * One / 2}, true},
		{Point{X: One/2 - 1}, false}, {Point{X: 5*One/2 + 1}, false},
	} {
		for _, way := range []track{newTrack(base, near, far), newTrack(base, far, near)} {
			if got := way.meetsDisc(c.middle, One/2); got != c.want {
				t.Errorf("from %v to %v, disc around %v: %v, want %v", way.from, way.to, c.middle, got, c.want)
			}
		}
	}
}

// TestApprox computes with floats and with 400 bits; the bounds must hold the difference.
func TestApprox(t *testing.T) {
	rounds := 20_000
	if os.Getenv("PLANPROOF_LONG") != "" {
		rounds = 3_000_000
	}
	r := rand.New(rand.NewPCG(7, 8))
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }
	for range rounds {
		a, b := approx{v: (r.Float64() - 0.5) * 16}, approx{v: (r.Float64() - 0.5) * 16}
		x, y := exact(a.v), exact(b.v)
		for range 1 + r.IntN(5) {
			switch r.IntN(4) {
			case 0:
				a, b, x, y = a.times(b), a, new(big.Float).Mul(x, y), x
			case 1:
				a, b, x, y = a.plus(b), a, new(big.Float).Add(x, y), x
			case 2:
				a, x = a.minus(b), new(big.Float).Sub(x, y)
			case 3:
				if a.positive() {
					a, x = a.root(), new(big.Float).Sqrt(x)
				}
			}
		}
		off, _ := new(big.Float).Sub(x, exact(a.v)).Float64()
		if math.Abs(off) > a.e {
			t.Fatalf("%v differs from the number by %g", a, off)
		}
		if sign := x.Sign(); a.positive() && sign <= 0 || a.negative() && sign >= 0 || a.differs() && sign == 0 {
			t.Fatalf("%v, but the sign is %d", a, sign)
		}
	}
}

// BenchmarkMeets3D measures how long two ways of close calls take.
func BenchmarkMeets3D(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	var ways [1000][2]track
	for i := range ways {
		ways[i][0], ways[i][1], _ = closeWays(r)
	}
	b.ReportAllocs()
	began := testkit.CPUTime()
	for i := 0; b.Loop(); i++ {
		w := &ways[i%len(ways)]
		w[0].meets(&w[1], nil, nil)
	}
	b.ReportMetric(float64(b.N)/(testkit.CPUTime()-began).Seconds(), "pairs/cpu-s")
}
