package boxnet

import "math/bits"

// mul is the product of two coordinates in 128 bits: high and low half, two's complement.
func mul(a, b Coord) (int64, uint64) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(hi) - int64(a>>63)&int64(b) - int64(b>>63)&int64(a), lo
}

// compareProducts is the sign of a*b - c*d.
func compareProducts(a, b, c, d Coord) int {
	h1, l1 := mul(a, b)
	h2, l2 := mul(c, d)
	switch {
	case h1 < h2 || h1 == h2 && l1 < l2:
		return -1
	case h1 == h2 && l1 == l2:
		return 0
	}
	return 1
}

// orient is 1 if c lies left of the line from a to b, -1 if it lies right of it, 0 if on it.
func orient(a, b, c Point) int {
	return compareProducts(b.X-a.X, c.Y-a.Y, b.Y-a.Y, c.X-a.X)
}

// apart reports whether the boxes around the segments ab and cd share no point.
func apart(a, b, c, d Point) bool {
	return max(a.X, b.X) < min(c.X, d.X) || max(c.X, d.X) < min(a.X, b.X) ||
		max(a.Y, b.Y) < min(c.Y, d.Y) || max(c.Y, d.Y) < min(a.Y, b.Y)
}

// touch reports whether the closed segments ab and cd share a point. A segment may be one
// point.
func touch(a, b, c, d Point) bool {
	return !apart(a, b, c, d) &&
		orient(a, b, c)*orient(a, b, d) <= 0 && orient(c, d, a)*orient(c, d, b) <= 0
}

// cross reports whether the segments ab and cd share exactly one point, which is inside both.
func cross(a, b, c, d Point) bool {
	return !apart(a, b, c, d) &&
		orient(a, b, c)*orient(a, b, d) < 0 && orient(c, d, a)*orient(c, d, b) < 0
}

// meetOnlyAt reports whether the closed segments from a to b and from a to c share no point
// but a.
func meetOnlyAt(a, b, c Point) bool {
	if orient(a, b, c) != 0 {
		return true
	}
	// On one line: they must lead away from a on different sides.
	return compareProducts(b.X-a.X, c.X-a.X, -(b.Y-a.Y), c.Y-a.Y) <= 0
}

// Within reports whether an arm with the given base reaches a point (rule 1).
func Within(base, p Point) bool {
	dx, dy := p.X-base.X, p.Y-base.Y
	return -One < dx && dx < One && -One < dy && dy < One
}
