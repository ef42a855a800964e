package boxnet

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestProducts compares products of 128 bits with those of big numbers.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	limits := []Coord{0, 1, -1, One, 2 * maxCoord, -2 * maxCoord, 2*maxCoord - 1, 1 << 31, -1 << 32}
	pick := func() Coord {
		if r.IntN(2) == 0 {
			return limits[r.IntN(len(limits))]
		}
		return Coord(r.Int64N(4*int64(maxCoord))) - 2*maxCoord
	}
	product := func(a, b Coord) *big.Int { return new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(b))) }
	for range 20_000 {
		a, b, c, d := pick(), pick(), pick(), pick()
		if r.IntN(3) == 0 {
			c, d = b, a
		}
		if got, want := compareProducts(a, b, c, d), product(a, b).Cmp(product(c, d)); got != want {
			t.Fatalf("%d*%d - %d*%d has sign %d, not %d", a, b, c, d, want, got)
		}
	}
}
